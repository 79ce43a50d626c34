"""Worker processes that compute the answers: no answer can hang or crash the server."""

from __future__ import annotations

import asyncio
import contextlib
import json
import math
import multiprocessing
import signal
import threading
import time
from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from multiprocessing import resource_tracker
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess
from typing import Any

from mines_dd.serve.answers import Answer, Limits, answer, too_costly
from mines_dd.serve.turns import BusyError, Client, Turns

__all__ = ["Replies", "Workers"]

Reply = tuple[int, bytes]
"""An HTTP status and JSON."""

# Spawned, not forked: a forked copy of a process with threads may inherit a lock that nobody releases.
_PROCESSES = multiprocessing.get_context("spawn")


class Workers:
    """A fixed number of processes with a bounded queue; equal questions are answered once.

    Until the first process is ready, every question is answered at once with what it still does.

    Examples
    --------
    >>> async def count():
    ...     async with Workers(Limits(workers=1)).running() as workers:
    ...         return await workers.ask("analyse", {"board": "#1#"})
    """

    def __init__(self, limits: Limits) -> None:
        self.limits = limits
        self._workers = [_Worker(limits) for _ in range(limits.workers)]
        self._turns: Turns[_Worker] = Turns((), limits.queue)
        self._asked: dict[str, asyncio.Task[Reply]] = {}  # questions under way
        self._known = Replies(_KEPT)
        self._usual = 0.1  # seconds of an answer, a moving mean
        self._doing: str | None = "starting"  # what the first process does before it is ready; None from then on

    @contextlib.asynccontextmanager
    async def running(self) -> AsyncIterator[Workers]:
        """Start the processes in the background; at the end of the context, end them."""
        starting = asyncio.create_task(self._start())
        try:
            yield self
        finally:
            self.end()
            await starting

    async def _start(self) -> None:
        # One after the other: on a new machine the first one compiles the kernels for all.
        for worker in self._workers:
            with contextlib.suppress(EOFError, OSError):  # one that could not start is started by its first question
                await asyncio.to_thread(worker.start, self._report)
            self._doing = None
            self._turns.give_back(worker)

    def _report(self, doing: str) -> None:
        if self._doing is not None:
            self._doing = doing

    def end(self) -> None:
        """End the processes for good; questions under way are refused."""
        for worker in self._workers:
            worker.end()

    @property
    def seconds_to_wait(self) -> int:
        """After how many seconds it is worth asking again."""
        return min(max(1, round(self._turns.waiting * self._usual / self.limits.workers)), 30)

    async def ask(self, question: str, values: Mapping[str, Any], client: Client = ("", ""), about: str = "") -> Reply:
        """Return the answer to a question within `patience + seconds`, plus the time to restart a worker.

        `client` and `about` are those of `Turns.take`.
        """
        if self._doing is not None:
            what = f"The engine is being prepared ({self._doing}); on a new machine this takes about a minute."
            return _encoded((503, {"error": what, "kind": "preparing"}))
        key = json.dumps([question, values], sort_keys=True)
        known = self._known.get(key, time.monotonic())
        if known is not None:
            return known
        if key not in self._asked:
            task = asyncio.create_task(self._answered(key, question, values, client, about))
            self._asked[key] = task
            task.add_done_callback(lambda _: self._asked.pop(key))
        return await asyncio.shield(self._asked[key])

    async def _answered(self, key: str, question: str, values: Mapping[str, Any], client: Client, about: str) -> Reply:
        try:
            async with asyncio.timeout(self.limits.patience):
                worker = await self._turns.take(client, about)
        except (TimeoutError, BusyError):
            wait = self.seconds_to_wait
            return _encoded((503, {"error": f"The server is busy; ask again in {wait} s.", "kind": "busy"}))
        started = time.monotonic()
        try:
            reply = await asyncio.to_thread(worker.ask, question, values)
        finally:
            self._turns.give_back(worker)
        now = time.monotonic()
        self._usual += (now - started - self._usual) / 20
        self._known.put(key, reply, now)
        return reply


_KEPT = 32 * 2**20  # bytes of answers


class Replies:
    """The last replies, as many as fit in some bytes.  That something was too costly only holds for a minute.

    Examples
    --------
    >>> replies = Replies(5)
    >>> replies.put("a", (200, b"123"), now=0.0)
    >>> replies.put("b", (200, b"45"), now=0.0)
    >>> replies.put("c", (422, b"6"), now=0.0)
    >>> [replies.get(key, now=100.0) for key in "abc"]
    [None, (200, b'45'), None]
    """

    def __init__(self, most: int) -> None:
        self._most = most
        self._bytes = 0
        self._kept: dict[str, tuple[Reply, float]] = {}

    def get(self, key: str, now: float) -> Reply | None:
        """Return what was replied, or None."""
        reply, until = self._kept.get(key, (None, math.inf))
        return reply if now < until else None

    def put(self, key: str, reply: Reply, now: float) -> None:
        """Keep a reply; the oldest have to go."""
        if reply[0] >= 500:
            return
        self._forget(key)
        self._kept[key] = reply, math.inf if reply[0] == 200 else now + 60
        self._bytes += len(reply[1])
        while self._bytes > self._most:
            self._forget(next(iter(self._kept)))

    def _forget(self, key: str) -> None:
        reply, _ = self._kept.pop(key, ((0, b""), 0.0))
        self._bytes -= len(reply[1])


