"""Errors."""

import pickle

import pytest

from mines_dd.base.errors import BoardFormatError, BudgetExceededError, InconsistentBoardError


@pytest.mark.parametrize(
    "error",
    [
        BoardFormatError("bad", line=2, column=3),
        InconsistentBoardError("bad", [(0, 1)]),
        BudgetExceededError("bad", needed=2, allowed=1, unit="nodes"),
        BudgetExceededError("bad", needed=2, allowed=1, unit="nodes", advice="take less"),
    ],
)
def test_errors_come_whole_out_of_another_process(error):
    again = pickle.loads(pickle.dumps(error))
    assert (type(again), str(again), vars(again)) == (type(error), str(error), vars(error))
    assert str(again) == ("bad; take less" if getattr(error, "advice", "") else "bad")
