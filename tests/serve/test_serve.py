"""The analyser page: its answers, its bounds, and what a browser makes of it."""

import asyncio
import json
import multiprocessing
import os
import shutil
import socket
import subprocess
import sys
import time
from contextlib import contextmanager
from urllib.parse import urlsplit

import naive
import pytest
from boards import ROOT
from hypothesis import given, settings
from hypothesis import strategies as st

httpx = pytest.importorskip("httpx2")
pytest.importorskip("starlette")
pytest.importorskip("uvicorn")

from mines_dd import Board, MinesError  # noqa: E402
from mines_dd.board.look import fill  # noqa: E402
from mines_dd.serve.answers import Limits, answer  # noqa: E402
from mines_dd.serve.app import make_app  # noqa: E402
from mines_dd.serve.server import run  # noqa: E402
from mines_dd.serve.workers import Workers  # noqa: E402

CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
# Compiled in a second, but its probabilities take a quarter of a minute.
SLOW = Board.random(100, 100, 0.2, 0.3, 1).to_text()
LIMITS = Limits()
CONFLICT = "######\n#1#41#\n######\n#22###\n######"


def ask(question: str, board: str, limits: Limits = LIMITS, **values) -> tuple[int, dict]:
    return answer(question, {"board": board, **values}, limits)


# Answers


def test_an_analysis_agrees_with_trying_everything():
    for seed in range(40):
        board = naive.random_board(seed)
        instance = naive.Instance.from_board(Board(board.grid))
        family = naive.assignments(instance)
        status, value = ask("analyse", Board(board.grid).to_text())
        if not family:
            assert (status, value["kind"]) == (422, "conflict")
            continue
        assert (status, value["count"], value["total"]) == (200, str(len(family)), None)
        exact = naive.probabilities(instance.cells, family)
        for (r, c), share in exact.items():
            assert value["probability"][r][c] == pytest.approx(float(share), abs=1e-6)
        assert value["safe"] == sorted(cell for cell, share in exact.items() if share == 0)
        assert value["mines"] == sorted(cell for cell, share in exact.items() if share == 1)
        assert value["safest"] is None or exact[value["safest"]] == min(exact.values())


def test_a_certain_cell_is_proved_and_another_counted():
    status, value = ask("explain", "####\n1221\n0000", cell=[0, 1])
    assert (status, value["verdict"], value["needs_total"]) == (200, "mine", False)
    assert value["hints"]
    status, value = ask("explain", "#1#", cell=[0, 0])
    assert (value["verdict"], value["with_mine"], value["without"], value["probability"]) == (
        "open question",
        "1",
        "1",
        0.5,
    )


def test_numbers_in_conflict_are_named():
    status, value = ask("analyse", CONFLICT)
    assert (status, value["kind"], value["hints"]) == (422, "conflict", [(1, 1), (1, 3), (1, 4)])


@pytest.mark.parametrize(
    ("board", "sentence"),
    [
        ("", "The board is empty"),
        ("#1x", "Line 1, column 3"),
        ("mines: 9\n#1#", "mines: 9 is impossible"),
        ("#" * 101, "at most 100x100"),
        ("#\n" * 101, "at most 100x100"),
        ('{"board": 3}', "list of rows"),
    ],
)
def test_a_board_that_cannot_be_taken_says_why(board, sentence):
    for question in ("read", "analyse"):
        status, value = ask(question, board)
        assert (status, value["kind"]) == (400, "format")
        assert sentence in value["error"]


@pytest.mark.parametrize("cell", [None, 3, [0], [0, 1, 2], ["0", "1"], [0.0, 0.0], [True, False], {"0": 1}])
def test_a_cell_of_another_form_is_refused(cell):
    assert ask("explain", "#1#", cell=cell)[0] == 400


@pytest.mark.parametrize("cell", [[0, 1], [-1, 0], [0, 10**30]])
def test_a_cell_that_is_not_closed_or_not_there_is_refused(cell):
    assert ask("explain", "#1#", cell=cell)[0] == 422


SCRAPS = st.text('#012F*/ \n.{}[]":é\ud800')


