"""The command line under little memory, and with numbers of any length."""

import json
import math
import os
import resource
import subprocess
import sys

import pytest
from boards import ROOT, independent_hints
from commands import run

from experiments import limits
from mines_dd import Board, solve

GIB = 2**30
HARD = Board.random(30, 30, 0.3, 0.3, 0)


def command(*arguments, text, gib=4.0, timeout=100):
    """What `mines-dd` does with so much address space: exit code, output, errors but for the notice of compilation."""
    memory = int(gib * GIB)
    done = subprocess.run(
        [sys.executable, "-m", "mines_dd", *arguments],
        input=text,
        capture_output=True,
        text=True,
        timeout=timeout,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        check=False,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (memory, memory)),
    )
    return done.returncode, done.stdout, [x for x in done.stderr.splitlines() if "mines-dd: compiling" not in x]


@pytest.mark.ci
def test_the_commands_answer_or_say_in_a_sentence_that_memory_is_short():
    code, output, errors = command("count", "--method", "tree", "-", text=HARD.to_text(), gib=2)
    assert (limits.judged(code, output, errors), output) == (limits.ANSWER, f"{solve(HARD).count()}\n")


@pytest.mark.ci
def test_a_numba_that_cannot_be_loaded_is_said_with_what_to_do(tmp_path):
    (tmp_path / "numba.py").write_text("raise OSError('could not load libllvmlite.so. This could mean many things')")
    path = f"{tmp_path}{os.pathsep}{ROOT}"
    environment = {**os.environ, "PYTHONPATH": path, "MINES_DD_JIT": "always"}
    count = [sys.executable, "-m", "mines_dd", "count", "#1#"]
    done = subprocess.run(count, capture_output=True, text=True, env=environment)
    assert (done.returncode, done.stdout) == (2, "")
    assert "Numba cannot be loaded: could not load libllvmlite.so; allow the process more memory" in done.stderr
    assert subprocess.check_output(count, text=True, env={**environment, "NUMBA_DISABLE_JIT": "1"}) == "2\n"


@pytest.mark.slow
@pytest.mark.parametrize("method", ["dc", "bdd", "zdd"])
def test_row_by_row_without_reduction_ends_over_budget_and_never_aborts(method):
    text = Board.random(60, 60, 0.3, 0.3, 0).to_text()
    how = ("count", "--method", method, "--order", "row", "--no-simplify", "-")
    code, output, errors = command(*how, text=text, gib=1, timeout=600)
    assert limits.judged(code, output, errors) == limits.OVER, errors


def test_an_abort_a_traceback_and_a_second_sentence_are_faults():
    sentence = "mines-dd: too much"
    assert limits.judged(0, "5\n", []) == limits.ANSWER
    assert limits.judged(3, "", [sentence]) == limits.OVER
    for code, output, errors in [
        (-6, "", []),
        (-9, "", []),
        (0, "", []),
        (0, "5\n", ["Error in __del__"]),
        (1, "", ["Traceback (most recent call last):", "MemoryError"]),
        (3, "", [sentence, sentence]),
        (3, "5\n", [sentence]),
        (2, "", [sentence]),
    ]:
        assert limits.judged(code, output, errors) == limits.FAULT


@pytest.mark.ci
def test_counts_of_thousands_of_digits_are_printed_whole_and_read_back():
    n = 2_500
    text = independent_hints(n).to_text()
    code, output, errors = command("count", "-", text=text)
    assert (code, errors) == (0, [])
    assert len(output.strip()) > 4_300
    digits = output.strip()
    found = json.loads(run("count", "--json", "-", text=text), parse_int=str)
    assert found == {"count": digits, "log10_count": pytest.approx(n * math.log10(70)), "cells": str(8 * n)}
    before = sys.get_int_max_str_digits()
    try:
        sys.set_int_max_str_digits(0)
        assert int(digits) == 70**n
    finally:
        sys.set_int_max_str_digits(before)


@pytest.mark.ci
def test_analyse_writes_long_numbers_too():
    output = run("analyse", "--json", "-", text=independent_hints(2_500).to_text())
    assert json.loads(output, parse_int=len)["count"] > 4_300
