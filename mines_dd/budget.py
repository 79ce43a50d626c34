"""Limits on a compilation: nodes and seconds."""

from __future__ import annotations

import time
from dataclasses import dataclass, field

from mines_dd.errors import BudgetExceededError

__all__ = ["Budget"]


@dataclass(frozen=True)
class Budget:
    """How many nodes a compilation may make, and how long it may take.

    Attributes
    ----------
    max_nodes : int, optional
        Nodes (states, table entries) alive or kept at any moment.
    timeout : float, optional
        Seconds from the making of this object.
    """

    max_nodes: int | None = None
    timeout: float | None = None
    started: float = field(default_factory=time.monotonic)

    @property
    def seconds_left(self) -> float:
        """Seconds until the limit; infinite without one."""
        return float("inf") if self.timeout is None else self.started + self.timeout - time.monotonic()

    def check(self, nodes: int) -> None:
        """Raise `BudgetExceededError` if `nodes` are too many or the time is over."""
        if self.max_nodes is not None and nodes > self.max_nodes:
            raise BudgetExceededError(
                f"the compilation needs more than {nodes:,} nodes and {self.max_nodes:,} are allowed; "
                "allow more, or use another order or method",
                needed=nodes,
                allowed=self.max_nodes,
                unit="nodes",
            )
        if self.seconds_left < 0:
            raise BudgetExceededError(
                f"the compilation was not done after {self.timeout:g} seconds; "
                "allow more time, or use another order or method",
                needed=time.monotonic() - self.started,
                allowed=self.timeout,
                unit="seconds",
            )
