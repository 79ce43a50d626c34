"""Functions as values: copied with some names bound to something else, and told apart by a fingerprint.

Numba keeps machine code on disk under a function's name and the date of its file; of what the function refers to it
knows nothing.  So the name of what is compiled ends in a hash of its code and of everything it refers to, by whatever
route: constants, arrays, helper functions, this package's version.

    _expand  ->  _child  ->  Paths.child  ->  DEAD, join  ->  MATE_BITS           all in the hash

A second process finds the machine code under the same name; after any change there is a new name.
"""

from __future__ import annotations

import dis
import enum
import hashlib
import types
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import numpy as np

from mines_dd.base.errors import MinesError
from mines_dd.base.integers import python_numbers, with_python_numbers

__all__ = ["bind", "copied", "fingerprint", "fits", "is_foreign", "is_function", "plain", "reached", "wide"]

_PACKAGE = "mines_dd."


def bind(function: Callable[..., Any], bound: Mapping[str, Any]) -> Callable[..., Any]:
    """Return a copy of a function in which some global names stand for something else, in its helpers too.

    Functions from outside this package get, and refer to, numbers of Python: `mines_dd.base.integers`.
    """
    copy: Callable[..., Any] = copied(function, bound, _interpreted, python_numbers)
    return copy


def copied(
    function: Callable[..., Any],
    bound: Mapping[str, Any],
    finish: Callable[[types.FunctionType, bool], Any],
    seen_as: Callable[[Any], Any] = lambda value: value,
) -> Any:
    """Copy a function with its helpers and some global names bound.

    `finish(copy, foreign)` makes of each copy what is called; `foreign` are functions from outside this package, and
    what they call.  The numbers that those refer to are made `wide`, and then what they are to be `seen_as`.
    """
    return _copied(plain(function), bound, {}, finish, False, seen_as)


def reached(function: Callable[..., Any]) -> int:
    """Return how many functions a function runs: itself, and all helpers by whatever route."""
    seen: dict[int, int] = {}
    for _ in _parts(function, seen):
        pass
    return len(seen)


def fingerprint(function: Callable[..., Any], *more: object) -> str:
    """Return a hash of a function's code and of everything it refers to; and of what else tells two uses apart."""
    from mines_dd import __version__

    digest = hashlib.sha256()
    for part in [*_parts(function, {}), *_parts(more, {}), __version__]:
        digest.update(part.encode() + b"\0")
    return digest.hexdigest()[:20]


def is_foreign(function: types.FunctionType) -> bool:
    """Whether a function is from outside this package; one that was made by `exec` may have no module."""
    return not (function.__module__ or "").startswith(_PACKAGE)


def is_function(value: Any) -> bool:
    """Whether a value is a plain function, or one that was made a kernel or Numba's."""
    return isinstance(value, types.FunctionType) or isinstance(getattr(value, "__wrapped__", None), types.FunctionType)


def fits(number: int) -> bool:
    """Tell whether an integer has at most 64 bits, with its sign.

    Examples
    --------
    >>> fits(2**63 - 1), fits(2**63)
    (True, False)
    """
    return -(1 << 63) <= number < 1 << 63


def wide(value: Any, what: str) -> Any:
    """Return numbers and arrays, also those in tuples, with 64 bits, as integers or doubles; anything else as it is.

    Smaller numbers are not the same interpreted and compiled: the sum of two of 8 bits has 8 bits in NumPy, 64 in
    Numba.

    Raises
    ------
    MinesError
        If an integer has more than 64 bits, with its sign; `what` says where it is.
    """
    if type(value) is tuple:
        return tuple(wide(part, what) for part in value)
    if isinstance(value, np.generic) and value.dtype.kind in "biuf":
        value = value.item()
    if isinstance(value, int):
        all_fit = fits(value)
    elif isinstance(value, np.ndarray) and value.dtype.kind in "biuf":
        all_fit = value.dtype != np.uint64 or not (value >> np.uint64(63)).any()
        kind = np.float64 if value.dtype.kind == "f" else np.int64
        value = np.require(value.view(np.ndarray), kind, ["C", "A", "W"])
    else:
        return value
    if not all_fit:
        raise MinesError(f"{what} has an integer of more than 64 bits, with its sign; split it")
    return value


def plain(function: Any) -> types.FunctionType:
    """Return the function under a kernel."""
    while hasattr(function, "__wrapped__"):
        function = function.__wrapped__
    if not isinstance(function, types.FunctionType):
        raise MinesError(f"{function!r} is no Python function")
    return function


