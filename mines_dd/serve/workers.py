"""Worker processes that compute the answers: no answer can hang or crash the server."""

from __future__ import annotations

import asyncio
import contextlib
import json
import math
import multiprocessing
import os
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

    One more process compiles, on a new machine, what they need; until it is through they are slower.  While no process
    is ready, every question is answered at once: that it may be asked again soon.

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
        self._ready = 0  # processes that can be asked
        self._compiler: BaseProcess | None = None
        self._starting: set[asyncio.Task[None]] = set()
        self._places = asyncio.Semaphore(1)  # for processes that start
        self._fatal: set[str] = set()  # questions at which a process ended
        self._patient: set[asyncio.Timeout] = set()

    @contextlib.asynccontextmanager
    async def running(self) -> AsyncIterator[Workers]:
        """Start the processes in the background; at the end of the context, end them."""
        for worker in self._workers:
            self._start(worker)
        if os.environ.get("MINES_DD_BESIDE") != "off":
            self._compiler = await asyncio.to_thread(_new_process, _compile)
        try:
            yield self
        finally:
            self.end()
            await asyncio.gather(*self._starting)

    def _start(self, worker: _Worker) -> None:
        """Start a process in the background; nobody waits for it, or is lent it, before it is ready."""
        task = asyncio.create_task(self._started(worker))
        self._starting.add(task)
        task.add_done_callback(self._starting.discard)

    async def _started(self, worker: _Worker) -> None:
        async with self._places:  # one at a time: the first is ready sooner
            with contextlib.suppress(EOFError, OSError):  # one that could not start is started again when it is lent
                await asyncio.to_thread(worker.start)
        self._ready += 1
        self._turns.give_back(worker)

    def end(self) -> None:
        """End the processes for good; questions under way are refused, and no client is waited for."""
        for timeout in self._patient:
            timeout.reschedule(0.0)
        for worker in self._workers:
            worker.end()
        if self._compiler is not None:
            self._compiler.kill()
            self._compiler.join()

    @contextlib.asynccontextmanager
    async def patience(self) -> AsyncIterator[None]:
        """Wait for what a client has to send, at most so long, and not beyond the end.

        Raises
        ------
        TimeoutError
            If it has not come.
        """
        async with asyncio.timeout(self.limits.patience) as timeout:
            self._patient.add(timeout)
            try:
                yield
            finally:
                self._patient.discard(timeout)

    @property
    def seconds_to_wait(self) -> int:
        """After how many seconds it is worth asking again."""
        return min(max(1, round(self._turns.waiting * self._usual / self.limits.workers)), 30)

    async def ask(self, question: str, values: Mapping[str, Any], client: Client = ("", ""), about: str = "") -> Reply:
        """Return the answer to a question, or that the server is busy, within `3 * patience + 2 * seconds`.

        `client` and `about` are those of `Turns.take`.
        """
        if not self._ready:
            return self._later()
        key = json.dumps([question, values], sort_keys=True)
        known = self._known.get(key, time.monotonic())
        if known is not None:
            return known
        if key not in self._asked:
            task = asyncio.create_task(self._answered(key, question, values, client, about))
            self._asked[key] = task
            task.add_done_callback(lambda _: self._asked.pop(key))
        return await asyncio.shield(self._asked[key])

    def _later(self) -> Reply:
        """The reply that asks a client to come again."""
        if not self._ready:
            return _encoded((503, {"error": "The engine is starting; ask again in a second.", "kind": "preparing"}))
        wait = self.seconds_to_wait
        return _encoded((503, {"error": f"The server is busy; ask again in {wait} s.", "kind": "busy"}))

    async def _answered(self, key: str, question: str, values: Mapping[str, Any], client: Client, about: str) -> Reply:
        for _ in range(3):
            try:
                async with asyncio.timeout(self.limits.patience):
                    worker = await self._turns.take(client, about)
            except (TimeoutError, BusyError):
                break
            alive, started = worker.alive, time.monotonic()
            reply = await self._reply_of(worker, question, values, client)
            now = time.monotonic()
            if worker.ended:
                return reply or _encoded((503, {"error": "The server has been ended.", "kind": "busy"}))
            if reply is None and key in self._fatal:
                # Most likely the system ends the process because it is out of memory.
                reply = _encoded(too_costly(math.inf, "bytes", self.limits, question))
            if reply is not None:
                self._usual += (now - started - self._usual) / 20
                if reply[0] == 200 or question != "deal":  # it may go better once all is compiled
                    self._known.put(key, reply, now, now - started < self.limits.seconds * _QUICK)
                return reply
            if alive:  # it ended at this question, perhaps by chance: the question is asked once more
                self._fatal = {key} if len(self._fatal) > _FATAL else self._fatal | {key}
        return self._later()

    async def _reply_of(
        self, worker: _Worker, question: str, values: Mapping[str, Any], client: Client
    ) -> Reply | None:
        """The reply of a worker, or None if its process has ended; it is given back, or started again before."""
        started = time.monotonic()
        try:
            return await asyncio.to_thread(worker.ask, question, values)
        finally:
            self._turns.charge(client, time.monotonic() - started)
            if worker.alive or worker.ended:
                self._turns.give_back(worker)
            else:
                self._ready -= 1
                self._start(worker)


