"""How cells and numbers look: shades that text stands out from, numbers short enough to read."""

import pytest
from colour_blind import SIGHTS, confused, seen
from hypothesis import given
from hypothesis import strategies as st

from mines_dd.board.look import fill, ink, look, short_number


def test_numbers_too_long_to_read_are_shortened_however_long_they_are():
    assert short_number(10**29) == "1" + "0" * 29
    assert short_number(10**30) == "1.00000000e+30"
    assert short_number(3 * 10**20_000) == "3.00000000e+20000"  # Python's own limit is 4300 digits


@given(st.fractions(0, 1))
def test_text_stands_out_from_every_shade(share):
    def luminance(colour: str) -> float:
        channels = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
        linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
        return sum(weight * c for weight, c in zip((0.2126, 0.7152, 0.0722), linear, strict=True))

    paper = fill("#", share)
    light, dark = sorted([luminance(paper), luminance(ink(paper))], reverse=True)
    assert (light + 0.05) / (dark + 0.05) >= 4.5  # WCAG 2.1, level AA


def test_the_colour_blind_can_tell_cells_apart():
    shares = {"unknown": None, "safe": 0, "mine": 1, **{f"{p} %": p / 100 for p in (1, 20, 40, 60, 80, 99)}}
    cells = {name: look("#", share) for name, share in shares.items()}
    cells |= {name: look(name) for name in "012345678F"}
    assert not confused({name: (one.text, _channels(one.paper)) for name, one in cells.items()})
    small = {name: (one.text in ("✓", "✱") and one.text, _channels(one.paper)) for name, one in cells.items()}
    for digit in "12345678F":
        del small[digit]
    assert not confused(small)  # where no percentages fit


def test_colours_that_only_differ_in_red_and_green_are_confused():
    alike = confused({"a": ("", (160, 112, 0)), "b": ("", (118, 126, 0))})
    assert {sight for _, _, sight, _ in alike} == {"without red", "without green"}
    assert not confused({"a": ("1", (160, 112, 0)), "b": ("2", (118, 126, 0))})
    for sight in SIGHTS:  # greys are seen as they are
        assert seen((119, 119, 119), sight) == pytest.approx([50.0, 0, 0], abs=0.1)


def _channels(colour):
    return [int(colour[i : i + 2], 16) for i in (1, 3, 5)]
