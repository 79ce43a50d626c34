"""Processes of the page that are ready soon: they load what small boards need, and not what boards of all sizes do."""

import mines_dd.serve.workers
from mines_dd.base import jit
from mines_dd.serve.answers import Limits, answer

QUICK = "import page_workers; from mines_dd.serve import workers; workers._work = page_workers.work; "
"""A program that begins with this starts such processes."""

_work = mines_dd.serve.workers._work


def work(pipe, limits):
    """The main function of such a process."""
    _start(pipe, limits, "#", "mines: 1\n#1#", "mines: 3\n####\n#12#\n####")


def work_without_totals(pipe, limits):
    """The same for boards without a number of mines, which need nothing compiled."""
    _start(pipe, limits, "#", "#1#")


def _start(pipe, limits, *boards):
    def warm_up():
        yield "small boards"
        for board in boards:
            answer("analyse", {"board": board}, Limits(seconds=3600))

    mines_dd.serve.workers._warm_up = warm_up
    jit.Kernel._interpreted = -(10**12)  # however many small boards come
    _work(pipe, limits)
