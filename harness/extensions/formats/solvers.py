"""Files of solvers: data of MiniZinc and pycsp3, and XCSP3.

In XCSP3, the array of variables is the grid. Each ``allDifferent`` of as many variables as there
are values is a house, and of two variables a pair; an ``instantiation`` holds the givens, and an
``extension`` of one variable its candidates. The reader accepts what the writer writes, and the
files of pycsp3 with lists, matrices, groups and ranges of indices.
"""

import json
import re
from collections.abc import Callable, Iterable, Iterator
from itertools import islice, product
from typing import Any, Final

from harness.base.errors import PuzzleError, one_of
from harness.base.files import parse_json
from harness.base.text import short_repr
from harness.extensions.formats.fpuzzles import usual
from harness.extensions.formats.xml import Element, elements
from harness.puzzles import LARGEST, House, Puzzle, Shape, values_in
from harness.puzzles.formats import (
    SHAPE,
    Format,
    Head,
    ParsedPuzzle,
    ReadSettings,
    TextSource,
    located,
    no_pencilmarks,
    number_in,
)

# Data of MiniZinc (.dzn) and of pycsp3 (JSON): one puzzle per file.


_COMMENT: Final = re.compile(r"%[^\n]*")
_ARRAY: Final = re.compile(
    r"\b[A-Za-z_]\w*+\s*+=\s*+(?:array2d\s*+\(([^\[\]]{0,200}+)\[(?!\|)|\[\|)", re.ASCII
)
"""The start of an array, up to its first cell."""
_ASSIGNMENTS: Final = re.compile(r"(?:\s*+[A-Za-z_]\w*+\s*+=[^;]*+;)*+\s*+", re.ASCII)
"""What may precede an array in data: assignments; models also have declarations of types."""


_Cells = list[tuple[int, str]]
"""The places and texts of cells."""


def _array(bare: str, name: str) -> tuple[re.Match[str], list[_Cells]]:
    """The array of a text without comments: its beginning, and its rows or a single list of cells.

    Raises:
        PuzzleError: there is not exactly one array, or its end is missing.
    """
    arrays = list(islice(_ARRAY.finditer(bare), 2))
    if len(arrays) != 1:
        problem = f"{'several' if arrays else 'no'} two-dimensional arrays"
        expected = "one: x = array2d(1..9, 1..9, [...]) or x = [|...|]"
        raise PuzzleError(problem, where=name, expected=expected)
    (array,) = arrays
    end = bare.find("]", array.end())
    if end < 0:
        where = _place(name, bare, array.start())
        raise PuzzleError("no end of the array", where=where, expected="]")
    has_bars = array[1] is None
    rows = [*_parts(bare, array.end(), end, "|")] if has_bars else [(array.end(), end)]
    return array, [
        [
            (first + len(text) - len(text.lstrip()), text.strip())
            for first, last in _parts(bare, *row, ",")
            for text in [bare[first:last]]
        ]
        for row in rows
    ]


def _parts(text: str, start: int, end: int, separator: str) -> Iterator[tuple[int, int]]:
    """The starts and ends of the parts of a text; the last may end with a separator."""
    while start < end:
        at = text.find(separator, start, end)
        stop = end if at < 0 else at
        if at < 0 and not text[start:end].strip():
            return
        yield start, stop
        start = stop + 1


def _read_dzn(source: TextSource, reading: ReadSettings) -> Iterator[ParsedPuzzle]:
    text = source.text()
    bare = _COMMENT.sub(lambda match: " " * len(match[0]), text)
    array, rows = _array(bare, source.name)
    place = _place(source.name, text, array.start())
    cells = [cell for row in rows for cell in row]
    for at, cell in cells:
        if len(cell.split()) != 1:
            problem = f"{cell[:40]!r} is not a cell"
            expected = "values or _ with commas between them"
            raise PuzzleError(problem, where=_place(source.name, text, at), expected=expected)
    with located(lambda where: where or place):
        if array[1] is None:
            _check_rows(rows, source.name, text)
        shape = reading.shape or _shape_named(text, bare, source.name)
        shape = shape or Shape.of_length(len(cells))
        if len(cells) != shape.size**2:
            raise PuzzleError(f"{len(cells)} cells for {shape}", expected=f"{shape.size**2} cells")
        if array[1] is not None:
            _check_sets(array[1], shape, bare)
    values = []
    for at, cell in cells:
        try:
            values.append(number_in(cell, shape))
        except PuzzleError as error:
            raise error.at(_place(source.name, text, at)) from None
    yield ParsedPuzzle(Puzzle(shape, tuple(values)), place, "1")


