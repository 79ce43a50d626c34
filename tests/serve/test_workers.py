"""Workers: slow ones ended, dead ones replaced, too many questions refused."""

import asyncio
import json
import multiprocessing
import os
import signal
import subprocess
import sys
import threading
from types import SimpleNamespace

import pytest
from boards import ROOT

from mines_dd.serve import workers
from mines_dd.serve.answers import Limits
from mines_dd.serve.workers import Workers


async def _answer(workers, board):
    """The status and the text of an answer, asked for until it is not refused."""
    while (reply := await workers.ask("analyse", {"board": board}))[0] == 503:
        await asyncio.sleep(0.05)
    return reply


async def _with_workers(limits: Limits, use):
    async with Workers(limits).running() as workers:
        await _answer(workers, "#")
        return await use(workers)


@pytest.mark.ci
def test_a_slow_position_is_ended_a_dead_worker_replaced_and_a_full_queue_refused():
    limits = Limits(workers=1, seconds=1, queue=2, patience=0.3)

    async def use(workers):
        # Of four at once one is worked on and ended, two wait in vain, one is not even let in.
        (slow,) = multiprocessing.active_children()
        os.kill(slow.pid, signal.SIGSTOP)  # as slow as can be
        asked = [asyncio.ensure_future(workers.ask("analyse", {"board": "#1#", "x": i})) for i in range(4)]
        await asyncio.sleep(0.1)
        assert [one.done() for one in asked] == [False, False, False, True]
        replies = [await one for one in asked]
        assert [status for status, _ in replies] == [422, 503, 503, 503]
        assert "longer than 1 second," in json.loads(replies[0][1])["error"]
        # The next one is answered again, after a restart; also if the idle process was ended from outside.
        assert b'"preparing"' in (await workers.ask("analyse", {"board": "#1#"}))[1]  # nobody waits for that
        assert (await _answer(workers, "#1#"))[0] == 200
        (process,) = multiprocessing.active_children()
        assert process.pid != slow.pid
        os.kill(process.pid, 9)
        process.join(5)
        assert (await _answer(workers, "#1##"))[0] == 200

    asyncio.run(asyncio.wait_for(_with_workers(limits, use), 600))
    assert not multiprocessing.active_children()


def test_a_question_at_which_two_processes_end_is_too_costly(monkeypatch):
    asked = []

    class Worker:
        ended = False

        def __init__(self, limits):
            self.alive = False

        def start(self):
            self.alive = True

        def end(self):
            self.ended = True

        def ask(self, question, values):
            asked.append(values["board"])
            self.alive = values["board"] == "#"
            return (200, b"{}") if self.alive else None

    monkeypatch.setattr("mines_dd.serve.workers._Worker", Worker)

    async def use(workers):
        status, said = await _answer(workers, "#1#")
        assert (status, b"more memory" in said) == (422, True)
        assert asked == ["#", "#1#", "#1#"]
        assert await _answer(workers, "#1#") == (status, said)  # remembered
        assert asked == ["#", "#1#", "#1#"]
        for _ in range(2):  # not remembered
            said = b'"preparing"'
            while b'"preparing"' in said:
                status, said = await workers.ask("deal", {"board": "-"})
                await asyncio.sleep(0.01)
            assert (status, b"This deal is too costly" in said, b"another seed" in said) == (422, True, True)
        assert asked[3:] == ["-", "-", "-"]

    asyncio.run(asyncio.wait_for(_with_workers(Limits(workers=1), use), 10))


def test_until_a_worker_is_ready_every_question_is_told_so(monkeypatch):
    go_on = threading.Event()

    class Worker:
        alive, ended = True, False

        def __init__(self, limits):
            pass

        def start(self):
            go_on.wait(10)

        def end(self):
            go_on.set()

        def ask(self, question, values):
            return 200, b"{}"

    monkeypatch.setattr("mines_dd.serve.workers._Worker", Worker)

    async def use():
        async with Workers(Limits(workers=1)).running() as workers:
            status, said = await workers.ask("analyse", {})
            assert (status, json.loads(said)["kind"]) == (503, "preparing")
            go_on.set()
            while (await workers.ask("analyse", {}))[0] == 503:
                await asyncio.sleep(0)

    asyncio.run(asyncio.wait_for(use(), 10))


