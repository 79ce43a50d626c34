"""Shiritori: the task's samples, random words, and lists that are refused."""

import random
from collections import defaultdict

import naive
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mines_dd.boardgames.retrograde import (
    DRAW,
    LOSS,
    OPEN,
    WIN,
)
from mines_dd.boardgames.shiritori import WordListError, parse_words, read_words, solve_shiritori

SAMPLES = {
    "abcd bcda ada": "Aoki Takahashi Draw",
    "ABC": "Draw",
    "eaaaabaa eaaaacaa daaaaaaa eaaaadaa daaaafaa": "Takahashi Takahashi Takahashi Aoki Takahashi",
    "fffccc aaabbb bbbccc cccaaa aaaeee": "Takahashi Aoki Takahashi Aoki Takahashi",
}


@pytest.mark.parametrize(("words", "winners"), SAMPLES.items())
def test_the_samples_of_the_task(words, winners):
    assert solve_shiritori(words.split()).winners() == winners.split()


@settings(max_examples=100)
@given(st.lists(st.text("aAb", min_size=3, max_size=6), max_size=14))
def test_random_words_with_their_own_rules(words):
    """Each word a position: words may repeat in the list, and case counts."""
    after = [(i, j) for i, word in enumerate(words) for j, other in enumerate(words) if other[:3] == word[-3:]]
    expected = naive.outcomes([OPEN] * len(words), after)
    game = solve_shiritori(words)
    assert game.winners() == [{LOSS: "Takahashi", WIN: "Aoki", DRAW: "Draw"}[outcome] for outcome, _ in expected]
    assert game.lengths() == [None if distance < 0 else distance + 1 for _, distance in expected]
    for i, (outcome, distance) in enumerate(expected):
        said = game.play(words[i])
        assert all(b[:3] == a[-3:] for a, b in zip(said, said[1:], strict=False))
        assert outcome == DRAW or len(said) == distance + 1


def test_other_scripts_are_words_too():
    assert solve_shiritori(["しりとり", "りとりす"]).winners() == ["Aoki", "Takahashi"]


@pytest.mark.ci
def test_two_hundred_thousand_words():
    rng = random.Random(0)
    words = ["".join(rng.choices("abcdefghijKLMNOPQRST", k=rng.randint(3, 8))) for _ in range(200_000)]
    game = solve_shiritori(words)
    saying = defaultdict(set)  # who wins by saying a word with this beginning; "Takahashi" is who says it
    for word, winner in zip(words, game.winners(), strict=True):
        saying[word[:3]].add(winner)
    for word, winner in zip(words, game.winners(), strict=True):
        replies = saying[word[-3:]]
        assert winner == ("Aoki" if "Takahashi" in replies else "Draw" if "Draw" in replies else "Takahashi")


def test_words_are_read_with_and_without_their_number():
    assert parse_words("3\nabcd\r\nbcda\n\n ada\n") == ("abcd", "bcda", "ada")
    assert parse_words("abcd\nbcda") == ("abcd", "bcda")
    assert parse_words("") == parse_words("0\n") == ()
    assert parse_words("abcd\nab\n\nx y z\nbcda", skip=True) == ("abcd", "bcda")


@pytest.mark.parametrize(
    ("text", "line", "what"),
    [
        ("abcd\n\nab\n", 3, "'ab' is shorter than 3 letters"),
        ("4\nabcd\nbcda\nada\n", 1, "announces 4 words, and there are 3"),
        ("\n1\nabcd\nbcda\n", 2, "announces 1 word, and there are 2"),
        ("abcd\nice cream\n", 2, "blank"),
        ("abcd\nabc\x00d\n", 2, "control"),
        ("abcd\n12\n", 2, "shorter"),
    ],
)
def test_a_malformed_list_is_refused_with_its_line(text, line, what):
    with pytest.raises(WordListError, match=what) as caught:
        parse_words(text)
    assert caught.value.line == line
    assert f"line {line}" in str(caught.value)


def test_a_file_that_is_no_list_is_refused_with_its_name(tmp_path):
    path = tmp_path / "words"
    path.write_bytes(b"abcd\nbc\xffda\n")
    with pytest.raises(WordListError, match=r"words' is not text: line 2 has the byte 0xff"):
        read_words(path)
    with pytest.raises(WordListError, match="cannot read"):
        read_words(tmp_path / "none")
    (tmp_path / "none").write_text("0\n")
    with pytest.raises(WordListError, match="none': the list has no word; write one on each line"):
        read_words(tmp_path / "none")
    with pytest.raises(WordListError, match="word 2"):
        solve_shiritori(["abcd", "a"])
    with pytest.raises(WordListError, match="not in the list"):
        solve_shiritori(["abcd"]).play("bcda")
