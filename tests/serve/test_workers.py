"""Workers: slow ones ended, dead ones replaced, too many questions refused."""

import asyncio
import json
import multiprocessing
import os
import signal

from mines_dd.serve.answers import Limits
from mines_dd.serve.workers import Workers


async def _with_workers(limits: Limits, use):
    async with Workers(limits).running() as workers:
        return await use(workers)


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
        assert "longer than the 1 seconds" in json.loads(replies[0][1])["error"]
        # The next one is answered again, after a restart; also if the idle process was ended from outside.
        assert (await workers.ask("analyse", {"board": "#1#"}))[0] == 200
        (process,) = multiprocessing.active_children()
        assert process.pid != slow.pid
        os.kill(process.pid, 9)
        process.join(5)
        assert (await workers.ask("analyse", {"board": "#1##"}))[0] == 200

    asyncio.run(asyncio.wait_for(_with_workers(limits, use), 60))
    assert not multiprocessing.active_children()


def test_equal_questions_are_answered_once_and_answers_are_kept(monkeypatch):
    asked = []

    class Worker:
        def __init__(self, limits):
            pass

        def start(self):
            pass

        end = start

        def ask(self, question, values):
            asked.append(values["board"])
            return 200, b"{}"

    monkeypatch.setattr("mines_dd.serve.workers._Worker", Worker)

    async def use(workers):
        replies = await asyncio.gather(*(workers.ask("analyse", {"board": "#1#"}) for _ in range(5)))
        assert replies == [(200, b"{}")] * 5
        await workers.ask("analyse", {"board": "#1#"})
        await workers.ask("analyse", {"board": "#2#"})
        assert asked == ["#1#", "#2#"]

    asyncio.run(_with_workers(Limits(), use))
