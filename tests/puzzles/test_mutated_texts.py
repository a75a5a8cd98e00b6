"""A mutated text is rejected, or read exactly: the symbols that remain, in their order."""

import random
import re

import pytest

from harness.base.errors import PuzzleError
from harness.puzzles import Puzzle, Shape, parse_puzzle

SYMBOLS = "123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ@"
BORDERS = "|-+ \t\r\n"
ODD = "\0\x0b\x1b\u00a0\u0661\uff11\u200b\u202e\ufeff\U0001d7cf_*#/=,;:!?xX\"'"
SHAPES = ("4x4", "6x6", "9x9", "box5x2", "latin7", "16x16", "25x25", "36x36")


def line_of(rng: random.Random, size: int) -> str:
    blank = rng.choice(".0")
    return "".join(
        SYMBOLS[rng.randrange(size)] if rng.random() < 0.4 else blank for _ in range(size * size)
    )


def grid_of(rng: random.Random, size: int, box_rows: int) -> str:
    """The text of a grid, some with spaces between the cells, some with borders."""
    line, gap, bar = line_of(rng, size), rng.choice(["", " "]), rng.choice(["", "|"])
    rows = [line[n : n + size] for n in range(0, len(line), size)]
    rows = [bar + gap.join(row) + bar for row in rows]
    if box_rows and rng.random() < 0.3:
        for at in range(size - box_rows, 0, -box_rows):
            rows.insert(at, "-" * len(rows[0]))
    return "\n".join(rows)


def mutate(rng: random.Random, text: str) -> str:
    """`text` with one to three characters or pieces changed."""
    for _ in range(rng.randint(1, 3)):
        at, other = rng.randrange(len(text)), rng.randrange(len(text))
        some = rng.choice(SYMBOLS + SYMBOLS.lower() + BORDERS + ODD + ".0")
        end = at + rng.randint(1, 9)
        variants = [
            text[:at] + some + text[at + 1 :],
            text[:at] + some + text[at:],
            text[:at] + text[at + 1 :],
            text[:at] + text[end:],
            text[:end] + text[at:],
            text[: min(at, other)] + text[max(at, other) :],
            text[::-1],
            text.swapcase(),
            text[at:] + text[:at],
            text + rng.choice(["", "\n", " ", "\n\n#", " 1"]) + text[:3],
        ]
        text = rng.choice(variants) or "."
    return text


def read(text: str, shape: Shape) -> Puzzle | None:
    try:
        return parse_puzzle(text, shape)
    except PuzzleError:
        return None


def symbols_in(text: str, cells: int) -> str:
    """The text without byte order mark, comments, borders and white space around its lines.

    Of a line that begins with `cells` symbols before a separator, these.
    """
    lines = [line.strip() for line in text.removeprefix("\ufeff").splitlines()]
    puzzles = [match[1] for line in lines if (match := re.match(r"([^\s,;|#/]+)[\s,;|#/]", line))]
    if whole := [puzzle for puzzle in puzzles if len(puzzle) == cells]:
        return whole[0].upper()
    rows = [line for line in lines if line[:1] != "#" and not is_border(line)]
    return "".join(c for row in rows for c in row if c not in BORDERS and not c.isspace()).upper()


def is_border(line: str) -> bool:
    """Whether a line has three dashes in a row and no values."""
    return bool(re.search("---|===", line)) and not set(line.upper()) & set(f"{SYMBOLS}0")


def check(seed: int, number: int) -> tuple[int, int]:
    """Read mutated texts; returns how many were read and how many were rejected."""
    rng = random.Random(seed)
    readable = errors = 0
    for _ in range(number):
        shape = Shape.parse(rng.choice(SHAPES))
        is_grid = rng.random() < 0.5
        text = (
            grid_of(rng, shape.size, shape.box[0] if shape.box else 0)
            if is_grid
            else line_of(rng, shape.size)
        )
        assert read(text, shape) is not None, text
        mutation = mutate(rng, text)
        puzzles = read(mutation, shape)
        if puzzles is None:
            errors += 1
            continue
        readable += 1
        symbols = symbols_in(mutation, shape.size**2)
        assert len(symbols) == shape.size**2, (shape.spec, mutation)
        assert len({"0", "."} & set(symbols)) <= 1, (shape.spec, mutation)
        values = [0 if symbol in "0." else SYMBOLS.index(symbol) + 1 for symbol in symbols]
        assert list(puzzles.givens) == values, (shape.spec, mutation)
        assert max(values) <= shape.size, (shape.spec, mutation)
    return readable, errors


def test_a_mutated_text_is_read_exactly_or_rejected() -> None:
    readable, errors = check(0, 700)
    assert min(readable, errors) > 70


@pytest.mark.long
def test_54_000_mutated_texts_are_read_exactly_or_rejected() -> None:
    readable, errors = check(1, 54_000)
    assert min(readable, errors) > 5_400
