"""The command umigame."""

import json

from commands import POSITIONS, rows, run


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


def test_a_picture_is_saved_whatever_is_printed(tmp_path):
    for number, asked in enumerate((("--table", "moves"), ("--table", "positions"), ("--explain",), ())):
        picture = tmp_path / f"{number}.png"
        assert run("umigame", POSITIONS, *asked, "-o", str(picture)) == run("umigame", POSITIONS, *asked)
        assert picture.read_bytes().startswith(b"\x89PNG")
