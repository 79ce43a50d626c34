"""What the paper prints, and its settings.

H. Suzuki, H. Sun, S. Minato, "Generating All Mine Assignments of Minesweeper Using BDD/ZDD", JSAI 2016, §5.
"""

from __future__ import annotations

from typing import Any

__all__ = ["HINTS", "MINES", "SETTINGS", "SIZE", "SWAPPED", "TABLE_1", "TABLE_2", "TABLE_2_MINES"]

MINES = (10, 20, 30)
HINTS = (10, 30, 50)
SETTINGS: list[tuple[Any, int]] = [(hints, mines) for hints in HINTS for mines in MINES]
SIZE = 30  # inferred: the paper gives none

# Table 1: seconds, mean / min / max of ten boards (C++, Core i7-3930K), by hint and mine percentage.
TABLE_1: dict[tuple[int, int, str], tuple[float, float, float]] = {
    (10, 10, "bdd"): (0.0898, 0.0724, 0.1082),
    (10, 10, "zdd"): (3.2197, 2.6686, 3.6271),
    (10, 10, "dc"): (0.0061, 0.0054, 0.0068),
    (10, 20, "bdd"): (0.1415, 0.0828, 0.2779),
    (10, 20, "zdd"): (2.9522, 2.4270, 3.4220),
    (10, 20, "dc"): (0.0056, 0.0051, 0.0064),
    (10, 30, "bdd"): (0.2015, 0.1202, 0.2766),
    (10, 30, "zdd"): (2.6064, 2.2604, 2.9293),
    (10, 30, "dc"): (0.0051, 0.0047, 0.0063),
    (30, 10, "bdd"): (0.3087, 0.2676, 0.3541),
    (30, 10, "zdd"): (21.7822, 19.8257, 23.4192),
    (30, 10, "dc"): (0.0963, 0.0571, 0.1718),
    (30, 20, "bdd"): (3.3373, 0.6909, 14.3177),
    (30, 20, "zdd"): (29.5592, 22.1323, 40.2097),
    (30, 20, "dc"): (5.5909, 0.1563, 32.4244),
    (30, 30, "bdd"): (19.7889, 2.2616, 60.7200),
    (30, 30, "zdd"): (42.8664, 22.4692, 77.6534),
    (30, 30, "dc"): (1.5040, 0.0693, 4.4572),
    (50, 10, "bdd"): (0.2748, 0.2619, 0.2921),
    (50, 10, "zdd"): (23.1147, 22.0187, 24.2032),
    (50, 10, "dc"): (0.0349, 0.0270, 0.0426),
    (50, 20, "bdd"): (0.4428, 0.3472, 1.0526),
    (50, 20, "zdd"): (34.9944, 33.6787, 36.9539),
    (50, 20, "dc"): (0.8787, 0.0568, 3.2996),
    (50, 30, "bdd"): (1.4812, 0.4979, 5.7594),
    (50, 30, "zdd"): (37.8803, 35.7802, 43.1102),
    (50, 30, "dc"): (290.3275, 0.2947, 2239.0358),
}

# Table 2: nodes of the ZDD, number of assignments, seconds to count, by the hint percentage that is printed.
TABLE_2 = {
    10: (160923, 68858325064509287989248000, 0.0064),
    30: (686989, 2807190738001221099701178202517893803257364480000000, 0.0219),
    50: (1216, 19238058211473347462495060554811486584700928000000000000, 0.0007),
}
TABLE_2_MINES = 30
SWAPPED = {10: 50, 30: 30, 50: 10}
"""What the labels of table 2 appear to stand for."""