class _Worker:
    """One process.  Its methods block; only one thread uses it at a time, but any may end it."""

    def __init__(self, limits: Limits) -> None:
        self._limits = limits
        self._process: BaseProcess | None = None
        self._pipe: Connection
        self._lock = threading.Lock()  # held to start the process, and to end it
        self._ended = False

    def start(self, report: Callable[[str], object] = lambda doing: None) -> None:
        """Start the process and wait until it is ready; `report` is told what it does before."""
        with self._lock:
            if self._ended:
                raise OSError("ended")
            self._pipe, theirs = _PROCESSES.Pipe()
            self._process = _PROCESSES.Process(target=_work, args=(theirs, self._limits), daemon=True)
            with _interrupts_blocked():
                self._process.start()
            theirs.close()
        while (doing := self._pipe.recv()) is not None:
            report(doing)

    def ask(self, question: str, values: Mapping[str, Any]) -> Reply:
        """Return the answer, or a refusal if it takes too long or the process ends twice."""
        for _ in range(2):
            try:
                if self._process is None:
                    self.start()
                self._pipe.send((question, dict(values)))
                if self._pipe.poll(self._limits.seconds):
                    reply: Reply = self._pipe.recv()
                    return reply
                self._kill()
                return _encoded(too_costly(math.inf, "seconds", self._limits))
            except (EOFError, OSError):
                self._kill()  # it ended, perhaps before the question: the next one is asked again
        if self._ended:
            return _encoded((503, {"error": "The server has been ended.", "kind": "busy"}))
        # Most likely the system ends the process because it is out of memory.
        return _encoded(too_costly(math.inf, "bytes", self._limits))

    def end(self) -> None:
        """End the process for good."""
        self._ended = True
        self._kill()

    def _kill(self) -> None:
        with self._lock:
            if self._process is not None:
                self._process.kill()
                self._process.join()
                self._pipe.close()
                self._process = None


@contextlib.contextmanager
def _interrupts_blocked() -> Iterator[None]:
    """Start a process in which Ctrl-C does nothing from its first instruction on, if the system supports it."""
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    resource_tracker.ensure_running()  # its start, which the first process needs, would unblock the signal
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})  # of this thread; processes inherit it
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _encoded(answer: Answer) -> Reply:
    status, value = answer
    return status, json.dumps(value, separators=(",", ":")).encode()


def _work(pipe: Connection, limits: Limits) -> None:
    """The main function of a process: say what it prepares, None, and then answers until the server is gone."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # only the server handles Ctrl-C
    with contextlib.suppress(EOFError, OSError):
        for doing in _warm_up():
            pipe.send(doing)
        _bound_memory(limits.memory)
        pipe.send(None)
        while True:
            question, values = pipe.recv()
            pipe.send(_encoded(answer(question, values, limits)))


def _warm_up() -> Iterator[str]:
    """Load what boards of all sizes need (on a new machine, compile it), so that no client has to wait for it.

    Before each part, say what it is.
    """
    from mines_dd.board.board import Board

    limits = Limits(seconds=3600)
    large = Board.random(100, 100, 0.2, 0.3, 1)  # too large for fractions
    middle = "mines: 10/" + "/".join(["#########"] * 4 + ["####1####"] + ["#########"] * 4)  # a guess to be weighed
    game = {"rows": 9, "cols": 9, "mines": 10, "first": [4, 4], "seed": 0}
    parts: list[tuple[str, str, dict[str, Any]]] = [
        ("large boards", "analyse", {"board": large.to_text()}),
        ("guesses", "analyse", {"board": middle}),
        ("ends of games", "analyse", {"board": "mines: 2/#1###"}),
        ("proofs", "explain", {"board": "#1#/#2#/#1#", "cell": [1, 0]}),
        ("new games", "deal", {**game, "no_guess": False}),
        ("games without guesses", "deal", {**game, "no_guess": True}),
    ]
    for number, (name, question, values) in enumerate(parts, 1):
        yield f"part {number} of {len(parts)}: {name}"
        answer(question, values, limits)


def _bound_memory(size: int) -> None:
    """Limit this process to `size` bytes more than it has now, if the system supports it."""
    try:
        import resource

        with open("/proc/self/statm", encoding="ascii") as file:
            used = resource.getpagesize() * int(file.read().split()[0])
        resource.setrlimit(resource.RLIMIT_AS, (used + size, used + size))
    except (ImportError, OSError, ValueError):
        pass
