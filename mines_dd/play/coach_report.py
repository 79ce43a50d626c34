"""What the coach says of a game, as text and as a page with the board at each guess."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from html import escape
from typing import Any

from mines_dd.base.checks import require
from mines_dd.base.errors import MinesError
from mines_dd.base.wording import counted, place, rounded, shown
from mines_dd.board.board import Position
from mines_dd.board.html import board_html
from mines_dd.play.advice import share_text
from mines_dd.play.coach import Click, Judgement

__all__ = ["chance_text", "excess_text", "html_report", "overview", "summary_lines", "text_report"]

_HEADINGS = ("click", "time", "cell", "", "risk", "least", "adviser", "best play wins")

_STYLE = """
:root { color-scheme: light dark }
body { font: 15px/1.5 sans-serif; margin: 2em auto; max-width: 60em; padding: 0 1em }
.wide {
  overflow-x: auto;  /* with a shadow on the right as long as there is more */
  background: linear-gradient(to left, Canvas 1em, transparent 3em) right / 3em 100% no-repeat local,
    linear-gradient(to left, #888, transparent) right / 1em 100% no-repeat;
}
table.clicks, table.games { border-collapse: collapse; font-variant-numeric: tabular-nums; white-space: nowrap }
.wide td, .wide th { padding: 2px 12px 2px 0; text-align: right; border-bottom: 1px solid #8885 }
.clicks :is(td, th):nth-child(4), .games :is(td, th):nth-child(-n+2) { text-align: left }
.games tr:last-child { font-weight: bold }
tr.guess, tr.lost { color: #222; background: #fff3dc } tr.lost { background: #fbd9c8 }
.games :is(td, th):first-child, h1 { white-space: normal; overflow-wrap: anywhere }
.games :is(td, th):first-child { min-width: 7em }
section { margin: 2em 0 } h2 { font-size: 1.1em; margin-bottom: .3em }
@media print {
  :root { color-scheme: light; print-color-adjust: exact; -webkit-print-color-adjust: exact }
  h2 { break-after: avoid } section > div:not(.wide), tr { break-inside: avoid }
}
"""
# On a phone a board is wider than the screen: each begins where the click is.  On paper nothing scrolls: a board that
# is wider than A4 between the usual margins is made smaller.
_SCRIPT = """
const zoomed = (zoom) => () => {
  for (const board of document.querySelectorAll('div[style*="overflow-x"] > table')) board.style.zoom = zoom(board);
};
addEventListener("beforeprint", zoomed((board) => Math.min(1, 640 / board.offsetWidth)));
addEventListener("afterprint", zoomed(() => ""));
for (const cell of document.querySelectorAll('td[style*="2px solid"]')) {
  const board = cell.closest("div");
  board.scrollLeft = cell.offsetLeft - board.clientWidth / 2;
}
"""


def chance_text(chance: float) -> str:
    """Return a chance in percent, a small one as 1 in so many.

    Examples
    --------
    >>> chance_text(0.25), chance_text(1e-6)
    ('25.0%', '1 in 1,000,000')
    """
    return f"1 in {round(1 / chance):,}" if 0 < chance < 0.001 else share_text(chance)


def excess_text(risk: float) -> str:
    """Return a sum of risks in percent; it may exceed 100%, and what only rounding leaves is 0.

    Examples
    --------
    >>> excess_text(1e-12), excess_text(9 / 80), excess_text(1.25)
    ('0%', '11.3%', '125.0%')
    """
    return f"{rounded(100 * risk, 1)}%" if risk > 1 else share_text(risk if risk > 1e-9 else 0)


def text_report(judged: Judgement) -> str:
    """Return a table with a line for each click, and the summary.

    Examples
    --------
    >>> from mines_dd.board.board import Board
    >>> from mines_dd.board.replays import replay_of, to_rawvf
    >>> from mines_dd.play.coach import coach
    >>> print(text_report(coach(replay_of(to_rawvf(Board.from_layout(1, 4, [(0, 2)]), [(0, 3), (0, 0)])))))
    click    time    cell             risk   least adviser  best play wins
        1    0.00     0,3  first         -       -     0,0  ? -> 100%
        2    1.00     0,0  certain      0%      0%     0,0  100% -> 100%
    <BLANKLINE>
    won after 2 clicks; no guess
    """
    require(judged, Judgement, "a Judgement", "coach returns one")
    rows = [_row(click) for click in judged.clicks]
    width = max((len(row[3]) for row in rows), default=0)
    return "\n".join([*(_line(row, width) for row in [_HEADINGS, *rows]), "", *summary_lines(judged)])


def summary_lines(judged: Judgement) -> list[str]:
    """Return the summary, a sentence or two a line.

    Examples
    --------
    >>> from mines_dd.board.board import Board
    >>> from mines_dd.board.replays import replay_of, to_rawvf
    >>> from mines_dd.play.coach import coach
    >>> for line in summary_lines(coach(replay_of(to_rawvf(Board.from_layout(1, 3, [(0, 2)]), [(0, 1), (0, 2)])))):
    ...     print(line)
    lost after 2 clicks; 1 guess: 1 forced, 0 where a cell was safe
    luck: no guess was survived
    skill: 0% of risk beyond the least there was, all guesses added up (0% in forced guesses, 0% in others)
    """
    guesses = require(judged, Judgement, "a Judgement", "coach returns one").guesses
    clicks = len(judged.clicks)
    line = f"{judged.outcome} after {counted(clicks, 'click')}; "
    unknown = sum(click.verdict == "unknown" for click in judged.clicks)
    more = [f"left out: {counted(unknown, 'position')} that took too long"] if unknown else []
    if not guesses:
        return [line + "no guess" + " in the others" * bool(unknown), *more]
    numbers = judged.record()
    forced = numbers["forced"]
    line += f"{counted(len(guesses), 'guess', 'guesses')}: {forced} forced"
    line += f", {len(guesses) - forced} where a cell was safe"
    survived = any(not click.move.lost for click in guesses)
    luck = f"the chance to get this far by these guesses was {chance_text(judged.luck)}"
    luck += f" ({chance_text(numbers['luck_forced'])} for the forced ones alone)"
    of_forced = numbers["excess_forced"]
    return [
        line,
        f"luck: {luck if survived else 'no guess was survived'}",
        f"skill: {excess_text(judged.excess)} of risk beyond the least there was, all guesses added up "
        f"({excess_text(of_forced)} in forced guesses, {excess_text(judged.excess - of_forced)} in others)",
        *more,
    ]


def overview(judgements: Sequence[tuple[str, Judgement]]) -> list[dict[str, Any]]:
    """Return a row for each game, by its name, and one for all of them: texts and numbers by what they are.

    Examples
    --------
    >>> from mines_dd.board.board import Board
    >>> from mines_dd.board.replays import replay_of, to_rawvf
    >>> from mines_dd.play.coach import coach
    >>> row = Board.from_layout(1, 4, [(0, 2)])
    >>> games = [("a", coach(replay_of(to_rawvf(row, [(0, 3), (0, 0)])))), ("b", coach(replay_of(to_rawvf(row, []))))]
    >>> for line in overview(games):
    ...     print(line["game"], line["outcome"], line["clicks"])
    a won 2
    b unfinished 0
    all 2 1 won 2
    """
    _require_games(judgements)
    records = [{"game": name, **judged.record()} for name, judged in judgements]
    sums = {key: sum(record[key] for record in records) for key in ("clicks", "guesses", "forced", "unknown")}
    sums |= {key: math.fsum(record[key] for record in records) for key in ("excess", "excess_forced")}
    won = sum(record["outcome"] == "won" for record in records)
    together = {"game": f"all {len(records)}", "outcome": f"{won} won", "luck": 1.0, **sums}
    return [
        {
            "game": record["game"],
            "outcome": record["outcome"],
            "clicks": record["clicks"],
            "guesses": record["guesses"],
            "forced": record["forced"],
            "luck": chance_text(record["luck"]) if record["luck"] < 1 else "-",  # no guess was survived
            "excess risk": excess_text(record["excess"]),
            "of it forced": excess_text(record["excess_forced"]),
            # Of positions left out nothing is in the other columns.
            **({"left out": record["unknown"]} if sums["unknown"] else {}),
        }
        for record in [*records, together]
    ]


def _require_games(judgements: Sequence[tuple[str, Judgement]]) -> None:
    for named in require(judgements, Sequence, "a list of names with their games"):
        if not isinstance(named, tuple) or len(named) != 2 or not isinstance(named[1], Judgement):
            raise MinesError(f"{shown(named)} is no name with its Judgement, such as ('game', coach(replay))")


def html_report(judgements: Sequence[tuple[str, Judgement]]) -> str:
    """Return a page that needs no other file: for each game, by its name, all clicks and the board at each guess.

    Above several games there is a table of them.

    Examples
    --------
    >>> from mines_dd.board.board import Board
    >>> from mines_dd.board.replays import replay_of, to_rawvf
    >>> from mines_dd.play.coach import coach
    >>> judged = coach(replay_of(to_rawvf(Board.from_layout(1, 3, [(0, 2)]), [(0, 1), (0, 2)])))
    >>> html_report([("a game", judged)]).count("<section>")
    1
    """
    _require_games(judgements)
    games = "".join(
        f'<h1 id="game-{number}">{escape(name)}</h1>\n{_game(judged)}'
        for number, (name, judged) in enumerate(judgements)
    )
    games = _contents(judgements) * (len(judgements) > 1) + games
    return (
        '<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1"><title>mines-dd coach</title>'
        f"<style>{_STYLE}</style></head><body>\n{games}<script>{_SCRIPT}</script></body></html>\n"
    )


def _contents(judgements: Sequence[tuple[str, Judgement]]) -> str:
    """The table of all games, each linked to what is said of it."""
    *games, together = overview(judgements)
    rows = [
        ("", [f'<a href="#game-{number}">{escape(game.pop("game"))}</a>', *map(escape, map(str, game.values()))])
        for number, game in enumerate(games)
    ]
    return _table("games", together, [*rows, ("", list(map(str, together.values())))])


def _game(judged: Judgement) -> str:
    summary = "".join(f"<p>{escape(line)}</p>\n" for line in summary_lines(judged))
    rows = [("lost" if click.move.lost else click.verdict, list(map(escape, _row(click)))) for click in judged.clicks]
    boards = "".join(map(_section, judged.guesses))
    return f"{summary}{boards}<h2>All clicks</h2>{_table('clicks', _HEADINGS, rows)}\n"


def _table(kind: str, headings: Iterable[str], rows: Iterable[tuple[str, list[str]]]) -> str:
    """A table that scrolls by itself; a row is what it is, and its cells as HTML."""
    head = "".join(f"<th>{escape(heading)}</th>" for heading in headings)
    lines = "".join(f'<tr class="{what}"><td>{"</td><td>".join(cells)}</td></tr>\n' for what, cells in rows)
    return f'<div class="wide"><table class="{kind}"><tr>{head}</tr>\n{lines}</table></div>\n'


def _section(click: Click) -> str:
    """A guess: what was known of the board, the click framed."""
    assert click.advice is not None
    assert click.risk is not None
    assert click.least is not None
    move, advice = click.move, click.advice
    kind = "forced guess" if click.forced else "guess where a cell was safe"
    title = f"Click {click.number}: {kind}, risk {share_text(click.risk)}" + (", the mine" if move.lost else "")
    chord = f", which opened {len(move.cells)} cells around a number" if move.chord else ""
    dashed = ", framed with dashes" if advice.cell != move.cell else ""
    adviser = "" if advice.cell is None else f" The adviser would open {place(advice.cell)}{dashed} ({advice.reason})."
    caption = (
        f"Framed: the click on {place(move.cell)}{chord}; the least risk was {share_text(click.least)}.{adviser}"
        " Rows and columns count from 0."
    )
    board = board_html(move.before.grid, advice.analysis.risk, move.cell, caption, advice.cell)
    return f"<section><h2>{escape(title)}</h2>{board}</section>\n"


def _row(click: Click) -> tuple[str, ...]:
    advice = click.advice
    verdict = "forced guess" if click.forced else click.verdict
    if click.move.chord:
        verdict += " (chord)"
    if click.move.lost:
        verdict += ": a mine"
    wins = (click.wins_before, click.wins_after)
    return (
        str(click.number),
        f"{click.move.time:.2f}",
        _cell(click.move.cell),
        verdict,
        _share(click.risk),
        _share(click.least),
        "-" if advice is None or advice.cell is None else _cell(advice.cell),
        "" if wins == (None, None) else " -> ".join("?" if x is None else share_text(float(x)) for x in wins),
    )


def _line(row: Sequence[str], width: int) -> str:
    number, time, cell, verdict, risk, least, adviser, wins = row
    return f"{number:>5} {time:>7} {cell:>7}  {verdict:<{width}} {risk:>7} {least:>7} {adviser:>7}  {wins}".rstrip()


def _cell(cell: Position) -> str:
    return f"{cell[0]},{cell[1]}"


def _share(share: float | None) -> str:
    return "-" if share is None else share_text(share)
