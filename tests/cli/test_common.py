"""What commands have in common: boards as arguments, forms of output, and errors in a sentence."""

import json
import math
import shlex
import subprocess
import sys
import time
from pathlib import Path

import click
import pytest
from boards import DATA
from commands import COMMAND, ENVIRONMENT, FIGURE_9, FIGURE_10, POSITIONS, rows, run

from mines_dd.answers.solver import METHODS
from mines_dd.cli import common
from mines_dd.cli.main import cli


def test_boards_come_from_standard_input_in_both_forms():
    assert run("count", "-", text="#1#\n") == "2\n"
    assert run("count", "-", text='{"board": ["#1#"]}') == "2\n"


def test_every_command_reads_its_file_from_standard_input():
    game, graph = (run("example", name) for name in ("game", "umigame"))
    assert run("retrograde", "-", text=game).splitlines()[2].split() == ["a", "win", "3", "b"]
    assert rows(run("retrograde", "-", "--csv", text='{"moves": {"a": ["b"]}}'))[0]["outcome"] == "win"
    assert run("umigame", "-", text=graph) == run("umigame", POSITIONS)
    assert run("umigame", "-", text=' {"moves": {"a": ["b"]}}').startswith("1:1\n")
    assert run("strings", "-", text=run("example", "go")).startswith("277 strings")
    assert run("strings", "-", text="XO\n##\n").startswith("2 strings")
    assert run("build", "paths", "-", "--count", text=run("example", "streets")) == "12\n"
    assert run("cheapest", "#1#", "--costs", "-", text="0,0,3\n0,2,5\n") == "3: 0,0\n"


def test_a_missing_file_is_named_with_what_was_meant(tmp_path):
    (tmp_path / "game.csv").write_text("a,b\n")
    assert f"did you mean {str(tmp_path / 'game.csv')!r}" in run("retrograde", str(tmp_path / "gam.csv"), code=2)
    assert "mines-dd example umigame prints" in run("umigame", "umigame", code=2)
    assert "the board is empty" in run("count", "", code=2)


def test_json():
    assert json.loads(run("count", FIGURE_10, "--json")) == {"count": 66, "log10_count": math.log10(66), "cells": 12}
    whole = json.loads(run("count", "#1#/###", "--mines", "3", "--json"))  # no more cells than closed ones
    assert (whole["count"], whole["cells"]) == (0, 5)
    cells = json.loads(run("prob", FIGURE_9, "--json"))["cells"]
    assert {(c["row"], c["column"]): c["exact"] for c in cells}[0, 0] == "2/3"
    assert json.loads(run("sample", FIGURE_9, "--seed", "1", "--json"))
    assert len([json.loads(line) for line in run("list", FIGURE_9, "--json").splitlines()]) == 3
    compared = json.loads(run("compare", FIGURE_9, "--json"))
    assert compared["agree"]
    assert {r["count"] for r in compared["runs"]} == {3}
    assert json.loads(run("draw", FIGURE_9, "--json"))["dot"].startswith("digraph")
    assert json.loads(run("generate", "3", "3", "--json"))["layout"]


def test_bad_input_is_one_sentence_and_exit_code_2(tmp_path):
    assert "write # for a closed cell" in run("count", "-", text="#.#", code=2)
    assert "cannot read" in run("count", str(tmp_path), code=2)
    assert "cannot read" in run("count", str(tmp_path / "missing"), code=2)
    assert "there is no assignment, so there are no probabilities; check the hints of the board" in run(
        "prob", "-", text="#3#", code=2
    )
    assert "did you mean 'min-fill'" in run("compare", FIGURE_9, "--orders", "row,mni-fill", code=2)
    assert "min-degree" in run("count", FIGURE_9, "--order", "best", code=2)
    assert run("count", "-", text="#3#") == "0\n"


