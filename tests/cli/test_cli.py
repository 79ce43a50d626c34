"""The command line as a user meets it."""

import csv
import io
import json
import os
import pty
import re
import shlex
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from boards import DATA
from click.testing import CliRunner

from mines_dd.answers.solver import METHODS
from mines_dd.cli import common
from mines_dd.cli import compare as compare_module
from mines_dd.cli.main import SECTIONS, cli, main

POSITIONS = str(DATA / "umigame.csv")
FIGURE_10, FIGURE_9 = str(DATA / "figure10.txt"), str(DATA / "figure9.txt")
COMMAND = [sys.executable, "-m", "mines_dd"]
ENVIRONMENT = {**os.environ, "PYTHONPATH": str(DATA.parent)}


def run(*args: str, text: str | None = None, code: int = 0) -> str:
    """What a command prints: on standard output, or on standard error if it fails."""
    with pytest.MonkeyPatch.context() as patch, CliRunner().isolation(input=text) as streams:
        patch.setattr(sys, "argv", ["mines-dd", *args])
        limit = sys.get_int_max_str_digits()  # which the command lifts
        with pytest.raises(SystemExit) as end:
            main()
        sys.set_int_max_str_digits(limit)
    out, err = (stream.getvalue().decode().replace("\r\n", "\n") for stream in streams[:2])
    assert (end.value.code or 0) == code, err
    if code:
        assert len(err.strip().splitlines()[-1]) > 10
    return err if code else out


def process(*args: str, **how) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [*COMMAND, *args], capture_output=True, text=True, timeout=120, env=ENVIRONMENT, check=False, **how
    )


def rows(text: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(text)))


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
    assert "no mine assignment, so there are no probabilities;" in run("prob", "-", text="#3#", code=2)
    assert "(or, in Python, a list" in run("compare", FIGURE_9, "--orders", "foo", code=2)
    assert "min-degree" in run("count", FIGURE_9, "--order", "best", code=2)
    assert run("count", "-", text="#3#") == "0\n"


def test_no_certain_mine_is_called_best_to_open():
    assert run("analyse", "##1/221/000").splitlines()[-2] == "safest to open: -"
    assert json.loads(run("analyse", "--json", "##1/221/000"))["safest"] is None


def test_over_budget_is_exit_code_3():
    board = run("generate", "30", "30", "--mines", "30%", "--hints", "50%", "--seed", "1")
    assert "nodes" in run("count", "-", "--method", "dc", "--max-nodes", "100", text=board, code=3)


def test_over_budget_says_what_this_command_can_do_about_it():
    hard = run("generate", "100", "100", "--mines", "30%", "--hints", "30%", "--seed", "1")
    for args in (("analyse", "-"), ("explain", "-", "0", "1")):
        refusal = run(*args, text=hard, code=3)
        assert "allow more with --timeout, or ask without the total" in refusal
        assert "method" not in refusal
    assert "ask without --density" in run("analyse", "-", "--density", "0.3", text=hard, code=3)
    untold = hard.partition("\n")[2]
    refusal = run("analyse", "-", "--max-nodes", "9", text=untold, code=3)
    assert "allow more with --max-nodes, or ask about a part" in refusal
    assert "total" not in refusal
    assert "--method or --order" in run("count", "-", "--max-nodes", "9", text=untold, code=3)
    assert "--max-nodes, or take a smaller" in run("strings", "20", "--max-nodes", "10", code=3)
    assert "another --method" in run("umigame", POSITIONS, "--method", "zdd", "--max-nodes", "1", code=3)
    assert "--timeout, or try another --method" in run(
        "umigame", POSITIONS, "--method", "program", "--timeout", "0", code=3
    )


def test_a_board_may_be_the_argument_itself(tmp_path, monkeypatch):
    assert run("count", "#1#/###") == run("count", "-", text="#1#\n###\n") == "5\n"
    assert run("count", "#1#") == "2\n"
    assert run("count", "121/###/") == "1\n"
    assert run("count", "#1#\n###") == "5\n"
    assert run("count", '{"board": ["#1#"]}') == "2\n"
    assert "layouts: 2" in run("analyse", "mines: 1/#1#")
    assert "row 2, column 3: found '.'" in run("count", "#1#/##.", code=2)
    assert "the board itself" in run("count", "121", code=2)
    monkeypatch.chdir(tmp_path)
    Path("1").mkdir()
    Path("1/1").write_text("#2#\n")
    assert run("count", "1/1") == "1\n"


