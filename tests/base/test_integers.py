"""Integers in functions of users, interpreted and compiled, against those of Python."""

import math
import operator

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from mines_dd.base.binding import fits
from mines_dd.base.compiling import numba_error
from mines_dd.base.integers import PythonNumbers, with_python_numbers
from mines_dd.base.jit import BoundKernel
from mines_dd.base.uncompilable import numba_reason

COMPILED = pytest.param("compiled", marks=pytest.mark.ci)

OPERATIONS = [operator.add, operator.sub, operator.mul, operator.pow, operator.lshift, operator.rshift]
OPERATIONS += [operator.floordiv, lambda a, _: -a]


def operate(operation, a, b):
    if operation == 0:
        return a + b
    if operation == 1:
        return a - b
    if operation == 2:
        return a * b
    if operation == 3:
        return a**b
    if operation == 4:
        return a << b
    if operation == 5:
        return a >> b
    return a // b if operation == 6 else -a


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
    elif operation == 5:
        a >>= b
    elif operation == 6:
        a //= b
    else:
        a = -a
    return a


def run(given, found):
    found[0] = _operate(given[0], given[1], given[2])


_operate = None
KERNELS = [BoundKernel(run, {"_operate": one}, "operations") for one in (operate, in_place)]
LIMITS = [-(2**63), -(2**32), 2**32, 2**62, 2**63 - 1]
NUMBERS = st.one_of(st.integers(-70, 70), st.integers(-(2**63), 2**63 - 1), st.sampled_from(LIMITS))


@pytest.mark.parametrize("kernel", KERNELS, ids=["plain", "in place"])
@pytest.mark.parametrize("how", ["interpreted", COMPILED])
@given(st.integers(0, 7), NUMBERS, NUMBERS)
@example(3, 0, 0)
@example(3, -2, 63)
@example(4, 1, 63)
@example(4, -1, 63)
@example(4, 0, 64)
@example(4, 3, 62)
@example(5, -7, 2**63 - 1)
@example(6, -(2**63), -1)
@example(7, -(2**63), 0)
def test_integers_are_those_of_python_or_fail(kernel, how, operation, a, b):
    if 3 <= operation <= 5:
        b = min(b, 200)
    found = np.zeros(1, np.int64)
    arguments = np.array([operation, a, b]), found
    if operation == 6 and b == 0:
        with pytest.raises(ZeroDivisionError):
            getattr(kernel, how)(*arguments)
        return
    if b < 0 and 3 <= operation <= 5:
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


def meet(operation, a, b):
    """What a whole number and a float make together, as a whole number."""
    if operation == 0:
        return int(a == b)
    if operation == 1:
        return int(a < b)
    if operation == 2:
        return int(b <= a)
    if operation == 3:
        return int(a in (b, b))
    if operation == 4:
        return int(max(a, b))
    if operation == 5:
        return int(a / 3 == b / 3)
    either = b
    if a > 0:
        either = a
    return int(either)


def run_meet(given, with_float, found):
    found[0] = _meet(given[0], given[1], with_float[0])


_meet = None
MEETING = BoundKernel(run_meet, {"_meet": meet}, "meetings")
NEAR_FLOATS = st.one_of(st.integers(-9, 9), st.integers(2**53 - 9, 2**53 + 9), st.integers(-(2**62), 2**62))


@pytest.mark.parametrize("how", ["interpreted", COMPILED])
@given(st.integers(0, 6), NEAR_FLOATS, st.sampled_from([-1, 0, 0.5, 1]))
@example(0, 2**60 + 1, 0)
@example(1, 2**60 - 1, 1)
@example(2, 2**60 + 1, 0)
@example(3, 2**60 + 1, 0)
@example(4, 2**60 + 1, 0)
@example(5, 2**60 + 1, 0)
@example(6, 2**60 + 1, 0)
@example(6, -(2**53), 0)
def test_integers_that_meet_floats_are_those_of_python_or_fail(how, operation, a, more):
    found = np.zeros(1, np.int64)
    try:
        getattr(MEETING, how)(np.array([operation, a]), np.array([float(a + more)]), found)
    except OverflowError:
        assert how == "compiled"
        assert abs(a) > 2**53
    else:
        assert found[0] == meet(operation, a, float(a + more))


