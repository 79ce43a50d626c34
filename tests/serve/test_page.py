"""The page in a browser: what each click, key and file does."""

import json
import re
import shutil
from contextlib import ExitStack
from functools import cache, partial

import pytest
from boards import CONFLICT, rawvf
from boards import click as clicks
from colour_blind import confused

from mines_dd import Board
from mines_dd.board.files import read_board_file, read_replay
from mines_dd.board.replays import replay_of, to_rawvf
from mines_dd.play.coach import coach
from mines_dd.play.coach_report import html_report

NAMES = {
    "chromium": ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome"),
    "firefox": ("firefox-esr", "firefox"),
}
WIDE, PHONE = {"width": 1280, "height": 900}, {"width": 390, "height": 844}
DARK, TOUCH = "layout.css.prefers-color-scheme.content-override", "dom.w3c_touch_events.enabled"  # Firefox's names
pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def downloads(tmp_path_factory):
    return tmp_path_factory.mktemp("downloads")


@pytest.fixture(scope="module", params=["chromium", "firefox"])
def launched(request, downloads):
    """Start the browser that is tested, in the light or in the dark; all are closed at the end."""
    playwright = pytest.importorskip("playwright.sync_api")
    program = next(filter(None, map(shutil.which, NAMES[request.param])), None)
    if program is None:
        pytest.skip(f"no {request.param} here")
    options = {"executable_path": program, "downloads_path": downloads, "timeout": 120_000}
    with playwright.sync_playwright() as driver, ExitStack() as all_of_them:

        @cache
        def launched(dark=False):
            if request.param == "chromium":
                browser = driver.chromium.launch(**options)
            else:  # the ordinary one, not Playwright's own, by WebDriver BiDi; dark by a preference
                preferences = {DARK: 0 if dark else 1, TOUCH: 1}
                browser = driver.firefox.launch(channel="moz-firefox", firefox_user_prefs=preferences, **options)
            all_of_them.callback(browser.close)
            return browser

        browser = launched()
        try:
            browser.new_context().close()
        except playwright.Error as error:
            pytest.skip(f"this Playwright asks for more than this Firefox can, see tests/README.md: {error.message}")
        yield launched


@pytest.fixture
def chromium_only(launched):
    """Skip a test in Firefox, for a reason."""

    def chromium_only(reason):
        if launched().browser_type.name != "chromium":
            pytest.skip(reason)

    return chromium_only


@pytest.fixture(scope="module")
def address(served):
    with served(workers=1) as address:  # with its ordinary patience: a browser on a busy machine is slow to ask
        yield address


@pytest.fixture
def opened(launched, address):
    """Open pages of some size; at the end nothing may have gone wrong on any."""
    contexts, problems = [], []

    def opened(at="", dark=False, **options):
        browser = launched(dark and launched().browser_type.name == "firefox")
        scheme = "dark" if dark else "light"
        context = browser.new_context(**{"viewport": WIDE, "color_scheme": scheme, **options})
        contexts.append(context)
        page = context.new_page()
        page.set_default_timeout(30_000)  # of a busy machine
        page.on("pageerror", lambda error: problems.append(str(error)))
        page.on("console", lambda said: re.search("Security.Policy", said.text) and problems.append(said.text))
        page.goto(address + at)
        page.wait_for_selector("#board[aria-busy=false]")
        assert page.evaluate(f"matchMedia('(prefers-color-scheme: {scheme})').matches")
        return page

    yield opened
    for context in contexts:
        context.close()
    assert not problems


@pytest.fixture
def page(opened):
    return opened()


@pytest.fixture
def phone(opened):
    return opened(viewport=PHONE, has_touch=True, is_mobile=True)


def expect(what):
    from playwright.sync_api import expect

    expect.set_options(timeout=20_000)
    return expect(what)


def cell(page, row, column):
    return page.locator(f'#board .cell[data-r="{row}"][data-c="{column}"]')


def write(page, selector, value):
    """Write into an input in place of what it holds; with Firefox Playwright's `fill` adds to a number."""
    page.focus(selector)
    page.keyboard.press("Control+a")
    page.keyboard.type(str(value)) if value != "" else page.keyboard.press("Delete")


@pytest.fixture
def saved(launched, downloads):
    """Click a button that gives a file: its name and its bytes."""

    def saved(page, button):
        if launched().browser_type.name == "chromium":
            with page.expect_download() as download:
                page.click(button)
            return download.value.suggested_filename, download.value.path().read_bytes()
        page.click(button)  # Playwright is not told of Firefox's downloads, only Firefox where to put them
        for _ in range(600):
            page.wait_for_timeout(50)
            files = list(downloads.iterdir())
            if len(files) == 1 and (content := files[0].read_bytes()):
                files[0].unlink()
                return files[0].name, content
        pytest.fail("no file came")

    return saved


def text(page):
    """The position as text, once it has been worked out; the board is busy from the event that changes it on."""
    page.wait_for_selector("#board[aria-busy=false]")
    return page.input_value("#text")


def shows(page, board):
    """Wait until the page has a position, given as text, and has worked it out."""
    board = Board.parse(board)
    rows = "/".join(board.grid).replace("#", "-").replace("*", "M")
    mines = "" if board.mines is None else f"&mines={board.mines}"
    expect(page.locator("#link")).to_have_value(re.compile(re.escape(f"#board={rows}{mines}") + "$"))
    page.wait_for_selector("#board[aria-busy=false]")


def put(page, board):
    """Put a position in by its text."""
    page.evaluate("document.getElementById('share').open = true")
    page.fill("#text", board)
    page.click("#use")
    shows(page, board)


# Analyse


def test_a_click_opens_raises_and_closes_and_the_second_button_flags(page):
    put(page, "###\n###")
    cell(page, 0, 0).click()
    shows(page, "0##\n###\n")
    for _ in range(3):
        cell(page, 0, 0).click()
    shows(page, "3##\n###\n")
    cell(page, 0, 0).click()
    shows(page, "###\n###\n")
    cell(page, 0, 1).click(button="right")
    cell(page, 0, 0).click()
    shows(page, "1F#\n###\n")
    cell(page, 0, 0).click(button="right")
    cell(page, 0, 1).click(button="right")
    shows(page, "###\n###\n")


def test_the_wheel_changes_the_chosen_cell_alone(page):
    put(page, "###\n###")
    cell(page, 1, 1).hover()
    page.mouse.wheel(0, -100)
    shows(page, "###\n###\n")
    cell(page, 1, 1).click()
    for _ in range(2):
        page.mouse.wheel(0, -100)
    shows(page, "###\n#2#\n")
    page.mouse.wheel(0, 100)
    shows(page, "###\n#1#\n")


def drag(page, tool, columns):
    """Paint cells of the first row with a tool of the palette."""
    page.locator("#palette label", has_text=tool).click()
    first, *others = columns
    cell(page, 0, first).hover()
    page.mouse.down()
    for column in others:
        cell(page, 0, column).hover()
    page.mouse.up()


def test_a_drag_paints_and_is_undone_at_once(page):
    put(page, "####\n####")
    drag(page, "3", (0, 1, 2, 3))
    cell(page, 1, 3).hover()
    shows(page, "3333\n####\n")
    page.keyboard.press("Control+z")
    shows(page, "####\n####\n")
    page.keyboard.press("Control+y")
    shows(page, "3333\n####\n")
    page.click("#undo")
    page.click("#redo")
    shows(page, "3333\n####\n")


def test_a_drag_that_begins_where_it_changes_nothing_is_undone_alone(page):
    put(page, "12##\n####")
    drag(page, "#", (3, 2, 1, 0))
    shows(page, "####\n####\n")
    page.click("#undo")
    shows(page, "12##\n####\n")


def beside(page, far):
    """A point that is so far from the board's cells, on the right, or if negative on the left."""
    first, last = (cell(page, 2, column).bounding_box() for column in (0, 4))
    at = first["x"] + far if far < 0 else last["x"] + last["width"] + far
    return at, first["y"] + first["height"] / 2


FRAME = "() => new Promise((then) => requestAnimationFrame(() => requestAnimationFrame(then)))"


def test_a_quick_drag_paints_what_it_passes_and_nothing_outside_of_the_board(page):
    put(page, "#####\n#####\n#####\n#####")
    page.locator("#palette label", has_text="3").click()
    cell(page, 0, 0).hover()
    page.mouse.down()
    cell(page, 0, 4).hover()
    for outside in ((2, 2), beside(page, 2), beside(page, -30)):  # the page, the board's own margin, the numbers
        for move in (partial(page.mouse.move, *outside), cell(page, 3, 4).hover):
            page.evaluate(FRAME)  # two moves in one frame of the screen are one
            move()
    page.evaluate(FRAME)
    cell(page, 1, 2).hover()
    page.mouse.up()
    shows(page, "33333\n##3##\n###3#\n####3\n")
    page.keyboard.press("Control+z")
    shows(page, "#####\n#####\n#####\n#####\n")


def test_ctrl_and_a_click_are_the_second_button_of_a_mac(page):
    put(page, "##\n##")
    cell(page, 1, 1).dispatch_event("pointerdown", {"pointerType": "mouse", "button": 0, "ctrlKey": True})
    cell(page, 1, 1).dispatch_event("contextmenu", {"pointerType": "mouse", "button": 0, "ctrlKey": True})
    shows(page, "##\n#F\n")


def test_a_pen_that_scrolls_changes_nothing_and_one_that_taps_opens(page):
    put(page, "##\n##")
    cell(page, 1, 1).dispatch_event("pointerdown", {"pointerType": "pen", "button": 0})
    cell(page, 1, 1).dispatch_event("pointercancel", {"pointerType": "pen"})
    shows(page, "##\n##\n")
    tap = "{ bubbles: true, pointerType: 'pen', detail: 1 }"
    cell(page, 1, 1).evaluate(f"cell => cell.dispatchEvent(new PointerEvent('click', {tap}))")
    shows(page, "##\n#0\n")


