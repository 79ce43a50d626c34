"""The differential harness: cases that failed once, some that never did, and a fault that it has to find."""

import json
import random
from pathlib import Path

import pytest

from experiments import soak
from experiments.cases import random_case
from mines_dd.diagrams.assignments import Assignments

FAILED = sorted((Path(__file__).parents[1] / "failures").glob("*.json"))


@pytest.mark.parametrize("path", FAILED, ids=lambda path: path.stem)
def test_a_case_that_failed_once_is_right_now(path):
    saved = json.loads(path.read_text())
    assert soak.said([(cells, allowed) for cells, allowed in saved["case"]], saved["seed"]) is None


@pytest.mark.parametrize("number", range(12))
def test_random_cases_of_all_shapes_are_right(number):
    _, case = random_case(random.Random(f"test/{number}"))
    assert not case or soak.said(case, number) is None


def test_a_wrong_count_is_found_and_reduced(monkeypatch):
    right = Assignments.count
    monkeypatch.setattr(Assignments, "count", lambda self: right(self) + (self.method == "dc" and len(self.cells) > 2))
    case = [([0, 1, 2, 3], [2]), ([3, 4, 5], [1]), ([6, 7], [1])]
    assert "dc" in soak.said(case, 0)
    assert len({cell for cells, _ in soak.shrunk(case, 0) for cell in cells}) == 3
