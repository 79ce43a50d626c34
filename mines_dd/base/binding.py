"""Functions as values: copied with some names bound to something else, and told apart by a fingerprint.

Numba keeps machine code on disk under a function's name and the date of its file; of what the function refers to it
knows nothing.  So the name of what is compiled ends in a hash of its code and of everything it refers to, by whatever
route: constants, arrays, helper functions, this package's version; for what users write, the rules it is compiled by.

    _expand  ->  _child  ->  Paths.child  ->  DEAD, join  ->  MATE_BITS           all in the hash

A second process finds the machine code under the same name; after any change there is a new name.
"""

from __future__ import annotations

import dis
import enum
import functools
import hashlib
import types
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np

from mines_dd.base.errors import MinesError
from mines_dd.base.integers import Truths, python_numbers, with_python_numbers, without_python_numbers

__all__ = ["bind", "copied", "fingerprint", "fits", "is_foreign", "is_function", "plain", "reached", "wide"]

_PACKAGE = "mines_dd."
# The files that say how functions of users are compiled.
_RULES = ("binding", "compiling", "integers", "kinds", "overlaps", "uncompilable")


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


@functools.cache
def _rules() -> str:
    folder = Path(__file__).parent
    return hashlib.sha256(b"".join((folder / f"{name}.py").read_bytes() for name in _RULES)).hexdigest()


def is_foreign(function: types.FunctionType) -> bool:
    """Whether a function is from outside this package; one that was made by `exec` may have no module."""
    return not (function.__module__ or "").startswith(_PACKAGE)


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
        if value.dtype.kind == "b":
            return Truths.of(value.view(np.ndarray))
        all_fit = value.dtype != np.uint64 or not (value >> np.uint64(63)).any()
        kind = np.float64 if value.dtype.kind == "f" else np.int64
        value = np.require(value.view(np.ndarray), kind, ["C", "A", "W"])
    else:
        return value
    if not all_fit:
        raise MinesError(f"{what} has an integer of more than 64 bits, with its sign; split it")
    return value


def plain(function: Any) -> types.FunctionType:
    """Return the function under a kernel, one of Numba's, a cache, or one of `with_python_numbers`.

    What a user has put around a function, with `functools.wraps` say, is a function like any other.

    Raises
    ------
    MinesError
        If there is none.
    """
    found = _plain(function)
    if found is None:
        raise MinesError(f"{function!r} is no Python function")
    return found


def is_function(value: Any) -> bool:
    """Whether there is a `plain` function in a value."""
    return _plain(value) is not None


def _plain(value: Any) -> types.FunctionType | None:
    if isinstance(value, functools._lru_cache_wrapper):
        value = value.__wrapped__
    elif not isinstance(value, types.FunctionType | types.MethodType):
        value = getattr(value, "py_func", None)  # Numba's name for it, and ours
    if not isinstance(value, types.FunctionType):
        return None
    inside = without_python_numbers(value)
    return value if inside is None else _plain(inside)


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
    names = tuple(_names(source.__code__))

    def meant(name: str, value: Any, within: tuple[types.ModuleType, ...] = ()) -> Any:
        """What the copy refers to by a name: the value itself, but for what is copied or made wide."""
        if is_function(value):
            return _copied(plain(value), {} if name in bound else bound, made, finish, foreign, seen_as)
        if not foreign:
            return value
        if isinstance(value, types.ModuleType):
            return _copied_module(value, names, meant, within)
        return seen_as(wide(value, f"{source.__name__} refers to {name}, which"))

    if foreign:
        _require_narrow(source.__code__.co_consts, source.__name__)
    scope = source.__globals__
    now = {name: meant(name, bound.get(name, scope[name])) for name in _globals(source.__code__) & scope.keys()}
    if any(now[name] is not scope[name] for name in now):
        scope = scope | now  # or else the same, in which it may count calls, say
    closure, defaults = source.__closure__, source.__defaults__
    if foreign:
        cells = zip(source.__code__.co_freevars, closure or (), strict=True)
        closure = tuple(_cell(cell, functools.partial(meant, name)) for name, cell in cells)
        defaults = defaults and tuple(meant("a default", value) for value in defaults)
    copy = types.FunctionType(source.__code__, scope, source.__name__, defaults, closure)
    copy.__module__, copy.__qualname__ = source.__module__, source.__qualname__
    copy.__kwdefaults__ = source.__kwdefaults__
    made[key] = finish(copy, foreign)
    return made[key]


