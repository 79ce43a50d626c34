"""Who is next: things lent to clients in turn, and a bounded number of clients that wait for them.

Two clients and one worker: A asks four times, then B asks once.  The order is A, B, A, A, A, as A had its turn.  If B's
question takes 5 seconds, it does not have another turn before A has used as many (start-time fair queueing, P. Goyal,
H. M. Vin, H. Cheng 1996: who has used least is next, and time that is not used is not saved up).

>>> import asyncio
>>> async def order():
...     turns, served = Turns(["worker"], most=9), []
...     async def ask(client):
...         worker = await turns.take((client, ""))
...         served.append(client)
...         turns.give_back(worker)
...     await turns.take(("someone else", ""))  # busy
...     asked = [asyncio.ensure_future(ask(client)) for client in "AAAAB"]
...     await asyncio.sleep(0)
...     turns.give_back("worker")
...     await asyncio.gather(*asked)
...     return "".join(served)
>>> asyncio.run(order())
'ABAAA'
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Iterable
from typing import Any, Generic, NamedTuple, TypeVar

__all__ = ["BusyError", "Client", "Turns"]

Thing = TypeVar("Thing")
Client = tuple[str, str]
"""Where a question comes from: an address, and a page there ("" if it does not say)."""

_REMEMBERED = 10_000  # clients whose use is known
_TURN = 0.01  # seconds that every turn counts, so that quick questions take turns, too


class BusyError(Exception):
    """Raised to a client that cannot wait: too many do, or it asked something newer."""


class _Waiting(NamedTuple):
    client: Client
    about: str
    turn: asyncio.Future[Any]  # the thing, once it is lent


class Turns(Generic[Thing]):
    """Lend some things, each to one client at a time.

    Whose address has used the least time is next; at one address, whose page has.  If too many wait, the one who came
    last from the address with the most waiting has to go.

    Parameters
    ----------
    things : iterable
    most : int
        Clients that may wait.
    """

    def __init__(self, things: Iterable[Thing], most: int) -> None:
        self._free = list(things)
        self._most = most
        self._waiting: list[_Waiting] = []
        self._now = 0.0  # seconds used by whoever has used least, when the last turn began
        self._used: dict[Client | str, float] = {}  # seconds, of each address and of each page; less than now is now

    @property
    def waiting(self) -> int:
        """How many wait."""
        return len(self._waiting)

    async def take(self, client: Client, about: str = "") -> Thing:
        """Wait for a thing and return it; give it back afterwards.

        Parameters
        ----------
        client : Client
        about : str
            What the question is about.  A client that asks another one about this no longer waits for the first; "" is
            about nothing in particular.

        Raises
        ------
        BusyError
            If the client cannot wait.
        """
        if self._free:  # then nobody waits
            self._note(client)
            return self._free.pop()
        return await self._wait(_Waiting(client, about, asyncio.get_running_loop().create_future()))

    def give_back(self, thing: Thing) -> None:
        """Give a thing back; it goes to the next client."""
        waiting = [one for one in self._waiting if not one.turn.done()]  # others have given up, but do not know it yet
        if not waiting:
            self._free.append(thing)
            return
        one = min(waiting, key=lambda one: (self._use(one.client[0]), self._use(one.client)))
        self._waiting.remove(one)
        self._note(one.client)
        one.turn.set_result(thing)

    def charge(self, client: Client, seconds: float) -> None:
        """Count the seconds that a client had something, before that is given back."""
        for name in (client[0], client):
            self._used[name] = self._use(name) + seconds

    async def _wait(self, one: _Waiting) -> Thing:
        if one.about:
            for other in self._waiting:
                if (other.client, other.about) == (one.client, one.about):
                    self._send_away(other)
                    break
        self._waiting.append(one)
        if len(self._waiting) > self._most:
            crowd = Counter(other.client[0] for other in self._waiting)
            self._send_away(max(reversed(self._waiting), key=lambda other: crowd[other.client[0]]))
        try:
            thing: Thing = await one.turn
        except asyncio.CancelledError:
            if one in self._waiting:
                self._waiting.remove(one)
            elif not one.turn.cancelled() and one.turn.exception() is None:
                self.give_back(one.turn.result())  # lent to a client that has left
            raise
        return thing

    def _send_away(self, one: _Waiting) -> None:
        self._waiting.remove(one)
        if not one.turn.done():
            one.turn.set_exception(BusyError())

    def _note(self, client: Client) -> None:
        """Note that a client has its turn."""
        address, page = self._use(client[0]), self._use(client)
        self._now = address
        for name, used in ((client[0], address), (client, page)):
            self._used.pop(name, None)  # the names stay in the order of their turns
            self._used[name] = used + _TURN
        while len(self._used) > _REMEMBERED:
            del self._used[next(iter(self._used))]

    def _use(self, name: Client | str) -> float:
        return max(self._now, self._used.get(name, 0.0))
