import contextlib
import json
from itertools import combinations, product

import numpy as np
import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st

from mines_dd.base.budget import Budget
from mines_dd.base.errors import BoardFormatError, BudgetExceededError, MinesError
from mines_dd.base.jit import kernel
from mines_dd.boardgames import go_strings
from mines_dd.boardgames.go_board import GoBoard, read_go_board, save_picture
from mines_dd.boardgames.go_program import centre_patterns, cuts, fewest_empty_relaxed, solve_program
from mines_dd.boardgames.go_strings import boards, maximum_strings
from mines_dd.cli.strings import strings

# Miyashiro, Yano, Muramatsu 2008; from n = 20 on n² - floor((n + 2)² / 5) + 4 (Gonçalves, Pinlou, Rao, Thomassé 2011).
PUBLISHED = dict(
    zip(range(2, 20), (2, 6, 12, 18, 26, 37, 48, 61, 76, 92, 109, 129, 149, 172, 196, 221, 248, 277), strict=True)
)


def dominates(n, empty):
    return all(empty & {(r, c), (r - 1, c), (r + 1, c), (r, c - 1), (r, c + 1)} for r, c in product(range(n), repeat=2))


def dominating_sets(n, size):
    points = list(product(range(n), repeat=2))
    return {frozenset(s) for s in combinations(points, size) if dominates(n, set(s))}


def most_strings_by_the_rules(n):
    """Try every colouring of the board; nothing of theorem 1 in it."""
    best = 0
    for points in product("#XO", repeat=n * n):
        board = GoBoard(tuple("".join(points[r * n : r * n + n]) for r in range(n)))
        found = board.strings()
        if len(found) > best and all(string.liberties for string in found):
            best = len(found)
    return best


@kernel
def most_strings(points, n):
    """The same, compiled: boards are numbers in base 3, the first stone is black."""
    size = n * n
    colour = np.zeros(size, np.int64)
    seen = np.zeros(size, np.int64)
    stack = np.zeros(size, np.int64)
    best = 0
    for code in range(points):
        rest = code
        for i in range(size):
            colour[i] = rest % 3
            rest //= 3
            seen[i] = 0
        found = 0
        for start in range(size):
            if colour[start] == 0 or seen[start] == 1:
                continue
            found += 1
            stack[0] = start
            seen[start] = 1
            top, liberties = 1, 0
            while top > 0:
                top -= 1
                i = stack[top]
                for k in range(4):
                    if k == 0 and i >= n:
                        j = i - n
                    elif k == 1 and i < size - n:
                        j = i + n
                    elif k == 2 and i % n > 0:
                        j = i - 1
                    elif k == 3 and i % n < n - 1:
                        j = i + 1
                    else:
                        continue
                    if colour[j] == 0:
                        liberties += 1
                    elif colour[j] == colour[i] and seen[j] == 0:
                        seen[j] = 1
                        stack[top] = j
                        top += 1
            if liberties == 0:
                found = -1
                break
        best = max(best, found)
    return best


@pytest.mark.parametrize("n", [1, 2])
def test_no_board_has_more_strings_by_the_rules_alone(n):
    assert maximum_strings(n).strings == most_strings_by_the_rules(n)


@pytest.mark.ci
def test_no_3x3_board_has_more_strings_by_the_rules_alone():
    assert most_strings.run(10**9, 3**9, 3) == maximum_strings(3).strings == 6


@pytest.mark.slow
def test_no_4x4_board_has_more_strings_by_the_rules_alone():
    assert most_strings.run(10**9, 3**16, 4) == maximum_strings(4).strings == 12


@pytest.mark.parametrize("n", [*range(2, 10), *(pytest.param(n, marks=pytest.mark.ci) for n in range(10, 18))])
def test_the_published_maximum_with_a_board_that_is_legal_and_has_it(n):
    found = maximum_strings(n)
    assert found.strings == PUBLISHED[n]
    assert found.board.is_legal()
    assert len(found.board.strings()) == PUBLISHED[n]


@pytest.mark.slow
@pytest.mark.parametrize("n", range(18, 23))
def test_large_boards_reach_the_known_maximum(n):
    found = maximum_strings(n)
    assert found.strings == n * n - (n + 2) ** 2 // 5 + 4
    assert found.board.is_legal()
    assert len(found.board.strings()) == found.strings


