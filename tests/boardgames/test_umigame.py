import contextlib
import json
import random
from itertools import product

import networkx as nx
import numpy as np
import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st
from position_graphs import WORKED, csv_of, graph_of, layered_graph, random_graph

from mines_dd.base.budget import Budget
from mines_dd.base.errors import BudgetExceededError, GraphFormatError, MinesError
from mines_dd.boardgames import umigame as algebra
from mines_dd.boardgames.position_graph import PositionGraph, parse_csv, parse_json, read_graph
from mines_dd.boardgames.umigame import position_numbers, repertoire, tree_lines, umigame_numbers
from mines_dd.boardgames.umigame_algebra import allowances
from mines_dd.boardgames.umigame_checks import minimal_repertoires, repertoire_by_families, repertoire_by_program
from mines_dd.boardgames.umigame_derivation import derivation
from mines_dd.cli.umigame import umigame


def smallest(graph, own):
    """Try all choices."""
    choosing = [v for v, c in enumerate(graph.children) if c and graph.own[v] == own]
    best = len(graph)
    for choice in product(*(graph.children[v] for v in choosing)):
        chosen = dict(zip(choosing, choice, strict=True))
        reached = {0}
        for v, children in enumerate(graph.children):
            if v in reached:
                reached.update([chosen[v]] if v in chosen else children)
        best = min(best, sum(not graph.children[v] for v in reached))
    return best


def follows(graph, own, found):
    """Walk the graph as the repertoire says."""
    number = {label: v for v, label in enumerate(graph.labels)}
    stack, leaves, moved = [0], set(), set()
    while stack:
        v = stack.pop()
        label = graph.labels[v]
        if not graph.children[v]:
            leaves.add(label)
        elif graph.own[v] == own:
            moved.add(label)
            assert number[found.moves[label]] in graph.children[v]
            stack.append(number[found.moves[label]])
        else:
            stack.extend(graph.children[v])
    assert moved == found.moves.keys()
    return leaves == found.leaves


METHODS = [repertoire, repertoire_by_families, repertoire_by_program]


@pytest.mark.parametrize("method", METHODS)
def test_the_worked_example_takes_3_lines_merged_and_4_in_the_tree(method):
    graph = graph_of(WORKED)
    assert (len(graph), len(graph.leaves), len(graph.confluences)) == (13, 4, 2)
    found = method(graph)
    assert found.lines == 3
    assert found.leaves == {"l1", "l2", "A"}
    assert found.moves == {"r": "W2", "p3": "B", "p4": "q4"}
    assert tree_lines(graph) == 4


def check_against_brute_force(seed, graphs, methods):
    rng = random.Random(seed)
    for _ in range(graphs):
        graph = random_graph(rng)
        for own in (True, False):
            best = smallest(graph, own)
            for method in methods:
                found = method(graph, own)
                assert found.lines == best, (method, graph)
                assert follows(graph, own, found)


def test_the_algebra_is_right_on_random_graphs():
    check_against_brute_force(1, 1000, METHODS[:1])


def test_families_and_programs_are_right_on_random_graphs():
    check_against_brute_force(2, 80, METHODS[1:])


def test_no_position_of_a_repertoire_costs_more_than_it_is_allowed():
    rng = random.Random(4)
    tight = 0
    for _ in range(1000):
        graph, own = random_graph(rng), rng.random() < 0.5
        chosen = [c and [rng.choice(c)] if graph.own[v] == own else c for v, c in enumerate(graph.children)]
        below = [set() for _ in chosen]
        for v in reversed(range(len(graph))):
            below[v] = set().union(*(below[child] for child in chosen[v])) or {v}
        reached = {0}
        for v, children in enumerate(chosen):
            if v in reached:
                reached.update(children)
        allowed = allowances(graph, own, len(below[0]))
        assert all(len(below[v]) <= allowed[v] for v in reached)
        tight += any(allowed[v] < allowed[0] for v in reached)
    assert tight > 100


@pytest.mark.slow
def test_all_methods_agree_on_thousands_of_random_graphs():
    check_against_brute_force(3, 3000, METHODS)


