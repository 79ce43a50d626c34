"""The answers of the analyser: functions from a request's values to JSON values, within limits."""

from __future__ import annotations

import base64
import binascii
import math
import sys
import time
import traceback
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from mines_dd.base.errors import BoardFormatError, BudgetExceededError, InconsistentBoardError, MinesError
from mines_dd.base.wording import counted, gibibytes
from mines_dd.board.board import Board, Position
from mines_dd.board.files import board_or_replay, to_mbf, to_mine
from mines_dd.board.replays import LONGEST, Replay, to_rawvf
from mines_dd.constraints.cnf_opb import to_cnf, to_opb

if TYPE_CHECKING:
    from mines_dd.answers.analysis import Analysis
    from mines_dd.base.budget import Budget
    from mines_dd.play.no_guess import NoGuess

__all__ = ["FORMS", "QUESTIONS", "Answer", "Limits", "answer", "too_costly", "uncertain"]

Answer = tuple[int, dict[str, Any]]
"""An HTTP status and a JSON object; that of an error has the keys `error`, a sentence, and `kind`."""


@dataclass(frozen=True)
class Limits:
    """What a request may use, and how many run at a time.

    Attributes
    ----------
    side : int
        The most rows, and the most columns, of a board.
    body, file : int
        Bytes of a request, and of one that brings a file.
    nodes : int
        Predicted table entries of a compilation.
    seconds : float
        For an answer; a worker that takes longer is ended.
    memory : int
        Bytes of address space that a worker may use for answers, in addition to what it has when it starts.
    workers : int
        Processes: answers that are computed at the same time.
    queue : int
        Requests that may wait for a worker.
    patience : float
        Seconds to wait for the head of a request, for its body, and for a worker.
    """

    side: int = 100
    body: int = 64 * 2**10
    file: int = 2 * 2**20
    nodes: int = 5_000_000
    seconds: float = 10.0
    memory: int = 2 * 2**30
    workers: int = 2
    queue: int = 64
    patience: float = 10.0


def answer(question: str, values: Mapping[str, Any], limits: Limits) -> Answer:
    """Return the answer to one of the `QUESTIONS`; never raises.

    Parameters
    ----------
    question : str
    values : mapping
        The values of the request.

        - "analyse", "totals": `board`, a board as text or JSON; for the first also the `rule` of the game, which says
          what is certain of its first cell, and a `chord` whose risk is asked for: row and column of the number,
          then those of each cell that it opens.
        - "explain", "numbers": `board` and `cell`, [row, column].
        - "read": `board`; or `file`, the bytes of a board file in base64, and its `name`.  It may be too costly to
          analyse.  Of a replay the answer brings the last position, and as `first` the one before the first move; and
          `moves`, each with its `cell`, its `time` in seconds, the cells that it opened if it is a `chord`, and the
          `changes` up to the next one, pairs of a cell and its new character.
        - "export": `board` and `form`, one of `FORMS`.  "mbf" and "rawvf" need a board as JSON with its layout; the
          latter writes a game, `clicks`: for each click its row, its column, "l" or "r", and its time in seconds.
        - "deal": `rows`, `cols`, `mines`, `first` (a cell), `rule`, `seed`, `no_guess` and, if a board without guesses
          is to be so hard, `difficulty`.  Such a board may take long to find: an answer without one says how many were
          `tried`, which the next question gives.
    limits : Limits

    Examples
    --------
    >>> status, value = answer("analyse", {"board": "#1#/#10"}, Limits())
    >>> status, value["count"], value["safe"]
    (200, '2', [(0, 2)])
    """
    try:
        return 200, QUESTIONS[question](values, limits)
    except InconsistentBoardError as error:
        text, hints, mines = f"{_sentence(error)}.", sorted(error.hints), sorted(error.mines)
        return 422, {"error": text, "kind": "conflict", "hints": hints, "mines": mines}
    except BoardFormatError as error:
        return 400, {"error": f"{_sentence(error)}.", "kind": "format"}
    except BudgetExceededError as error:
        if error.unit not in ("nodes", "seconds", "bytes"):
            return 422, {"error": f"{_sentence(error)}.", "kind": "budget"}
        return too_costly(error.needed, error.unit, limits, question)
    except MemoryError:
        return too_costly(math.inf, "bytes", limits, question)
    except RecursionError:
        return 400, {"error": "The request is nested too deeply.", "kind": "format"}
    except MinesError as error:
        return 422, {"error": f"{_sentence(error)}.", "kind": "question"}
    except Exception:
        traceback.print_exc(file=sys.stderr)
        return 500, {"error": "The server made a mistake with this position; please report it.", "kind": "mistake"}


