"""A mutated or truncated file of any format is an error of one line, or holds puzzles.

A puzzle that is read is well-formed: it is written and read back equal.
"""

import random
import time
from dataclasses import replace
from urllib.parse import unquote

import pytest

from harness.base.errors import PuzzleError
from harness.extensions.formats.fpuzzles import compress, decompress
from harness.puzzles import Puzzle, Shape, SolutionCount
from harness.puzzles.formats import Format, Head, ParsedPuzzle, ReadSettings, TextSource
from harness.puzzles.formats.reading import detect_format, format_named, format_names
from harness.puzzles.puzzle import line_of
from tests.extensions.formats.sudokupad_object import object_of, shorten
from tests.puzzles.parsed import SPECS, solution_of
from tests.tables import cases

ODD = (
    "\0\r\n\t \x0b\x1b\u00a0\u0661\uff11\u200b\ufeff\U0001d7cf"
    "_*#/=,;:!?xX\"'<>[]{}|+-.0123456789AZaz%&"
)
FORMATS = [format_named(name) for name in format_names()]
MOST_S = 5.0
MUTATIONS = 10
"""Mutations of each text in the long test."""
CONSTRAINED = cases(__file__, "shapes")


def constrained_puzzle(rng: random.Random) -> ParsedPuzzle:
    shape = Shape.parse(rng.choice(CONSTRAINED))
    return ParsedPuzzle(Puzzle(shape, (0,) * shape.size**2), "p:1", "1")


def parsed_puzzle(rng: random.Random) -> ParsedPuzzle:
    shape = Shape.parse(rng.choice([*SPECS, "9x9", "9x9", "9x9", "4x4", "4x4"]))
    size = shape.size
    solution = solution_of(shape)
    values = solution or [rng.randint(1, size) for _ in range(size**2)]
    givens = tuple(value if rng.random() < 0.4 else 0 for value in values)
    marks = None
    if rng.random() < 0.4:
        every = (1 << size) - 1
        marks = tuple(every & rng.getrandbits(size) | 1 << value - 1 for value in values)
    count = (
        SolutionCount.from_number(1, True, line_of(solution))
        if solution
        else SolutionCount.from_number(3)
    )
    return ParsedPuzzle(Puzzle(shape, givens, marks), "p:1", "1", count, None, {"rating": "1.2"})


def text_of(rng: random.Random, format_: Format) -> str:
    """The text of a file with one to three puzzles that the format holds."""
    puzzles: list[ParsedPuzzle] = []
    while len(puzzles) < (1 if format_.single else rng.randint(1, 3)):
        parsed = constrained_puzzle(rng) if rng.random() < 0.2 else parsed_puzzle(rng)
        plain = replace(parsed, puzzle=Puzzle(parsed.puzzle.shape, parsed.puzzle.givens))
        puzzles += [
            candidate for candidate in (parsed, plain) if format_.can_hold(candidate) is None
        ][:1]
    return "".join(format_.write(puzzles))


def mutate(rng: random.Random, text: str) -> str:
    """`text` with one to three characters or pieces changed, or its end missing."""
    for _ in range(rng.randint(1, 3)):
        at, other = sorted(rng.randrange(len(text)) for _ in range(2))
        some = rng.choice(ODD)
        piece = text[at : at + rng.randint(1, 12)]
        variants = [
            text[:at] + some + text[at + 1 :],
            text[:at] + some + text[at:],
            text[:at] + text[at + 1 :],
            text[:at] + text[other:],
            text[:at],
            text[:other] + piece + text[other:],
            text.replace(piece, some, 3),
            text.replace("\n", rng.choice(["\r\n", "\r", "\n\n", ""])),
            text + text[:other],
            text[:at] + str(rng.choice([-1, 10**30, 99, 1.5, "null", "[[", "1e999"])) + text[at:],
        ]
        text = rng.choice(variants) or "."
    return text


def read(
    text: str, shape: Shape | None, format_: Format | None
) -> tuple[Format, list[ParsedPuzzle] | PuzzleError]:
    """The puzzles of `text` or the error, and the format, detected if it is None."""
    source = TextSource.of_text(text, "p.txt")
    reader = format_ or FORMATS[0]
    try:
        reader = format_ or detect_format(Head.from_source(source, ReadSettings(shape)), "p.txt")
        return reader, list(reader.read(source, ReadSettings(shape)))
    except PuzzleError as error:
        return reader, error


def check(rng: random.Random, format_: Format, original: str) -> bool:
    """Read a mutation of a text by its format, or by detection; whether puzzles were read."""
    text = mutate(rng, original)
    if format_.name in ("fpuzzles", "sudokupad") and rng.random() < 0.5:
        text = mutated_payload(rng, original)
    shape = rng.choice([None, None, None, Shape.parse("9x9")])
    began = time.process_time()
    reader, outcome = read(text, shape, format_ if rng.random() < 0.7 else None)
    assert time.process_time() - began < MOST_S, repr(text)
    if isinstance(outcome, PuzzleError):
        assert "\n" not in str(outcome), repr(text)
        assert outcome.where.startswith("p.txt"), (str(outcome), text)
        assert len(str(outcome)) < 1000, repr(text)
        return False
    for parsed in outcome:
        assert Puzzle(parsed.puzzle.shape, parsed.puzzle.givens, parsed.puzzle.pencilmarks) == (
            parsed.puzzle
        )
        if reader.can_hold(parsed) is None:
            again = TextSource.of_text("".join(reader.write([parsed])), "again")
            assert [copy.puzzle for copy in reader.read(again, ReadSettings())] == [
                parsed.puzzle
            ], text
    return bool(outcome)


def mutated_payload(rng: random.Random, link: str) -> str:
    """The first of these links with a change inside its payload.

    The payload is one of f-puzzles, or an object or a plain grid of SudokuPad.
    """
    kind = rng.choice(["fpuzzles", "fpuzzles", "scl", "classic"])
    if kind != "fpuzzles":
        puzzle = parsed_puzzle(rng).puzzle
        if kind == "scl":
            return "scl" + compress(mutate(rng, shorten(object_of(puzzle))))
        runs = puzzle.line[:2000].replace("..", "C").replace(".", "B")
        return "classic" + mutate(rng, runs).replace("\n", "")
    payload = unquote(link.split()[0].rpartition("load=")[2].rpartition("fpuzzles")[2])
    return "fpuzzles" + compress(mutate(rng, decompress(payload)))


@pytest.mark.parametrize("format_", FORMATS, ids=lambda format_: format_.name)
def test_a_mutated_file_is_an_error_or_holds_puzzles(format_: Format) -> None:
    rng = random.Random(f"fast {format_.name}")
    read = [check(rng, format_, text_of(rng, format_)) for _ in range(15)]
    assert not all(read)


@pytest.mark.long
@pytest.mark.timeout(1800)
@pytest.mark.parametrize("format_", FORMATS, ids=lambda format_: format_.name)
def test_100_000_mutated_files_are_errors_or_hold_puzzles(format_: Format) -> None:
    rng = random.Random(f"long {format_.name}")
    for _ in range(100_000 // len(FORMATS) // MUTATIONS):
        original = text_of(rng, format_)  # takes longer than the rest in some formats
        for _ in range(MUTATIONS):
            check(rng, format_, original)
