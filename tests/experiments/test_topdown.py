"""The Qiita article's numbers, looser pruning, and the fits to its graphs."""

import math

import networkx as nx
import pytest
from hypothesis import given
from hypothesis import strategies as st

from experiments import growth, topdown
from experiments.ablation import Run
from mines_dd import mine_graph, solve
from mines_dd.frontier import AllDegrees, Knapsack, Paths, build, count


@pytest.mark.usefixtures("interpreted_unless_asked")
@given(
    st.lists(st.integers(1, 200), min_size=1, max_size=7),
    st.integers(0, 150),
    st.integers(0, 50),
    st.integers(0, 50),
)
def test_looser_pruning_has_the_same_baskets_and_no_fewer_nodes(prices, over, more, less):
    snacks = dict(enumerate(prices))
    tight, loose = build(Knapsack(snacks, 300)), build(topdown.LooseSnacks(snacks, 300, over, more, less))
    assert set(loose.to_assignments()) == set(tight.to_assignments())
    assert loose.node_count >= tight.node_count


def test_without_the_sum_plus_one_five_snacks_have_fewer_nodes():
    five = dict.fromkeys("abcde", 100)
    assert build(topdown.LooseSnacks(five, 300)).node_count == 6
    assert build(topdown.LooseSnacks(five, 300, more=1)).node_count == 9


def test_figure_2_has_16_edges_and_one_best_cell():
    assert mine_graph(topdown.FIGURE_2).number_of_edges() == 16
    shares = solve(topdown.FIGURE_2).probabilities()
    assert [cell for cell, share in shares.items() if share == min(shares.values())] == [(0, 2)]
    assert 0 < min(shares.values()) < max(shares.values()) < 1


def test_v1_and_v3_are_best_to_open_on_the_stand_in():
    rows = {what: (ours, verdict) for what, _, ours, verdict in topdown.minesweeper_rows()}
    assert rows["stand-in: best cells to open"] == ("v1, v3", "agrees")
    assert not [what for what, (_, verdict) in rows.items() if verdict == "DISAGREES"]


def test_paths_agree_with_the_published_numbers_on_small_grids():
    for n in range(1, 5):
        assert count(Paths(nx.grid_2d_graph(n + 1, n + 1), (0, 0), (n, n))) == topdown.GRID_PATHS[n - 1]
    assert "DISAGREES" not in topdown.path_counts(3)


def test_fits_recognize_a_line_and_a_logarithm():
    trees = [growth.tree_nodes(edges) for edges in growth.EDGES]
    for curve, name in ((lambda n: 3 + 2 * n, "straight line"), (lambda n: 1 + math.log(n), "logarithm")):
        fits = growth.fits(trees, [curve(n) for n in trees])
        best = max(fits, key=lambda fit: fit.r_squared)
        assert best.name == name
        assert best.r_squared == pytest.approx(1)
        assert best.predict(10**6) == pytest.approx(curve(10**6))


def test_the_claim_is_judged_by_seconds_and_by_nodes():
    runs = {"both": [Run(edges, 10 * edges, 0.001 * edges) for edges in (*growth.EDGES, *growth.LARGER)]}
    text = growth.claim(runs)
    judged = [line.split() for line in text.splitlines() if line.startswith("both")]
    assert [(line[1], line[-1]) for line in judged[:2]] == [("seconds", "logarithm"), ("nodes", "logarithm")]
    for line in judged[2:]:  # 2^n - 1 instead of 2^n makes a difference for small n
        assert float(line[3]) == pytest.approx(float(line[2]), rel=0.02)


def test_a_t_prune_for_degrees_saves_the_nodes_below_which_no_edge_is_taken():
    diagram = build(AllDegrees(topdown.stand_in()))
    by_hand = 0
    for states, level in zip(diagram.states(), range(13), strict=True):
        later = diagram.spec.items[level:]
        for state in states:
            degree = dict(zip(topdown.stand_in(), diagram.spec.show(state, level), strict=True))
            done = all(degree[u] == n for u, n in {"u1": 1, "u2": 2, "u3": 2, "u4": 3}.items())
            by_hand += done and not any(degree[v] for v, _ in later)
    assert topdown.saved(diagram) == by_hand > 0