_QUICK = 0.25  # of the limit: an answer of which nothing was left out for lack of time
_FATAL = 100  # questions at which a process ended that are remembered
_KEPT = 32 * 2**20  # bytes of answers


class Replies:
    """The last replies, as many as fit in some bytes.  A refusal, or one that was not `quick`, holds for a minute.

    A move may have been weighed for as long as there was time, which does more once all is compiled.

    Examples
    --------
    >>> replies = Replies(5)
    >>> replies.put("a", (200, b"123"), now=0.0)
    >>> replies.put("b", (200, b"45"), now=0.0)
    >>> replies.put("c", (422, b"6"), now=0.0)
    >>> replies.put("d", (200, b"7"), now=0.0, quick=False)
    >>> [replies.get(key, now=50.0) for key in "abcd"]
    [None, (200, b'45'), (422, b'6'), (200, b'7')]
    >>> [replies.get(key, now=100.0) for key in "abcd"]
    [None, (200, b'45'), None, None]
    """

    def __init__(self, most: int) -> None:
        self._most = most
        self._bytes = 0
        self._kept: dict[str, tuple[Reply, float]] = {}

    def get(self, key: str, now: float) -> Reply | None:
        """Return what was replied, or None."""
        reply, until = self._kept.get(key, (None, math.inf))
        return reply if now < until else None

    def put(self, key: str, reply: Reply, now: float, quick: bool = True) -> None:
        """Keep a reply; the oldest have to go."""
        if reply[0] >= 500:
            return
        self._forget(key)
        self._kept[key] = reply, math.inf if reply[0] == 200 and quick else now + 60
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
        self._late = False  # whether the process before took too long
        self._process: BaseProcess | None = None
        self._pipe: Connection
        self._lock = threading.Lock()  # held to start the process, and to end it
        self.ended = False

    def start(self) -> None:
        """Start the process and wait until it is ready."""
        with self._lock:
            if self.ended:
                raise OSError("ended")
            self._pipe, theirs = _PROCESSES.Pipe()
            self._process = _new_process(_work, theirs, self._limits, self._late)
            theirs.close()
        self._pipe.recv()

    @property
    def alive(self) -> bool:
        """Whether there is a process."""
        process = self._process
        return process is not None and process.is_alive()

    def ask(self, question: str, values: Mapping[str, Any]) -> Reply | None:
        """Return the answer, a refusal if it takes too long, or None if the process has ended."""
        if self._process is not None:
            with contextlib.suppress(EOFError, OSError):
                self._pipe.send((question, dict(values)))
                if self._pipe.poll(self._limits.seconds):
                    reply: Reply = self._pipe.recv()
                    return reply
                self._kill()
                self._late = True
                return _encoded(too_costly(math.inf, "seconds", self._limits, question))
            self._kill()
        return None

    def end(self) -> None:
        """End the process for good."""
        self.ended = True
        self._kill()

    def _kill(self) -> None:
        with self._lock:
            if self._process is not None:
                self._process.kill()
                self._process.join()
                self._pipe.close()
                self._process = None


