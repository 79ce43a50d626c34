import pytest

from mines_dd.boardgames import graph_picture


@pytest.mark.parametrize(
    ("names", "shown"),
    [
        (["white king a1", "white king a2"], ["white king a1", "white king a2"]),
        (["x" * 22, "x" * 23], ["x" * 22, "x" * 10 + "…" + "x" * 11]),
        (["the king on a1, the rook on b7"] * 2, ["the king o… rook on b7"] * 2),
        (
            ["the first long name of all", "the first wrong name of all"],
            ["…irst long name of all", "…rst wrong name of all"],
        ),
        (["x" * 30, "x" * 31], ["…" + "x" * 21] * 2),
    ],
)
def test_long_names_are_shortened_and_those_that_differ_still_do(names, shown):
    assert graph_picture._fitting(names) == shown
    assert max(map(len, shown)) <= 22
