"""Many at once: solves in threads and processes answer as they do alone."""

import multiprocessing
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from functools import cache

import networkx as nx
import pytest
from ways import METHODS, every_method

from mines_dd import Board, analyse, solve
from mines_dd.boardgames import dobutsu
from mines_dd.boardgames.retrograde_table import solve_rules
from mines_dd.frontier import Paths, build

# The first two differ in shape, so that one cannot pass for the other; of the last the answers have hundreds of bits.
BOARDS = [
    Board.random(9, 9, 0.2, 0.3, 1),
    Board.random(7, 12, 0.2, 0.4, 2),
    Board.random(16, 16, 0.2, 0.3, 3),
]
JOBS = [(method, number) for number in range(len(BOARDS)) for method in METHODS]
TIME = 120  # seconds after which a process that hangs is given up


def answers(job: tuple[str, int]) -> tuple:
    """What a user can ask of a board, by one method."""
    method, number = job
    board = BOARDS[number]
    family = solve(board, method)
    found = analyse(board)
    return (
        family.count(),
        family.probabilities(),
        family.counts_by_mines(),
        [sorted(mines) for mines in family.sample(3, seed=5)],
        [cost for cost, _ in family.cheapest({cell: 1 + sum(cell) % 3 for cell in family.cells}, 2)],
        found.count,
        found.exact,
    )


@cache
def alone() -> list[tuple]:
    return [answers(job) for job in JOBS]


def in_threads(function, items, threads: int = 2) -> list:
    """Run on all items, the threads beginning at the same moment and switching as often as can be."""
    ready = threading.Barrier(threads)
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-5)
    try:
        with ThreadPoolExecutor(threads, initializer=ready.wait) as pool:
            return list(pool.map(function, items, timeout=TIME))
    finally:
        sys.setswitchinterval(before)


@pytest.mark.ci
@every_method
def test_two_threads_answer_as_one(method):
    jobs = [job for job in JOBS if job[0] == method] * 3
    expected = alone()
    assert in_threads(answers, jobs) == [expected[JOBS.index(job)] for job in jobs]


@pytest.mark.ci
def test_threads_with_different_methods_answer_as_one():
    assert in_threads(answers, JOBS * 2, threads=4) == alone() * 2


@pytest.mark.ci
@every_method
def test_two_threads_may_ask_the_same_family(method):
    expected = solve(BOARDS[2], method)
    questions = {
        "count": lambda family: family.count(),
        "probabilities": lambda family: family.probabilities(),
        "mines": lambda family: family.counts_by_mines(),
        "sample": lambda family: family.sample(4, seed=1),
        "given": lambda family: family.given(mines=family.cells[:1]).count(),
        "nodes": lambda family: family.node_count,
        "drawing": lambda family: family.to_dot(),
    }
    right = {name: ask(expected) for name, ask in questions.items()}
    for _ in range(3):
        family = solve(BOARDS[2], method)  # nothing asked of it yet
        names = list(questions) * 2
        assert in_threads(lambda name, f=family: questions[name](f), names) == [right[name] for name in names]


@pytest.mark.ci
def test_threads_may_ask_the_same_top_down_diagram():
    spec = Paths(nx.grid_2d_graph(5, 5), (0, 0), (4, 4))
    known = build(spec)
    questions = {
        "count": lambda diagram: diagram.to_assignments().count(),
        "nodes": lambda diagram: diagram.reduced().node_count,
        "arcs": lambda diagram: diagram.arcs.tolist(),
        "ends": lambda diagram: diagram.ends,
        "states": lambda diagram: list(diagram.states()),
    }
    right = {name: ask(known) for name, ask in questions.items()}
    for _ in range(20):
        diagram = build(spec)  # nothing asked of it yet
        names = list(questions) * 2
        assert in_threads(lambda name, d=diagram: questions[name](d), names, 4) == [right[name] for name in names]


@pytest.mark.ci
@pytest.mark.usefixtures("interpreted_unless_asked")
def test_threads_may_check_the_same_solution():
    solution = solve_rules(dobutsu.RULES, dobutsu.key_of(dobutsu.read_position("l.. ... .G. L..", "G")))
    assert in_threads(lambda _: solution.wrong(), range(4), 4) == [0] * 4


@pytest.mark.filterwarnings("ignore:This process.*multi-threaded:DeprecationWarning")
@pytest.mark.parametrize("start", ["fork", pytest.param("spawn", marks=pytest.mark.slow)])
def test_processes_answer_as_one(start):
    if start not in multiprocessing.get_all_start_methods():
        pytest.skip(f"no {start} here")
    expected = alone()  # every package has been used here before the process is forked
    many = 1 if start == "spawn" else 2
    with multiprocessing.get_context(start).Pool(many) as pool:  # which ends processes that hang
        assert pool.map_async(answers, JOBS).get(TIME) == expected
