"""The command umigame."""

import json

import pytest
from commands import POSITIONS, rows, run

from mines_dd.boardgames.edax_book import EdaxBook
from mines_dd.boardgames.edax_making import mobility_book


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


@pytest.mark.ci
def test_a_picture_is_saved_whatever_is_printed(tmp_path):
    for number, asked in enumerate((("--table", "moves"), ("--table", "positions"), ("--explain",), ())):
        picture = tmp_path / f"{number}.png"
        assert run("umigame", POSITIONS, *asked, "-o", str(picture)) == run("umigame", POSITIONS, *asked)
        assert picture.read_bytes().startswith(b"\x89PNG")


@pytest.mark.ci
def test_an_explanation_calls_positions_by_their_moves(tmp_path):
    book = tmp_path / "small.dat"
    book.write_bytes(mobility_book(4, loss=0))
    assert "depth 2: d3 = 1\ndepth 1: start = 1\n" in run("umigame", str(book), "--explain")
    for limit in (("--timeout", "0"), ("--max-nodes", "1")):
        assert "or explain a smaller part" in run("umigame", POSITIONS, "--explain", *limit, code=3)


def test_a_program_has_no_nodes_to_limit():
    limited = "umigame", POSITIONS, "--max-nodes", "1", "--method"
    assert "--max-nodes is for algebra and zdd" in run(*limited, "program", code=2)
    assert "nodes and 1 is allowed" in run(*limited, "zdd", code=3)


def test_the_lines_say_where_they_begin():
    printed = run("umigame", POSITIONS, "--lines", "own").splitlines()
    assert printed[3:5] == ["from r:", "  1  1. W2 p3 2. B l1"]


def test_own_is_who_the_file_calls_own_also_where_the_opponent_moves_first():
    text = "start,e4,opponent\nstart,d4,opponent\ne4,e5,own\ne4,c5,own\nd4,d5,own\n"
    printed = run("umigame", "-", "--lines", "own", "--moves", "own", text=text).splitlines()
    assert printed[0] == "1:2"  # who moves first comes first, here the opponent
    assert printed[3:] == ["d4 -> d5", "e4 -> e5", "from start:", "  1  1. e4 e5", "  2  1. d4 d5"]
    assert [(r["side"], r["lines"]) for r in rows(run("umigame", "-", "--csv", text=text))] == [
        ("opponent", "1"),
        ("own", "2"),
    ]
    table = {
        r["position"]: list(r.values())[1:]
        for r in rows(run("umigame", "-", "--table", "positions", "--csv", text=text))
    }
    assert (table["start"], table["e4"], table["e5"]) == (["opponent", "2", "1"], ["own", "1", "2"], ["-", "1", "1"])
    assert run("umigame", "-", "--root", "e4", text=text).splitlines()[0] == "1:2"
    assert "  1  1. e5" in run("umigame", "-", "--root", "e4", "--lines", "own", text=text)


def test_what_would_not_be_printed_is_refused(tmp_path):
    assert "print no --moves or --lines" in run("umigame", POSITIONS, "--table", "moves", "--lines", "own", code=2)
    assert "two different things" in run("umigame", POSITIONS, "--table", "moves", "--explain", code=2)
    assert "--method is for the two numbers" in run("umigame", POSITIONS, "--explain", "--method", "zdd", code=2)
    drawn = ("--table", "moves", "--lines", "opponent", "-o", str(tmp_path / "opponent.png"))
    assert run("umigame", POSITIONS, *drawn) == run("umigame", POSITIONS, "--table", "moves")
    both = ("umigame", POSITIONS, "--moves", "own", "--lines", "own")
    assert "--csv prints one table" in run(*both, "--csv", code=2)
    assert {"moves", "learn"} <= json.loads(run(*both, "--json")).keys()


def test_a_file_without_moves_or_without_a_root_is_refused():
    assert "there are no moves" in run("umigame", "-", text="", code=2)
    assert "every position has a move that leads to it" in run("umigame", "-", text="a,b\nb,a\n", code=2)


@pytest.mark.parametrize("command", ["retrograde", "umigame"])
def test_the_help_says_which_heading_a_file_of_moves_may_have(command):
    assert "a heading position,next or from,to may come first" in " ".join(run(command, "--help").lower().split())


def test_what_a_file_holds_is_told_by_its_content_and_not_by_its_name(tmp_path):
    book = EdaxBook({}).to_bytes()
    for name, content, expected in (
        ("moves", b"a,b\na,c\n", "1:2\n"),
        ("graph.txt", b'{"moves": {"a": ["b", "c"]}}', "1:2\n"),
        ("book.csv", book, "the book does not hold the position"),
        ("broken.dat", b"XADEKOON\xff" + book[8:], "an opening book of Edax begins with XADEKOOB"),
        ("ended", book[:20], "byte 20: the file ends within its head"),
    ):
        path = tmp_path / name
        path.write_bytes(content)
        assert expected in run("umigame", str(path), code=0 if ":" in expected[:2] else 2), name
    (tmp_path / "game").write_text('{"moves": {"a": ["b"]}}')
    assert "a           win" in run("retrograde", str(tmp_path / "game"))


def test_half_of_a_character_is_no_name():
    text = '{"moves": {"\\ud800": ["b"]}}'
    for command in ("umigame", "retrograde"):
        assert "half of a character" in run(command, "-", text=text, code=2)
