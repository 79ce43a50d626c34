"""Diagrams and circuits can be drawn: they build a `Drawing`, which is written as DOT or SVG."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any

from mines_dd.diagrams.dot import to_dot
from mines_dd.diagrams.drawing import Drawing
from mines_dd.diagrams.svg import SMALL, require_small, to_svg

__all__ = ["Drawable"]


class Drawable(ABC):
    """The base of everything that can be drawn: diagrams and circuits."""

    @property
    @abstractmethod
    def drawn_size(self) -> int:
        """The number of things to draw: nodes, and terms or items if they are drawn, too."""

    @abstractmethod
    def drawing(self, *args: Any, **options: Any) -> Drawing:
        """Return the drawing; the options are those of `to_dot` and `to_svg`."""

    def to_dot(self, **options: Any) -> str:
        """Return the drawing in the DOT language, for Graphviz.

        Examples
        --------
        >>> from mines_dd import Board, solve
        >>> print(solve(Board.parse("##/#3"), "zdd").diagram.to_dot()[:11])
        digraph zdd
        """
        return to_dot(self.drawing(**options))

    def to_svg(self, **options: Any) -> str:
        """Return the drawing as an SVG document, laid out without Graphviz.

        Raises
        ------
        MinesError
            If it is larger than `mines_dd.diagrams.svg.LARGEST`; use `to_dot` then.

        Examples
        --------
        >>> from mines_dd import Board, solve
        >>> print(solve(Board.parse("##/#3"), "zdd").diagram.to_svg()[:4])
        <svg
        """
        require_small(self.drawn_size)
        return to_svg(self.drawing(**options))

    def _repr_svg_(self) -> str | None:
        """A small drawing, for notebooks."""
        return self.to_svg() if self.drawn_size <= SMALL else None