def test_count_with_a_total_counts_whole_boards():
    beginner = str(DATA / "beginner_9x9_10.txt")
    for method in ("zdd", "tree"):
        assert run("count", beginner, "--mines", "10", "--method", method) == "13\n"
    assert "layouts: 13\n" in run("analyse", beginner)
    assert run("count", "*1#/000/###", "--mines", "2") == "0\n"
    assert run("count", "1#/##", "--mines", "1") == "3\n"
    assert run("count", "1##/###", "--mines", "3") == "3\n"


def test_csv_has_one_row_a_cell_a_method_an_assignment_a_word():
    cells = rows(run("prob", FIGURE_9, "--csv"))
    assert {"row": "0", "column": "0", "probability": str(2 / 3), "exact": "2/3"} in cells
    assert len(rows(run("analyse", FIGURE_10, "--csv"))) == 12
    assert [r["method"] for r in rows(run("compare", FIGURE_9, "--csv", "--methods", "dc,tree"))] == ["dc", "tree"]
    assert {r["count"] for r in rows(run("compare", FIGURE_9, "--csv", "--methods", "dc,tree"))} == {"3"}
    assert len(rows(run("compare", FIGURE_9, "--csv", "--plan"))) == 4
    assert rows(run("list", "#1#", "--csv")) == [{"x0_0": "1", "x0_2": "0"}, {"x0_0": "0", "x0_2": "1"}]
    assert len(rows(run("list", FIGURE_10, "--csv"))) == 66
    assert len(rows(run("sample", FIGURE_10, "--csv", "-n", "4"))) == 4
    assert rows(run("play", "mines: 1/#10", "--csv")) == []
    assert rows(run("play", "mines: 1/#1#", "--csv"))[0] == {"row": "0", "column": "0", "chance": "0.5"}
    assert rows(run("shiritori", "-", "--csv", text="abcd\n"))[0]["winner"] == "Takahashi"


def test_a_single_answer_is_a_csv_of_one_row():
    assert rows(run("count", FIGURE_10, "--csv")) == [{"count": "66", "cells": "12"}]
    [proof] = rows(run("explain", "#1#/#2#/#1#", "1", "0", "--csv"))
    assert [proof[name] for name in ("row", "column", "verdict", "hints")] == ["1", "0", "safe", "0,1 1,1 2,1"]
    [best] = rows(run("strings", "5", "--count", "1", "--csv"))
    assert (best["strings"], best["boards"], len(best["board"].split("/"))) == ("18", "1545", 5)


def test_umigame_numbers_and_moves_come_as_csv():
    sides = rows(run("umigame", POSITIONS, "--csv"))
    assert [(r["side"], r["lines"], r["without transpositions"]) for r in sides] == [
        ("own", "3", "4"),
        ("opponent", "1", "2"),
    ]
    moves = rows(run("umigame", POSITIONS, "--moves", "own", "--csv"))
    assert {"position": "r", "move": "W2"} in moves
    assert [list(r.values()) for r in moves] == json.loads(run("umigame", POSITIONS, "--moves", "own", "--json"))[
        "moves"
    ]


def test_games_come_as_csv_and_json():
    options = ("play", "--level", "beginner", "--seed", "1")
    game = rows(run(*options, "--csv"))[0]
    assert (game["level"], game["won"]) == ("beginner", str(json.loads(run(*options, "--json"))["won"]))
    assert game["board"].count("/") == 8


def test_a_place_to_explain_may_have_a_comma():
    assert run("explain", "1##", "0,1") == run("explain", "1##", "0", "1")
    assert "no cell" in run("explain", "1##", "0", code=2)
    assert "no cell" in run("explain", "1##", "x,1", code=2)


def test_the_other_spelling_works():
    assert run("analyze", FIGURE_9) == run("analyse", FIGURE_9)


def test_no_assignment_is_a_negative_answer():
    assert "no mine assignment" in run("list", "#3#", code=1)


def test_a_share_of_mines_may_be_in_percent():
    assert run("analyse", FIGURE_9, "--density", "30%") == run("analyse", FIGURE_9, "--density", "0.3")
    assert "density" in run("analyse", FIGURE_9, "--density", "1", code=2)
    for nothing in ("few", "", "%", "nan%", "inf%", "1e999"):
        assert "neither a number" in run("analyse", FIGURE_9, "--density", nothing, code=2)


def test_an_export_is_what_the_file_is_called(tmp_path):
    run("export", FIGURE_10, "-o", str(tmp_path / "board.opb"))
    assert (tmp_path / "board.opb").read_text() == run("export", FIGURE_10, "-f", "opb")
    run("export", FIGURE_10, "-f", "json", "-o", str(tmp_path / "board.txt"))
    assert json.loads((tmp_path / "board.txt").read_text())["board"]
    run("export", FIGURE_10, "-o", str(tmp_path / "board.txt"))
    assert (tmp_path / "board.txt").read_text() == run("export", FIGURE_10, "-f", "text")
    for args in ((), ("-o", str(tmp_path / "board.csv"))):
        assert "say what to write" in run("export", FIGURE_10, *args, code=2)


