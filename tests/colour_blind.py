"""Colours as people see them who lack one kind of cones, and how far colours are apart.

The matrices are of G. M. Machado, M. M. Oliveira, L. A. F. Fernandes: A Physiologically-based Model for Simulation of
Color Vision Deficiency, 2009, for the complete lack; they act on linear red, green and blue.
"""

from itertools import combinations

import numpy as np

SIGHTS = {
    "ordinary": np.eye(3),
    "without red": np.array(
        [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]]
    ),
    "without green": np.array(
        [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.011820, 0.042940, 0.968881]]
    ),
    "without blue": np.array(
        [[1.255528, -0.076749, -0.178779], [-0.078411, 0.930809, 0.147602], [0.004733, 0.691367, 0.303900]]
    ),
}
"""For each kind of sight its matrix."""

CLEAR = 8.0
"""The distance from which on two areas count as different; 2.3 is just noticeable side by side."""

_TO_XYZ = np.array([[0.4124, 0.3576, 0.1805], [0.2126, 0.7152, 0.0722], [0.0193, 0.1192, 0.9505]])


def seen(colour, sight):
    """A colour, three numbers from 0 to 255 (sRGB), as a point in CIELAB (D65) for a kind of sight."""
    share = np.asarray(colour) / 255
    linear = np.where(share <= 0.04045, share / 12.92, ((share + 0.055) / 1.055) ** 2.4)
    xyz = _TO_XYZ @ np.clip(SIGHTS[sight] @ linear, 0, 1) / _TO_XYZ.sum(axis=1)
    x, y, z = np.where(xyz > (6 / 29) ** 3, np.cbrt(xyz), xyz / (3 * (6 / 29) ** 2) + 4 / 29)
    return np.array([116 * y - 16, 500 * (x - y), 200 * (y - z)])


def confused(looks, clear=CLEAR):
    """The pairs of looks that have the same sign and, for some sight, colours that are not `clear` of each other.

    `looks` maps names to a sign and a colour; what comes back are tuples of two names, a sight and the distance.
    """
    return [
        (one, other, sight, round(float(distance), 1))
        for (one, (sign, colour)), (other, (its_sign, its_colour)) in combinations(looks.items(), 2)
        if sign == its_sign
        for sight in SIGHTS
        if (distance := np.linalg.norm(seen(colour, sight) - seen(its_colour, sight))) < clear
    ]
