"""Shapes: a size and the houses, the sets of cells that hold every value once; symbols of values.

Values 1 to 9 are digits and 10 to 35 the letters A to Z, as in the article
"Судоку как CSP"; lower case is read as upper case. ``@`` is value 36, which only a
36x36 grid has. Grids larger than that have numbers, with blanks between them in a line.

=============  ================================================================
``diagonal``   both diagonals are houses (Sudoku-X)
``windoku``    the windows between the boxes are houses: four in a 9x9
``disjoint``   cells at the same place of every box are a house
``antiknight`` cells a knight's move apart differ
``antiking``   cells that touch at a corner differ
=============  ================================================================

==========================  =====================================================
``9x9``                     any size from 4x4 to 100x100, with boxes as square as
                            possible, otherwise wider than high: 6x6 has boxes of
                            2 rows and 3 columns
``box5x2``                  boxes of 5 rows and 2 columns
``latin7``                  rows and columns only
``jigsaw:11223344...``      irregular regions, a symbol for the region of each cell; above
                            36x36 numbers with commas: ``jigsaw:1,1,2,2,...``
``9x9+diagonal+antiknight`` with variants, see `harness.puzzles.shape`
``houses9:...``             any houses, as `Shape.definition` writes them
``9x9; killer 15: R1C1 R1C2`` with constraints, see `harness.puzzles.constraints.kinds`
==========================  =====================================================

A jigsaw and a shape with its own houses also have a short name, with the first digits of
their digest: ``jigsaw9-3fa2b1``. The name of a shape with constraints has their kinds:
``9x9+killer``. Only their definitions can be parsed.
"""

import hashlib
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, lru_cache
from itertools import chain, pairwise, product
from math import isqrt
from typing import TYPE_CHECKING, Final

from harness.base.errors import PuzzleError, require, suggestion
from harness.base.text import number_of, shortened
from harness.puzzles import constraints as constraint_package
from harness.puzzles.constraints import Distinct, Primitive, keeps, normal_form, pairs_of

if TYPE_CHECKING:
    from harness.puzzles.constraints import Constraint, Field

# The symbols of values in text.


VALUES: Final = "123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ@"
"""``VALUES[v - 1]`` is the symbol of value v."""

BLANKS: Final = ".0"
"""The symbols of a blank cell; a puzzle uses one of them."""

LETTERED: Final = len(VALUES)
"""The largest size with a symbol for each value; the values of larger ones are numbers."""
LARGEST: Final = 100
SOLUTION: Final = rf"([{VALUES}]*|[1-9][0-9]*( [1-9][0-9]*)+)"
"""The pattern of a complete grid as a line."""

_VALUE_OF: Final = (
    {symbol: value for value, symbol in enumerate(VALUES, 1)}
    | {symbol.lower(): value for value, symbol in enumerate(VALUES, 1)}
    | dict.fromkeys(BLANKS, 0)
    | {str(value): value for value in range(10, LARGEST + 1)}
)


def value_of(symbol: str) -> int | None:
    """The value of `symbol`, which may be a number; 0 for a blank, None for anything else."""
    return _VALUE_OF.get(symbol)


def symbol_of(value: int, size: int = LETTERED) -> str:
    """The symbol of `value` in a grid of `size`, ``.`` for 0."""
    if size > LETTERED and value:
        return str(value)
    return VALUES[value - 1] if value else "."


def describe(size: int) -> str:
    """The symbols of a grid of `size`, for error messages."""
    if size <= 9 or size > LETTERED:
        return f"1-{size}"
    if size == 10:
        return "1-9 or A"
    if size < LETTERED:
        return f"1-9 or A-{VALUES[size - 1]}"
    return "1-9, A-Z or @"


# Houses and pairs, the sets of cells that make a shape.


_SMALLEST_BOXED: Final = 4
_SMALLEST_LATIN: Final = 2
_BY_NAME: Final = "the shape by name, for example --shape"

Pair = tuple[int, int]
"""Two cells that hold different values, the lower index first."""


