"""Packed polynomials and functionals, against lists of coefficients."""

from math import prod

from hypothesis import given
from hypothesis import strategies as st

from mines_dd.diagrams import polynomials
from mines_dd.diagrams.polynomials import coefficient_bits, evaluate, pack, transposed, unpack

COEFFICIENTS = st.integers(0, 10**30) | st.integers(0, 3)
POLYNOMIALS = st.lists(COEFFICIENTS, min_size=1, max_size=6)


def times(one: list[int], other: list[int]) -> list[int]:
    """The product of polynomials, term by term."""
    result = [0] * (len(one) + len(other) - 1)
    for i, a in enumerate(one):
        for j, b in enumerate(other):
            result[i + j] += a * b
    return result


def comes_to(coefficients: list[int], weights: list[int]) -> int:
    """The sum of coefficients times the weights of their powers."""
    return sum(n * weight for n, weight in zip(coefficients, weights, strict=True))


def room(weights: list[int], *factors: list[int]) -> int:
    """Bits for every sum of weighted coefficients of some polynomials and their product."""
    return coefficient_bits((1 + sum(weights)) * prod(1 + sum(factor) for factor in factors))


def without_trailing_zeros(coefficients: list[int]) -> list[int]:
    while coefficients and not coefficients[-1]:
        coefficients = coefficients[:-1]
    return coefficients


@given(st.integers(0, 2**200))
def test_there_are_bits_enough_in_whole_bytes(largest):
    bits = coefficient_bits(largest)
    assert bits % 8 == 0
    assert largest < 1 << bits
    assert bits <= largest.bit_length() + 8


@given(st.lists(COEFFICIENTS, max_size=6), st.integers(0, 3))
def test_unpack_gives_back_what_pack_took(coefficients, more):
    bits = coefficient_bits(max(coefficients, default=0)) + 8 * more
    packed = pack(coefficients, bits)
    assert packed == sum(n << bits * i for i, n in enumerate(coefficients))
    assert unpack(packed, bits) == without_trailing_zeros(coefficients)


@given(POLYNOMIALS, POLYNOMIALS)
def test_packed_polynomials_are_multiplied_and_added_as_integers(one, other):
    bits = coefficient_bits(sum(one) * sum(other) + sum(one) + sum(other))
    assert unpack(pack(one, bits) * pack(other, bits), bits) == without_trailing_zeros(times(one, other))
    longest = max(len(one), len(other))
    total = [a + b for a, b in zip(*(p + [0] * (longest - len(p)) for p in (one, other)), strict=True)]
    assert unpack(pack(one, bits) + pack(other, bits), bits) == without_trailing_zeros(total)


@given(st.lists(st.integers(-(10**20), 10**20), max_size=40))
def test_a_product_is_that_of_one_after_the_other(numbers):
    assert polynomials.product(numbers) == prod(numbers)


def test_a_product_of_nothing_is_one():
    assert polynomials.product([]) == 1
    assert polynomials.product(range(1, 11)) == 3628800


@given(POLYNOMIALS, POLYNOMIALS)
def test_an_inner_product_ends_with_the_shorter(coefficients, weights):
    length = min(len(coefficients), len(weights))
    assert polynomials.inner_product(coefficients, weights) == comes_to(coefficients[:length], weights[:length])


@given(st.data(), POLYNOMIALS)
def test_evaluate_weighs_each_coefficient(data, coefficients):
    weights = data.draw(st.lists(COEFFICIENTS, min_size=len(coefficients), max_size=len(coefficients)))
    bits = room(weights, coefficients)
    functional = pack(reversed(weights), bits)
    found = evaluate(functional, bits, len(coefficients) - 1, pack(coefficients, bits))
    assert found == comes_to(coefficients, weights)


@given(st.data(), POLYNOMIALS, POLYNOMIALS)
def test_a_transposed_functional_gives_for_a_polynomial_what_the_functional_gives_for_the_product(data, one, factor):
    product = times(one, factor)
    weights = data.draw(st.lists(COEFFICIENTS, min_size=len(product), max_size=len(product)))
    bits = room(weights, one, factor)
    degree = len(one) - 1
    found = transposed(pack(reversed(weights), bits), bits, degree, pack(factor, bits), len(factor) - 1)
    assert evaluate(found, bits, degree, pack(one, bits)) == comes_to(product, weights)
    # by definition: the weight of z^i is what z^i * factor comes to
    expected = [comes_to(factor, weights[i : i + len(factor)]) for i in range(len(one))]
    assert unpack(found, bits) == without_trailing_zeros(expected[::-1])


@given(st.data(), st.lists(st.lists(st.integers(1, 10**9), min_size=1, max_size=4), min_size=1, max_size=6))
def test_functionals_of_factors_are_the_weights_that_all_others_leave(data, factors):
    degree = sum(len(factor) - 1 for factor in factors)
    weights = data.draw(st.lists(COEFFICIENTS, min_size=degree + 1, max_size=degree + 1).filter(any))
    found = polynomials.functionals_of_factors(factors, weights)
    for i, factor in enumerate(factors):
        rest = [1]
        for other in factors[:i] + factors[i + 1 :]:
            rest = times(rest, other)
        assert found[i] == [comes_to(rest, weights[j : j + len(rest)]) for j in range(len(factor))]


@given(st.integers(0, 300))
def test_ones_are_a_mask(bits):
    assert polynomials.ones(bits) == 2**bits - 1