@pytest.mark.parametrize(
    ("line", "sentence"),
    [
        (
            "generate 9 9 10",
            "generate takes ROWS and COLS; '10' is one word too many: write the number of mines as --mines",
        ),
        ("generate 5 --level beginner", "give either ROWS and COLS, or --level"),
        ("count ## 1", "count takes BOARD; '1' is one word too many: write a board as one word in quotes"),
        (
            "serve 8000",
            "serve takes only options; '8000' is one word too many: write a port as --port 8080; boards",
        ),
        ("export ## b.json", "export takes BOARD; 'b.json' is one word too many: write the file to save as -o b.json"),
        ("example figure9 figure10", "example takes NAME; 'figure10' is one word too many: leave it out"),
        ("warm-up now", "warm-up takes only options; 'now' is one word too many"),
    ],
)
def test_a_word_too_many_gets_a_sentence_that_says_what_is_taken(line, sentence):
    assert sentence in run(*line.split(), code=2)


def test_every_command_says_which_words_it_takes():
    assert {type(command) for command in cli.commands.values()} == {common.Subcommand}


def test_over_budget_says_what_this_command_can_do_about_it():
    hard = run("generate", "100", "100", "--mines", "30%", "--hints", "30%", "--seed", "1")
    for args in (("analyse", "-"), ("explain", "-", "0", "1")):
        refusal = run(*args, "--max-nodes", "9", text=hard, code=3)
        assert "allow more with --max-nodes, or ask about a part" in refusal
        assert "method" not in refusal
        assert "total" not in refusal
    untold = hard.partition("\n")[2]
    assert "--method or --order" in run("count", "-", "--max-nodes", "9", text=untold, code=3)
    assert "--max-nodes, or take a smaller" in run("strings", "20", "--max-nodes", "10", code=3)
    assert "another --method" in run("umigame", POSITIONS, "--method", "zdd", "--max-nodes", "1", code=3)
    assert "--timeout, or try another --method" in run(
        "umigame", POSITIONS, "--method", "program", "--timeout", "0", code=3
    )


@pytest.mark.usefixtures("interpreted_unless_asked")
def test_a_board_may_be_the_argument_itself(tmp_path, monkeypatch):
    assert run("count", "#1#/###") == run("count", "-", text="#1#\n###\n") == "5\n"
    assert run("count", "#1#") == "2\n"
    assert run("count", "121/###/") == "1\n"
    assert run("count", "#1#\n###") == "5\n"
    assert run("count", '{"board": ["#1#"]}') == "2\n"
    assert "layouts: 2" in run("analyse", "mines: 1/#1#")
    assert "line 2, character 3: found '.'" in run("count", "#1#/##.", code=2)
    assert "line 1, character 1: found '?'" in run("count", "?1/11", code=2)
    assert "the board itself" in run("count", "121", code=2)
    assert "Is a directory" in run("count", "..", code=2)
    assert "mines-dd example expert" in run("count", "expert", code=2)
    monkeypatch.chdir(tmp_path)
    Path("1").mkdir()
    Path("1/1").write_text("#2#\n")
    assert run("count", "1/1") == "1\n"


def test_csv_has_one_row_a_cell_a_method_an_assignment_a_word():
    cells = rows(run("prob", FIGURE_9, "--csv"))
    assert {"row": "0", "column": "0", "probability": str(2 / 3), "exact": "2/3"} in cells
    assert len(rows(run("analyse", FIGURE_10, "--csv"))) == 12
    assert [r["method"] for r in rows(run("compare", FIGURE_9, "--csv", "--methods", "dc,tree"))] == ["dc", "tree"]
    assert {r["count"] for r in rows(run("compare", FIGURE_9, "--csv", "--methods", "dc,tree"))} == {"3"}
    assert len(rows(run("compare", FIGURE_9, "--csv", "--plan"))) == len(METHODS)
    assert rows(run("list", "#1#", "--csv")) == [{"x0_0": "1", "x0_2": "0"}, {"x0_0": "0", "x0_2": "1"}]
    assert len(rows(run("list", FIGURE_10, "--csv"))) == 66
    assert len(rows(run("sample", FIGURE_10, "--csv", "-n", "4"))) == 4
    assert rows(run("play", "mines: 1/#10", "--csv")) == []
    assert rows(run("play", "mines: 1/#1#", "--csv"))[0]["risk"] == "0.5"
    assert rows(run("shiritori", "-", "--csv", text="abcd\n"))[0]["winner"] == "Takahashi"


