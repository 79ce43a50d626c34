"""Boards that several tests use, where the files of the repository are, and texts made of boards."""

from __future__ import annotations

from pathlib import Path

from hypothesis import strategies as st

from mines_dd.base.errors import BoardFormatError
from mines_dd.board.board import Board

ROOT = Path(__file__).parents[1]
DATA = ROOT / "data"

# The boards of the paper; that of figure 4 is taken to be figure 10's.
FIGURE_9 = Board.read(DATA / "figure9.txt")
FIGURE_10 = Board.read(DATA / "figure10.txt")


def independent_hints(n: int) -> Board:
    """A board of n independent hints, each with 4 mines on 8 cells: 70 ** n assignments."""
    return Board(("###*" * n, "#4#*" * n, "###*" * n))


# Three of its numbers cannot hold together.
CONFLICT = "######\n#1#41#\n######\n#22###\n######"

SEEDS = st.integers(0, 10**6)
GRIDS = st.integers(1, 8).flatmap(
    lambda cols: st.lists(st.text("#F*012345678", min_size=cols, max_size=cols), min_size=1, max_size=8)
)


@st.composite
def positions(draw, total=st.integers) -> Board:
    """What a player may see, with a total of mines that it may have."""
    grid = tuple(draw(GRIDS))
    text = "".join(grid)
    known = text.count("*")
    return Board(grid, draw(total(known, known + text.count("#") + text.count("F"))))


def attempt(read, what) -> tuple[Board | None, BoardFormatError | None]:
    """What a parser makes of its input: (board, None), or (None, the one kind of error that it documents)."""
    try:
        return read(what), None
    except BoardFormatError as error:
        return None, error


def rawvf(board: Board, events: list[tuple[str, int, int]], *settings: str, square: int = 16) -> str:
    """A replay of events at (kind, row, column)."""
    rows, cols = board.size
    lines = ["RawVF_Version: Rev6", "Player: a: b", f"Width: {cols}", f"Height: {rows}", f"Mines: {board.mines}"]
    lines += [*settings, "Board:"]
    lines += ["".join("*" if (r, c) in board.layout else "0" for c in range(cols)) for r in range(rows)]
    lines.append("Events:")
    for i, (kind, r, c) in enumerate(events):
        lines.append(f"{i}.{i % 10}00 {kind} {c + 1} {r + 1} ({c * square + 3} {r * square + square - 1})")
    return "\n".join(lines) + "\n"


def click(*cells: tuple[int, int]) -> list[tuple[str, int, int]]:
    """The events of clicks on cells, one after the other."""
    return [(kind, r, c) for r, c in cells for kind in ("lc", "lr")]
