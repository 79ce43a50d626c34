"""What is said of a user's function that Numba cannot compile, or that is not called, or returns, as it should be."""

from __future__ import annotations

import builtins
import dis
import functools
import inspect
import os
import re
import types
from linecache import getline
from typing import Any

from mines_dd.base.errors import MinesError
from mines_dd.base.wording import shown

__all__ = [
    "checked_calls",
    "checked_values",
    "is_numbas",
    "numba_reason",
    "raised_in",
    "require_compilable",
    "require_kept",
]

# What Numba says of an operation that there is not for some types, and of where it was.
_OPERATION = re.compile(r"No implementation of function Function\(")
_PLACE = re.compile(
    r"^(?:During: .* at (.+) \(([0-9]+)\)|File \"(.+)\", line ([0-9]+):|.*Raised from (.+) \(([0-9]+)\))$", re.MULTILINE
)
# How what it says begins, and what is said instead.
_PLAINLY = {
    "NRT required|_ol_array_allocate": "it makes an object, such as a list, a text or a new array"  # to be counted
    " (into a row of two dimensions put values by x[0][:] = y)",
    r"(?:npy_|run_quick)(\w+)": r"\1 of an array is not possible: write a loop",
    "Untyped global name '(.+)': .* type of <class '(.+)'>": r"\1, a \2, cannot be used there",
    r"The use of a reflected (\w+)\(.*assigned to variable '(.+)' in globals": r"\2, a \1, cannot be used there: "
    "make it a tuple or an array",
    r"Unknown attribute '(\w+)' of type ": r"\1 cannot be used there",
    "The 'with ": "with cannot be used there",
    "The use of yield": "a generator, such as any(... for ...), is not possible: write a loop",
    r"Type of variable '\$": "there is no type for a part of it; write := as a line of its own",
    r"Use of unsupported opcode \(IMPORT_NAME": "an import is not possible there: write it above the class",
    r"Use of unsupported opcode \(STORE_GLOBAL": "a global variable cannot be changed there",
    r"Use of unsupported opcode \(UNPACK_EX": "a starred target is not possible",
    "'NoneType' object has no attribute 'args'": "an array of integers is changed by a float, a tuple or a list: "
    "use //, int() or a loop",
    "op_MAKE_FUNCTION with kwdefaults": "a function made inside another one takes an argument by its name only: "
    "leave out the * before it",
    "key already in dictionary": "a function made inside another one has an expression as a default: pass it instead",
    "Use of unsupported opcode": "this is not possible there",
}
_OURS = os.path.dirname(os.path.dirname(__file__)) + os.sep


def raised_in(error: Exception, package: str) -> bool:
    """Tell whether code of a package raised an error itself, which is where its traceback ends.

    Examples
    --------
    >>> import json
    >>> try:
    ...     json.loads("{")
    ... except ValueError as error:
    ...     raised_in(error, "json.")
    True
    """
    last = error.__traceback__
    while last is not None and last.tb_next is not None:
        last = last.tb_next
    return last is not None and str(last.tb_frame.f_globals.get("__name__", "")).startswith(package)


def is_numbas(error: Exception) -> bool:
    """Tell whether an error is from Numba's compiler: one of its own, or Python's raised there."""
    return type(error).__module__.startswith("numba.") or raised_in(error, "numba.")


def numba_reason(error: Exception) -> str:
    """Return what Numba says of a function that it cannot compile, and where, if that is in the user's code."""
    import numba

    lines = [line.strip() for line in str(error).splitlines()]
    said = next((line for line in lines if line and not line.startswith(("Failed in", "- "))), type(error).__name__)
    operation = _OPERATION.match(said)
    if operation:  # the types follow, such as mod(Literal[str](item%d), int64)
        said = next((f"{line[4:]} is not possible" for line in lines if line.startswith(">>> ")), said)
    for start, plainly in _PLAINLY.items():
        said = re.sub(f"^(?:{start}).*", plainly, said)
    for place in _PLACE.findall(str(error)):
        file, number = os.path.abspath("".join(place[::2])), int("".join(place[1::2]))
        if not file.startswith((_OURS, os.path.dirname(numba.__file__))):
            return f"{said.rstrip('.')}; in line {number} of {file}, {shown(getline(file, number).strip(), 200)}"
    return "it returns no whole number, or not always" if operation else said


def require_compilable(function: types.FunctionType) -> None:
    """Raise `MinesError` if a function takes `**named` or `*, named`, of which Numba would say something else."""
    code = function.__code__
    position, by_name = code.co_argcount, code.co_kwonlyargcount
    if by_name:
        taken, advice = f"{code.co_varnames[position]} by its name only", "leave out the * before it"
    elif code.co_flags & inspect.CO_VARKEYWORDS:
        named = code.co_varnames[position + bool(code.co_flags & inspect.CO_VARARGS)]
        taken, advice = f"**{named}", "leave that out"
    else:
        return
    raise MinesError(
        f"{function.__qualname__} takes {taken}, which cannot be compiled: {advice}; in line "
        f"{code.co_firstlineno} of {code.co_filename}"
    )


