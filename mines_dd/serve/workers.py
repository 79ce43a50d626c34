"""Worker processes that compute the answers: no answer can hang or crash the server."""

from __future__ import annotations

import asyncio
import contextlib
import json
import math
import multiprocessing
import signal
from collections.abc import AsyncIterator, Mapping
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess
from typing import Any

from mines_dd.serve.answers import Answer, Limits, answer, too_costly

__all__ = ["Workers"]

Reply = tuple[int, bytes]
"""An HTTP status and JSON."""

# Spawned, not forked: a forked copy of a process with threads may inherit a lock that nobody releases.
_PROCESSES = multiprocessing.get_context("spawn")


class Workers:
    """A fixed number of processes with a bounded queue.

    Examples
    --------
    >>> async def count():
    ...     async with Workers(Limits(workers=1)).running() as workers:
    ...         return await workers.ask("analyse", {"board": "#1#"})
    """

    def __init__(self, limits: Limits) -> None:
        self._limits = limits
        self._waiting = 0
        self._idle: asyncio.Queue[_Worker] = asyncio.Queue()

    @contextlib.asynccontextmanager
    async def running(self) -> AsyncIterator[Workers]:
        """Start the processes and warm them up; at the end of the context, end them."""
        workers = [_Worker(self._limits) for _ in range(self._limits.workers)]
        try:
            # One after the other: on a new machine the first one compiles the kernels for all.
            for worker in workers:
                await asyncio.to_thread(worker.start)
                self._idle.put_nowait(worker)
            yield self
        finally:
            for worker in workers:
                worker.end()

    async def ask(self, question: str, values: Mapping[str, Any]) -> Reply:
        """Return the answer to a question within `patience + seconds`, plus the time to restart a worker."""
        if self._waiting >= self._limits.queue:
            return _encoded(_BUSY)
        self._waiting += 1
        try:
            async with asyncio.timeout(self._limits.patience):
                worker = await self._idle.get()
        except TimeoutError:
            return _encoded(_BUSY)
        finally:
            self._waiting -= 1
        # The worker is idle again when its thread is done, even if this request is cancelled before.
        work = asyncio.ensure_future(asyncio.to_thread(worker.ask, question, values))
        work.add_done_callback(lambda _: self._idle.put_nowait(worker))
        return await asyncio.shield(work)


_BUSY: Answer = (503, {"error": "The server is busy; try again in a few seconds.", "kind": "busy"})


class _Worker:
    """One process.  Its methods block; only one thread uses it at a time."""

    def __init__(self, limits: Limits) -> None:
        self._limits = limits
        self._process: BaseProcess | None = None
        self._pipe: Connection
        self._ended = False

    def start(self) -> None:
        """Start the process and wait until it is warm."""
        self._pipe, theirs = _PROCESSES.Pipe()
        self._process = _PROCESSES.Process(target=_work, args=(theirs, self._limits), daemon=True)
        self._process.start()
        theirs.close()
        self._pipe.recv()

    def ask(self, question: str, values: Mapping[str, Any]) -> Reply:
        """Return the answer, or a refusal if it takes too long or the process ends."""
        try:
            if self._process is None and not self._ended:
                self.start()
            self._pipe.send((question, dict(values)))
            if self._pipe.poll(self._limits.seconds):
                reply: Reply = self._pipe.recv()
                return reply
            unit = "seconds"
        except (EOFError, OSError):
            # Most likely the system ended the process because it was out of memory.
            unit = "bytes"
        self._kill()
        return _encoded(too_costly(math.inf, unit, self._limits))

    def end(self) -> None:
        """End the process for good."""
        self._ended = True
        self._kill()

    def _kill(self) -> None:
        if self._process is not None:
            self._process.kill()
            self._process.join()
            self._pipe.close()
            self._process = None


def _encoded(answer: Answer) -> Reply:
    status, value = answer
    return status, json.dumps(value, separators=(",", ":")).encode()


def _work(pipe: Connection, limits: Limits) -> None:
    """The main function of a process: answer questions until the server is gone."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # only the server handles Ctrl-C
    _warm_up()
    _bound_memory(limits.memory)
    pipe.send(None)
    with contextlib.suppress(EOFError, OSError):
        while True:
            question, values = pipe.recv()
            pipe.send(_encoded(answer(question, values, limits)))


def _warm_up() -> None:
    """Load what boards of all sizes need (on a new machine, compile it), so that no client has to wait for it."""
    from mines_dd.board.board import Board

    limits = Limits(seconds=3600)
    large = Board.random(60, 60, 0.2, 0.5, 0)
    middle = "mines: 10/" + "/".join(["#########"] * 4 + ["####1####"] + ["#########"] * 4)  # a guess to be weighed
    for board in (large.to_text(), middle, "mines: 2/#1###"):
        answer("analyse", {"board": board}, limits)
    answer("explain", {"board": "#1#/#2#/#1#", "cell": [1, 0]}, limits)
    for no_guess in (False, True):
        game = {"rows": 9, "cols": 9, "mines": 10, "first": [4, 4], "seed": 0, "no_guess": no_guess}
        answer("deal", game, limits)


def _bound_memory(size: int) -> None:
    """Limit this process to `size` bytes more than it has now, if the system supports it."""
    try:
        import resource

        with open("/proc/self/statm", encoding="ascii") as file:
            used = resource.getpagesize() * int(file.read().split()[0])
        resource.setrlimit(resource.RLIMIT_AS, (used + size, used + size))
    except (ImportError, OSError, ValueError):
        pass
