"""The harness of the experiments, and table 1 in its smallest size."""

import doctest
import json
import re
import shlex
import subprocess
import sys
from importlib import import_module
from pathlib import Path
from types import SimpleNamespace

import click
import pytest
from click.testing import CliRunner
from worker import sweep, work

from experiments import harness, paper, peers, shared, sweeps, table1
from experiments.__main__ import all_experiments
from experiments.__main__ import main as all_main
from experiments.boards import CASCADE
from experiments.harness import Limits, experiment, option, picture
from experiments.hint_nodes import nodes_of
from experiments.report import Section, write_report
from mines_dd import Board, MinesError, solve
from mines_dd.board import picture as plot
from mines_dd.compilers.schedule import HintSpan

ROOT = Path(__file__).parents[2]


@pytest.fixture(autouse=True)
def _workers_find_their_module(monkeypatch):
    monkeypatch.setenv("PYTHONPATH", f"{ROOT}:{ROOT / 'tests'}")


def test_results_come_in_the_order_of_the_jobs_and_are_kept(tmp_path):
    path = tmp_path / "runs.jsonl"
    jobs = [{"do": "return", "x": i} for i in range(3)]
    results = sweep(jobs, path, workers=2)
    assert [r["x"] for r in results] == [0, 1, 2]
    before = path.read_text()
    assert sweep(jobs, path) == results
    assert path.read_text() == before


def test_a_torn_line_is_cut_off_and_its_job_run_again(tmp_path):
    path = tmp_path / "runs.jsonl"
    jobs = [{"do": "return", "x": i} for i in range(2)]
    sweep(jobs, path)
    path.write_text(path.read_text()[:-7])
    assert [r["x"] for r in sweep(jobs, path)] == [0, 1]
    assert [json.loads(line)["x"] for line in path.read_text().splitlines()] == [0, 1]


@pytest.mark.ci
def test_a_run_that_fails_harms_no_other(tmp_path):
    [endless] = sweep([{"do": "sleep", "x": 1}], tmp_path / "endless.jsonl", timeout=0.5)
    assert endless["status"] == "timeout"
    jobs = [{"do": what, "x": 1} for what in ("eat", "raise", "die", "return")]
    results = sweep(jobs, tmp_path / "runs.jsonl", timeout=60, workers=2)
    assert [r["status"] for r in results] == ["memory", "failed", "failed", "done"]
    assert "no such thing" in results[1]["message"]
    assert "SIGKILL" in results[2]["message"]


def test_two_runs_on_one_file_are_refused(tmp_path):
    path = tmp_path / "runs.jsonl"
    with sweeps._locked(path), pytest.raises(OSError, match="another run"):
        sweep([{"do": "return", "x": 1}], path)


# The decorator


@experiment(
    option("--upto", 3, "How many runs."),
    option("--wrong", False, is_flag=True),
    jobs=lambda options: [{"do": "return", "x": x, "timeout": options.timeout} for x in range(options.upto)],
    run=work,
    limits=Limits(timeout=20, memory=8, workers=2),
    minutes=0.1,
    quick="--upto 1",
)
def tiny(results, options):
    yield f"the sum is {sum(r['x'] for r in results)}"
    if options.wrong:
        raise SystemExit(1)
    yield picture("tiny.png", (2, 1), lambda figure: figure.subplots().plot([r["x"] for r in results]))


@pytest.mark.ci
def test_an_experiment_runs_its_jobs_prints_and_keeps_its_texts_with_the_machine_and_saves_its_pictures(tmp_path):
    pytest.importorskip("matplotlib")
    done = CliRunner().invoke(tiny, ["--output", str(tmp_path)], catch_exceptions=False)
    table = (tmp_path / "table.txt").read_text()
    assert table == f"the sum is 3\n\n{harness.facts()}\n"
    files = ("table.txt", "tiny.png", "runs.jsonl")
    assert done.stdout == f"{table}\n{', '.join(str(tmp_path / name) for name in files)}\n"
    assert (tmp_path / "tiny.png").read_bytes().startswith(b"\x89PNG")
    before = (tmp_path / "runs.jsonl").read_text()
    done = CliRunner().invoke(tiny, ["--upto", "4", "--output", str(tmp_path)], catch_exceptions=False)
    assert "the sum is 6" in done.stdout
    assert (tmp_path / "runs.jsonl").read_text().startswith(before)
    assert json.loads(before.splitlines()[0])["job"]["timeout"] == 20.0


