"""Values of more than one kind, in functions that users write: as in Python, or an error.

What Numba compiles has one kind for each variable and result.  Where two kinds meet it takes the wider one:

                                   Python          Numba           here, compiled
    return GO if x else y > 3      True            1               refused
    2**60 + 1 == 2.0**60           False           True            an OverflowError
    x = 2**60 + 1, or x = 0.5      2**60 + 1       2.0**60         an OverflowError
    max(2**60 + 1, 0.5)            2**60 + 1       2.0**60         an OverflowError
    f = odd if x else cost         either          one's result    refused
                                                   as the other's

and it has a float where Python has none:

    (-2.0) ** 0.5                  complex         nan             a ValueError
    math.sqrt(-2.0)                a ValueError    nan             a ValueError
    math.log(0)                    a ValueError    -inf            a ValueError

and a float that is another in its last digits:

    0.3 ** 3                       0.3 ** 3        0.3 * 0.3 * 0.3 as in Python, by the C library's pow
    round(0.15, 1)                 0.1             0.2             refused
    math.hypot(0.3, 1.5)           rounded once    C's hypot       refused
"""

from __future__ import annotations

import collections
import functools
import math
import operator
from typing import Any

from mines_dd.base.overlaps import lower_overlapping

__all__ = ["lower_mixed", "types_in"]

_TRUTH_OR_NUMBER = "True or False is returned here, and elsewhere a number: return numbers alone, or truths alone"
_NO_FLOAT = "an integer beyond 2**53 is taken as a float, which does not hold it; use // for /, and 2**62 for math.inf"
_NO_NUMBER = "a function of math, or **, has no finite real number as its result"
_CHOSEN = "a function is chosen here by a condition: call each by its name, in an if and an else"
_OTHERWISE = {
    round: "round to some digits is done otherwise than in Python: multiply, and round to a whole number",
    math.hypot: "math.hypot is done otherwise than in Python: use math.sqrt(a * a + b * b)",
}
"""What of floats has other last digits compiled."""
_COMPARED = {operator.eq, operator.ne, operator.lt, operator.le, operator.gt, operator.ge, operator.contains}
_DIVIDED = {operator.truediv, operator.itruediv}


def types_in(kind: Any) -> tuple[Any, ...]:
    """Return the types of what a tuple, an array or a list holds."""
    parts: tuple[Any, ...] = getattr(kind, "types", None) or (getattr(kind, "dtype", None),)
    return parts


@functools.cache
def lower_mixed() -> type:
    """Return what makes LLVM's code of Numba's, but for values of more than one kind."""
    from numba.core import cgutils, errors, ir, types

    base: Any = _lower_real()
    unlikely: Any = cgutils.if_unlikely

    class Lower(base):  # type: ignore[misc]
        def pre_lower(self) -> None:
            super().pre_lower()
            place = _truth_made_number(self)
            if place is not None:
                raise errors.UnsupportedError(_TRUTH_OR_NUMBER, loc=place)

        def lower_assign(self, kind: Any, inst: Any) -> Any:
            if isinstance(kind, types.FunctionType | types.UndefinedFunctionType):
                raise errors.UnsupportedError(_CHOSEN, loc=inst.loc)
            if isinstance(inst.value, ir.Var):
                self._require_held(inst.value.name, kind)
            return super().lower_assign(kind, inst)

        def lower_expr(self, kind: Any, expr: Any) -> Any:
            if expr.op == "cast":
                self._require_held(expr.value.name, kind)
            return super().lower_expr(kind, expr)

        def lower_call(self, kind: Any, expr: Any) -> Any:
            if _called(self, expr) in (max, min):
                for arg in expr.args:
                    self._require_held(arg.name, kind)
            return super().lower_call(kind, expr)

        def lower_binop(self, kind: Any, expr: Any, op: Any) -> Any:
            left, right = expr.lhs.name, expr.rhs.name
            if op in _COMPARED:
                for name, other in ((left, self.typeof(right)), (right, self.typeof(left))):
                    for part in (other, *types_in(other)):
                        self._require_held(name, part)
            elif op in _DIVIDED and all(isinstance(self.typeof(name), types.Integer) for name in (left, right)):
                self._require_held(left, kind)
                self._require_held(right, kind)
            return super().lower_binop(kind, expr, op)

        def _require_held(self, name: str, kind: Any) -> None:
            """Have it checked that an integer stays what it is as a float, if that is the kind it is to be."""
            if isinstance(self.typeof(name), types.Integer) and isinstance(kind, types.Float):
                number = self.context.cast(self.builder, self.loadvar(name), self.typeof(name), types.int64)
                above = self.builder.add(number, number.type(2**53))  # 0 to 2**54, or not
                with unlikely(self.builder, self.builder.icmp_unsigned(">", above, number.type(2**54))):
                    self.return_exception(OverflowError, (_NO_FLOAT,), self.loc)

    return Lower


