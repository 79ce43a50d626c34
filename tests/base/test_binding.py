"""Copies of functions with names bound, and their fingerprints."""

import numpy as np

from mines_dd.base.binding import bind, fingerprint


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


def test_binding_changes_a_copy_and_not_the_function():
    scope = {"constant": lambda: 1, "__name__": "somewhere"}
    exec("def inner():\n    return constant()\ndef outer():\n    return inner() + 1\n", scope)
    assert bind(scope["outer"], {"constant": lambda: 41})() == 42
    assert scope["outer"]() == 2