@pytest.mark.ci
@pytest.mark.parametrize("size", [40, 100])
def test_methods_agree_on_graphs_too_large_to_try_everything(size):
    rng = random.Random(size)
    for _ in range(60):
        graph = random_graph(rng, size)
        for own in (True, False):
            found = repertoire(graph, own)
            assert follows(graph, own, found)
            assert found.lines == repertoire_by_program(graph, own).lines


@pytest.mark.ci
@pytest.mark.parametrize("few", [64, 0])
def test_the_algebra_is_right_where_much_meets(few, monkeypatch):
    monkeypatch.setattr(algebra, "_FEW_TERMS", few)  # with 0 it searches from below
    rng = random.Random(6)
    for _ in range(60):
        graph = layered_graph(rng)
        for own in (True, False):
            found = repertoire(graph, own)
            assert follows(graph, own, found)
            assert found.lines == repertoire_by_program(graph, own).lines


@pytest.mark.parametrize("method", METHODS)
def test_one_smallest_set_a_position_is_not_enough(method):
    # own chooses in B1 between the single x and the pair c, d; B2 needs c and d anyway
    moves = {"r": ["o"], "o": ["B1", "B2"], "B1": ["x", "cd"], "B2": ["e"], "cd": ["c", "d"], "e": ["c", "d"]}
    own = dict.fromkeys(["r", "B1", "B2"], True)
    graph = graph_of(moves, lambda v: own.get(v, False))
    found = method(graph)
    assert found.lines == 2
    assert found.moves["B1"] == "cd"
    assert tree_lines(graph) == 3


def test_what_others_might_pay_for_is_not_free():
    # P moves to X (x and the shared s1, s2) or to Y (two leaves of its own); sharing costs Q one leaf too many
    moves = {"r": ["P", "Q"], "P": ["X", "Y"], "X": ["x", "S"], "Y": ["y1", "y2"], "Q": ["V", "z"], "V": ["S", "w"]}
    moves["S"] = ["s1", "s2"]
    graph = graph_of(moves, lambda v: v in ("P", "Q"))
    assert repertoire(graph).leaves == {"y1", "y2", "z"}
    del moves["V"], moves["Q"]
    moves["r"] = ["P", "S"]
    assert repertoire(graph_of(moves, lambda v: v == "P")).leaves == {"x", "s1", "s2"}


@pytest.mark.parametrize("method", METHODS)
def test_set_cover_of_depth_two_is_solved(method):
    sets = {"s1": {1, 2, 3}, "s2": {1, 4}, "s3": {2, 5}, "s4": {3, 6}, "s5": {4, 5, 6}}
    moves = {"r": ["all"], "all": list(range(1, 7))}
    moves |= {point: [name for name, points in sets.items() if point in points] for point in range(1, 7)}
    graph = graph_of(moves, lambda v: v != "all")
    found = method(graph)
    assert found.leaves == {"s1", "s5"}
    assert tree_lines(graph) == 6


def test_both_sides_have_their_numbers():
    graph = graph_of(WORKED)
    assert umigame_numbers(graph) == (3, 1)
    assert umigame_numbers(graph, transpositions=False) == (4, 2)


def test_a_single_position_is_one_line():
    graph = graph_of({"r": []})
    assert umigame_numbers(graph) == (1, 1)
    assert repertoire(graph).leaves == {"r"}
    assert [repertoire_by_families(graph).lines, repertoire_by_program(graph).lines] == [1, 1]


def test_trees_are_the_same_with_transpositions_and_without():
    rng = random.Random(4)
    for _ in range(100):
        tree = nx.random_labeled_tree(rng.randint(1, 60), seed=rng.randrange(10**9))
        graph = PositionGraph.from_networkx(nx.bfs_tree(tree, 0), 0)
        assert umigame_numbers(graph) == umigame_numbers(graph, transpositions=False)


