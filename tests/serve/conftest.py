"""A server for the tests of it, and none of them where its packages are missing."""

import os
import subprocess
import sys
import time
from contextlib import contextmanager
from importlib import import_module
from importlib.util import find_spec

import pytest
from boards import ROOT

NEEDED = ("httpx2", "starlette", "uvicorn")
collect_ignore_glob = [] if all(map(find_spec, NEEDED)) else ["test_*.py"]


def _until_ready(client):
    """Wait until the server of an HTTP client answers."""
    while (answer := client.post("/api/analyse", json={"board": "#"})).status_code == 503:
        assert answer.json()["kind"] == "preparing"
        time.sleep(0.1)


@contextmanager
def _served(**limits):
    """A server in a process of its own, and its address."""
    code = (
        "from mines_dd.serve.answers import Limits; from mines_dd.serve.server import run; "
        f"run('127.0.0.1', 0, Limits(**{limits!r}), announce=lambda address: print(address, flush=True))"
    )
    environment = {**os.environ, "PYTHONPATH": f"{ROOT}{os.pathsep}{ROOT / 'tests'}"}
    process = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True, env=environment)
    try:
        address = process.stdout.readline().strip()
        with import_module("httpx2").Client(base_url=address) as client:
            _until_ready(client)
        yield address
    finally:
        process.terminate()
        process.wait(10)
        process.stdout.close()


@pytest.fixture(scope="session")
def ready():
    """Wait until the server of an HTTP client answers."""
    return _until_ready


@pytest.fixture(scope="session")
def served():
    """Start a server in a process of its own; a context whose value is its address."""
    return _served


@pytest.fixture(scope="module")
def address(served):
    with served(patience=1, workers=1) as address:
        yield address