def of_math(function, a, b):
    if function == 0:
        return math.sqrt(a)
    if function == 1:
        return math.log(b)
    if function == 2:
        return a**b
    if function == 3:
        return math.exp(a)
    if function == 4:
        return math.acos(a)
    return math.pow(a, b) if function == 5 else math.sin(a)


def run_math(function, given, found):
    found[0] = _of_math(function[0], given[0], int(given[1]))


_of_math = None
MATH = BoundKernel(run_math, {"_of_math": of_math}, "functions of math")


@pytest.mark.parametrize("how", ["interpreted", COMPILED])
@given(
    st.integers(0, 6),
    st.one_of(st.sampled_from([0.0, -0.5, 1e300, math.inf, -math.inf, math.nan]), st.floats(-9, 9)),
    st.integers(-9, 400),
)
@example(0, -2.0, 0)
@example(1, 0.0, 0)
@example(2, 0.0, -1)
@example(2, 10.0, 400)
@example(2, math.inf, 3)
@example(3, 1e300, 0)
@example(3, math.inf, 0)
@example(6, math.inf, 0)
@example(6, math.nan, 0)
@example(2, 0.3, 3)  # 0.3 * 0.3 * 0.3 is another number
@example(5, 0.7, -7)
def test_functions_of_math_are_those_of_python_or_fail(how, function, a, b):
    found = np.zeros(1)
    arguments = np.array([function]), np.array([a, b]), found
    try:
        expected = of_math(function, a, b)
    except (ValueError, ArithmeticError):
        with pytest.raises((ValueError, ArithmeticError)):
            getattr(MATH, how)(*arguments)
    else:
        getattr(MATH, how)(*arguments)
        assert found[0] == expected or (math.isnan(found[0]) and math.isnan(expected))


def run_put(given, found):
    _put(given, found)


_put = None


def change_all(operation, array, by):
    if operation == 0:
        array += by
    elif operation == 1:
        array -= by
    elif operation == 2:
        array *= by
    elif operation == 3:
        array **= by
    elif operation == 4:
        array <<= by
    elif operation == 5:
        array >>= by
    elif operation == 6:
        array //= by
    else:
        array %= by


def changes(given, found):
    change_all(given[0], found, given[1:4])


def changes_by_one(given, found):
    change_all(given[0], found[:], given[1])


CHANGES = [BoundKernel(run_put, {"_put": one}, one.__name__) for one in (changes, changes_by_one)]
THREE = st.tuples(NUMBERS, NUMBERS, NUMBERS)


def python_changes(operation, numbers, by):
    """What Python makes of each number; None where it fails, or one needs more than 64 bits."""
    try:
        made = [(*OPERATIONS[:7], operator.mod)[operation](*pair) for pair in zip(numbers, by, strict=True)]
    except (ZeroDivisionError, ValueError):
        return None
    return made if all(isinstance(number, int) and fits(number) for number in made) else None


@pytest.mark.parametrize("one", [False, True])
@pytest.mark.parametrize("how", ["interpreted", COMPILED])
@given(st.integers(0, 7), THREE, THREE)
@example(2, (2**62, 0, 1), (-2, 5, 2**63 - 1))
@example(3, (1, -2, 3), (-1, 62, 39))
@example(4, (1, 0, -1), (64, 70, 63))
@example(6, (7, -(2**63), 0), (0, -1, 1))
@example(7, (-(2**63), 7, -7), (-1, -3, 3))
@example(7, (1, 2, 3), (2, 0, 1))
def test_arrays_are_changed_as_by_python_or_not_at_all(one, how, operation, numbers, by):
    by = tuple(min(number, 200) for number in by) if 3 <= operation <= 5 else by
    expected = python_changes(operation, numbers, by[:1] * 3 if one else by)
    found = np.array(numbers)
    try:
        getattr(CHANGES[one], how)(np.array([operation, *by]), found)
    except (ArithmeticError, ValueError):
        lowest = how == "compiled" and operation in (2, 3) and -(2**63) in {*numbers, *by, *(expected or ())}
        assert expected is None or lowest
    else:
        assert found.tolist() == expected


def put(given, found):
    found[0] = given[0] / given[1]