def too_costly(needed: float, unit: str, limits: Limits, question: str = "analyse") -> Answer:
    """Return the refusal of a question about a position, or of a deal, that needs more than it may use.

    Examples
    --------
    >>> status, value = too_costly(20.0, "seconds", Limits())
    >>> status, value["error"][:77]
    (422, 'This position is too costly: it takes longer than 10 seconds, the limit here.')
    """
    about = "more" if math.isinf(needed) else f"about {needed:,.0f}" if needed < 1e6 else f"about {needed:.0e}"
    what = {
        "nodes": f"it needs {about} table entries and {limits.nodes:,} are allowed",
        "seconds": f"it takes longer than {counted(limits.seconds, 'second')}, the limit here",
        "bytes": f"it needs more memory than the {gibibytes(limits.memory)} that are allowed",
    }[unit]
    thing, advice = "position", "Fill in more numbers or take a smaller part of the board"
    if question == "deal":
        thing, advice = "deal", "Try again, as it is quicker once all is compiled, take another seed"
    said = f"This {thing} is too costly: {what}. {advice}, or start the server with higher limits."
    return 422, {"error": said, "kind": "budget"}


def _board(values: Mapping[str, Any], limits: Limits) -> Board:
    """The board of the request, if it is small enough."""
    text = values.get("board")
    if not isinstance(text, str):
        raise BoardFormatError('"board" is missing; send the board as one text')
    return _small(Board.parse(text), limits)


def _small(board: Board, limits: Limits) -> Board:
    rows, cols = board.size
    if max(rows, cols) > limits.side:
        raise BoardFormatError(f"the board is {rows}x{cols}; at most {limits.side}x{limits.side} cells are taken here")
    return board


def _reading(values: Mapping[str, Any], limits: Limits) -> dict[str, Any]:
    file, name = values.get("file"), values.get("name", "")
    if file is None:
        read: Board | Replay = _board(values, limits)
    else:
        if not isinstance(file, str) or not isinstance(name, str):
            raise BoardFormatError('"file" is the content in base64, and "name" a text')
        try:
            data = base64.b64decode(file, validate=True)
        except (binascii.Error, ValueError):
            raise BoardFormatError('"file" is not base64') from None
        read = board_or_replay(name, data)
    board = _small(read.board if isinstance(read, Replay) else read, limits)
    layout = None if board.layout is None else sorted(board.layout)
    game = _game(read) if isinstance(read, Replay) else {}
    return {"board": list(board.grid), "total": board.mines, "layout": layout, **game}


def _game(replay: Replay) -> dict[str, Any]:
    """The moves, and what the player saw at first and what each changed, as many boards would be much longer."""
    seen = [*(move.before.grid for move in replay.moves), replay.board.grid]
    moves = []
    for move, grids in zip(replay.moves, pairwise(seen), strict=True):
        chord = {"chord": move.cells} if move.chord else {}
        moves.append({"cell": move.cell, "time": move.time, "changes": _changes(*grids), **chord})
    return {"first": list(seen[0]), "moves": moves}


def _changes(before: tuple[str, ...], after: tuple[str, ...]) -> list[tuple[Position, str]]:
    rows = [(r, pair) for r, pair in enumerate(zip(before, after, strict=True)) if pair[0] != pair[1]]
    return [((r, c), new) for r, pair in rows for c, (old, new) in enumerate(zip(*pair, strict=True)) if old != new]


@lru_cache(maxsize=1)  # the questions about a cell follow the analysis of its board
def _analysed(board: Board, limits: Limits) -> Analysis:
    from mines_dd.answers.analysis import analyse
    from mines_dd.base.budget import Budget

    return analyse(board, budget=Budget(limits.nodes, limits.seconds))


