"""Every format: what is written is read back, whole, and never as another puzzle."""

from contextlib import suppress
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from harness.base.errors import PuzzleError
from harness.puzzles.formats import Format, Head, ParsedPuzzle, ReadSettings, TextSource
from harness.puzzles.formats.reading import detect_format, format_named, format_names
from harness.puzzles.puzzle import Puzzle
from harness.puzzles.shape import Shape
from tests.puzzles.parsed import SPECS, contents, parsed_puzzles, read_back

FORMATS = [format_named(name) for name in format_names()]
BANK_NAME = "0123456789ab"


def each(formats: list[Format]) -> pytest.MarkDecorator:
    return pytest.mark.parametrize("format_", formats, ids=lambda format_: format_.name)


CAGES = tuple(
    f"9x9; killer {total}: R1C1 R1C2 R2C1; killer 17: R9C8 R9C9" for total in range(6, 25)
)


def puzzles_of(format_: Format) -> st.SearchStrategy[ParsedPuzzle]:
    """Puzzles that a format holds more often than any."""
    specs = {"9x9": ("9x9",), "box": ("4x4", "6x6", "9x9", "16x16")}.get(format_.holds[:3], SPECS)
    puzzles = parsed_puzzles(CAGES if format_.name == "killer" else specs)
    if format_.name == "killer":
        return puzzles.map(
            lambda parsed: replace(parsed, puzzle=Puzzle(parsed.puzzle.shape, (0,) * 81))
        )
    if format_.name == "bank":
        return puzzles.map(lambda parsed: replace(parsed, fields={"rating": "7.1"}))
    return puzzles


@each(FORMATS)
@given(data=st.data())
@settings(max_examples=15)
def test_what_a_format_writes_is_read_as_no_other_one(format_: Format, data: st.DataObject) -> None:
    parsed = data.draw(puzzles_of(format_))
    if format_.can_hold(parsed) is not None:
        return
    (copy,) = read_back(format_, parsed)
    # The bank replaces other names by digests, and those of Euler have two digits.
    changes = {"bank": parsed.name != BANK_NAME, "euler": parsed.name == "1"}
    if not changes.get(format_.name):
        assert contents(format_, copy) == contents(format_, parsed)
    source = TextSource.of_text("".join(format_.write([parsed])), "written")
    with suppress(PuzzleError):
        again = list(
            detect_format(Head.from_source(source), "written").read(source, ReadSettings())
        )
        assert [read_again.puzzle for read_again in again] == [parsed.puzzle]


@pytest.mark.long
@each([format_ for format_ in FORMATS if not format_.single])
@given(data=st.data())
@settings(max_examples=25)
def test_several_puzzles_are_read_back_in_their_order(format_: Format, data: st.DataObject) -> None:
    puzzles = data.draw(st.lists(puzzles_of(format_), min_size=2, max_size=4))
    holdable = [parsed for parsed in puzzles if format_.can_hold(parsed) is None]
    if len({tuple(parsed.fields) for parsed in holdable}) > 1:
        holdable = holdable[:1]  # some formats have the same fields for the whole file
    again = read_back(format_, *holdable)
    assert [parsed.puzzle for parsed in again] == [parsed.puzzle for parsed in holdable]


@each([format_ for format_ in FORMATS if not format_.single])
@pytest.mark.parametrize("size", ["4x4", "9x9"])
def test_a_jigsaw_of_boxes_stands_beside_its_twin(format_: Format, size: str) -> None:
    boxes = Shape.parse(size)
    lines = pytest.importorskip("harness.extensions.formats.annotated_lines")
    jigsaw = Shape.parse(f"jigsaw:{lines.regions_of(boxes)}")
    puzzles = [
        ParsedPuzzle(Puzzle(shape, (value, *[0] * (shape.size**2 - 1))), "p", str(number))
        for number, (shape, value) in enumerate([(jigsaw, 1), (boxes, 2), (jigsaw, 3)], 1)
    ]
    if format_.can_hold(puzzles[1]) is None:
        holdable = [parsed for parsed in puzzles if format_.can_hold(parsed) is None]
        assert [parsed.puzzle for parsed in read_back(format_, *holdable)] == [
            parsed.puzzle for parsed in holdable
        ]


@pytest.mark.long
@each(FORMATS)
def test_a_format_holds_some_of_the_puzzles_of_these_tests(format_: Format) -> None:
    holdable: list[ParsedPuzzle] = []

    @given(puzzles_of(format_))
    @settings(max_examples=60, database=None, derandomize=True)
    def collect(parsed: ParsedPuzzle) -> None:
        if format_.can_hold(parsed) is None:
            holdable.append(parsed)

    collect()
    assert len({parsed.puzzle for parsed in holdable}) > 5
