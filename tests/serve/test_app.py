"""The page over HTTP: what it serves, and all that it refuses."""

import re

import pytest
from boards import CONFLICT

from mines_dd.board.look import fill
from mines_dd.serve.answers import Limits
from mines_dd.serve.app import make_app
from mines_dd.serve.workers import Workers


@pytest.fixture(scope="module")
def client(ready):
    from starlette.testclient import TestClient

    with TestClient(make_app(Workers(Limits(workers=1))), base_url="http://localhost") as client:
        ready(client)
        yield client


def test_the_page_and_its_files(client):
    page = client.get("/")
    assert page.headers["content-type"].startswith("text/html")
    assert client.get("/main.js").headers["content-type"].startswith("text/javascript")
    assert client.get("/style.css").headers["content-type"].startswith("text/css")
    palette = client.get("/palette.css")
    assert palette.headers["content-type"].startswith("text/css")
    assert f"--mine: {fill('*')};" in palette.text  # as in pictures, notebooks and terminals
    # All that the page refers to is there, and nothing is from elsewhere.
    references = [part.split('"')[0] for part in page.text.replace("src=", "href=").split('href="')[1:]]
    modules = {"main.js"}
    assert modules < set(references)
    for reference in references:
        if not reference.startswith("data:"):
            assert client.get("/" + reference).status_code == 200
    unread = list(modules)
    while unread:
        script = client.get("/" + unread.pop())
        assert script.status_code == 200
        imported = set(re.findall(r'from "\./(\w+\.js)"', script.text)) - modules
        modules |= imported
        unread += imported
    assert len(modules) > 10


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


@pytest.mark.parametrize("depth", [3, 500, 700, 960])
@pytest.mark.parametrize("key", ["board", "x"])
def test_nested_values_are_refused(client, key, depth):
    body = f'{{"{key}": {"[" * depth}{"]" * depth}}}'
    response = client.post("/api/analyse", content=body, headers={"Content-Type": "application/json"})
    assert (response.status_code, "nested" in response.json()["error"]) == (400, True)
    board = f'{{"board": ["#"], "mines": {"[" * depth}{"]" * depth}}}'
    response = client.post("/api/analyse", json={"board": board})
    assert (response.status_code, response.json()["kind"]) == (400, "format")
    assert len(response.json()["error"]) < 200


def test_everything_is_served_under_a_prefix_too():
    from starlette.testclient import TestClient

    # Not started: no worker is needed for the files.
    client = TestClient(make_app(Workers(Limits(workers=1)), prefix="/mines"), base_url="http://localhost")
    assert client.get("/mines", follow_redirects=False).headers["location"] == "/mines/"
    for path in ("/", "/mines/", "/mines/main.js", "/mines/palette.css"):
        assert client.get(path).status_code == 200
    assert client.get("/mines/main.js/").status_code == 404
    assert client.post("/mines/api/analyse", content=b"x").status_code == 415


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
    ["/../app.py", "/..%2fapp.py", "/%2e%2e/app.py", "/page/main.js", "//etc/passwd", "/main.js/", "/api/__init__"],
)
def test_no_path_reaches_the_file_system(client, path):
    assert client.get(path).status_code == 404
    assert client.post(path, json={"board": "/etc/passwd"}).status_code == 404


def test_a_board_is_never_a_file_name(client, tmp_path):
    secret = tmp_path / "board.txt"
    secret.write_text("#1#")
    assert client.post("/api/read", json={"board": str(secret)}).status_code == 400