def test_keys_move_and_put(page):
    put(page, "mines: 2\n###\n###")
    cell(page, 0, 0).focus()
    for key in ("1", "ArrowRight", "f", "ArrowDown", "Enter", "End", "*", "Home", "8", "Backspace"):
        page.keyboard.press(key)
    shows(page, "mines: 2\n1F#\n#1*\n")
    assert page.evaluate("document.activeElement.dataset.r + document.activeElement.dataset.c") == "10"


def test_few_tabs_reach_the_board(page):
    page.keyboard.press("Tab")
    page.keyboard.press("Tab")
    assert "cell" in page.evaluate("document.activeElement.className")


def test_risks_are_shown_and_a_move_is_named_with_its_reason(page):
    put(page, "mines: 2\n#1###")
    expect(cell(page, 0, 0)).to_have_text("50")
    expect(page.locator("#status")).to_have_text("Row 0, column 2: searched: best play wins 50.0% (2 of 4 layouts).")
    expect(page.locator("#best")).to_have_text("row 0, column 2 (a mine with 50.0%, wins 50.0%)")
    expect(page.locator("#count")).to_have_text("4")
    expect(page.locator("#board .best")).to_have_count(1)
    expect(cell(page, 0, 0)).to_have_attribute(
        "aria-label", "row 0, column 0: closed, chance of a mine 50.0%, tells nothing"
    )
    expect(page.locator("#announce")).to_contain_text("0 safe cells; 0 certain mines; best move row 0, column 2")
    page.click("#ranking summary")
    expect(page.locator("#ranks tbody tr")).to_have_count(4)
    page.locator("#ranks button").last.click()
    assert page.evaluate("document.activeElement.className").startswith("cell")
    put(page, "mines: 1\n1#\n1#")
    expect(page.locator("#board .even")).to_have_count(2)


def test_hovering_tells_what_a_cell_may_show(page):
    put(page, "mines: 2\n#1###")
    cell(page, 0, 2).hover()
    expect(page.locator("#tip")).to_contain_text("If safe it shows 0 with 50.0%, 1 with 50.0%.")
    page.mouse.move(5, 5)
    expect(page.locator("#tip")).to_be_hidden()


@pytest.mark.parametrize("scrolled", [48, 60, 90])
def test_a_contradiction_does_not_move_the_page_below_it(chromium_only, phone, scrolled):
    chromium_only(TAPS)
    put(phone, "mines: 10\n" + "\n".join(["#########", "#1#######", *["#" * 9] * 7]))
    phone.check("input[name=tool][value='8']", force=True)
    phone.evaluate(f"scrollTo(0, {scrolled})")
    place = cell(phone, 5, 0).bounding_box()
    x, y = place["x"] + place["width"] / 2, place["y"] + place["height"] / 2
    phone.touchscreen.tap(x, y)
    expect(phone.locator("#problem")).to_contain_text("No mine assignment")
    assert phone.evaluate("scrollY") == scrolled
    phone.touchscreen.tap(x, y)  # at the same place: it closes the cell again
    shows(phone, "mines: 10\n" + "\n".join(["#########", "#1#######", *["#" * 9] * 7]))


def test_a_mouse_at_rest_on_a_board_that_comes_shows_what_is_found(page):
    put(page, "#1#")
    cell(page, 0, 1).hover()
    expect(page.locator("#tip")).to_contain_text("row 0, column 1: 1")
    page.evaluate(DROP, ["", "mines: 5\n" + "\n".join(["#" * 5] * 5)])
    expect(page.locator("#tip")).to_contain_text("closed, chance of a mine 20.0%")


def test_a_key_hides_what_the_mouse_shows_until_it_moves(page):
    put(page, "mines: 2\n#1###")
    tip = page.locator("#tip")
    cell(page, 0, 2).focus()
    cell(page, 0, 2).hover()
    expect(tip).to_contain_text("row 0, column 2: closed")
    page.keyboard.press("0")
    shows(page, "mines: 2\n#10##\n")
    page.wait_for_timeout(200)  # the browser tells of a mouse at rest when the cell below it has changed
    expect(tip).to_be_hidden()
    cell(page, 0, 2).hover(position={"x": 5, "y": 5})
    expect(tip).to_contain_text("row 0, column 2: open")
    page.keyboard.press("ArrowRight")
    expect(tip).to_be_hidden()


def test_the_number_of_mines_is_estimated(page):
    put(page, "#1###")
    page.click("#totals summary")
    expect(page.locator(".total")).to_have_count(3)
    expect(page.locator("#totals-list p")).to_contain_text("more than others, are 1, 2 mines")


def test_the_likeliest_of_many_numbers_of_mines_is_in_view(phone):
    put(phone, "\n".join(["1" + "#" * 29] + ["#" * 30] * 15))
    phone.click("#totals summary")
    expect(phone.locator("#totals-list p")).to_contain_text("120 mines is the likeliest number")
    box = phone.locator(".likelihoods")
    assert box.locator(".total").count() > 400
    expect(phone.locator("#totals-list p")).to_contain_text(re.compile(r"; \d+ other numbers have less than"))
    assert box.bounding_box()["height"] < 300
    box.scroll_into_view_if_needed()
    expect(box.locator(".total", has=phone.get_by_text("120", exact=True))).to_be_in_viewport(ratio=1)


def test_the_first_cell_is_safe_by_the_rules_and_that_is_said(page):
    put(page, "mines: 9\n" + "\n".join(["#" * 9] * 9))
    expect(page.locator("#status")).to_contain_text("opening book: the first cell is safe, and a corner has the fewest")
    expect(page.locator("#best")).to_have_text("row 0, column 0 (safe, as the first cell)")
    put(page, "#1#\n#2#\n#1#")
    expect(page.locator("#best")).to_have_text("row 1, column 0 (safe)")


def test_where_nothing_is_closed_that_is_said(page):
    for text in ("mines: 1\n*1\n11", "00\n00", "mines: 4\n**\n**"):
        put(page, text)
        expect(page.locator("#status")).to_have_text("No cell is closed.")
    put(page, "#1")
    expect(page.locator("#status")).to_have_text("Every closed cell is a mine.")


def test_a_cell_is_proved_and_a_conflict_named(page):
    put(page, "#1#\n#2#\n#1#")
    cell(page, 1, 0).focus()
    page.keyboard.press("w")
    expect(page.locator("#proof")).to_contain_text("Row 1, column 0 is safe. That follows from the 3 outlined numbers")
    expect(page.locator("#board .proof")).to_have_count(3)
    page.locator("#palette label", has_text="Why?").click()
    cell(page, 1, 1).click()
    expect(page.locator("#proof")).to_have_text("Row 1, column 1 is open.")
    put(page, "*1#")
    page.locator("#palette label", has_text="Why?").click()
    cell(page, 0, 0).click()
    expect(page.locator("#proof")).to_have_text("Row 0, column 0 is a known mine.")
    put(page, CONFLICT)
    expect(page.locator("#problem")).to_contain_text("No mine assignment")
    expect(page.locator("#board .conflict")).to_have_count(3)
    put(page, "1*\n*#")
    expect(page.locator("#problem")).to_contain_text("with the known mines at row 0, column 1; row 1, column 0")
    expect(page.locator("#board .conflict")).to_have_count(3)
    assert "✱" in cell(page, 0, 1).evaluate("one => getComputedStyle(one, '::after').content")
    page.click("#undo")
    page.click("#undo")
    expect(page.locator("#problem")).to_be_hidden()


def test_size_and_mines_change_without_losing_the_position(page):
    put(page, "mines: 2\n1##\n###")
    write(page, "#cols", 5)
    page.press("#cols", "Tab")
    write(page, "#mines", 3)
    page.press("#mines", "Tab")
    shows(page, "mines: 3\n1####\n#####\n")
    page.select_option("#preset", "16,16,40")
    assert text(page).startswith("mines: 40\n1###############\n")
    page.click("#undo")
    shows(page, "mines: 3\n1####\n#####\n")
    write(page, "#mines", 100)
    page.press("#mines", "Tab")
    expect(page.locator("#problem")).to_have_text(re.compile("^Mines: 100 is impossible"))


def test_an_example_leaves_the_tool_alone(page):
    page.select_option("#example", "The pattern 1-2-2-1")
    expect(page.locator("#board .cell.mine")).to_have_count(2)
    assert page.locator("#palette input:checked").get_attribute("value") == "open"


DROP = """([name, content]) => {
  const data = new DataTransfer();
  if (name) data.items.add(new File([content], name)); else data.setData("text/plain", content);
  const event = new DragEvent("drop", {dataTransfer: data, bubbles: true, cancelable: true});
  document.getElementById("board").dispatchEvent(event);
}"""


def copy(page, content):
    page.evaluate("document.getElementById('share').open = true")
    page.fill("#text", content)
    page.focus("#text")
    for key in ("a", "c"):
        page.keyboard.press(f"Control+{key}")


def paste(page, content):
    copy(page, content)
    cell(page, 0, 0).focus()
    page.keyboard.press("Control+v")


