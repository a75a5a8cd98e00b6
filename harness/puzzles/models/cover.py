"""Exact cover in the text format of Knuth's DLX programs.

The first line has the items, the names of what must be covered: cells ``R1C2`` and values in
houses ``row1=5``; after ``|`` those that may be covered at most once: values in two cells that
differ. Each further line is an option, a cell and a value, with its items. Lines with ``|`` at
the start are comments. A puzzle without pairs can also be a matrix of zeros and ones.
Knuth, "The art of computer programming", volume 4B, section 7.2.2.1.
"""

from collections.abc import Iterator

from harness.puzzles.models.constraints import Constraints
from harness.puzzles.puzzle import Puzzle
from harness.puzzles.symbols import symbol_of


def dlx(puzzle: Puzzle) -> Iterator[str]:
    """The lines of the items and options that givens and pencilmarks leave."""
    model, primary, secondary, items_of = _cover(puzzle)
    yield f"| {model.title()}"
    yield f"{' '.join(primary)}{' | ' if secondary else ''}{' '.join(secondary)}"
    for variable in _options(model):
        yield " ".join(items_of[variable])


def matrix(puzzle: Puzzle) -> Iterator[str]:
    """The rows of the matrix as zeros and ones; one row for each option, one column per item.

    For 9x9 without givens 729 rows and 324 columns. A given leaves one row of its cell. A pair
    adds a column, and a row with this column alone: its item need not be covered otherwise.
    """
    model, primary, secondary, items_of = _cover(puzzle)
    columns = [*primary, *secondary]
    at = {item: number for number, item in enumerate(columns)}
    yield f"# {model.title()}"
    yield f"# columns: {' '.join(columns)}"
    for items in [*(items_of[v] for v in _options(model)), *([item] for item in secondary)]:
        row = ["0"] * len(columns)
        for item in items:
            row[at[item]] = "1"
        yield " ".join(row)


def _cover(puzzle: Puzzle) -> tuple[Constraints, list[str], list[str], dict[int, list[str]]]:
    """The constraints, the items of both kinds, and the items of each variable."""
    model = Constraints(puzzle)
    shape, name = puzzle.shape, puzzle.shape.cell_name
    items_of: dict[int, list[str]] = {v: [] for v in range(1, model.variables + 1)}
    primary, secondary = [], []
    for cell, variables in enumerate(model.cells):
        primary.append(name(cell))
        for variable in variables:
            items_of[variable].append(name(cell))
    for number, variables in enumerate(model.houses):
        house, value = divmod(number, model.size)
        item = f"{shape.houses[house].kind}{shape.houses[house].number}={symbol_of(value + 1)}"
        primary.append(item)
        for variable in variables:
            items_of[variable].append(item)
    for number, pair in enumerate(model.pairs):
        one, other = shape.pairs[number // model.size]
        item = f"{name(one)}{name(other)}={symbol_of(number % model.size + 1)}"
        secondary.append(item)
        for variable in pair:
            items_of[variable].append(item)
    return model, primary, secondary, items_of


def _options(model: Constraints) -> Iterator[int]:
    """The variables that givens and pencilmarks do not exclude."""
    for cell, allowed in enumerate(model.puzzle.allowed):
        for value in range(1, model.size + 1):
            if allowed >> value - 1 & 1:
                yield model.number(cell, value)
