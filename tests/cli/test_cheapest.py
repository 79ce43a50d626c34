"""The command cheapest: mines with costs."""

import json

import pytest
from boards import DATA
from commands import FIGURE_10, rows, run
from ways import every_method

from mines_dd import Board, solve

COSTS = str(DATA / "costs.csv")


def by_hand(default=0):
    costs = {(int(row["row"]), int(row["column"])): int(row["cost"]) for row in rows((DATA / "costs.csv").read_text())}
    board = Board.read(FIGURE_10)
    return sorted(sum(costs.get(cell, default) for cell in mines) for mines in solve(board))


@every_method
def test_the_cheapest_assignments_are_those_of_all_66_by_every_method(method):
    lines = run("cheapest", FIGURE_10, "--costs", COSTS, "-n", "70", "--method", method).splitlines()
    assert [int(line.split(":")[0]) for line in lines] == by_hand()
    assert len(set(lines)) == 66


def test_a_cell_without_a_line_has_the_default_cost(tmp_path):
    file = tmp_path / "costs.csv"
    file.write_text("0 0 -1.5\n")
    found = json.loads(run("cheapest", FIGURE_10, "--costs", str(file), "--default", "0.1", "--json"))
    assert found["default"] == 0.1
    [best] = found["assignments"]
    assert [0, 0] in best["mines"]
    assert best["cost"] == pytest.approx(-1.5 + 0.1 * (len(best["mines"]) - 1))
    assert len(best["mines"]) == min(len(mines) for mines in solve(Board.read(FIGURE_10)) if (0, 0) in mines) == 5
    table = rows(run("cheapest", FIGURE_10, "--costs", "-", "-n", "2", "--csv", text="0,0,-1\n"))
    assert [(row["cost"], row["x0_0"]) for row in table] == [("-1", "1")] * 2


def test_cells_next_to_no_hint_cost_nothing(tmp_path):
    costs = tmp_path / "costs.csv"
    costs.write_text("0,0,3\n0,3,-7\n")
    assert run("cheapest", "#1##", "--costs", str(costs), "--default", "5") == "3: 0,0\n"


def test_an_error_in_a_file_begins_with_its_name(tmp_path):
    (wrong := tmp_path / "wrong.csv").write_text("1,2,3,4\n")
    name = repr(str(wrong))
    assert f"{name}: line 1, character 7" in run("cheapest", "#1#", "--costs", str(wrong), code=2)
    assert f"{name}: line 1, character 1" in run("build", "knapsack", str(wrong), code=2)
    assert f"{name}: line 1: a move is" in run("retrograde", str(wrong), code=2)
    assert f"{name}: line 1" in run("umigame", str(wrong), code=2)
    assert f"{name}: line 1" in run("strings", str(wrong), code=2)


def test_no_assignment_is_a_negative_answer():
    assert "no mine assignment" in run("cheapest", "#3#", "--costs", "-", text="0,0,1", code=1)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("0,0", "line 1, character 3: the line ends too soon"),
        ("0,0,1,2", "line 1, character 7: '2' is too much"),
        ("row,column,cost\n4,0,1", "line 2, character 1: '4' is no row of the board, which has rows 0 to 3"),
        ("0,-1,1", "line 1, character 3: '-1' is no column"),
        ("0,0,cheap", "line 1, character 5: 'cheap' is no number"),
        ("0,0,1\n0,0,2", "line 2, character 1: the cell 0,0 has a line already"),
    ],
)
def test_damaged_costs_are_bad_input(text, said):
    assert said in run("cheapest", FIGURE_10, "--costs", "-", text=text, code=2)