def test_boards_come_by_file_drop_and_paste_in_every_form(page):
    replay = rawvf(Board.from_layout(2, 4, [(0, 0)]), clicks((0, 3)))
    page.set_input_files("#file", {"name": "a.rawvf", "mimeType": "text/plain", "buffer": replay.encode()})
    expect(page.locator("#board .open")).to_have_count(6)
    shows(page, "mines: 1\n#100\n#100\n")
    page.evaluate(DROP, ["a.mine", "3x2x2\nH1F\n?20"])
    expect(page.locator("#board .flag")).to_have_count(1)
    shows(page, "mines: 2\n#1F\n*20\n")
    paste(page, '{"board": ["#1#"], "mines": 1}')
    expect(page.locator("#board .cell")).to_have_count(3)
    page.evaluate(DROP, ["", "##1/221"])
    expect(page.locator("#board .cell")).to_have_count(6)
    shows(page, "##1/221")  # from then on the text below the board is the reader's
    paste(page, "no board")
    expect(page.locator("#refused")).to_contain_text("Line 1, character 1")
    game = bytes([3, 2, 0, 1, 0, 1])  # an .mbf file tells only where the mines are: it is played
    page.set_input_files("#file", {"name": "a.mbf", "mimeType": "application/octet-stream", "buffer": game})
    expect(page.locator("#left")).to_have_text("1")
    expect(page.locator("#status")).to_contain_text("a new game on them")
    for name, value in {"game-rows": "2", "game-cols": "3", "game-mines": "1", "level": ""}.items():
        expect(page.locator(f"#{name}")).to_have_value(value)
    cell(page, 0, 2).click()
    expect(page.locator("#board .open")).to_have_count(4)
    page.evaluate(DROP, ["", '{"board": ["###", "F##"], "mines": 2, "layout": [[0, 0], [1, 0]]}'])
    expect(page.locator("#left")).to_have_text("1")
    expect(page.locator("#board .flag")).to_have_count(1)


def test_a_game_that_is_not_over_is_played_on_from_its_file(page, saved, tmp_path):
    replayed(page, Board.from_layout(1, 6, [(0, 2), (0, 4)]), [(0, 0, "l", 7.5), (0, 5, "r", 8.0)])
    shows(page, "mines: 2\n01###F")
    page.click("#play-on")
    expect(page.locator("#board .open")).to_have_count(2)
    expect(page.locator("#board .flag")).to_have_count(1)
    (tmp_path / "again.rawvf").write_bytes(saved(page, "#save-game")[1])
    assert [(move.cell, move.time) for move in read_replay(tmp_path / "again.rawvf").moves] == [((0, 0), 7.5)]
    cell(page, 0, 5).click(button="right")
    cell(page, 0, 5).click()
    expect(page.locator("#board .open")).to_have_count(3)
    page.evaluate(DROP, ["", '{"board": ["01####"], "mines": 2, "layout": [[0, 2], [0, 4]]}'])
    page.click("#play-on")
    expect(page.locator("#board .open")).to_have_count(2)
    page.click("#save-game")
    expect(page.locator("#refused")).to_contain_text("How this game began is not known")
    page.check("#modes input[value=analyse]")
    mines = {"name": "a.mbf", "mimeType": "application/octet-stream", "buffer": bytes([3, 2, 0, 1, 0, 1])}
    page.set_input_files("#file", mines)  # a new game, which does not end the one in Play
    expect(page.locator("#board .cell")).to_have_count(6)
    expect(page.locator("#board .closed")).to_have_count(6)
    page.check("#modes input[value=play]")
    cell(page, 0, 2).click()
    expect(page.locator("#outcome")).to_have_text("Lost.")
    for over in ("01*###", "01#2#1"):  # lost, and won
        page.evaluate(DROP, ["", f'{{"board": ["{over}"], "mines": 2, "layout": [[0, 2], [0, 4]]}}'])
        shows(page, f"mines: 2\n{over}")
        expect(page.locator("#play-on")).to_be_hidden()
    start(page, 6, 1, 2, seed=1)
    page.evaluate(DROP, ["", '{"board": ["##"], "mines": 2, "layout": [[0, 0], [0, 1]]}'])  # nothing to open
    shows(page, "mines: 2\n##")
    expect(page.locator("#play-on")).to_be_hidden()


def test_what_play_on_does_with_a_file_is_said(page):
    mines = {"name": "a.mbf", "mimeType": "application/octet-stream", "buffer": bytes([3, 2, 0, 1, 0, 1])}
    start(page, 9, 9, 10, seed=1)
    cell(page, 4, 4).click()
    expect(page.locator("#board .open")).not_to_have_count(0)
    page.check("#modes input[value=analyse]")
    page.set_input_files("#file", mines)
    page.click("#play-on")
    expect(page.locator("#status")).to_contain_text("a new game on them")
    expect(page.locator("#board .closed")).to_have_count(6)
    cell(page, 0, 0).click()
    page.check("#modes input[value=analyse]")
    for board, won in ((["###", "11#", "0##"], "Won!"), (["####", "11##", "0###"], "")):
        layout = [[0, 0]] if won else [[0, 0], [0, 3]]
        page.evaluate(DROP, ["", json.dumps({"board": board, "mines": len(layout), "layout": layout})])
        page.click("#play-on")
        expect(page.locator("#status")).to_contain_text("leaves it. The cells around each 0 are opened.")
        expect(page.locator("#outcome")).to_have_text(won)
        page.check("#modes input[value=analyse]")


def test_a_board_can_be_pasted_after_a_choice(page):
    copy(page, "#1#")
    page.click("#modes label:has(input[value=analyse])")
    page.focus("#modes input[value=analyse]")
    page.keyboard.press("Control+v")
    expect(page.locator("#board .cell")).to_have_count(3)


def test_keys_act_on_the_cell_with_the_focus_after_a_board_of_the_same_size_is_pasted(page):
    page.check("#modes input[value=analyse]")
    paste(page, "###/1##/###")
    shows(page, "###/1##/###")
    copy(page, "###/##1/###")
    cell(page, 1, 1).focus()
    page.keyboard.press("Control+v")
    expect(cell(page, 0, 0)).to_be_focused()
    page.keyboard.press("f")
    shows(page, "F##\n##1\n###")


def test_keys_go_on_acting_on_a_board_that_gets_another_size(page):
    page.check("#modes input[value=analyse]")
    paste(page, "###/1##/###")
    shows(page, "###/1##/###")
    expect(cell(page, 0, 0)).to_be_focused()
    cell(page, 2, 2).focus()
    page.keyboard.press("Control+z")
    expect(page.locator("#board .cell")).to_have_count(81)
    expect(cell(page, 2, 2)).to_be_focused()
    page.check("#modes input[value=play]")
    write(page, "#game-rows", 2)
    cell(page, 8, 4).focus()
    page.keyboard.press("n")
    expect(page.locator("#board .cell")).to_have_count(18)
    expect(cell(page, 1, 4)).to_be_focused()
    page.keyboard.press("ArrowLeft")
    expect(cell(page, 1, 3)).to_be_focused()


def test_why_a_board_was_refused_is_said_until_the_next_change(page):
    asked = []
    page.route("**/api/analyse", lambda route: asked.append(route))
    with page.expect_request("**/api/analyse"):
        page.evaluate(DROP, ["", CONFLICT])
    page.evaluate(DROP, ["", "no board"])
    expect(page.locator("#refused")).to_be_visible()
    for one in asked:
        one.continue_()
    expect(page.locator("#problem")).to_contain_text("No mine assignment")
    expect(page.locator("#refused")).to_be_visible()
    page.unroute("**/api/analyse")
    cell(page, 0, 0).click()
    expect(page.locator("#refused")).to_be_hidden()


@pytest.mark.parametrize(("form", "start"), [("text", b"mines: 1"), ("json", b"{"), ("mine", b"3x1x1"), ("cnf", b"c ")])
def test_a_board_is_saved(saved, page, form, start):
    put(page, "mines: 1\n#1#")
    page.select_option("#form", form)
    assert saved(page, "#save")[1].startswith(start)


def test_a_link_brings_the_position_back(opened, page, address):
    page.select_option("#example", "An expert game")
    expect(page.locator("#board .cell.safe")).to_have_count(47)
    board, link = text(page), page.input_value("#link")
    assert link.startswith(address + "#board=-------------1002")
    assert Board.parse(board).mines == 99
    other = opened(link.removeprefix(address))
    expect(other.locator("#board .cell.safe")).to_have_count(47)
    assert text(other) == board
    assert other.locator("#palette input:checked").get_attribute("value") == "open"
    broken = opened("#board=<script>")
    shows(broken, "mines: 10\n" + "#########\n" * 9)
    expect(broken.locator("#refused")).to_be_visible()
    expect(broken.locator("#refused")).to_contain_text("The link holds no position")


def test_a_link_in_the_address_bar_ends_a_game(page):
    start(page, 2, 4, 1)
    page.evaluate("location.hash = '#board=--1&mines=1'")
    shows(page, "mines: 1\n##1\n")
    expect(page.locator("#board .cell")).to_have_count(3)
    start(page, 2, 4, 1)
    page.evaluate("location.hash = '#learn=1'")
    expect(page.locator("#lesson-title")).to_have_text("1. The pattern 1-2-1")
    expect(page.locator("#board .cell.mine")).to_have_count(2)
    page.evaluate("location.hash = '#board=<'")
    expect(page.locator("#refused")).to_contain_text("The link holds no position")


def test_only_the_last_of_quick_changes_is_answered(page):
    put(page, "mines: 3\n####\n####\n####")
    delayed = []

    def delay(route):
        delayed.append(route.request.post_data)
        if len(delayed) == 1:
            page.wait_for_timeout(300)
        route.continue_()

    page.route("**/api/analyse", delay)
    cell(page, 0, 0).focus()
    page.keyboard.press("1")
    page.wait_for_timeout(200)
    page.keyboard.press("3")
    expect(cell(page, 0, 1)).to_have_attribute("aria-label", "row 0, column 1: closed, certainly a mine")
    page.wait_for_timeout(400)
    expect(cell(page, 0, 1)).to_have_attribute("aria-label", "row 0, column 1: closed, certainly a mine")


