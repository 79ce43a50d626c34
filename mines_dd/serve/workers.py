"""Processes that work out answers, so that none can hang or crash the server."""

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

# Without a shared state of any kind: a forked copy of a server with threads could inherit a held lock.
_PROCESSES = multiprocessing.get_context("spawn")


class Workers:
    """A fixed number of processes and a bounded queue before them.

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
        """Have the processes started and warm, and in the end ended."""
        workers = [_Worker(self._limits) for _ in range(self._limits.workers)]
        try:
            # One after the other: the first compiles kernels on a new machine, the others find them.
            for worker in workers:
                await asyncio.to_thread(worker.start)
                self._idle.put_nowait(worker)
            yield self
        finally:
            for worker in workers:
                worker.end()

    async def ask(self, question: str, values: Mapping[str, Any]) -> Reply:
        """Return the answer to a question, at the latest after `patience + seconds` (and a restart, if need be)."""
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
        # Given back when its thread is done with it, even if this request is cancelled before.
        work = asyncio.ensure_future(asyncio.to_thread(worker.ask, question, values))
        work.add_done_callback(lambda _: self._idle.put_nowait(worker))
        return await asyncio.shield(work)


_BUSY: Answer = (503, {"error": "The server is busy; try again in a few seconds.", "kind": "busy"})


class _Worker:
    """One process; its methods block, and one thread uses it at a time."""

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
        """Return the answer, or a refusal if it takes too long or takes the process down."""
        try:
            if self._process is None and not self._ended:
                self.start()
            self._pipe.send((question, dict(values)))
            if self._pipe.poll(self._limits.seconds):
                reply: Reply = self._pipe.recv()
                return reply
            unit = "seconds"
        except (EOFError, OSError):
            # Most likely ended by the system for want of memory.
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
    """What a process does: answer until the server is gone."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is the server's affair
    _warm_up()
    _bound_memory(limits.memory)
    pipe.send(None)
    with contextlib.suppress(EOFError, OSError):
        while True:
            question, values = pipe.recv()
            pipe.send(_encoded(answer(question, values, limits)))


def _warm_up() -> None:
    """Load, and on a new machine compile, what large boards need: no client's seconds are spent on that."""
    from mines_dd.answers.analysis import analyse
    from mines_dd.board.board import Board

    analyse(Board.random(60, 60, 0.2, 0.5, 0))


def _bound_memory(size: int) -> None:
    """Let this process have `size` bytes more than now, where the system can see to that."""
    try:
        import resource

        with open("/proc/self/statm", encoding="ascii") as file:
            used = resource.getpagesize() * int(file.read().split()[0])
        resource.setrlimit(resource.RLIMIT_AS, (used + size, used + size))
    except (ImportError, OSError, ValueError):
        pass
