"""The experiments beside table 1: the exact small values they print, and each of them at a tiny size."""

import json
import math
from types import SimpleNamespace

import pytest
from click.testing import CliRunner

from experiments import figures, harness, online, ordering, paper, table2, win_rates
from experiments.kept import KeptTree
from mines_dd import Board, Session, mine_graph, solve
from mines_dd.diagrams.dd_nodes import to_dd


@pytest.fixture
def invoke(tmp_path, monkeypatch):
    """Run an experiment's command in a folder of its own; return what it printed and the files it left.

    Its jobs run in this process: tests/experiments/test_harness.py has the processes.
    """
    pytest.importorskip("matplotlib")
    monkeypatch.setattr(harness, "sweep", sweep_here)

    def run(module, *options):
        done = CliRunner().invoke(module.main, [*options, "--output", str(tmp_path)], catch_exceptions=False)
        assert done.exit_code == 0, done.output
        return done.stdout, {path.name: path.read_bytes() for path in tmp_path.iterdir()}

    return run


def sweep_here(worker, jobs, results, **limits):
    results.parent.mkdir(exist_ok=True)
    return [{"job": job, "status": "done", **json.loads(json.dumps(worker(job)))} for job in jobs]


# Figures


def test_figure_4_has_66_assignments_and_20_edges():
    assert solve(figures.FIGURE_4).count() == 66
    assert mine_graph(figures.FIGURE_4).number_of_edges() == 20


def test_two_boards_of_figure_4s_shape_have_66_assignments_and_one_of_them_the_printed_probabilities():
    boards = figures.boards_with(66)
    assert [solve(board).count() for board in boards] == [66, 66]
    agree = [figures.in_a_row(figures.PRINTED_10, solve(board).probabilities())[-1] for board in boards]
    assert agree == ["agrees", "DISAGREES"]
    assert boards[0] == figures.FIGURE_4


def test_figure_9_has_3_assignments_whose_probabilities_are_printed_in_reverse():
    family = solve(figures.FIGURE_9)
    assert family.count() == 3
    assert mine_graph(figures.FIGURE_9).number_of_edges() == 11
    ours = family.probabilities()
    assert figures.in_a_row(figures.PRINTED_9[::-1], ours)[-1] == "agrees"
    assert figures.in_a_row(figures.PRINTED_9, ours)[-1] == "DISAGREES"


def test_figure_9_as_printed_adds_up_to_none_of_its_hints():
    assert figures.sums(figures.PRINTED_9) == "2.67 around the 3, 1.33 around the 1, 1.33 around the 2"
    assert figures.sums(figures.PRINTED_9[::-1]) == "3.00 around the 3, 1.00 around the 1, 2.00 around the 2"


def test_figure_10_has_the_printed_probabilities():
    ours = solve(figures.FIGURE_4).probabilities()
    assert ours[0, 0] * 66 == 28
    assert ours[0, 1] * 66 == 26
    assert figures.in_a_row(figures.PRINTED_10, ours)[-1] == "agrees"


@pytest.mark.parametrize(
    ("diagram", "family", "nodes"),
    [
        (figures.figure_6(), {"x3", "x1x3", "x1x2x3"}, 3),
        (figures.figure_7(), {"ac", "bc", "b", "c"}, 4),
    ],
)
def test_figures_6_and_7_reduce_to_few_nodes(diagram, family, nodes):
    assert {"".join(sorted(found)) for found in figures.sets(diagram)} == family
    assert diagram.node_count == nodes


def test_figure_6_is_the_formula_of_the_paper():
    from dd.autoref import BDD

    manager = BDD()
    manager.declare("xx1", "xx2", "xx3")
    circuit = figures.figure_6().to_circuit(figures.ITEMS_6, range(3))
    assert to_dd(circuit, manager) == manager.add_expr(r"(xx1 \/ ~xx2) /\ xx3")


@pytest.mark.ci
def test_figures_are_drawn(invoke):
    output, files = invoke(figures)
    assert output.count("DISAGREES") == 1  # figure 9 as printed
    assert sum(line.count("  ") == 10 for line in output.splitlines() if set(line) <= set("#*2 ")) == 6 * 4
    pictures = {name for name in files if name.endswith(".png")}
    assert pictures == {f"figure{name}.png" for name in ("1_3", "4_5", "4_all", "6_7", "8", "9_10")}
    assert all(files[name].startswith(b"\x89PNG") for name in pictures)
    assert b"digraph zdd" in files["figure7.dot"]