def test_a_large_board_is_drawn_once_and_then_only_where_it_changes(opened):
    page = opened("#board=" + "/".join(["-" * 100] * 100) + "&mines=2000")
    expect(cell(page, 99, 99)).to_have_text("20")
    count = "new MutationObserver((all) => { window.drawn += all.length; })"
    page.evaluate(
        f"window.drawn = 0; {count}.observe(document.getElementById('board'), {{subtree: true, childList: true}})"
    )
    cell(page, 50, 50).click()
    expect(page.locator("#board .safe")).to_have_count(8)
    assert 9 <= page.evaluate("window.drawn") < 30


def test_a_busy_server_is_asked_again(page):
    asked = []

    def busy(route):
        asked.append(1)
        if len(asked) == 1:
            route.fulfill(status=503, headers={"Retry-After": "1"}, json={"error": "busy", "kind": "busy"})
        else:
            route.continue_()

    page.route("**/api/analyse", busy)
    cell(page, 0, 0).click()
    expect(page.locator("#status")).to_contain_text("asking again in 1 s")
    expect(page.locator("#status")).to_contain_text("column")
    assert len(asked) == 2


def test_a_server_that_is_starting_says_so_and_then_answers(page):
    asked = []

    def preparing(route):
        asked.append(1)
        if len(asked) < 3:
            said = {"error": "The engine is starting; ask again in a second.", "kind": "preparing"}
            route.fulfill(status=503, headers={"Retry-After": "1"}, json=said)
        else:
            route.continue_()

    page.route("**/api/analyse", preparing)
    cell(page, 0, 0).click()
    expect(page.locator("#status")).to_have_text("The engine is starting; ask again in a second.")
    expect(page.locator("#status")).to_contain_text("column")
    assert len(asked) == 3


def test_a_server_that_did_not_answer_is_asked_again(page):
    page.route("**/api/analyse", lambda route: route.abort())
    cell(page, 0, 0).click()
    expect(page.locator("#problem")).to_have_text("The server does not answer; is it still running?")
    page.unroute("**/api/analyse")
    expect(page.locator("#status")).to_contain_text("column")
    expect(page.locator("#problem")).to_be_hidden()


def test_a_server_that_did_not_say_which_totals_there_are_is_asked_again(page):
    put(page, "#1#/#1#")
    page.route("**/api/totals", lambda route: route.abort())
    page.click("#totals summary")
    expect(page.locator("#totals-list")).to_have_text("The server does not answer; is it still running?")
    page.unroute("**/api/totals")
    expect(page.locator("#totals-list")).to_have_text("Only 1 mine is possible.")


# Learn


def test_the_lessons_are_shown_one_after_the_other(opened):
    page = opened("#learn=1")
    expect(page.locator("#lesson-title")).to_have_text("1. The pattern 1-2-1")
    expect(page.locator("#proof")).to_contain_text("Row 1, column 1 is safe")
    expect(page.locator("#board .cell.mine")).to_have_count(2)
    page.click("#lesson-next")
    expect(page.locator("#best")).to_contain_text("wins 50.0%")
    expect(page.locator("#board .dead")).to_have_count(2)
    expect(page.locator("#lesson-next")).to_be_focused()
    page.click("#lesson-next")
    expect(page.locator("#board .even")).to_have_count(2)
    expect(page.locator("#lesson-next")).to_be_hidden()
    page.click("#lesson-end")
    expect(page.locator("#lesson")).to_be_hidden()
    page.click("#learn summary")
    page.click("#lessons a >> nth=0")
    expect(page.locator("#lesson")).to_be_visible()
    page.select_option("#example", index=1)
    expect(page.locator("#lesson")).to_be_hidden()  # of another position


# Play


def start(page, rows, cols, mines, **values):
    page.locator("#modes label", has_text="Play").click()
    for name, value in {"game-rows": rows, "game-cols": cols, "game-mines": mines, **values}.items():
        write(page, f"#{name}", value)
    page.locator("#deal button").click()


def test_a_game_is_won_by_hints(page):
    start(page, 9, 9, 10, seed=3)
    cell(page, 4, 4).click()
    expect(page.locator("#status")).to_have_text("")
    expect(cell(page, 4, 4)).to_have_class("cell open digit-0")
    page.click("#hint")
    expect(page.locator("#advice")).to_contain_text("Row")
    expect(page.locator("#proof")).to_contain_text("Row")
    expect(page.locator("#board .best")).to_have_count(1)
    before = page.locator("#board .open").count()
    page.locator("#board .best").click()
    expect(page.locator("#board .best")).to_have_count(0)
    expect(page.locator("#advice")).to_have_text("")  # it was of the position before
    assert page.locator("#board .open").count() > before


def test_a_player_who_loads_the_page_again_still_plays_and_keeps_the_statistics(page, address):
    start(page, 5, 5, 2, seed=1)
    page.click("#auto")
    expect(page.locator("#outcome")).to_have_text("Won!")
    page.reload()
    expect(page.locator("#modes input[value=play]")).to_be_checked()
    expect(page.locator("#statistics")).to_contain_text("1 game, 1 won (100%); 1 with help.")
    page.goto("about:blank")
    page.go_back()
    expect(page.locator("#modes input[value=play]")).to_be_checked()
    page.goto("about:blank")
    page.goto(f"{address}#board=-1-")
    for _ in range(2):
        expect(page.locator("#modes input[value=analyse]")).to_be_checked()  # a link is a position to analyse
        page.reload()


def test_a_player_who_loads_the_page_again_goes_on_with_the_game(page):
    def seen():
        return [page.inner_text(one) for one in ("#board", "#left", "#dealt", "#outcome", "#statistics")]

    start(page, 9, 9, 10, seed=3)
    cell(page, 0, 0).click(button="right")
    page.reload()
    expect(page.locator("#board .flag")).to_have_count(1)  # no mine was laid yet
    cell(page, 4, 4).click()
    expect(page.locator("#time")).not_to_have_text("0")
    before, seconds = seen(), int(page.inner_text("#time"))
    assert before[1:3] == ["9", "Seed 3 gives this game again if row 4, column 4 is opened first."]
    page.reload()
    expect(page.locator("#board .open")).not_to_have_count(0)
    assert seen() == before
    assert int(page.inner_text("#time")) >= seconds
    page.click("#auto")
    expect(page.locator("#outcome")).to_have_text("Won!")
    before = [*seen(), page.inner_text("#time")]
    page.reload()
    expect(page.locator("#outcome")).to_have_text("Won!")
    assert [*seen(), page.inner_text("#time")] == before
    page.click("#again")
    expect(page.locator("#board .open")).to_have_count(0)


FILL = """() => {
    let text = "x".repeat(2 ** 23);
    for (let n = 0; text; n++) {
        try { sessionStorage.setItem(`full ${n}`, text); } catch { text = text.slice(text.length / 2 + 0.5); }
    }
}"""


def test_a_browser_that_keeps_no_more_for_a_visit_stops_nothing(page):
    page.evaluate(FILL)
    start(page, 4, 4, 2, seed=1)
    page.click("#auto")
    expect(page.locator("#statistics")).to_contain_text("1 game,")
    page.locator("#modes label", has_text="Analyse").click()
    cell(page, 0, 0).click()
    expect(page.locator("#status")).to_contain_text("in every layout")


def test_a_page_that_is_loaded_again_has_its_form_and_marks(page):
    start(page, 1, 5, 2, seed=3)
    page.select_option("#rule", "safe")
    page.locator("#deal button").click()
    page.check("#coach")
    cell(page, 0, 0).click()
    expect(page.locator("#board .open")).to_have_count(1)
    cell(page, 0, 2).click()
    expect(page.locator("#marks li")).to_have_count(1)
    assert page.inner_text("#status") == page.inner_text("#marks li")  # above the board, too
    mark = page.locator("#marks").inner_html()
    page.click("#flagging")
    page.reload()
    expect(page.locator("#marks li")).to_have_count(1)
    assert page.locator("#marks").inner_html() == mark
    assert page.is_checked("#coach")
    expect(page.locator("#flagging")).to_have_attribute("aria-pressed", "true")
    values = [page.input_value(f"#{one}") for one in ("level", "game-rows", "game-cols", "game-mines", "rule", "seed")]
    assert values == ["", "1", "5", "2", "safe", "3"]
    page.click("#again")
    expect(page.locator("#board .cell")).to_have_count(5)
    expect(page.locator("#marks")).to_be_hidden()


def test_a_hint_that_does_not_come_is_not_waited_for(page):
    start(page, 4, 4, 3)
    with page.expect_request("**/api/analyse"):
        page.route("**/api/analyse", lambda route: None)
        page.click("#hint")
    expect(page.locator("#advice")).to_have_text("Working it out …")
    cell(page, 0, 0).click()
    expect(page.locator("#board .open")).not_to_have_count(0)
    expect(page.locator("#advice")).to_have_text("")


def test_autoplay_of_a_game_ends_with_it(page):
    for seed in (60, 80):
        start(page, 16, 16, 40, seed=seed)
        cell(page, 8, 8).click()
        expect(page.locator("#board .open")).not_to_have_count(0)
        opened = page.locator("#board .open").count()
        if seed == 80:
            page.route("**/api/analyse", lambda route: None)  # this game's run has to wait
        page.fill("#speed", "1")
        page.click("#auto")
        if seed == 60:
            expect(page.locator("#board .open")).not_to_have_count(opened)  # and sleeps for a second now
    page.wait_for_timeout(1200)
    expect(page.locator("#board .open")).to_have_count(opened)
    expect(page.locator("#auto")).to_have_attribute("aria-pressed", "true")


