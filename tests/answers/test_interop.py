"""Other packages' objects and texts: what goes out comes back, and counts stay the same."""

import doctest
import re
from itertools import product
from math import comb

import naive
import networkx as nx
import numpy as np
import pytest
from click.testing import CliRunner
from hypothesis import given, settings
from hypothesis import strategies as st

from mines_dd import Board, GraphFormatError, analyse, mine_graph, solve, subgraphs
from mines_dd.answers import interop
from mines_dd.base.errors import BoardFormatError, BudgetExceededError, InconsistentBoardError, MinesError
from mines_dd.cli.export import export
from mines_dd.constraints import cnf_opb
from mines_dd.constraints.cnf_opb import from_opb, to_cnf, to_opb
from mines_dd.constraints.graph import Instance

FIGURE_10 = Board.parse("####\n#22#\n#22#\n####")
SEEDS = st.integers(0, 10**6)
GRIDS = st.integers(1, 6).flatmap(
    lambda cols: st.lists(st.text("#F*012345678", min_size=cols, max_size=cols), min_size=1, max_size=6)
)


def source(seed: int):
    """A board, or a graph whose hints may allow several counts."""
    return naive.random_board(seed, 9) if seed % 2 else naive.random_instance(seed).to_graph()


def instance_of(source) -> Instance:
    return Instance.from_board(source) if isinstance(source, Board) else Instance.from_graph(source)


def cnf_models(text: str) -> set[frozenset[int]]:
    """The models of a DIMACS file, by trying everything; a model is the set of true variables."""
    lines = [line.split() for line in text.splitlines() if not line.startswith("c")]
    assert lines[0][:2] == ["p", "cnf"]
    n, m = map(int, lines[0][2:])
    clauses = [[int(x) for x in line] for line in lines[1:]]
    assert len(clauses) == m
    assert all(clause[-1] == 0 and 0 not in clause[:-1] for clause in clauses)
    assert all(abs(x) <= n for clause in clauses for x in clause)
    return {
        frozenset(i for i, value in enumerate(values, start=1) if value)
        for values in product((False, True), repeat=n)
        if all(any(values[abs(x) - 1] == (x > 0) for x in clause[:-1]) for clause in clauses)
    }


def opb_models(text: str) -> set[frozenset[int]]:
    """The models of an OPB file in the strict form that this package writes."""
    header, *lines = text.splitlines()
    n, m = map(int, re.fullmatch(r"\* #variable= (\d+) #constraint= (\d+)", header).groups())
    lines = [line for line in lines if not line.startswith("*")]
    assert len(lines) == m
    constraints = []
    for line in lines:
        left, relation, right = re.fullmatch(r"((?:[+-]1 x\d+ )+)(=|>=) (-?\d+) ;", line).groups()
        terms = [(int(a), int(x)) for a, x in re.findall(r"([+-]1) x(\d+)", left)]
        assert all(1 <= x <= n for _, x in terms)
        constraints.append((terms, relation, int(right)))
    models = set()
    for values in product((0, 1), repeat=n):
        sums = [(sum(a * values[x - 1] for a, x in terms), relation, right) for terms, relation, right in constraints]
        if all(total == right if relation == "=" else total >= right for total, relation, right in sums):
            models.add(frozenset(i for i, value in enumerate(values, start=1) if value))
    return models


def has_gap(allowed: list[int]) -> bool:
    return bool(allowed) and allowed != list(range(allowed[0], allowed[-1] + 1))


def as_cells(models, cells):
    return {frozenset(cells[i - 1] for i in model) for model in models}


@given(SEEDS)
@settings(max_examples=60)
def test_the_models_of_the_cnf_are_the_assignments(seed):
    this = source(seed)
    instance = instance_of(this)
    assert as_cells(cnf_models(to_cnf(this)), instance.cells) == naive.assignments(instance)


