"""The names of shapes.

==========================  =====================================================
``9x9``                     any size from 4x4 to 36x36, with boxes as square as
                            possible, otherwise wider than high: 6x6 has boxes of
                            2 rows and 3 columns
``box5x2``                  boxes of 5 rows and 2 columns
``latin7``                  rows and columns only
``jigsaw:11223344...``      irregular regions, a symbol for the region of each cell
``9x9+diagonal+antiknight`` with variants, see `harness.puzzles.variants`
``houses9:...``             any houses, as `definition_of` writes them
==========================  =====================================================

A jigsaw and a shape with its own houses also have a short name, with the first digits of
their digest: ``jigsaw9-3fa2b1``. Only their definitions can be parsed.
"""

import re
from collections import Counter
from collections.abc import Iterator
from itertools import pairwise
from math import isqrt
from typing import Final, NamedTuple

from harness.errors import PuzzleError, meant
from harness.puzzles.house import (
    SMALLEST_BOXED,
    SMALLEST_LATIN,
    House,
    Pair,
    box_of,
    digest_of,
)
from harness.puzzles.symbols import LARGEST, VALUES, value_of
from harness.puzzles.variants import VARIANTS, Grounds, additions
from harness.text import shortened

PATTERNS: Final = (
    "9x9 (any size from 4x4 to 36x36 with boxes), box5x2, latin7 or jigsaw:REGIONS, "
    f"perhaps with variants: 9x9+{'+'.join(VARIANTS[:2])}"
)
"""The names of shapes, for error messages."""
_REGIONS: Final = "jigsaw:"
_HOUSES: Final = re.compile(r"houses([0-9]{1,4}):([0-9a-z@.]*)(?:/([0-9a-z@.]*))?")
_MOST_HOUSES: Final = 1000
_DIGITS: Final = 6
"""Digits of a digest in a short name."""


class Layout(NamedTuple):
    """What makes a shape; see the fields of `Shape`."""

    spec: str
    size: int
    houses: tuple[House, ...]
    box: tuple[int, int] | None = None
    pairs: tuple[Pair, ...] = ()


def layout_of(spec: str) -> Layout:
    """The houses and pairs of the shape with this name or definition, in lower case.

    Raises:
        PuzzleError: no shape has this name.
    """
    if spec.startswith("houses"):
        return _of_houses(spec)
    base, *variants = spec.split("+")
    plain = _of_regions(base) if base.startswith(_REGIONS) else _plain(base)
    if not variants:
        return plain
    for name in variants:
        if name not in VARIANTS:
            raise PuzzleError(
                f"unknown variant {shortened(name, 40)!r}{meant(name, VARIANTS)}",
                expected=", ".join(VARIANTS),
            )
        if variants.count(name) > 1:
            raise PuzzleError(f"the variant {name} occurs twice", expected="each variant once")
    variants.sort(key=VARIANTS.index)
    houses, pairs = additions(variants, Grounds(plain.spec, plain.size, plain.box), plain.houses)
    name = "+".join([plain.spec, *variants])
    return plain._replace(spec=name, houses=(*plain.houses, *houses), pairs=pairs)


def definition_of(shape: Layout) -> str:
    """A text from which `layout_of` makes this shape, perhaps with other names of houses.

    It is the name if that is enough. A jigsaw has the regions in it. A shape with other
    houses lists them: ``houses4:`` and the row and the column of each cell as two symbols,
    houses separated by points, then ``/`` and the pairs.

    Raises:
        PuzzleError: the shape has more rows than there are symbols.
    """
    if _is_made_by(shape.spec, shape):
        return shape.spec
    if shape.size > LARGEST:
        raise PuzzleError(f"{shape.spec} has {shape.size} rows", expected=f"at most {LARGEST}")
    variants = shape.spec.split("+")[1:]
    region_of = {c: h.number for h in shape.houses if h.kind == "region" for c in h.cells}
    if len(region_of) == shape.size**2:
        regions = "".join(VALUES[region_of[cell] - 1] for cell in range(shape.size**2)).lower()
        if _is_made_by(named := "+".join([_REGIONS + regions, *variants]), shape):
            return named
    houses = ".".join(_written(house.cells, shape.size) for house in shape.houses)
    pairs = ".".join(_written(pair, shape.size) for pair in shape.pairs)
    return f"houses{shape.size}:{houses}{'/' if pairs else ''}{pairs}"


def _is_made_by(text: str, shape: Layout) -> bool:
    try:
        made = layout_of(text)
    except PuzzleError:
        return False
    return digest_of(*_sets(made)) == digest_of(*_sets(shape))


def _sets(shape: Layout) -> tuple[int, tuple[House, ...], tuple[Pair, ...]]:
    return shape.size, shape.houses, shape.pairs


