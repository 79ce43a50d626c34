"""The command that writes boards for other programs."""

import json

import commands
import numpy as np
import pytest
from click.testing import CliRunner

from mines_dd import Board
from mines_dd.answers import interop
from mines_dd.base.errors import MinesError
from mines_dd.cli.export import export
from mines_dd.constraints.cnf_opb import to_cnf, to_opb


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


def test_an_export_is_what_the_file_is_called(tmp_path):
    commands.run("export", commands.FIGURE_10, "-o", str(tmp_path / "board.opb"))
    assert (tmp_path / "board.opb").read_text() == commands.run("export", commands.FIGURE_10, "-f", "opb")
    commands.run("export", commands.FIGURE_10, "-f", "json", "-o", str(tmp_path / "board.txt"))
    assert json.loads((tmp_path / "board.txt").read_text())["board"]
    commands.run("export", commands.FIGURE_10, "-o", str(tmp_path / "board.txt"))
    assert (tmp_path / "board.txt").read_text() == commands.run("export", commands.FIGURE_10, "-f", "text")
    for args in ((), ("-o", str(tmp_path / "board.csv"))):
        assert "say what to write" in commands.run("export", commands.FIGURE_10, *args, code=2)
