"""The answers of the analyser: functions from a request's values to JSON values, within limits."""

from __future__ import annotations

import math
import sys
import traceback
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from mines_dd.base.errors import BoardFormatError, BudgetExceededError, InconsistentBoardError, MinesError
from mines_dd.board.board import Board, Position

__all__ = ["QUESTIONS", "Answer", "Limits", "answer", "too_costly"]

Answer = tuple[int, dict[str, Any]]
"""An HTTP status and a JSON object; that of an error has the keys `error`, a sentence, and `kind`."""


@dataclass(frozen=True)
class Limits:
    """What a request may use, and how many run at a time.

    Attributes
    ----------
    side : int
        The most rows, and the most columns, of a board.
    body : int
        Bytes of a request.
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
        The values of the request: `board`, a board as text or JSON; for "explain" also `cell`, [row, column].  "read"
        only reads the board, also one that is too costly to analyse.
    limits : Limits

    Examples
    --------
    >>> status, value = answer("analyse", {"board": "#1#/#10"}, Limits())
    >>> status, value["count"], value["safe"]
    (200, '2', [(0, 2)])
    """
    try:
        return 200, QUESTIONS[question](_board(values, limits), values, limits)
    except InconsistentBoardError as error:
        return 422, {"error": f"{_sentence(error)}.", "kind": "conflict", "hints": sorted(error.hints)}
    except BoardFormatError as error:
        return 400, {"error": f"{_sentence(error)}.", "kind": "format"}
    except BudgetExceededError as error:
        return too_costly(error.needed, error.unit, limits)
    except MemoryError:
        return too_costly(math.inf, "bytes", limits)
    except MinesError as error:
        return 422, {"error": f"{_sentence(error)}.", "kind": "question"}
    except Exception:
        traceback.print_exc(file=sys.stderr)
        return 500, {"error": "The server made a mistake with this position; please report it.", "kind": "mistake"}


def too_costly(needed: float, unit: str, limits: Limits) -> Answer:
    """Return the refusal of a position that needs more than it may use.

    Examples
    --------
    >>> status, value = too_costly(20.0, "seconds", Limits())
    >>> status, value["error"][:78]
    (422, 'This position is too costly: it takes longer than the 10 seconds that are allo')
    """
    about = "more" if math.isinf(needed) else f"about {needed:,.0f}" if needed < 1e6 else f"about {needed:.0e}"
    what = {
        "nodes": f"it needs {about} table entries and {limits.nodes:,} are allowed",
        "seconds": f"it takes longer than the {limits.seconds:g} seconds that are allowed",
        "bytes": f"it needs more memory than the {limits.memory / 2**30:.1f} GiB that are allowed",
    }[unit]
    advice = "Fill in more numbers or take a smaller part of the board, or start the server with higher limits."
    return 422, {"error": f"This position is too costly: {what}. {advice}", "kind": "budget"}


def _board(values: Mapping[str, Any], limits: Limits) -> Board:
    """The board of the request, if it is small enough."""
    text = values.get("board")
    if not isinstance(text, str):
        raise BoardFormatError('"board" is missing; send the board as one text')
    board = Board.parse(text)
    rows, cols = board.size
    if max(rows, cols) > limits.side:
        raise BoardFormatError(f"the board is {rows}x{cols}; at most {limits.side}x{limits.side} cells are taken here")
    return board


def _reading(board: Board, values: Mapping[str, Any], limits: Limits) -> dict[str, Any]:
    return {"board": list(board.grid), "total": board.mines}


def _analysis(board: Board, values: Mapping[str, Any], limits: Limits) -> dict[str, Any]:
    from mines_dd.answers.analysis import analyse
    from mines_dd.base.budget import Budget
    from mines_dd.play.advice import advice_of

    budget = Budget(limits.nodes, limits.seconds)
    found = analyse(board, budget=budget)
    advice = advice_of(found, Budget(timeout=budget.seconds_left / 2))  # leaves time for the rest of the answer
    return {
        "board": list(board.grid),
        "total": found.total,
        "count": found.short_count if found.error else str(found.count),
        "probability": [[None if p != p else round(p, 6) for p in row] for row in found.probability.tolist()],
        "safe": sorted(found.safe),
        "mines": sorted(found.mines),
        "safest": found.safest,
        **advice.record(),
    }


def _explanation(board: Board, values: Mapping[str, Any], limits: Limits) -> dict[str, Any]:
    from mines_dd.answers.explain import explain
    from mines_dd.base.budget import Budget

    found = explain(board, _cell(values.get("cell")), budget=Budget(limits.nodes, limits.seconds))
    return {
        "cell": found.cell,
        "verdict": found.verdict,
        "hints": found.hints,
        "needs_total": found.needs_total,
        "with_mine": None if found.with_mine is None else str(found.with_mine),
        "without": None if found.without is None else str(found.without),
        "probability": found.probability,
    }


def _cell(value: Any) -> Position:
    if isinstance(value, list) and len(value) == 2 and all(type(x) is int for x in value):
        return value[0], value[1]
    raise BoardFormatError('"cell" is [row, column], two whole numbers counted from 0')


def _sentence(error: MinesError) -> str:
    """The error's text with a capital letter."""
    text = str(error)
    return text[:1].upper() + text[1:]


QUESTIONS: dict[str, Callable[[Board, Mapping[str, Any], Limits], dict[str, Any]]] = {
    "read": _reading,
    "analyse": _analysis,
    "explain": _explanation,
}
"""The function for each question."""