def _check_rows(rows: list[_Cells], name: str, text: str) -> None:
    """Check that the rows between bars are a square.

    Raises:
        PuzzleError: they are not.
    """
    width = len(rows[0]) if rows else 0
    for row in rows:
        if len(row) != width:
            where = _place(name, text, row[0][0]) if row else ""
            expected = f"{width} cells, as in the first row"
            raise PuzzleError(f"a row of {len(row)} cells", where=where, expected=expected)
    if len(rows) != width:
        problem = f"{len(rows)} rows of {width} cells"
        raise PuzzleError(problem, expected="as many rows as cells in a row")


def _check_sets(sets: str, shape: Shape, bare: str) -> None:
    """Check the sizes of the index sets of ``array2d``, if the file gives them.

    Raises:
        PuzzleError: the sets are malformed, or a size is not that of `shape`.
    """
    parts = sets.split(",")
    size = shape.size
    if len(parts) != 3 or parts[2].strip():
        raise PuzzleError("malformed index sets", expected=f"array2d(1..{size}, 1..{size}, [...])")
    for part in parts[:2]:
        if not (ends := re.fullmatch(r"\s*(\w+)\s*\.\.\s*(\w+)\s*", part, re.ASCII)):
            continue
        low, high = (_number(end, bare) for end in ends.groups())
        if low is not None and high is not None and high - low + 1 != size:
            problem = f"the index sets {short_repr(sets.strip(' ,'))} for {shape}"
            raise PuzzleError(problem, expected=f"two of {size} values")


def _number(text: str, bare: str) -> int | None:
    """The value of a number, or of a name to which the file assigns one; None if it is unclear."""
    if text.isdigit():
        return int(text) if len(text) < 10 else None
    numbers = re.findall(rf"\b{text}\s*+=\s*+([0-9]{{1,9}})\s*+;", bare, re.ASCII)
    return int(numbers[0]) if len(numbers) == 1 else None


def _shape_named(text: str, bare: str, name: str) -> Shape | None:
    """The shape that a comment names, or with boxes of the side ``S``; None if there is neither.

    Raises:
        PuzzleError: there is no such shape; the error has the position of its name.
    """
    if match := re.search(rf"%\s*shape:\s*({SHAPE})\s*", text):
        spec = match[1]
    elif match := re.search(r"\bS\s*=\s*([0-9]{1,3})\s*;", bare, re.ASCII):
        spec = f"box{match[1]}x{match[1]}"
    else:
        return None
    with located(_place(name, text, match.start(1))):
        return Shape.parse(spec)


def _place(name: str, text: str, at: int) -> str:
    before = text[:at]
    return f"{name}:{before.count(chr(10)) + 1}:{at - before.rfind(chr(10))}"


def _write_dzn(puzzles: Iterable[ParsedPuzzle]) -> Iterator[str]:
    for parsed in puzzles:
        shape = parsed.puzzle.shape
        if shape.spec != f"{shape.size}x{shape.size}" or shape.size == 27:
            yield f"% shape: {shape.definition}\n"
        yield f"n = {shape.size};\nx = array2d(1..n, 1..n, [\n"
        for row in parsed.puzzle.rows():
            yield "  " + ", ".join(str(value or "_") for value in row) + ",\n"
        yield "]);\n"


def _is_dzn(head: Head) -> bool:
    bare = _COMMENT.sub("", "\n".join(row.text for row in head.rows))
    array = _ARRAY.search(bare)
    return array is not None and _ASSIGNMENTS.fullmatch(bare, 0, array.start()) is not None


DZN: Final = Format(
    name="dzn",
    title="data of MiniZinc with the cells in an array",
    read=_read_dzn,
    write=_write_dzn,
    can_hold=no_pencilmarks,
    detect=_is_dzn,
    suffixes=(".dzn",),
    holds="every shape, without pencilmarks",
    single=True,
)


