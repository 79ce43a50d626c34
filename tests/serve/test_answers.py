"""Answers of the page: their numbers, their refusals, and input of any kind."""

import json

import naive
import pytest
from boards import CONFLICT, ROOT
from hypothesis import given, settings
from hypothesis import strategies as st

from mines_dd import Board
from mines_dd.serve.answers import Limits, answer

LIMITS = Limits()


def ask(question: str, board: str, limits: Limits = LIMITS, **values) -> tuple[int, dict]:
    return answer(question, {"board": board, **values}, limits)


def test_an_analysis_agrees_with_trying_everything():
    for seed in range(40):
        board = naive.random_board(seed)
        instance = naive.Instance.from_board(Board(board.grid))
        family = naive.assignments(instance)
        status, value = ask("analyse", Board(board.grid).to_text())
        if not family:
            assert (status, value["kind"]) == (422, "conflict")
            continue
        assert (status, value["count"], value["total"]) == (200, str(len(family)), None)
        exact = naive.probabilities(instance.cells, family)
        for (r, c), share in exact.items():
            assert value["probability"][r][c] == pytest.approx(float(share), abs=1e-6)
        assert value["safe"] == sorted(cell for cell, share in exact.items() if share == 0)
        assert value["mines"] == sorted(cell for cell, share in exact.items() if share == 1)
        assert value["safest"] is None or exact[value["safest"]] == min(exact.values())


def test_a_certain_cell_is_proved_and_another_counted():
    status, value = ask("explain", "####\n1221\n0000", cell=[0, 1])
    assert (status, value["verdict"], value["needs_total"]) == (200, "mine", False)
    assert value["hints"]
    status, value = ask("explain", "#1#", cell=[0, 0])
    assert (value["verdict"], value["with_mine"], value["without"], value["probability"]) == (
        "open question",
        "1",
        "1",
        0.5,
    )


def test_numbers_in_conflict_are_named():
    status, value = ask("analyse", CONFLICT)
    assert (status, value["kind"], value["hints"]) == (422, "conflict", [(1, 1), (1, 3), (1, 4)])


@pytest.mark.parametrize(
    ("board", "sentence"),
    [
        ("", "The board is empty"),
        ("#1x", "Line 1, character 3"),
        ("mines: 9\n#1#", "mines: 9 is impossible"),
        ("#" * 101, "at most 100x100"),
        ("#\n" * 101, "at most 100x100"),
        ('{"board": 3}', "list of rows"),
    ],
)
def test_a_board_that_cannot_be_taken_says_why(board, sentence):
    for question in ("read", "analyse"):
        status, value = ask(question, board)
        assert (status, value["kind"]) == (400, "format")
        assert sentence in value["error"]


@pytest.mark.parametrize("cell", [None, 3, [0], [0, 1, 2], ["0", "1"], [0.0, 0.0], [True, False], {"0": 1}])
def test_a_cell_of_another_form_is_refused(cell):
    assert ask("explain", "#1#", cell=cell)[0] == 400


@pytest.mark.parametrize("cell", [[0, 1], [-1, 0], [0, 10**30]])
def test_a_cell_that_is_not_closed_or_not_there_is_refused(cell):
    assert ask("explain", "#1#", cell=cell)[0] == 422


SCRAPS = st.text('#012F*/ \n.{}[]":é\ud800')


@settings(max_examples=200)
@given(
    st.dictionaries(
        st.sampled_from(["board", "cell", "x"]),
        st.none() | st.integers() | SCRAPS,
        min_size=1,
    )
)
def test_nothing_that_is_sent_makes_the_server_fail(values):
    for question in ("read", "analyse", "explain"):
        status, value = answer(question, values, Limits())
        assert status in (200, 400, 422)
        json.dumps(value).encode()


def test_too_many_nodes_are_refused_before_they_are_made():
    board = (ROOT / "data" / "paper_30x30_30_50.txt").read_text()
    status, value = ask("analyse", board, Limits(nodes=10))
    assert (status, value["kind"]) == (422, "budget")
    assert "table entries and 10 are allowed" in value["error"]
    assert ask("read", board, Limits(nodes=10))[0] == 200