def test_a_report_that_ends_with_an_error_code_keeps_what_it_said(tmp_path, monkeypatch):
    monkeypatch.setattr(harness, "sweep", lambda worker, jobs, *_, **__: [])
    done = CliRunner().invoke(tiny, ["--wrong", "--output", str(tmp_path)])
    assert done.exit_code == 1
    assert done.stdout.startswith("the sum is 0")
    assert (tmp_path / "table.txt").exists()


def test_the_examples_of_what_experiments_share_are_right():
    assert doctest.testmod(shared).failed == 0


def test_counts_that_differ_are_named():
    shared.same_counts([("a", "bdd", 1), ("b", "bdd", 2), ("a", "dc", 1)])
    with pytest.raises(SystemExit, match="the counts of a disagree: dc"):
        shared.same_counts([("a", "bdd", 1), ("a", "dc", 2)])


# All experiments


def test_the_list_has_every_experiment_with_its_minutes_and_its_first_line():
    known = all_experiments()
    assert len(known) == 25
    assert {"table1", "fuzz", "win_rates"} <= known.keys()
    lines = CliRunner().invoke(all_main, []).stdout.splitlines()
    for name, one in known.items():
        assert [name, f"{one.minutes:g}", one.line] in [re.split("  +", line.strip(), maxsplit=2) for line in lines]
        assert one.minutes > 0
        assert one.line.endswith((".", "?"))


def test_the_quick_options_of_an_experiment_are_options_of_it():
    for name, one in all_experiments().items():
        one.make_context(name, shlex.split(one.quick))


@pytest.mark.slow
def test_all_experiments_end_in_one_page_with_all_tables_and_pictures_in_it(tmp_path):
    pytest.importorskip("matplotlib")
    options = ["all", "--quick", "--only", "reduction,figures", "--output", str(tmp_path)]
    done = CliRunner().invoke(all_main, options, catch_exceptions=False)
    assert done.exit_code == 0, done.output
    page = (tmp_path / "report.html").read_text()
    pictures = [path for path in tmp_path.glob("*/*") if path.suffix in (".png", ".svg")]
    assert len(pictures) == 8
    sources = re.findall('(?:src|href)="([^"]*)"', page)
    assert sum(source.startswith("data:image/") for source in sources) == 8
    assert all(source.startswith(("data:", "#")) for source in sources)
    for path in tmp_path.glob("*/table.txt"):
        for line in path.read_text().splitlines()[:10]:
            assert line.replace("&", "&amp;").replace("'", "&#x27;").replace("<", "&lt;").replace(">", "&gt;") in page
    assert harness.facts() in page
    assert "python -m experiments.figures --quick" in page


def test_the_page_says_which_experiments_did_not_come_to_their_end(tmp_path):
    (tmp_path / "printed.txt").write_text("3 < 4")
    sections = [Section("one", "What.", "python -m experiments.one", 1.0, code, tmp_path) for code in (None, 2)]
    write_report(tmp_path / "report.html", sections, "all")
    page = (tmp_path / "report.html").read_text()
    assert '<td class="bad">stopped</td>' in page
    assert '<td class="bad">ended with 2</td>' in page
    assert "<pre>3 &lt; 4</pre>" in page


# Table 1, and what all experiments do


@pytest.mark.slow
def test_table1_prints_its_table_and_saves_table_and_plot(tmp_path):
    pytest.importorskip("matplotlib")
    options = [
        "--size",
        "6",
        "--instances",
        "1",
        "--methods",
        "bdd,zdd,dc",
        "--orders",
        "row",
        "--workers",
        "2",
        "--output",
        str(tmp_path),
    ]
    command = [sys.executable, "-m", "experiments.table1", *options]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=170)
    assert done.returncode == 0, done.stderr
    assert len(re.findall(r"%  +row  ", done.stdout)) == 3 * 9
    assert "290.3275" in done.stdout  # the paper's, beside
    assert {p.name for p in tmp_path.iterdir()} == {"runs.jsonl", "table.txt", "table1.png"}
    assert (tmp_path / "table1.png").read_bytes().startswith(b"\x89PNG")


