"""Reading files and standard input."""

import pytest
from commands import on_terminal

from mines_dd import Board
from mines_dd.base.errors import BoardFormatError, MinesError
from mines_dd.base.reading import of_file, read_bytes, text_of_file
from mines_dd.boardgames.edax_book import EdaxBook
from mines_dd.boardgames.game_files import read_game
from mines_dd.boardgames.shiritori import read_words


def test_no_more_than_the_limit_is_read():
    with pytest.raises(MinesError, match="'/dev/zero' is larger than 1 MiB; give a board file"):
        read_bytes("/dev/zero", "a board file", 2**20)


@pytest.mark.ci
def test_one_ctrl_d_ends_what_is_typed():
    assert on_terminal("count", "-", typed="#1#\n###\n").splitlines()[-1] == "5"


@pytest.mark.parametrize(("data", "line", "byte"), [(b"\xff", 1, "ff"), (b"\xef\xbb\xbfa\n\n\xe9", 3, "e9")])
def test_the_line_of_a_byte_that_is_no_text_is_named_with_and_without_a_mark(tmp_path, data, line, byte):
    file = tmp_path / "file"
    file.write_bytes(data)
    for error in (MinesError, BoardFormatError):
        with pytest.raises(error, match=f"line {line} has the byte 0x{byte}; write it") as found:
            text_of_file(file, "a file", 100, error, advice="write it anew")
    assert found.value.line == line


@pytest.mark.parametrize(
    ("data", "kind"),
    [
        (b"PK\3\4\xff", "a saved family, which Assignments.load reads"),
        (b"XADEKOOB\xff", "which mines-dd umigame reads"),
    ],
)
def test_files_that_are_no_text_are_told_by_what_they_begin_with(tmp_path, data, kind):
    (tmp_path / "it").write_bytes(data)
    with pytest.raises(MinesError, match=f"it' is not text: it begins as .*{kind}$"):
        text_of_file(tmp_path / "it", "a file", 100)


def test_the_name_of_a_file_comes_before_what_is_wrong_in_it_and_the_rest_stays():
    with pytest.raises(BoardFormatError, match=r"^'a\.txt': no row$") as found, of_file("a.txt"):
        raise BoardFormatError("no row", line=3, column=1)
    assert (found.value.line, found.value.column) == (3, 1)


@pytest.mark.parametrize("reader", [Board.read, read_words, read_game])
def test_every_reader_says_what_is_wrong_with_a_file(tmp_path, reader):
    (tmp_path / "bad.csv").write_bytes(b"abc\n\xff")
    with pytest.raises(MinesError, match=r"bad\.csv' is not text: line 2 has the byte 0xff"):
        reader(tmp_path / "bad.csv")
    with pytest.raises(MinesError, match="cannot read 'no such file': No such file"):
        reader("no such file")
    with pytest.raises(MinesError, match="the name of a file is needed, not a value of type int"):
        reader(3)


def test_of_a_file_that_begins_wrongly_only_the_first_part_is_read():
    assert len(read_bytes("/dev/zero", "a book", 2**40, begins=b"XADE")) == 2**20
    with pytest.raises(MinesError, match="no opening book of Edax"):
        EdaxBook.read("/dev/zero")


def test_windows_writes_text_in_utf_16(tmp_path):
    path = tmp_path / "board.txt"
    path.write_text("#1#\r\n###\r\n", "utf-16")
    assert Board.read(path).grid == ("#1#", "###")
