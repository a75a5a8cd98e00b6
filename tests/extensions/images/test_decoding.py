"""Files of images, and files that are none."""

import io
import random
import struct
import zlib
from collections.abc import Callable

import numpy as np
import pytest
from PIL import Image

from harness.base.errors import InputError
from harness.extensions.images.scan import MOST_BYTES
from harness.extensions.images.scanning import LONGEST_SIDE, decode
from tests.extensions.images.drawn import drawn, file_of


def png(width: int, height: int, data: bytes = b"") -> bytes:
    """A PNG file of grey values with this header."""

    def chunk(kind: bytes, content: bytes) -> bytes:
        checksum = zlib.crc32(kind + content)
        return struct.pack(">I", len(content)) + kind + content + struct.pack(">I", checksum)

    header = struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0)
    parts = chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(data)) + chunk(b"IEND", b"")
    return b"\x89PNG\r\n\x1a\n" + parts


@pytest.mark.parametrize("kind", ["PNG", "BMP", "GIF", "TIFF", "WEBP", "JPEG"])
def test_every_format_has_the_same_grey_values(kind: str) -> None:
    image = drawn().image
    options = {"quality": 98} if kind in ("JPEG", "WEBP") else {}
    grey = decode(file_of(image, kind, **options))
    assert grey.shape == image.shape
    assert np.abs(grey.astype(int) - image).mean() < 2


def test_the_orientation_in_exif_is_applied() -> None:
    image = np.zeros((40, 80), dtype=np.uint8)
    image[:, :20] = 255  # the left side is light
    exif = Image.Exif()
    exif[0x0112] = 6  # the camera was turned: the left side is the upper one
    grey = decode(file_of(image, "PNG", exif=exif))
    assert grey.shape == (80, 40)
    assert grey[:15].mean() > 250
    assert grey[25:].mean() < 5


def test_transparent_pixels_are_white_and_values_of_16_bits_are_scaled() -> None:
    transparent = np.zeros((40, 40, 4), dtype=np.uint8)
    transparent[:20, :, 3] = 255
    of_16_bits = np.zeros((40, 40), dtype=np.uint16)
    of_16_bits[20:] = 40_000
    for data in (file_of(transparent), file_of(of_16_bits, "TIFF")):
        grey = decode(data)
        assert (grey[0, 0], grey[39, 0]) == (0, 255)


def test_a_large_image_is_scaled_down() -> None:
    grey = decode(file_of(np.full((500, 4000), 90, dtype=np.uint8), "JPEG"))
    assert grey.shape == (LONGEST_SIDE // 8, LONGEST_SIDE)
    assert abs(int(grey.mean()) - 90) < 3


@pytest.mark.parametrize(
    ("data", "what"),
    [
        (b"", "the file is empty"),
        (b"hello, world\n" * 100, "not an image"),
        (random.Random(1).randbytes(5000), "not an image"),
        (bytes(5000), "not an image"),
        (b"<svg xmlns='http://www.w3.org/2000/svg'/>", "not an image"),
        (file_of(drawn().image)[:3000], "damaged image"),
        (file_of(drawn().image, "JPEG")[:3000], "damaged image"),
        (file_of(np.zeros((1, 1), dtype=np.uint8)), "1 x 1 pixels"),
        (lambda: png(8000, 8000, bytes(8001 * 8000)), "8000 x 8000 pixels"),
        (png(2**31 - 1, 2**31 - 1), "too many pixels"),
        (png(60_000, 30), "damaged image"),
        (bytes(MOST_BYTES + 1), "20,000,001 bytes"),
    ],
    ids=[
        *("empty", "text", "random", "zeros", "svg", "half a png", "half a jpeg", "1x1"),
        *("too many pixels", "huge", "without pixels", "too many bytes"),
    ],
)
def test_what_is_no_readable_image_is_refused_in_one_line(
    data: bytes | Callable[[], bytes], what: str
) -> None:
    with pytest.raises(InputError) as error:
        decode(data() if callable(data) else data, "board.png")
    message = str(error.value)
    assert message.startswith(f"board.png: {what}")
    assert "\n" not in message
    assert "; expected an image of at " in message or "; expected a PNG, JPEG" in message


def test_other_formats_of_pillow_are_refused() -> None:
    file = io.BytesIO()
    Image.fromarray(drawn().image).save(file, "PPM")
    with pytest.raises(InputError, match="not an image"):
        decode(file.getvalue())


def test_mutated_files_are_read_or_refused() -> None:
    mutants = 1500
    choose = random.Random(mutants)
    image = np.kron(np.eye(6, dtype=np.uint8) * 200, np.ones((8, 8), dtype=np.uint8))
    files = [file_of(image, kind) for kind in ("PNG", "JPEG", "GIF", "TIFF", "WEBP", "BMP")]
    messages = []
    for number in range(mutants):
        data = bytearray(files[number % len(files)])
        for _ in range(choose.randrange(1, 8)):
            data[choose.randrange(len(data))] = choose.randrange(256)
        if choose.random() < 0.2:
            del data[choose.randrange(len(data)) :]
        try:
            grey = decode(bytes(data))
        except InputError as error:
            messages.append(str(error))
        else:
            assert grey.dtype == np.uint8
            assert max(grey.shape) <= LONGEST_SIDE
    assert mutants // 20 < len(messages) < mutants
    assert not [message for message in messages if "\n" in message]
