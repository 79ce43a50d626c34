"""How a cell looks wherever it is shown in colour: in the terminal, a notebook, a picture, the web page.

Cells that are certain are green (safe) or vermilion (mines), which colour-blind people can tell apart (M. Okabe,
K. Ito: Color Universal Design, 2008), and carry a sign.  All others are blue, darker for a higher probability.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from decimal import Decimal
from typing import Any, NamedTuple

from mines_dd.base.wording import rounded
from mines_dd.board.cells import CLOSED, FLAG, MINE

__all__ = [
    "FLAG_SIGN",
    "GRID_LINE",
    "Look",
    "css_variables",
    "fill",
    "ink",
    "look",
    "percent",
    "power_of_ten",
    "short_number",
]

SAFE_SIGN, MINE_SIGN, FLAG_SIGN = "✓", "✱", "⚑"
GRID_LINE = "#d4d4d4"
"""The colour of the lines between cells."""

# The usual colours of the digits, darkened where they were too light to read.
_DIGIT_COLOURS = ("#b0b0b0", "#0000d0", "#007a00", "#d00000", "#000080", "#800000", "#007a7a", "#000000", "#606060")
_FLAG_COLOUR = "#b00000"
_SAFE, _MINE, _OPEN, _CLOSED = "#2fb58c", "#d55e00", "#fafafa", "#b4b4b4"
_LIGHTEST, _DARKEST = (0xDE, 0xE9, 0xF7), (0x16, 0x35, 0x6B)


# The same on a dark page: what is open is dark, its digits are light.  Certain cells and shades stay.
_DARK = {
    "open": "#20262d",
    "closed": "#606a75",
    "edge": "#363e48",
    "flag": "#ffc2c2",
    "digit-0": "#606a75",
    "digit-1": "#86aaff",
    "digit-2": "#63cf6c",
    "digit-3": "#ff8080",
    "digit-4": "#b9a7ff",
    "digit-5": "#ffa36b",
    "digit-6": "#52d3d3",
    "digit-7": "#f0f0f0",
    "digit-8": "#b5b5b5",
}


class Look(NamedTuple):
    """What is drawn in a cell.

    Attributes
    ----------
    text : str
        A count, a sign, a probability in percent, or nothing.
    paper, ink : str
        The colours of the cell and of the text, as #rrggbb.
    bold : bool
        Whether the text is what the player sees, not a probability.
    pennant : bool
        Whether a small flag stands beside the probability.

    Examples
    --------
    >>> look("F", 0.25)
    Look(text='25', paper='#acbcd4', ink='#000000', bold=False, pennant=True)
    """

    text: str
    paper: str
    ink: str
    bold: bool
    pennant: bool


def look(character: str, share: Any = None) -> Look:
    """Return the look of a cell from its character on the board and, if it is known, its mine probability.

    Examples
    --------
    >>> look("2").text, look("#", 0).text, look("F", 0.25).text, look("#", 1).paper
    ('2', '✓', '25', '#d55e00')
    """
    paper = fill(character, share)
    if share is not None:
        text = MINE_SIGN if share == 1 else SAFE_SIGN if share == 0 else percent(share)
        return Look(text, paper, ink(paper), bold=False, pennant=character == FLAG)
    if character.isdigit():
        return Look("" if character == "0" else character, paper, _DIGIT_COLOURS[int(character)], True, False)
    if character == FLAG:
        return Look(FLAG_SIGN, paper, _FLAG_COLOUR, True, False)
    return Look(MINE_SIGN if character == MINE else "", paper, ink(paper), True, False)


def fill(character: str, share: Any = None) -> str:
    """Return the background colour of a cell, as #rrggbb, from its character and, if known, its mine probability.

    Examples
    --------
    >>> fill("3"), fill("#"), fill("#", 0), fill("#", 0.5)
    ('#fafafa', '#b4b4b4', '#2fb58c', '#7a8fb1')
    """
    if character == MINE or share == 1:
        return _MINE
    if share is None:
        return _CLOSED if character in (CLOSED, FLAG) else _OPEN
    if share == 0:
        return _SAFE
    return "#" + "".join(f"{round(a + (b - a) * float(share)):02x}" for a, b in zip(_LIGHTEST, _DARKEST, strict=True))


def ink(background: str) -> str:
    """Return black or white, whichever is easier to read on a background (relative luminance of WCAG 2).

    Examples
    --------
    >>> ink("#fafafa"), ink("#16356b")
    ('#000000', '#ffffff')
    """
    channels = (int(background[i : i + 2], 16) / 255 for i in (1, 3, 5))
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
    return "#000000" if 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2] > 0.179 else "#ffffff"


def percent(share: Any) -> str:
    """Return a probability in whole percent; only what is certain is 0 or 100.

    Examples
    --------
    >>> [percent(share) for share in (0, 0.001, 0.125, 0.2345, 0.999, 1)]
    ['0', '<1', '13', '23', '>99', '100']
    """
    if share in (0, 1):
        return str(100 * int(share))
    whole = int(rounded(100 * float(share)))
    return "<1" if whole < 1 else ">99" if whole > 99 else str(whole)


def short_number(number: int) -> str:
    """Return a number with all digits up to 30, else with nine significant digits.

    Examples
    --------
    >>> short_number(66), short_number(7**50)
    ('66', '1.79846504e+42')
    """
    return str(number) if abs(number) < 10**30 else f"{Decimal(number):.8e}"


def power_of_ten(exponent: float) -> str:
    """Return 10**exponent as `short_number` writes it: a whole number, or as many digits as a double has of it.

    Examples
    --------
    >>> power_of_ten(42.25), power_of_ten(3.0), power_of_ten(123456.5)
    ('1.77827941e+42', '1000', '3.16227766e+123456')
    """
    if exponent < 8:
        return f"{10**exponent:.0f}"
    whole = math.floor(exponent)
    digits = 10 ** (exponent - whole)
    if float(f"{digits:.8f}") >= 10:
        digits, whole = digits / 10, whole + 1
    return f"{digits:.8f}e+{whole}"


def css_variables() -> str:
    """Return the colours and signs as CSS variables, for the web page; those of a dark page where it is wanted.

    Examples
    --------
    >>> print(css_variables()[:22])
    :root {
      --safe: #2fb
    """
    colours = {
        "safe": _SAFE,
        "safe-ink": ink(_SAFE),
        "mine": _MINE,
        "mine-ink": ink(_MINE),
        "open": _OPEN,
        "closed": _CLOSED,
        "edge": GRID_LINE,
        "flag": _FLAG_COLOUR,
        "unlikely": fill(CLOSED, 1e-9),
        "likely": fill(CLOSED, 1 - 1e-9),
        "white-from": min(k / 100 for k in range(1, 100) if ink(fill(CLOSED, k / 100)) == "#ffffff"),
        **{f"digit-{digit}": colour for digit, colour in enumerate(_DIGIT_COLOURS)},
        "safe-sign": f'"{SAFE_SIGN}"',
        "mine-sign": f'"{MINE_SIGN}"',
        "flag-sign": f'"{FLAG_SIGN}"',
    }
    return f"{_css_rule(colours)}@media screen and (prefers-color-scheme: dark) {{\n{_css_rule(_DARK)}}}\n"


def _css_rule(colours: Mapping[str, object]) -> str:
    return ":root {\n" + "".join(f"  --{name}: {value};\n" for name, value in colours.items()) + "}\n"
