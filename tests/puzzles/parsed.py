"""Puzzles with names, counts and fields, for the tests of puzzle formats."""

import random

from hypothesis import strategies as st

from harness.puzzles import Puzzle, Shape, SolutionCount
from harness.puzzles.formats import Format, ParsedPuzzle, ReadSettings, TextSource
from harness.puzzles.puzzle import line_of

JIGSAW = "jigsaw:112211223344" + "3344"
SPECS = (
    *("4x4", "6x6", "9x9", "9x9", "9x9", "box5x2", "12x12", "16x16", "25x25", "27x27", "36x36"),
    *("latin2", "latin5", "latin9", "latin16", JIGSAW, "6x6+diagonal", "9x9+windoku+antiknight"),
    *("9x9+antiking+disjoint", "9x9+diagonal+antiknight", f"{JIGSAW}+antiking"),
)
FIELDS = ("rating", "comment", "Label", "technique", "placed", "level", "author", "folder")


def solution_of(shape: Shape) -> tuple[int, ...] | None:
    """A grid of a shape with boxes and without variants."""
    if shape.box is None or shape != Shape.parse(f"box{shape.box[0]}x{shape.box[1]}"):
        return None
    height, width = shape.box
    size = shape.size
    return tuple(
        (width * (row % height) + row // height + column) % size + 1
        for row in range(size)
        for column in range(size)
    )


@st.composite
def parsed_puzzles(draw: st.DrawFn, specs: tuple[str, ...] = SPECS) -> ParsedPuzzle:
    """Puzzles of many shapes, some with pencilmarks, names, counts, solutions and fields."""
    shape = Shape.parse(draw(st.sampled_from(specs)))
    size = shape.size
    rng = random.Random(draw(st.integers(0, 2**32)))
    share = draw(st.sampled_from([0.0, 0.05, 0.3, 1.0]))
    solution = solution_of(shape) if draw(st.booleans()) else None
    values = solution or [rng.randint(1, size) for _ in range(size**2)]
    givens = tuple(value if rng.random() < share else 0 for value in values)
    marks = None
    if draw(st.booleans()):
        density = draw(st.sampled_from([0.1, 0.5, 0.9]))
        every = (1 << size) - 1
        marks = tuple(
            every
            if rng.random() < 0.3
            else sum(1 << v for v in range(size) if rng.random() < density) | 1 << value - 1
            for value in values
        )
        if draw(st.booleans()):
            marks = (0, *marks[1:]) if not givens[0] else marks
            solution = None if marks[0] == 0 else solution
    count = draw(
        st.sampled_from([None, SolutionCount.from_number(0), SolutionCount.from_number(10**30)])
    )
    count = draw(st.sampled_from([count, SolutionCount.from_number(7, exact=False)]))
    if solution is not None:
        count = SolutionCount.from_number(1, True, line_of(solution))
    fields = draw(
        st.dictionaries(
            st.sampled_from(FIELDS),
            st.sampled_from(["7.1", "x y", "R1C1 R2C2", 'a"b', "a,b", "<&>", "\u0141", "a:b"]),
            max_size=2,
        )
    )
    name = draw(st.sampled_from(["1", "01", "a b", "caf\u00e9", "0123456789ab", "<x>", "a,b"]))
    source = draw(st.sampled_from([None, "a book", "a, b"]))
    return ParsedPuzzle(Puzzle(shape, givens, marks), "p:1", name, count, source, fields)


def read_back(format_: Format, *puzzles: ParsedPuzzle) -> list[ParsedPuzzle]:
    """The puzzles in the text that a format writes for these."""
    text = "".join(format_.write(puzzles))
    return list(format_.read(TextSource.of_text(text, "written"), ReadSettings()))


def contents(format_: Format, parsed: ParsedPuzzle) -> tuple[object, ...]:
    """What a format keeps of a puzzle."""
    count = parsed.expected_count
    number = (count.least, count.most) if count else None
    return (
        parsed.puzzle.shape.digest,
        parsed.puzzle,
        parsed.name if "name" in format_.keeps else None,
        number if "count" in format_.keeps else None,
        count.solution if count and "solution" in format_.keeps else None,
        parsed.source if "source" in format_.keeps else None,
        {k: v for k, v in parsed.fields.items() if "fields" in format_.keeps or k in format_.keeps},
    )
