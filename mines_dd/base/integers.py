"""Integers in functions that users write: Python's, whether interpreted or compiled, or an error.

Numbers of NumPy's arrays and of a processor have 64 bits, and what needs more of them loses bits without a word:

                                 Python          64 bits         here
    2**62 * 2                    2**63           -2**63          2**63 interpreted, an OverflowError compiled
    1 << 64                      2**64           0, or 1         the same
    5 >> 64                      0               0, or 5         0
    array[0] = 5 / 2             -               2               a TypeError
    array[0] = 4 / 2             -               2               2
    array *= 2**62               -               wraps           an OverflowError
    array %= 0                   -               0               a ZeroDivisionError

Interpreted, numbers out of arrays are Python's; an array takes none of more than 64 bits.  Compiled, what an operator
makes of whole numbers is checked, and of arrays of them as well.  Functions such as abs, pow, sum and NumPy's are not.
"""

from __future__ import annotations

import functools
import math
import operator
from collections.abc import Callable
from typing import Any

import numpy as np

from mines_dd.base.kinds import lower_mixed, types_in

__all__ = [
    "PythonNumbers",
    "Truths",
    "checked_lowering",
    "python_numbers",
    "whole",
    "with_python_numbers",
    "without_python_numbers",
]


def whole(found: Any) -> Any:
    """Return what a user's function returned if it is one whole number; compiled, too.

    Raises
    ------
    TypeError
        Also for True and False, which are 1 and 0 to Python, and for an array of one number.

    Examples
    --------
    >>> whole(3)
    3
    """
    if isinstance(found, (bool, np.bool_)):
        raise TypeError("True and False are no whole numbers")
    return range(found | 0).stop  # no range ends at an array, of which Numba cannot be asked


class PythonNumbers(np.ndarray[Any, np.dtype[Any]]):
    """An array whose elements are numbers of Python when they are looked up, or changed all at once.

    Examples
    --------
    >>> import numpy as np
    >>> array = np.array([2**62]).view(PythonNumbers)
    >>> array[0] * 4 == 2**64
    True
    """

    def __getitem__(self, key: Any) -> Any:
        found = super().__getitem__(key)
        if isinstance(found, np.bool_):
            return _Truth(found)
        return found.item() if isinstance(found, np.generic) else found

    def __array_wrap__(self, found: Any, context: Any = None, return_scalar: bool = False) -> Any:
        found = np.asarray(found)
        return found.item() if found.ndim == 0 else found.view(PythonNumbers)

    def __setitem__(self, key: Any, value: Any) -> None:
        if self.dtype.kind != "f" and not isinstance(value, int):
            put = np.asarray(value)
            if put.dtype.kind == "f" and not ((np.abs(put) < _MOST) & (np.floor(put) == put)).all():
                raise TypeError(_NO_INTEGER)
        try:
            super().__setitem__(key, value)
        except OverflowError as error:
            raise OverflowError(_TOO_LARGE if isinstance(value, int) else str(error)) from None


class Truths(np.ndarray[Any, np.dtype[Any]]):
    """Truths as the numbers 1 and 0; interpreted, functions that users write see them as they were: as masks, say."""

    truths: PythonNumbers

    @classmethod
    def of(cls, truths: np.ndarray[Any, Any]) -> Truths:
        """Return an array of integers for one of truths."""
        numbers = np.require(truths, np.int64, ["C", "A", "W"]).view(cls)
        numbers.truths = np.array(truths).view(PythonNumbers)
        return numbers


class _Truth(int):
    """A truth out of an array: a number, 1 or 0, but not for `~`, which would be true of both."""

    def __invert__(self) -> int:
        raise TypeError(_INVERTED)


def _in_place(operate: Callable[[Any, Any], Any], numpys: Callable[..., Any]) -> Callable[..., Any]:
    """An operator that changes an array: by what it makes of numbers of Python, where they are whole."""

    def changed(array: PythonNumbers, value: Any) -> Any:
        values = np.asarray(value)
        if array.dtype.kind == "f" or values.dtype.kind not in "biuO":
            return numpys(array, value)
        try:
            np.ndarray.__setitem__(array, ..., operate(array.astype(object), values.astype(object)).tolist())
        except OverflowError:
            raise OverflowError(_TOO_LARGE) from None
        return array

    return changed


