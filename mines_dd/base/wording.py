"""How numbers, places and lists are said in sentences."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Sequence
from decimal import ROUND_HALF_UP, Decimal
from math import log10

__all__ = ["are", "bounded", "counted", "figures", "gibibytes", "listed", "meant", "place", "rounded", "shown"]


def counted(number: float, thing: str, things: str = "") -> str:
    """Return a number of things; `things` is the plural where it is not `thing` with an s.

    Examples
    --------
    >>> counted(1, "node"), counted(1234, "node"), counted(0, "vertex", "vertices")
    ('1 node', '1,234 nodes', '0 vertices')
    """
    form = ",g" if isinstance(number, float) else ","
    return f"{figures(number, form)} {thing if number == 1 else things or thing + 's'}"


def figures(number: float, form: str = "") -> str:
    """Return a number in this form; of one with more digits than Python writes out, or too large for it, its size.

    Examples
    --------
    >>> figures(1234, ","), figures(10**9999)
    ('1,234', 'about 10^9999')
    """
    try:
        return format(number, form)
    except (ValueError, OverflowError):
        return f"about {'-' * (number < 0)}10^{log10(abs(number)):.0f}"


def gibibytes(size: float) -> str:
    """Return a number of bytes in GiB; what no double holds is said as 1e300 bytes.

    Examples
    --------
    >>> gibibytes(3 * 2**29), gibibytes(2**80)
    ('1.5 GiB', '1.1e+15 GiB')
    """
    return format(min(size, 1e300) / 2**30, ",.1f" if size < 2**60 else ".1e") + " GiB"


def shown(value: object, most: int = 80) -> str:
    """Return how a wrong value is shown in a sentence: in one line, and of a long one only the beginning.

    Examples
    --------
    >>> shown([1, 2]), shown("x" * 100)[-4:]
    ('[1, 2]', 'x...')
    >>> shown(10**9999)
    'about 10^9999'
    """
    try:
        text = figures(value) if type(value) is int else " ".join(repr(value).split())
    except Exception:
        return f"a value of type {type(value).__name__}"
    return text if len(text) <= most else text[: most - 3] + "..."


def bounded(least: float | None = None, most: float | None = None, above: float | None = None) -> str:
    """Return what bounds a number has, to be said after it; nothing without bounds.

    Examples
    --------
    >>> bounded(1, 15), bounded(above=0), bounded()
    (' of at least 1 and at most 15', ' greater than 0', '')
    """
    bounds = {"of at least": least, "greater than": above, "at most": most}
    said = " and ".join(f"{word} {bound:,}" for word, bound in bounds.items() if bound is not None)
    return said and " " + said


def are(number: float) -> str:
    """Return the verb that goes with a number.

    Examples
    --------
    >>> are(1), are(2)
    ('is', 'are')
    """
    return "is" if number == 1 else "are"


def listed(things: Sequence[str]) -> str:
    """Return some things as a list in a sentence.

    Examples
    --------
    >>> listed(["a"]), listed(["a", "b"]), listed(["a", "b", "c"])
    ('a', 'a and b', 'a, b and c')
    """
    return " and ".join([", ".join(things[:-1]), things[-1]] if len(things) > 1 else things)


def meant(word: str, known: Iterable[str]) -> str:
    """Return which of the known words was meant, to be said after an error; nothing if none is near.

    Examples
    --------
    >>> meant("BDD", ["bdd", "zdd"]), meant("bdt", ["bdd", "tree"]), meant("x", ["bdd"])
    ("; did you mean 'bdd'?", "; did you mean 'bdd'?", '')
    """
    near = difflib.get_close_matches(word.lower(), known, 1)
    return f"; did you mean {near[0]!r}?" if near else ""


def place(cell: tuple[int, int]) -> str:
    """Return where a cell is.

    Examples
    --------
    >>> place((0, 1))
    'row 0, column 1'
    """
    return f"row {figures(cell[0])}, column {figures(cell[1])}"


def rounded(number: float, digits: int = 0) -> str:
    """Return a number with so many decimals; halves are rounded up, as people do and the page does.

    Examples
    --------
    >>> rounded(11.25, 1), rounded(12.5), rounded(0, 8)
    ('11.3', '13', '0.00000000')
    """
    return format(Decimal(float(number)).quantize(Decimal(1).scaleb(-digits), ROUND_HALF_UP), "f")
