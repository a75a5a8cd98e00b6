"""The bytes of an image file as grey values.

Pillow reads the header first, so that a file that would need too much memory is refused before
it is decoded.
"""

import io
import warnings
from typing import Final

import cv2
import numpy as np
from PIL import Image as Pillow
from PIL import ImageOps, UnidentifiedImageError

from harness.errors import InputError
from harness.images.scan import MOST_BYTES
from harness.images.types import Grey

MOST_PIXELS: Final = 40 * 10**6
FORMATS: Final = ("PNG", "JPEG", "WEBP", "BMP", "GIF", "TIFF")
"""Pillow knows many more formats; fewer decoders are fewer ways to attack."""
EXPECTED: Final = "a PNG, JPEG, WebP, BMP, GIF or TIFF file"
LONGEST_SIDE: Final = 1600
"""Larger images are scaled down: more pixels cost time and show no more of a digit."""
SMALLEST_SIDE: Final = 24
_MODES_OF_16_BITS: Final = ("I", "I;16", "I;16B", "I;16L", "F")


def decode(data: bytes, name: str = "image") -> Grey:
    """The grey values of an image file, at most `LONGEST_SIDE` pixels wide and high.

    The orientation in EXIF is applied, transparent pixels are white, and of an animation only
    the first frame is read.

    Args:
        data: the content of the file.
        name: the file, for errors.

    Returns:
        An array of rows and columns, 0 for black to 255 for white.

    Raises:
        InputError: the file is too large, or no image of these formats, or damaged.
    """
    if not data:
        raise InputError("the file is empty", where=name, expected=EXPECTED)
    if len(data) > MOST_BYTES:
        raise InputError(
            f"{len(data):,} bytes", where=name, expected=f"an image of at most {MOST_BYTES:,} bytes"
        )
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # damaged metadata does not matter
            return _decoded(data, name)
    except InputError:  # it is a ValueError too
        raise
    except UnidentifiedImageError:
        raise InputError("not an image", where=name, expected=EXPECTED) from None
    except (OSError, ValueError, SyntaxError, ArithmeticError, LookupError, TypeError) as error:
        # The decoders of Pillow raise many kinds of errors for damaged files.
        reason = " ".join(str(error).split())[:120] or type(error).__name__
        raise InputError(f"damaged image: {reason}", where=name, expected=EXPECTED) from None
    except (Pillow.DecompressionBombError, MemoryError):
        raise _too_large(name) from None


def _decoded(data: bytes, name: str) -> Grey:
    with Pillow.open(io.BytesIO(data), formats=FORMATS) as image:
        width, height = image.size
        if width * height > MOST_PIXELS:
            raise _too_large(name, f"{width} x {height} pixels")
        if min(width, height) < SMALLEST_SIDE:
            raise InputError(
                f"{width} x {height} pixels",
                where=name,
                expected=f"an image of at least {SMALLEST_SIDE} x {SMALLEST_SIDE} pixels",
            )
        # A JPEG can be decoded at an eighth, a quarter or half of its size.
        image.draft("L", (LONGEST_SIDE, LONGEST_SIDE))
        grey = _grey_of(ImageOps.exif_transpose(image))
    return scaled(grey)


def _grey_of(image: Pillow.Image) -> Grey:
    if image.mode in _MODES_OF_16_BITS:
        values = np.nan_to_num(np.asarray(image, dtype=np.float32))
        spread = float(values.max() - values.min())
        return np.asarray((values - values.min()) * (255 / (spread or 1)), dtype=np.uint8)
    if image.mode in ("RGBA", "LA", "PA") or "transparency" in image.info:
        coloured = image.convert("RGBA")
        white = Pillow.new("RGBA", coloured.size, "white")
        image = Pillow.alpha_composite(white, coloured)
    return np.asarray(image.convert("L"), dtype=np.uint8)


def scaled(grey: Grey) -> Grey:
    """`grey` in the size in which boards are looked for."""
    factor = LONGEST_SIDE / max(grey.shape)
    if factor < 1:
        height, width = (max(1, round(side * factor)) for side in grey.shape)
        return np.asarray(cv2.resize(grey, (width, height), interpolation=cv2.INTER_AREA))
    return grey


def _too_large(name: str, what: str = "too many pixels") -> InputError:
    expected = f"an image of at most {MOST_PIXELS:,} pixels"
    return InputError(what, where=name, expected=expected)
