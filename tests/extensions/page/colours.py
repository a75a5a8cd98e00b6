"""Differences between colours, as readers with and without a colour vision deficiency see them."""

from typing import Any, Final

import numpy as np
import numpy.typing as npt

Values = npt.NDArray[np.float64]

VISIONS: Final[dict[str, Any]] = {
    "all colours": np.eye(3),
    "protanopia": [
        [0.152286, 1.052583, -0.204868],
        [0.114503, 0.786281, 0.099216],
        [-0.003882, -0.048116, 1.051998],
    ],
    "deuteranopia": [
        [0.367322, 0.860646, -0.227968],
        [0.280085, 0.672501, 0.047413],
        [-0.011820, 0.042940, 0.968881],
    ],
    "tritanopia": [
        [1.255528, -0.076749, -0.178779],
        [-0.078411, 0.930809, 0.147602],
        [0.004733, 0.691367, 0.303900],
    ],
}
"""Linear RGB as seen: Machado, Oliveira and Fernandes, "A physiologically-based model for
simulation of color vision deficiency", IEEE TVCG 15, 2009, at severity 1."""

_TO_XYZ: Final = np.array(
    [
        [0.4124564, 0.3575761, 0.1804375],
        [0.2126729, 0.7151522, 0.0721750],
        [0.0193339, 0.1191920, 0.9503041],
    ]
)
_WHITE: Final = np.array([0.95047, 1.0, 1.08883])


def linear(colour: str) -> Values:
    """Linear RGB of ``#rrggbb`` (IEC 61966-2-1)."""
    value = np.array([int(colour[n : n + 2], 16) for n in (1, 3, 5)]) / 255
    return np.where(value <= 0.04045, value / 12.92, ((value + 0.055) / 1.055) ** 2.4)


def contrast(first: str, other: str) -> float:
    """The contrast ratio of WCAG 2.1, from 1 to 21."""
    low, high = sorted(float(_TO_XYZ[1] @ linear(colour)) for colour in (first, other))
    return (high + 0.05) / (low + 0.05)


def seen_as(colour: str, vision: str) -> Values:
    """CIELAB coordinates of a colour for a kind of vision."""
    rgb = np.clip(np.asarray(VISIONS[vision]) @ linear(colour), 0, 1)
    ratio = _TO_XYZ @ rgb / _WHITE
    f = np.where(ratio > 216 / 24389, np.cbrt(ratio), (24389 / 27 * ratio + 16) / 116)
    return np.array([116 * f[1] - 16, 500 * (f[0] - f[1]), 200 * (f[1] - f[2])])


def ciede2000(first: Any, other: Any) -> float:
    """The difference of two CIELAB colours.

    Sharma, Wu and Dalal, "The CIEDE2000 color-difference formula: implementation notes,
    supplementary test data, and mathematical observations", Color Research 30, 2005.
    """
    (l1, a1, b1), (l2, a2, b2) = first, other
    mean_c = (np.hypot(a1, b1) + np.hypot(a2, b2)) / 2
    g = 0.5 * (1 - np.sqrt(mean_c**7 / (mean_c**7 + 25**7)))
    a1, a2 = (1 + g) * a1, (1 + g) * a2
    c1, c2 = np.hypot(a1, b1), np.hypot(a2, b2)
    h1, h2 = np.degrees(np.arctan2(b1, a1)) % 360, np.degrees(np.arctan2(b2, a2)) % 360
    turn = 0.0 if c1 * c2 == 0 else (h2 - h1 + 180) % 360 - 180
    delta_l, delta_c = l2 - l1, c2 - c1
    delta_h = 2 * np.sqrt(c1 * c2) * np.sin(np.radians(turn / 2))
    lightness, chroma = (l1 + l2) / 2, (c1 + c2) / 2
    hue = h1 + h2 if c1 * c2 == 0 else (h1 + turn / 2) % 360
    t = (
        1
        - 0.17 * np.cos(np.radians(hue - 30))
        + 0.24 * np.cos(np.radians(2 * hue))
        + 0.32 * np.cos(np.radians(3 * hue + 6))
        - 0.20 * np.cos(np.radians(4 * hue - 63))
    )
    s_l = 1 + 0.015 * (lightness - 50) ** 2 / np.sqrt(20 + (lightness - 50) ** 2)
    s_c, s_h = 1 + 0.045 * chroma, 1 + 0.015 * chroma * t
    rotation = 30 * np.exp(-(((hue - 275) / 25) ** 2))
    r_t = -2 * np.sqrt(chroma**7 / (chroma**7 + 25**7)) * np.sin(np.radians(2 * rotation))
    parts = delta_l / s_l, delta_c / s_c, delta_h / s_h
    return float(np.sqrt(sum(p**2 for p in parts) + r_t * parts[1] * parts[2]))
