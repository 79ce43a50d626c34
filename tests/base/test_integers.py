"""Integers in functions of users, interpreted and compiled, against those of Python."""

import operator

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from mines_dd.base.binding import fits
from mines_dd.base.integers import PythonNumbers
from mines_dd.base.jit import BoundKernel

OPERATIONS = [operator.add, operator.sub, operator.mul, operator.pow, operator.lshift, operator.rshift]


def operate(operation, a, b):
    if operation == 0:
        return a + b
    if operation == 1:
        return a - b
    if operation == 2:
        return a * b
    if operation == 3:
        return a**b
    return a << b if operation == 4 else a >> b


def in_place(operation, a, b):
    if operation == 0:
        a += b
    elif operation == 1:
        a -= b
    elif operation == 2:
        a *= b
    elif operation == 3:
        a **= b
    elif operation == 4:
        a <<= b
    else:
        a >>= b
    return a


def run(given, found):
    found[0] = _operate(given[0], given[1], given[2])


_operate = None
KERNELS = [BoundKernel(run, {"_operate": one}, "operations") for one in (operate, in_place)]
LIMITS = [-(2**63), -(2**32), 2**32, 2**62, 2**63 - 1]
NUMBERS = st.one_of(st.integers(-70, 70), st.integers(-(2**63), 2**63 - 1), st.sampled_from(LIMITS))


@pytest.mark.parametrize("kernel", KERNELS, ids=["plain", "in place"])
@pytest.mark.parametrize("how", ["interpreted", "compiled"])
@given(st.integers(0, 5), NUMBERS, NUMBERS)
@example(3, 0, 0)
@example(3, -2, 63)
@example(4, 1, 63)
@example(4, -1, 63)
@example(4, 0, 64)
@example(4, 3, 62)
@example(5, -7, 2**63 - 1)
def test_integers_are_those_of_python_or_fail(kernel, how, operation, a, b):
    if operation >= 3:
        b = min(b, 200)
    found = np.zeros(1, np.int64)
    arguments = np.array([operation, a, b]), found
    if b < 0 and operation >= 3:
        if operation > 3 or how == "compiled":
            with pytest.raises((ValueError, ArithmeticError)):
                getattr(kernel, how)(*arguments)
        return
    expected = OPERATIONS[operation](a, b)
    if operation == 3 and how == "compiled" and expected == -(2**63):
        return  # which is refused, too
    if fits(expected):
        getattr(kernel, how)(*arguments)
        assert found[0] == expected
    else:
        with pytest.raises(OverflowError, match="more than 64 bits"):
            getattr(kernel, how)(*arguments)


def test_numbers_out_of_an_array_are_those_of_python():
    array = np.array([[1, 2], [3, 4]]).view(PythonNumbers)
    assert [type(number) for number in (array[0, 1], *array[1], *array.astype(float)[0])] == [int] * 3 + [float] * 2
    with pytest.raises(OverflowError, match="more than 64 bits"):
        array[0] = 2**63
