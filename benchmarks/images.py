"""How many puzzles are read correctly from rendered images: the table of docs/images.md.

    python -m training.fonts build/fonts
    python -m benchmarks.images build/fonts

The fonts are of typefaces that the classifier was not trained on, and the handwritten digits are
those held out from training.
"""

import argparse
import io
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, fields
from functools import partial
from pathlib import Path
from time import perf_counter, process_time
from typing import ClassVar, Final

import numpy as np
from numpy.random import Generator
from PIL import Image

from benchmarks.records import put_record
from benchmarks.scenes import APPLICATIONS, SCENES, screenshot
from harness.base.errors import InputError
from harness.extensions.generate import GenerationRequest, generate
from harness.extensions.images.documents import ImageRead
from harness.extensions.images.reading import Count, read
from harness.extensions.images.scan import Scan
from harness.extensions.images.scanning import scan, use_one_thread
from harness.puzzles import Puzzle, Shape, load_dataset
from harness.records import Task
from harness.runs import question_of
from harness.session import Session
from training.boards import Glyphs, Look, Rendered, render
from training.distortions import Distortion, camera, distorted
from training.fonts import HELD_OUT, any_font, typefaces
from training.handwriting import hand_glyphs

SEED: Final = 18
_DIGITS: Final = ".123456789"
_FOUR: Final = "4x4"
"""Puzzles that are generated; the datasets have few of this size."""