def test_the_papers_means_lie_between_its_extremes():
    assert len(paper.TABLE_1) == 27
    assert all(low <= mean <= high for mean, low, high in paper.TABLE_1.values())


def result(method, seed, seconds=None):
    job = {"hints": 30, "mines": 30, "seed": seed, "order": "row", "method": method, "timeout": 10}
    if seconds is None:
        return {"job": job, "status": "budget"}
    stages = dict.fromkeys(("order", "export", "count", "compile"), 0.0) | {"build": seconds}
    return {"job": job, "status": "done", "seconds": stages, "nodes": 5, "peak": None, "mib": 1.5, "count": "1"}


def test_a_stopped_run_has_no_star_and_counts_as_longer_than_all_others():
    options = SimpleNamespace(orders=["row"], methods=["bdd", "dc"])
    runs = [result("bdd", 0, 2.0), result("bdd", 1, 4.0), result("bdd", 2, 6.0)]
    stopped = [result("dc", 0, 1.0), result("dc", 1), result("dc", 2, 0.5)]
    bdd, dc = (line.split() for line in table1.seconds_table(runs + stopped, options).splitlines()[2:])
    assert bdd[3:9] == ["bdd", "3/3", "4.0000", "*", "4.0000", "4.0000"]  # common: of seeds 0 and 2
    assert dc[3:8] == ["dc", "2/3", "1.0000", "0.7500", "7.1667"]  # PAR-2: (1 + 0.5 + 20) / 3
    _, dc = (
        line.split() for line in table1.seconds_table(runs + [*stopped[:2], result("dc", 2)], options).splitlines()[2:]
    )
    assert dc[3:6] == ["dc", "1/3", ">10"]


def test_a_zdd_of_one_hint_has_a_chain_over_all_items_and_a_bdd_has_none():
    span = HintSpan([2, 3], [1])
    assert [nodes_of(span, items, "F") for items in (4, 9)] == [3, 3]
    assert [nodes_of(span, items, "S") for items in (4, 9)] == [4, 9]


def test_methods_take_the_hints_as_given_and_tree_stands_with_our_order():
    board, names = Board.random(6, 6, 0.2, 0.4, 1), ["bdd", "bdd-given", "zdd-given", "zdd-span-given", "tree"]
    assert len({solve(board, **table1.way(name, "row")).count() for name in names}) == 1
    options = SimpleNamespace(orders=["row", "auto"], methods=names)
    assert [table1.methods_in(order, options) for order in options.orders] == [names[:-1], names]
    both = [result("bdd", 0, 2.0), result("bdd-given", 0, 1.0)]
    lines = table1.seconds_table(both, SimpleNamespace(orders=["row"], methods=names)).splitlines()[2:]
    assert [line.split()[3:7] for line in lines] == [
        ["bdd", "1/1", "2.0000", "2.0000"],
        ["bdd-given", "1/1", "1.0000", "*"],
    ]


def test_a_board_late_in_a_game_is_opened_by_clicks_until_most_safe_cells_are_open():
    board = table1.make({"size": 12, "mines": 20, "hints": CASCADE, "seed": 3})
    safe = board.size[0] * board.size[1] - len(board.layout)
    assert table1.OPEN_LATE * safe <= len(board.hints()) < safe


def test_table1_says_how_large_the_boards_are_ours_and_the_papers(tmp_path, capsys, monkeypatch):
    monkeypatch.setattr(harness, "sweep", lambda worker, jobs, *_, **__: [])
    monkeypatch.setattr(table1, "plot", lambda *_: None)
    for number, ours in ((1, "6x6, 1 board a setting"), (2, "6x6, 2 boards a setting")):
        table1.main(["--size", "6", "--instances", str(number), "--output", str(tmp_path)], standalone_mode=False)
        head = capsys.readouterr().out.splitlines()[:2]
        assert ours in head[0]
        assert head[1].startswith("paper: its ten boards")
        assert "30x30" in head[1]


