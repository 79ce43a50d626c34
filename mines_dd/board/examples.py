"""Boards that come with the package, to try things on, and files for the commands that take something else."""

from __future__ import annotations

from pathlib import Path

from mines_dd.base.checks import require_choice

__all__ = ["EXAMPLES", "OTHER_EXAMPLES", "example"]

EXAMPLES = {
    "figure9": ("figure9.txt", "3x3, 3 assignments: figure 9 of the paper"),
    "figure10": ("figure10.txt", "4x4, 66 assignments: figure 10 of the paper"),
    "beginner": ("beginner_9x9_10.txt", "a Beginner game, 10 mines"),
    "intermediate": ("intermediate_16x16_40.txt", "an Intermediate game, 40 mines"),
    "expert": ("expert_16x30_99.txt", "an Expert game, 99 mines"),
    "fifty-fifty": ("fifty_fifty_9x9_10.txt", "the last two cells of a game, one of them a mine"),
    "paper-10x10": ("paper_10x10_30_50.txt", "10x10, 30% mines, hints on half of the safe cells"),
    "paper-30x30": ("paper_30x30_30_50.txt", "30x30 (the paper gives no size), the same shares"),
}
"""For each name of a board its file, and what it is."""

OTHER_EXAMPLES = {
    "costs": ("costs.csv", "costs of mines on figure10, for mines-dd cheapest"),
    "snacks": ("snacks.txt", "ten snacks for up to 300 yen, for mines-dd build knapsack"),
    "degrees": ("degrees.txt", "a graph with degree constraints, for mines-dd build degrees"),
    "streets": ("streets.txt", "3x3 crossings, for mines-dd build paths"),
    "go": ("go_19x19.sgf", "a Go board with 277 strings, for mines-dd strings"),
    "game": ("game.csv", "a game with draws, for mines-dd retrograde"),
    "umigame": ("umigame.csv", "an opening with transpositions, for mines-dd umigame and retrograde"),
    "umigame-tree": ("umigame_tree.csv", "an opening without, for mines-dd umigame"),
    "words": ("words.txt", "313 words, for mines-dd shiritori"),
}
"""For each name of a file that is no board the file, and what it is for."""


def example(name: str) -> str:
    r"""Return the text of a board, or of another file, that comes with the package.

    Raises
    ------
    MinesError
        If there is none of that name.

    Examples
    --------
    >>> example("figure10")
    '####\n#22#\n#22#\n####\n'
    """
    known = EXAMPLES | OTHER_EXAMPLES
    require_choice(name, known, "example")
    package = Path(__file__).parent.parent
    installed = package / "examples"
    folder = installed if installed.is_dir() else package.parent / "data"  # a wheel has the first, a clone the second
    return (folder / known[name][0]).read_text(encoding="utf-8")