def _to_powers(numbers: Any, exponents: Any) -> Any:
    if (exponents < 0).any():
        raise ArithmeticError(_NO_POWER)
    return numbers**exponents


for _name in ("add", "sub", "mul", "floordiv", "mod", "pow", "lshift", "rshift"):
    _operate = _to_powers if _name == "pow" else getattr(operator, _name)
    setattr(PythonNumbers, f"__i{_name}__", _in_place(_operate, getattr(np.ndarray, f"__i{_name}__")))

_INSIDE = "_without_python_numbers"  # an attribute of functions
_TOO_LARGE = "there is an integer of more than 64 bits, with its sign"
_NO_INTEGER = "a float that is no integer of 64 bits is put among such; use // for /, or int()"
_INVERTED = "~ of True is -2, and of False -1: use not"
_NO_POWER = "an integer to a negative power is no integer"
_TOO_LARGE_FLOAT = "a float that is no number, infinite or of more than 64 bits is made an integer"
_TO_INTEGERS = {int, round, math.ceil, math.floor, math.trunc}
# of numbers; what divides by zero, or shifts by a negative number of bits, has no error there
_UNCHECKED = {np.divide, np.floor_divide, np.remainder, np.fmod, np.divmod, np.reciprocal, np.power, np.float_power}
_UNCHECKED |= {np.left_shift, np.right_shift, np.log, np.log2, np.log10, np.log1p}
_MOST = 2**63 - 1


def python_numbers(value: Any) -> Any:
    """Return a value whose numbers are Python's, where it is one or has them: arrays, and tuples of such."""
    if isinstance(value, np.ndarray):
        truths = getattr(value, "truths", None)
        return value.view(PythonNumbers) if truths is None else truths
    if type(value) is tuple:
        return tuple(map(python_numbers, value))
    if isinstance(value, tuple) and hasattr(value, "_fields"):
        return type(value)(*map(python_numbers, value))
    return value.item() if isinstance(value, np.generic) else value


