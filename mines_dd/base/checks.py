"""What a public function takes, checked at its door: anything else gets one sentence, not an error from deep inside."""

from __future__ import annotations

import math
import os
import random
from collections import Counter
from collections.abc import Collection, Hashable, Iterable, Sequence
from contextlib import suppress
from decimal import Decimal
from fractions import Fraction
from numbers import Integral
from typing import Any, cast

from mines_dd.base.errors import GraphFormatError, MinesError
from mines_dd.base.wording import bounded, meant, shown

__all__ = [
    "as_written",
    "clipped",
    "file_name",
    "generator",
    "object_of",
    "plain_number",
    "require",
    "require_choice",
    "require_distinct",
    "require_flag",
    "require_function",
    "require_labels",
    "require_list",
    "require_number",
    "require_whole",
]

_MOST = 10**8  # entries of a list


def clipped(values: range, least: int, most: int) -> range:
    """Return the part of a range from `least` to `most`, however long the range is; a falling one rises then.

    Examples
    --------
    >>> clipped(range(1, 10**30), 0, 3), list(clipped(range(9, -(10**30), -4), 0, 20))
    (range(1, 4), [1, 5, 9])
    """
    rising = values if values.step > 0 else values[::-1]
    first = max(rising.start, least + (rising.start - least) % rising.step)
    return range(first, min(rising.stop, most + 1), rising.step)


def require(
    value: object, kind: type | tuple[type, ...], needed: str, how: str = "", error: type[MinesError] = MinesError
) -> Any:
    """Return a value if it is of this kind; `needed` says what is wanted, `how` how to make it.

    Examples
    --------
    >>> try:
    ...     require(3, str, "the text of a board", "Board.read reads a file")
    ... except MinesError as error:
    ...     print(error)
    the text of a board is needed, not a value of type int; Board.read reads a file
    """
    if isinstance(value, kind) and (kind is not Iterable or _iterates(value)):
        return value
    raise error(f"{needed} is needed, not a value of type {type(value).__name__}{how and '; '}{how}")


def _iterates(value: Any) -> bool:
    """Whether it is as iterable as it says: an array of NumPy without axes is not."""
    try:
        iter(value)
    except TypeError:
        return False
    return True


def file_name(path: object, error: type[MinesError] = MinesError) -> str:
    """Return a path as text.

    Examples
    --------
    >>> from pathlib import PurePosixPath
    >>> file_name(PurePosixPath("boards/expert.txt"))
    'boards/expert.txt'
    """
    return str(require(path, (str, os.PathLike), "the name of a file", error=error))


def generator(seed: object, error: type[MinesError] = MinesError) -> random.Random:
    """Return the random numbers of a seed: a number or a text; for None there is a new one each time.

    Examples
    --------
    >>> generator(1).random() == generator(1).random()
    True
    """
    try:
        return random.Random(int(seed) if isinstance(seed, Integral) else cast(Any, seed))
    except (TypeError, ValueError):
        raise error(f"the seed is {shown(seed)}; give a whole number or a text") from None


def require_flag(value: object, what: str, error: type[MinesError] = MinesError) -> bool:
    """Return a value if it is True or False, or a number that equals one of them, as a bool.

    Examples
    --------
    >>> try:
    ...     require_flag("no", "wraps")
    ... except MinesError as error:
    ...     print(error)
    True or False for wraps is needed, not a value of type str
    """
    with suppress(TypeError, ValueError, ArithmeticError):
        if value in (True, False) and _is_single(value):  # those of NumPy, too
            return bool(value)
    raise error(f"True or False for {what} is needed, not a value of type {type(value).__name__}")


def require_function(value: object, needed: str, error: type[MinesError] = MinesError) -> Any:
    """Return a value if it can be called; `needed` says what is wanted.

    Examples
    --------
    >>> require_function(len, "a function to call")("abc")
    3
    """
    if callable(value):
        return value
    raise error(f"{needed} is needed, not a value of type {type(value).__name__}")


def _is_single(value: object) -> bool:
    """Whether it is no array of several values, nor of one; NumPy may not be loaded for that."""
    return getattr(value, "ndim", 0) == 0


def plain_number(value: Any) -> Any:
    """Return NumPy's numbers as Python's, which do not overflow, and Decimals as Fractions; anything else as it is.

    Examples
    --------
    >>> import numpy as np
    >>> plain_number(np.uint8(200)) + plain_number(np.uint8(100))
    300
    """
    if isinstance(value, Decimal) and value.is_finite():
        return Fraction(value)
    return value.item() if hasattr(value, "item") and _is_single(value) else value


def as_written(value: Any) -> Fraction:
    """Return a number exactly; a double, or a float of NumPy, as the decimal number that it is written as.

    Raises
    ------
    TypeError, ValueError, ArithmeticError
        If it is no finite number.

    Examples
    --------
    >>> as_written(0.1), Fraction(0.1)
    (Fraction(1, 10), Fraction(3602879701896397, 36028797018963968))
    >>> import numpy as np
    >>> as_written(np.float32(0.1))
    Fraction(1, 10)
    """
    number = plain_number(value)
    if isinstance(number, str):
        raise TypeError(f"{number!r} is a text")
    if isinstance(number, float):  # a single of NumPy is written with fewer digits than the double of its value
        return Fraction(str(value[()]) if hasattr(value, "item") else repr(number))
    return Fraction(number)


