"""`mines-dd example`: the boards that come with the package."""

import json

import pytest
from boards import ROOT
from commands import run

from mines_dd import Board, MinesError
from mines_dd.board.examples import EXAMPLES, OTHER_EXAMPLES, example


def test_every_example_is_a_board_of_the_data_folder():
    for name, (file, _) in EXAMPLES.items():
        assert example(name) == (ROOT / "data" / file).read_text(encoding="utf-8")
        assert run("example", name) == example(name)
        assert Board.parse(run("example", name, "--json")) == Board.parse(example(name))


def test_every_other_example_is_a_file_of_the_data_folder():
    for name, (file, _) in OTHER_EXAMPLES.items():
        text = (ROOT / "data" / file).read_text(encoding="utf-8")
        assert example(name) == run("example", name) == json.loads(run("example", name, "--json")) == text


def test_without_a_name_all_are_listed():
    assert set(json.loads(run("example", "--json"))) == {*EXAMPLES, *OTHER_EXAMPLES}
    listed = [line.split()[0] for line in run("example").splitlines() if line.startswith("  ")]
    assert listed == [*EXAMPLES, *OTHER_EXAMPLES]


def test_the_wheel_takes_every_example_along():
    wheel = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    assert all(
        f'"data/{file}" = "mines_dd/examples/{file}"' in wheel for file, _ in (EXAMPLES | OTHER_EXAMPLES).values()
    )


def test_another_name_is_refused_with_what_was_meant():
    assert "did you mean 'expert'?" in run("example", "exprt", code=2)
    with pytest.raises(MinesError, match="there is no example 'exprt'; choose figure9"):
        example("exprt")