def test_a_board_without_a_total_is_not_played():
    assert "--mines TOTAL" in run("play", FIGURE_9, code=2)


def test_methods_that_disagree_are_exit_code_1(monkeypatch):
    records = iter([{"count": 1}, {"count": 2}])
    monkeypatch.setattr(
        compare_module, "_run", lambda *_: {"build_seconds": 0, "count_seconds": 0, "nodes": 1} | next(records)
    )
    monkeypatch.setattr(compare_module, "_table", lambda records: "")
    assert "disagree" in run("compare", "#1#", "--methods", "dc,tree", code=1)


def test_unknown_commands_and_options_are_bad_input():
    assert "Did you mean" in run("analyes", "#1#", code=2)
    assert "No such option" in run("count", "#1#", "--cvs", code=2)
    assert "Missing argument" in run("count", code=2)
    assert "Usage" in run(code=2)
    assert "nothing to compare" in run("compare", "#1#", "--methods", ",", code=2)
    assert "either" in run("play", "#1#", "--level", "expert", code=2)
    assert "either" in run("generate", "9", "9", "--level", "expert", code=2)


def test_pictures_and_drawings_are_written(tmp_path):
    target = tmp_path / "figure.svg"
    run("draw", FIGURE_10, "--method", "zdd", "-o", str(target))
    assert target.read_text().startswith("<svg")
    assert "cannot write" in run("draw", FIGURE_10, "-o", str(tmp_path / "no" / "x.svg"), code=2)
    run("analyse", FIGURE_9, "-o", str(tmp_path / "board.png"))
    assert (tmp_path / "board.png").read_bytes().startswith(b"\x89PNG")
    assert "cannot save" in run("analyse", FIGURE_9, "-o", str(tmp_path / "no" / "x.png"), code=2)


def test_a_diagram_too_large_for_svg_says_to_use_dot(tmp_path, monkeypatch):
    monkeypatch.setenv("PATH", "")
    monkeypatch.setattr("mines_dd.diagrams.svg.LARGEST", 20)
    assert "Graphviz" in run("draw", FIGURE_10, "--method", "bdd", "-o", str(tmp_path / "x.svg"), code=2)
    assert "Graphviz" in run("draw", FIGURE_9, "-o", str(tmp_path / "x.png"), code=2)


@pytest.mark.skipif(not shutil.which("dot"), reason="needs Graphviz")
def test_graphviz_draws_what_we_do_not(tmp_path, monkeypatch):
    for kind, start in (("png", b"\x89PNG"), ("pdf", b"%PDF")):
        run("draw", FIGURE_10, "-o", str(tmp_path / f"board.{kind}"))
        assert (tmp_path / f"board.{kind}").read_bytes().startswith(start)
    monkeypatch.setattr("mines_dd.diagrams.svg.LARGEST", 20)
    run("draw", FIGURE_10, "--method", "zdd", "-o", str(tmp_path / "large.svg"))
    assert "Generated by graphviz" in (tmp_path / "large.svg").read_text()


def test_every_command_explains_itself_with_an_example():
    for commands in SECTIONS.values():
        for command in commands:
            text = run(str(command.name), "--help")
            assert "Examples:" in text, command.name
            assert not command.get_short_help_str(70).endswith("..."), command.name
            assert all(p.help for p in command.params if p.param_type_name == "option"), command.name
    assert {command.name for commands in SECTIONS.values() for command in commands} == set(cli.commands)