Draw = Callable[[Puzzle, list[list[Path]], Generator], Rendered]


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of images."""

    title: str
    boards: int
    datasets: tuple[str, ...]
    draw: Draw


@dataclass(slots=True)
class Measured:
    """What was measured."""

    HEAD: ClassVar = (
        "| boards | found | cells right | boards right | boards right after the search "
        "| certain | wrong, but with one solution | wrong, but certain "
        "| scan (CPU s) | search (s) | slowest (s) |"
    )

    boards: int = 0
    recognized: int = 0
    """Boards whose shape was recognized."""
    cells: int = 0
    cells_right: int = 0
    """Before the search."""
    right_before: int = 0
    right_after: int = 0
    unique: int = 0
    """Boards with a reading that has exactly one solution."""
    wrong_and_unique: int = 0
    certain: int = 0
    wrong_and_certain: int = 0
    scan_s: list[float] = field(default_factory=list)
    search_s: list[float] = field(default_factory=list)
    confusion: dict[tuple[int, int], int] = field(default_factory=dict)
    failures: list[str] = field(default_factory=list)

    def add(self, other: "Measured") -> None:
        """Add what was measured elsewhere; the confusion stays."""
        for part in fields(self):
            if part.name != "confusion":
                setattr(self, part.name, getattr(self, part.name) + getattr(other, part.name))

    def row(self) -> str:
        """The row of the table, without its first columns."""
        share = 100 * self.cells_right / self.cells if self.cells else 0.0
        slowest = max(map(sum, zip(self.scan_s, self.search_s, strict=True)))
        return (
            f"| {self.boards} | {self.recognized} | {share:.2f} % | {self.right_before} "
            f"| {self.right_after} ({100 * self.right_after / self.boards:.1f} %) "
            f"| {self.certain} | {self.wrong_and_unique} | {self.wrong_and_certain} "
            f"| {np.median(self.scan_s):.2f} | {np.median(self.search_s):.2f} "
            f"| {slowest:.2f} |"
        )


def _printed(puzzle: Puzzle, fonts: list[list[Path]], random: Generator) -> Rendered:
    return _photographed(puzzle, any_font(fonts, random), random)


def _handwritten(puzzle: Puzzle, _: list[list[Path]], random: Generator) -> Rendered:
    return _photographed(puzzle, hand_glyphs(random, held_out=True), random)


def _photographed(puzzle: Puzzle, glyphs: Glyphs, random: Generator) -> Rendered:
    cell = int(random.integers(38, 64))
    style = Look(
        glyphs,
        cell=cell,
        height=float(random.uniform(0.45, 0.7)),
        thin=int(random.integers(1, 3)),
        thick=int(random.integers(3, 6)),
        ink=int(random.integers(0, 80)),
        line=int(random.integers(0, 90)),
        paper=int(random.integers(205, 256)),
        margin=int(random.integers(30, 110)),
        letters=puzzle.shape.size > 9 and random.random() < 0.5,
        text=random.random() < 0.5,
        jitter=0.04,
    )
    return distorted(render(puzzle, style, random), camera(random), random)


def _screenshot(puzzle: Puzzle, fonts: list[list[Path]], random: Generator) -> Rendered:
    dark = random.random() < 0.5
    ink, paper, line = int(random.integers(0, 60)), int(random.integers(225, 256)), 60
    thin_line = int(random.integers(60, 190))
    if dark:
        ink, paper, line, thin_line = 255 - ink, 255 - paper, 255 - line, 255 - thin_line
    style = Look(
        any_font(fonts, random),
        cell=int(random.integers(30, 80)),
        height=float(random.uniform(0.4, 0.65)),
        thin=1,
        thick=int(random.integers(2, 5)),
        ink=ink,
        line=line,
        thin_line=thin_line,
        paper=paper,
        margin=int(random.integers(0, 5)),
        shaded_box=random.random() < 0.3,
    )
    quality = int(random.integers(60, 95)) if random.random() < 0.3 else None
    return distorted(render(puzzle, style, random), Distortion(quality=quality), random)


NINE: Final = ("easy", "medium", "hard")
KINDS: Final = (
    Kind("9x9, like a photograph", 300, NINE, _printed),
    Kind("9x9, handwritten, like a photograph", 100, NINE, _handwritten),
    Kind("16x16, like a photograph", 100, ("16x16",), _printed),
    Kind("9x9, screenshots", 40, NINE, _screenshot),
    Kind("4x4, like a photograph", 100, (_FOUR,), _printed),
    Kind("6x6, like a photograph", 100, ("6x6",), _printed),
    Kind("25x25, like a photograph", 100, ("25x25",), _printed),
    *(Kind(f"photographs: {name}", 40, NINE, draw) for name, draw in SCENES.items()),
    *(
        Kind(f"application: {name}", 20, NINE, partial(screenshot, look))
        for name, look in APPLICATIONS.items()
    ),
)


def puzzles(datasets: tuple[str, ...], number: int, random: Generator) -> Iterator[Puzzle]:
    """Random puzzles of these datasets, which have one solution."""
    every = [puzzle for name in datasets for puzzle in _named(name)]
    for at in random.permutation(len(every) * (1 + number // len(every)))[:number]:
        yield _relabelled(every[at % len(every)], int(at) // len(every))


def _named(dataset: str) -> Iterator[Puzzle]:
    if dataset != _FOUR:
        return (instance.puzzle for instance in load_dataset(dataset).instances)
    request = GenerationRequest(Shape.parse(_FOUR), 100)
    return (made.puzzle for made in generate(request))


def _relabelled(puzzle: Puzzle, time: int) -> Puzzle:
    """The puzzle itself the first time, and then with other digits."""
    values = np.arange(puzzle.shape.size + 1)
    if time:
        values[1:] = np.random.default_rng(time).permutation(values[1:])
    return Puzzle(puzzle.shape, tuple(int(values[value]) for value in puzzle.givens))


def measure(
    kind: Kind, fonts: list[list[Path]], count: Count, boards: int, seed: int, keep: Path | None
) -> Measured:
    """Read `boards` images of a kind, and keep those that are read wrong in the folder `keep`."""
    random = np.random.default_rng([seed, KINDS.index(kind)])
    measured = Measured()
    for number, puzzle in enumerate(puzzles(kind.datasets, boards, random)):
        file = io.BytesIO()
        Image.fromarray(kind.draw(puzzle, fonts, random).image).save(file, "PNG")
        name = f"{kind.title.split(',')[0]}-{KINDS.index(kind)}-{number}"
        measure_image(file.getvalue(), puzzle, count, measured, name)
        if keep and measured.failures and measured.failures[-1].startswith(f"{name}:"):
            (keep / f"{name}.png").write_bytes(file.getvalue())
    return measured


def measure_image(
    data: bytes, puzzle: Puzzle, count: Count, measured: Measured, name: str
) -> ImageRead | None:
    """Read an image of a puzzle, and add what is found to `measured`; None without its board."""
    measured.boards += 1
    measured.cells += puzzle.shape.size**2
    begin = process_time()
    try:
        scanned = scan(data)
    except InputError as error:
        measured.scan_s.append(process_time() - begin)
        measured.search_s.append(0.0)
        measured.failures.append(f"{name}: {error}")
        return None
    measured.scan_s.append(process_time() - begin)
    if scanned.shape != puzzle.shape.definition:
        measured.search_s.append(0.0)
        measured.failures.append(f"{name}: {scanned.shape[:40]} instead of {puzzle.shape}")
        return None
    measured.recognized += 1
    first = [max(range(len(row)), key=row.__getitem__) for row in scanned.probabilities]
    for value, seen in zip(puzzle.givens, first, strict=True):
        measured.confusion[value, seen] = measured.confusion.get((value, seen), 0) + 1
    wrong = sum(value != seen for value, seen in zip(puzzle.givens, first, strict=True))
    measured.cells_right += puzzle.shape.size**2 - wrong
    measured.right_before += not wrong
    reading = _timed(scanned, count, measured)
    right = reading.board == puzzle
    measured.right_after += right
    measured.unique += reading.unique
    measured.wrong_and_unique += reading.unique and not right
    measured.certain += reading.certain
    measured.wrong_and_certain += reading.certain and not right
    if not right:
        sure = "with one solution" if reading.unique else reading.reason
        sure = "certain" if reading.certain else sure
        measured.failures.append(f"{name}: {wrong} cells wrong before the search; {sure}")
    return reading


@contextmanager
def native_count() -> Iterator[Count]:
    """Counts solutions by the backend native-jit, which has counted once before."""
    question = question_of(Task.COUNT, max_solutions=2, timeout=10)
    with Session(warm_up=True) as session:

        def count(puzzle: Puzzle, _: int) -> int | None:
            reply = session.ask(puzzle, "native-jit", question)[0]
            return reply.count if reply.verdict.answered else None

        count(Puzzle(Shape.parse("9x9"), (0,) * 81), 2)
        yield count


def _timed(scanned: Scan, count: Count, measured: Measured) -> ImageRead:
    begin = perf_counter()
    reading = read(scanned, count)
    measured.search_s.append(perf_counter() - begin)
    return reading


def confusion_table(measured: Measured) -> str:
    """Rows of what was written, columns of what was read before the search."""
    lines = ["| written | " + " | ".join(_DIGITS) + " |", "|---" * 11 + "|"]
    for value, symbol in enumerate(_DIGITS):
        numbers = (measured.confusion.get((value, seen), 0) for seen in range(10))
        lines.append(f"| {symbol} | " + " | ".join(map(str, numbers)) + " |")
    return "\n".join(lines)


def main() -> None:
    """Measure all kinds, print their tables and put them into the page."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("fonts", type=Path, help="the folder of python -m training.fonts")
    parser.add_argument("--part", type=float, default=1.0, help="share of the boards")
    parser.add_argument(
        "--seed", type=int, default=SEED, help="seed for other boards than on the page"
    )
    parser.add_argument("--keep", type=Path, help="a folder for images that were read wrong")
    parser.add_argument("--only", default="", help="kinds with this text in their title")
    given = parser.parse_args()
    if given.keep:
        given.keep.mkdir(parents=True, exist_ok=True)
    use_one_thread()
    fonts = typefaces(given.fonts, HELD_OUT)
    head = f"| images {Measured.HEAD}"
    rows = [head, "|---" * (head.count("|") - 1) + "|"]
    matrix = ""
    with native_count() as count:
        for kind in KINDS:
            if given.only not in kind.title:
                continue
            measured = measure(
                kind,
                fonts,
                count,
                max(1, round(kind.boards * given.part)),
                given.seed,
                given.keep,
            )
            rows.append(f"| {kind.title} {measured.row()}")
            print(rows[-1], *measured.failures, sep="\n", flush=True)
            if "handwritten" in kind.title:
                matrix = confusion_table(measured)
    table = "\n".join(rows)
    print(table, matrix, sep="\n\n")
    if (given.part, given.only, given.seed) == (1, "", SEED):
        put_record("image-boards", table)
        put_record("image-confusion", matrix)


if __name__ == "__main__":
    main()
