"""Who is next: things lent to clients in turn, and a bounded number of clients that wait for them.

Two clients and one worker: A asks four times, then B asks once.  The order is A, B, A, A, A, as A had its turn.

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

_REMEMBERED = 10_000  # clients whose last turn is known


class BusyError(Exception):
    """Raised to a client that cannot wait: too many do, or it asked something newer."""


class _Waiting(NamedTuple):
    client: Client
    about: str
    turn: asyncio.Future[Any]  # the thing, once it is lent


class Turns(Generic[Thing]):
    """Lend some things, each to one client at a time.

    Whose address had its last turn longest ago is next; at one address, whose page had.  If too many wait, the one who
    came last from the address with the most waiting has to go.

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
        self._turn = 0
        self._last: dict[Client | str, int] = {}  # the number of the last turn, of each address and of each page

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
        last = self._last
        one = min(waiting, key=lambda one: (last.get(one.client[0], 0), last.get(one.client, 0)))
        self._waiting.remove(one)
        self._note(one.client)
        one.turn.set_result(thing)

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
        self._turn += 1
        for name in (client[0], client):
            self._last.pop(name, None)  # the names stay in the order of their turns
            self._last[name] = self._turn
        while len(self._last) > _REMEMBERED:
            del self._last[next(iter(self._last))]
