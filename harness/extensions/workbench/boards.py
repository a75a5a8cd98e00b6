"""Shapes, puzzles and drawings for the board of the page.

In a text of candidates each cell, row by row, is ``.`` for no candidates, or a number in base 32
with as many digits as the size needs (one for each five values, rounded up), whose bit ``v - 1`` is
the value ``v``. Dots at the end may be left out. The digits are 0-9 and a-v.
"""

import re
from itertools import islice
from typing import Annotated, Final

from anyio import to_thread
from msgspec import Meta, Struct
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route
from vl_convert import svg_to_png

from harness.base.errors import PuzzleError
from harness.extensions.drawings.marks import marks_of, rooms
from harness.extensions.drawings.svg import svg
from harness.extensions.reasoning.solving import contradictions_in
from harness.extensions.workbench.messages import body_of, reply
from harness.puzzles import Pencilmarks, Puzzle, Shape, candidate_grid, check, line_of
from harness.puzzles.constraints import KINDS
from harness.puzzles.formats import (
    ParsedPuzzle,
    ReadSettings,
    TextSource,
    format_named,
    loadable,
    parse_text,
)

# Candidates of a board as a short text, for links and drawings.


def candidates_in(text: str, shape: Shape) -> Pencilmarks:
    """The candidates of each cell as bits; 0 for a cell without.

    Raises:
        PuzzleError: the text is malformed.
    """
    width = -(-shape.size // 5)
    candidates: list[int] = []
    for cell in re.finditer(rf"(\.)|([0-9a-v]{{{width}}})|.", text, re.DOTALL):
        if len(candidates) == shape.size**2:
            raise PuzzleError(
                f"candidates of more than {shape.size**2} cells for {shape}",
                expected=f"{shape.size**2} cells",
            )
        blank, number = cell.groups()
        bits = int(number or "0", 32)
        if not (blank or 0 < bits < 2**shape.size):
            at = cell.start()
            digits = "a digit" if width == 1 else f"{width} digits"
            raise PuzzleError(
                f"malformed candidates {text[at : at + width]!r}",
                where=shape.cell_name(len(candidates)),
                expected=f". or {digits} of base 32",
            )
        candidates.append(bits)
    return (*candidates, *(0,) * (shape.size**2 - len(candidates)))


# Shapes, puzzles and drawings for the board of the page.


LARGEST_SIDE: Final = 25
"""Rows of the largest board that the page shows."""


class ShapeData(Struct):
    """What the page needs to draw a shape and to find conflicts."""

    name: str
    definition: str
    """The name, or the houses of a shape without a name."""
    size: int
    symbols: str
    """The symbols of the values from 1."""
    houses: list[tuple[str, tuple[int, ...]]]
    """The name and the cells of each house."""
    kinds: list[str]
    """The kind of each house: ``row``, ``box``, ``diagonal``, ``window``."""
    pairs: list[tuple[int, int]]
    """Further pairs of cells whose values must differ."""
    regions: list[int]
    """For each cell the number of its box or region."""
    candidate_columns: int
    """The number of candidates in a row inside a cell."""
    plain: str
    """The definition without constraints."""
    constraints: list[str]
    rooms: tuple[float, float, float, float]
    """The room for clues to the left of the board, above, to the right and below, in cells."""


ShapeText = Annotated[str, Meta(max_length=2**16)]
"""A definition of a shape."""


class PuzzleData(Struct):
    """A puzzle as the page has it."""

    shape: ShapeText
    givens: list[int]
    marks: list[int] | None = None
    """The candidates of each cell as bits; None if nothing restricts them."""
    name: str = ""

    def puzzle(self) -> Puzzle:
        """The puzzle.

        Raises:
            PuzzleError: it is malformed.
        """
        marks = None if self.marks is None else tuple(self.marks)
        return Puzzle(shape_of(self.shape), tuple(self.givens), marks)


class _Text(Struct, forbid_unknown_fields=True):
    text: Annotated[str, Meta(max_length=2**20)]
    shape: ShapeText = ""
    format: str = ""


class TextPuzzles(Struct, frozen=True):
    """The puzzles of a text."""

    puzzles: list[PuzzleData]
    """The first puzzles, at most 200."""
    number: int
    """The number of all puzzles in the text."""
    notes: list[str]
    """How the text is understood, and what is passed over."""


class _Written(Struct, forbid_unknown_fields=True):
    puzzle: PuzzleData
    format: str


def shape_of(name: str) -> Shape:
    """A shape that the page can show.

    Raises:
        PuzzleError: there is no such shape, or it is too large.
    """
    shape = Shape.parse(name)
    if shape.size > LARGEST_SIDE:
        raise PuzzleError(f"{shape} is too large", expected=f"up to {LARGEST_SIDE} rows")
    return shape


def shape_data(shape: Shape) -> ShapeData:
    """The description of a shape."""
    return ShapeData(
        name=str(shape),
        definition=shape.definition,
        size=shape.size,
        symbols="".join(map(shape.symbol, range(1, shape.size + 1))),
        houses=[(str(house), house.cells) for house in shape.houses],
        kinds=[house.kind for house in shape.houses],
        pairs=[(pair[0], pair[1]) for pair in shape.pairs],
        regions=list(shape.region_of),
        candidate_columns=candidate_grid(shape)[1],
        plain=shape.plain or shape.definition,
        constraints=[constraint.text(shape.size) for constraint in shape.constraints],
        rooms=rooms(shape),
    )


def puzzle_data(puzzle: Puzzle, name: str = "") -> PuzzleData:
    """A puzzle for the page."""
    marks = None if puzzle.pencilmarks is None else list(puzzle.pencilmarks)
    return PuzzleData(puzzle.shape.definition, list(puzzle.givens), marks, name)


def read(text: str, shape: str = "", format_name: str = "") -> TextPuzzles:
    """The puzzles in a text of any format: the first ones, and their number.

    Raises:
        PuzzleError: the text is malformed, or its puzzles are too large.
    """
    shape_or_none = shape_of(shape) if shape else None
    notes: list[str] = []
    reading = ReadSettings(shape_or_none, understand=notes.append)
    puzzles = (
        format_named(format_name).read(TextSource.of_text(text, "text"), reading)
        if format_name
        else parse_text(text, reading, "text")
    )
    first = list(islice(puzzles, 200))
    number = len(first) + sum(1 for _ in puzzles)
    if not first:
        raise PuzzleError("the text has no puzzle", expected="a puzzle in a known format")
    for parsed in first:
        shape_of(parsed.puzzle.shape.definition)
    data = [puzzle_data(parsed.puzzle, parsed.name) for parsed in first]
    return TextPuzzles(data, number, [*dict.fromkeys(notes)])


def write(puzzle: PuzzleData, format_name: str) -> str:
    """The text of a puzzle in a format.

    Raises:
        PuzzleError: the format does not exist, or cannot hold the puzzle.
    """
    format_ = format_named(format_name)
    parsed = ParsedPuzzle(puzzle.puzzle(), "puzzle", puzzle.name or "puzzle")
    if reason := format_.can_hold(parsed):
        raise PuzzleError(f"the format {format_.name} {reason}", expected="another format")
    return "".join(format_.write([parsed]))


async def _shape(request: Request) -> Response:
    return reply(shape_data(shape_of(request.query_params.get("name", "9x9"))))


async def _read(request: Request) -> Response:
    body = await body_of(request, _Text, 4 * 2**20)
    puzzles = await to_thread.run_sync(read, body.text, body.shape, body.format)
    return reply(puzzles)


async def _write(request: Request) -> Response:
    body = await body_of(request, _Written)
    return reply({"text": write(body.puzzle, body.format)})


async def _check(request: Request) -> Response:
    """The contradictions in a puzzle as sentences, and their cells."""
    puzzle = (await body_of(request, PuzzleData)).puzzle()
    return reply({"findings": contradictions_in(puzzle), "cells": check(puzzle).problem_cells})


async def _formats(_: Request) -> Response:
    return reply([{"name": format_.name, "title": format_.title} for format_ in loadable()])


async def _kinds(_: Request) -> Response:
    kinds = [
        {"name": name, "title": kind.title, "example": kind.example} for name, kind in KINDS.items()
    ]
    return reply(kinds)


async def _marks(request: Request) -> Response:
    """The marks of constraints, which the page puts under or over the cells of a board."""
    shape = shape_of(request.query_params.get("shape", "9x9"))
    cell = 100
    under, over = marks_of(shape, cell, 0.17)
    left, above, right, below = (room * cell for room in rooms(shape))
    side = shape.size * cell
    box = f"{-left:g} {-above:g} {side + left + right:g} {side + above + below:g}"
    parts = over if request.query_params.get("layer") == "over" else under
    text = (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="{box}" font-family="sans-serif">'
        f"{''.join(parts)}</svg>"
    )
    return Response(text, media_type="image/svg+xml")


async def _drawing(request: Request) -> Response:
    """The board of a link, with the values and candidates that are filled in, as SVG or PNG."""
    query = request.query_params
    shape = shape_of(query.get("shape", "9x9"))
    puzzle = Puzzle.of_line(query.get("puzzle", line_of((0,) * shape.size**2)), shape)
    values, marks = query.get("grid"), query.get("candidates")
    text = svg(
        puzzle,
        None if values is None else Puzzle.of_line(values, shape).givens,
        candidates=None if marks is None else candidates_in(marks, shape),
    )
    if request.url.path.endswith(".svg"):
        return Response(text, media_type="image/svg+xml")
    width = float(text.partition('width="')[2].partition('"')[0])
    data = await to_thread.run_sync(lambda: svg_to_png(text, scale=1_200 / width))
    return Response(data, media_type="image/png")


ROUTES: Final = [
    Route("/api/shape", _shape),
    Route("/api/read", _read, methods=["POST"]),
    Route("/api/write", _write, methods=["POST"]),
    Route("/api/check", _check, methods=["POST"]),
    Route("/api/formats", _formats),
    Route("/api/kinds", _kinds),
    Route("/api/marks.svg", _marks),
    Route("/api/board.svg", _drawing),
    Route("/api/board.png", _drawing),
]
