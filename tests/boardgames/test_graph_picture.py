import numpy as np
import pytest
from matplotlib.patches import ConnectionStyle

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


@pytest.mark.parametrize("place", [(2.0, 0.0), (1.0, 0.2), (3.0, -0.3)])
def test_an_arrow_goes_around_a_position_between_its_ends(place):
    others, bends = np.array([(*place, 0.45)]), [0.0, 0.15, -0.15, 0.3, -0.3]
    chosen = graph_picture._clear((0.0, 0.0), (4.0, 0.0), others, bends)
    assert chosen
    arc = ConnectionStyle("Arc3", rad=chosen)((0.0, 0.0), (4.0, 0.0), shrinkA=0, shrinkB=0)
    along = np.linspace(0, 1, 100)
    (_, start), (_, control), (_, end) = arc.vertices
    y = (1 - along) ** 2 * start + 2 * along * (1 - along) * control + along**2 * end
    assert np.hypot(4 * along - place[0], -y - place[1]).min() > 0.4  # y goes up there, and down in our pictures
    assert graph_picture._clear((0.0, 0.0), (4.0, 0.0), others + [0.0, 1.0, 0.0], bends) == 0
