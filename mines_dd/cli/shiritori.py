"""`mines-dd shiritori WORDS`: the word game of AtCoder Beginner Contest 209, task E, on the command line."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from mines_dd.cli.common import InputFile, Subcommand, emit, examples, output_options, picture_option, writing

if TYPE_CHECKING:
    from mines_dd.boardgames.shiritori import Shiritori

__all__ = ["shiritori"]


@click.command(
    cls=Subcommand, notice=True, epilog=examples("mines-dd example words | mines-dd shiritori - --play fashion")
)
@click.argument("words", type=InputFile("a list of words"))
@click.option("--skip", is_flag=True, help="Ignore lines that are not words of three letters or more.")
@click.option("--play", "first", metavar="WORD", help="Print the best game of both sides that begins with WORD.")
@picture_option
@output_options(rows="for each word, with the length of the game and the best reply")
def shiritori(words: str, form: str, skip: bool, first: str | None, output: str | None) -> None:
    """Say who wins the word game shiritori, for each first word.

    Takahashi says the first word, then Aoki and Takahashi take turns.  A word must begin with the last three letters of
    the word before; whoever has no such word loses.  Case counts, and words may be said again.  For each word of the
    list, one line says who wins if the game begins with it: Takahashi, Aoki or Draw.

    WORDS is a file, or - for standard input, with one word on each line.  The first line may be the number of words.

    -o draws the game's graph, a small one step by step: an arrow for each word, from its first three letters to its
    last three.
    """
    from mines_dd.boardgames.game_files import save_steps
    from mines_dd.boardgames.shiritori import read_words, solve_shiritori

    game = solve_shiritori(read_words(words, skip=skip))
    answer = _all(game) if first is None else _game(game, first)
    with writing(output, lambda file: save_steps(file, game.ends(), game.solution)):
        emit(form, *answer)


def _all(game: Shiritori) -> tuple[Any, str, list[dict[str, Any]]]:
    """A row for each word, as `emit` takes it."""
    columns = zip(game.words, game.winners(), game.lengths(), game.replies(), strict=True)
    rows = [dict(zip(("word", "winner", "length", "reply"), row, strict=True)) for row in columns]
    return rows, "\n".join(game.winners()), rows


def _game(game: Shiritori, first: str) -> tuple[Any, str, list[dict[str, Any]]]:
    """A game that begins with a word, as `emit` takes it."""
    said = game.play(first)
    winner = game.winners()[game.words.index(first)]
    turns = [(("Takahashi", "Aoki")[turn % 2], word) for turn, word in enumerate(said)]
    lines = [f"{player:9}  {word}" for player, word in turns]
    lines.append("Draw: and so on for ever" if winner == "Draw" else f"{winner} wins")
    rows = [{"player": player, "word": word} for player, word in turns]
    return {"winner": winner, "words": said}, "\n".join(lines), rows