@given(SEEDS)
@settings(max_examples=60)
def test_the_models_of_the_opb_are_the_assignments_and_it_can_be_read_back(seed):
    this = source(seed)
    instance = instance_of(this)
    expected = naive.assignments(instance)
    if any(has_gap([k for k in row if k <= len(c)]) for row, c in zip(instance.allowed, instance.members, strict=True)):
        with pytest.raises(GraphFormatError, match="gap"):
            to_opb(this)
        return
    text = to_opb(this)
    if instance.cells:
        assert as_cells(opb_models(text), instance.cells) == expected
    family = solve(from_opb(text))
    names = [f"x{i}" for i in range(1, len(instance.cells) + 1)]
    read = {frozenset(instance.cells[names.index(name)] for name in mines) for mines in family}
    assert read == expected


def test_comments_say_which_cell_a_variable_is():
    board = Board.parse("#1\n##")
    for text, sign in ((to_cnf(board), "c"), (to_opb(board), "*")):
        assert [line for line in text.splitlines() if " = (" in line] == [
            f"{sign} x1 = (0, 0)",
            f"{sign} x2 = (1, 0)",
            f"{sign} x3 = (1, 1)",
        ]


def test_a_board_without_a_solution_has_no_model_even_without_cells():
    for text in ("3", "#3#", "*0"):
        board = Board.parse(text)
        assert cnf_models(to_cnf(board)) == set()
        assert opb_models(to_opb(board)) == set()
        assert solve(from_opb(to_opb(board))).count() == 0


def test_a_board_without_hints_has_one_model():
    assert cnf_models(to_cnf(Board.parse("##"))) == {frozenset()}
    assert solve(from_opb(to_opb(Board.parse("##")))).count() == 1


def test_a_cnf_of_too_many_clauses_is_refused_before_it_is_made():
    system = from_opb("".join(f"+1 x{i} " for i in range(1, 41)) + "= 20 ;")
    with pytest.raises(BudgetExceededError, match="262564816800 clauses") as raised:
        to_cnf(system)
    assert raised.value.unit == "clauses"
    assert solve(from_opb(to_opb(system))).count() == comb(40, 20)


@given(SEEDS)
@settings(max_examples=40)
def test_the_number_of_clauses_is_predicted(seed):
    instance = instance_of(source(seed))
    predicted = sum(map(cnf_opb._clause_count, map(len, instance.members), instance.allowed))
    if all(any(0 <= k <= len(c) for k in a) for c, a in zip(instance.members, instance.allowed, strict=True)):
        assert len(cnf_opb.clauses(instance)) == predicted


def test_a_hint_of_several_counts_is_bounded_from_both_sides_in_opb():
    text = to_opb(Instance.build("abc", ["h"], [[0, 1, 2]], [[1, 2]]).to_graph())
    assert {">= 1 ;", ">= -2 ;"} <= {line[line.find(">=") :] for line in text.splitlines()}
    assert solve(from_opb(text)).count() == 6


def test_opb_of_other_writers_is_read():
    text = (
        "* #variable= 4 #constraint= 3\n*\n1 x1 +1 x2\n  +1 x3 = 2 ; -1 x1 -1 x2 >= -1;\n* between\n+1 x1 +1 x2<=1;\n"
    )
    graph = from_opb(text)
    expected = [v for v in product((0, 1), repeat=4) if sum(v[:3]) == 2 and v[0] + v[1] <= 1]
    assert solve(graph).count() == len(expected) == 4  # x4 is free
    assert graph.nodes["c1"]["line"] == 3
    assert graph.nodes["c2"]["line"] == 4
    assert graph.nodes["c1"]["dc"] == {2}


