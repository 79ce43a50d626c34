"""The server: connections that are slow, large or many, and where it listens."""

import asyncio
import os
import signal
import socket
import subprocess
import sys
import time
from contextlib import contextmanager, suppress
from urllib.parse import urlsplit

import httpx2 as httpx
import pytest
from boards import ROOT

from mines_dd import MinesError
from mines_dd.serve.answers import Limits
from mines_dd.serve.server import run


@pytest.fixture(scope="module")
def address(served):
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


@pytest.mark.ci
@pytest.mark.parametrize(
    ("parts", "status"),
    [
        ([], b""),
        pytest.param([b"GET / HTTP/1.1\r\n"], b"", marks=pytest.mark.slow),
        ([bytes([byte]) for byte in HEAD], b""),
        pytest.param([HEAD + b"Content-Length: 100\r\n\r\n"], b"408", marks=pytest.mark.slow),
        ([HEAD + b"Content-Length: 100\r\n\r\n", *[b" "] * 90], b"408"),
    ],
    ids=["silent", "half a head", "a head in drops", "no body", "a body in drops"],
)
def test_a_request_that_does_not_arrive_is_cut_off(address, parts, status):
    received, seconds = send_slowly(address, parts, 0.1)
    assert received[9:12] == status
    assert 0.5 < seconds < 4


@pytest.mark.ci
def test_a_head_that_is_too_large_is_refused(address):
    received, _ = send_slowly(address, [b"GET / HTTP/1.1\r\nHost: localhost\r\nX: " + b"x" * 100_000], 5)
    assert received == b"" or received[9:12] == b"400"


@pytest.mark.ci
def test_one_request_a_connection(address):
    assert httpx.get(address).headers["connection"] == "close"


async def _crowd(address: str, clients: int, seconds: float) -> dict[int, int]:
    """How often each status came when so many clients ask all the time; 0 is a request that was not answered."""
    tally: dict[int, int] = {}
    end = time.monotonic() + seconds

    async def client(http, number):
        asked = 0
        while True:
            board = "mines: 3\n####\n#12#\n####"
            asked += 1
            try:
                response = await http.post("/api/analyse", json={"board": board, "number": [number, asked]})
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


@pytest.mark.ci
@pytest.mark.parametrize("seconds", [1, pytest.param(60, marks=pytest.mark.slow)])
def test_250_clients_at_once_are_served_or_refused(served, seconds):
    with served(workers=2) as address:
        tally = asyncio.run(_crowd(address, 250, seconds))
        assert httpx.post(address + "api/analyse", json={"board": "#1#"}).status_code == 200
    assert set(tally) <= {200, 503}, tally
    assert tally[200] > 50


@pytest.mark.ci
def test_connections_on_which_nothing_comes_keep_nobody_out(served):
    resource = pytest.importorskip("resource")
    if resource.getrlimit(resource.RLIMIT_NOFILE)[0] < 1500:
        pytest.skip("too few open files allowed here")
    with served(workers=1, patience=30) as address:
        where = urlsplit(address)
        silent = [socket.create_connection((where.hostname, where.port), timeout=10) for _ in range(1300)]
        try:
            started = time.monotonic()
            assert httpx.post(address + "api/analyse", json={"board": "#1#"}).status_code == 200
            assert time.monotonic() - started < 10  # long before the silent ones are cut off
        finally:
            for one in silent:
                one.close()


def test_a_port_that_is_taken_and_an_address_that_is_all_are_refused():
    with socket.create_server(("127.0.0.1", 0)) as taken, pytest.raises(MinesError, match="cannot listen"):
        run("127.0.0.1", taken.getsockname()[1], Limits())
    for host in ("0.0.0.0", "::"):
        with pytest.raises(MinesError, match="--allow-host"):
            run(host, 0, Limits())


@pytest.mark.parametrize("name", ["192.168.1.*", "*", "*.example", "a:80", "http://a", "a b", "", "a..b", "x" * 70])
def test_what_is_no_name_of_a_machine_is_refused_before_anything_is_served(name):
    with pytest.raises(MinesError, match="is no name or address"):
        run("127.0.0.1", 0, Limits(), [name], announce=pytest.fail)