def _read_pycsp3(source: TextSource, reading: ReadSettings) -> Iterator[ParsedPuzzle]:
    data: Any = parse_json(source.text(), source.name, PuzzleError)
    clues = data.get("clues") if isinstance(data, dict) else None
    if not isinstance(clues, list) or not all(isinstance(row, list) for row in clues):
        raise PuzzleError("no clues", where=source.name, expected='"clues": a list of rows')
    size = data.get("n", len(clues))
    if type(size) is int and size != len(clues) and size**2 != len(clues):
        expected = f"{len(clues)}, as many as rows"
        raise PuzzleError(f"n is {short_repr(size)}", where=source.name, expected=expected)
    with located(lambda where: f"{source.name}: {where or 'clues'}"):
        yield ParsedPuzzle(Puzzle.from_rows(clues, reading.shape), source.name, "1")


def _write_pycsp3(puzzles: Iterable[ParsedPuzzle]) -> Iterator[str]:
    for parsed in puzzles:
        rows = ",\n".join(f"    {json.dumps(row)}" for row in parsed.puzzle.rows())
        yield f'{{\n  "n": {parsed.puzzle.shape.size},\n  "clues": [\n{rows}\n  ]\n}}\n'


def _boxed_only(parsed: ParsedPuzzle) -> str | None:
    """Why a format that stores only the size cannot hold the puzzle; None if it can."""
    shape = parsed.puzzle.shape
    plain = Shape.parse("box{}x{}".format(*shape.box)) if shape.box else None
    if shape.constraints or shape != plain:
        return f"holds shapes with boxes and without variants only, not {shape}"
    if shape != Shape.of_side(shape.size):
        return f"holds boxes as square as possible only, not {shape}"
    return no_pencilmarks(parsed)


def _is_pycsp3(head: Head) -> bool:
    text = "".join("".join(line.raw.split()) for line in head.lines[:100])
    return text.startswith("{") and '"clues":[' in text and '"puzzle"' not in text


PYCSP3: Final = Format(
    name="pycsp3",
    title="data of pycsp3 in JSON: n and clues",
    read=_read_pycsp3,
    write=_write_pycsp3,
    can_hold=_boxed_only,
    detect=_is_pycsp3,
    holds="boxed shapes",
    single=True,
)


# XCSP3: a puzzle as a constraint satisfaction problem, one per file.


_VARIABLE: Final = re.compile(r"([A-Za-z_]\w*)\[([0-9.]*)\]\[([0-9.]*)\]", re.ASCII)
_MOST: Final = 5000
"""The most constraints of a file."""
_NOTES: Final = frozenset({"id", "note", "class"})
"""Attributes that any element may have; they mean nothing here."""
_ATTRIBUTES: Final = {"instance": {"format", "type"}, "array": {"size", "type", "startIndex"}}
"""Further attributes that an element may have."""
_CHILDREN: Final = {
    "instance": {"variables", "constraints", "annotations"},
    "variables": {"array"},
    "group": {"allDifferent", "args"},
    "allDifferent": {"list", "matrix"},
    "instantiation": {"list", "values"},
    "extension": {"list", "supports", "conflicts"},
}
"""The children that an element may have; `_Problem.read` checks those of other elements."""


def _read(source: TextSource, reading: ReadSettings) -> Iterator[ParsedPuzzle]:
    *_, root = elements(source, keep_children=True)
    if root.name != "instance":
        raise root.error(f"the element {root.name[:40]!r}", "instance")
    if (kind := root.attributes.get("type", "CSP")) != "CSP":
        raise root.error(f"the type {short_repr(kind)}", "CSP")
    _check_parts(root)
    arrays = [array for part in root.named("variables") for array in part.children]
    if len(arrays) != 1 or arrays[0].name != "array":
        raise root.error(f"{len(arrays)} elements of variables", "one square array")
    problem = _Problem(arrays[0])
    for part in root.named("constraints"):
        problem.read(part.children)
    shape = problem.shape()
    with located(root.where):
        reading.require_shape(shape)
        puzzle = Puzzle(shape, tuple(problem.givens), tuple(problem.marks))
    yield ParsedPuzzle(puzzle, root.where, "1")