@settings(max_examples=200)
@given(
    st.dictionaries(
        st.sampled_from(["board", "cell", "x"]),
        st.none() | st.integers() | SCRAPS,
        min_size=1,
    )
)
def test_nothing_that_is_sent_makes_the_server_fail(values):
    for question in ("read", "analyse", "explain"):
        status, value = answer(question, values, Limits())
        assert status in (200, 400, 422)
        json.dumps(value).encode()


def test_too_many_nodes_are_refused_before_they_are_made():
    board = (ROOT / "data" / "paper_30x30_30_50.txt").read_text()
    status, value = ask("analyse", board, Limits(nodes=10))
    assert (status, value["kind"]) == (422, "budget")
    assert "table entries and 10 are allowed" in value["error"]
    assert ask("read", board, Limits(nodes=10))[0] == 200


# Workers


async def _with_workers(limits: Limits, use):
    async with Workers(limits).running() as workers:
        return await use(workers)


def test_a_slow_position_is_ended_a_dead_worker_replaced_and_a_full_queue_refused():
    limits = Limits(workers=1, seconds=1, queue=2, patience=0.3)

    async def use(workers):
        # Of four at once one is worked on and ended, two wait in vain, one is not even let in.
        (slow,) = multiprocessing.active_children()
        asked = [asyncio.ensure_future(workers.ask("analyse", {"board": SLOW})) for _ in range(4)]
        await asyncio.sleep(0.1)
        assert [one.done() for one in asked] == [False, False, False, True]
        replies = [await one for one in asked]
        assert [status for status, _ in replies] == [422, 503, 503, 503]
        assert "longer than the 1 seconds" in json.loads(replies[0][1])["error"]
        # The next one is answered again, after a restart.
        assert (await workers.ask("analyse", {"board": "#1#"}))[0] == 200
        # Ended from outside: a refusal, not an exception; then all is well again.
        (process,) = multiprocessing.active_children()
        assert process.pid != slow.pid
        os.kill(process.pid, 9)
        process.join(5)
        status, content = await workers.ask("analyse", {"board": "#1#"})
        assert status == 422
        assert "memory" in json.loads(content)["error"]
        assert (await workers.ask("analyse", {"board": "#1#"}))[0] == 200

    asyncio.run(asyncio.wait_for(_with_workers(limits, use), 60))
    assert not multiprocessing.active_children()


# HTTP


@pytest.fixture(scope="module")
def client():
    from starlette.testclient import TestClient

    with TestClient(make_app(Limits(workers=1)), base_url="http://localhost") as client:
        yield client


def test_the_page_and_its_files(client):
    page = client.get("/")
    assert page.headers["content-type"].startswith("text/html")
    assert client.get("/app.js").headers["content-type"].startswith("text/javascript")
    assert client.get("/style.css").headers["content-type"].startswith("text/css")
    palette = client.get("/palette.css")
    assert palette.headers["content-type"].startswith("text/css")
    assert f"--mine: {fill('*')};" in palette.text  # as in pictures, notebooks and terminals
    # All that the page refers to is there, and nothing is from elsewhere.
    references = [part.split('"')[0] for part in page.text.replace("src=", "href=").split('href="')[1:]]
    assert references
    for reference in references:
        if not reference.startswith("data:"):
            assert client.get("/" + reference).status_code == 200


def test_questions_are_answered(client):
    answer = client.post("/api/analyse", json={"board": "mines: 1\n#1#"})
    assert (answer.status_code, answer.json()["count"]) == (200, "2")
    assert client.post("/api/explain", json={"board": "#1#", "cell": [0, 0]}).json()["verdict"] == "open question"
    assert client.post("/api/read", json={"board": CONFLICT}).json()["board"] == CONFLICT.split()
    assert client.post("/api/analyse", json={"board": CONFLICT}).json()["hints"] == [[1, 1], [1, 3], [1, 4]]


RESPONSES = {
    "page": ("GET", "/", {}, 200),
    "answer": ("POST", "/api/analyse", {"json": {"board": "#1#"}}, 200),
    "not found": ("GET", "/secret", {}, 404),
    "wrong method": ("GET", "/api/analyse", {}, 405),
    "wrong host": ("GET", "/", {"headers": {"Host": "evil.example"}}, 400),
    "wrong type": ("POST", "/api/analyse", {"content": b"{}"}, 415),
}