def test_a_single_answer_is_a_csv_of_one_row():
    [counted] = rows(run("count", FIGURE_10, "--csv"))
    assert (counted["count"], counted["log10_count"][:6], counted["cells"]) == ("66", "1.8195", "12")
    [proof] = rows(run("explain", "#1#/#2#/#1#", "1", "0", "--csv"))
    assert [proof[name] for name in ("row", "column", "verdict", "hints")] == ["1", "0", "safe", "0,1 1,1 2,1"]
    [best] = rows(run("strings", "5", "--count", "1", "--csv"))
    assert (best["strings"], best["boards"], len(best["board"].split("/"))) == ("18", "1545", 5)


@pytest.mark.parametrize(
    "command",
    [
        ("analyse", "###"),
        ("prob", "###"),
        ("play", "**1"),
        ("umigame", "-", "--moves", "opponent"),
        ("retrograde", "-", "--play", "b"),
    ],
)
def test_a_csv_without_rows_has_its_header(command):
    [header] = run(*command, "--csv", text="a,b").splitlines()
    assert header.split(",")[0] in ("row", "position", "from")


def test_the_methods_are_those_of_the_library():
    assert set(common.METHODS) == set(METHODS)  # a list of its own, so that help comes without a heavy import


def test_standard_input_is_read_once():
    said = run("cheapest", "-", "--costs", "-", text="#1#\n", code=2)
    assert "BOARD" in said
    assert "--costs" in said
    assert "standard input can be read once" in said


@pytest.mark.ci
def test_a_shell_may_close_any_of_the_three_streams():
    def ends(closing):
        return subprocess.run(["bash", "-c", f"{shlex.join(COMMAND)} {closing}"], env=ENVIRONMENT, capture_output=True)

    assert ends("count '#1#' >&-").returncode == 0
    assert ends("count '#1#' 2>&-").stdout == b"2\n"
    found = ends("count - <&-")
    assert found.returncode == 2
    assert b"standard input is closed; give a board file" in found.stderr


def test_a_number_of_answers_may_be_larger_than_any_list():
    assert run("list", "#1#", "-n", str(10**30)) == run("list", "#1#")
    assert run("cheapest", "#1#", "--costs", "-", "-n", str(10**30), text="0,0,1\n").count("\n") == 2


def test_no_file_of_several_is_standard_input_twice():
    assert "GAME... is - twice; standard input can be read once" in run("coach", "-", "-", code=2)


@pytest.mark.parametrize(
    ("args", "said"),
    [
        (("list", "#1#", "--limit", "x"), "give a whole number of at least 0, not 'x'"),
        (("list", "#1#", "--limit", "1_0"), "give a whole number of at least 0, not '1_0'"),  # int() reads it as 10
        (("serve", "--prefix", "../mines"), "'../mines' is no path"),
        (("prob", "#1#", "--digits", "16"), "give a whole number of at least 1 and at most 15, not '16'"),
        (("umigame", "-", "--loss", "0:2"), "give a whole number of at least 0, not '0:2'"),
        (("serve", "--timeout", "0"), "give a number greater than 0 and at most 600, not '0'"),
        (("count", "#1#", "--timeout", "nan"), "give a number of at least 0, not 'nan'"),
        (("cheapest", "#1#", "--costs", "-", "--default", "x"), "give a number, not 'x'"),
        (("umigame", "-", "--table", "mov"), "did you mean 'moves'?"),
        (("coach", "no such game"), "there is no such file; give a file or a folder, or -"),
        (("strings", "five"), "there is no such file; give a number of rows, the file of a Go board, or -"),
        (("shiritori", "no such list"), "there is no such file; give a list of words, or -"),
        (("umigame", "/"), "cannot read '/': it is a folder; give a file, or -"),
        (("export", "#1#", "-f", "cnf", "-o", "/"), "cannot write '/': it is a folder"),
    ],
)
def test_an_option_says_which_values_it_takes(args, said):
    assert said in run(*args, code=2)


def test_words_are_read_in_small_letters_and_large():
    assert run("count", "#1#", "--method", "BDD") == "2\n"
    assert "did you mean 'tree'?" in run("count", "#1#", "--method", "TRE", code=2)