def _check_parts(element: Element) -> None:
    """Check that the reader knows all parts of an element.

    Raises:
        PuzzleError: a part is unknown, and may change the meaning.
    """
    attributes = _ATTRIBUTES.get(element.name, set()) | _NOTES
    if unknown := element.attributes.keys() - attributes:
        problem = f"the attribute {short_repr(min(unknown))} of {element.name}"
        raise element.error(problem, one_of(sorted(attributes)))
    for child in element.children:
        if child.name == "annotations":
            continue
        if element.name not in ("constraints", "block"):
            children = _CHILDREN.get(element.name, set())
            if child.name not in children:
                problem = f"the element {short_repr(child.name)} in {element.name}"
                raise child.error(problem, one_of(sorted(children)) if children else "a text")
        _check_parts(child)


class _Problem:
    """The houses and pairs, givens and candidates that a file has so far."""

    def __init__(self, array: Element) -> None:
        text = array.attributes.get("size", "")
        match = re.fullmatch(r"\[([0-9]{1,3})\]\[([0-9]{1,3})\]", text)
        if not match or match[1] != match[2] or not 2 <= int(match[1]) <= LARGEST:
            expected = f"a square such as [9][9], up to {LARGEST}"
            raise array.error(f"an array of the size {text[:40]!r}", expected)
        self.size = int(match[1])
        if array.attributes.get("startIndex", "[0][0]") != "[0][0]":
            raise array.error("the attribute 'startIndex'", "[0][0]")
        if array.text.split() != [f"1..{self.size}"]:
            raise array.error("another domain", f"1..{self.size}, the values")
        self.array = array
        self.name = array.attributes.get("id", "")
        self.givens = [0] * self.size**2
        self.marks = [(1 << self.size) - 1] * self.size**2
        self.sets: dict[tuple[int, ...], None] = {}  # the houses and the pairs

    def read(self, constraints: list[Element]) -> None:
        readers: dict[str, Callable[[Element], None]] = {
            "block": lambda element: self.read(element.children),
            "group": self._group,
            "allDifferent": self._all_different,
            "instantiation": self._instantiation,
            "extension": self._extension,
        }
        for element in constraints:
            if element.name not in readers:
                problem = f"the constraint {element.name[:40]!r}"
                raise element.error(problem, "allDifferent, instantiation or extension")
            readers[element.name](element)
            if len(self.sets) > _MOST:
                raise element.error("too many constraints", f"at most {_MOST}")

    def _group(self, element: Element) -> None:
        kinds = [child.name for child in element.children if child.name != "args"]
        if kinds != ["allDifferent"]:
            raise element.error("a group of other constraints", "allDifferent")
        for child in element.named("args"):
            self._different(self._cells(child), child)

    def _all_different(self, element: Element) -> None:
        if len(element.children) > 1:  # lists that differ, not their cells
            raise element.error(f"{len(element.children)} lists and matrices", "one")
        matrices = element.named("matrix")
        if not matrices:
            self._different(self._cells(element), element)
        for matrix in matrices:
            cells = self._cells(matrix)
            if len(cells) != self.size**2:
                raise matrix.error("a part of the grid", "the whole grid")
            for at in range(self.size):
                self._different(cells[at * self.size : (at + 1) * self.size], matrix)
                self._different(cells[at :: self.size], matrix)

    def _different(self, cells: list[int], element: Element) -> None:
        distinct = tuple(sorted(set(cells)))
        if len(distinct) != len(cells) or len(cells) not in (2, self.size):
            problem = f"allDifferent over {len(cells)} variables"
            raise element.error(problem, f"{self.size} different ones, or 2")
        self.sets[distinct] = None

    def _instantiation(self, element: Element) -> None:
        cells = self._cells(element.only("list"))
        values = element.only("values").text.split()
        if len(values) != len(cells):
            problem = f"{len(values)} values for {len(cells)} variables"
            raise element.error(problem, "a value for each")
        for cell, text in zip(cells, values, strict=True):
            value = self._value(text, element)
            if self.givens[cell] not in (0, value):
                raise element.error("two values for a cell", "one")
            self.givens[cell] = value

    def _extension(self, element: Element) -> None:
        cells = self._cells(element.only("list"))
        children = element.named("supports", "conflicts")
        if len(cells) != 1 or len(children) != 1:
            raise element.error("an extension of several variables", "one variable")
        bits = 0
        for text in children[0].text.split():
            bits |= 1 << self._value(text, element) - 1
        self.marks[cells[0]] &= bits if children[0].name == "supports" else ~bits

    def _value(self, text: str, element: Element) -> int:
        if not re.fullmatch("[0-9]{1,3}", text) or not 1 <= int(text) <= self.size:
            raise element.error(f"{text[:40]!r} is not a value", f"1 to {self.size}")
        return int(text)

    def _cells(self, element: Element) -> list[int]:
        texts = [element.text, *(child.text for child in element.named("list"))]
        cells: list[int] = []
        for name in " ".join(texts).split():
            match = _VARIABLE.fullmatch(name)
            if not match or match[1] != self.name:
                expected = f"{self.name}[0][0], or a range such as {self.name}[0..2][]"
                raise element.error(f"{name[:40]!r} is not a variable", expected)
            rows, columns = (self._range(text, element) for text in match.groups()[1:])
            cells += [row * self.size + column for row, column in product(rows, columns)]
            if len(cells) > self.size**2:
                raise element.error("too many variables", "a house")
        return cells

    def _range(self, text: str, element: Element) -> range:
        low, dots, high = text.partition("..")
        ends = (low or "0", (high if dots else low) or str(self.size - 1))
        if not all(re.fullmatch("[0-9]{1,2}", end) and int(end) < self.size for end in ends):
            raise element.error(f"the index {text[:40]!r}", f"0 to {self.size - 1}")
        return range(int(ends[0]), int(ends[1]) + 1)

    def shape(self) -> Shape:
        """The shape that the constraints make, under its usual name if it has one."""
        whole = [cells for cells in self.sets if len(cells) == self.size]
        if not whole:
            raise self.array.error("no allDifferent", "rows and columns")
        houses = tuple(House("house", n, cells) for n, cells in enumerate(whole, 1))
        pairs = tuple((cells[0], cells[1]) for cells in self.sets if len(cells) < self.size)
        shape = Shape("constraints", self.size, houses, None, pairs)
        best = usual(shape)
        return usual(Shape.parse(shape.definition)) if best is shape else best