def test_what_is_waited_for_in_a_game_is_said_above_the_board(page):
    held = []
    page.route("**/api/*", lambda route: held.append(route))
    start(page, 9, 9, 10, seed=1)
    cell(page, 4, 4).click()
    expect(page.locator("#status")).to_have_text("Placing the mines …")
    held.pop().continue_()
    expect(page.locator("#board .open")).not_to_have_count(0)
    expect(page.locator("#status")).to_have_text("")
    page.click("#hint")
    expect(page.locator("#status")).to_have_text("Working it out …")
    held.pop().continue_()
    expect(page.locator("#status")).not_to_have_text("Working it out …")


def test_a_cell_flagged_while_its_mines_are_placed_is_opened_all_the_same(page):
    held = []
    page.route("**/api/deal", lambda route: held.append(route))
    start(page, 9, 9, 10, seed=1)
    with page.expect_request("**/api/deal"):
        cell(page, 4, 4).click()
    cell(page, 4, 4).click(button="right")
    expect(page.locator("#board .flag")).to_have_count(1)
    held.pop().continue_()
    expect(page.locator("#board .open")).not_to_have_count(0)
    expect(page.locator("#board .flag")).to_have_count(0)


def test_autoplay_waits_for_a_board_that_is_looked_for(page):
    held = []
    page.route("**/api/deal", lambda route: held.append(route))
    page.locator("#modes label", has_text="Play").click()
    page.select_option("#guesses", "easy")
    start(page, 9, 9, 10, seed=1)
    cell(page, 4, 4).click()
    page.click("#auto")
    expect(page.locator("#advice")).not_to_have_text("")  # it wants to open a cell, and waits with the first one
    page.wait_for_timeout(300)
    expect(page.locator("#auto")).to_have_attribute("aria-pressed", "true")
    held.pop().continue_()
    expect(page.locator("#outcome")).to_have_text("Won!")


def test_autoplay_ends_a_game_and_the_statistics_count_it(page):
    start(page, 5, 5, 2, seed=1)
    page.fill("#speed", "10")
    page.click("#auto")
    expect(page.locator("#outcome")).to_have_text("Won!")
    expect(page.locator("#statistics")).to_contain_text("1 game, 1 won (100%); 1 with help.")
    expect(page.locator("#auto")).to_have_attribute("aria-pressed", "false")
    page.click("#again")
    expect(page.locator("#outcome")).to_have_text("")
    expect(page.locator("#board .open")).to_have_count(0)


def test_an_answer_of_the_analysis_does_not_come_into_a_game(page):
    asked = []
    page.route("**/api/analyse", lambda route: asked.append(route))
    with page.expect_request("**/api/analyse"):
        cell(page, 0, 0).click()
    start(page, 2, 4, 1)
    asked[0].fulfill(json={"error": "late"})
    page.evaluate("fetch('palette.css').then((answer) => answer.text())")  # which is later still
    expect(page.locator("#board .cell")).to_have_count(8)
    expect(page.locator("#problem")).to_be_hidden()


def test_flags_chords_and_a_loss(page):
    start(page, 2, 4, 1)
    page.locator("#modes label", has_text="Analyse").click()
    game = bytes([4, 2, 0, 1, 0, 0])
    page.set_input_files("#file", {"name": "a.mbf", "mimeType": "application/octet-stream", "buffer": game})
    expect(page.locator("#board .cell")).to_have_count(8)
    cell(page, 0, 1).click()
    cell(page, 1, 1).click()
    cell(page, 1, 0).click(button="right")
    expect(page.locator("#left")).to_have_text("0")
    cell(page, 0, 1).click()
    expect(page.locator("#outcome")).to_have_text("Lost.")
    expect(page.locator("#board .wrong")).to_have_count(1)
    expect(page.locator("#board .burst")).to_have_count(1)
    page.click("#hint")
    expect(page.locator("#status")).to_contain_text("is over")
    page.click("#inspect")
    shows(page, "mines: 1\n#1##\nF1##\n")  # the last one with a choice


def test_help_of_every_kind_is_counted(page):
    for number, aid in enumerate(("#coach", "#inspect"), start=1):
        start(page, 9, 9, 10, seed=3)
        cell(page, 4, 4).click()
        page.click(aid)
        page.locator("#modes label", has_text="Play").click()
        if aid == "#coach":
            page.locator("#board .closed:not(.flag)").first.click()
            expect(page.locator("#advice")).not_to_be_empty()
            page.click(aid)
        page.click("#auto")
        expect(page.locator("#outcome")).not_to_be_empty()
        expect(page.locator("#statistics")).to_contain_text(f"{number} with help")


def test_a_level_waits_for_the_end_of_a_game_and_a_game_needs_a_first_cell(page):
    start(page, 9, 9, 10, seed=3)
    page.select_option("#level", "16,16,40")
    expect(page.locator("#board .cell")).to_have_count(256)  # nothing was opened yet
    cell(page, 4, 4).click()
    expect(cell(page, 4, 4)).to_have_class(re.compile("open"))
    page.select_option("#level", "9,9,10")
    expect(page.locator("#board .cell")).to_have_count(256)
    write(page, "#game-mines", 78)
    page.locator("#deal button").click()
    expect(page.locator("#refused")).to_contain_text("77 is the most")
    expect(page.locator("#board .cell")).to_have_count(256)
    write(page, "#game-mines", 77)
    page.locator("#deal button").click()
    expect(page.locator("#board .cell")).to_have_count(81)


def test_a_hint_for_the_first_cell_heeds_the_rule(page):
    start(page, 9, 9, 10)
    page.click("#hint")
    expect(page.locator("#advice")).to_contain_text("Row 2, column 2: opening book: the first cell shows 0")
    start(page, 3, 3, 5)
    page.click("#auto")
    expect(page.locator("#outcome")).not_to_be_empty()


def test_a_hint_scrolls_to_its_cell(phone):
    start(phone, 60, 60, 700, seed=2)
    cell(phone, 0, 0).click()
    phone.evaluate("document.getElementById('scroller').scrollTo(9999, 9999)")
    expect(cell(phone, 0, 0)).not_to_be_in_viewport()
    phone.click("#hint")
    expect(phone.locator("#board .best")).to_be_in_viewport(ratio=1)


def test_the_coach_marks_a_needless_guess(page):
    page.set_input_files(
        "#file", {"name": "a.mbf", "mimeType": "application/octet-stream", "buffer": bytes([4, 4, 0, 1, 0, 0])}
    )
    expect(page.locator("#board .cell")).to_have_count(16)
    page.check("#coach")
    cell(page, 3, 3).click()
    expect(page.locator("#outcome")).to_have_text("Won!")
    page.set_input_files(
        "#file", {"name": "a.mbf", "mimeType": "application/octet-stream", "buffer": bytes([5, 1, 0, 2, 0, 0, 4, 0])}
    )
    expect(page.locator("#board .cell")).to_have_count(5)  # a click on the game before would be lost
    cell(page, 0, 1).click()
    expect(page.locator("#board .open")).to_have_count(1)
    cell(page, 0, 3).click()
    expect(page.locator("#marks li")).to_have_count(1)
    expect(page.locator("#advice")).to_contain_text("Row 0, column 3")


def test_moves_are_marked_in_their_order_whatever_the_order_of_the_answers(page):
    page.set_input_files(
        "#file", {"name": "a.mbf", "mimeType": "application/octet-stream", "buffer": bytes([5, 1, 0, 2, 0, 0, 4, 0])}
    )
    page.check("#coach")
    cell(page, 0, 1).click()
    expect(page.locator("#board .open")).to_have_count(1)
    held = []
    page.route("**/api/analyse", lambda route: held.append(route))
    for column in (3, 4):
        cell(page, 0, column).click()
    expect(page.locator("#outcome")).to_have_text("Lost.")
    later = held.pop()
    with page.expect_response("**/api/analyse"):
        later.continue_()
    expect(page.locator("#marks li")).to_have_count(0)
    held.pop().continue_()
    expect(page.locator("#marks li")).to_contain_text(["Row 0, column 4", "Row 0, column 3"])
    expect(page.locator("#advice")).to_contain_text("Row 0, column 4")


def test_a_move_that_could_not_be_marked_is_told(page):
    start(page, 4, 4, 2, seed=1)
    page.check("#coach")
    cell(page, 0, 0).click()
    expect(page.locator("#board .open")).not_to_have_count(0)
    page.route("**/api/analyse", lambda route: route.abort())
    page.locator("#board .cell.closed").first.click()
    expect(page.locator("#problem")).to_have_text(
        "This move is not marked. The server does not answer; is it still running?"
    )


def test_the_same_seed_gives_the_same_game_and_no_guess_boards_need_none(page):
    boards = []
    for _ in range(2):
        start(page, 9, 9, 10, seed=7)
        cell(page, 0, 0).click()
        expect(page.locator("#board .open")).not_to_have_count(0)
        boards.append(page.locator("#board").inner_text())
    assert boards[0] == boards[1]
    expect(page.locator("#dealt")).to_have_text("Seed 7 gives this game again if row 0, column 0 is opened first.")
    page.select_option("#guesses", "medium")
    write(page, "#seed", "")
    page.locator("#deal button").click()
    page.fill("#speed", "10")
    cell(page, 4, 4).click()
    expect(page.locator("#board .open")).not_to_have_count(0)
    expect(page.locator("#dealt")).to_contain_text("it needs no guess and is medium.")
    page.click("#auto")
    expect(page.locator("#outcome")).to_have_text("Won!")


