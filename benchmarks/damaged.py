"""What becomes of damaged images of boards: the table of docs/images.md.

    python -m benchmarks.damaged

Each image is a board with damage to its file or to what it shows. It is scanned in the process
with limits, as any untrusted file is, and has to be read, or refused in one line.
"""

import argparse
import io
import struct
import zlib
from collections import defaultdict
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, fields
from typing import Any, ClassVar, Final

import cv2
import numpy as np
from numpy.random import Generator
from PIL import Image

from benchmarks.images import native_count
from benchmarks.records import put_record
from harness.base.errors import InputError
from harness.extensions.images.board import Grey
from harness.extensions.images.fence import scan_fenced
from harness.extensions.images.reading import Count, read
from harness.extensions.images.scan import Scan
from harness.puzzles import Puzzle, load_dataset
from training.boards import Look, Rendered, font_glyphs, render
from training.distortions import Distortion, distorted

SEED: Final = 44
FILES_MADE: Final = 5000
FILES: Final = ("PNG", "JPEG", "GIF", "TIFF", "WEBP", "BMP")
_DATASETS: Final = ("easy", "medium", "hard", "hard", "16x16")
_BROKEN: Final = ("the process that reads it", "not read within")
"""Words in messages about a process that crashed, failed or exceeded a limit."""

# A board, undamaged.


def _board(random: Generator) -> tuple[Grey, Puzzle]:
    every = load_dataset(_DATASETS[int(random.integers(len(_DATASETS)))]).instances
    puzzle = every[int(random.integers(len(every)))].puzzle
    dark = random.random() < 0.2
    paper, ink = (20, 235) if dark else (int(random.integers(200, 256)), int(random.integers(80)))
    look = Look(
        font_glyphs(None),
        cell=int(random.integers(24, 64 if puzzle.shape.size < 10 else 36)),
        height=float(random.uniform(0.45, 0.7)),
        ink=ink,
        line=ink,
        paper=paper,
        margin=int(random.integers(0, 80)),
        text=random.random() < 0.3,
    )
    return render(puzzle, look, random).image, puzzle


def _file(image: Grey | Image.Image, kind: str = "PNG", **options: Any) -> bytes:
    file = io.BytesIO()
    made = image if isinstance(image, Image.Image) else Image.fromarray(image)
    made.save(file, kind, **options)
    return file.getvalue()


def _any_file(image: Grey, random: Generator) -> bytes:
    return _file(image, FILES[int(random.integers(len(FILES)))])


# Damage to the bytes of a file.


def _truncated(image: Grey, random: Generator) -> bytes:
    data = _any_file(image, random)
    return data[: int(len(data) * random.random() ** 0.5)]


def _bytes_changed(image: Grey, random: Generator) -> bytes:
    data = bytearray(_any_file(image, random))
    for _ in range(int(random.integers(1, 200))):
        data[int(random.integers(len(data)))] = int(random.integers(256))
    return bytes(data)


def _header_changed(image: Grey, random: Generator) -> bytes:
    data = bytearray(_any_file(image, random))
    for _ in range(int(random.integers(1, 12))):
        data[int(random.integers(min(len(data), 400)))] = int(random.integers(256))
    return bytes(data)


def _joined_files(image: Grey, random: Generator) -> bytes:
    parts = [_any_file(image, random) for _ in range(2)]
    cuts = [int(random.integers(len(part))) for part in parts]
    middle = random.bytes(int(random.integers(0, 300)))
    return parts[0][: cuts[0]] + middle + parts[1][cuts[1] :]


def _other_size(image: Grey, random: Generator) -> bytes:
    """A header that declares another width and height than the data have."""
    width, height = (
        int(random.choice([0, 1, 23, 500, 6000, 30_000, 65_535, 2**31 - 1])) for _ in range(2)
    )
    if random.random() < 0.5:
        width, height = image.shape[1], int(image.shape[0] * random.uniform(0.3, 3))
    kind = int(random.integers(4))
    if kind == 0:
        data = bytearray(_file(image, "PNG"))
        data[16:24] = struct.pack(">II", width, height)
        data[29:33] = struct.pack(">I", zlib.crc32(bytes(data[12:29])))
    elif kind == 1:
        data = bytearray(_file(image, "JPEG"))
        at = data.index(b"\xff\xc0") + 5
        data[at : at + 4] = struct.pack(">HH", height % 65_536, width % 65_536)
    elif kind == 2:
        data = bytearray(_file(image, "BMP"))
        data[18:26] = struct.pack("<ii", width, height if random.random() < 0.5 else -height)
    else:
        data = bytearray(_file(image, "GIF"))
        data[6:10] = struct.pack("<HH", width % 65_536, height % 65_536)
    return bytes(data)


