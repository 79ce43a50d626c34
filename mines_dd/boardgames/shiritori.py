"""Shiritori by three letters: who wins from each first word? (AtCoder Beginner Contest 209, task E.)

Takahashi says the first word, then Aoki, and so in turn; a word has to begin with the last three letters of the word
before, and whoever has none loses.  Words may be said again; case counts.  A position is what has been left to the
player to move: three letters.  A word is a move from its first three letters to its last three.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from mines_dd.base.errors import MinesError, reason
from mines_dd.boardgames.retrograde import DRAW, LOSS, WIN, Game, Solution, solve

__all__ = ["Shiritori", "WordListError", "parse_words", "read_words", "solve_shiritori"]

_LETTERS = 3
_LARGEST = 2**28  # bytes of a word list
_WINNERS = {LOSS: "Takahashi", WIN: "Aoki", DRAW: "Draw"}  # by what the first word leaves to Aoki


class WordListError(MinesError):
    """A list of words that cannot be read or played with.

    Attributes
    ----------
    line : int or None
        Where, counted from 1, if the text has such a place.
    """

    def __init__(self, message: str, *, line: int | None = None) -> None:
        super().__init__(message)
        self.line = line


@dataclass(frozen=True, eq=False)
class Shiritori:
    """A list of words and what each is worth as the first word.

    Attributes
    ----------
    words : tuple of str
        Word i is move i of the solution's game.
    solution : Solution
        Of the positions, each three letters.
    """

    words: tuple[str, ...]
    solution: Solution

    def winners(self) -> list[str]:
        """Return for each word "Takahashi", who says it, "Aoki" or "Draw"."""
        return [_WINNERS[outcome] for outcome in self.solution.outcome[self.solution.game.target].tolist()]

    def lengths(self) -> list[int | None]:
        """Return for each word how many words are said, it included; None for a draw."""
        distances = self.solution.distance[self.solution.game.target].tolist()
        return [None if distance < 0 else 1 + distance for distance in distances]

    def replies(self) -> list[str | None]:
        """Return for each word the best next one; None if there is none."""
        best = self.solution.best[self.solution.game.target].tolist()
        return [None if move < 0 else self.words[move] for move in best]

    def play(self, word: str) -> list[str]:
        """Return the words said from `word` on, best on both sides; of a draw as far as a position returns.

        Raises
        ------
        WordListError
            If the word is not in the list.
        """
        if word not in self.words:
            raise WordListError(f"{word!r} is not in the list of {len(self.words):,} words")
        start = int(self.solution.game.target[self.words.index(word)])
        return [word] + [self.words[move] for move in self.solution.line(start)]


def solve_shiritori(words: Sequence[str]) -> Shiritori:
    """Solve the game with these words; the same word may be there several times.

    Raises
    ------
    WordListError
        If one is not a word of three letters or more.

    Examples
    --------
    >>> solve_shiritori(["abcd", "bcda", "ada"]).winners()
    ['Aoki', 'Takahashi', 'Draw']
    """
    for number, word in enumerate(words, 1):
        if fault := _fault(word):
            raise WordListError(f"word {number}: {fault}")
    ends = _code([word[:_LETTERS] for word in words] + [word[-_LETTERS:] for word in words])
    positions, index = np.unique(ends, return_inverse=True)
    game = Game.from_moves(len(positions), index[: len(words)], index[len(words) :])
    return Shiritori(tuple(words), solve(game))


def parse_words(text: str, *, skip: bool = False) -> tuple[str, ...]:
    """Read words, one a line; a first line that is a number is their count (the task's input).

    Parameters
    ----------
    text : str
        Blank lines do not count.
    skip : bool
        Whether to leave out lines that are no words of three letters or more.

    Raises
    ------
    WordListError
        If a line is no such word, or the count does not fit.
    """
    lines = [(number, line) for number, raw in enumerate(text.split("\n"), 1) if (line := raw.strip())]
    if lines and lines[0][1].isdecimal() and len(lines[0][1]) < 10:
        at, count = lines.pop(0)
        if int(count) != len(lines):
            raise WordListError(
                f"line {at} says that there are {count} words, but {len(lines)} follow; mend or drop it", line=at
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
        If it cannot be read or is no list of words; it names the file.
    """
    name = os.fspath(path)
    try:
        if name == "-":
            data = sys.stdin.buffer.read(_LARGEST + 1)
        else:
            with open(name, "rb") as file:
                data = file.read(_LARGEST + 1)
    except (OSError, ValueError) as error:
        said = f"cannot read {name!r}: {reason(error)}; give a list of words, or - for standard input"
        raise WordListError(said) from None
    if len(data) > _LARGEST:
        raise WordListError(f"{name!r} is larger than {_LARGEST // 2**20} MiB; split it")
    try:
        return parse_words(data.decode("utf-8-sig"), skip=skip)
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise WordListError(
            f"{name!r} is not text: line {line} has the byte 0x{data[error.start]:02x}; save it as UTF-8", line=line
        ) from None
    except WordListError as error:
        raise WordListError(f"{name!r}: {error}", line=error.line) from None


def _fault(word: str) -> str | None:
    """What keeps a string from being a word."""
    if not word.isprintable() or " " in word:
        return f"{_shown(word)} holds a blank or a control character; write one word a line"
    if len(word) < _LETTERS:
        return f"{word!r} is shorter than {_LETTERS} letters; leave it out"
    return None


def _shown(word: str) -> str:
    return repr(word if len(word) <= 40 else word[:40] + "...")


def _code(syllables: list[str]) -> npt.NDArray[np.int64]:
    """One number for each string of three letters: 21 bits a letter."""
    letters = np.array(syllables, f"U{_LETTERS}").view(np.uint32).reshape(-1, _LETTERS).astype(np.int64)
    codes: npt.NDArray[np.int64] = (letters[:, 0] << 42) | (letters[:, 1] << 21) | letters[:, 2]
    return codes