def test_the_examples_work(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("data").symlink_to(DATA)
    epilogs = [
        cli.epilog,
        *(c.epilog for c in cli.commands.values() if c.name not in ("serve", "completion")),
    ]
    lines = [line.strip() for epilog in epilogs for line in (epilog or "").splitlines()[2:] if "book.dat" not in line]
    assert len(lines) > 25
    for line in lines:
        text: str | None = None
        for part in line.split(" | "):
            name, *args = shlex.split(part)
            assert name == "mines-dd"
            text = run(*args, text=text)
        assert text, line


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion_prints_a_script_that_asks_the_command(shell):
    assert "_MINES_DD_COMPLETE" in run("completion", shell)


def test_completion_knows_commands_options_and_values():
    def completed(line: str) -> str:
        words = {"_MINES_DD_COMPLETE": "bash_complete", "COMP_WORDS": line, "COMP_CWORD": str(line.count(" "))}
        code = "import sys; sys.argv = ['mines-dd']; from mines_dd.cli.main import main; main()"
        done = subprocess.run(
            [sys.executable, "-c", code], capture_output=True, text=True, env={**ENVIRONMENT, **words}, check=False
        )
        return done.stdout

    assert "plain,compare" in completed("mines-dd comp")
    assert "plain,tree" in completed("mines-dd count --method t")
    assert completed("mines-dd count fig").startswith("file,")


def test_a_reader_that_has_had_enough_ends_it_silently():
    code = f"{shlex.join([*COMMAND, 'list', FIGURE_10])} | head -n 1; echo ${{PIPESTATUS[0]}}"
    done = subprocess.run(["bash", "-c", code], capture_output=True, text=True, env=ENVIRONMENT, check=True)
    assert done.stdout.splitlines()[1:] == ["0"]
    assert done.stderr == ""
    closed = subprocess.run(
        ["bash", "-c", f"{shlex.join([*COMMAND, 'generate', '200', '200'])} | true"],
        capture_output=True,
        text=True,
        env=ENVIRONMENT,
        check=True,
    )
    assert closed.stderr == ""


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="needs a full disk")
def test_a_full_disk_is_one_sentence():
    with open("/dev/full", "w") as full:
        done = subprocess.run(
            [*COMMAND, "list", FIGURE_10], stdout=full, stderr=subprocess.PIPE, text=True, env=ENVIRONMENT, check=False
        )
    assert done.returncode == 2
    assert done.stderr.startswith("mines-dd: cannot write the output")
    assert "Traceback" not in done.stderr


@pytest.mark.usefixtures("interrupts")
def test_an_interrupt_is_exit_code_130():
    board = run("generate", "30", "30", "--mines", "30%", "--hints", "30%", "--seed", "4")
    with subprocess.Popen(
        [*COMMAND, "list", "-"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=ENVIRONMENT,
    ) as running:
        assert running.stdin is not None
        assert running.stdout is not None
        running.stdin.write(board)
        running.stdin.close()
        running.stdin = None
        running.stdout.readline()
        running.send_signal(signal.SIGINT)
        _, errors = running.communicate(timeout=60)
    assert running.returncode == 130
    assert errors.strip().splitlines()[-1] == "mines-dd: interrupted"


def on_terminal(*args: str, **variables: str) -> str:
    """What a command prints to a terminal."""
    ours, theirs = pty.openpty()
    environment = {k: v for k, v in ENVIRONMENT.items() if k != "NO_COLOR"} | {"TERM": "xterm", **variables}
    with subprocess.Popen([*COMMAND, *args], stdout=theirs, stderr=theirs, env=environment):
        os.close(theirs)
        written = b""
        try:
            while chunk := os.read(ours, 65536):
                written += chunk
        except OSError:  # the other end is closed
            pass
    os.close(ours)
    return written.decode().replace("\r\n", "\n")


def test_terminals_get_colours_rulers_and_a_legend():
    text = on_terminal("analyse", FIGURE_9)
    assert "\x1b[" in text
    assert re.sub("\x1b\\[[0-9;]*m", "", text).splitlines()[:2] == ["      0    1    2", "0  0.67    3 0.67"]
    assert "likely" in text
    wide = on_terminal("analyse", str(DATA / "expert_16x30_99.txt"), COLUMNS="100")
    assert max(len(re.sub("\x1b\\[[0-9;]*m", "", line)) for line in wide.splitlines()[:17]) <= 100
    assert "percent" in wide


def test_pipes_no_color_and_dumb_terminals_get_plain_text():
    plain = run("analyse", FIGURE_9)
    assert "\x1b" not in plain
    assert plain.startswith("0.67    3 0.67\n")
    assert on_terminal("analyse", FIGURE_9, NO_COLOR="1") == plain
    assert on_terminal("analyse", FIGURE_9, TERM="dumb") == plain


def test_the_methods_are_those_of_the_library():
    assert set(common.METHODS) == set(METHODS)  # a list of its own, so that help comes without a heavy import


def test_help_is_there_at_once_because_it_needs_no_heavy_package():
    code = (
        "import sys; sys.argv = ['mines-dd', '--help']; from mines_dd.cli.main import main\n"
        "try: main()\n"
        "except SystemExit as end: print(end.code or 0)\n"
        "print([m for m in ('numba', 'matplotlib', 'networkx', 'numpy', 'dd') if m in sys.modules])\n"
        "print([m for m in sys.modules if m.startswith('mines_dd.') and m.split('.')[1] not in ('cli', 'base')])\n"
        "print(len(sys.modules))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=DATA.parent, check=True)
    *_, code, heavy, ours, modules = done.stdout.splitlines()
    assert (code, heavy, ours) == ("0", "[]", "[]")
    assert int(modules) < 300  # 135 today: a tenth of a second