def _much_from_little(_: Grey, random: Generator) -> bytes:
    """A small file with many pixels, some of them more than are allowed."""
    sides = random.integers(2000, 7000, 2)
    grey = np.full(tuple(int(side) for side in sides), int(random.integers(256)), dtype=np.uint8)
    grey[:: int(random.integers(5, 500))] = 0
    grey[:, :: int(random.integers(5, 500))] = 0
    return _file(grey, ("PNG", "GIF", "JPEG")[int(random.integers(3))])


# Unusual files.


def _odd_mode(image: Grey, random: Generator) -> bytes:
    page = Image.fromarray(image)
    modes = (
        *(("CMYK", "JPEG"), ("CMYK", "TIFF"), ("LAB", "TIFF"), ("YCbCr", "JPEG"), ("1", "PNG")),
        *(("1", "BMP"), ("P", "PNG"), ("P", "GIF"), ("LA", "PNG"), ("RGBA", "PNG")),
        *(("RGBA", "WEBP"), ("I;16", "PNG"), ("I;16", "TIFF"), ("I", "TIFF"), ("F", "TIFF")),
    )
    mode, kind = modes[int(random.integers(len(modes)))]
    if mode == "I;16":
        return _file(Image.fromarray(image.astype(np.uint16) * int(random.integers(1, 257))), kind)
    if mode == "F":
        values = image.astype(np.float32) * np.float32(random.choice([1e-9, 1, 1e30]))
        if random.random() < 0.5:
            values[int(random.integers(len(values)))] = random.choice([np.nan, np.inf, -np.inf])
        return _file(Image.fromarray(values), kind)
    if mode in ("RGBA", "LA"):
        alpha = random.integers(0, 256, image.shape) if random.random() < 0.3 else 255 - image
        grey = Image.fromarray(np.zeros_like(image)).convert("RGB" if mode == "RGBA" else "L")
        grey.putalpha(Image.fromarray(alpha.astype(np.uint8)))
        return _file(grey, kind)
    if mode == "LAB":
        return _file(Image.merge("LAB", [page] * 3), kind)
    made = page.convert("RGB").convert(mode)
    if mode == "P" and random.random() < 0.5:
        return _file(made, kind, transparency=int(random.integers(256)))
    return _file(made, kind)


def _animated(image: Grey, random: Generator) -> bytes:
    pages = [Image.fromarray(np.roll(image, 7 * shift, axis=0)) for shift in range(4)]
    kind = ("GIF", "WEBP", "PNG", "TIFF")[int(random.integers(4))]
    data = bytearray(_file(pages[0], kind, save_all=True, append_images=pages[1:]))
    for _ in range(int(random.integers(0, 4))):
        data[int(random.integers(len(data)))] = int(random.integers(256))
    return bytes(data)


def _orientation(image: Grey, random: Generator) -> bytes:
    exif = Image.Exif()
    exif[0x0112] = int(random.choice([*range(10), 65_535]))
    exif[0x010E] = "board" * int(random.integers(1, 1000))
    data = bytearray(exif.tobytes())
    for _ in range(int(random.integers(0, 4))):
        data[int(random.integers(6, len(data)))] = int(random.integers(256))
    kind = ("JPEG", "PNG", "WEBP", "TIFF")[int(random.integers(4))]
    return _file(image, kind, exif=exif if kind == "TIFF" else bytes(data))


# Damage to what an image shows.


