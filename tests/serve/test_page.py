"""The page in a browser."""

import shutil

import pytest
from boards import CONFLICT

from mines_dd import Board

CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)


@pytest.fixture
def page(address):
    playwright = pytest.importorskip("playwright.sync_api")
    if CHROMIUM is None:
        pytest.skip("no Chromium here")
    with playwright.sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=CHROMIUM)
        page = browser.new_context(viewport={"width": 390, "height": 844}, has_touch=True).new_page()
        page.set_default_timeout(10_000)
        problems = []
        page.on("pageerror", lambda error: problems.append(str(error)))
        page.on("console", lambda message: "Security Policy" in message.text and problems.append(message.text))
        page.goto(address)
        yield page
        assert not problems
        browser.close()


def cell(page, row, column):
    return page.locator(f'.cell[data-r="{row}"][data-c="{column}"]')


def load(page, example):
    page.select_option("#example", example)
    page.wait_for_selector("#board[aria-busy=false]")


def new(page, **sizes):
    for name, value in sizes.items():
        page.fill(f"#{name}", str(value))
    page.click("#new")


@pytest.mark.slow
def test_a_position_is_clicked_and_typed_together(page):
    from playwright.sync_api import expect

    new(page, rows=1, cols=3, mines="")
    for _ in range(2):  # closed, 0, 1
        cell(page, 0, 1).tap()
    expect(cell(page, 0, 0)).to_have_text(".50")
    expect(page.locator("#count")).to_have_text("2")
    expect(cell(page, 0, 0)).to_have_attribute(
        "aria-label", "row 0, column 0: closed, chance of a mine 50%, safest to open"
    )
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("w")
    expect(page.locator("#proof")).to_contain_text("probability 50%. Ways with a mine there: 1; without: 1.")
    page.keyboard.press("ArrowRight")
    page.keyboard.press("2")
    expect(page.locator("#board .cell.mine")).to_have_count(2)
    expect(page.locator("#best")).to_have_text("none")
    expect(page.locator("#certain")).to_have_text("2")
    page.keyboard.press("ArrowRight")
    page.keyboard.press("w")
    expect(page.locator("#proof")).to_contain_text("Row 0, column 2 is a mine. That follows from the 1 outlined number")
    expect(page.locator("#board .cell.proof")).to_have_text("2")
    page.keyboard.press("3")
    expect(page.locator("#problem")).to_contain_text("No mine assignment")
    expect(page.locator("#board .cell.conflict")).not_to_have_count(0)
    page.click("#undo")
    expect(page.locator("#problem")).to_be_hidden()
    expect(page.locator("#board .cell.mine")).to_have_count(2)
    page.fill("#mines", "1")
    page.press("#mines", "Tab")
    expect(page.locator("#problem")).to_contain_text("1 mines are impossible")


@pytest.mark.slow
def test_a_link_brings_the_position_back(page, address):
    from playwright.sync_api import expect

    load(page, "An expert game")
    link = page.input_value("#link")
    assert link.startswith(address + "#board=-------------1002")
    board = page.input_value("#text")
    assert Board.parse(board).mines == 99
    safe = page.locator("#board .cell.safe").count()
    assert safe == 47
    page.goto("about:blank")
    page.goto(link)
    expect(page.locator("#board .cell.safe")).to_have_count(safe)
    assert page.input_value("#text") == board
    page.goto("about:blank")
    page.goto(address + "#board=<script>")
    expect(page.locator("#problem")).to_contain_text("The link holds no position")


@pytest.mark.slow
def test_a_text_is_pasted(page):
    from playwright.sync_api import expect

    page.click("summary >> nth=0")
    page.fill("#text", "#1x")
    page.click("#use")
    expect(page.locator("#text-problem")).to_contain_text("Line 1, character 3")
    page.fill("#text", CONFLICT)
    page.click("#use")
    expect(page.locator("#board .cell.conflict")).to_have_count(3)


@pytest.mark.slow
def test_it_fits_a_phone(page):
    for example in ("An expert game", "A guess of 50 to 50"):
        load(page, example)
        assert page.evaluate("document.documentElement.scrollWidth") <= 390
        assert cell(page, 0, 0).bounding_box()["width"] >= 24
    small = page.locator("button:visible, select:visible, #palette label").evaluate_all(
        "all => all.filter(one => Math.min(one.clientWidth, one.clientHeight) < 24).map(one => one.outerHTML)"
    )
    assert not small


@pytest.mark.slow
def test_the_digits_can_be_read_on_every_shade(page):
    worst = page.evaluate("""() => {
      const luminance = (colour) => {
        const [r, g, b] = colour.match(/\\d+/g).map((x) => x / 255)
          .map((x) => x <= 0.04045 ? x / 12.92 : ((x + 0.055) / 1.055) ** 2.4);
        return 0.2126 * r + 0.7152 * g + 0.0722 * b;
      };
      const ink = luminance(getComputedStyle(document.body).color);
      return Math.min(...[0, 0.25, 0.5, 0.75, 1].map((share) => (luminance(shade(share)) + 0.05) / (ink + 0.05)));
    }""")
    assert worst > 4.5  # the contrast that WCAG 2.2 asks for (1.4.3)


@pytest.mark.slow
def test_the_page_survives_the_largest_board(page):
    from playwright.sync_api import expect

    new(page, rows=100, cols=100, mines=2000)
    expect(cell(page, 99, 99)).to_have_text(".20")