def test_a_game_is_analysed(page):
    start(page, 9, 9, 10, seed=3)
    cell(page, 4, 4).click()
    expect(page.locator("#board .open")).not_to_have_count(0)
    page.click("#inspect")
    expect(page.locator("#count")).not_to_have_text("–")
    assert text(page).startswith("mines: 10\n")


def test_a_game_is_saved_and_opened_again(saved, page, tmp_path):
    start(page, 4, 4, 1)
    page.click("#save-game")
    expect(page.locator("#refused")).to_contain_text("no game to save")
    page.set_input_files(
        "#file", {"name": "a.mbf", "mimeType": "application/octet-stream", "buffer": bytes([5, 1, 0, 2, 0, 0, 4, 0])}
    )
    expect(page.locator("#board .cell")).to_have_count(5)
    cell(page, 0, 0).click(button="right")
    cell(page, 0, 2).click()
    expect(page.locator("#board .open")).to_have_count(3)
    expect(page.locator("#outcome")).to_have_text("Won!")
    for form in ("rawvf", "mbf", "json", "text", "mine"):
        page.select_option("#game-form", form)
        name, content = saved(page, "#save-game")
        (tmp_path / name).write_bytes(content)
    assert [move.cell for move in read_replay(tmp_path / "game.rawvf").moves] == [(0, 2)]
    assert read_board_file(tmp_path / "game.rawvf").grid == ("F101#",)
    assert (tmp_path / "board.mbf").read_bytes() == bytes([5, 1, 0, 2, 0, 0, 4, 0])
    for suffix in ("json", "txt", "mine"):
        assert read_board_file(tmp_path / f"board.{suffix}").grid == ("F101F",)
    page.set_input_files("#file", tmp_path / "game.rawvf")
    shows(page, "mines: 2\nF101#")


def replayed(page, *game):
    """Open a replay: where the mines are and what was clicked."""
    page.set_input_files("#file", {"name": "a.rawvf", "mimeType": "text/plain", "buffer": to_rawvf(*game).encode()})


def test_the_coach_judges_a_chord_as_a_whole(page):
    page.locator("#modes label", has_text="Play").click()
    page.select_option("#rule", "safe")
    start(page, 3, 3, 4, seed=2)
    page.check("#coach")
    cell(page, 1, 1).click()
    for wrong in ((0, 0), (0, 1), (0, 2), (2, 0)):
        cell(page, *wrong).click(button="right")
    cell(page, 1, 1).click()
    expect(page.locator("#marks li")).to_have_count(1)
    expect(page.locator("#advice")).to_contain_text("The chord at row 1, column 1 was a guess, a mine with 98.6%")
    expect(page.locator("#advice")).to_contain_text("row 2, column 1 and row 2, column 2 were mines.")
    expect(page.locator("#board .burst")).to_have_count(4)
    expect(page.locator("#problem")).to_be_hidden()


def test_a_replay_that_a_chord_has_lost_shows_the_mine(page):
    head, events, _ = to_rawvf(Board.from_layout(3, 3, [(0, 2)]), [(1, 1)]).partition("Events:\n")
    middle, corner = "2 2 (24 24)", "1 1 (8 8)"
    buttons = [f"{a}{b} {at}" for a, at in (("l", middle), ("r", corner), ("m", middle)) for b in "cr"]
    text = head + events + "".join(f"{second}.0 {what}\n" for second, what in enumerate(buttons))
    page.set_input_files("#file", {"name": "a.rawvf", "mimeType": "text/plain", "buffer": text.encode()})
    expect(page.locator("#proof")).to_contain_text("Here the game is lost")
    [burst] = page.locator("#board .burst").all()
    assert (burst.get_attribute("data-r"), burst.get_attribute("data-c")) == ("0", "2")


def test_undo_and_redo_go_through_a_replay_and_say_what_moved(page):
    replayed(page, Board.from_layout(1, 6, [(0, 2), (0, 4)]), [(0, 0), (0, 3), (0, 2)])
    told, moved = page.locator("#proof"), page.locator("#board .moved")
    shows(page, "mines: 2\n01*2##")
    expect(page.locator("#board .burst.moved")).to_have_count(1)
    expect(told).to_have_text(
        "Move 3 of 3: row 0, column 2. Here the game is lost: Undo and Redo go from move to move."
    )
    for board, column in (("01#2##", 3), ("01####", 0)):
        page.click("#undo")
        shows(page, f"mines: 2\n{board}")
        expect(told).to_contain_text(f"of 3: row 0, column {column}.")
        assert moved.get_attribute("data-c") == str(column)
    expect(page.locator("#step")).to_have_text("1 of 3")
    page.click("#undo")
    expect(told).to_have_text("Before the first of 3 moves.")
    expect(moved).to_have_count(0)
    page.click("#redo")
    shows(page, "mines: 2\n01####")
    cell(page, 0, 5).click(button="right")  # from here on it is the reader's position
    shows(page, "mines: 2\n01###F")
    expect(moved).to_have_count(0)
    expect(told).to_contain_text("Why?")
    page.click("#undo")
    expect(told).to_have_text("Move 1 of 3: row 0, column 0.")
    expect(moved).to_have_count(1)


def test_a_page_that_is_loaded_again_can_undo(page):
    replayed(page, Board.from_layout(1, 6, [(0, 2), (0, 4)]), [(0, 0), (0, 3), (0, 2)])
    shows(page, "mines: 2\n01*2##")
    page.click("#undo")
    shows(page, "mines: 2\n01#2##")
    page.reload()
    expect(page.locator("#proof")).to_have_text("Move 2 of 3: row 0, column 3.")
    page.click("#redo")
    shows(page, "mines: 2\n01*2##")
    cell(page, 0, 5).click(button="right")
    shows(page, "mines: 2\n01*2#F")
    page.reload()
    for _ in range(4):
        page.click("#undo")
    expect(page.locator("#proof")).to_have_text("Before the first of 3 moves.")
    shows(page, "mines: 2\n######")


def test_a_replay_without_a_move_is_a_new_game_with_its_flags(page):
    replayed(page, Board.from_layout(1, 6, [(0, 2), (0, 4)]), [(0, 2, "r", 0.5), (0, 5, "r", 1.5)])
    expect(page.locator("#status")).to_have_text("The file says where the mines are: this is a new game on them.")
    expect(page.locator("#board .flag")).to_have_count(2)
    expect(page.locator("#left")).to_have_text("0")
    cell(page, 0, 5).click(button="right")
    page.click("#inspect")
    expect(page.locator("#best")).not_to_contain_text("as the first cell")  # its mines lie already
    expect(page.locator("#best")).to_contain_text("a mine with")
    cell(page, 0, 5).click(button="right")
    expect(page.locator("#best")).to_contain_text("a mine with")
    page.locator("#modes label", has_text="Play").click()
    cell(page, 0, 0).click()
    expect(page.locator("#board .open")).to_have_count(2)
    expect(page.locator("#board .flag")).to_have_count(1)
    expect(page.locator("#status")).to_have_text("")


def test_all_of_many_moves_are_there_and_scrolled_to(page):
    cells = [(r, c) for r in range(40) for c in range(40)]
    mines, opened = ([cell for cell in cells if sum(cell) % 2 == odd] for odd in (1, 0))
    replayed(page, Board.from_layout(40, 40, mines), opened)
    told = page.locator("#proof")
    expect(told).to_contain_text("Move 800 of 800: row 39, column 39.")
    expect(page.locator("#board .moved")).to_be_in_viewport(ratio=1)
    page.locator("#undo").evaluate("one => { for (let i = 0; i < 780; i++) one.click(); }")
    expect(told).to_have_text("Move 20 of 800: row 0, column 38.")
    expect(page.locator("#board .moved")).to_be_in_viewport(ratio=1)
    page.locator("#undo").evaluate("one => { for (let i = 0; i < 20; i++) one.click(); }")
    expect(told).to_have_text("Before the first of 800 moves.")


# Phones, looks


SHIFTS = """() => {
  window.shifts = [];
  new PerformanceObserver((list) => {
    window.shifts.push(...list.getEntries().map((one) => one.value));
  }).observe({type: "layout-shift", buffered: true});
}"""


@pytest.mark.parametrize("size", [WIDE, PHONE], ids=["wide", "phone"])
def test_nothing_jumps_while_the_page_is_loaded(chromium_only, opened, size):
    chromium_only("Firefox does not measure layout shifts")
    page = opened(viewport=size)
    page.evaluate(SHIFTS)
    page.wait_for_function("() => new Promise((then) => requestAnimationFrame(() => setTimeout(() => then(true))))")
    assert page.evaluate("window.shifts.reduce((all, one) => all + one, 0)") < 0.02


TAPS = "Playwright cannot touch Firefox, and what Firefox itself does with a finger (click, scroll) cannot be made up"
TOUCHES = """([kind, points]) => {
  if (kind === "touchstart") window.touched = document.elementFromPoint(...points[0]);
  const touches = points.map(([x, y], i) => new Touch({identifier: i, target: window.touched, clientX: x, clientY: y}));
  window.touched.dispatchEvent(new TouchEvent(kind, {touches, bubbles: true, cancelable: true}));
}"""


class Fingers:
    """Fingers on the screen, as Chromium itself gets them: it scrolls, clicks and zooms by them.

    Firefox's page is given the events alone.
    """

    def __init__(self, page):
        chromium = page.context.browser.browser_type.name == "chromium"
        self._page, self._session = page, page.context.new_cdp_session(page) if chromium else None

    def drag(self, *ways, rested=lambda: None):
        """Move one finger along each way, all at once, once it has rested; a way is a list of points."""
        for step, points in enumerate(zip(*ways, strict=True)):
            self._send("touchMove" if step else "touchStart", points)
            if not step:
                rested()
        self._send("touchEnd", [])

    def _send(self, kind, points):
        if self._session is None:
            self._page.evaluate(TOUCHES, [kind.lower(), points])
            return
        touches = [{"x": x, "y": y, "id": i} for i, (x, y) in enumerate(points)]
        self._session.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": touches})