def test_an_experiment_is_a_command_of_the_list_too(capsys):
    all_main(["table1", "--help"], "python -m experiments", standalone_mode=False)
    assert capsys.readouterr().out.startswith("Usage: python -m experiments table1 [OPTIONS]")
    with pytest.raises(MinesError, match=r"there is no experiment 'tabel1'; choose .* did you mean 'table1'\?"):
        all_main(["tabel1"], standalone_mode=False)


WITHOUT_MATPLOTLIB = """
import runpy, sys
sys.modules["matplotlib"] = None
runpy.run_module("experiments.figures", run_name="__main__", alter_sys=True)
"""


@pytest.mark.ci
def test_without_matplotlib_an_experiment_prints_and_keeps_its_table_and_says_what_to_install(tmp_path):
    command = [sys.executable, "-c", WITHOUT_MATPLOTLIB, "--output", str(tmp_path)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=100)
    assert done.returncode == 2
    assert done.stderr.endswith(f": {plot.NO_MATPLOTLIB}\n")
    assert "Traceback" not in done.stderr
    assert done.stdout.startswith("Published beside ours")
    assert done.stdout.startswith((tmp_path / "table.txt").read_text().rstrip())


@pytest.mark.parametrize(
    ("experiment", "options"),
    [
        ("table1", ["--methods", "dc,foo"]),
        ("table1", ["--orders", "foo"]),
        ("ordering", ["--methods", "foo"]),
        ("ordering", ["--orders", "row,foo"]),
        ("online", ["--methods", "foo"]),
        ("limits", ["--commands", "count dc;foo"]),
        ("limits", ["--boards", "foo"]),
        ("peers", ["--peers", "ours: dc;foo"]),
        ("faults", ["--sweeps", "foo"]),
        ("win_rates", ["--levels", "foo"]),
    ],
)
def test_a_misspelt_name_is_refused_before_anything_is_run(experiment, options, tmp_path, monkeypatch, capsys):
    main = import_module(f"experiments.{experiment}").main
    monkeypatch.setattr(harness, "sweep", lambda *_, **__: pytest.fail("it began"))
    with pytest.raises(SystemExit) as ended:
        harness.command(lambda: main([*options, "--output", str(tmp_path / "out")], standalone_mode=False))
    assert ended.value.code == 2
    assert "'foo' is none of " in capsys.readouterr().err
    assert not (tmp_path / "out").exists()


def test_names_may_hold_what_is_not_between_them():
    assert harness.chosen("a, b; c", {"a, b": 1, "c": 2}, between=";") == ["a, b", "c"]


@pytest.mark.parametrize("text", ["x", "1,", "", "1,-2", "0", "1,nan", "inf"])
def test_a_list_of_numbers_holds_positive_numbers(text):
    with pytest.raises(click.UsageError, match="number"):
        harness.numbers(text, kind=float)
    assert harness.numbers("1,20") == [1, 20]
    assert harness.numbers("0.5/2", between="/", kind=float) == [0.5, 2.0]
    assert harness.numbers("30/0", between="/", zero=True) == [30, 0]
    with pytest.raises(click.UsageError, match="not a positive number or 0"):
        harness.numbers("30/-1", between="/", zero=True)


@pytest.mark.parametrize("experiment", ["fuzz", "soak", "limits", "topdown", "table1"])
def test_every_experiment_calls_its_folder_output(experiment):
    main = import_module(f"experiments.{experiment}").main
    folder = "tests/failures" if experiment in ("fuzz", "soak") else f"results/{experiment}"
    assert {option.name: option.default for option in main.params}["output"] == Path(folder)


def test_the_help_of_peers_keeps_its_list():
    lines = [line.strip() for line in CliRunner().invoke(peers.main, ["--help"]).stdout.splitlines()]
    peers_listed = [line.split()[1] for line in lines if line.startswith("- ")]
    assert peers_listed == ["d4", "tididi", "pyzdd", "Graphillion", "ms-toollib"]