@pytest.mark.ci
def test_one_more_process_compiles_and_is_ended_with_the_others(monkeypatch):
    monkeypatch.setenv("MINES_DD_BESIDE", "on")
    monkeypatch.setattr("mines_dd.serve.workers._compile", signal.pause)

    async def use(workers):
        assert len(multiprocessing.active_children()) == 2
        assert (await _answer(workers, "#1#"))[0] == 200

    asyncio.run(asyncio.wait_for(_with_workers(Limits(workers=1), use), 60))
    assert not multiprocessing.active_children()


SERVER = """
import asyncio, os, time
from mines_dd.serve import workers

def busy(*_):
    print(os.getpid(), flush=True)
    end = time.monotonic() + 20
    while time.monotonic() < end:
        pass
    print("not ended", flush=True)

async def serve():
    async with workers.Workers(workers.Limits(workers=1)).running():
        await asyncio.sleep(60)

if __name__ == "__main__":
    workers._work = workers._compile = busy
    asyncio.run(serve())
"""


@pytest.mark.ci
@pytest.mark.skipif(not hasattr(os, "killpg"), reason="nobody can kill the server there")
def test_all_processes_end_when_the_server_is_killed(tmp_path):
    (tmp_path / "program.py").write_text(SERVER)
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "MINES_DD_BESIDE": "on"}
    command = [sys.executable, str(tmp_path / "program.py")]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment) as server:
        processes = [int(server.stdout.readline()) for _ in range(2)]
        server.kill()
        assert server.stdout.read() == ""  # at the end of the last process that has it
    assert len(set(processes)) == 2


def test_after_a_process_that_took_too_long_the_next_loads_all_before_it_is_asked(monkeypatch):
    """Otherwise it takes too long itself, while it loads the same."""
    started, loaded = [], []

    def new_process(function, pipe, limits, late):
        started.append(late)
        pipe.send(None)  # it is ready, and never answers
        monkeypatch.setattr(pipe, "close", lambda: None)
        return SimpleNamespace(kill=lambda: None, join=lambda: None)

    monkeypatch.setattr(workers, "_new_process", new_process)
    worker = workers._Worker(Limits(seconds=0.01))
    for _ in range(2):
        worker.start()
        assert b"longer than 0.01 seconds" in worker.ask("deal", {})[1]
    assert started == [False, True]
    monkeypatch.setattr(workers, "answer", lambda question, values, limits: loaded.append(question))
    monkeypatch.setattr("mines_dd.base.jit.Kernel.patience", 1.0)
    for late in started:
        workers._load(Limits(), late)
    assert loaded == ["analyse", "analyse", "deal", "analyse"]


def test_workers_are_ended_while_they_start():
    async def use():
        async with Workers(Limits(workers=2)).running():
            while not multiprocessing.active_children():
                await asyncio.sleep(0)

    asyncio.run(asyncio.wait_for(use(), 10))
    assert not multiprocessing.active_children()


@pytest.mark.ci
def test_those_who_wait_are_told_when_the_server_ends():
    async def use(workers):
        (slow,) = multiprocessing.active_children()
        os.kill(slow.pid, signal.SIGSTOP)
        asked = [asyncio.ensure_future(workers.ask("analyse", {"board": "#1#", "x": i})) for i in range(3)]
        await asyncio.sleep(0.1)
        workers.end()
        replies = [await one for one in asked]
        assert [status for status, _ in replies] == [503] * 3
        assert b"ended" in replies[0][1]

    asyncio.run(asyncio.wait_for(_with_workers(Limits(workers=1), use), 600))


def test_equal_questions_are_answered_once_and_answers_are_kept(monkeypatch):
    asked = []

    class Worker:
        alive, ended = True, False

        def __init__(self, limits):
            pass

        def start(self):
            pass

        def end(self):
            pass

        def ask(self, question, values):
            asked.append(values["board"])
            return 200, b"{}"

    monkeypatch.setattr("mines_dd.serve.workers._Worker", Worker)

    async def use(workers):
        replies = await asyncio.gather(*(workers.ask("analyse", {"board": "#1#"}) for _ in range(5)))
        assert replies == [(200, b"{}")] * 5
        await workers.ask("analyse", {"board": "#1#"})
        await workers.ask("analyse", {"board": "#2#"})
        assert asked == ["#", "#1#", "#2#"]

    asyncio.run(_with_workers(Limits(), use))