def test_no_type_of_an_option_speaks_in_the_words_of_click():
    types = [type(p.type) for command in cli.commands.values() for p in command.params]
    ours = {t for t in types if t.__module__.startswith("mines_dd.")}
    assert {t.__name__ for t in set(types) - ours} == {"BoolParamType", "StringParamType"}


def test_a_replay_is_read_from_standard_input():
    assert "1 clicks" not in run("coach", "-", text="Board:\n0*\nEvents:\n0.5 lc (5 5)\n0.6 lr (5 5)\n")


@pytest.mark.parametrize("notice", [True, False])
def test_a_long_silence_on_a_terminal_is_explained(notice, monkeypatch, capsys):
    monkeypatch.setattr(common, "_SILENT", 0.01)
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)

    @click.command(cls=common.Subcommand, notice=notice)
    def slow():
        time.sleep(0.3)

    slow.main([], standalone_mode=False)
    assert ("still at work" in capsys.readouterr().err) == notice


def test_an_option_of_other_commands_is_named_with_them():
    assert "prob has no --mines; analyse, explain, play, count and generate have it" in run(
        "prob", "#1#", "--mines", "1", code=2
    )
    assert "sample has no --games; play has it" in run("sample", "#1#", "--games", "3", code=2)
    assert "No such option '--timeou'" in run("count", "#1#", "--timeou", "3", code=2)


@pytest.mark.parametrize(
    ("asked", "meant"),
    [
        ("compare --method bdd", "'--methods'"),
        ("cheapest --limit 2", "'--number'"),
        ("list --number 2", "'--limit'"),
        ("analyse --format json", "'--json' or '--output'"),
    ],
)
def test_an_option_under_another_name_is_told_by_the_one_that_the_command_has(asked, meant):
    command, *more = asked.split()
    assert f"have it; did you mean {meant}?".removeprefix("have") in run(command, "#1#", *more, code=2)


def test_headings_may_be_in_capitals_and_come_from_our_own_output():
    assert run("retrograde", "-", text="Position,Next\na,b\n") == run("retrograde", "-", text="a,b\n")
    assert run("retrograde", "-", text="from,to\na,b\n") == run("retrograde", "-", text="a,b\n")
    costs = run("cheapest", "##/2#", "--costs", "-", text="Row, Column, Cost\n0,0,5\n")
    assert costs == run("cheapest", "##/2#", "--costs", "-", text="0,0,5\n")
    said = run("cheapest", "##/2#", "--costs", "-", text="row,column,probability\n0,0,5\n", code=2)
    assert "heading that there may be is row,column,cost" in said


def test_what_is_written_is_not_named_like_something_else(tmp_path):
    assert "let the name end in .rawvf" in run("play", "--level", "beginner", "--record", "g.avf", code=2)
    assert "another format than -f text" in run("export", "#1#", "-f", "text", "-o", str(tmp_path / "i.mine"), code=2)
    assert "give its name instead of -" in run("play", "--level", "beginner", "--record", "-", code=2)


def test_files_of_windows_in_utf_16_are_read(tmp_path):
    for name, made in (
        ("a.rawvf", ("play", "--level", "beginner", "--record", str(tmp_path / "a.rawvf"))),
        ("a.mine", ("export", str(DATA / "beginner_9x9_10.txt"), "-o", str(tmp_path / "a.mine"))),
    ):
        run(*made)
        path = tmp_path / name
        plain = run("count", str(path))
        path.write_bytes(path.read_text().encode("utf-16"))
        assert run("count", str(path)) == plain
    record = tmp_path / "go.sgf"
    record.write_bytes((DATA / "go_19x19.sgf").read_text().encode("utf-16"))
    assert run("strings", str(record)) == run("strings", str(DATA / "go_19x19.sgf"))


def test_quotes_and_blank_lines_around_a_heading_make_no_difference():
    plain = run("cheapest", "##/2#", "--costs", "-", text="0,0,5\n")
    assert run("cheapest", "##/2#", "--costs", "-", text='"row","column","cost"\n"0","0","5"\n') == plain
    assert run("retrograde", "-", text="\n\nposition,next\na,b\n") == run("retrograde", "-", text="a,b\n")
