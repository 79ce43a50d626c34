"""The tour of the package points at what is there."""

import re
from importlib import import_module
from pathlib import Path

import pytest

import mines_dd

TOUR = Path(mines_dd.__file__).parent / "README.md"
ROW = re.compile(r"^\| [^|]+ \| (`[a-z_]+/[a-z_]+\.py`[^|]*) \| ([^|]+) \|$", re.MULTILINE)
PLACES = [
    (re.findall(r"`([^`]+)`", files), name)
    for files, names in ROW.findall(TOUR.read_text(encoding="utf-8"))
    for name in re.findall(r"`([^`]+)`", names)
]


def test_the_tour_has_a_table_of_places():
    assert len(PLACES) >= 20


@pytest.mark.parametrize(("files", "name"), PLACES, ids=lambda value: str(value))
def test_a_name_is_in_the_file_that_the_tour_says(files, name):
    first, *attributes = name.split(".")
    homes = [import_module("mines_dd." + file.removesuffix(".py").replace("/", ".")) for file in files]
    homes = [getattr(home, first) for home in homes if hasattr(home, first)]
    assert homes, f"{first} is in none of {files}"
    for attribute in attributes:
        homes = [getattr(home, attribute) for home in homes]