def _require_narrow(constants: Collection[Any], name: str) -> None:
    """Raise `MinesError` if there is an integer of more than 64 bits among a function's constants, as `wide` does."""
    for constant in constants:
        if isinstance(constant, types.CodeType):
            _require_narrow(constant.co_consts, name)
        elif isinstance(constant, tuple | frozenset):
            _require_narrow(constant, name)
        elif isinstance(constant, int) and not fits(constant):
            raise MinesError(f"{name} has {constant:#x}, an integer of more than 64 bits, with its sign; split it")


def _cell(cell: types.CellType, meant: Callable[[Any], Any]) -> types.CellType:
    """A cell of a closure; the same if what is in it stays, for which the same holds."""
    try:
        value = cell.cell_contents
    except ValueError:  # it is empty
        return cell
    now = meant(value)
    return cell if now is value else types.CellType(now)


def _copied_module(
    module: types.ModuleType, names: tuple[str, ...], meant: Callable[..., Any], within: tuple[types.ModuleType, ...]
) -> types.ModuleType:
    """A module with what is looked up in it, copied or made wide; the same if all of that stays."""
    if module in within or _is_known(module):
        return module
    found = {name: getattr(module, name) for name in names if hasattr(module, name)}
    now = {name: meant(name, value, (*within, module)) for name, value in found.items()}
    if all(now[name] is found[name] for name in found):
        return module
    copy = types.ModuleType(module.__name__)
    copy.__dict__.update(now)
    return copy


def _is_known(module: types.ModuleType) -> bool:
    """Whether Numba has code of its own for a module's functions, and its version says what is in it."""
    return module.__name__.partition(".")[0] in ("numpy", "math", "numba")


def _parts(
    value: Any, seen: dict[int, int], names: tuple[str, ...] = (), within: tuple[types.ModuleType, ...] = ()
) -> Iterator[str]:
    """What tells a value from others, in pieces of text; of modules, what some names mean in them."""
    if is_function(value):
        function = plain(value)
        if id(function) in seen:
            yield f"function {seen[id(function)]}"
            return
        seen[id(function)] = len(seen)
        yield _rules() if is_foreign(function) else "trusted"
        names = tuple(dict.fromkeys(_names(function.__code__)))
        yield from _parts(function.__code__, seen)
        for default in (*(function.__defaults__ or ()), *(function.__kwdefaults__ or {}).items()):
            yield from _parts(default, seen, names)
        for cell in function.__closure__ or ():
            with suppress(ValueError):  # it is empty
                yield from _parts(cell.cell_contents, seen, names)
        for name in sorted(_globals(function.__code__) & function.__globals__.keys()):
            yield name
            yield from _parts(function.__globals__[name], seen, names)
    elif isinstance(value, types.CodeType):
        yield f"code {value.co_code.hex()} {value.co_names} {value.co_varnames} {value.co_freevars}"
        yield from _parts(value.co_consts, seen)
    elif isinstance(value, (tuple, list, frozenset)):
        yield f"{type(value).__name__} {len(value)} {getattr(value, '_fields', '')}"
        for part in sorted(value, key=repr) if isinstance(value, frozenset) else value:
            yield from _parts(part, seen, names, within)
    elif isinstance(value, np.ndarray):
        yield f"array {value.dtype} {value.shape} {hashlib.sha256(np.ascontiguousarray(value).tobytes()).hexdigest()}"
    elif isinstance(value, types.ModuleType):
        yield f"module {value.__name__} {getattr(value, '__version__', '')}"
        if value not in within and not _is_known(value):
            for name in names:
                if hasattr(value, name):
                    yield name
                    yield from _parts(getattr(value, name), seen, names, (*within, value))
    elif isinstance(value, type) and issubclass(value, enum.Enum):
        yield f"enum {[(member.name, member.value) for member in value]}"
    elif isinstance(value, type):
        yield f"class {value.__module__} {value.__qualname__} {getattr(value, '_fields', '')}"
    else:
        yield f"{type(value).__name__} {value!r}"