@pytest.mark.parametrize("width", [1, 2, 3, 5])
def test_narrow_strips_lose_nothing(monkeypatch, width):
    monkeypatch.setattr(go_strings, "_STRIP", width)
    for n in range(1, 2 * width + 4 if width < 5 else 12):
        assert maximum_strings(n).strings == PUBLISHED.get(n, 0)


@pytest.mark.parametrize("n", [1, 2, 3, 4])
@pytest.mark.parametrize("fewer", [0, 1, 2])
def test_the_boards_are_the_dominating_sets_of_that_size(n, fewer):
    size = n * n - maximum_strings(n).strings + fewer
    assert set(boards(n, fewer)) == dominating_sets(n, size)


@pytest.mark.parametrize(("n", "plain", "cut"), [(5, (22, 1545), (7, 437)), (6, (288, 20896), (64, 4745))])
def test_table_2(n, plain, cut):
    assert tuple(boards(n, fewer).count() for fewer in (0, 1)) == plain
    assert tuple(boards(n, fewer, with_cuts=True).count() for fewer in (0, 1)) == cut


def test_the_cuts_keep_exactly_the_boards_that_satisfy_them():
    kept = {
        empty
        for empty in boards(5, 1)
        if all(sum(w for point, w in cut.weights.items() if point in empty) >= cut.least for cut in cuts(5))
    }
    assert set(boards(5, 1, with_cuts=True)) == kept


def test_every_listed_and_sampled_board_is_legal_and_has_its_strings():
    family = boards(6, 1)
    for empty in family.sample(20, seed=1):
        board = GoBoard.alternating(6, empty)
        assert board.is_legal()
        assert len(board.strings()) == 25
        assert empty in family


def test_the_diagram_is_reduced():
    diagram = boards(6).diagram
    nodes = list(zip(diagram.level[2:], diagram.low[2:], diagram.high[2:], strict=True))
    assert len(set(nodes)) == len(nodes)
    assert not (diagram.high[2:] == 0).any()


@given(st.integers(2, 4).flatmap(lambda n: st.lists(st.text("#XO", min_size=n, max_size=n), min_size=n, max_size=n)))
def test_strings_partition_the_stones_and_touch_their_liberties(rows):
    board = GoBoard(tuple(rows))
    stones = [point for string in board.strings() for point in string.stones]
    assert sorted(stones) == [(r, c) for r, row in enumerate(rows) for c, x in enumerate(row) if x != "#"]
    for string in board.strings():
        near = {(r + i, c + j) for r, c in string.stones for i, j in ((0, 1), (1, 0), (0, -1), (-1, 0))}
        inside = {(r, c) for r, c in near if 0 <= r < len(rows) and 0 <= c < len(rows)}
        assert string.liberties == {(r, c) for r, c in inside if rows[r][c] == "#"}
        assert not {(r, c) for r, c in inside - string.stones if rows[r][c] == string.colour}


def test_a_string_without_a_liberty_is_illegal():
    corner = GoBoard.parse("XO#\nOO#\n#XX")
    assert [(string.colour, len(string.stones)) for string in corner.strings()] == [("X", 1), ("O", 3), ("X", 2)]
    assert not corner.is_legal()
    assert GoBoard.parse("#O#\nOO#\n#XX").is_legal()


def test_sgf_sets_up_every_stone_once():
    record = GoBoard.parse("#XO\nO#X\nXO#").to_sgf()
    assert "SZ[3]" in record
    assert "AB[ba][cb][ac]" in record
    assert "AW[ca][ab][bc]" in record


@pytest.mark.parametrize(
    ("text", "where"), [("#X\nO", "line 2: .* this has 1"), ("#X\nO?", "line 2, character 2"), ("#1#", "character 2")]
)
def test_a_bad_board_says_where(text, where):
    with pytest.raises(BoardFormatError, match=where):
        GoBoard.parse(text)


def test_what_is_out_of_range_is_refused():
    for n in (0, 35):
        with pytest.raises(MinesError, match="1 to 34"):
            maximum_strings(n)
    with pytest.raises(MinesError, match="fewer"):
        boards(3, -1)
    with pytest.raises(MinesError, match="too many to count"):
        boards(9, 50)
    with pytest.raises(MinesError, match="the most strings on 3 x 3 points are 6; no board has 9000 fewer"):
        boards(3, 9000)


