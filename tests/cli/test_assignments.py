"""The commands count, prob, list and sample."""

import json
import subprocess

import pytest
from boards import DATA
from commands import COMMAND, ENVIRONMENT, FIGURE_9, FIGURE_10, run
from ways import every_method

from mines_dd import Board, solve


@every_method
def test_count_prints_the_number_alone(method):
    assert run("count", FIGURE_10, "--method", method) == "66\n"


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
    exact = run("prob", FIGURE_9, "--exact").split()  # certain cells do not look like hints
    assert exact == ["2/3", "3", "2/3", "0/1", "2/3", "1/1", "1", "1/3", "2"]


def test_list_and_sample():
    lines = run("list", FIGURE_10).splitlines()
    assert len(lines) == len(set(lines)) == 66
    assert run("list", FIGURE_10, "--limit", "2").splitlines() == lines[:2]
    assert run("sample", FIGURE_10, "-n", "5", "--seed", "3") == run("sample", FIGURE_10, "-n", "5", "--seed", "3")
    assert run("list", FIGURE_9, "--boards").count("*") == sum(
        line.count(",") for line in run("list", FIGURE_9).splitlines()
    )


def test_boards_are_text_alone():
    for command in ("list", "sample"):
        for form in ("--json", "--csv"):
            assert f"--boards prints text; leave out {form}" in run(command, FIGURE_9, "--boards", form, code=2)


@pytest.mark.ci
def test_samples_come_one_by_one():
    with subprocess.Popen(
        [*COMMAND, "sample", FIGURE_10, "-n", str(10**12), "--seed", "3"], stdout=subprocess.PIPE, env=ENVIRONMENT
    ) as process:
        assert process.stdout.readline().decode().splitlines() == run("sample", FIGURE_10, "--seed", "3").splitlines()
        process.kill()
    assert "there is no assignment, so there is no sample" in run("sample", "-", text="#3#", code=2)


def test_the_first_assignments_of_a_huge_family_come_at_once():
    board = run("generate", "30", "30", "--mines", "30%", "--hints", "30%", "--seed", "4")
    assert len(run("list", "-", "--limit", "3", text=board).splitlines()) == 3


@pytest.mark.parametrize("command", ["count", "prob", "list", "sample", "cheapest"])
def test_the_timeout_is_for_the_question_too(command, clock, tmp_path):
    """Solving looks at the clock fewer than 1,000 times, and then the time is over."""
    found = solve(Board.read(FIGURE_9))
    solved = "mines_dd.answers.solver.solve"
    costs = tmp_path / "costs"
    costs.write_text("0,0,1\n")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(solved, lambda *_, **__: vars(clock).update(ahead=1000) or found)
        more = ["--costs", str(costs)] if command == "cheapest" else []
        output = run(command, FIGURE_9, "--timeout", "900", *more, code=3)
    assert "not done after 900 seconds; allow more with --timeout, or" in output


def test_over_budget_is_exit_code_3():
    board = run("generate", "30", "30", "--mines", "30%", "--hints", "50%", "--seed", "1")
    assert "nodes" in run("count", "-", "--method", "dc", "--max-nodes", "100", text=board, code=3)


def test_count_with_a_total_counts_whole_boards():
    beginner = str(DATA / "beginner_9x9_10.txt")
    for method in ("zdd", "tree"):
        assert run("count", beginner, "--mines", "10", "--method", method) == "13\n"
    assert "layouts: 13\n" in run("analyse", beginner)
    assert run("count", "*1#/000/###", "--mines", "2") == "0\n"
    assert run("count", "1#/##", "--mines", "1") == "3\n"
    assert run("count", "1##/###", "--mines", "3") == "3\n"


def test_no_assignment_is_a_negative_answer():
    assert "no mine assignment" in run("list", "#3#", code=1)


def test_cubes_are_the_products_along_the_paths_of_a_diagram():
    assert run("list", "##/2#", "--method", "zdd", "--cubes").splitlines() == [
        "-0,0 0,1 1,1",
        "0,0 -0,1 1,1",
        "0,0 0,1",
    ]
    lines = run("list", FIGURE_10, "--method", "bdd", "--cubes", "--json").splitlines()
    assert sum(2 ** len(json.loads(line)["free"]) for line in lines) == 66
    assert len(run("list", FIGURE_10, "--method", "zdd", "--cubes", "--limit", "5").splitlines()) == 5
    assert "--method bdd or zdd" in run("list", FIGURE_10, "--cubes", code=2)


@pytest.mark.parametrize("board", ["1*1", "*", "F1F", "*2*"])
def test_a_board_of_one_row_needs_no_closed_cell(board):
    assert run("count", board) in ("1\n", "2\n")


@pytest.mark.ci
@pytest.mark.parametrize("how", [[], ["--boards"], ["--json"], ["--csv"], ["--cubes", "--method", "zdd"]])
def test_a_list_without_end_stops_with_its_time(how):
    board = run("generate", "30", "30", "--mines", "20%", "--hints", "30%", "--seed", "1")
    assert "not done after 0.3 seconds" in run("list", "-", "--timeout", "0.3", *how, text=board, code=3)


def test_many_decimals_are_written_out():
    first, second, _ = run("prob", FIGURE_9, "--digits", "9").splitlines()
    assert first.split() == ["0.666666667", "3", "0.666666667"]
    assert second.split() == ["0.000000000", "0.666666667", "1.000000000"]
