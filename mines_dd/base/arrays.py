"""Names for the types of arrays."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

__all__ = ["BoolArray", "ComplexArray", "FloatArray", "IntArray", "LongArray"]

BoolArray = npt.NDArray[np.bool_]
IntArray = npt.NDArray[np.int32]
LongArray = npt.NDArray[np.int64]
FloatArray = npt.NDArray[np.float64]
ComplexArray = npt.NDArray[np.complex128]
