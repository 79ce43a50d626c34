"""Limits on a compilation: nodes, seconds, and the machine's memory."""

from __future__ import annotations

import math
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from mines_dd.base.errors import BudgetExceededError

__all__ = ["SMALLER", "Budget", "available_memory", "memory_errors"]

SMALLER = "take a smaller problem"
"""What is always to be had for less."""

# Allocations below this are not worth a look at the machine's memory; and how much of it may be used.
_SMALL_ALLOCATION = 64 * 2**20
_SHARE = 0.9


@dataclass(frozen=True)
class Budget:
    """How many nodes a compilation may make, and how long it may take.

    Attributes
    ----------
    max_nodes : int, optional
        Nodes (states, table entries) alive or kept at any moment.
    timeout : float, optional
        Seconds from the making of this object.
    advice : str
        What else than to allow more the caller can do about what is over the budget.
    """

    max_nodes: int | None = None
    timeout: float | None = None
    started: float = field(default_factory=time.monotonic)
    advice: str = SMALLER

    def reserve(self, size: int) -> None:
        """Raise `BudgetExceededError` if `size` more bytes are not to be had, rather than let the machine swap."""
        if size < _SMALL_ALLOCATION:
            return
        available = available_memory()
        if available is not None and size > _SHARE * available:
            fact = f"the compilation needs {size / 2**30:.1f} GiB more memory and {available / 2**30:.1f} GiB are free"
            raise self._exceeded(fact, size, _SHARE * available, "bytes")

    def refuse(self, nodes: float, seconds: float, size: float) -> None:
        """Raise `BudgetExceededError` at once if the predicted cost is out of reach.

        Predictions are right within a factor of 2 nine times in ten, so only what is twice too much is refused.
        """
        available = available_memory() if size >= _SMALL_ALLOCATION else None
        for needed, allowed, unit in (
            (nodes, self.max_nodes, "nodes"),
            (seconds, self.timeout, "seconds"),
            (size, None if available is None else _SHARE * available, "bytes"),
        ):
            if allowed is not None and needed > 2 * allowed:
                fact = f"the compilation will need about {needed:.3g} {unit} and {allowed:.3g} are allowed"
                raise self._exceeded(fact, needed, allowed, unit)

    @property
    def seconds_left(self) -> float:
        """Seconds until the limit; infinite without one."""
        return float("inf") if self.timeout is None else self.started + self.timeout - time.monotonic()

    def check(self, nodes: int) -> None:
        """Raise `BudgetExceededError` if `nodes` are too many or the time is over."""
        if self.max_nodes is not None and nodes > self.max_nodes:
            fact = f"the compilation needs more than {nodes:,} nodes and {self.max_nodes:,} are allowed"
            raise self._exceeded(fact, nodes, self.max_nodes, "nodes")
        if self.seconds_left < 0:
            fact = f"the compilation was not done after {self.timeout:g} seconds"
            raise self._exceeded(fact, time.monotonic() - self.started, self.timeout, "seconds")

    def _exceeded(self, fact: str, needed: float, allowed: float | None, unit: str) -> BudgetExceededError:
        more = {"nodes": "allow more, or ", "seconds": "allow more time, or "}.get(unit, "")
        return BudgetExceededError(fact, needed=needed, allowed=allowed, unit=unit, advice=more + self.advice)


def available_memory() -> int | None:
    """Return the bytes that can be allocated without swapping, within the process's own limit; None if not known."""
    limits = []
    try:
        with open("/proc/meminfo", encoding="ascii") as file:
            for line in file:
                if line.startswith("MemAvailable:"):
                    limits.append(1024 * int(line.split()[1]))
        import resource

        soft, _ = resource.getrlimit(resource.RLIMIT_AS)
        if soft != resource.RLIM_INFINITY:
            with open("/proc/self/statm", encoding="ascii") as file:
                limits.append(max(0, soft - resource.getpagesize() * int(file.read().split()[0])))
    except (OSError, ImportError, ValueError):
        pass
    return min(limits, default=None)


@contextmanager
def memory_errors(advice: str = SMALLER) -> Iterator[None]:
    """Turn a `MemoryError` into a `BudgetExceededError` with this advice."""
    try:
        yield
    except MemoryError:
        raise BudgetExceededError(
            "this needs more memory than the process may use",
            needed=math.inf,
            allowed=available_memory(),
            unit="bytes",
            advice=advice,
        ) from None