def _analysis(values: Mapping[str, Any], limits: Limits) -> dict[str, Any]:
    from mines_dd.base.budget import Budget
    from mines_dd.play.advice import advice_of

    board, budget = _board(values, limits), Budget(timeout=limits.seconds)
    found = _analysed(board, limits)
    half = Budget(timeout=max(0.0, budget.seconds_left / 2))  # leaves time for the rest of the answer
    advice = advice_of(found, half, rule=values.get("rule"))
    record = advice.record()
    return {
        "board": list(board.grid),
        "total": found.total,
        "count": found.short_count if found.error else str(found.count),
        "probability": _shares(found),
        "safe": sorted(found.safe),
        "mines": sorted(found.mines),
        "safest": found.safest,
        "dead": sorted(advice.dead),
        "fifty_fifties": sorted(advice.fifty_fifties),
        **record,
        "ranking": record["ranking"][:_RANKS],
        "chord_risk": _chord_risk(values.get("chord"), board, found, budget),
    }


def _chord_risk(chord: Any, board: Board, found: Analysis, budget: Budget) -> float | None:
    """The probability that a chord opens a mine, if one is asked about."""
    if chord is None:
        return None
    from mines_dd.board.replays import Move
    from mines_dd.play.coach import risk_of

    if not isinstance(chord, list) or len(chord) < 4 or len(chord) % 2:
        raise BoardFormatError('"chord" is row and column of a number, then of each cell that it opens, in one list')
    cell, *cells = (_cell(chord[i : i + 2]) for i in range(0, len(chord), 2))
    risk = risk_of(found, Move(0.0, cell, tuple(cells), board, board), budget)
    return risk if risk in (0, 1) else uncertain(risk)


_RANKS = 50  # cells of a ranking that are sent


def _shares(found: Analysis) -> list[list[float | None]]:
    """The probabilities in rows; 0 and 1 only where it is certain, however small the rest."""
    rows: list[list[float | None]] = [
        [None if p != p else uncertain(p) for p in row] for row in found.probability.tolist()
    ]
    for cells, share in ((found.safe, 0.0), ([*found.mines, *found.board.known_mines()], 1.0)):
        for r, c in cells:
            rows[r][c] = share
    return rows


def uncertain(share: float) -> float:
    """Return a probability with six significant digits that is not rounded to 0 or 1.

    Examples
    --------
    >>> uncertain(1 / 3), uncertain(1e-30), uncertain(1 - 1e-12)
    (0.333333, 1e-09, 0.999999999)
    """
    return min(max(float(f"{share:.6g}"), 1e-9), 1 - 1e-9)


def _explanation(values: Mapping[str, Any], limits: Limits) -> dict[str, Any]:
    from mines_dd.answers.explain import explain
    from mines_dd.base.budget import Budget

    board = _board(values, limits)
    found = explain(board, _cell(values.get("cell")), budget=Budget(limits.nodes, limits.seconds))
    return {
        "cell": found.cell,
        "verdict": found.verdict,
        "hints": found.hints,
        "needs_total": found.needs_total,
        "with_mine": None if found.with_mine is None else str(found.with_mine),
        "without": None if found.without is None else str(found.without),
        "probability": found.probability if found.verdict != "open question" else uncertain(found.probability),
    }


def _numbers(values: Mapping[str, Any], limits: Limits) -> dict[str, Any]:
    board, cell = _board(values, limits), _cell(values.get("cell"))
    shown = _analysed(board, limits).numbers(cell)
    safe = sum(shown.values())
    return {"cell": cell, "numbers": [(number, float(share / safe)) for number, share in shown.items() if share]}


def _totals(values: Mapping[str, Any], limits: Limits) -> dict[str, Any]:
    found = _analysed(_board(values, limits), limits)
    likelihood, best = found.log_likelihood(), found.likeliest()
    shares = {total: math.exp(log - likelihood[best[0]]) for total, log in likelihood.items()}
    likely = [(total, share) for total, share in shares.items() if share > _LIKELY]
    return {"likeliest": best, "totals": likely, "possible": len(shares)}


_LIKELY = 0.001  # of the greatest likelihood: totals that are sent; the page says "a thousandth"


