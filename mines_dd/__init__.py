"""All mine assignments of a Minesweeper board, by decision diagrams and tree decompositions.

>>> from mines_dd import Board, solve
>>> family = solve(Board.parse('''
... ####
... #22#
... #22#
... ####'''))
>>> family.count(), family.probabilities()[0, 0]
(66, Fraction(14, 33))
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from mines_dd.answers.analysis import Analysis, analyse
    from mines_dd.answers.explain import explain
    from mines_dd.answers.session import Session
    from mines_dd.answers.solver import solve, subgraphs
    from mines_dd.base.budget import Budget
    from mines_dd.base.errors import (
        BoardFormatError,
        BudgetExceededError,
        GraphFormatError,
        InconsistentBoardError,
        MinesError,
    )
    from mines_dd.board.board import Board
    from mines_dd.constraints.graph import mine_graph
    from mines_dd.diagrams.assignments import Assignments
    from mines_dd.play.advice import Advice, advise

__all__ = [
    "Advice",
    "Analysis",
    "Assignments",
    "Board",
    "BoardFormatError",
    "Budget",
    "BudgetExceededError",
    "GraphFormatError",
    "InconsistentBoardError",
    "MinesError",
    "Session",
    "advise",
    "analyse",
    "explain",
    "mine_graph",
    "solve",
    "subgraphs",
]

__version__ = "0.2.0"

_HOME = {
    "Advice": "play.advice",
    "advise": "play.advice",
    "Analysis": "answers.analysis",
    "analyse": "answers.analysis",
    "explain": "answers.explain",
    "Assignments": "diagrams.assignments",
    "Board": "board.board",
    "Budget": "base.budget",
    "mine_graph": "constraints.graph",
    "Session": "answers.session",
    "solve": "answers.solver",
    "subgraphs": "answers.solver",
}


def __getattr__(name: str) -> Any:
    """Import a public name when it is first used: the command line answers at once."""
    if name not in __all__:
        raise AttributeError(f"module 'mines_dd' has no attribute {name!r}")
    value = getattr(import_module(f"mines_dd.{_HOME.get(name, 'base.errors')}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    """List the public names."""
    return sorted(__all__)