def object_of(pairs: list[tuple[str, Any]], error: type[MinesError] = MinesError) -> dict[str, Any]:
    """Return the object that JSON has these keys and values of, if each key is there once: the `object_pairs_hook`.

    Examples
    --------
    >>> try:
    ...     object_of([("mines", 1), ("mines", 2)])
    ... except MinesError as error:
    ...     print(error)
    the key 'mines' is there twice; write each once
    """
    value = dict(pairs)
    if len(value) < len(pairs):
        twice = next(key for key in value if sum(key == other for other, _ in pairs) > 1)
        raise error(f"the key {shown(twice)} is there twice; write each once")
    return value


def require_number(value: object, what: str, error: type[MinesError] = MinesError) -> Any:
    """Return a value if it is a real number (not nan), as `plain_number` does.

    Examples
    --------
    >>> try:
    ...     require_number("soon", "the limit of seconds")
    ... except MinesError as error:
    ...     print(error)
    the limit of seconds is 'soon'; give a number
    """
    with suppress(TypeError, ValueError, ArithmeticError):
        number = plain_number(value)
        if _is_single(value) and number <= math.inf:
            return number
    raise error(f"{what} is {shown(value)}; give a number")


def require_whole(
    value: object, what: str, error: type[MinesError] = MinesError, *, least: int | None = None, most: int | None = None
) -> int:
    """Return a value if it is an integer, as an int; it is at least `least` and at most `most`.

    Examples
    --------
    >>> try:
    ...     require_whole(2.5, "the number of rows")
    ... except MinesError as error:
    ...     print(error)
    the number of rows is 2.5; give a whole number
    """
    if isinstance(value, Integral) and (least is None or int(value) >= least) and (most is None or int(value) <= most):
        return int(value)
    raise error(f"{what} is {shown(value)}; give a whole number{bounded(least, most)}")


def require_choice(
    value: Any, known: Collection[str], thing: str, error: type[MinesError] = MinesError, *, otherwise: str = ""
) -> str:
    """Return a value if it is one of the known words; `thing` says what they name, `otherwise` what else may be given.

    Examples
    --------
    >>> try:
    ...     require_choice("BDD", ["bdd", "tree"], "method")
    ... except MinesError as error:
    ...     print(error)
    there is no method 'BDD'; choose bdd or tree; did you mean 'bdd'?
    """
    if isinstance(value, str) and value in known:
        return value
    *others, last = known
    near = meant(value, known) if isinstance(value, str) else ""
    raise error(f"there is no {thing} {shown(value)}; choose {', '.join(others)} or {last}{otherwise}{near}")


def require_list(value: Any, needed: str, error: type[MinesError] = GraphFormatError) -> list[Any]:
    """Return what an iterable yields, but for a range that no memory holds.

    Examples
    --------
    >>> try:
    ...     require_list(range(10**12), "a list of cells")
    ... except MinesError as error:
    ...     print(error)
    a list of cells is needed, of at most 100,000,000 entries
    """
    require(value, Iterable, needed, error=error)
    if isinstance(value, range) and value[_MOST:]:
        raise error(f"{needed.rstrip(',')} is needed, of at most {_MOST:,} entries")
    return list(value)


def require_distinct(
    labels: Sequence[Hashable], what: str, error: type[MinesError] = GraphFormatError, advice: str = ""
) -> None:
    """Refuse a list with a label that stands there twice; the error names the first one, and ends with some advice.

    Examples
    --------
    >>> try:
    ...     require_distinct("abcb", "the order")
    ... except MinesError as error:
    ...     print(error)
    the order has 'b' twice
    """
    if len(set(labels)) < len(labels):
        twice = next(label for label, times in Counter(labels).items() if times > 1)
        raise error(f"{what} has {shown(twice)} twice" + f"; {advice}" * bool(advice))


def require_labels(value: Any, needed: str, error: type[MinesError] = GraphFormatError) -> list[Any]:
    """Return the labels that a list has; they are hashable, as those of a graph are.

    Examples
    --------
    >>> try:
    ...     require_labels([(0, 0), [0, 1]], "a list of cells")
    ... except MinesError as error:
    ...     print(error)
    a list of cells is needed; [0, 1] is a list, which cannot be in it (a tuple can)
    """
    labels = require_list(value, needed, error)
    for label in labels:
        try:
            hash(label)
        except TypeError:
            kind, advice = type(label).__name__, "which cannot be in it (a tuple can)"
            if isinstance(label, tuple):
                advice = "and what is in it can change, so it cannot name anything; give it without that"
            what = f"{shown(label)} is a {kind}, {advice}"
            raise error(f"{needed} is needed; {what}") from None
    return labels