def _cropped(image: Grey, random: Generator) -> bytes:
    height, width = image.shape
    top, left = (int(random.integers(0, max(1, side // 2))) for side in image.shape)
    bottom, right = int(random.integers(top + 1, height + 1)), int(random.integers(left + 1, width))
    return _file(image[top:bottom, left:right])


def _few_pixels(image: Grey, random: Generator) -> bytes:
    width, height = (int(side) for side in random.integers(1, 90, 2))
    if random.random() < 0.4:
        width, height = random.permutation([int(random.integers(1, 40)), 4000]).tolist()
    return _any_file(np.asarray(cv2.resize(image, (width, height))), random)


def _stretched(image: Grey, random: Generator) -> bytes:
    factors = random.uniform(0.15, 2.5, 2)
    made = cv2.resize(image, None, fx=factors[0], fy=factors[1], interpolation=cv2.INTER_AREA)
    return _file(np.asarray(made), "JPEG")


def _noise(image: Grey, random: Generator) -> bytes:
    values = image + random.normal(0, random.uniform(5, 120), image.shape)
    dots = random.random(image.shape) < random.uniform(0, 0.3)
    values[dots] = 255 * random.integers(0, 2, int(dots.sum()))
    return _file(values.clip(0, 255).astype(np.uint8), "JPEG")


def _blur(image: Grey, random: Generator) -> bytes:
    if random.random() < 0.5:
        return _file(np.asarray(cv2.GaussianBlur(image, (0, 0), random.uniform(0.8, 12))))
    kernel = np.zeros((31, 31), dtype=np.float32)
    x, y = (int(offset) for offset in random.integers(0, 31, 2))
    cv2.line(kernel, (15, 15), (x, y), 1.0)
    return _file(np.asarray(cv2.filter2D(image, -1, kernel / kernel.sum())))


def _light(image: Grey, random: Generator) -> bytes:
    """Too dark, too light, without contrast, as a negative, or with a spot."""
    values = image.astype(np.float32)
    values = values * random.uniform(0.02, 2) + random.uniform(-120, 200)
    y, x = np.mgrid[: image.shape[0], : image.shape[1]] / max(image.shape)
    spot = np.hypot(x - random.random(), y - random.random())
    values += random.uniform(-250, 250) * np.exp(-((spot / random.uniform(0.05, 0.5)) ** 2))
    made = values.clip(0, 255).astype(np.uint8)
    return _file(255 - made if random.random() < 0.3 else made, "JPEG")


def _covered(image: Grey, random: Generator) -> bytes:
    """Blots, strokes and patches of other parts on the board."""
    made = image.copy()
    height, width = image.shape
    for _ in range(int(random.integers(1, 25))):
        start, end = ((int(random.integers(width)), int(random.integers(height))) for _ in "ab")
        colour = int(random.integers(256))
        if random.random() < 0.5:
            cv2.line(made, start, end, colour, int(random.integers(1, 20)))
        else:
            cv2.circle(made, start, int(random.integers(1, 40)), colour, -1)
    return _file(made)


def _turned(image: Grey, random: Generator) -> bytes:
    corners = np.array([[0, 0], [1, 0], [1, 1], [0, 1]]) * image.shape[::-1]
    moved = corners + random.normal(0, random.uniform(0, 0.3) * min(image.shape), (4, 2))
    turn = cv2.getRotationMatrix2D((image.shape[1] / 2, image.shape[0] / 2), 0, 0.7)
    moved = moved @ turn[:, :2].T + turn[:, 2]
    to_image = cv2.getPerspectiveTransform(corners.astype(np.float32), moved.astype(np.float32))
    seen = cv2.warpPerspective(image, to_image, image.shape[::-1], borderValue=128)
    made = np.rot90(seen, int(random.integers(4)))
    return _file(np.ascontiguousarray(made if random.random() < 0.7 else made.T), "JPEG")


def _shuffled(image: Grey, random: Generator) -> bytes:
    """Blocks of the image in another order."""
    side = int(random.integers(8, 200))
    height, width = (length // side * side for length in image.shape)
    if not min(height, width):
        return _file(image)
    blocks = image[:height, :width].reshape(height // side, side, width // side, side)
    every = blocks.swapaxes(1, 2).reshape(-1, side, side)
    some = random.random(len(every)) < random.choice([0.05, 0.3, 1])
    every[some] = random.permutation(every[some])
    made = every.reshape(height // side, width // side, side, side).swapaxes(1, 2)
    return _file(np.ascontiguousarray(made.reshape(height, width)))


def _pattern(_: Grey, random: Generator) -> bytes:
    """Grids, stripes, rings and noise without a board: the most outlines that a page can have."""
    height, width = (int(side) for side in random.integers(100, 1600, 2))
    y, x = np.mgrid[:height, :width]
    steps = random.integers(2, 90, 3)
    kinds = (
        lambda: ((x // steps[0]) + (y // steps[1])) % 2 * 255,
        lambda: np.where((x % steps[0] < 2) | (y % steps[1] < 2), 0, 255),
        lambda: 127 + 127 * np.sin(np.hypot(x - width / 2, y - height / 2) / steps[2]),
        lambda: cv2.GaussianBlur(random.uniform(0, 255, (height, width)), (0, 0), 0.3 * steps[0]),
        lambda: np.where((x % steps[0] < 2) ^ (y % steps[1] < 2), 0, 255),
    )
    values = kinds[int(random.integers(len(kinds)))]()
    return _file(np.asarray(values).clip(0, 255).astype(np.uint8))


def _poor_quality(image: Grey, random: Generator) -> bytes:
    how = Distortion(blur=float(random.uniform(0, 2)), noise=6)
    seen = distorted(Rendered(image, np.zeros((4, 2), dtype=np.float32)), how, random).image
    kind = ("JPEG", "WEBP")[int(random.integers(2))]
    options = {"progressive": True} if kind == "JPEG" and random.random() < 0.5 else {}
    return _file(seen, kind, quality=int(random.integers(1, 25)), **options)


DAMAGES: Final[dict[str, Callable[[Grey, Generator], bytes]]] = {
    "file cut off": _truncated,
    "bytes changed": _bytes_changed,
    "bytes of the header changed": _header_changed,
    "halves of two files": _joined_files,
    "another size declared": _other_size,
    "up to 49 megapixels in a small file": _much_from_little,
    "CMYK, LAB, palettes, 1 and 16 bits, floats, transparency": _odd_mode,
    "animations and several pages": _animated,
    "orientation in EXIF, right and damaged": _orientation,
    "cropped": _cropped,
    "1 to 90 pixels a side": _few_pixels,
    "stretched": _stretched,
    "noise": _noise,
    "blur": _blur,
    "light": _light,
    "covered": _covered,
    "turned, tilted, mirrored": _turned,
    "blocks in another order": _shuffled,
    "patterns without a board": _pattern,
    "compressed to quality 1 to 25": _poor_quality,
}


# What becomes of the images.


@dataclass(frozen=True, slots=True)
class DamagedFile:
    """A damaged image."""

    number: int
    damage: str
    data: bytes
    puzzle: Puzzle
    """What its board showed before."""


@dataclass(slots=True)
class Outcome:
    """What became of the images with one kind of damage."""

    HEAD: ClassVar = (
        "| damage | images | read as before | read, but doubtful | certain, with values missing "
        "| certain, with other values "
        "| refused | crashed or hung |"
    )

    right: int = 0
    doubtful: int = 0
    fewer: int = 0
    """Right but for missing values, which may be covered or cut off."""
    other: int = 0
    refused: int = 0
    broken: int = 0

    def row(self, title: str) -> str:
        """The row of the table; each image counts once."""
        counts = [getattr(self, part.name) for part in fields(self)]
        return f"| {title} | {' | '.join(map(str, (sum(counts), *counts)))} |"


def damaged_file(number: int, seed: int = SEED) -> DamagedFile:
    """The image with this number; all kinds of damage are equally frequent."""
    random = np.random.default_rng([seed, number])
    damage = list(DAMAGES)[number % len(DAMAGES)]
    image, puzzle = _board(random)
    return DamagedFile(number, damage, DAMAGES[damage](image, random), puzzle)


def scanned(file: DamagedFile) -> Scan | str:
    """The scan of an image in a process with limits, or the message of a refusal."""
    try:
        return scan_fenced(file.data)
    except InputError as error:
        return str(error)


def note(file: DamagedFile, scan: Scan | str, count: Count, outcome: Outcome) -> str:
    """Add an image to an outcome; return what went wrong, or an empty text."""
    if isinstance(scan, str):
        is_broken = any(words in scan for words in _BROKEN) or "\n" in scan
        outcome.broken += is_broken
        outcome.refused += not is_broken
        return scan if is_broken else ""
    reading = read(scan, count)
    right = reading.board == file.puzzle
    is_part = reading.board.shape == file.puzzle.shape and all(
        value in (0, before)
        for value, before in zip(reading.board.givens, file.puzzle.givens, strict=True)
    )
    outcome.right += right
    outcome.doubtful += not (reading.certain or right)
    outcome.fewer += reading.certain and is_part and not right
    outcome.other += reading.certain and not is_part
    return "certain, with other values" if reading.certain and not is_part else ""


def outcomes(numbers: range, jobs: int, count: Count, seed: int) -> dict[str, Outcome]:
    """What becomes of the images with these numbers."""
    counted: dict[str, Outcome] = defaultdict(Outcome)
    with ThreadPoolExecutor(jobs) as pool:
        for made, result in pool.map(lambda number: _made(number, seed), numbers):
            text = note(made, result, count, counted[made.damage])
            if text:
                print(f"{made.number} ({made.damage}): {text}", flush=True)
    return counted


def _made(number: int, seed: int) -> tuple[DamagedFile, Scan | str]:
    made = damaged_file(number, seed)
    return made, scanned(made)


def main() -> None:
    """Measure, print the table and put it into the page."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--files", type=int, default=FILES_MADE)
    parser.add_argument("--seed", type=int, default=SEED, help="seed of other images")
    parser.add_argument("--jobs", type=int, default=1, help="images at the same time")
    given = parser.parse_args()
    with native_count() as count:
        counted = outcomes(range(given.files), given.jobs, count, given.seed)
    every = Outcome()
    rows = [Outcome.HEAD, "|---" * (Outcome.HEAD.count("|") - 1) + "|"]
    for damage, outcome in counted.items():
        rows.append(outcome.row(damage))
        for part in fields(outcome):
            both = getattr(every, part.name) + getattr(outcome, part.name)
            setattr(every, part.name, both)
    rows.append(every.row("all"))
    table = "\n".join(rows)
    print(table)
    if (given.files, given.seed) == (FILES_MADE, SEED):
        put_record("image-damaged", table)


if __name__ == "__main__":
    main()
