"""Answers of the page: their numbers, their refusals, and input of any kind."""

import base64
import json

import naive
import pytest
from boards import CONFLICT, ROOT
from hypothesis import given, settings
from hypothesis import strategies as st

from mines_dd import Board
from mines_dd.board.files import board_or_replay
from mines_dd.board.replays import Replay, replay_of, to_rawvf
from mines_dd.serve.answers import FORMS, QUESTIONS, Limits, answer, uncertain

# Interpreted kernels hash with integers that wrap around.
pytestmark = [
    pytest.mark.filterwarnings("ignore:overflow encountered"),
    pytest.mark.usefixtures("interpreted_unless_asked"),
]

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


def test_only_what_is_certain_has_the_share_0_or_1():
    # A row of 99 hints 1 with two long chains: one cell is a mine in one of very many layouts.
    board = "mines: 60\n" + "\n".join(["#" * 60] * 59 + ["1" + "#" * 59])
    status, value = ask("analyse", board)
    assert status == 200
    certain = {*value["safe"], *value["mines"]}
    for r, row in enumerate(value["probability"]):
        for c, share in enumerate(row):
            assert share is None or (share in (0, 1)) == ((r, c) in certain)
    assert [uncertain(share) for share in (1e-300, 0.5, 1 - 1e-16)] == [1e-9, 0.5, 1 - 1e-9]


def test_the_numbers_of_a_cell_are_those_of_trying_everything():
    board = Board.parse("mines: 2\n#1###")
    status, value = ask("numbers", board.to_text(), cell=[0, 2])
    assert (status, value["numbers"]) == (200, [(0, 0.5), (1, 0.5)])
    assert ask("numbers", "#1#", cell=[0, 1])[0] == 422


def test_the_likelihood_of_totals():
    status, value = ask("totals", "#1###")
    assert (status, value["likeliest"]) == (200, [1, 2])
    # C(2, 1) layouts of a 1 beside 0, 1 or 2 mines in the sea of two cells, compared with C(5, total)
    shares = [2 * ways / cells for ways, cells in ((1, 5), (2, 10), (1, 10))]
    assert value["possible"] == 3
    assert [share for _, share in value["totals"]] == pytest.approx([share / max(shares) for share in shares])


@pytest.mark.parametrize("form", sorted(FORMS.keys() - {"mbf", "rawvf"}))
def test_a_board_is_exported_and_those_that_are_boards_read_again(form):
    board = "mines: 2\n#1F\n*20\n"
    status, value = ask("export", board, form=form)
    assert status == 200
    if form not in ("cnf", "opb"):
        status, read = answer("read", {"file": value["file"], "name": value["name"]}, LIMITS)
        assert (status, Board(tuple(read["board"]), read["total"])) == (200, Board.parse(board))
    assert ask("export", board, form="x")[0] == 400


def test_a_game_that_was_played_is_exported_and_read_again():
    layout = Board.from_layout(3, 4, [(0, 0), (2, 0)])
    clicks = [(2, 1, "r", 0), (0, 1, "l", 0.5), (2, 1, "r", 1.25), (0, 0, "r", 2), (0, 1, "l", 3.5)]
    seen = layout.open(0, 3).open(1, 0).to_json()
    files = {}
    for form in ("mbf", "rawvf", "json"):
        status, value = ask("export", seen, form=form, clicks=[part for click in clicks for part in click])
        assert status == 200
        files[form] = value["name"], base64.b64decode(value["file"])
    for name, data in files.values():
        read = board_or_replay(name, data)
        assert (read.board if isinstance(read, Replay) else read).layout == layout.layout
    replay = replay_of(files["rawvf"][1].decode())
    assert [(move.time, move.cell, move.chord) for move in replay.moves] == [(0.5, (0, 1), False), (3.5, (0, 1), True)]
    assert replay.board.grid == ("F100", "2200", "#100")
    name, data = files["rawvf"]
    value = ask("read", "", file=base64.b64encode(data).decode(), name=name)[1]
    assert (value["board"], value["first"]) == (["F100", "2200", "#100"], ["####", "####", "#F##"])
    assert [move["cell"] for move in value["moves"]] == [(0, 1), (0, 1)]
    assert value["moves"][0]["changes"] == [((0, 0), "F"), ((0, 1), "1"), ((2, 1), "#")]
    assert [ask("export", "#1#", form=form)[0] for form in ("mbf", "rawvf")] == [400, 400]  # nobody knows the mines


@pytest.mark.ci
def test_all_moves_of_a_long_game_are_read():
    side = 60
    layout = Board.from_layout(side, side, [(r, c) for r in range(side) for c in range(side) if (r + c) % 2])
    clicks = [(r, c) for r in range(side) for c in range(side) if not (r + c) % 2]
    file = base64.b64encode(to_rawvf(layout, clicks).encode()).decode()
    status, value = answer("read", {"file": file, "name": "long.rawvf"}, LIMITS)
    assert (status, [move["cell"] for move in value["moves"]]) == (200, clicks)
    grid = [list(row) for row in value["first"]]
    for move in value["moves"]:
        for (r, c), character in move["changes"]:
            grid[r][c] = character
    assert ["".join(row) for row in grid] == value["board"]
    assert len(json.dumps(value)) < 150_000