@contextmanager
def _command():
    """The command in a process group of its own, so that a signal to it reaches the workers too, as Ctrl-C does."""
    environment = {**os.environ, "PYTHONPATH": f"{ROOT}{os.pathsep}{ROOT / 'tests'}", "PYTHONUNBUFFERED": "1"}
    process = subprocess.Popen(
        [
            sys.executable,
            "-c",
            "from mines_dd.cli.main import main; main()",
            "serve",
            "--port=0",
            "--workers=1",
        ],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=environment,
        start_new_session=True,
    )
    try:
        yield process
    finally:
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.communicate()


def _started(process):
    """The address, once the page is there: before the engine is ready."""
    line = process.stdout.readline()
    assert line.startswith("http://127.0.0.1:")
    assert httpx.get(line.split()[0], timeout=30).status_code == 200
    return line.split()[0]


def _while_a_worker_starts(process, ready):
    answer = httpx.post(f"{_started(process)}api/analyse", json={"board": "#"})
    assert (answer.status_code, answer.headers["retry-after"], answer.json()["kind"]) == (503, "1", "preparing")


def _when_it_answers(process, ready):
    address = _started(process)
    with httpx.Client(base_url=address) as client:
        ready(client)
    return address


@pytest.mark.ci
@pytest.mark.parametrize(
    "until", [lambda process, ready: process.stdout.readline(), _while_a_worker_starts, _when_it_answers]
)
def test_the_command_serves_until_it_is_interrupted_at_any_moment(ready, until, interrupts):
    with _command() as process:
        until(process, ready)
        os.killpg(process.pid, signal.SIGINT)
        _, errors = process.communicate(timeout=30)
        said = [line for line in errors.splitlines() if not line.startswith("mines-dd: compiling")]
        assert (process.returncode, said) == (0, ["ended"])


@pytest.mark.ci
def test_a_broken_body_for_a_page_that_is_not_there_is_no_traceback(interrupts):
    broken = b"POST /nope HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n"
    whole = b"POST /nope HTTP/1.1\r\nHost: localhost\r\nContent-Length: 2\r\n\r\nzz"
    with _command() as process:
        address = _started(process)
        assert send_slowly(address, [broken], 5)[0][9:12] == b"400"
        received, seconds = send_slowly(address, [whole], 5)
        assert received[9:12] == b"404"
        assert seconds < 0.9
        os.killpg(process.pid, signal.SIGINT)
        assert "Traceback" not in process.communicate(timeout=30)[1]


@pytest.mark.ci
@pytest.mark.parametrize("sign", [signal.SIGINT, signal.SIGTERM])
def test_a_request_that_still_arrives_does_not_hold_up_the_end(ready, sign, interrupts):
    with _command() as process:
        where = urlsplit(_when_it_answers(process, ready))
        with socket.create_connection((where.hostname, where.port), timeout=10) as slow:
            slow.sendall(HEAD + b'Content-Length: 100\r\n\r\n{"board"')
            time.sleep(0.3)
            os.killpg(process.pid, sign)
            assert slow.recv(1000)[9:12] == b"408"
            _, errors = process.communicate(timeout=30)
        said = [line for line in errors.splitlines() if not line.startswith("mines-dd: compiling")]
        assert said == ["ended"] * (sign == signal.SIGINT)


@pytest.mark.ci
def test_more_interrupts_end_it_without_a_traceback(interrupts):
    with _command() as process:
        where = urlsplit(_started(process))
        with socket.create_connection((where.hostname, where.port), timeout=10) as silent:
            silent.sendall(HEAD)
            while process.poll() is None:
                os.killpg(process.pid, signal.SIGINT)
                time.sleep(0.05)
            _, errors = process.communicate()
        assert "Traceback" not in errors
        assert process.returncode in (0, 130, -signal.SIGINT)  # the last, while Python itself is ending
