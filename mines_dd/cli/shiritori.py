"""`mines-dd shiritori WORDS`: the word game of AtCoder Beginner Contest 209, task E, on the command line."""

from __future__ import annotations

import json

import click

__all__ = ["shiritori"]


@click.command()
@click.argument("words")
@click.option("--json", "as_json", is_flag=True, help="Print JSON: winner, number of words said and best reply too.")
@click.option("--skip", is_flag=True, help="Leave out lines that are no words of three letters or more.")
@click.option("--play", "first", metavar="WORD", help="Print the game that WORD begins, best on both sides.")
def shiritori(words: str, as_json: bool, skip: bool, first: str | None) -> None:
    """Print who wins if Takahashi begins with the first, second, ... word: Takahashi, Aoki or Draw.

    WORDS is a file, or - for standard input: one word a line, above them their number or nothing.  A word has to begin
    with the last three letters of the word before, case counts, and words may be said again; who has none loses.

    For example: mines-dd shiritori data/words.txt --play fashion
    """
    from mines_dd.boardgames.shiritori import read_words, solve_shiritori

    game = solve_shiritori(read_words(words, skip=skip))
    winners = game.winners()
    if first is not None:
        said = game.play(first)
        winner = winners[game.words.index(first)]
        if as_json:
            click.echo(json.dumps({"winner": winner, "words": said}))
            return
        for turn, word in enumerate(said):
            click.echo(f"{('Takahashi', 'Aoki')[turn % 2]:9}  {word}")
        click.echo("Draw: and so on for ever" if winner == "Draw" else f"{winner} wins")
    elif as_json:
        rows = zip(game.words, winners, game.lengths(), game.replies(), strict=True)
        fields = ("word", "winner", "length", "reply")
        click.echo(json.dumps([dict(zip(fields, row, strict=True)) for row in rows]))
    else:
        click.echo("".join(f"{winner}\n" for winner in winners), nl=False)
