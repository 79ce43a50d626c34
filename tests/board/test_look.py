"""How cells and numbers look: shades that text stands out from, numbers short enough to read."""

from hypothesis import given
from hypothesis import strategies as st

from mines_dd.board.look import fill, ink, short_number


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