@pytest.mark.parametrize(
    ("text", "line", "words"),
    [
        ("min: +1 x1 ;", 1, "objective"),
        ("* c\n+2 x1 +1 x2 = 1 ;", 2, "cardinality"),
        ("+1 x1 -1 x2 = 1 ;", 1, "cardinality"),
        ("\n\n+1 x1 +1 ~x2 = 1 ;", 3, "negated"),
        ("+1 x1 x2 = 1 ;", 1, "multiplied"),
        ("+1 x1 ~x2 = 1 ;", 1, "multiplied"),
        ("x1 = 1 ;", 1, "coefficient"),
        ("+1 y = 1 ;", 1, "no variable"),
        ("+1 x0 = 1 ;", 1, "no variable"),
        ("+1 = 1 ;", 1, "has no variable"),
        ("+a x1 = 1 ;", 1, "no coefficient"),
        ("+1 x1 > 1 ;", 1, "relation"),
        ("+1 x1 = one ;", 1, "relation"),
        ("+1 x1 ;", 1, "relation"),
        ("= 1 ;", 1, "relation"),
        (";", 1, "relation"),
        ("+1 x1 = 1 ;\n+1 x1\n+1 x2 = 1", 2, "semicolon"),
        ("+1 x1 +1 x1 = 1 ;", 1, "twice"),
        ("* #variable= 1 #constraint= 1\n+1 x2 = 1 ;", 2, "beyond"),
        ("* #variable= 1 #constraint= 2\n+1 x1 = 1 ;", 1, "complete"),
        ("* #variable= 99999999 #constraint= 0\n", 1, "at most"),
        (f"+1 x1 = {'9' * 6000} ;", 1, "too long"),
    ],
)
def test_what_is_no_cardinality_constraint_is_refused_by_line(text, line, words):
    with pytest.raises(GraphFormatError, match=rf"^line {line}: .*{words}"):
        from_opb(text)


def test_an_opb_file_cut_anywhere_is_refused():
    text = to_opb(FIGURE_10)
    assert solve(from_opb(text)).count() == 66
    for end in range(text.index("\n") + 1, len(text) - 1):
        with pytest.raises(GraphFormatError, match=r"^line "):
            from_opb(text[:end])


@given(st.text("*#variable= constraint+-1234567890x~;<>\n", max_size=60))
@settings(max_examples=300)
def test_any_text_is_an_opb_system_or_an_error(text):
    try:
        graph = from_opb(text)
    except GraphFormatError as error:
        message = str(error)
    else:
        message = f"line 1: {solve(graph).count()}"
    assert re.match(r"line \d+: ", message)


def test_large_bounds_are_read_exactly():
    text = "+1 x1 +1 x2 >= -1000000000000000000000 ;\n+1 x1 +1 x2 <= 99999999999999999999 ;"
    assert solve(from_opb(text)).count() == 4


@given(SEEDS, st.sampled_from(["bdd", "zdd", "dc", "tree"]), st.sampled_from(["autoref", "cudd", "cudd_zdd"]))
@settings(max_examples=60)
def test_families_go_to_a_dd_manager_and_come_back(seed, method, backend):
    module = pytest.importorskip(f"dd.{backend}")
    manager = module.ZDD() if backend == "cudd_zdd" else module.BDD()
    manager.declare("before")
    family = solve(naive.random_board(seed, 9), method)
    node = family.to_dd(manager)
    manager.declare("after")
    returned = interop.from_dd(node, family.cells)
    assert set(returned) == set(family)
    assert returned.cells == family.cells
    if family:
        assert returned.probabilities() == family.probabilities()
    assert returned.to_dot().startswith("digraph")
    del node, manager  # CUDD wants its nodes back before the manager


def test_what_is_no_node_of_dd_is_refused_in_a_sentence():
    manager = pytest.importorskip("dd.autoref").BDD()
    manager.declare("x0_0")
    for wrong in (manager, None, 5, [(0, 0)]):
        with pytest.raises(MinesError, match=f"a {type(wrong).__name__} is no node of a dd manager; give a node"):
            interop.from_dd(wrong, manager.var("x0_0"))


def test_a_free_variable_of_a_dd_function_is_free():
    from dd.autoref import BDD

    manager = BDD()
    manager.declare("a", "b", "c")
    family = interop.from_dd(manager.add_expr("a"), {"a": "A", "b": "B", "c": "C"})
    assert family.counts_by_mines() == {1: 1, 2: 2, 3: 1}
    assert interop.from_dd(manager.true, {"b": 1}).count() == 2
    assert interop.from_dd(manager.false, {"b": 1}).count() == 0
    assert interop.from_dd(~manager.add_expr("a & b"), {"c": 3, "a": 1, "b": 2}).count() == 6