def test_long_chains_do_not_exhaust_the_stack():
    n = 10_000
    moves = {i: [i + 1, -i - 1] for i in range(n)} | {-i: [i + 1] for i in range(1, n)}
    graph = PositionGraph.build(0, lambda v: moves.get(v, ()), lambda v: v % 2 == 0)
    assert repertoire(graph).lines >= 1
    chain = graph_of({i: [i + 1] for i in range(n)})
    assert repertoire(chain).moves[0] == 1


def test_a_ladder_of_transpositions_does_not_double_at_each_step():
    # 2^200 paths; one leaf
    moves = {i: [f"a{i}", f"b{i}"] for i in range(200)}
    moves |= {f"{side}{i}": [i + 1] for side in "ab" for i in range(200)}
    graph = graph_of(moves, lambda v: False)
    assert tree_lines(graph) == 2**200
    assert repertoire(graph).lines == 1


def hard_graph(points, sets, seed):
    rng = random.Random(seed)
    moves = {"r": range(points)}
    moves |= {p: [f"s{s}" for s in rng.sample(range(sets), 4)] for p in range(points)}
    return graph_of(moves, lambda v: v != "r")


def test_values_that_outgrow_their_limit_are_an_error_that_tells_what_is_known():
    graph = hard_graph(40, 40, 0)
    with pytest.raises(BudgetExceededError, match="more than 50 terms; the number is at least") as error:
        repertoire(graph, budget=Budget(50))
    assert (error.value.allowed, error.value.unit) == (50, "terms")


def test_time_is_limited_too():
    with pytest.raises(BudgetExceededError, match="second"):
        repertoire(hard_graph(60, 60, 0), budget=Budget(10**6, 0.2))
    with pytest.raises(BudgetExceededError, match="second"):
        minimal_repertoires(hard_graph(60, 60, 0), budget=Budget(None, 0.2))
    with pytest.raises(BudgetExceededError, match="second"):
        derivation(hard_graph(20, 20, 0), budget=Budget(10**15, 0.2))
    with pytest.raises(BudgetExceededError, match="more than 2,000 terms"):  # as `mines-dd umigame --help` says
        derivation(hard_graph(20, 20, 0))


@pytest.mark.parametrize("question", [repertoire, position_numbers])
def test_time_is_limited_where_no_value_has_many_terms(question):
    with pytest.raises(BudgetExceededError, match="not done after 0 seconds"):
        question(hard_graph(4, 8, 0), budget=Budget(timeout=0))


def test_numbers_of_all_positions_forget_what_meets_below(monkeypatch):
    held = []
    monkeypatch.setattr(Budget, "reserve", lambda self, size: held.append(size))
    monkeypatch.setattr(algebra, "_BYTES_AT_ONCE", 1000)
    ladder = PositionGraph.build(0, lambda n: [m for m in (n + 1, n + 2) if m <= 2000], lambda n: True)
    assert position_numbers(ladder) == [1] * 2001
    assert sum(held) < 3000  # 500,000 if nothing were forgotten


@pytest.mark.parametrize("backend", ["dd.cudd_zdd", "oxidd"])
def test_minimal_repertoires_are_all_of_them(backend):
    pytest.importorskip(backend)
    family = minimal_repertoires(graph_of(WORKED), backend=backend)
    assert set(family) == {frozenset({"l1", "l2", "A"})}  # W1 leads to q1 as well
    cover = minimal_repertoires(hard_graph(6, 6, 1), backend=backend)
    assert all(not one < other for one in cover for other in cover)
    assert cover.count() == len(set(cover)) > 3


def test_an_unknown_backend_is_an_error():
    with pytest.raises(MinesError, match="no ZDD backend 'cudd'"):
        minimal_repertoires(graph_of(WORKED), backend="cudd")


def test_nodes_of_the_families_are_limited():
    with pytest.raises(BudgetExceededError, match="nodes"):
        minimal_repertoires(hard_graph(30, 30, 0), budget=Budget(1000))


# Graphs and files. --------------------------------------------------------------------------------------------------