def with_python_numbers(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return a function that calls another one with arguments whose numbers are Python's."""

    @functools.wraps(function)
    def called(*args: Any, **named: Any) -> Any:
        with np.errstate(over="raise"):  # of NumPy's own numbers, which may come from an object's attribute
            return function(
                *map(python_numbers, args), **{name: python_numbers(value) for name, value in named.items()}
            )

    vars(called)[_INSIDE] = function
    return called


def without_python_numbers(function: Callable[..., Any]) -> Callable[..., Any] | None:
    """Return the function that `with_python_numbers` has made this one of, or None."""
    inside: Callable[..., Any] | None = vars(function).get(_INSIDE)
    return inside


@functools.cache
def checked_lowering() -> type:
    """Return the pass of Numba's compiler that makes LLVM's code, with checks of integers."""
    from numba.core import compiler_machinery, typed_passes

    machinery: Any = compiler_machinery
    passes: Any = typed_passes

    @machinery.register_pass(mutates_CFG=True, analysis_only=False)  # type: ignore[untyped-decorator]
    class CheckedLowering(passes.BaseNativeLowering):  # type: ignore[misc]
        _name = "mines_dd_checked_lowering"

        def __init__(self) -> None:
            super().__init__()

        @property
        def lowering_class(self) -> type:
            return _lower()

    return CheckedLowering


@functools.cache
def _lower_values() -> type:
    """What makes LLVM's code of Numba's, but for what Python does otherwise: that it checks, or refuses."""
    from llvmlite.ir import IntType  # type: ignore[import-untyped]
    from numba.core import cgutils, errors, ir, types

    base: Any = lower_mixed()
    unlikely: Any = cgutils.if_unlikely

    class Lower(base):  # type: ignore[misc]
        def lower_inst(self, inst: Any) -> Any:
            if isinstance(inst, ir.SetItem | ir.StaticSetItem):
                kind, kept = self.typeof(inst.value.name), self.typeof(inst.target.name)
                of_integers = isinstance(getattr(kept, "dtype", None), types.Integer)
                if of_integers and isinstance(kind, types.Float):
                    number = self.loadvar(inst.value.name)
                    cut = self.builder.sitofp(self._require_fits(number, TypeError, _NO_INTEGER), number.type)
                    with unlikely(self.builder, self.builder.fcmp_unordered("!=", cut, number)):
                        self.return_exception(TypeError, (_NO_INTEGER,), self.loc)
                elif of_integers and any(isinstance(part, types.Float) for part in types_in(kind)):
                    raise errors.UnsupportedError("floats are put among integers: write a loop", loc=inst.loc)
            return super().lower_inst(inst)

        def _require_fits(self, number: Any, error: type[Exception], said: str) -> Any:
            """A float cut to an integer of 64 bits, which has to hold it."""
            builder, kind = self.builder, number.type
            size = builder.call(builder.module.declare_intrinsic("llvm.fabs", [kind]), [number])
            with unlikely(builder, builder.fcmp_unordered(">=", size, kind(2.0**63))):
                self.return_exception(error, (said,), self.loc)
            return builder.fptosi(number, IntType(64))

        def lower_call(self, kind: Any, expr: Any) -> Any:
            called = self.typeof(expr.func.name)
            function = getattr(called, "typing_key", None)
            if function in _UNCHECKED:
                said = f"NumPy's {function.__name__} does not check numbers: use Python's operators, or math"
                raise errors.UnsupportedError(said, loc=expr.loc)
            converts = isinstance(called, types.NumberClass) or function in _TO_INTEGERS
            ours = str(self.fndesc.modname).startswith("mines_dd.")  # such as a packaged child that a user's one calls
            if converts and isinstance(kind, types.Integer) and kind != types.int64 and not ours:
                raise errors.UnsupportedError(f"{kind} does not check numbers: use int()", loc=expr.loc)
            if converts and isinstance(kind, types.Integer):
                for arg in expr.args[:1]:
                    if isinstance(self.typeof(arg.name), types.Float):
                        self._require_fits(self.loadvar(arg.name), OverflowError, _TOO_LARGE_FLOAT)
            return super().lower_call(kind, expr)

        def lower_expr(self, kind: Any, expr: Any) -> Any:
            inverts = expr.op == "unary" and expr.fn is operator.invert
            if inverts and isinstance(self.typeof(expr.value.name), types.Boolean):
                raise errors.UnsupportedError(_INVERTED, loc=expr.loc)
            return super().lower_expr(kind, expr)

        def lower_print(self, inst: Any) -> None:
            if any(isinstance(self.typeof(item.name), types.Array) for item in inst.args):  # it would print all states
                raise errors.UnsupportedError("an array cannot be printed, but its numbers can", loc=inst.loc)
            super().lower_print(inst)

    return Lower


@functools.cache
def _lower() -> type:
    """The same, with checks of integers."""
    from numba import extending
    from numba.core import cgutils, types

    base: Any = _lower_values()
    unlikely: Any = cgutils.if_unlikely
    integer: Any = types.int64
    both_to_one: Any = integer(integer, integer)
    one_integer: Any = types.UniTuple(integer, 1)  # type: ignore[no-untyped-call]
    for function in _IN_PLACE.values():
        extending.register_jitable(function)
    overflows = {operator.add: "sadd", operator.sub: "ssub", operator.mul: "smul"}

    class Lower(base):  # type: ignore[misc]
        def lower_expr(self, kind: Any, expr: Any) -> Any:
            if expr.op != "unary" or expr.fn is not operator.neg or self.fndesc.calltypes[expr].return_type != integer:
                return super().lower_expr(kind, expr)
            number = self.context.cast(
                self.builder, self.loadvar(expr.value.name), self.typeof(expr.value.name), integer
            )
            result = self._unless_too_large(self.builder.ssub_with_overflow(number.type(0), number))
            return self.context.cast(self.builder, result, integer, kind)

        def lower_binop(self, kind: Any, expr: Any, op: Any) -> Any:
            if op in _IN_PLACE and isinstance(kind, types.Array) and isinstance(kind.dtype, types.Integer):
                return self._change_array(kind, expr, _IN_PLACE[op])
            if self.fndesc.calltypes[expr].return_type != integer or op not in overflows.keys() | _CHECKED.keys():
                return super().lower_binop(kind, expr, op)
            sides = [
                self.context.cast(self.builder, self.loadvar(side.name), self.typeof(side.name), integer)
                for side in (expr.lhs, expr.rhs)
            ]
            if op in _CHECKED:
                result = self.context.compile_internal(self.builder, _CHECKED[op], both_to_one, sides)
            else:
                result = self._unless_too_large(getattr(self.builder, f"{overflows[op]}_with_overflow")(*sides))
            return self.context.cast(self.builder, result, integer, kind)

        def _change_array(self, kind: Any, expr: Any, operate: Callable[..., Any]) -> Any:
            """The array, changed by as many numbers as it has, or by one."""
            array, values = self.loadvar(expr.lhs.name), self.loadvar(expr.rhs.name)
            taken = self.typeof(expr.rhs.name)
            if not isinstance(taken, types.Array):
                value = self.context.cast(self.builder, values, taken, integer)
                taken = one_integer
                values = self.context.make_tuple(self.builder, taken, [value])
            return self.context.compile_internal(self.builder, _changing(operate), kind(kind, taken), [array, values])

        def _unless_too_large(self, found: Any) -> Any:
            with unlikely(self.builder, self.builder.extract_value(found, 1)):
                self.return_exception(OverflowError, (_TOO_LARGE,), self.loc)
            return self.builder.extract_value(found, 0)

    return Lower


def _changing(operate: Callable[..., Any]) -> Callable[..., Any]:
    """What changes an array."""

    def changing(array, values):  # type: ignore[no-untyped-def]
        for place in range(len(array)):
            array[place] = operate(array[place], values[place if len(values) > 1 else 0])
        return array

    return changing


def _sum(number, other):  # type: ignore[no-untyped-def]
    if (other > 0 and number > _MOST - other) or (other < 0 and number < -_MOST - 1 - other):
        raise OverflowError(_TOO_LARGE)
    return number + other


def _difference(number, other):  # type: ignore[no-untyped-def]
    if (other < 0 and number > _MOST + other) or (other > 0 and number < -_MOST - 1 + other):
        raise OverflowError(_TOO_LARGE)
    return number - other


def _product(number, factor):  # type: ignore[no-untyped-def]
    if factor in (0, 1) or number in (0, 1):
        return number * factor
    if number < -_MOST or factor < -_MOST or abs(number) > _MOST // abs(factor):
        raise OverflowError(_TOO_LARGE)
    return number * factor


def _shifted_left(number, by):  # type: ignore[no-untyped-def]
    if by < 0:
        raise ValueError("negative shift count")
    shifted = number << min(by, 63)
    if (by > 63 and number != 0) or shifted >> min(by, 63) != number:
        raise OverflowError(_TOO_LARGE)
    return shifted


def _shifted_right(number, by):  # type: ignore[no-untyped-def]
    if by < 0:
        raise ValueError("negative shift count")
    return number >> min(by, 63)


def _power(base, exponent):  # type: ignore[no-untyped-def]
    if exponent < 0:
        raise ArithmeticError(_NO_POWER)
    if exponent < 2:
        return base if exponent else 1
    if -2 < base < 2:
        return base if exponent % 2 else base * base
    power = 1
    for _ in range(exponent):
        if base < -_MOST or abs(power) > _MOST // abs(base):
            raise OverflowError(_TOO_LARGE)
        power *= base
    return power


def _quotient(number, by):  # type: ignore[no-untyped-def]
    if by == -1 and number < -_MOST:
        raise OverflowError(_TOO_LARGE)
    return number // by


def _remainder(number, by):  # type: ignore[no-untyped-def]
    return number % by


_CHECKED = {
    operator.lshift: _shifted_left,
    operator.rshift: _shifted_right,
    operator.pow: _power,
    operator.floordiv: _quotient,
}
_IN_PLACE = {
    operator.iadd: _sum,
    operator.isub: _difference,
    operator.imul: _product,
    operator.ifloordiv: _quotient,
    operator.imod: _remainder,
    operator.ipow: _power,
    operator.ilshift: _shifted_left,
    operator.irshift: _shifted_right,
}