def _interpreted(copy: types.FunctionType, foreign: bool) -> Any:
    return with_python_numbers(copy) if foreign else copy


def _names(code: types.CodeType) -> Iterator[str]:
    """The names that code looks up, comprehensions and inner functions included."""
    yield from code.co_names
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            yield from _names(constant)


def _globals(code: types.CodeType) -> set[str]:
    """The global names among them; the others are attributes."""
    found = {step.argval for step in dis.get_instructions(code) if step.opname in ("LOAD_GLOBAL", "LOAD_NAME")}
    return found.union(*(_globals(inner) for inner in code.co_consts if isinstance(inner, types.CodeType)))


def _copied(
    source: types.FunctionType,
    bound: Mapping[str, Any],
    made: dict[tuple[types.FunctionType, bool], Any],
    finish: Callable[[types.FunctionType, bool], Any],
    foreign: bool,
    seen_as: Callable[[Any], Any],
) -> Any:
    foreign = foreign or is_foreign(source)
    key = source, foreign
    if key in made:
        if made[key] is None:
            raise MinesError(f"{source.__name__} calls itself; what is compiled into the builder may not")
        return made[key]
    made[key] = None

    def widened(name: str, value: Any) -> Any:
        return seen_as(wide(value, f"{source.__name__} refers to {name}, which")) if foreign else value

    scope = dict(source.__globals__)
    for name in _globals(source.__code__) & scope.keys():
        value = bound.get(name, scope[name])
        if is_function(value):
            inside = {} if name in bound else bound
            value = _copied(plain(value), inside, made, finish, foreign, seen_as)
        scope[name] = widened(name, value)
    closure = source.__closure__
    if foreign and closure:
        names = source.__code__.co_freevars
        closure = tuple(
            types.CellType(widened(name, cell.cell_contents)) for name, cell in zip(names, closure, strict=True)
        )
    copy = types.FunctionType(source.__code__, scope, source.__name__, source.__defaults__, closure)
    copy.__module__, copy.__qualname__ = source.__module__, source.__qualname__
    made[key] = finish(copy, foreign)
    return made[key]


def _parts(value: Any, seen: dict[int, int]) -> Iterator[str]:
    """What tells a value from others, in pieces of text."""
    if is_function(value):
        function = plain(value)
        if id(function) in seen:
            yield f"function {seen[id(function)]}"
            return
        seen[id(function)] = len(seen)
        yield f"trusted {not is_foreign(function)}"
        yield from _parts(function.__code__, seen)
        yield from _parts(function.__defaults__, seen)
        for cell in function.__closure__ or ():
            yield from _parts(cell.cell_contents, seen)
        yield from _referred(function, seen)
    elif isinstance(value, types.CodeType):
        yield f"code {value.co_code.hex()} {value.co_names} {value.co_varnames} {value.co_freevars}"
        yield from _parts(value.co_consts, seen)
    elif isinstance(value, (tuple, list, frozenset)):
        yield f"{type(value).__name__} {len(value)}"
        for part in sorted(value, key=repr) if isinstance(value, frozenset) else value:
            yield from _parts(part, seen)
    elif isinstance(value, np.ndarray):
        yield f"array {value.dtype} {value.shape} {hashlib.sha256(np.ascontiguousarray(value).tobytes()).hexdigest()}"
    elif isinstance(value, types.ModuleType):
        yield f"module {value.__name__} {getattr(value, '__version__', '')}"
    elif isinstance(value, type) and issubclass(value, enum.Enum):
        yield f"enum {[(member.name, member.value) for member in value]}"
    elif isinstance(value, type):
        yield f"class {value.__module__} {value.__qualname__} {getattr(value, '_fields', '')}"
    else:
        yield f"{type(value).__name__} {value!r}"


def _referred(function: types.FunctionType, seen: dict[int, int]) -> Iterator[str]:
    """The parts of the global names of a function; of a module those that it takes from it."""
    names = list(dict.fromkeys(_names(function.__code__)))
    for name in names:
        if name not in function.__globals__:
            continue
        value = function.__globals__[name]
        yield name
        yield from _parts(value, seen)
        if isinstance(value, types.ModuleType) and value.__name__.partition(".")[0] not in ("numpy", "math", "numba"):
            for inner in names:
                if hasattr(value, inner):
                    yield inner
                    yield from _parts(getattr(value, inner), seen)