def _deal(values: Mapping[str, Any], limits: Limits) -> dict[str, Any]:
    from mines_dd.play.field import make_field
    from mines_dd.play.games import Level, deal
    from mines_dd.play.no_guess import DIFFICULTIES, no_guess_search

    rows, cols = (_whole(values, name, 1, limits.side) for name in ("rows", "cols"))
    level, seed = Level(rows, cols, _whole(values, "mines", 0, rows * cols)), _whole(values, "seed", 0, 2**31)
    r, c = _cell(values.get("first"))
    if not (0 <= r < rows and 0 <= c < cols):
        raise BoardFormatError(f"the first cell is outside of the {rows}x{cols} board")
    difficulty = values.get("difficulty")
    if difficulty is not None and difficulty not in DIFFICULTIES:
        raise BoardFormatError(f'"difficulty" is one of {", ".join(DIFFICULTIES)}, or missing')
    if values.get("no_guess") is True:
        tried = _whole({"tried": 0, **values}, "tried", 0, _MOST_TRIED)
        search = no_guess_search(level, (r, c), seed, _MOST_TRIED, difficulty, tried)
        return _without_guesses(search, tried, time.monotonic() + limits.seconds / 4)
    mined = deal(make_field(rows, cols), level.mines, r * cols + c, str(values.get("rule", "safe"))[:20], seed)
    return {"layout": [divmod(i, cols) for i in mined.nonzero()[0].tolist()], "difficulty": None}


_MOST_TRIED = 100_000  # boards drawn in all


def _without_guesses(search: Iterator[NoGuess | None], tried: int, end: float) -> dict[str, Any]:
    """The board that a search finds after some that were tried, or how many were when the time was over."""
    for found in search:
        if found is not None:
            return {"layout": sorted(found.board.layout or ()), "difficulty": found.grade.difficulty}
        tried += 1
        if time.monotonic() > end:
            break
    return {"layout": None, "tried": tried}


def _whole(values: Mapping[str, Any], name: str, least: int, most: int) -> int:
    value = values.get(name)
    if type(value) is int and least <= value <= most:
        return value
    raise BoardFormatError(f'"{name}" is a whole number from {least} to {most}')


def _export(values: Mapping[str, Any], limits: Limits) -> dict[str, Any]:
    form = values.get("form")
    if not isinstance(form, str) or form not in FORMS:
        raise BoardFormatError(f'"form" is one of {", ".join(FORMS)}')
    suffix, write = FORMS[form]
    data = write(_board(values, limits), _clicks(values.get("clicks", [])))
    return {
        "name": f"{'game' if form == 'rawvf' else 'board'}{suffix}",
        "file": base64.b64encode(data if isinstance(data, bytes) else data.encode()).decode(),
    }


Clicks = list[tuple[int, int, str, float]]
"""Row, column, button and seconds of each click."""


def _clicks(flat: Any) -> Clicks:
    clicks = list(zip(*[iter(flat)] * 4, strict=False)) if isinstance(flat, list) else None
    if clicks is None or 4 * len(clicks) != len(flat) or not all(map(_is_click, clicks)):
        raise BoardFormatError('"clicks" is a list; each click is a row, a column, "l" or "r", and a time in seconds')
    return clicks


def _is_click(click: tuple[Any, ...]) -> bool:
    r, c, button, time = click
    is_time = type(time) in (int, float) and abs(time) <= LONGEST
    return type(r) is int and type(c) is int and button in ("l", "r") and is_time


def _board_alone(write: Callable[[Board], str | bytes]) -> Callable[[Board, Clicks], str | bytes]:
    return lambda board, clicks: write(board)


FORMS: dict[str, tuple[str, Callable[[Board, Clicks], str | bytes]]] = {
    "text": (".txt", _board_alone(Board.to_text)),
    "json": (".json", _board_alone(Board.to_json)),
    "mine": (".mine", _board_alone(to_mine)),
    "mbf": (".mbf", _board_alone(to_mbf)),
    "rawvf": (".rawvf", lambda board, clicks: to_rawvf(board, clicks, Program="mines_dd", Superclick="On")),
    "cnf": (".cnf", _board_alone(to_cnf)),
    "opb": (".opb", _board_alone(to_opb)),
}
"""For each form in which a board or a game can be saved the suffix of its file and the function that writes it."""


def _cell(value: Any) -> Position:
    if isinstance(value, list) and len(value) == 2 and all(type(x) is int for x in value):
        return value[0], value[1]
    raise BoardFormatError('"cell" is [row, column], two whole numbers counted from 0')


def _sentence(error: MinesError) -> str:
    """The error's text with a capital letter."""
    text = str(error)
    return text[:1].upper() + text[1:]


QUESTIONS: dict[str, Callable[[Mapping[str, Any], Limits], dict[str, Any]]] = {
    "read": _reading,
    "analyse": _analysis,
    "explain": _explanation,
    "numbers": _numbers,
    "totals": _totals,
    "deal": _deal,
    "export": _export,
}
"""The function for each question."""