def _new_process(function: Callable[..., None], *args: Any) -> BaseProcess:
    """A new process that runs a function, and ends when this one does, however that ends."""
    process = _PROCESSES.Process(target=_run, args=(function, *args), daemon=True)
    with _interrupts_blocked():
        process.start()
    return process


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


def _run(function: Callable[..., None], *args: Any) -> None:
    server = multiprocessing.parent_process()
    assert server is not None

    def end() -> None:
        server.join()
        os._exit(1)

    threading.Thread(target=end, daemon=True).start()
    function(*args)


def _work(pipe: Connection, limits: Limits, late: bool) -> None:
    """The main function of a process: say that it is ready, and then answer until the server is gone."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # only the server handles Ctrl-C
    with contextlib.suppress(EOFError, OSError):
        _load(limits, late)
        _bound_memory(limits.memory)
        pipe.send(None)
        while True:
            question, values = pipe.recv()
            pipe.send(_encoded(answer(question, values, limits)))


_PATIENCE = 20.0  # a kernel is interpreted for a minute, say, before a worker compiles it itself


def _load(limits: Limits, late: bool) -> None:
    """Load what every answer needs; what is compiled is left to another process.

    Where one before took too long, perhaps to load the kernels of a deal, they are loaded now: otherwise the next one
    takes too long for the same reason.
    """
    import numba  # noqa: F401

    from mines_dd.base.jit import Kernel

    Kernel.patience = _PATIENCE
    answer("analyse", {"board": "mines: 1/#1#"}, limits)
    if late:
        expert = {"rows": 16, "cols": 30, "mines": 99, "first": [5, 5], "seed": 3, "no_guess": True}
        answer("deal", expert, limits)
        answer("analyse", {"board": _MIDDLE}, limits)


_MIDDLE = "mines: 10/" + "/".join(["#########"] * 4 + ["####1####"] + ["#########"] * 4)  # a guess to be weighed


def _compile() -> None:
    """The main function of the process that compiles what boards of all sizes need, and answers nothing."""
    from mines_dd.base.jit import all_compiled
    from mines_dd.board.board import Board

    signal.signal(signal.SIGINT, signal.SIG_IGN)
    os.environ.setdefault("MINES_DD_BESIDE", "on")
    if hasattr(os, "nice"):
        os.nice(10)
    limits = Limits(seconds=3600)
    large = Board.random(100, 100, 0.2, 0.3, 1)  # too large for fractions
    game = {"rows": 9, "cols": 9, "mines": 10, "first": [4, 4], "seed": 0}
    with all_compiled():
        answer("analyse", {"board": _MIDDLE}, limits)
        answer("deal", {**game, "no_guess": True}, limits)
        answer("analyse", {"board": "mines: 2/#1###"}, limits)
        answer("analyse", {"board": large.to_text()}, limits)
        answer("explain", {"board": "#1#/#2#/#1#", "cell": [1, 0]}, limits)
        answer("deal", {**game, "no_guess": False}, limits)


def _bound_memory(size: int) -> None:
    """Limit this process to `size` bytes more than it has now, if the system supports it."""
    try:
        import resource

        with open("/proc/self/statm", encoding="ascii") as file:
            used = resource.getpagesize() * int(file.read().split()[0])
        resource.setrlimit(resource.RLIMIT_AS, (used + size, used + size))
    except (ImportError, OSError, ValueError):
        pass
