"""Copies of functions with names bound, and their fingerprints."""

import functools
import types
from collections import namedtuple
from unittest.mock import MagicMock

import numpy as np
import pytest

from mines_dd.base import binding
from mines_dd.base.binding import bind, fingerprint, is_function, plain
from mines_dd.base.errors import MinesError
from mines_dd.base.jit import kernel


def test_the_fingerprint_covers_everything_that_a_function_refers_to():
    source = "def f(x):\n    return g(x) + table[0] + K\ndef g(x):\n    return x + L\n"

    def fingerprint_of(text=source, **scope):
        values = {"__name__": "own", "table": np.arange(3), "K": 1, "L": 2, **scope}
        exec(text, values)
        return fingerprint(values["f"])

    assert fingerprint_of() == fingerprint_of()
    changed = [
        fingerprint_of(K=2),
        fingerprint_of(K=1.0),
        fingerprint_of(L=3),
        fingerprint_of(table=np.arange(4)),
        fingerprint_of(source.replace("x + L", "x - L")),
        fingerprint_of(),
    ]
    assert len(set(changed)) == len(changed)


def test_an_attribute_is_no_global_of_the_same_name():
    def fingerprint_of(**scope):
        values = {"__name__": "own", **scope}
        exec("def f(x):\n    return x.size + [y.size for y in x][0]", values)
        return fingerprint(values["f"])

    assert fingerprint_of(size=1) == fingerprint_of(size=2) == fingerprint_of()


def test_the_fingerprint_of_what_users_write_covers_the_rules_it_is_compiled_by(monkeypatch):
    own, ours = (eval("lambda x: x + 1", {"__name__": name}) for name in ("own", "mines_dd.own"))
    before = fingerprint(own), fingerprint(ours)
    monkeypatch.setattr(binding, "_rules", lambda: "others")
    assert fingerprint(own) != before[0]
    assert fingerprint(ours) == before[1]


def test_binding_changes_a_copy_and_not_the_function():
    scope = {"constant": lambda: 1, "__name__": "somewhere"}
    exec("def inner():\n    return constant()\ndef outer():\n    return inner() + 1\n", scope)
    assert bind(scope["outer"], {"constant": lambda: 41})() == 42
    assert scope["outer"]() == 2


def module(**names):
    """A module with some names, as `import` gives one."""
    made = types.ModuleType("a_module")
    vars(made).update(names)
    return made


def of_a_global(named):
    scope = {"named": named, "__name__": "own"}
    exec("def f():\n    return named.inner.MOST", scope)
    return scope["f"]


def of_a_closure(named):
    return lambda: named.inner.MOST


def of_a_default(named):
    return lambda named=named: named.inner.MOST


@pytest.mark.parametrize("reach", [of_a_global, of_a_closure, of_a_default])
def test_the_fingerprint_covers_what_is_looked_up_in_modules(reach):
    first, same, other = (reach(module(inner=module(MOST=most))) for most in (1, 1, 2))
    assert fingerprint(first) == fingerprint(same) != fingerprint(other)
    one, exchanged = (reach(module(inner=namedtuple("Of", names)(1, 2))) for names in ("MOST OTHER", "OTHER MOST"))
    assert fingerprint(one) != fingerprint(exchanged)


def test_the_fingerprint_of_modules_that_have_each_other_ends():
    inner = module(MOST=1)
    inner.named = inner.inner = inner
    assert fingerprint(of_a_global(inner)) == fingerprint(of_a_global(inner))


@pytest.mark.parametrize("reach", [of_a_global, of_a_closure, of_a_default])
@pytest.mark.parametrize("most", [np.array([200], np.uint8), np.uint8(200)])
def test_small_integers_are_made_wide_wherever_they_are_kept(reach, most):
    found = bind(reach(module(inner=module(MOST=most))), {})()
    assert np.all(found + found == 400)
    assert isinstance(found, int) or found.dtype == np.int64


def test_what_is_no_part_of_a_module_may_not_overflow_unseen():
    class Kept:
        most = np.uint8(200)

    with pytest.raises(FloatingPointError, match="overflow"):
        bind(lambda: Kept.most + Kept.most, {})()


def test_a_function_around_a_function_is_run():
    """What a user puts around a function is no kernel."""
    calls = 0

    def plus_one(function):
        @functools.wraps(function)
        def around(x):
            nonlocal calls
            calls += 1
            return function(x) + 1

        return around

    @plus_one
    def double(x):
        return 2 * x

    assert plain(double) is double
    assert bind(double, {})(3) == bind(bind(double, {}), {})(3) == 7
    assert calls == 2
    assert bind(lambda x: double(x) + double(x), {})(3) == 14
    assert fingerprint(double) != fingerprint(double.__wrapped__)


def test_there_is_a_function_in_kernels_caches_and_numbas_own():
    numba = pytest.importorskip("numba")

    def f():
        return 1

    for made in (f, kernel(f), numba.njit(f), functools.lru_cache(f), bind(f, {})):
        assert is_function(made)
        assert plain(made).__code__ is f.__code__
    for other in (MagicMock(), functools.partial(f), types.MethodType(numba.njit(f), 3), print, np.sum, None):
        assert not is_function(other)


@pytest.mark.parametrize("number", ["1 << 63", "(2, -(2**63) - 1)[k]", "[2**64 for _ in range(k)]"])
def test_a_number_of_more_than_64_bits_in_the_code_is_refused_as_one_among_the_globals_is(number):
    scope = {"__name__": "own", "MOST": 2**63}
    exec(f"def f(k):\n    return {number}\ndef g(k):\n    return MOST", scope)
    for name in "fg":
        with pytest.raises(MinesError, match=r"has .*an integer of more than 64 bits, with its sign; split it"):
            bind(scope[name], {})


def test_what_a_function_counts_is_counted_where_nothing_had_to_be_copied():
    scope = {"__name__": "own", "calls": 0}
    exec("def f():\n    global calls\n    calls += 1", scope)
    bind(scope["f"], {})()
    assert scope["calls"] == 1
