"""Shiritori by three letters: who wins from each first word? (AtCoder Beginner Contest 209, task E.)

Takahashi says the first word, then Aoki and Takahashi take turns.  A word must begin with the last three letters of the
word before, and whoever has no such word loses.  Words may be said again; case counts.  As a game on a graph, positions
are strings of three letters, and a word is a move from its first three letters to its last three.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from mines_dd.base.checks import require, require_flag
from mines_dd.base.errors import MinesError
from mines_dd.base.reading import of_file, text_of_file
from mines_dd.base.wording import counted, shown
from mines_dd.boardgames.retrograde import DRAW, LOSS, WIN, Game, Solution, solve

__all__ = ["Shiritori", "WordListError", "parse_words", "read_words", "solve_shiritori"]

_LETTERS = 3
_LARGEST = 2**28  # bytes of a word list
_WINNERS = {LOSS: "Takahashi", WIN: "Aoki", DRAW: "Draw"}  # by the outcome for Aoki after the first word


class WordListError(MinesError):
    r"""A list of words that cannot be read or played with.

    Attributes
    ----------
    line : int or None
        The line of the text, counted from 1; None if the error has no line.

    Examples
    --------
    >>> try:
    ...     parse_words("abcd\nab")
    ... except WordListError as error:
    ...     print(error.line)
    2
    """

    def __init__(self, message: str, *, line: int | None = None) -> None:
        super().__init__(message)
        self.line = line


@dataclass(frozen=True, eq=False)
class Shiritori:
    """A list of words, and who wins if the game begins with each of them.

    Attributes
    ----------
    words : tuple of str
        Word i is move i of the solution's game.
    solution : Solution
        The outcomes of all positions.

    Examples
    --------
    >>> game = solve_shiritori(["abcd", "bcda", "ada"])
    >>> game.words, game.winners()
    (('abcd', 'bcda', 'ada'), ['Aoki', 'Takahashi', 'Draw'])
    """

    words: tuple[str, ...]
    solution: Solution

    def winners(self) -> list[str]:
        """Return for each word who wins if Takahashi begins with it: "Takahashi", "Aoki" or "Draw".

        Examples
        --------
        >>> game = solve_shiritori(["abcd", "bcda", "ada"])
        >>> game.winners()
        ['Aoki', 'Takahashi', 'Draw']
        """
        return [_WINNERS[outcome] for outcome in self.solution.outcome[self.solution.game.target].tolist()]

    def lengths(self) -> list[int | None]:
        """Return for each first word the number of words in the game, the first included; None for a draw.

        Examples
        --------
        >>> game = solve_shiritori(["abcd", "bcda", "ada"])
        >>> game.lengths()
        [2, 1, None]
        """
        distances = self.solution.distance[self.solution.game.target].tolist()
        return [None if distance < 0 else 1 + distance for distance in distances]

    def replies(self) -> list[str | None]:
        """Return for each word the best reply; None if there is none.

        Examples
        --------
        >>> game = solve_shiritori(["abcd", "bcda", "ada"])
        >>> game.replies()
        ['bcda', None, 'ada']
        """
        best = self.solution.best[self.solution.game.target].tolist()
        return [None if move < 0 else self.words[move] for move in best]

    def ends(self) -> list[str]:
        """Return the positions of the game: the strings of three letters that words begin or end with.

        Examples
        --------
        >>> solve_shiritori(["abcd", "bcda", "ada"]).ends()
        ['abc', 'ada', 'bcd', 'cda']
        """
        names = [""] * len(self.solution.outcome)
        for word, one, other in zip(self.words, self.solution.game.source, self.solution.game.target, strict=True):
            names[one], names[other] = word[:_LETTERS], word[-_LETTERS:]
        return names

    def play(self, word: str) -> list[str]:
        """Return the words of the best game from `word` on; for a draw, until a position repeats.

        Raises
        ------
        WordListError
            If the word is not in the list.

        Examples
        --------
        >>> game = solve_shiritori(["abcd", "bcda", "ada"])
        >>> game.play("abcd")
        ['abcd', 'bcda']
        """
        if require(word, str, "a word", error=WordListError) not in self.words:
            raise WordListError(f"{shown(word)} is not in the list of {counted(len(self.words), 'word')}")
        start = int(self.solution.game.target[self.words.index(word)])
        return [word] + [self.words[move] for move in self.solution.line(start)]


def solve_shiritori(words: Sequence[str]) -> Shiritori:
    """Solve the game with these words; a word may occur several times.

    Raises
    ------
    WordListError
        If an entry is not a word of three letters or more.

    Examples
    --------
    >>> solve_shiritori(["abcd", "bcda", "ada"]).winners()
    ['Aoki', 'Takahashi', 'Draw']
    """
    words = require(words, Sequence, "a list of words", "parse_words reads a text", WordListError)
    for number, word in enumerate(words, 1):
        require(word, str, f"word {number}: a text", error=WordListError)
        if fault := _fault(word):
            raise WordListError(f"word {number}: {fault}")
    ends = _code([word[:_LETTERS] for word in words] + [word[-_LETTERS:] for word in words])
    positions, index = np.unique(ends, return_inverse=True)
    game = Game.from_moves(len(positions), index[: len(words)], index[len(words) :])
    return Shiritori(tuple(words), solve(game))


def parse_words(text: str, *, skip: bool = False) -> tuple[str, ...]:
    r"""Read words, one on each line; if the first line is a number, it is their count, as in the task's input.

    Parameters
    ----------
    text : str
        Blank lines are ignored.
    skip : bool
        Whether to ignore lines that are not words of three letters or more.

    Raises
    ------
    WordListError
        If a line is not such a word, or the count is wrong.

    Examples
    --------
    >>> parse_words("2\nabcd\nbcda")
    ('abcd', 'bcda')
    """
    text = require(text, str, "the text of a list of words", "read_words reads a file", WordListError)
    skip = require_flag(skip, "skip", WordListError)
    lines = [(number, line) for number, raw in enumerate(text.split("\n"), 1) if (line := raw.strip())]
    if lines and lines[0][1].isdecimal() and len(lines[0][1]) < 10:
        at, count = lines.pop(0)
        if int(count) != len(lines):
            raise WordListError(
                f"line {at} announces {counted(int(count), 'word')}, and there are {len(lines)}; mend or drop it",
                line=at,
            )
    words = []
    for number, line in lines:
        if not (fault := _fault(line)):
            words.append(line)
        elif not skip:
            raise WordListError(f"line {number}: {fault}", line=number)
    return tuple(words)


def read_words(path: str | os.PathLike[str], *, skip: bool = False) -> tuple[str, ...]:
    """Read words from a file, or from standard input for `-`, as `parse_words` does.

    Raises
    ------
    WordListError
        If it cannot be read or is not a list of words; the error names the file.

    Examples
    --------
    >>> read_words("words.txt")  # doctest: +SKIP
    """
    text = text_of_file(path, "a list of words", _LARGEST, WordListError)
    with of_file(path):
        words = parse_words(text, skip=skip)
        if not words:
            raise WordListError("the list has no word; write one on each line")
        return words


def _fault(word: str) -> str | None:
    """Why a string is not a word; None if it is one."""
    if not word.isprintable() or " " in word:
        return f"{shown(word)} holds a blank or a control character; write one word a line"
    if len(word) < _LETTERS:
        return f"{shown(word)} is shorter than {_LETTERS} letters; leave it out"
    return None


def _code(syllables: list[str]) -> npt.NDArray[np.int64]:
    """A number for each string of three letters, with 21 bits for each letter."""
    letters = np.array(syllables, f"U{_LETTERS}").view(np.uint32).reshape(-1, _LETTERS).astype(np.int64)
    codes: npt.NDArray[np.int64] = (letters[:, 0] << 42) | (letters[:, 1] << 21) | letters[:, 2]
    return codes