def test_graphs_are_made_of_what_can_be_reached():
    graph = PositionGraph.from_networkx(nx.DiGraph([("a", "b"), ("a", "c"), ("b", "d"), ("x", "b")]), "a")
    assert set(graph.labels) == set("abcd")
    assert graph.labels[0] == "a"
    assert all(child > v for v, children in enumerate(graph.children) for child in children)
    assert dict(zip(graph.labels, graph.own, strict=True)) == {"a": True, "b": False, "c": False, "d": True}


def test_who_is_to_move_is_said_by_true_and_false():
    given = nx.DiGraph([("a", "b")])
    nx.set_node_attributes(given, "opponent", "own")
    for make in (
        lambda: PositionGraph.from_networkx(given),
        lambda: PositionGraph.build("a", lambda v: "b" * (v == "a"), lambda v: None),
        lambda: PositionGraph(["a", "b"], ("own", "opponent"), [(1,), ()]),
    ):
        with pytest.raises(GraphFormatError, match="True or False for own"):
            make()
    assert PositionGraph(["a", "b"], (1, np.False_), [(1,), ()]).own == (True, False)


def test_networkx_graphs_may_say_who_is_to_move():
    given = nx.DiGraph([("a", "b"), ("b", "c"), ("b", "d")])
    nx.set_node_attributes(given, True, "own")
    assert umigame_numbers(PositionGraph.from_networkx(given)) == (1, 2)
    given.nodes["a"]["own"] = False
    assert umigame_numbers(PositionGraph.from_networkx(given)) == (2, 1)
    del given.nodes["b"]["own"]
    with pytest.raises(GraphFormatError, match="'b' does not say who is to move"):
        PositionGraph.from_networkx(given)


@pytest.mark.parametrize(
    ("edges", "message"),
    [
        ([("a", "b"), ("b", "c"), ("c", "b")], "circle: position 'b'"),
        ([("a", "b"), ("b", "c"), ("a", "c"), ("c", "d")], "'c' is reached after even and odd"),
        ([("a", "c"), ("b", "c")], r"2 positions have no move that leads to them \('a', 'b'\)"),
        ([("a", "b"), ("b", "a")], "every position has a move that leads to it"),
        ([("a", "a"), ("r", "a")], "circle: position 'a'"),
    ],
)
def test_graphs_that_are_no_games_are_refused(edges, message):
    with pytest.raises(GraphFormatError, match=message):
        PositionGraph.from_networkx(nx.DiGraph(edges))


def test_a_leaf_may_be_reached_after_even_and_odd_numbers_of_moves():
    graph = PositionGraph.from_networkx(nx.DiGraph([("a", "b"), ("b", "c"), ("a", "c")]))
    assert umigame_numbers(graph) == (1, 1)


def test_csv_and_json_hold_the_same_graph(tmp_path):
    (tmp_path / "a.csv").write_text("position,next\n" + csv_of(WORKED) + "\n", encoding="utf-8-sig")
    (tmp_path / "a.json").write_text(json.dumps({"moves": WORKED}))
    graphs = [read_graph(tmp_path / name) for name in ("a.csv", "a.json")]
    assert graphs[0].labels == graphs[1].labels
    assert graphs[0].children == graphs[1].children
    assert [umigame_numbers(graph) for graph in graphs] == [(3, 1), (3, 1)]
    assert umigame_numbers(read_graph(tmp_path / "a.csv", "B")) == (1, 3)


def test_fields_that_a_spreadsheet_leaves_empty_are_none():
    plain = parse_csv("position,next\na,b\nb,c\n")
    for text in ("position,next,mover\na,b,\nb,c,\n", "From,To,Mover\na,b,,\nb,c,,\n"):
        assert (parse_csv(text).labels, parse_csv(text).own) == (plain.labels, plain.own)
    with pytest.raises(GraphFormatError, match="line 2: a move"):
        parse_csv("a,b,\na,,\n")