PUT = BoundKernel(run_put, {"_put": put}, "floats")


@pytest.mark.parametrize("how", ["interpreted", COMPILED])
@pytest.mark.parametrize("by", [2.0, 0.5, -1.0, 2.0**-70, -(2.0**-61), np.inf, 1e-300])
def test_a_float_is_an_integer_or_not_put_among_integers(how, by):
    found, whole = np.zeros(1, np.int64), 5 / by
    if whole.is_integer() and abs(whole) < 2**63:
        getattr(PUT, how)(np.array([5, by]), found)
        assert found[0] == whole
    else:
        with pytest.raises(TypeError, match="use // for /"):
            getattr(PUT, how)(np.array([5, by]), found)
    with pytest.raises(TypeError, match="use // for /"):
        getattr(PUT, how)(np.array([np.nan, by]), found)


def shift(given, found):
    start, end, step, other, last, by = given[0], given[1], given[2], given[3], given[4], given[5]
    found[start:end:step] = found[other:last:by]


def spread(given, found):
    found[1:3] = given[1:3]


def change(given, found):
    start, end, step, other, last, by = given[0], given[1], given[2], given[3], given[4], given[5]
    found[start:end:step] += found[other:last:by]


def change_by_a_name(given, found):
    start, end, step, other, last, by = given[0], given[1], given[2], given[3], given[4], given[5]
    part = found[start:end:step]
    part ^= found[other:last:by]


def add_into(given, found):
    np.add(found[1:], found[:-1], found[1:])


SHIFT, SPREAD, CHANGE, BY_A_NAME, ADD_INTO = (
    BoundKernel(run_put, {"_put": one}, one.__name__) for one in (shift, spread, change, change_by_a_name, add_into)
)
ENDS, STEPS = st.integers(-7, 7), st.integers(-3, 3).filter(bool)


def moved(run, where):
    array = 3 ** np.arange(5)  # all their sums are different
    try:
        run(np.array(where), array)
    except ValueError as error:
        return str(error)
    return array.tolist()


@given(st.tuples(ENDS, ENDS, STEPS, ENDS, ENDS, STEPS))
@example((0, 4, 1, 1, 5, 1))
@example((1, 5, 1, 0, 4, 1))
@example((3, -7, -1, 4, 0, -1))
@example((0, 4, 1, 4, 5, 1))
@example((0, 5, 1, 4, -7, -1))
def test_a_part_of_an_array_is_put_into_another_as_by_numpy_or_fails(where):
    found, expected = moved(SHIFT.compiled, where), moved(shift, where)
    if isinstance(found, str):
        assert isinstance(expected, str) or ("in another order" in found and where[2] != where[5])
    else:
        assert found == expected


@given(st.tuples(ENDS, ENDS, STEPS, ENDS, ENDS, STEPS))
@example((1, 5, 1, 0, 4, 1))
@example((0, 4, 1, 1, 5, 1))
@example((0, 5, 1, 4, -7, -1))
@example((0, 5, 1, 0, 1, 1))
@example((4, 0, -1, 3, -7, -1))
@example((0, 5, 1, 0, 5, 1))
@pytest.mark.parametrize(("kernel", "plainly"), [(CHANGE, change), (BY_A_NAME, change_by_a_name)])
def test_an_array_is_changed_by_another_as_by_numpy_or_fails(kernel, plainly, where):
    found, expected = moved(kernel.compiled, where), moved(plainly, where)
    if isinstance(found, str):
        assert isinstance(expected, str) or "overwritten meanwhile" in found
    else:
        assert found == expected


def test_what_is_overwritten_is_added_by_a_loop():
    shifted, added = (moved(CHANGE.compiled, where) for where in ((1, 5, 1, 0, 4, 1), (0, 4, 1, 1, 5, 1)))
    assert "overwritten meanwhile: write a loop" in shifted
    assert added == [4, 12, 36, 108, 81]
    assert moved(CHANGE.compiled, (0, 2, 1, 3, 5, 1)) == [28, 84, 9, 27, 81]
    with pytest.raises(numba_error(), match="NumPy's functions cannot write to an array"):
        ADD_INTO.compiled(np.zeros(6), np.arange(5))