def test_a_dd_function_of_other_variables_is_refused():
    from dd.autoref import BDD

    manager = BDD()
    manager.declare("a", "b")
    with pytest.raises(MinesError, match="'b', which is no cell's"):
        interop.from_dd(manager.add_expr("a & b"), {"a": 1})
    with pytest.raises(MinesError, match="no variable 'x0_7'"):
        interop.from_dd(manager.true, [(0, 7)])
    with pytest.raises(MinesError, match="same cell"):
        interop.from_dd(manager.true, {"a": 1, "b": 1})


def test_two_cells_of_one_name_are_refused():
    from dd.autoref import BDD

    graph = nx.Graph()
    graph.add_nodes_from([(0, 1), "0_1"], bipartite=0, dc={0, 1})
    graph.add_node("h", bipartite=1, dc={1})
    graph.add_edges_from([((0, 1), "h"), ("0_1", "h")])
    with pytest.raises(MinesError, match="would both be the variable x0_1"):
        solve(graph).to_dd(BDD())


@given(SEEDS)
@settings(max_examples=25)
def test_mine_assignments_are_the_degree_constrained_subgraphs_of_graphillion(seed):
    graphillion = pytest.importorskip("graphillion")
    board = naive.random_board(seed, 9)
    graph = mine_graph(board)
    family = solve(board)
    if not graph.edges:
        return
    graphillion.GraphSet.set_universe(list(graph.edges))
    graphs = interop.to_graphillion(family, {cell: graph.edges(cell) for cell in family.cells})
    assert graphs.len() == family.count()
    edges = {frozenset(map(frozenset, chosen)) for chosen in graphs}
    assert edges == {frozenset(frozenset(e) for cell in mines for e in graph.edges(cell)) for mines in family}
    returned = interop.from_graphillion(graphs)
    assert returned.count() == family.count()
    assert {frozenset(map(frozenset, chosen)) for chosen in returned} == edges


def test_subgraphs_go_to_graphillion_and_come_back():
    graphillion = pytest.importorskip("graphillion")
    grid = nx.grid_2d_graph(4, 4)
    nx.set_node_attributes(grid, {1}, "dc")
    family = subgraphs(grid)
    graphillion.GraphSet.set_universe(list(grid.edges))
    graphs = interop.to_graphillion(family)
    assert graphs == graphillion.GraphSet.perfect_matchings()
    returned = interop.from_graphillion(graphs)
    assert returned.count() == family.count() == 36
    assert {frozenset(map(frozenset, m)) for m in returned} == {frozenset(map(frozenset, m)) for m in family}
    for none in (graphillion.GraphSet([]), graphillion.GraphSet([[]])):
        assert interop.from_graphillion(none).count() == none.len()
    with pytest.raises(MinesError, match="universe"):
        interop.to_graphillion(solve(FIGURE_10))
    with pytest.raises(MinesError, match="no set of graphs"):
        interop.from_graphillion([1])


def test_sets_of_anything_come_from_graphillion():
    graphillion = pytest.importorskip("graphillion")
    graphillion.setset.set_universe(["a", "b", "c"])
    family = interop.from_graphillion(graphillion.setset([{"a", "c"}, set(), {"b"}]))
    assert set(family) == {frozenset("ac"), frozenset(), frozenset("b")}
    assert set(family.cells) == set("abc")


@given(GRIDS)
def test_boards_go_to_arrays_and_come_back(grid):
    board = Board(tuple(grid))
    array = interop.to_array(board)
    assert array.dtype == np.int8
    assert array.shape == board.size
    assert interop.from_array(array) == board
    assert interop.from_array(array.astype(np.uint64 if (array >= 0).all() else int).tolist()) == board


def test_the_coding_of_arrays():
    assert interop.to_array(Board(("#F*", "048"))).tolist() == [[-1, -2, 9], [0, 4, 8]]
    assert interop.from_array([[-1, 1, -1]], mines=1).mines == 1


@pytest.mark.parametrize(
    ("array", "words"),
    [
        ([[0, 1], [10, 1]], "10 at row 1, column 0"),
        ([[0, -3]], "-3 at row 0, column 1"),
        ([[2**40]], "row 0, column 0"),
        ([[0.0, 1.0]], "matrix of integers"),
        ([[True]], "matrix of integers"),
        ([0, 1], "1 dimensions"),
        ([[0, 1], [2]], "same length"),
        ([["#"]], "matrix of integers"),
        (np.zeros((0, 0), int), "at least one row"),
        (np.zeros((2, 0), int), "at least one row"),
    ],
)
def test_arrays_that_are_no_board_are_refused(array, words):
    with pytest.raises(BoardFormatError, match=words):
        interop.from_array(array)


