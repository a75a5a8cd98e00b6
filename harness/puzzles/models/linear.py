"""Integer programs: CPLEX LP, free MPS, and OPB for pseudo-Boolean solvers.

One binary variable for each cell and value, an equation for each set with exactly one that
holds, and an inequality for each pair. Givens are fixed by bounds, in OPB by equations. The
objective is zero; LP and MPS state it, since some readers require one.
"""

from collections.abc import Iterator, Sequence
from itertools import islice

from harness.puzzles.models.constraints import Constraints
from harness.puzzles.puzzle import Puzzle

_ON_A_LINE = 8
"""Terms on a line of an LP file: some readers accept at most 255 characters."""


def _rows(model: Constraints) -> Iterator[tuple[str, Sequence[int], str]]:
    """The name of each row, its variables and its relation to 1."""
    for number, of in enumerate(model.cells):
        yield f"cell_{number + 1}", of, "="
    for number, of in enumerate(model.houses):
        yield f"house_{number // model.size + 1}_{number % model.size + 1}", of, "="
    for number, pair in enumerate(model.pairs):
        yield f"pair_{number // model.size + 1}_{number % model.size + 1}", pair, "<="


def lp(puzzle: Puzzle) -> Iterator[str]:
    """The lines of an LP file."""
    model = Constraints(puzzle)
    yield f"\\ {model.title()}"
    yield "\\ x_ROW_COLUMN_VALUE is 1 if the cell holds the value"
    yield "Minimize"
    yield f" obj: 0 {model.identifier(1)}"
    yield "Subject To"
    for name, of, relation in _rows(model):
        yield from _folded(f" {name}:", [model.identifier(x) for x in of], f"{relation} 1")
    yield "Bounds"
    for variable, holds in model.fixed():
        yield f" {model.identifier(variable)} = {int(holds)}"
    yield "Binary"
    every = (model.identifier(variable) for variable in range(1, model.variables + 1))
    while line := list(islice(every, _ON_A_LINE)):
        yield f" {' '.join(line)}"
    yield "End"


def _folded(name: str, terms: Sequence[str], end: str) -> Iterator[str]:
    """A row over several lines."""
    for begin in range(0, len(terms), _ON_A_LINE):
        part = " + ".join(terms[begin : begin + _ON_A_LINE])
        last = begin + _ON_A_LINE >= len(terms)
        yield f"{name if not begin else '  +'} {part}{f' {end}' if last else ''}"


def mps(puzzle: Puzzle) -> Iterator[str]:
    """The lines of a free MPS file."""
    model = Constraints(puzzle)
    rows = list(_rows(model))
    of_variable: list[list[str]] = [[] for _ in range(model.variables + 1)]
    for name, of, _ in rows:
        for variable in of:
            of_variable[variable].append(name)
    yield f"* {model.title()}"
    yield "* x_ROW_COLUMN_VALUE is 1 if the cell holds the value"
    yield "NAME sudoku"
    yield "ROWS"
    yield " N obj"
    for name, _, relation in rows:
        yield f" {'E' if relation == '=' else 'L'} {name}"
    yield "COLUMNS"
    yield " M1 'MARKER' 'INTORG'"
    for variable in range(1, model.variables + 1):
        for name in of_variable[variable]:
            yield f" {model.identifier(variable)} {name} 1"
    yield " M2 'MARKER' 'INTEND'"
    yield "RHS"
    for name, _, _ in rows:
        yield f" RHS {name} 1"
    yield "BOUNDS"
    fixed = dict(model.fixed())
    for variable in range(1, model.variables + 1):
        name = model.identifier(variable)
        yield f" FX BND {name} {int(fixed[variable])}" if variable in fixed else f" UP BND {name} 1"
    yield "ENDATA"


def opb(puzzle: Puzzle) -> Iterator[str]:
    """The lines of an OPB file, as the pseudo-Boolean competitions define it."""
    model = Constraints(puzzle)
    rows, fixed = list(_rows(model)), list(model.fixed())
    yield f"* #variable= {model.variables} #constraint= {len(rows) + len(fixed)}"
    yield f"* {model.title()}"
    for variable in range(1, model.variables + 1):
        yield f"* x{variable} {model.label(variable)}"
    for _, of, relation in rows:
        if relation == "=":
            yield f"{' '.join(f'+1 x{variable}' for variable in of)} = 1 ;"
        else:  # only >= and = are in the format
            yield f"{' '.join(f'-1 x{variable}' for variable in of)} >= -1 ;"
    for variable, holds in fixed:
        yield f"+1 x{variable} = {int(holds)} ;"