def way(page, start, end, steps=12):
    """The way of a finger from a cell to another, from the top of the page."""
    page.evaluate("scrollTo(0, 0)")
    boxes = [cell(page, *one).bounding_box() for one in (start, end)]
    (x, y), (u, v) = ((box["x"] + box["width"] / 2, box["y"] + box["height"] / 2) for box in boxes)
    return [(x + (u - x) * i / max(1, steps), y + (v - y) * i / max(1, steps)) for i in range(steps + 1)]


def scrolled(page):
    """How far the board is scrolled."""
    return page.evaluate("(({scrollLeft, scrollTop}) => [scrollLeft, scrollTop])(document.getElementById('scroller'))")


REST = """() => {
  window.rest = new Promise((then) => { document.getElementById("scroller").addEventListener("scrollend", then); });
}"""


def test_no_window_opens_on_a_cell_that_comes_to_where_a_finger_was(chromium_only, phone):
    """Chromium makes up a mouse there, once the page has changed."""
    chromium_only(TAPS)
    phone.check("input[value=play]", force=True)
    phone.select_option("#level", "16,16,40")
    write(phone, "#seed", 17)
    phone.click("#deal button")
    cell(phone, 7, 7).tap()
    expect(phone.locator("#left")).not_to_have_text("")
    phone.locator("#inspect").scroll_into_view_if_needed()
    phone.wait_for_timeout(500)
    phone.locator("#inspect").tap()
    expect(phone.locator("#facts")).to_be_visible()
    phone.wait_for_timeout(2_000)
    assert not phone.is_visible("#tip")
    Fingers(phone).drag(
        way(phone, (0, 0), (0, 0), steps=0), rested=lambda: expect(phone.locator("#tip")).to_be_visible()
    )
    phone.locator("#legend").tap()
    expect(phone.locator("#tip")).to_be_hidden()


def test_a_tap_opens_or_puts_the_sign(chromium_only, phone):
    chromium_only(TAPS)
    put(phone, "mines: 2\n#1###")
    cell(phone, 0, 2).tap()
    shows(phone, "mines: 2\n#10##\n")
    phone.locator("#palette label", has_text="3").click()
    cell(phone, 0, 4).tap()
    shows(phone, "mines: 2\n#10#3\n")


def test_a_long_press_tells(phone):
    put(phone, "mines: 2\n#1###")
    told = phone.locator("#proof", has_text="column 3")
    Fingers(phone).drag(way(phone, (0, 3), (0, 3), steps=0), rested=lambda: expect(told).to_be_visible())
    expect(phone.locator("#tip")).to_contain_text("row 0, column 3")
    shows(phone, "mines: 2\n#1###\n")


def test_what_is_told_of_a_cell_is_in_view(chromium_only, phone):
    chromium_only(TAPS)
    for board in ("\n".join(["#" * 9] * 9), "\n".join(["#" * 16] * 30)):
        put(phone, f"mines: 10\n{board}")
        phone.locator("#palette label", has_text="Why?").click()
        cell(phone, 0, 3).tap()
        expect(phone.locator("#proof")).to_contain_text("Row 0, column 3 holds a mine with probability")
        expect(phone.locator("#told")).to_be_in_viewport(ratio=0.98)
        expect(cell(phone, 0, 3)).to_be_in_viewport(ratio=1)


PRINTED = """dispatchEvent(new Event("beforeprint")),
  Math.max(...Array.from(document.querySelectorAll("section table:has(td[title])"), (board) =>
    board.getBoundingClientRect().width))"""


def test_a_board_of_the_coachs_report_begins_where_the_click_is(chromium_only, phone, tmp_path):
    chromium_only("Playwright has no phone for Firefox")
    layout = Board.from_layout(1, 60, [(0, 57), (0, 59)])
    judged = coach(replay_of(to_rawvf(layout, [(0, 58), (0, 57)])), rule="none")
    (tmp_path / "report.html").write_text(html_report([("a_game=" * 12, judged)]))
    phone.goto((tmp_path / "report.html").as_uri())
    assert judged.guesses
    for framed in phone.locator('td[style*="2px solid"]').all():
        expect(framed).to_be_in_viewport(ratio=1)
    for told in phone.get_by_text("Framed: the click").all():
        assert told.bounding_box()["x"] >= 0
    assert phone.evaluate("document.documentElement.scrollWidth <= innerWidth")
    assert phone.evaluate(PRINTED) <= 688  # A4 between margins of 0.4 inches, as on paper nothing scrolls
    phone.emulate_media(media="print")  # light letters of dark cells need their colour
    assert framed.evaluate("(cell) => getComputedStyle(cell).printColorAdjust") == "exact"


def test_a_finger_scrolls_without_a_sign(chromium_only, phone):
    chromium_only(TAPS)
    board = "\n".join(["#" * 30] * 16)
    put(phone, board)
    phone.evaluate(REST)
    Fingers(phone).drag(way(phone, (2, 12), (2, 3)))
    phone.evaluate("window.rest")  # after the finger has left, the board goes on for a while, often to its end
    shows(phone, board)
    assert scrolled(phone)[0] > 100


def test_a_finger_that_comes_back_to_the_board_paints_nothing_on_its_way(phone):
    board = "\n".join(["#" * 9] * 9)
    put(phone, board)
    phone.locator("#palette label", has_text="2").click()
    up, down = way(phone, (2, 1), (0, 1)), way(phone, (0, 7), (2, 7))
    above = [(x, up[-1][1] - 80) for x, _ in (up[-1], down[0])]
    Fingers(phone).drag([*up, *above, *down])
    row = "#2#####2#\n"
    shows(phone, row * 3 + ("#" * 9 + "\n") * 6)


PEN = """() => {
  const [first, last] = [1, 5].map((c) => document.querySelector(`#board .cell[data-r="1"][data-c="${c}"]`));
  const options = { bubbles: true, cancelable: true };
  const touch = (kind, cell) => {
    const { x, y, width } = cell.getBoundingClientRect();
    const one = new Touch({ identifier: 1, target: first, clientX: x + width / 2, clientY: y + width / 2 });
    const touches = kind === "touchend" ? [] : [one];
    first.dispatchEvent(new TouchEvent(kind, { ...options, touches, changedTouches: [one] }));
  };
  const pen = (kind) => first.dispatchEvent(new PointerEvent(kind, { ...options, pointerType: "pen", buttons: 1 }));
  pen("pointerdown");
  touch("touchstart", first);
  touch("touchmove", last);
  pen("pointerup");
  touch("touchend", last);
}"""


def test_a_pen_of_which_there_are_touches_too_paints_once(phone):
    put(phone, "#########\n#########")
    phone.locator("#palette label", has_text="2").click()
    phone.evaluate(PEN)
    shows(phone, "#########\n#22222###\n")


def test_a_finger_paints_with_a_sign(phone):
    board = "\n".join(["#" * 30] * 16)
    put(phone, board)
    phone.locator("#palette label", has_text="1").click()
    phone.evaluate("document.getElementById('scroller').scrollLeft = 120")
    fingers = Fingers(phone)
    fingers.drag(way(phone, (4, 14), (4, 12)))
    painted = board.splitlines()
    painted[4] = "#" * 12 + "111" + "#" * 15
    shows(phone, "\n".join(painted))
    assert scrolled(phone)[0] == 120
    phone.click("#undo")
    shows(phone, board)
    told = phone.locator("#proof", has_text="column 14")  # a long press, after which the finger paints all the same
    fingers.drag(way(phone, (4, 14), (4, 12)), rested=lambda: expect(told).to_be_visible())
    shows(phone, "\n".join(painted))


def test_two_fingers_zoom_and_move_the_board_under_them(phone):
    put(phone, "\n".join(["#" * 30] * 16))
    phone.locator("#palette label", has_text="1").click()
    before = cell(phone, 5, 6).bounding_box()
    fingers = Fingers(phone)
    fingers.drag(way(phone, (5, 5), (5, 3)), way(phone, (5, 7), (5, 9)))
    after = cell(phone, 5, 6).bounding_box()
    assert after["width"] > 1.5 * before["width"]
    middle, now = (box["x"] + box["width"] / 2 for box in (before, after))
    assert abs(now - middle) < before["width"]
    start = scrolled(phone)
    fingers.drag(way(phone, (5, 5), (7, 4)), way(phone, (5, 6), (7, 5)))
    assert scrolled(phone)[0] > start[0] + 20
    assert set(text(phone)) == {"#", "\n"}


def test_a_phone_shows_the_board_that_was_chosen_below_it(phone):
    board = phone.locator("#board")
    phone.locator("#learn summary").click()
    phone.locator("#lessons a").first.click()
    expect(phone.locator("#lesson")).to_be_visible()
    expect(board).to_be_in_viewport(ratio=1)
    start(phone, 9, 9, 10)
    expect(board).to_be_in_viewport(ratio=1)
    phone.click("#inspect")
    expect(phone.locator("#modes input[value=analyse]")).to_be_checked()
    expect(board).to_be_in_viewport(ratio=1)


