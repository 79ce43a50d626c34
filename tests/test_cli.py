"""The command line as a user meets it."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

DATA = Path(__file__).parent.parent / "data"
FIGURE_10, FIGURE_9 = str(DATA / "figure10.txt"), str(DATA / "figure9.txt")


def run(*args: str, text: str | None = None, code: int = 0) -> str:
    environment = {**os.environ, "PYTHONPATH": str(DATA.parent)}
    done = subprocess.run(
        [sys.executable, "-m", "mines_dd", *args],
        input=text,
        capture_output=True,
        text=True,
        timeout=120,
        env=environment,
    )
    assert done.returncode == code, done.stderr
    assert "Traceback" not in done.stderr
    if code:
        assert len(done.stderr.strip().splitlines()[-1]) > 10
    return done.stdout if code == 0 else done.stderr


@pytest.mark.parametrize("method", ["bdd", "zdd", "dc", "tree"])
def test_count_prints_the_number_alone(method):
    assert run("count", FIGURE_10, "--method", method) == "66\n"


def test_boards_come_from_standard_input_in_both_forms():
    assert run("count", "-", text="#1#\n") == "2\n"
    assert run("count", "-", text='{"board": ["#1#"]}') == "2\n"


def test_json():
    assert json.loads(run("count", FIGURE_10, "--json")) == {"count": 66, "cells": 12}
    cells = json.loads(run("prob", FIGURE_9, "--json"))["cells"]
    assert {(c["row"], c["column"]): c["exact"] for c in cells}[0, 0] == "2/3"
    assert json.loads(run("sample", FIGURE_9, "--seed", "1", "--json"))
    assert len([json.loads(line) for line in run("list", FIGURE_9, "--json").splitlines()]) == 3
    compared = json.loads(run("compare", FIGURE_9, "--json"))
    assert compared["agree"]
    assert {r["count"] for r in compared["runs"]} == {3}
    assert json.loads(run("draw", FIGURE_9, "--json"))["dot"].startswith("digraph")
    assert json.loads(run("generate", "3", "3", "--json"))["layout"]


def test_prob_prints_the_board_with_probabilities_in_place():
    assert run("prob", FIGURE_9).split() == [
        "0.667",
        "3",
        "0.667",
        "0.000",
        "0.667",
        "1.000",
        "1",
        "0.333",
        "2",
    ]
    assert "14/33" in run("prob", FIGURE_10, "--exact")


def test_list_and_sample():
    lines = run("list", FIGURE_10).splitlines()
    assert len(lines) == len(set(lines)) == 66
    assert run("list", FIGURE_10, "--limit", "2").splitlines() == lines[:2]
    assert run("sample", FIGURE_10, "-n", "5", "--seed", "3") == run("sample", FIGURE_10, "-n", "5", "--seed", "3")
    assert run("list", FIGURE_9, "--boards").count("*") == sum(
        line.count(",") for line in run("list", FIGURE_9).splitlines()
    )


def test_the_first_assignments_of_a_huge_family_come_at_once():
    board = run("generate", "30", "30", "--mines", "30%", "--hints", "30%", "--seed", "4")
    assert len(run("list", "-", "--limit", "3", text=board).splitlines()) == 3


def test_compare_prints_one_table_and_says_when_a_method_is_stopped():
    table = run("compare", FIGURE_10, "--methods", "bdd,dc", "--orders", "row,auto")
    assert [line.split()[-1] for line in table.splitlines()[2:]] == ["66"] * 4
    assert "dc" in table
    board = run("generate", "30", "30", "--mines", "30%", "--hints", "50%", "--seed", "1")
    stopped = run("compare", "-", "--methods", "dc,tree", "--max-nodes", "4000", text=board)
    assert "over budget" in stopped


def test_draw_writes_dot(tmp_path):
    target = tmp_path / "board.dot"
    assert "12 nodes" not in run("draw", FIGURE_10, "--method", "zdd", "-o", str(target))
    assert "dashed" in target.read_text()
    assert "its name ends in" in run("draw", FIGURE_10, "-o", "board.xyz", code=2)


def test_generated_boards_can_be_read_and_repeat():
    board = run("generate", "9", "9", "--mines", "10", "--hints", "20", "--seed", "7")
    assert board == run("generate", "9", "9", "--mines", "10", "--hints", "20", "--seed", "7")
    assert board.startswith("mines: 10\n")
    assert int(run("count", "-", text=board)) >= 1
    assert "impossible" in run("generate", "3", "3", "--mines", "10", code=2)
    assert "neither a number" in run("generate", "3", "3", "--mines", "many", code=2)


def test_bad_input_is_one_sentence_and_exit_code_2(tmp_path):
    assert "write # for a closed cell" in run("count", "-", text="#.#", code=2)
    assert "cannot read" in run("count", str(tmp_path), code=2)
    assert "cannot read" in run("count", str(tmp_path / "missing"), code=2)
    assert "no mine assignment" in run("prob", "-", text="#3#", code=2)
    assert "no order" in run("count", FIGURE_9, "--order", "best", code=2)
    assert run("count", "-", text="#3#") == "0\n"


def test_over_budget_is_exit_code_3():
    board = run("generate", "30", "30", "--mines", "30%", "--hints", "50%", "--seed", "1")
    assert "nodes" in run("count", "-", "--method", "dc", "--max-nodes", "100", text=board, code=3)


def test_help_needs_no_heavy_package():
    code = (
        "import sys; sys.argv = ['mines-dd', '--help']; from mines_dd.cli.main import main\n"
        "try: main()\n"
        "except SystemExit: pass\n"
        "print([m for m in ('numba', 'matplotlib', 'networkx', 'numpy', 'dd') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=DATA.parent, check=True)
    assert done.stdout.splitlines()[-1] == "[]"
