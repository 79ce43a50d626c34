"""CNF and OPB: their models are the assignments, and any OPB text is a system or an error."""

import re
from itertools import product
from math import comb

import naive
import pytest
from boards import FIGURE_10, SEEDS
from hypothesis import given, settings
from hypothesis import strategies as st

from mines_dd import Board, GraphFormatError, solve
from mines_dd.base.errors import BudgetExceededError
from mines_dd.constraints import cnf_opb
from mines_dd.constraints.cnf_opb import clauses, from_opb, to_cnf, to_opb
from mines_dd.constraints.graph import Instance


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


@pytest.mark.parametrize("written", [to_cnf, to_opb])
def test_a_comment_says_that_the_total_is_left_out(written):
    total = "the total number of mines, 2, is no constraint here"
    assert total in written(Board.parse("mines: 2/#1###"))
    assert "total" not in written(Board.parse("#1###"))


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
    with pytest.raises(BudgetExceededError, match="262,564,816,800 clauses") as raised:
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
@settings(max_examples=100)
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


def test_clauses_have_the_assignments_as_their_models():
    for seed in range(60):
        instance = naive.random_instance(seed) if seed % 2 else Instance.from_board(naive.random_board(seed, 10))
        n = len(instance.cells)
        models = sum(
            all(any(values[abs(x) - 1] == (x > 0) for x in clause) for clause in clauses(instance))
            for values in product((False, True), repeat=n)
        )
        assert models == len(naive.assignments(instance))