@functools.cache
def _lower_real() -> type:
    """The same, but for floats: what has no real number as its result, and what has another."""
    from llvmlite.ir import FunctionType  # type: ignore[import-untyped]
    from numba.core import cgutils, errors, types

    base: Any = lower_overlapping()
    unlikely: Any = cgutils.if_unlikely
    declared: Any = cgutils.get_or_insert_function

    class Lower(base):  # type: ignore[misc]
        def lower_call(self, kind: Any, expr: Any) -> Any:
            function = _called(self, expr)
            is_whole = function is round and not expr.args[1:] and not expr.kws
            if function in _OTHERWISE and isinstance(kind, types.Float) and not is_whole:
                raise errors.UnsupportedError(_OTHERWISE[function], loc=expr.loc)
            if function in (pow, math.pow) and isinstance(kind, types.Float):
                return self._power(kind, *expr.args)
            found = super().lower_call(kind, expr)
            if getattr(function, "__module__", "") == "math":
                self._require_pythons(found, kind, expr.args)
            return found

        def lower_binop(self, kind: Any, expr: Any, op: Any) -> Any:
            if op is operator.pow and isinstance(kind, types.Float):
                return self._power(kind, expr.lhs, expr.rhs)
            return super().lower_binop(kind, expr, op)

        def _power(self, kind: Any, base: Any, exponent: Any) -> Any:
            """A power by C's pow, as in Python: Numba multiplies, and LLVM makes other functions of what it knows."""
            double = self.context.get_value_type(types.float64)
            power = declared(self.module, FunctionType(double, [double, double]), "pow")
            power.attributes.add("nobuiltin")
            sides = [
                self.context.cast(self.builder, self.loadvar(side.name), self.typeof(side.name), types.float64)
                for side in (base, exponent)
            ]
            found = self.context.cast(self.builder, self.builder.call(power, sides), types.float64, kind)
            self._require_pythons(found, kind, [base, exponent])
            return found

        def _require_pythons(self, found: Any, kind: Any, given: list[Any]) -> None:
            """Have it checked that a float is none for which Python has an error: nan, or inf of finite ones."""
            if not isinstance(kind, types.Float):
                return
            builder = self.builder
            floats = [self.loadvar(one.name) for one in given if isinstance(self.typeof(one.name), types.Float)]
            was_nan, was_finite = cgutils.false_bit, cgutils.true_bit
            for number in floats:
                was_nan = builder.or_(was_nan, builder.fcmp_unordered("uno", number, number))
                was_finite = builder.and_(was_finite, self._is_finite(number))
            is_nan = builder.fcmp_unordered("uno", found, found)
            expected = builder.select(is_nan, was_nan, builder.or_(self._is_finite(found), builder.not_(was_finite)))
            with unlikely(builder, builder.not_(expected)):
                self.return_exception(ValueError, (_NO_NUMBER,), self.loc)

        def _is_finite(self, number: Any) -> Any:
            size = self.builder.call(self.builder.module.declare_intrinsic("llvm.fabs", [number.type]), [number])
            return self.builder.fcmp_ordered("<", size, number.type(float("inf")))

    return Lower


def _called(lower: Any, expr: Any) -> Any:
    """The function of Python that a call is of, if Numba has code of its own for it."""
    return getattr(lower.typeof(expr.func.name), "typing_key", None)


def _truth_made_number(lower: Any) -> Any:
    """Where a function's result, which is a number, is True or False before; None if nowhere."""
    from numba.core import ir, types

    assigned = collections.defaultdict(list)
    returned = []
    for block in lower.blocks.values():
        for inst in block.find_insts(ir.Assign):
            assigned[inst.target.name].append(inst)
        returned += [inst.value.name for inst in block.find_insts(ir.Return)]
    met = set(returned)
    while returned:
        name = returned.pop()
        for inst in assigned[name] if isinstance(lower.typeof(name), types.Integer) else ():
            is_cast = isinstance(inst.value, ir.Expr) and inst.value.op == "cast"
            source = inst.value.value if is_cast else inst.value
            if not isinstance(source, ir.Var):
                continue
            if isinstance(lower.typeof(source.name), types.Boolean | types.BooleanLiteral):
                return inst.loc
            if source.name not in met:
                met.add(source.name)
                returned.append(source.name)
    return None