def _plain(spec: str) -> Layout:
    """A Latin square, or a shape with boxes."""
    if match := re.fullmatch(r"latin([0-9]{1,4})", spec):
        size = int(match[1])
        if not SMALLEST_LATIN <= size <= LARGEST:
            raise PuzzleError(
                f"unknown shape {spec!r}", expected=f"latin{SMALLEST_LATIN} to latin{LARGEST}"
            )
        return Layout(f"latin{size}", size, tuple(_lines(size)))
    if match := re.fullmatch(r"box([0-9]{1,4})x([0-9]{1,4})", spec):
        rows, columns = int(match[1]), int(match[2])
        if min(rows, columns) < 2 or rows * columns > LARGEST:
            raise PuzzleError(
                f"unknown shape {spec!r}",
                expected=f"boxes of at least 2 rows and 2 columns and at most {LARGEST} cells",
            )
        return _boxed(rows, columns)
    if match := re.fullmatch(r"([0-9]{1,4})x([0-9]{1,4})", spec):
        size = int(match[1])
        if size != int(match[2]):
            raise PuzzleError(f"unknown shape {spec!r}", expected=f"a square: {PATTERNS}")
        if not SMALLEST_BOXED <= size <= LARGEST:
            raise PuzzleError(f"unknown shape {spec!r}", expected=PATTERNS)
        box = box_of(size)
        if box is None:
            raise PuzzleError(
                f"{spec} has no boxes because {size} is prime", expected=f"latin{size}"
            )
        return _boxed(*box)
    raise PuzzleError(f"unknown shape {shortened(spec, 60)!r}", expected=PATTERNS)


def _boxed(rows: int, columns: int) -> Layout:
    size = rows * columns
    spec = f"{size}x{size}" if box_of(size) == (rows, columns) else f"box{rows}x{columns}"
    return Layout(spec, size, (*_lines(size), *_boxes(rows, columns)), (rows, columns))


def _of_regions(spec: str) -> Layout:
    """A jigsaw; its regions are numbered by their first cells."""
    symbols = spec.removeprefix(_REGIONS)
    size = isqrt(len(symbols))
    if size**2 != len(symbols) or not SMALLEST_LATIN <= size <= LARGEST:
        raise PuzzleError(
            f"a jigsaw of {len(symbols)} cells",
            expected="the region of each cell: 81 symbols for 9x9",
        )
    regions: dict[str, list[int]] = {}
    for cell, symbol in enumerate(symbols):
        regions.setdefault(symbol, []).append(cell)
    if {len(cells) for cells in regions.values()} != {size}:
        least, number = min(Counter(symbols).items(), key=lambda item: (item[1], item[0]))
        raise PuzzleError(
            f"{len(regions)} regions; {least!r} has {number} cells",
            where="jigsaw",
            expected=f"{size} regions of {size} cells",
        )
    houses = (
        *_lines(size),
        *(House("region", n, tuple(cells)) for n, cells in enumerate(regions.values(), 1)),
    )
    return _with_short_name("jigsaw", size, houses, ())


def _of_houses(spec: str) -> Layout:
    match = _HOUSES.fullmatch(spec)
    size = int(match[1]) if match else 0
    if not match or not SMALLEST_LATIN <= size <= LARGEST:
        raise PuzzleError(
            f"unknown shape {shortened(spec, 60)!r}",
            expected="houses9: and the cells of each house as rows and columns",
        )
    written = match[2].split(".") if match[2] else []
    cells = [_cells(text, size, size) for text in written[: _MOST_HOUSES + 1]]
    pairs = [_cells(text, size, 2) for text in match[3].split(".")] if match[3] is not None else []
    if not cells or len(cells) > _MOST_HOUSES:
        raise PuzzleError(f"a shape of {len(written)} houses", expected=f"1 to {_MOST_HOUSES}")
    houses = tuple(House("house", number, of) for number, of in enumerate(cells, 1))
    return _with_short_name("houses", size, houses, tuple((a, b) for a, b in pairs))


def _with_short_name(
    kind: str, size: int, houses: tuple[House, ...], pairs: tuple[Pair, ...]
) -> Layout:
    digest = digest_of(size, houses, pairs)
    return Layout(f"{kind}{size}-{digest[:_DIGITS]}", size, houses, None, pairs)


def _written(cells: tuple[int, ...], size: int) -> str:
    """The row and the column of each cell, a symbol each."""
    return "".join(VALUES[part] for cell in cells for part in divmod(cell, size)).lower()


def _cells(text: str, size: int, number: int) -> tuple[int, ...]:
    """The cells that `_written` wrote.

    Raises:
        PuzzleError: `text` is not the rows and columns of `number` cells, ascending.
    """
    parts = [value_of(symbol) or 0 for symbol in text]
    ends = zip(parts[::2], parts[1::2], strict=False)
    cells = tuple((row - 1) * size + column - 1 for row, column in ends)
    in_range = all(1 <= part <= size for part in parts)
    ascending = all(one < other for one, other in pairwise(cells))
    if len(parts) != 2 * number or not in_range or not ascending:
        raise PuzzleError(
            f"{shortened(text, 60)!r} is not {number} cells",
            expected=f"the rows and columns of {number} cells, ascending: 111213 is R1C1 to R1C3",
        )
    return cells


def _lines(size: int) -> Iterator[House]:
    for row in range(size):
        yield House("row", row + 1, tuple(range(row * size, (row + 1) * size)))
    for column in range(size):
        yield House("column", column + 1, tuple(range(column, size * size, size)))


def _boxes(rows: int, columns: int) -> Iterator[House]:
    size = rows * columns
    for box in range(size):
        top = box // rows * rows
        left = box % rows * columns
        cells = ((top + r) * size + left + c for r in range(rows) for c in range(columns))
        yield House("box", box + 1, tuple(cells))