def divides(given, found):
    found[0] = np.floor_divide(given[0], given[1])


def narrows(given, found):
    found[0] = np.int8(given[0])


def halves(given, found):
    found /= given[0]


def changes_a_square(given, found):
    square = found.reshape((1, len(found)))
    square //= given[0]


@pytest.mark.parametrize(
    ("function", "said"),
    [
        (divides, "NumPy's floor_divide does not check numbers"),
        (narrows, "int8 does not check numbers: use int"),
        (changes_a_square, "arrays of several dimensions are changed"),
    ],
)
def test_what_checks_no_numbers_is_refused(function, said):
    with pytest.raises(numba_error(), match=said):
        BoundKernel(run_put, {"_put": function}, function.__name__).compiled(np.array([300, 0]), np.zeros(2, np.int64))


def test_an_array_of_integers_is_not_changed_by_a_float():
    kernel = BoundKernel(run_put, {"_put": halves}, "halves")
    with pytest.raises(TypeError, match="output from dtype"):
        kernel.interpreted(np.array([2]), np.zeros(2, np.int64))
    with pytest.raises(AttributeError) as error:  # Numba's own fault
        kernel.compiled(np.array([2]), np.zeros(2, np.int64))
    assert numba_reason(error.value).startswith("an array of integers is changed by a float")


def test_floats_are_not_put_among_integers_all_at_once_either():
    for values in ([1.0, 2.5, 3.0], [0, math.nan, 1], [0, math.inf, 1], [0, 2.0**63, 1]):
        with pytest.raises(TypeError, match="use // for /"):
            SPREAD.interpreted(np.array(values), np.zeros(3, np.int64))
    SPREAD.interpreted(np.array([0.0, 2.0, 3.0]), found := np.zeros(3, np.int64))
    assert found.tolist() == [0, 2, 3]
    with pytest.raises(numba_error(), match="floats are put among integers"):
        SPREAD.compiled(np.array([0.0, 2.0, 3.0]), found)


def uses_arrays_as_a_whole(array, by):
    total = array.sum()
    before = total
    total += 1
    return before * 4 if type(before) is int else by


def test_numbers_made_of_a_whole_array_and_named_ones_are_those_of_python():
    assert with_python_numbers(uses_arrays_as_a_whole)(np.array([2**60, 2**61]), by=np.int64(0)) == 3 * 2**62
    array = np.array([[3, 1], [2, 5]]).view(PythonNumbers)
    made = [array.max(), array[0] @ array[1], np.sum(array), (array > 0).all(), np.add(array[0, 0], array[0, 1])]
    assert [type(number) for number in made[:2]] == [int, int]
    assert made == [5, 11, 11, True, 4]
    assert isinstance(array + 1, PythonNumbers)


def test_numbers_out_of_an_array_are_those_of_python():
    array = np.array([[1, 2], [3, 4]]).view(PythonNumbers)
    assert [type(number) for number in (array[0, 1], *array[1], *array.astype(float)[0])] == [int] * 3 + [float] * 2
    with pytest.raises(OverflowError, match="more than 64 bits"):
        array[0] = 2**63


def converted(given, found):
    which, number = given[0], given[1] * given[2]
    if which == 0:
        found[0] = int(number)
    elif which == 1:
        found[0] = math.floor(number)
    elif which == 2:
        found[0] = math.ceil(number)
    else:
        found[0] = round(number)


CONVERTED = BoundKernel(run_put, {"_put": converted}, "conversions")


@pytest.mark.parametrize("how", ["interpreted", COMPILED])
@pytest.mark.parametrize("which", range(4))
def test_a_float_becomes_an_integer_as_in_python_or_fails(how, which):
    python = [int, math.floor, math.ceil, round][which]
    for number in (2.0, -2.5, 1e18, -(2.0**62)):
        found = np.zeros(1, np.int64)
        getattr(CONVERTED, how)(np.array([which, number, 1.0]), found)
        assert found[0] == python(number)
    for number, times in ((1e10, 1e10), (math.inf, -1.0), (math.nan, 1.0), (-(2.0**62), 4.0)):
        with pytest.raises((OverflowError, ValueError)):
            getattr(CONVERTED, how)(np.array([which, number, times]), np.zeros(1, np.int64))
