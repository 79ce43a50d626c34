"""The commands analyse and explain."""

import json

import pytest
from commands import FIGURE_9, run


def test_no_certain_mine_is_called_best_to_open():
    assert run("analyse", "##1/221/000").splitlines()[-1] == "best to open: -; every closed cell is a mine"
    assert json.loads(run("analyse", "--json", "##1/221/000"))["safest"] is None


def test_a_place_to_explain_may_have_a_comma():
    assert run("explain", "1##", "0,1") == run("explain", "1##", "0", "1")
    assert "no cell" in run("explain", "1##", "0", code=2)
    assert "no cell" in run("explain", "1##", "x,1", code=2)


def test_the_other_spelling_works():
    assert run("analyze", FIGURE_9) == run("analyse", FIGURE_9)


def test_a_share_of_mines_may_be_in_percent():
    assert run("analyse", FIGURE_9, "--density", "30%") == run("analyse", FIGURE_9, "--density", "0.3")
    assert "density" in run("analyse", FIGURE_9, "--density", "1", code=2)
    for nothing in ("few", "", "%", "nan%", "inf%", "1e999"):
        assert "neither a number" in run("analyse", FIGURE_9, "--density", nothing, code=2)


def test_a_picture_that_is_too_large_is_refused_before_any_work(tmp_path):
    pytest.importorskip("matplotlib")
    wrong = "8" + 100 * ("#" * 99 + "\n#") + "#" * 99  # found out by the work
    for command in ("analyse", "prob"):
        assert "too large" in run(command, "-", "-o", str(tmp_path / "board.png"), text=wrong, code=2)


def test_the_limit_is_one_for_the_analysis_and_the_totals(monkeypatch):
    monkeypatch.setattr(
        "mines_dd.cli.analyse._print_totals", lambda found, *_: print(found._budget.renewed() is found._budget)
    )
    assert run("analyse", "#1###", "--totals", "game", "--timeout", "9") == "True\n"


def test_totals_are_compared():
    value = json.loads(run("analyse", "#1###", "--totals", "game", "--json"))
    assert value["likeliest"] == [1, 2]
    assert [(t["total"], round(10 ** t["log10_layouts"])) for t in value["totals"]] == [(1, 2), (2, 4), (3, 2)]
    assert "likeliest total: 2; possible: 1 to 3" in run("analyse", "#1###", "--totals", "puzzle")
    assert "equally likely totals: 1 and 2; possible" in run("analyse", "#1###", "--totals", "game")
    assert "likeliest total: 3; possible: 3 and 5" in run("analyse", "1F#/2*2/##3/2##", "--totals", "game")
    assert "equally likely totals: all; possible: 0 to 81" in run(
        "analyse", "/".join(["#" * 9] * 9), "--totals", "game"
    )
    assert run("analyse", "#1###", "--totals", "game").splitlines()[1].split()[:2] == ["1", "2"]  # layouts
    assert run("analyse", "#1###", "--totals", "game", "--csv").count("\n") == 4


def test_options_that_would_not_change_the_totals_are_refused():
    for option, value in (("--density", "0.2"), ("--digits", "2")):
        assert f"{option} is for probabilities" in run("analyse", "#1###", "--totals", "game", option, value, code=2)


def test_a_total_is_asked_for_only_where_it_would_tell_more():
    for command in ("analyse", "play"):
        for board, asked in (("#1#/###", True), ("###", True), ("##1/221/000", False), ("000/000", False)):
            assert ("give --mines" in run(command, board)) is asked


def test_cells_away_from_all_hints_are_named_only_where_there_are_some():
    assert "give --mines to learn of the cells away" in run("analyse", "#1##/####")
    assert "away" not in run("analyse", "#1#/###")


def test_totals_that_are_left_out_are_counted():
    text = run("analyse", "--totals", "game", "##1#/####/####/####/####/####/####/####")
    assert "\n      2 other totals: at most 0.001 each\nlikeliest total: 5; possible: 1 to 27\n" in text
