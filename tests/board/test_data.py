"""The boards in data/: what their index says of them, and their recipe."""

import itertools
import re
from fractions import Fraction

from boards import DATA, FIGURE_9, FIGURE_10

from mines_dd.board.board import Board


def families(board):
    """All mine assignments of the cells next to a hint, by trying every set."""
    hints = board.hints()
    cells = [p for p in board.closed() if any(q in hints for q in board.neighbours(p))]
    mines_around = {h: {i for i, p in enumerate(cells) if p in board.neighbours(h)} for h in hints}
    sets = ({i for i, taken in enumerate(choice) if taken} for choice in itertools.product((0, 1), repeat=len(cells)))
    return cells, [s for s in sets if all(len(s & mines_around[h]) == hints[h] for h in hints)]


def test_the_papers_figures_have_their_numbers_of_assignments():
    _, found = families(FIGURE_10)
    assert len(found) == 66
    cells, found = families(FIGURE_9)
    shares = {cell: Fraction(sum(i in s for s in found), len(found)) for i, cell in enumerate(cells)}
    assert len(found) == 3
    assert [round(float(p), 3) for p in shares.values()] == [0.667, 0.667, 0, 0.667, 1, 0.333]


def test_the_index_of_the_data_lists_every_file():
    index = (DATA / "README.md").read_text(encoding="utf-8")
    names = {path.name + "/" * path.is_dir() for path in DATA.iterdir()} - {"README.md"}
    assert sorted(re.findall(r"^\| `(.*?)`", index, re.MULTILINE)) == sorted(names)


def test_the_fifty_fifty_is_one():
    board = Board.read(DATA / "fifty_fifty_9x9_10.txt")
    cells, found = families(board)
    assert [cells[i] for i in sorted(set.union(*found) - set.intersection(*found))] == [(0, 0), (0, 1)]
    assert [len(s) for s in found] == [board.mines] * 2


def test_the_data_boards_are_what_their_recipe_makes(tmp_path, monkeypatch):
    index = (DATA / "README.md").read_text(encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    exec(re.search(r"```python\n(.*?)```", index, re.DOTALL)[1], {})
    made = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    others = {DATA / f"{name}.txt" for name in ("words", "snacks", "degrees", "streets")}
    boards = set(DATA.glob("*.txt")) - others
    assert made == {path.name: path.read_bytes() for path in boards}
