"""Constraint programs with an integer for each cell: MiniZinc and XCSP3."""

from collections.abc import Iterator
from html import escape

from harness.puzzles.models.constraints import Constraints
from harness.puzzles.puzzle import Puzzle


def _values(allowed: int) -> list[int]:
    """The values of a set of candidates."""
    return [at + 1 for at in range(allowed.bit_length()) if allowed >> at & 1]


def minizinc(puzzle: Puzzle) -> Iterator[str]:
    """The lines of a MiniZinc model: ``alldifferent`` over houses, cells numbered from 1."""
    shape = puzzle.shape
    size = shape.size
    yield f"% {Constraints(puzzle).title()}"
    yield 'include "alldifferent.mzn";'
    yield f"int: n = {size};"
    yield "array[1..n*n] of var 1..n: cell;  % row by row"
    for house in shape.houses:
        cells = ", ".join(f"cell[{at + 1}]" for at in house.cells)
        yield f"constraint alldifferent([{cells}]);  % {house}"
    for one, other in shape.pairs:
        yield f"constraint cell[{one + 1}] != cell[{other + 1}];"
    for at, (given, allowed) in enumerate(zip(puzzle.givens, puzzle.allowed, strict=True), 1):
        if given:
            yield f"constraint cell[{at}] = {given};"
        elif not allowed:
            yield f"constraint false;  % cell {at} has no candidate"
        elif len(values := _values(allowed)) < size:
            yield f"constraint cell[{at}] in {{{', '.join(map(str, values))}}};"
    yield "solve satisfy;"
    yield ('output [ show(cell[i]) ++ if i mod n = 0 then "\\n" else " " endif | i in 1..n*n ];')


def xcsp3(puzzle: Puzzle) -> Iterator[str]:
    """The lines of an XCSP3 instance (xcsp.org): ``allDifferent`` over houses.

    Givens and pencilmarks are the domains of the cells.
    """
    shape = puzzle.shape
    size = shape.size

    def name(cell: int) -> str:
        row, column = divmod(cell, size)
        return f"x[{row}][{column}]"

    yield f"<!-- {escape(Constraints(puzzle).title())} -->"
    yield '<instance format="XCSP3" type="CSP">'
    yield "  <variables>"
    yield f'    <array id="x" size="[{size}][{size}]">'
    every = (1 << size) - 1
    cells_of: dict[int, list[int]] = {}
    for cell, allowed in enumerate(puzzle.allowed):
        cells_of.setdefault(allowed or every, []).append(cell)
    for allowed, cells in cells_of.items():
        domain = " ".join(map(str, _values(allowed)))
        if allowed == every:
            domain = f"1..{size}"
        yield f'      <domain for="{" ".join(map(name, cells))}"> {domain} </domain>'
    yield "    </array>"
    yield "  </variables>"
    yield "  <constraints>"
    for house in shape.houses:
        of = " ".join(map(name, house.cells))
        yield f'    <allDifferent note="{house}"> {of} </allDifferent>'
    for pair in shape.pairs:
        yield f"    <allDifferent> {' '.join(map(name, pair))} </allDifferent>"
    if not all(puzzle.allowed):
        yield '    <intension note="a cell without a candidate"> eq(0,1) </intension>'
    yield "  </constraints>"
    yield "</instance>"