@dataclass(frozen=True, slots=True)
class House:
    """`size` cells that hold every value once: a row, a column, a box."""

    kind: str
    """``row``, ``column``, ``box``, ``region``, ``diagonal``, ``window``, ``group``; ``extra`` of a
    constraint, ``house`` of a shape that is given by its houses."""
    number: int
    """From 1, counted over the houses of this kind."""
    cells: tuple[int, ...]
    """Row-major cell indices from 0, ascending."""

    def __str__(self) -> str:
        return f"{self.kind} {self.number}"


def box_of(size: int) -> tuple[int, int] | None:
    """Rows and columns of the boxes of a grid of `size`, as square as possible; None if prime."""
    rows = next(r for r in range(isqrt(size), 0, -1) if size % r == 0)
    return (rows, size // rows) if rows > 1 else None


# Shapes: a size and the houses, the sets of cells that hold every value once.


@dataclass(frozen=True, eq=False)
class Shape:
    """A square grid of `size` x `size` cells and its houses.

    Backends use only the houses, the pairs and the primitives, so any sets of cells make a
    shape. Two shapes are equal if these are equal, even under different names. Cells are
    numbered row by row from 0.
    """

    spec: str
    """The name: ``9x9``, ``box5x2``, ``latin7``, ``9x9+diagonal``."""
    size: int
    houses: tuple[House, ...] = field(repr=False)
    """The sets of cells that hold every value once."""
    box: tuple[int, int] | None = None
    """Rows and columns of a box, for drawing; None without boxes."""
    pairs: tuple[Pair, ...] = field(default=(), repr=False)
    """Cells that hold different values although no house has both, as in anti-knight Sudoku."""
    constraints: "tuple[Constraint, ...]" = field(default=(), repr=False)
    """Named constraints, as people and files have them; `with_constraints` adds them."""
    primitives: tuple[Primitive, ...] = field(default=(), repr=False)
    """What the constraints demand, as solvers have them; houses and pairs cover `Distinct`."""
    plain: str = field(default="", repr=False)
    """The definition of the shape without its constraints; empty if it has none."""

    def __post_init__(self) -> None:
        pairs = sorted({(min(pair), max(pair)) for pair in self.pairs})
        object.__setattr__(self, "pairs", tuple(pairs))

    @staticmethod
    def parse(spec: str) -> "Shape":
        """The shape called `spec`, for example ``16x16``, ``latin7`` or ``9x9+diagonal``.

        See `harness.puzzles.shape` for all names.

        Raises:
            PuzzleError: no shape has this name.
        """
        require(spec, str, "spec", f"the name of a shape: {PATTERNS}", PuzzleError)
        return _parse(spec.strip().lower())

    @staticmethod
    def choose(shape: "Shape | str | None") -> "Shape | None":
        """The shape that the argument `shape` is or names; None for None.

        Raises:
            PuzzleError: no shape has this name.
            OptionError: the argument is something else.
        """
        if isinstance(shape, str):
            return Shape.parse(shape)
        require(shape, (Shape, type(None)), "shape", "a Shape or its name")
        return shape

    @staticmethod
    def of_length(cells: int) -> "Shape":
        """The boxed shape with this number of `cells`.

        Raises:
            PuzzleError: no boxed shape has this number of cells, or the number is
                ambiguous (729 characters may be a 27x27 grid or the candidates of a
                9x9).
        """
        size = isqrt(max(cells, 0))
        if size * size != cells or size > LARGEST or size < 2:
            sizes = [n for n in range(_SMALLEST_BOXED, LARGEST + 1) if box_of(n)]
            below, above = (
                [n for n in sizes if n * n < cells],
                [n for n in sizes if n * n > cells],
            )
            near = " or ".join(f"{n * n} for {n}x{n}" for n in (*below[-1:], *above[:1]))
            number = f"{cells} cell{'' if cells == 1 else 's'}"
            raise PuzzleError(f"no shape has {number}", expected=near)
        if cells == 729:
            problem = "729 cells may be a 27x27 grid or the candidates of a 9x9"
            raise PuzzleError(problem, expected=f"{_BY_NAME} 27x27")
        if box_of(size) is None:
            problem = f"{cells} cells make {size}x{size}, which has no boxes"
            raise PuzzleError(problem, expected=f"{_BY_NAME} latin{size}")
        return Shape.parse(f"{size}x{size}")

    @staticmethod
    def of_side(size: int) -> "Shape":
        """The boxed shape with this number of rows, its `size`.

        Raises:
            PuzzleError: no boxed shape has this number of rows.
        """
        if not _SMALLEST_LATIN <= size <= LARGEST:
            expected = f"{_SMALLEST_BOXED} to {LARGEST} cells"
            raise PuzzleError(f"no shape has a side of {size}", expected=expected)
        if box_of(size) is None:
            raise PuzzleError(f"{size}x{size} has no boxes", expected=f"{_BY_NAME} latin{size}")
        return Shape.parse(f"{size}x{size}")

    @cached_property
    def houses_of(self) -> tuple[tuple[int, ...], ...]:
        """For each cell the indices of its houses in `houses`."""
        indices: list[list[int]] = [[] for _ in range(self.size**2)]
        for index, house in enumerate(self.houses):
            for cell in house.cells:
                indices[cell].append(index)
        return tuple(map(tuple, indices))

    @cached_property
    def region_of(self) -> tuple[int, ...]:
        """For each cell the number of its box or region, from 1; 0 for a cell in none."""
        numbers = [0] * self.size**2
        regions = [house for house in self.houses if house.kind in ("box", "region")]
        for number, house in enumerate(regions, 1):
            for cell in house.cells:
                numbers[cell] = number
        return tuple(numbers)

    @cached_property
    def constraint_field(self) -> "Field":
        """The grid that the constraints apply to."""
        size = self.size
        rows = (tuple(range(first, first + size)) for first in range(0, size**2, size))
        columns = (tuple(range(first, size**2, size)) for first in range(size))
        lines_differ = {*rows, *columns} <= {house.cells for house in self.houses}
        return constraint_package.Field(size, self.region_of, lines_differ, self.constraints)

    @cached_property
    def partners_of(self) -> tuple[tuple[int, ...], ...]:
        """For each cell the other cells of its `pairs`, ascending."""
        partners: list[set[int]] = [set() for _ in range(self.size**2)]
        for first, second in self.pairs:
            partners[first].add(second)
            partners[second].add(first)
        return tuple(tuple(sorted(cells)) for cells in partners)

    @cached_property
    def peers(self) -> tuple[tuple[int, ...], ...]:
        """For each cell the other cells of its houses and pairs, ascending.

        A cell and its peer hold different values.
        """
        peers = []
        for cell, houses in enumerate(self.houses_of):
            together = {c for h in houses for c in self.houses[h].cells}
            peers.append(tuple(sorted(together.union(self.partners_of[cell]) - {cell})))
        return tuple(peers)

    @cached_property
    def digest(self) -> str:
        """A digest of the cells of houses, pairs and primitives, whatever their order and names.

        Equal shapes have equal digests.
        """
        cells = sorted({house.cells for house in self.houses})
        apart = f":{sorted(set(self.pairs))}" if self.pairs else ""
        others = sorted(
            repr(primitive) for primitive in self.primitives if not isinstance(primitive, Distinct)
        )
        text = f"{self.size}:{cells}{apart}{f':{others}' if others else ''}"
        return hashlib.sha256(text.encode()).hexdigest()

    @cached_property
    def definition(self) -> str:
        """A text from which `parse` makes this shape, perhaps with other names of houses.

        It is the name if that is enough. For a jigsaw it has the regions. A shape with other
        houses lists them: ``houses4:`` and the row and the column of each cell as two symbols,
        or numbers with commas above 36x36, houses separated by points, then ``/`` and the pairs.

        Constraints come after it: ``9x9; killer 15: r1c1 r1c2``.
        """
        size, variants = self.size, self.spec.split("+")[1:]
        if self.constraints:
            return "; ".join(
                [self.plain, *(constraint.text(size).lower() for constraint in self.constraints)]
            )
        if self._is_made_by(self.spec):
            return self.spec
        region_of = {c: h.number for h in self.houses if h.kind == "region" for c in h.cells}
        if len(region_of) == size**2:
            regions = self.symbols(region_of[cell] for cell in range(size**2)).lower()
            if self._is_made_by(name := "+".join([_REGIONS + regions, *variants])):
                return name
        houses = ".".join(_notation(house.cells, size) for house in self.houses)
        pairs = ".".join(_notation(pair, size) for pair in self.pairs)
        return f"houses{size}:{houses}{'/' if pairs else ''}{pairs}"

    def _is_made_by(self, text: str) -> bool:
        try:
            return Shape.parse(text) == self
        except PuzzleError:
            return False

    def with_constraints(self, constraints: "Sequence[Constraint]") -> "Shape":
        """This shape with further `constraints`.

        N cells that differ become a house, and fewer become pairs, unless a house has both cells.

        Args:
            constraints: the constraints; `constraint_of` reads them.

        Raises:
            PuzzleError: a value is malformed, or a constraint does not fit its cells.
        """
        if not constraints:
            return self
        if self.constraints:
            return self.without_constraints.with_constraints((*self.constraints, *constraints))
        size, kinds = self.size, list(constraint_package.KINDS)
        field_ = self.constraint_field._replace(constraints=tuple(constraints))
        reductions = constraint_package.reductions(field_)
        demands = chain.from_iterable(primitives for _, primitives in reductions)
        primitives = normal_form(size, demands)
        house_cells = {house.cells for house in self.houses}
        groups = [primitive.cells for primitive in primitives if isinstance(primitive, Distinct)]
        extra = [cells for cells in groups if len(cells) == size and cells not in house_cells]
        houses = (*self.houses, *(House("extra", n, cells) for n, cells in enumerate(extra, 1)))
        together = [set(house.cells) for house in houses]
        apart = (p for p in pairs_of(primitives) if not any(map(set(p).issubset, together)))
        names = sorted({constraint.kind for constraint in constraints}, key=kinds.index)
        return replace(
            self,
            spec="+".join([self.spec, *names]),
            houses=houses,
            pairs=(*self.pairs, *apart),
            constraints=tuple(constraints),
            primitives=primitives,
            plain=self.definition,
        )

    @cached_property
    def reductions(self) -> "tuple[tuple[Constraint, tuple[Primitive, ...]], ...]":
        """Each constraint with the primitives to which it reduces."""
        return tuple(constraint_package.reductions(self.constraint_field))

    def broken_by(self, grid: Sequence[int]) -> str | None:
        """The text of the first constraint that a grid breaks; None if the grid keeps all.

        Args:
            grid: int[cells], complete.
        """
        broken = (primitive for primitive in self.primitives if not keeps(primitive, grid))
        if (primitive := next(broken, None)) is None:
            return None
        for constraint, demands in self.reductions:
            if not all(keeps(primitive, grid) for primitive in demands):
                return shortened(constraint.text(self.size), 80)
        return f"a constraint on {' '.join(map(self.cell_name, primitive.cells))}"

    @property
    def without_constraints(self) -> "Shape":
        """This shape without its constraints."""
        return Shape.parse(self.plain) if self.constraints else self

    def cells_of_kind(self, kind: str) -> list[tuple[int, ...]]:
        """The cells of each house of `kind`, such as ``window``."""
        return [house.cells for house in self.houses if house.kind == kind]

    @property
    def digits(self) -> int:
        """The number of characters of the longest symbol."""
        return len(self.symbol(self.size))

    def symbol(self, value: int) -> str:
        """The symbol of `value`, a number above 36x36; ``.`` for 0."""
        return symbol_of(value, self.size)

    def symbols(self, values: Iterable[int]) -> str:
        """The symbols of `values` without anything between, or numbers with commas."""
        return ("" if self.size <= LETTERED else ",").join(map(self.symbol, values))

    def cell_name(self, cell: int) -> str:
        """The name of the `cell` with this index: ``R1C1``, row and column from 1, for 0."""
        row, column = divmod(cell, self.size)
        return f"R{row + 1}C{column + 1}"

    def __eq__(self, other: object) -> bool:
        return self is other or (isinstance(other, Shape) and self.digest == other.digest)

    def __hash__(self) -> int:
        return hash(self.digest)

    def __str__(self) -> str:
        return self.spec

    def __reduce__(self) -> tuple[object, tuple[object, ...]]:
        """Pickle by name, or by houses if the name stands for other houses or for none."""
        if self.constraints:
            return Shape.parse, (self.definition,)
        if self._is_made_by(self.spec) and Shape.parse(self.spec).houses == self.houses:
            return Shape.parse, (self.spec,)
        return Shape, (self.spec, self.size, self.houses, self.box, self.pairs)


def plain_of(definition: str) -> Shape:
    """The shape of this `definition` without its constraints, which are not read."""
    return Shape.parse(definition.partition(";")[0])


def name_by_kinds(definition: str) -> str:
    """The name that the shapes of puzzles with the same kinds of constraints share.

    It is ``9x9+killer`` for every killer, and the `definition` itself of a shape without
    constraints. Cells and values of constraints are not read.

    Raises:
        PuzzleError: no shape has this definition.
    """
    _, *texts = definition.split(";")
    kinds = {text.partition(":")[0].split()[0] for text in texts if text.strip(": ")}
    if not kinds:
        return definition
    order = {name: number for number, name in enumerate(constraint_package.KINDS)}
    names = sorted(kinds, key=lambda kind: (order.get(kind, len(order)), kind))
    return "+".join([plain_of(definition).spec, *names])


# Variants of Sudoku: further houses, and pairs of cells that differ.


def _with_variants(shape: Shape, names: Sequence[str]) -> Shape:
    """A shape with the houses and pairs that these variants add.

    Pairs that a house already separates are left out.

    Raises:
        PuzzleError: a variant needs other boxes.
    """
    new_houses = (house for name in names if name in HOUSES for house in HOUSES[name](shape))
    houses = (*shape.houses, *new_houses)
    together = [set(house.cells) for house in houses]
    pairs = {p for name in names if name in MOVES for p in _pairs(shape.size, MOVES[name])}
    apart = (p for p in pairs if not any(cells.issuperset(p) for cells in together))
    return Shape("+".join([shape.spec, *names]), shape.size, houses, shape.box, tuple(apart))


def _diagonals(shape: Shape) -> Iterator[House]:
    size = shape.size
    yield House("diagonal", 1, tuple(range(0, size * size, size + 1)))
    yield House("diagonal", 2, tuple(range(size - 1, size * size - 1, size - 1)))


def _windows(shape: Shape) -> Iterator[House]:
    size = shape.size
    if shape.box is None or shape.box[0] != shape.box[1] or shape.box[0] < 3:
        expected = "square boxes of 3x3 or larger: 9x9, 16x16"
        raise PuzzleError(f"{shape.spec} has no windows", expected=expected)
    side = shape.box[0]
    corners = range(1, size - side, side + 1)
    for number, (top, left) in enumerate(product(corners, corners), 1):
        places = product(range(top, top + side), range(left, left + side))
        yield House("window", number, tuple(row * size + column for row, column in places))


def _groups(shape: Shape) -> Iterator[House]:
    if shape.box is None:
        raise PuzzleError(f"{shape.spec} has no disjoint groups", expected="a shape with boxes")
    size, (height, width) = shape.size, shape.box
    for place in range(size):
        row, column = divmod(place, width)
        places = product(range(row, size, height), range(column, size, width))
        yield House("group", place + 1, tuple(top * size + left for top, left in places))


def _pairs(size: int, moves: Sequence[tuple[int, int]]) -> Iterator[Pair]:
    """All pairs of cells one of these moves apart; moves go down, so each pair comes once."""
    for cell in range(size * size):
        row, column = divmod(cell, size)
        for down, right in moves:
            if row + down < size and 0 <= column + right < size:
                yield cell, cell + down * size + right


HOUSES: Final[dict[str, Callable[[Shape], Iterator[House]]]] = {
    "diagonal": _diagonals,
    "windoku": _windows,
    "disjoint": _groups,
}
"""The variants that add houses."""
MOVES: Final[dict[str, tuple[tuple[int, int], ...]]] = {
    "antiknight": ((1, -2), (1, 2), (2, -1), (2, 1)),
    "antiking": ((1, -1), (1, 1)),
}
"""The variants that add pairs: moves in rows and columns between cells that differ."""
VARIANTS: Final = (*HOUSES, *MOVES)
"""The names of all variants, in the order in which a shape's name lists them."""


# The names of shapes.


PATTERNS: Final = (
    f"9x9 (any size from 4x4 to {LARGEST}x{LARGEST} with boxes), box5x2, latin7 or jigsaw:REGIONS, "
    f"perhaps with variants: 9x9+{'+'.join(VARIANTS[:2])}"
)
"""The names of shapes, for error messages."""
_REGIONS: Final = "jigsaw:"
_HOUSES: Final = re.compile(r"houses([0-9]{1,4}):([0-9a-z@.,]*)(?:/([0-9a-z@.,]*))?")
_MOST_HOUSES: Final = 1000
_DIGITS: Final = 6
"""Digits of a digest in a short name."""


@lru_cache(maxsize=1024)
def _parse(spec: str) -> Shape:
    """The shape with this name or definition, in lower case.

    Raises:
        PuzzleError: no shape has this name, or a constraint is malformed.
    """
    spec, *texts = (part.strip() for part in spec.split(";"))
    plain = _without_constraints(spec)
    return plain.with_constraints(
        [constraint_package.constraint_of(text, plain.size) for text in texts if text]
    )


def _without_constraints(spec: str) -> Shape:
    if spec.startswith("houses"):
        return _of_houses(spec)
    base, *variants = spec.split("+")
    plain = _of_regions(base) if base.startswith(_REGIONS) else _plain(base)
    if not variants:
        return plain
    for name in variants:
        if name not in VARIANTS:
            if kind := constraint_package.KINDS.get(name):
                expected = f"a definition such as {plain.spec}; {kind.example}"
                where = shortened(spec, 60)
                raise PuzzleError(
                    f"the cells of {name} are missing", where=where, expected=expected
                )
            problem = f"unknown variant {shortened(name, 40)!r}{suggestion(name, VARIANTS)}"
            raise PuzzleError(problem, expected=", ".join(VARIANTS))
        if variants.count(name) > 1:
            raise PuzzleError(f"the variant {name} occurs twice", expected="each variant once")
    variants.sort(key=VARIANTS.index)
    return _with_variants(plain, variants)


def _plain(spec: str) -> Shape:
    """A Latin square, or a shape with boxes."""
    problem, expected = f"unknown shape {shortened(spec, 60)!r}", PATTERNS
    if match := re.fullmatch(r"latin([0-9]{1,4})", spec):
        size = int(match[1])
        if _SMALLEST_LATIN <= size <= LARGEST:
            return Shape(f"latin{size}", size, tuple(_lines(size)))
        expected = f"latin{_SMALLEST_LATIN} to latin{LARGEST}"
    elif match := re.fullmatch(r"box([0-9]{1,4})x([0-9]{1,4})", spec):
        rows, columns = int(match[1]), int(match[2])
        if min(rows, columns) >= 2 and rows * columns <= LARGEST:
            return _with_boxes(rows, columns)
        expected = f"boxes of at least 2 rows and 2 columns and at most {LARGEST} cells"
    elif match := re.fullmatch(r"([0-9]{1,4})x([0-9]{1,4})", spec):
        size = int(match[1])
        if size != int(match[2]):
            expected = f"a square: {PATTERNS}"
        elif _SMALLEST_BOXED <= size <= LARGEST:
            if box := box_of(size):
                return _with_boxes(*box)
            problem, expected = f"{spec} has no boxes because {size} is prime", f"latin{size}"
    raise PuzzleError(problem, expected=expected)


def _with_boxes(rows: int, columns: int) -> Shape:
    size = rows * columns
    spec = f"{size}x{size}" if box_of(size) == (rows, columns) else f"box{rows}x{columns}"
    boxes = []
    for box in range(size):
        top, left = box // rows * rows, box % rows * columns
        cells = ((top + r) * size + left + c for r in range(rows) for c in range(columns))
        boxes.append(House("box", box + 1, tuple(cells)))
    return Shape(spec, size, (*_lines(size), *boxes), (rows, columns))


def _of_regions(spec: str) -> Shape:
    """A jigsaw; its regions are numbered by their first cells."""
    text = spec.removeprefix(_REGIONS)
    numbers = text.replace(",", " ").split()
    symbols, largest = (numbers, LARGEST) if len(numbers) > 1 else (list(text), LETTERED)
    size = isqrt(len(symbols))
    if size**2 != len(symbols) or not _SMALLEST_LATIN <= size <= largest:
        problem = f"a jigsaw of {len(symbols)} cells"
        expected = "the region of each cell: 81 symbols for 9x9, 2401 numbers for 49x49"
        raise PuzzleError(problem, expected=expected)
    regions: dict[str, list[int]] = {}
    for cell, symbol in enumerate(symbols):
        regions.setdefault(symbol, []).append(cell)
    if {len(cells) for cells in regions.values()} != {size}:
        least, number = min(Counter(symbols).items(), key=lambda item: (item[1], item[0]))
        cells_of_least = f"{shortened(least, 20)!r} has {number_of(number, 'cell')}"
        problem = f"{number_of(len(regions), 'region')}; {cells_of_least}"
        raise PuzzleError(problem, where="jigsaw", expected=f"{size} regions of {size} cells")
    houses = (
        *_lines(size),
        *(House("region", n, tuple(cells)) for n, cells in enumerate(regions.values(), 1)),
    )
    return _with_short_name("jigsaw", size, houses, ())


def _of_houses(spec: str) -> Shape:
    match = _HOUSES.fullmatch(spec)
    size = int(match[1]) if match else 0
    if not match or not _SMALLEST_LATIN <= size <= LARGEST:
        expected = "houses9: and the cells of each house as rows and columns"
        raise PuzzleError(f"unknown shape {shortened(spec, 60)!r}", expected=expected)
    lists = match[2].split(".") if match[2] else []
    cells = [_cells(text, size, size) for text in lists[: _MOST_HOUSES + 1]]
    pairs = [_cells(text, size, 2) for text in match[3].split(".")] if match[3] is not None else []
    if not cells or len(cells) > _MOST_HOUSES:
        raise PuzzleError(f"a shape of {len(lists)} houses", expected=f"1 to {_MOST_HOUSES}")
    houses = tuple(House("house", number, members) for number, members in enumerate(cells, 1))
    return _with_short_name("houses", size, houses, tuple((a, b) for a, b in pairs))


def _with_short_name(
    kind: str, size: int, houses: tuple[House, ...], pairs: tuple[Pair, ...]
) -> Shape:
    shape = Shape(kind, size, houses, None, pairs)
    return replace(shape, spec=f"{kind}{size}-{shape.digest[:_DIGITS]}")


def _notation(cells: tuple[int, ...], size: int) -> str:
    """The row and the column of each cell, a symbol each, or numbers with commas."""
    parts = (symbol_of(part + 1, size) for cell in cells for part in divmod(cell, size))
    return ("" if size <= LETTERED else ",").join(parts).lower()


def _cells(text: str, size: int, number: int) -> tuple[int, ...]:
    """The cells that `_notation` wrote.

    Raises:
        PuzzleError: `text` is not the rows and columns of `number` cells, ascending.
    """
    parts = [value_of(symbol) or 0 for symbol in (text.split(",") if "," in text else text)]
    ends = zip(parts[::2], parts[1::2], strict=False)
    cells = tuple((row - 1) * size + column - 1 for row, column in ends)
    in_range = all(1 <= part <= size for part in parts)
    ascending = all(first < second for first, second in pairwise(cells))
    if len(parts) != 2 * number or not in_range or not ascending:
        expected = f"the rows and columns of {number} cells, ascending: 111213 is R1C1 to R1C3"
        raise PuzzleError(f"{shortened(text, 60)!r} is not {number} cells", expected=expected)
    return cells


def _lines(size: int) -> Iterator[House]:
    for row in range(size):
        yield House("row", row + 1, tuple(range(row * size, (row + 1) * size)))
    for column in range(size):
        yield House("column", column + 1, tuple(range(column, size * size, size)))