@pytest.mark.parametrize("kind", RESPONSES)
def test_every_response_keeps_other_sites_out(client, kind):
    method, path, values, status = RESPONSES[kind]
    response = client.request(method, path, **values)
    assert response.status_code == status
    assert response.headers["x-content-type-options"] == "nosniff"
    policy = response.headers["content-security-policy"]
    assert policy.startswith("default-src 'none'")
    assert "unsafe" not in policy
    assert "frame-ancestors 'none'" in policy
    assert not [name for name in response.headers if name.startswith("access-control")]


@pytest.mark.parametrize("host", ["evil.example", "evil.example:8000", "localhost.evil.example", "192.168.0.1", ""])
def test_a_host_header_of_another_name_is_refused(client, host):
    assert client.get("/", headers={"Host": host}).status_code == 400
    assert client.post("/api/analyse", json={"board": "#1#"}, headers={"Host": host}).status_code == 400


@pytest.mark.parametrize("host", ["localhost", "localhost:8000", "127.0.0.1:8000", "[::1]:8000", "LOCALHOST"])
def test_a_loopback_host_header_is_taken(client, host):
    assert client.get("/", headers={"Host": host}).status_code == 200


@pytest.mark.parametrize("media_type", ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data", ""])
def test_only_json_is_taken(client, media_type):
    response = client.post("/api/analyse", content=b'{"board": "#1#"}', headers={"Content-Type": media_type})
    assert response.status_code == 415


def test_other_sites_get_no_leave_to_ask(client):
    asked = {"Origin": "http://evil.example", "Access-Control-Request-Method": "POST"}
    response = client.options("/api/analyse", headers=asked)
    assert response.status_code == 405
    assert not [name for name in response.headers if name.startswith("access-control")]


@pytest.mark.parametrize(
    "body", [b"", b"[]", b"3", b"{", b"[" * 50_000, b"\xff\xfe", b'{"board": ' + b"9" * 9_000 + b"}"]
)
def test_a_body_that_is_no_json_object_is_refused(client, body):
    response = client.post("/api/analyse", content=body, headers={"Content-Type": "application/json"})
    assert response.status_code == 400
    assert response.json()["error"]


def test_a_body_that_is_too_large_is_refused(client):
    response = client.post("/api/analyse", json={"board": "#" * 70_000})
    assert response.status_code == 413

    def endless():
        for _ in range(1_000):
            yield b" " * 1_000

    response = client.post("/api/analyse", content=endless(), headers={"Content-Type": "application/json"})
    assert response.status_code == 413


@pytest.mark.parametrize(
    "path",
    ["/../app.py", "/..%2fapp.py", "/%2e%2e/app.py", "/page/app.js", "//etc/passwd", "/app.js/", "/api/__init__"],
)
def test_no_path_reaches_the_file_system(client, path):
    assert client.get(path).status_code == 404
    assert client.post(path, json={"board": "/etc/passwd"}).status_code == 404


def test_a_board_is_never_a_file_name(client, tmp_path):
    secret = tmp_path / "board.txt"
    secret.write_text("#1#")
    assert client.post("/api/read", json={"board": str(secret)}).status_code == 400


# Listening


@contextmanager
def served(**limits):
    """A server in a process of its own, and its address."""
    code = (
        "from mines_dd.serve.answers import Limits; from mines_dd.serve.server import run; "
        f"run('127.0.0.1', 0, Limits(**{limits!r}), announce=lambda address: print(address, flush=True))"
    )
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    process = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True, env=environment)
    try:
        address = process.stdout.readline().strip()
        httpx.get(address, timeout=60)  # ready
        yield address
    finally:
        process.terminate()
        process.wait(10)
        process.stdout.close()


@pytest.fixture(scope="module")
def address():
    with served(patience=1, workers=1) as address:
        yield address


