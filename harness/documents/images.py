"""Puzzles of images."""

from typing import Annotated

from harness.documents.document import Document, says


class LikelyValue(Document):
    """A value that a cell of an image may have."""

    value: Annotated[str, says("The symbol, `.` for a blank.")]
    probability: Annotated[float, says("Its probability, 0 to 1.")]


class DoubtfulCell(Document):
    """A cell of an image whose value is not certain."""

    cell: Annotated[str, says("Name of the cell, for instance `R1C2`.")]
    value: Annotated[str, says("The symbol that was chosen, `.` for a blank.")]
    changed: Annotated[bool, says("Whether it is not the likeliest value.")]
    likely: Annotated[list[LikelyValue], says("The likeliest values, the likeliest first.")]


class ImageRead(Document):
    """The puzzle of an image."""

    image: Annotated[str, says("The file; `-` for standard input.")]
    puzzle: Annotated[str, says("Givens as a line, `.` for a blank.")]
    puzzle_id: Annotated[str, says("Digest of houses and givens.")]
    shape: Annotated[str, says("Name of the shape.")]
    shape_is_clear: Annotated[bool, says("Whether thick lines or `--shape` determine it.")]
    unique: Annotated[bool, says("Whether the puzzle has exactly one solution.")]
    reason: Annotated[str, says("Why no reading has exactly one solution; empty if one has.")]
    first_solutions: Annotated[
        int | None,
        says("Solutions of the likeliest reading, 2 for two or more; null if not known."),
    ]
    questions: Annotated[int, says("Number of readings whose solutions were counted.")]
    letters: Annotated[bool, says("Whether values from 10 are letters in the image.")]
    corners: Annotated[
        list[tuple[float, float]],
        says("x and y of the corners as shares of width and height, from the upper left on."),
    ]
    probabilities: Annotated[
        list[float], says("The probability of the chosen value of each cell, row by row.")
    ]
    doubtful: Annotated[
        list[DoubtfulCell], says("Cells whose value has a probability below 0.95 or was changed.")
    ]