@functools.lru_cache(256)  # the steps of a drawing ask for each state
def require_kept(function: types.FunctionType, place: int, what: str, example: str) -> None:
    """Raise `MinesError` if a function gives an argument, an array to write to, another value: nobody would see that.

    `state += step` changes the array itself, and `state = state + step` makes another one.

    Examples
    --------
    >>> def child(state, level, taken, tables):
    ...     state = state + taken
    >>> try:
    ...     require_kept(child, 0, "Mine.child", "state[0] += 1")
    ... except MinesError as error:
    ...     print(str(error).partition(";")[0])
    Mine.child gives state another value, which is lost
    """
    code = function.__code__
    if place >= code.co_argcount:
        return
    name, before = code.co_varnames[place], ""
    for step in dis.get_instructions(code):
        stored = step.argval if isinstance(step.argval, tuple) else (step.argval,)
        stored = stored[:1] if step.opname.startswith("STORE_FAST_LOAD") else stored
        if step.opname.startswith(("STORE_FAST", "STORE_DEREF")) and name in stored and not before.endswith("="):
            raise MinesError(
                f"{what} gives {name} another value, which is lost; change what is in it, as by {example}; "
                f"in line {step.positions.lineno if step.positions else code.co_firstlineno} of {code.co_filename}"
            )
        before = step.argrepr if step.opname == "BINARY_OP" else ""


@functools.cache
def checked_values() -> type:
    """Return the pass of Numba's compiler that refuses a variable that may have no value where it is looked up.

    Python raises an error there.  Numba goes on with whatever is in its place::

        if kind == 1:   weight = 7
        elif kind == 2: weight = 11
        state[0] += weight              # of a third kind
    """
    from numba.core import compiler_machinery, errors, ir

    machinery: Any = compiler_machinery

    @machinery.register_pass(mutates_CFG=False, analysis_only=True)  # type: ignore[untyped-decorator]
    class CheckedValues(machinery.AnalysisPass):  # type: ignore[misc]
        _name = "mines_dd_checked_values"

        def __init__(self) -> None:
            super().__init__()

        def run_pass(self, state: Any) -> bool:
            for block in state.func_ir.blocks.values():
                for found in block.find_exprs("phi"):
                    if ir.UNDEFINED in found.incoming_values:
                        name = state.func_ir.get_assignee(found).unversioned_name
                        raise errors.UnsupportedError(f"{name} may have no value; give it one first", loc=found.loc)
            return False

    return CheckedValues


@functools.cache
def checked_calls() -> type:
    """Return the pass of Numba's compiler that refuses to call some functions by keyword.

    Numba puts a function made inside another one where it is called, and loses keywords there::

        def added(total, weight=1): return total + weight
        state[0] = added(state[0], weight=3)    # it would add 1

    Of Python's own functions, such as enumerate(state, start=1), it says no reason.
    """
    from numba.core import compiler_machinery

    machinery: Any = compiler_machinery

    @machinery.register_pass(mutates_CFG=False, analysis_only=True)  # type: ignore[untyped-decorator]
    class CheckedCalls(machinery.AnalysisPass):  # type: ignore[misc]
        _name = "mines_dd_checked_calls"

        def __init__(self) -> None:
            super().__init__()

        def run_pass(self, state: Any) -> bool:
            _require_positions(state.func_ir, state.func_id.func.__globals__)
            return False

    return CheckedCalls


def _require_positions(function: Any, scope: dict[str, Any], inner: bool = False) -> None:
    """Raise Numba's error for a call by keyword of one of Python's own functions, or of what is made inside another."""
    from numba.core import compiler, errors, ir, ir_utils

    frontend: Any = compiler.run_frontend
    guard: Any = ir_utils.guard
    for block in function.blocks.values():
        for call in block.find_exprs("call"):
            called = guard(ir_utils.get_definition, function, call.func) if call.kws else None
            if getattr(called, "op", "") == "make_function" or (inner and isinstance(called, ir.FreeVar)):
                said = "a function made inside another one is called by keyword: give all by position"
                raise errors.UnsupportedError(said, loc=call.loc)
            if (
                isinstance(called, ir.Global)
                and called.name != "sum"
                and called.value is vars(builtins).get(called.name)
            ):
                said = f"{called.name} is called by keyword: give all by position, or leave out what is optional"
                raise errors.UnsupportedError(said, loc=call.loc)
        for made in block.find_exprs("make_function"):
            cells = tuple(types.CellType(None) for _ in made.code.co_freevars)
            _require_positions(frontend(types.FunctionType(made.code, scope, closure=cells)), scope, True)
