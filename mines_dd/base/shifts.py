"""Shifts of integers that are those of Python where they are compiled, or fail.

A processor takes the number of bits modulo 64, so what has a bit for each of 65 items would use one of them twice:

                  Python          a processor     checked
    1 << 64       2**64           1               an OverflowError
    5 >> 64       0               5               0
"""

from __future__ import annotations

import functools
import operator
from typing import Any

__all__ = ["shift_checks"]


@functools.cache
def shift_checks(njit: Any) -> type:
    """Return the pass of Numba's compiler that puts checked shifts in place of the processor's."""
    from numba.core import compiler_machinery, ir, ir_utils

    machinery: Any = compiler_machinery
    numba_ir: Any = ir
    utilities: Any = ir_utils
    how = njit(nogil=True, no_cfunc_wrapper=True, no_cpython_wrapper=True, _nrt=False, forceinline=True)
    left, right = how(_shifted_left), how(_shifted_right)
    shifts = {operator.lshift: left, operator.ilshift: left, operator.rshift: right, operator.irshift: right}

    def checked(statement: Any, scope: Any) -> list[Any]:
        value: Any = getattr(statement, "value", None)
        where = statement.loc
        if not isinstance(value, numba_ir.Expr) or value.op not in ("binop", "inplace_binop") or value.fn not in shifts:
            return [statement]
        shift = numba_ir.Var(scope, utilities.mk_unique_var("$shift"), where)
        call = numba_ir.Expr.call(shift, (value.lhs, value.rhs), (), where)
        return [
            numba_ir.Assign(numba_ir.Global("shift", shifts[value.fn], where), shift, where),
            numba_ir.Assign(call, statement.target, where),
        ]

    @machinery.register_pass(mutates_CFG=False, analysis_only=False)  # type: ignore[untyped-decorator]
    class ShiftChecks(machinery.FunctionPass):  # type: ignore[misc]
        _name = "mines_dd_shift_checks"

        def __init__(self) -> None:
            super().__init__()

        def run_pass(self, state: Any) -> bool:
            blocks = state.func_ir.blocks
            for block in blocks.values():
                block.body = [new for old in block.body for new in checked(old, block.scope)]
            state.func_ir._definitions = utilities.build_definitions(blocks)
            return True

    return ShiftChecks


def _shifted_left(number, by):  # type: ignore[no-untyped-def]
    if by < 0 or by > 63:
        raise OverflowError("a shift to the left by more than 63 bits, or by less than 0")
    return number << by


def _shifted_right(number, by):  # type: ignore[no-untyped-def]
    if by < 0:
        raise ValueError("negative shift count")
    return number >> (by if by < 63 else 63)