def send_slowly(address: str, parts: list[bytes], pause: float) -> tuple[bytes, float]:
    """What comes back for some bytes with pauses between, and after how many seconds the connection is closed."""
    where = urlsplit(address)
    started = time.monotonic()
    with socket.create_connection((where.hostname, where.port), timeout=10) as connection:
        try:
            for part in parts:
                connection.sendall(part)
                connection.settimeout(pause)
                try:
                    return connection.recv(10_000), time.monotonic() - started
                except TimeoutError:
                    pass
            connection.settimeout(10)
            return connection.recv(10_000), time.monotonic() - started
        except (ConnectionResetError, BrokenPipeError):
            return b"", time.monotonic() - started


HEAD = b"POST /api/analyse HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"


@pytest.mark.parametrize(
    ("parts", "status"),
    [
        ([], b""),
        ([b"GET / HTTP/1.1\r\n"], b""),
        ([bytes([byte]) for byte in HEAD], b""),
        ([HEAD + b"Content-Length: 100\r\n\r\n"], b"408"),
        ([HEAD + b"Content-Length: 100\r\n\r\n", *[b" "] * 90], b"408"),
    ],
    ids=["silent", "half a head", "a head in drops", "no body", "a body in drops"],
)
def test_a_request_that_does_not_arrive_is_cut_off(address, parts, status):
    received, seconds = send_slowly(address, parts, 0.1)
    assert received[9:12] == status
    assert 0.5 < seconds < 4


def test_a_head_that_is_too_large_is_refused(address):
    received, _ = send_slowly(address, [b"GET / HTTP/1.1\r\nHost: localhost\r\nX: " + b"x" * 100_000], 5)
    assert received == b"" or received[9:12] == b"400"


def test_one_request_a_connection(address):
    assert httpx.get(address).headers["connection"] == "close"


async def _crowd(address: str, clients: int, seconds: float) -> dict[int, int]:
    """How often each status came when so many clients ask all the time; 0 is a request that was not answered."""
    tally: dict[int, int] = {}
    end = time.monotonic() + seconds

    async def client(http, number):
        while True:
            try:
                response = await http.post("/api/analyse", json={"board": "mines: 3\n####\n#12#\n####"})
                status = response.status_code
                assert "error" in response.json() or response.json()["count"]
            except httpx.TransportError:
                status = 0
            tally[status] = tally.get(status, 0) + 1
            if time.monotonic() > end:
                return

    limits = httpx.Limits(max_connections=None)
    async with httpx.AsyncClient(base_url=address, limits=limits, timeout=60) as http:
        await asyncio.gather(*(client(http, number) for number in range(clients)))
    return tally


@pytest.mark.parametrize("seconds", [1, pytest.param(60, marks=pytest.mark.slow)])
def test_two_hundred_clients_at_once_are_served_or_refused(seconds):
    with served(workers=2) as address:
        tally = asyncio.run(_crowd(address, 200, seconds))
        assert httpx.post(address + "api/analyse", json={"board": "#1#"}).status_code == 200
    assert set(tally) <= {200, 503}, tally
    assert tally[200] > 50


def test_a_port_that_is_taken_and_an_address_that_is_all_are_refused():
    with socket.create_server(("127.0.0.1", 0)) as taken, pytest.raises(MinesError, match="cannot listen"):
        run("127.0.0.1", taken.getsockname()[1], Limits())
    for host in ("0.0.0.0", "::"):
        with pytest.raises(MinesError, match="--allow-host"):
            run(host, 0, Limits())


def test_the_command_serves_on_loopback_until_interrupted():
    code = "from mines_dd.cli.serve import serve; serve()"
    command = [sys.executable, "-c", code, "--port", "0", "--workers", "1"]
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "PYTHONUNBUFFERED": "1"}
    process = subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment, start_new_session=True
    )
    try:
        line = process.stdout.readline()
        assert line.startswith("http://127.0.0.1:")
        assert httpx.get(line.split()[0], timeout=60).status_code == 200
        os.killpg(process.pid, 2)  # as Ctrl-C does: the workers get it too
        _, errors = process.communicate(timeout=15)
        assert (process.returncode, errors) == (0, "ended\n")
    finally:
        process.kill()


# The page in a browser


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
    expect(page.locator("#text-problem")).to_contain_text("Line 1, column 3")
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