# Table 2


def test_the_published_counts_have_26_52_and_56_digits():
    assert [len(str(count)) for _, count, _ in paper.TABLE_2.values()] == [26, 52, 56]


def test_the_swap_fits_and_the_printed_labels_do_not():
    near = {10: [50.0, 54.0, 58.0], 30: [54.0, 58.0, 62.0], 50: [18.0, 21.0, 24.0]}
    fits = {labels: fit for fit, labels, _ in table2.labellings(near)}
    assert fits[50, 30, 10] - fits[10, 30, 50] > 20
    assert len(fits) == 6


def test_cells_by_component_are_all_cells_of_one_component_after_the_other():
    board = Board.parse("#1###1#\n#######\n")
    assert table2.by_component(board) == [
        (0, 0),
        (0, 2),
        (1, 0),
        (1, 1),
        (1, 2),
        (0, 4),
        (0, 6),
        (1, 4),
        (1, 5),
        (1, 6),
    ]


def test_counting_many_boards_gives_the_logarithms_of_their_counts():
    job = {"size": 6, "hints": 30, "first": 3, "boards": 2}
    found = table2.count_many(job)["log10"]
    assert found == [math.log10(solve(table2.make(job, seed), "bdd").count()) for seed in (3, 4)]


def test_building_a_board_gives_the_nodes_of_every_method():
    found = table2.build({"size": 6, "hints": 30, "seed": 1, "max_nodes": 10**6, "timeout": 10})
    assert len(set(found["counts"])) == 1
    assert [found[f"{method} {order}"]["nodes"] > 0 for method, order in table2.NODES] == [True] * 4


def test_a_board_that_exceeds_the_limits_has_no_nodes():
    found = table2.build({"size": 6, "hints": 30, "seed": 1, "max_nodes": 1, "timeout": 10})
    assert set(found) == {"log10"}


@pytest.mark.ci
def test_table2_prints_its_tables(invoke):
    output, files = invoke(table2, "--size", "8", "--boards", "20", "--instances", "1")
    assert "25.84" in output
    assert "686,989" in output
    assert "probabilities [s]" in output
    assert files["linear.png"].startswith(b"\x89PNG")
    assert files["table2.png"].startswith(b"\x89PNG")


def test_the_power_with_which_time_grows_is_found():
    built = [
        {"dc greedy": {"nodes": n, "count": n * 1e-8, "probabilities": n * n * 1e-12}} for n in (10**4, 10**5, 10**6)
    ]
    text = table2.linear(built)
    assert "count: nodes to the power 1.00 (3 diagrams)" in text
    assert "probabilities: nodes to the power 2.00" in text
    assert "too few" in table2.linear(built[:2])


# Orders


def ordered(method, order, **limits):
    job = {"size": 8, "mines": 20, "hints": 30, "seed": 0, "timeout": 10, "max_nodes": None}
    return ordering.run({**job, "method": method, "order": order, **limits})


def test_all_methods_and_orders_count_the_same():
    counts = {ordered(method, order)["count"] for method in ordering.METHODS for order in ordering.ORDERS}
    assert len(counts) == 1


def test_dead_states_are_a_part_of_all_states():
    found = ordered("dc", "row")
    assert 0 < found["dead"] < found["states"]
    assert found["nodes"] <= found["states"] - found["dead"]


def test_a_stopped_run_says_how_many_states_it_made():
    found = ordered("dc", "row", max_nodes=20)
    assert found["status"] == "budget"
    assert found["states"] > 20


@pytest.mark.ci
def test_ordering_prints_its_table_and_marks_lower_bounds(invoke):
    output, files = invoke(
        ordering, "--size", "7", "--max-nodes", "30", "--methods", "bdd,dc", "--orders", "row,greedy"
    )
    assert "290.327" in output
    assert ">" in output.split("dc [s]")[1]
    assert files["ordering.png"].startswith(b"\x89PNG")


# Hints one by one


def test_a_game_opens_every_safe_cell_once_with_its_count():
    board = Board.random(6, 7, 8, 0, seed=3)
    hints = list(online.game(6, 7, 8, seed=3))
    cells = [cell for cell, _ in hints]
    assert len(set(cells)) == len(cells) == 6 * 7 - 8
    assert board.layout.isdisjoint(cells)
    assert all(count == board.count_around(cell) for cell, count in hints)