def test_files_may_say_who_is_to_move():
    assert umigame_numbers(parse_csv("a,b,own\nb,c,own\nb,d,own\n")) == (1, 2)
    assert umigame_numbers(parse_csv("a,b,opponent\nb,c,own\nb,d,own\n")) == (2, 1)
    assert umigame_numbers(parse_json('{"moves": {"a": ["b"], "b": ["c", "d"]}, "own": ["a", "b"]}')) == (1, 2)
    assert umigame_numbers(parse_json('{"moves": {"a": ["b"], "b": ["c", "d"]}, "own": []}')) == (1, 2)
    assert umigame_numbers(parse_json('{"moves": {"a": ["b"], "b": ["c", "d"]}, "root": "b"}')) == (1, 2)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a,b\na\n", "line 2: a move is written"),
        ("a,b\na,,own\n", "line 2: a move is written"),
        ("a,b,black\n", "line 1: the mover is own or opponent, not 'black'"),
        ("a,b,own\na,c,opponent\n", "line 2: position 'a' had the other side"),
        ("a,b,own\nb,c\n", "position 'b' has no mover"),
        ("", "there are no moves"),
    ],
)
def test_bad_csv_names_the_place(text, message):
    with pytest.raises(GraphFormatError, match=message):
        parse_csv(text)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('{"moves": ', "line 1, character 11"),
        ("[" * 100_000, "JSON"),
        ("[]", "has to be"),
        ('{"moves": {"a": "b"}}', "list of texts"),
        ('{"moves": {"a": ["b"]}, "own": 3}', '"own" has to be'),
        ('{"moves": {"a": ["b"]}, "own": ["a", "A"]}', "position 'A' of \"own\" is in no move"),
        ('{"moves": {"a": ["b"]}, "root": 3}', '"root" has to be'),
        ('{"moves": {"a": ["b"]}, "root": "z"}', "no position 'z'"),
    ],
)
def test_bad_json_is_refused(text, message):
    with pytest.raises(GraphFormatError, match=message):
        parse_json(text)


@given(st.text(max_size=60), st.sampled_from([parse_csv, parse_json]))
def test_any_text_is_a_graph_or_an_error(text, parse):
    with contextlib.suppress(MinesError):
        assert len(parse(text)) >= 1


def test_files_that_cannot_be_read_are_an_error(tmp_path):
    with pytest.raises(MinesError, match="cannot read"):
        read_graph(tmp_path / "none.csv")
    (tmp_path / "a.csv").write_bytes(b"a,b\n\xff")
    with pytest.raises(GraphFormatError, match="line 2 has the byte 0xff"):
        read_graph(tmp_path / "a.csv")


# The command. -------------------------------------------------------------------------------------------------------


def run(*arguments):
    return CliRunner().invoke(umigame, [str(argument) for argument in arguments])


@pytest.mark.parametrize("method", ["algebra", "zdd", "program"])
def test_the_command_prints_the_numbers_and_what_to_play(tmp_path, method):
    path = tmp_path / "a.csv"
    path.write_text(csv_of(WORKED))
    lines = run(path, "--method", method, "--moves", "own").stdout.splitlines()
    assert lines[:3] == ["3:1", "without transpositions 4:2", "positions 13, leaves 4, confluences 2"]
    assert sorted(lines[3:]) == ["p3 -> B", "p4 -> q4", "r -> W2"]


def test_the_command_prints_json(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text(csv_of(WORKED))
    value = json.loads(run(path, "--json", "--moves", "opponent").stdout)
    assert value["lines"] == [3, 1]
    assert value["lines without transpositions"] == [4, 2]
    assert ["B", "A"] in value["moves"]


def test_options_of_books_are_refused_for_other_files(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text(csv_of(WORKED))
    assert isinstance(run(path, "--start", "f5").exception, MinesError)
    assert isinstance(run(path, "--root", "none").exception, MinesError)


def test_letters_of_a_derivation_are_no_names_of_positions():
    graph = parse_json('{"moves": {"a": ["b", "c"], "b": ["d", "e"], "c": ["d", "f"], "d": ["g"], "e": ["g"]}}')
    steps = derivation(graph).steps
    assert [line.partition("where ")[2] for line in steps if "where" in line] == ["h = 1", "i = h"]
    assert "c = i + 1 = 1 + i" in "\n".join(steps)
