"""Arrays that overlap, in functions that users write: as in NumPy, or an error.

Where an array overwrites what it still has to read, NumPy makes a copy first.  What is compiled here makes none.  So
Numba refuses to move a part of an array, and changes one by reading what was just written:

                                 NumPy               Numba               here, compiled
    x = [1, 2, 3, 4]
    x[1:] = x[:-1]               [1, 1, 2, 3]        refused             [1, 1, 2, 3], moved from the end
    x[:] = x[::-1]               [4, 3, 2, 1]        refused             a ValueError
    x[1:] += x[:-1]              [1, 3, 5, 7]        [1, 3, 6, 10]       a ValueError
    x[:-1] += x[1:]              [3, 5, 7, 4]        [3, 5, 7, 4]        the same
"""

from __future__ import annotations

import functools
from typing import Any

import numpy as np

__all__ = ["lower_overlapping"]


@functools.cache
def lower_overlapping() -> type:
    """Return what makes LLVM's code of Numba's, but for arrays that overlap."""
    from numba import extending
    from numba.core import errors, ir, lowering, types

    base: Any = lowering.Lower
    extending.register_jitable(_safe_order)

    class Lower(base):  # type: ignore[misc]
        def lower_inst(self, inst: Any) -> Any:
            if isinstance(inst, ir.SetItem | ir.StaticSetItem):
                index = inst.index if isinstance(inst, ir.SetItem) else inst.index_var
                names = [inst.target.name, index.name, inst.value.name]
                kept, where, kind = kinds = [self.typeof(name) for name in names]
                if any(isinstance(part, types.Array) for part in (where, *getattr(where, "types", ()))):
                    # an array of numbers, as one of truths is here: what is a mask in NumPy would be one of indices
                    raise errors.UnsupportedError("an array is an index: write a loop", loc=inst.loc)
                of_arrays = isinstance(kept, types.Array) and isinstance(kind, types.Array)
                if of_arrays and kept.ndim == kind.ndim == 1 and isinstance(where, types.SliceType):
                    values = [self.loadvar(name) for name in names]
                    return self.context.compile_internal(self.builder, _put, types.none(*kinds), values)
            return super().lower_inst(inst)

        def lower_call(self, kind: Any, expr: Any) -> Any:
            ufunc = getattr(self.typeof(expr.func.name), "typing_key", None)
            if isinstance(ufunc, np.ufunc) and (len(expr.args) > ufunc.nin or expr.kws):
                raise errors.UnsupportedError("NumPy's functions cannot write to an array: write a loop", loc=expr.loc)
            return super().lower_call(kind, expr)

        def lower_expr(self, kind: Any, expr: Any) -> Any:
            if expr.op == "inplace_binop":
                self._require_no_value_is_lost(expr)
            return super().lower_expr(kind, expr)

        def _require_no_value_is_lost(self, expr: Any) -> None:
            """Have it checked that an array is not changed by what is overwritten meanwhile."""
            names = [expr.lhs.name, expr.rhs.name]
            kinds = [self.typeof(name) for name in names]
            arrays = [kind for kind in kinds if isinstance(kind, types.Array)]
            if any(kind.ndim != 1 for kind in arrays):
                raise errors.UnsupportedError("arrays of several dimensions are changed: write a loop", loc=expr.loc)
            if len(arrays) < 2:
                return
            values = [self.loadvar(name) for name in names]
            self.context.compile_internal(self.builder, _require_kept, types.none(*kinds), values)

    return Lower


def _safe_order(part, values):  # type: ignore[no-untyped-def]
    """In which order one array is overwritten by another without losing a value: 1, -1 (backward), or 0 (in none)."""
    size = len(part)
    if len(values) not in (1, size):
        raise ValueError("a part of an array takes one value, or as many as it has")
    if size == 0:
        return 1
    to, start = part.ctypes.data, values.ctypes.data
    step, other = part.strides[0], values.strides[0]
    end, other_end = to + (size - 1) * step, start + (len(values) - 1) * other
    if min(to, end) > max(start, other_end) or min(start, other_end) > max(to, end):
        return 1
    if size > 1 and (len(values) == 1 or step != other):
        return 0
    return -1 if to != start and (to > start) == (step > 0) else 1


def _require_kept(array, values):  # type: ignore[no-untyped-def]
    if _safe_order(array, values) != 1:  # type: ignore[no-untyped-call]
        raise ValueError("an array is changed by a part of itself that is overwritten meanwhile: write a loop")


def _put(array, where, values):  # type: ignore[no-untyped-def]
    part = array[where]
    if len(values) == 1:
        part[:] = values[0]
        return
    order = _safe_order(part, values)  # type: ignore[no-untyped-call]
    if order == 0:
        raise ValueError("an array is put into itself in another order: write a loop")
    size = len(part)
    for number in range(size):
        place = size - 1 - number if order < 0 else number
        part[place] = values[place]