def test_limits_are_kept():
    with pytest.raises(BudgetExceededError):
        maximum_strings(12, budget=Budget(max_nodes=100))
    with pytest.raises(BudgetExceededError):
        boards(6, 1, budget=Budget(max_nodes=100))


@pytest.mark.parametrize("formulation", [2, 3])
def test_the_0_1_programs_find_the_same(formulation):
    pytest.importorskip("highspy")
    for n in range(2, 8):
        found = solve_program(n, formulation)
        assert found.strings == PUBLISHED[n]
        assert found.board.is_legal()
        assert len(found.board.strings()) == PUBLISHED[n]


def test_the_picture_is_saved(tmp_path):
    pytest.importorskip("matplotlib")
    save_picture(tmp_path / "board.png", maximum_strings(5).board)
    assert (tmp_path / "board.png").stat().st_size > 1000
    with pytest.raises(MinesError, match="cannot draw"):
        save_picture(tmp_path / "board.txt.unknown", maximum_strings(2).board)


def test_the_command_prints_the_number_and_then_the_board(tmp_path):
    assert "--cuts is for --count" in CliRunner().invoke(strings, ["5", "--cuts"]).output
    result = CliRunner().invoke(strings, ["5", "--sgf", str(tmp_path / "5.sgf"), "--count", "1", "--cuts"])
    first, *board, count = result.stdout.splitlines()
    assert (first, len(board), count) == ("18", 5, "437")
    assert len(GoBoard(tuple(board)).strings()) == 18
    assert (tmp_path / "5.sgf").read_text() == GoBoard(tuple(board)).to_sgf()


def test_the_command_prints_json():
    value = json.loads(CliRunner().invoke(strings, ["6", "--json", "--count", "0"]).stdout)
    assert (value["n"], value["strings"], value["boards"]) == (6, 26, 288)
    assert GoBoard(tuple(value["board"])).is_legal()


FIGURE_1 = "X#O\n#X#\nO##", "OX#\nX#X\n#XO"


def test_figure_1_a_feasible_and_an_infeasible_board():
    feasible, infeasible = map(GoBoard.parse, FIGURE_1)
    assert sorted(string.colour for string in feasible.strings()) == ["O", "O", "X", "X"]
    assert feasible.is_legal()
    assert not infeasible.is_legal()
    assert [string.colour for string in infeasible.captured()] == ["O", "O"]


def test_figure_4_leaves_one_pattern_of_each_class_of_symmetric_ones():
    def images(pattern):
        a, b, c, d = pattern
        turned = [(a, b, c, d), (c, a, d, b), (d, c, b, a), (b, d, a, c)]
        return min(turned + [(q, p, s, r) for p, q, r, s in turned])

    kept = centre_patterns()
    assert len(kept) == 6
    assert {images(pattern) for pattern in kept} == {images(pattern) for pattern in np.ndindex(2, 2, 2, 2)}


@pytest.mark.parametrize(("n", "plain", "cut"), [(5, 6.273, 6.5), (11, 26.815, 27.106), (19, 76.530, 76.792)])
def test_section_3_raises_the_bound_of_the_relaxation(n, plain, cut):
    pytest.importorskip("highspy")
    assert fewest_empty_relaxed(n, 2) == pytest.approx(plain, abs=6e-4)
    assert fewest_empty_relaxed(n, 3) == pytest.approx(cut, abs=6e-4)


def test_a_board_comes_back_from_its_record():
    board = maximum_strings(9).board
    assert GoBoard.parse_sgf(board.to_sgf()) == board
    assert GoBoard.parse(" ".join(board.rows[0]) + "\n" + "\n".join(board.rows[1:]).replace("#", ".")) == board


def test_a_game_is_replayed_with_its_captures():
    # White takes two stones in the corner, then Black passes; the variation is not played
    game = "(;GM[1]FF[4]SZ[3]C[a \\] b];B[aa];W[ab];B[ba];W[bb];B[cc];W[ca](;B[])(;B[aa]))"
    assert GoBoard.parse_sgf(game).rows == ("##O", "OO#", "##X")
    assert GoBoard.parse_sgf("(;SZ[3]AB[aa:bb]AE[ab])").rows == ("XX#", "#X#", "###")