@pytest.mark.ci
@pytest.mark.parametrize("method", online.METHODS)
def test_what_is_kept_counts_as_a_board_solved_anew(method):
    found = online.run({"rows": 4, "cols": 5, "mines": 5, "seed": 2, "method": method})
    board = Board(("#####",) * 4)
    again = zip(*(way["count"] for way in found["again"].values()), strict=True)
    for (cell, count), kept, rebuilt in zip(online.game(4, 5, 5, 2), found["count"], again, strict=True):
        board = board.reveal({cell: count})
        family = solve(board, "dc")
        free = len(board.closed()) - len(family.cells)
        assert {int(kept), *map(int, rebuilt)} == {family.count() << free}
    assert kept == "1"


def test_counts_that_differ_end_the_experiment():
    runs = [
        {"job": {"seed": 0, "method": method}, "count": ["5", last], "again": {}}
        for method, last in (("bdd", "1"), ("zdd", "2"))
    ]
    with pytest.raises(SystemExit, match="game 0 disagree: zdd, kept"):
        online.check_counts(runs)


def test_a_way_to_build_again_that_counts_otherwise_ends_the_experiment():
    run = {"job": {"seed": 0, "method": "bdd"}, "count": ["5", "1"], "again": {"solve": {"count": ["5", "2"]}}}
    with pytest.raises(SystemExit, match="game 0 disagree: bdd, solve"):
        online.check_counts([run])


def test_what_a_session_answers_is_what_is_kept_for_tree():
    board = Board(("#####",) * 5)
    kept, session = KeptTree(board), Session(board)
    for cell, count in online.game(5, 5, 6, 2):
        board = board.reveal({cell: count})
        kept.prepare(board, cell)
        kept.add()
        kept.ask()
        session.open(cell, count)
        assert kept.analysis.risk == session.analysis.risk


def test_the_best_way_to_build_again_depends_on_whether_the_question_counts():
    steps = {"quick": {"build": [1.0], "ask": [5.0]}, "ready": {"build": [2.0], "ask": [1.0]}}
    run = {"job": {"method": "bdd"}, "chain": [0.5], "add": [0.5], "ask": [2.0], "again": steps}
    assert (online.best_way([run], False), online.best_way([run], True)) == ("quick", "ready")
    assert (online.gain([run], "bdd", False), online.gain([run], "bdd", True)) == (1, 1)


@pytest.mark.ci
def test_online_prints_its_table(invoke):
    output, files = invoke(online, "--rows", "4", "--cols", "4", "--mines", "3", "--games", "1")
    assert "13 steps all ways count the same" in output
    assert files["online.png"].startswith(b"\x89PNG")


# Win rates


def test_the_run_that_confirms_has_its_games_and_seed_from_the_module():
    options = SimpleNamespace(
        fresh=True, games=10, seed=1, block=10**6, levels=["expert"], rules=["safe"], policies=["best"]
    )
    [job] = win_rates.jobs(options)
    assert (job["games"], job["seed"]) == (win_rates.FRESH_GAMES, win_rates.FRESH_SEED)
    assert job["seed"] != 1


def test_a_rate_is_level_with_another_only_if_a_difference_of_the_margin_is_excluded():
    few = win_rates.difference(410, 1000, win_rates.Rate("other", 41.0))
    many = win_rates.difference(410_000, 10**6, win_rates.Rate("other", 41.0))
    assert (few.points, many.points) == pytest.approx((0, 0), abs=1e-9)
    assert few.verdict() == "not shown"
    assert many.verdict() == "level within 0.5"


def test_the_error_of_the_published_rate_widens_the_interval():
    exact, sampled = (win_rates.difference(4100, 10_000, win_rates.Rate("other", 40, error)) for error in (0, 1))
    assert sampled.error == pytest.approx((exact.error**2 + 1) ** 0.5)


@pytest.mark.ci
def test_legends_and_labels_of_table_2_cover_no_data():
    figure = pytest.importorskip("matplotlib.figure").Figure(figsize=(13, 5), layout="constrained")
    diagrams = {f"dc {order}": {"nodes": 1000} for order in ("component", "greedy")}
    built = [{"job": {"hints": hints}, "status": "done", "log10": 20.0, **diagrams} for hints in table2.HINTS]
    table2.plot(figure, {hints: [float(hints), 20.0, 30.0] for hints in table2.HINTS}, built, "20x20")
    figure.draw_without_rendering()
    for axes in figure.axes:
        assert axes.get_legend().get_window_extent().y1 < axes.get_window_extent().y0
        assert all(text.get_window_extent().x1 < axes.get_window_extent().x1 for text in axes.texts)