def _write(puzzles: Iterable[ParsedPuzzle]) -> Iterator[str]:
    for parsed in puzzles:
        puzzle, shape = parsed.puzzle, parsed.puzzle.shape
        size = shape.size
        names = [f"x[{cell // size}][{cell % size}]" for cell in range(size**2)]
        yield '<instance format="XCSP3" type="CSP">\n  <variables>\n'
        yield f'    <array id="x" size="[{size}][{size}]"> 1..{size} </array>\n'
        yield "  </variables>\n  <constraints>\n"
        for cells in (*(house.cells for house in shape.houses), *shape.pairs):
            yield f"    <allDifferent> {' '.join(names[cell] for cell in cells)} </allDifferent>\n"
        clues = [cell for cell, value in enumerate(puzzle.givens) if value]
        if clues:
            yield "    <instantiation>\n"
            yield f"      <list> {' '.join(names[cell] for cell in clues)} </list>\n"
            values = " ".join(str(puzzle.givens[cell]) for cell in clues)
            yield f"      <values> {values} </values>\n    </instantiation>\n"
        every = (1 << size) - 1
        for cell, bits in enumerate(puzzle.allowed):
            if not puzzle.givens[cell] and bits != every:
                values = " ".join(map(str, values_in(bits)))
                yield f"    <extension> <list> {names[cell]} </list> "
                yield f"<supports> {values} </supports> </extension>\n"
        yield "  </constraints>\n</instance>\n"


def _can_hold(parsed: ParsedPuzzle) -> str | None:
    shape = parsed.puzzle.shape
    if shape.constraints:
        return f"holds houses and pairs only, not {shape}"
    if any(len(house.cells) != shape.size for house in shape.houses):
        return "holds houses of as many cells as values only"
    if shape.size == 2 and shape.pairs:
        return "holds no pairs of a 2x2"
    if len(shape.houses) + len(shape.pairs) > _MOST:
        return f"holds at most {_MOST} houses and pairs"
    return None


def _detect(head: Head) -> bool:
    return any("<instance" in line.text and "XCSP3" in line.text for line in head.rows)


XCSP3: Final = Format(
    name="xcsp3",
    title="XCSP3: the puzzle as a constraint satisfaction problem",
    read=_read,
    write=_write,
    can_hold=_can_hold,
    detect=_detect,
    holds="every shape and pencilmarks",
    single=True,
)
