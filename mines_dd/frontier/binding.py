"""Functions bound to what they are for, and compiled once for all processes.

The builder is written once and calls `_child`.  To build a spec its function is copied with the spec's `child` bound to
that name, and the copy is compiled.  Numba keeps machine code on disk under the function's name and the date of its
file; of what the function refers to it knows nothing.  So the copy's name ends in a hash of its code and of everything
it refers to, by whatever route: constants, arrays, helper functions, this package's version.

    _expand  ->  _child  ->  Paths.child  ->  DEAD, join  ->  MATE_BITS           all in the hash

A second process finds the machine code under the same name; after any change there is a new name.
"""

from __future__ import annotations

import enum
import hashlib
import types
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import numpy as np

from mines_dd.base.errors import MinesError
from mines_dd.base.jit import numba_njit

__all__ = ["bind", "compiled", "fingerprint"]

_PACKAGE = "mines_dd."


def bind(function: Callable[..., Any], bound: Mapping[str, Any]) -> Callable[..., Any]:
    """Return a copy of a function in which some global names stand for something else, in its helpers too."""
    copy: Callable[..., Any] = _copied(_plain(function), bound, {}, lambda copy, _: copy, False)
    return copy


def compiled(function: Callable[..., Any], bound: Mapping[str, Any], title: str, *, cache: bool = True) -> Any:
    """Return the Numba dispatcher of a function with some global names bound, kept on disk under `title` and a hash.

    Indices are checked in functions from outside this package, and in what they call.  Arrays are passed around without
    reference counts (Numba's NRT), which took five sixths of the time; so no function may make an array.
    """
    njit = numba_njit()
    source = _plain(function)
    name = f"{source.__name__}_{title}_{fingerprint(bind(source, bound))}"

    def dispatcher(copy: types.FunctionType, checked: bool) -> Any:
        if copy.__code__ is not source.__code__:
            return njit(nogil=True, boundscheck=checked, forceinline=True, _nrt=False)(copy)
        copy.__name__ = copy.__qualname__ = name
        return njit(nogil=True, cache=cache, _nrt=False)(copy)

    return _copied(source, bound, {}, dispatcher, False)


def fingerprint(function: Callable[..., Any]) -> str:
    """Return a hash of a function's code, of everything it refers to, and of how it is compiled."""
    from mines_dd import __version__

    digest = hashlib.sha256()
    for part in [*_parts(function, {}), *_parts(compiled.__code__, {})]:
        digest.update(part.encode() + b"\0")
    digest.update(__version__.encode())
    return digest.hexdigest()[:20]


def _plain(function: Any) -> types.FunctionType:
    """The function under a kernel."""
    while hasattr(function, "__wrapped__"):
        function = function.__wrapped__
    if not isinstance(function, types.FunctionType):
        raise MinesError(f"{function!r} is no Python function")
    return function


def _is_function(value: Any) -> bool:
    return isinstance(value, types.FunctionType) or isinstance(getattr(value, "__wrapped__", None), types.FunctionType)


def _names(code: types.CodeType) -> Iterator[str]:
    """The names that code looks up, comprehensions and inner functions included."""
    yield from code.co_names
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            yield from _names(constant)


def _copied(
    source: types.FunctionType,
    bound: Mapping[str, Any],
    made: dict[tuple[types.FunctionType, bool], Any],
    finish: Callable[[types.FunctionType, bool], Any],
    checked: bool,
) -> Any:
    """Copy a function with its helpers; `finish` makes of each copy what is called, `checked` from foreign code on."""
    checked = checked or not source.__module__.startswith(_PACKAGE)
    key = source, checked
    if key in made:
        if made[key] is None:
            raise MinesError(f"{source.__name__} calls itself; what is compiled into the builder may not")
        return made[key]
    made[key] = None
    scope = dict(source.__globals__)
    for name in set(_names(source.__code__)) & scope.keys():
        value = bound.get(name, scope[name])
        if _is_function(value):
            inside = {} if name in bound else bound
            value = _copied(_plain(value), inside, made, finish, checked)
        scope[name] = value
    copy = types.FunctionType(source.__code__, scope, source.__name__, source.__defaults__, source.__closure__)
    copy.__module__, copy.__qualname__ = source.__module__, source.__qualname__
    made[key] = finish(copy, checked)
    return made[key]


def _parts(value: Any, seen: dict[int, int]) -> Iterator[str]:
    """What tells a value from others, in pieces of text."""
    if _is_function(value):
        function = _plain(value)
        if id(function) in seen:
            yield f"function {seen[id(function)]}"
            return
        seen[id(function)] = len(seen)
        yield f"trusted {function.__module__.startswith(_PACKAGE)}"
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
