"""The command shiritori."""

import json

import pytest
from click.testing import CliRunner

from mines_dd.base.errors import MinesError
from mines_dd.cli.shiritori import shiritori

SAMPLES = {
    "abcd bcda ada": "Aoki Takahashi Draw",
    "ABC": "Draw",
    "eaaaabaa eaaaacaa daaaaaaa eaaaadaa daaaafaa": "Takahashi Takahashi Takahashi Aoki Takahashi",
    "fffccc aaabbb bbbccc cccaaa aaaeee": "Takahashi Aoki Takahashi Aoki Takahashi",
}


def run(*args, text=None):
    result = CliRunner().invoke(shiritori, args, input=text)
    if result.exception is not None:
        raise result.exception
    return result.stdout


def test_the_command_prints_the_answer_of_the_task():
    for words, winners in SAMPLES.items():
        listed = words.split()
        assert run("-", text="\n".join([str(len(listed)), *listed])).split() == winners.split()
        assert run("-", text="\n".join(listed)).split() == winners.split()


def test_the_command_prints_json_and_games():
    text = "abcd\nbcda\nada\n"
    assert json.loads(run("-", "--json", text=text)) == [
        {"word": "abcd", "winner": "Aoki", "length": 2, "reply": "bcda"},
        {"word": "bcda", "winner": "Takahashi", "length": 1, "reply": None},
        {"word": "ada", "winner": "Draw", "length": None, "reply": "ada"},
    ]
    assert run("-", "--play", "abcd", text=text) == "Takahashi  abcd\nAoki       bcda\nAoki wins\n"
    assert run("-", "--play", "ada", text=text).endswith("Draw: and so on for ever\n")
    assert json.loads(run("-", "--play", "abcd", "--json", text=text)) == {"winner": "Aoki", "words": ["abcd", "bcda"]}
    with pytest.raises(MinesError, match="line 2"):
        run("-", text="abcd\nab\n")
    assert run("-", "--skip", text="abcd\nab\n") == "Takahashi\n"


def test_the_graph_of_a_list_is_drawn(tmp_path):
    pytest.importorskip("matplotlib")
    assert run("-", "-o", str(tmp_path / "game.svg"), text="abcd\nbcda\nada\n") == "Aoki\nTakahashi\nDraw\n"
    assert (tmp_path / "game.svg").stat().st_size > 5000
