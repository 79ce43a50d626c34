"""Processes of the page that are ready soon: they load what small boards need, and not what boards of all sizes do."""

import mines_dd.serve.workers
from mines_dd.serve.answers import Limits, answer

_work = mines_dd.serve.workers._work


def work(pipe, limits):
    """The main function of such a process."""
    mines_dd.serve.workers._warm_up = _small_boards
    _work(pipe, limits)


def _small_boards():
    yield "small boards"
    for board in ("#", "mines: 1\n#1#", "mines: 3\n####\n#12#\n####"):
        answer("analyse", {"board": board}, Limits(seconds=3600))