@pytest.mark.parametrize(
    "clicks",
    ["x", [1], [0, 0, "m", 1.0], [0, 0, "l", float("inf")], [0, 0, "l", float("nan")], [0, 0, "l", "1"], [[0]] * 4],
)
def test_clicks_that_are_none_are_refused(clicks):
    status, value = ask("export", Board.from_layout(1, 3, [(0, 0)]).to_json(), form="rawvf", clicks=clicks)
    assert (status, value["kind"]) == (400, "format")
    assert "clicks" in value["error"]


@pytest.mark.parametrize("values", [{"file": "?"}, {"file": 3}, {"file": "MQ==", "name": 3}, {"file": "eA=="}])
def test_a_file_that_is_no_board_is_refused(values):
    assert answer("read", values, LIMITS)[0] == 400


@pytest.mark.parametrize("no_guess", [False, True])
def test_a_game_is_dealt_around_its_first_cell(no_guess):
    game = {"rows": 9, "cols": 9, "mines": 10, "first": [0, 0], "rule": "zero", "seed": 5, "no_guess": no_guess}
    status, value = answer("deal", game, LIMITS)
    assert (status, len(value["layout"])) == (200, 10)
    assert not {(0, 0), (0, 1), (1, 0), (1, 1)} & set(value["layout"])
    assert answer("deal", game, LIMITS)[1] == value
    for wrong in ({"mines": 80}, {"rows": 0}, {"first": [9, 0]}, {"seed": "1"}, {"mines": 81}, {"difficulty": [1]}):
        assert answer("deal", {**game, **wrong}, LIMITS)[0] in (400, 422)


def test_games_are_as_large_as_boards_unless_they_need_no_guess():
    game = {"rows": 100, "cols": 100, "mines": 2000, "first": [50, 50], "rule": "zero", "seed": 5, "no_guess": False}
    status, value = answer("deal", game, LIMITS)
    assert (status, len(value["layout"])) == (200, 2000)
    status, value = answer("deal", {**game, "no_guess": True}, LIMITS)
    assert (status, value["error"]) == (
        400,
        "A board that needs no guess has at most 1,000 cells, not 10,000; take fewer rows or columns.",
    )


@pytest.mark.ci
def test_a_game_without_guesses_is_as_hard_as_was_asked():
    game = {"rows": 9, "cols": 9, "mines": 10, "first": [4, 4], "rule": "zero", "seed": 5}
    for difficulty in ("easy", "hard"):
        assert (
            answer("deal", {**game, "no_guess": True, "difficulty": difficulty}, LIMITS)[1]["difficulty"] == difficulty
        )
    assert answer("deal", {**game, "no_guess": True}, LIMITS)[1]["difficulty"] in ("easy", "medium", "hard")
    assert answer("deal", {**game, "difficulty": "hard"}, LIMITS)[1]["difficulty"] is None


def test_a_search_for_a_board_without_guesses_goes_on_where_it_ended():
    game = {"rows": 9, "cols": 9, "mines": 15, "first": [4, 4], "seed": 5, "no_guess": True, "difficulty": "easy"}
    whole, limits = answer("deal", game, LIMITS)[1], Limits(seconds=0)
    found, pieces = {"layout": None, "tried": 0}, 0
    while found["layout"] is None:
        found = answer("deal", {**game, "tried": found["tried"]}, limits)[1]
        pieces += 1
    assert (found, pieces) == (whole, 13)
    status, value = answer("deal", {**game, "mines": 60, "tried": 100_000}, limits)
    assert (status, value["error"]) == (
        422,
        "None of 100,000 boards is without guesses and easy; take fewer mines or another difficulty.",
    )


def test_advice_on_the_first_cell_is_that_of_the_games_rule():
    board = "mines: 10\n" + "\n".join(["#" * 9] * 9)
    moves = {rule: ask("analyse", board, rule=rule)[1]["move"] for rule in ("safe", "zero", "none")}
    assert moves == {"safe": [0, 0], "zero": [2, 2], "none": [0, 0]}
    status, value = ask("analyse", board, rule=["zero"])
    assert (status, value["kind"]) == (400, "format")


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


@settings(max_examples=100)
@given(
    st.dictionaries(
        st.sampled_from(["board", "cell", "file", "form", "rows", "first", "x"]),
        st.none() | st.integers() | SCRAPS,
        min_size=1,
    )
)
def test_nothing_that_is_sent_makes_the_server_fail(values):
    for question in QUESTIONS:
        status, value = answer(question, values, Limits())
        assert status in (200, 400, 422)
        json.dumps(value).encode()


def test_too_many_nodes_are_refused_before_they_are_made():
    board = (ROOT / "data" / "paper_30x30_30_50.txt").read_text()
    status, value = ask("analyse", board, Limits(nodes=10))
    assert (status, value["kind"]) == (422, "budget")
    assert "table entries and 10 are allowed" in value["error"]
    assert ask("read", board, Limits(nodes=10))[0] == 200


def test_the_risk_of_a_chord_is_that_of_all_its_cells():
    """One of three cells around the 1 is a mine; the player has flagged the one in the corner."""
    chord = [1, 1, 0, 1, 1, 0]
    assert ask("analyse", "mines: 1\nF#\n#1", chord=chord)[1]["chord_risk"] == 0.666667
    assert ask("analyse", "mines: 1\nF#\n#1")[1]["chord_risk"] is None
    for wrong in (3, [], [1, 1], [1, 1, 3], [[1, 1], [0, 1], [0, 0], [1, 0]]):
        assert ask("analyse", "mines: 1\nF#\n#1", chord=wrong)[0] == 400
    outside = [9, 9, 7, 7]
    assert ask("analyse", "mines: 1\nF#\n#1", chord=outside)[0] == 422
