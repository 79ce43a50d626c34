"""What a problem says to the builder: its items, its configurations, and where arcs end."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from enum import IntEnum
from typing import Protocol, TypeVar

__all__ = ["End", "Problem"]

C = TypeVar("C", bound=Hashable)


class End(IntEnum):
    """Where a pruned arc ends."""

    F = 0
    """⊥: no continuation is a solution."""
    T_ZDD = 1
    """⊤ read as in a ZDD: the one solution from here takes no further item."""
    T_BDD = 2
    """⊤ read as in a BDD: every further item is free."""

    @property
    def sign(self) -> str:
        """How it is written in drawings and tables."""
        return ("⊥", "⊤ ZDD", "⊤ BDD")[self]


class Problem(Protocol[C]):
    """Some of the subsets of `items`, by what has to be remembered while they are decided one after the other."""

    @property
    def items(self) -> Sequence[Hashable]:
        """The items in the order of decision; level i decides item i."""

    @property
    def root(self) -> C:
        """The configuration before the first decision."""

    def child(self, configuration: C, level: int, taken: bool) -> C:
        """Return the configuration after item `level` is taken or left, from the one before."""

    def prune(self, configuration: C, level: int) -> End | None:
        """Return where an arc to this configuration ends if that is known when items `level`, ... are undecided.

        After the last item (`level` is the number of items) it has to be known.
        """