def test_a_suicide_is_taken_and_other_stones_without_liberties_stay():
    # the stones in the two corners were set up without liberties; that in the lower one is next to no move
    board = "AB[ca][bb][ab]AW[aa]AB[dd]AW[cd][dc]"
    assert GoBoard.parse_sgf(f"(;SZ[4]{board};W[ba])").rows == ("##X#", "XX##", "###O", "##OX")
    assert GoBoard.parse_sgf("(;SZ[2]AB[aa:bb]AE[ba];B[ba])").rows == ("##", "##")
    assert GoBoard.parse_sgf("(;SZ[2]AB[ab]AW[aa:ba];B[bb])").rows == ("##", "XX")  # they capture, and so live


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("9x9", "no game record"),
        ("(;GM[2]SZ[9])", "another game"),
        ("(;SZ[0])", "no square board"),
        ("(;SZ[9]AB[zz])", "no point of a board of 9 rows"),
        ("(;SZ[9]B[a])", "no point"),
        ("(;SZ[9]AB[ii:aa])", "'ii:aa' is no rectangle: its upper left corner comes first"),
        ("(;SZ[9]AB[ia:ai])", "is no rectangle"),
        ("(;SZ[9];B[aa];W[bb", "ends before its closing bracket"),
        ("(;SZ[9];B[aa]", "ends before its closing bracket"),
        ("(;" * 50_000, "ends before its closing bracket"),
        ("(;SZ[9" * 50_000, "ends before its closing bracket"),
        ("(;" + "AB" * 50_000, "ends before its closing bracket"),
    ],
)
def test_a_bad_record_says_why(text, message):
    with pytest.raises(BoardFormatError, match=message):
        GoBoard.parse_sgf(text)


@given(st.text(alphabet="(;)[]ABWSZabct:19\\", max_size=40))
def test_any_text_is_a_record_or_an_error(text):
    with contextlib.suppress(BoardFormatError):
        assert GoBoard.parse_sgf("(" + text).rows


def test_the_command_describes_a_board(tmp_path):
    path = tmp_path / "board.sgf"
    path.write_text(GoBoard.parse(FIGURE_1[0]).to_sgf())
    result = CliRunner().invoke(strings, [str(path)])
    assert result.stdout.splitlines() == ["4 strings, 2 black and 2 white", "X#O", "#X#", "O##", "legal"]
    path = tmp_path / "board.txt"
    path.write_text(FIGURE_1[1])
    assert CliRunner().invoke(strings, [str(path)]).stdout.splitlines()[-1].startswith("illegal: no liberty")
    value = json.loads(CliRunner().invoke(strings, [str(path), "--json"]).stdout)
    assert (value["legal"], value["without liberty"]) == (False, ["0,0", "2,2"])
    assert CliRunner().invoke(strings, [str(path), "--count", "0"]).exit_code == 2
    assert CliRunner().invoke(strings, ["0"]).exit_code == 2
    path.write_text("")
    assert "there is no board" in str(CliRunner().invoke(strings, [str(path)]).exception)
    with pytest.raises(BoardFormatError, match="there is no board"):
        GoBoard.parse("")
    with pytest.raises(MinesError, match="cannot read"):
        read_go_board(tmp_path / "none.sgf")


@pytest.mark.parametrize(("encoding", "name"), [("shift_jis", "山田 能"), ("big5", "許功"), ("utf-8", "山田 能")])
def test_a_record_is_read_in_the_encoding_that_it_names(tmp_path, encoding, name):
    """The last byte of these names is a backslash there, which would escape the bracket behind it."""
    path = tmp_path / "game.sgf"
    path.write_bytes(f"(;GM[1]FF[4]CA[{encoding}]SZ[9]PB[{name}]AB[aa][bb]AW[cc];B[dd])".encode(encoding))
    text = "".join(read_go_board(path).rows)
    assert (text.count("X"), text.count("O")) == (3, 1)


@pytest.mark.parametrize("text", ["(;sz[5]ab[aa])", "(;\0)", "(;GaMe[1]SiZe[9]AddBlack[aa])"])
def test_a_record_without_any_property_of_go_is_refused(tmp_path, text):
    path = tmp_path / "game.sgf"
    path.write_text(text)
    with pytest.raises(BoardFormatError, match=r"no property of a Go game|no game record"):
        read_go_board(path)