def test_records_of_assignments_and_of_an_analysis():
    family = solve(FIGURE_10)
    table = interop.records(family)
    assert {(r["row"], r["column"]): r["exact"] for r in table} == family.probabilities()
    assert all(r["probability"] == float(r["exact"]) for r in table)
    found = analyse(FIGURE_10, mines=4)
    assert {(r["row"], r["column"]): r["exact"] for r in interop.records(found)} == found.exact
    named = interop.records(solve(from_opb("+1 x1 +1 x2 = 1 ;")))
    assert [record["cell"] for record in named] == ["x1", "x2"]
    with pytest.raises(InconsistentBoardError):
        interop.records(solve(Board.parse("#3#")))


NEEDS = {
    "to_cnf": "pyganak",
    "to_graphillion": "graphillion",
    "from_graphillion": "graphillion",
}


@pytest.mark.parametrize("name", NEEDS)
def test_documented_examples_run_where_the_package_is_installed(name):
    pytest.importorskip(NEEDS[name])
    module = cnf_opb if hasattr(cnf_opb, name) and name in cnf_opb.__all__ else interop
    (test,) = doctest.DocTestFinder(recurse=False).find(getattr(module, name), name, module, vars(module).copy())
    assert any(example.options.pop(doctest.SKIP, False) for example in test.examples)
    for example in test.examples:
        example.options.pop(doctest.SKIP, None)
    assert doctest.DocTestRunner().run(test).failed == 0


def test_a_model_counter_reads_the_cnf_of_a_large_board():
    pyganak = pytest.importorskip("pyganak")
    board = Board.random(12, 12, 0.2, 0.3, 5)
    family = solve(board)
    counter, mentioned = pyganak.Counter(), set()
    for line in to_cnf(board).splitlines():
        if line[0] not in "cp":
            clause = [int(x) for x in line.split()[:-1]]
            counter.add_clause(clause)
            mentioned |= set(map(abs, clause))
    assert int(counter.count()) << (len(family.cells) - len(mentioned)) == family.count()


def run(*args: str, text: str | None = None) -> bytes:
    done = CliRunner().invoke(export, args, input=text, catch_exceptions=False)
    assert done.exit_code == 0
    return done.stdout_bytes


def test_the_command_writes_each_form(tmp_path):
    file = tmp_path / "board.json"
    board = Board.from_layout(3, 3, [(0, 0), (2, 1)]).open(0, 2)
    file.write_text(board.to_json())
    name = str(file)
    assert run(name, "--format", "cnf") == to_cnf(board).encode()
    assert run(name, "--format", "opb") == to_opb(board).encode()
    assert run(name, "--format", "text").decode() == board.to_text()
    assert Board.parse(run(name, "--format", "json").decode()).layout == board.layout
    for form in ("npy", "mbf", "mine"):
        target = tmp_path / f"out.{form}"
        assert run(name, "--format", form, "--output", str(target)) == b""
        assert target.read_bytes() == run(name, "-f", form)
    assert interop.from_array(np.load(tmp_path / "out.npy"), board.mines) == board
    assert run(str(tmp_path / "out.mine"), "-f", "text").decode() == board.to_text()
    assert run(str(tmp_path / "out.mbf"), "-f", "text").decode() == Board.from_layout(3, 3, board.layout).to_text()


def test_the_command_says_what_is_wrong(tmp_path):
    with pytest.raises(MinesError, match="cannot read"):
        run(str(tmp_path / "missing"), "-f", "cnf")
    file = tmp_path / "board.txt"
    file.write_text("#1#\n")
    assert run(str(file), "-f", "text") == b"#1#\n"
    with pytest.raises(MinesError, match="cannot write"):
        run(str(file), "-f", "text", "-o", str(tmp_path / "no" / "folder"))
    with pytest.raises(MinesError, match="not known"):
        run(str(file), "-f", "mbf")