def test_expert_fits_a_phone_and_zooms(phone):
    assert not phone.locator("#setup").is_visible()  # settings are folded
    phone.evaluate("document.getElementById('settings').open = true")
    phone.select_option("#example", "An expert game")
    phone.evaluate("document.getElementById('settings').open = false")
    expect(phone.locator("#board .cell.safe")).to_have_count(47)
    assert phone.evaluate("document.documentElement.scrollWidth") <= 390
    assert cell(phone, 0, 0).bounding_box()["width"] >= 24
    board = phone.locator("#scroller").bounding_box()
    assert board["height"] > 400
    assert board["y"] < 150
    phone.click("#whole")
    last = cell(phone, 0, 29).bounding_box()
    assert last["x"] + last["width"] <= 390
    phone.set_viewport_size({"width": 320, "height": 700})
    phone.click("#whole")
    narrow, scroller = cell(phone, 0, 29).bounding_box(), phone.locator("#scroller").bounding_box()
    assert narrow["x"] + narrow["width"] <= scroller["x"] + scroller["width"]
    phone.set_viewport_size({"width": 390, "height": 844})
    phone.click("#larger")
    assert cell(phone, 0, 29).bounding_box()["width"] > last["width"]
    small = phone.locator("button:visible, select:visible, .choice label:visible").evaluate_all(
        "all => all.filter(one => Math.min(one.clientWidth, one.clientHeight) < 24).map(one => one.outerHTML)"
    )
    assert not small


WHOLE = """({scrollWidth, scrollHeight, clientWidth, clientHeight}) =>
  scrollWidth <= clientWidth && scrollHeight <= clientHeight"""


def side(page):
    return cell(page, 0, 0).bounding_box()["width"]


def level(page, name):
    page.evaluate("document.getElementById('settings').open = true")
    page.select_option("#preset", label=name)


@pytest.mark.parametrize(("height", "sizes"), [(900, (40, 38, 28)), (650, (40, 24, 24))])
def test_the_rows_of_a_board_are_seen_unless_a_finger_needs_more(opened, height, sizes):
    page = opened(viewport={"width": 1280, "height": height})
    for name, size in zip(("Beginner", "Intermediate", "Expert"), sizes, strict=True):
        level(page, name)
        other_fonts = size == 28 and page.context.browser.browser_type.name == "firefox"
        assert side(page) == size - other_fonts
        assert page.locator("#scroller").evaluate(WHOLE) == (size > 24)


def test_fit_shows_all_of_a_board_and_of_the_next_one_however_often(opened):
    page = opened(viewport={"width": 1366, "height": 650})
    page.click("#whole")
    for name, size in (("Intermediate", 22), ("Beginner", 40), ("Expert", 22)):
        level(page, name)
        for _ in range(3):
            assert side(page) == size
            assert page.locator("#scroller").evaluate(WHOLE)
            page.click("#whole")


def test_a_board_is_printed_as_wide_as_the_paper_without_controls(chromium_only, opened):
    chromium_only("Firefox prints no page for Playwright")
    page = opened(dark=True)
    page.select_option("#example", "An expert game")
    expect(page.locator("#board .cell.safe")).to_have_count(47)
    page.emulate_media(media="print")
    for width, height in ((718, 1047), (1047, 718)):  # A4 within its margins
        page.set_viewport_size({"width": width, "height": height})
        for corner in (cell(page, 0, 0), cell(page, 15, 29)):
            expect(corner).to_be_in_viewport(ratio=1)
    for shown in ("#status", "#legend", "#facts"):
        expect(page.locator(shown)).to_be_visible()
    expect(page.locator(":is(button, input, select, textarea, summary):visible")).to_have_count(0)
    expect(page.locator("h1")).to_have_css("color", "rgb(27, 31, 36)")  # of a light page
    expect(cell(page, 0, 0)).to_have_css("print-color-adjust", "exact")


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
def test_forced_colours_leave_what_cells_and_choices_say(chromium_only, opened, dark):
    chromium_only("Playwright cannot force Firefox's colours")
    page = opened(dark=dark, forced_colors="active")
    put(page, "mines: 2\n#1###")
    expect(page.locator("#board .best")).not_to_have_css("box-shadow", "none")
    expect(page.locator("#ramp")).not_to_have_css("background-image", "none")
    analyse, flags = page.locator("#modes label", has_text="Analyse"), page.locator("#flagging")
    chosen = analyse.screenshot()
    start(page, 9, 9, 10, seed=3)
    assert analyse.screenshot() != chosen
    cell(page, 4, 4).click()
    blank, closed = page.locator("#board .digit-0").first, page.locator("#board .closed")
    assert closed.nth(0).screenshot() == closed.nth(1).screenshot() != blank.screenshot()
    flags.click()
    page.mouse.move(5, 5)
    chosen = flags.screenshot()
    flags.click()
    page.mouse.move(5, 5)
    assert flags.screenshot() != chosen


CONTRAST = """() => {
  const canvas = document.createElement("canvas").getContext("2d", {willReadFrequently: true});
  const luminance = (colour) => {
    canvas.fillStyle = colour;
    canvas.fillRect(0, 0, 1, 1);
    const [r, g, b] = [...canvas.getImageData(0, 0, 1, 1).data].map((x) => x / 255)
      .map((x) => x <= 0.04045 ? x / 12.92 : ((x + 0.055) / 1.055) ** 2.4);
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  return [...document.querySelectorAll("#board .cell")].filter((cell) => cell.textContent).flatMap((cell) => {
    const paper = getComputedStyle(cell).backgroundColor;
    return [null, "::before", "::after"].map((part) => {
      const [a, b] = [luminance(getComputedStyle(cell, part).color), luminance(paper)].sort((x, y) => y - x);
      return [(a + 0.05) / (b + 0.05), cell.getAttribute("aria-label")];
    });
  }).sort((x, y) => x[0] - y[0])[0];
}"""


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
def test_all_that_cells_say_can_be_read(opened, dark):
    page = opened(dark=dark)
    for board in ("012345678\n#########", "mines: 2\n#1###"):
        put(page, board)
        worst, label = page.evaluate(CONTRAST)
        assert worst >= 4.5, label  # WCAG 2.2, 1.4.3
    page.evaluate("""() => {
      const whiteFrom = Number(getComputedStyle(document.documentElement).getPropertyValue("--white-from"));
      document.querySelectorAll("#board .cell").forEach((cell, i) => {
        const share = 0.2 * i;
        cell.className = `cell closed shade best ${share < whiteFrom ? "" : "dark"}`;
        cell.style.setProperty("--share", `${100 * share}%`);
      });
    }""")
    assert page.evaluate(CONTRAST)[0] >= 4.5


LOOKS = """async () => {
  const {look, marksOf} = await import("./look.js");
  const here = [[0, 0]], risk = (share, found = {}) => ["#", share, {found}];
  const states = {
    closed: ["#", null, {}], flag: ["F", null, {}], safe: risk(0, {safe: here}), mine: risk(1, {mines: here}),
    "flag on a safe cell": ["F", 0, {found: {safe: here}}], "flag on a mine": ["F", 1, {found: {mines: here}}],
    best: risk(0.2, {move: [0, 0]}), "best and safe": risk(0, {move: [0, 0], safe: here}),
    half: risk(0.5, {fifty_fifties: here}), dead: risk(0.5, {dead: here}), asked: ["#", 0.5, {proof: {cell: [0, 0]}}],
    conflict: ["1", null, {conflict: here}], proof: ["1", null, {proof: {hints: here, cell: [1, 1]}}],
    "wrong flag": ["F", null, {wrong: here}], "mine that was opened": ["*", null, {burst: [[0, 0]]}],
    moved: ["1", null, {moved: [0, 0]}],
  };
  for (const digit of "012345678") states[digit] = [digit, null, {}];
  for (const share of [0.01, 0.2, 0.4, 0.6, 0.8, 0.99]) states[`risk ${share}`] = risk(share);
  const cell = document.querySelector("#board .cell");
  document.getElementById("board").className = "tiny";  // percentages are not shown
  const pixel = document.createElement("canvas").getContext("2d", {willReadFrequently: true});
  return Object.entries(states).map(([name, [character, share, marks]]) => {
    const {classes, text, share: percent} = look([0, 0], character, share, marksOf(marks), 0.5);
    cell.className = classes;
    cell.textContent = text;
    cell.style.setProperty("--share", `${percent}%`);
    const style = getComputedStyle(cell);
    pixel.fillStyle = style.backgroundColor;
    pixel.fillRect(0, 0, 1, 1);
    const sign = [style.color === "rgba(0, 0, 0, 0)" ? "" : text, getComputedStyle(cell, "::before").content,
      getComputedStyle(cell, "::after").content, style.outlineStyle, style.backgroundImage].join(" ");
    return [name, sign, [...pixel.getImageData(0, 0, 1, 1).data].slice(0, 3)];
  });
}"""


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
def test_the_colour_blind_can_tell_cells_apart(opened, dark):
    found = opened(dark=dark).evaluate(LOOKS)
    looks = {name: (sign, colour) for name, sign, colour in found}
    assert looks["safe"][0] != looks["mine"][0] != looks["flag"][0]
    assert looks["risk 0.2"][0] == looks["risk 0.4"][0] == looks["closed"][0]
    assert not confused(looks)


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
@pytest.mark.parametrize("mode", ["Analyse", "Play"])
def test_axe_finds_nothing(opened, dark, mode):
    axe = pytest.importorskip("axe_playwright_python.sync_playwright").Axe()
    page = opened(dark=dark)
    page.select_option("#example", "An expert game")
    expect(page.locator("#board .cell.safe")).to_have_count(47)
    page.evaluate("document.querySelectorAll('details').forEach((one) => { one.open = true; })")
    page.locator("#modes label", has_text=mode).click()
    page.wait_for_timeout(300)
    found = axe.run(page).response["violations"]
    assert not found, [(one["id"], one["help"], [node["html"][:150] for node in one["nodes"]][:3]) for one in found]
