"""DIMACS CNF, and the CNF of MiniCard with cardinality constraints.

The encodings are those of Lynce and Ouaknine, "Sudoku as a SAT problem" (AIMATH 2006):
*minimal* says that every cell has a value and no value is twice in a house, *extended* adds
that every value is in each house and no cell has two values. Each clause comes once, although
a row and a box share pairs of cells. *cardinality* has an "at most one" over each set in place
of the pairs; only solvers that read ``p cnf+`` accept it (Liffiton and Maglalang, "A cardinality
solver", SAT 2012).
"""

from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, combinations

from harness.puzzles.models.constraints import Constraints
from harness.puzzles.puzzle import Puzzle

Clause = tuple[int, ...]


def minimal(puzzle: Puzzle) -> Iterator[str]:
    """The lines of the minimal encoding: 7,371 clauses for 9x9, and one for each given."""
    model = Constraints(puzzle)
    return _file(model, "minimal", chain(map(tuple, model.cells), _at_most_one(model.houses)))


def extended(puzzle: Puzzle) -> Iterator[str]:
    """The lines of the extended encoding: 10,530 clauses for 9x9, and one for each given."""
    model = Constraints(puzzle)
    sets = [*model.cells, *model.houses]
    return _file(model, "extended", chain(map(tuple, sets), _at_most_one(sets)))


def cardinality(puzzle: Puzzle) -> Iterator[str]:
    """The lines of the cardinality encoding: 648 constraints for 9x9, and one for each given."""
    model = Constraints(puzzle)
    sets = [*model.cells, *model.houses]
    at_most = [f"{' '.join(map(str, of))} <= 1" for of in sets]
    return _file(model, "cardinality", map(tuple, sets), at_most)


def _at_most_one(sets: Iterable[Sequence[int]]) -> Iterator[Clause]:
    for of in sets:
        for one, other in combinations(of, 2):
            yield -one, -other


def _file(
    model: Constraints, encoding: str, clauses: Iterable[Clause], at_most: Sequence[str] = ()
) -> Iterator[str]:
    pairs = ((-one, -other) for one, other in model.pairs)
    fixed = ((variable if holds else -variable,) for variable, holds in model.fixed())
    every = list(dict.fromkeys(chain(clauses, pairs, fixed)))
    yield f"c {model.title()}, {encoding} encoding"
    yield "c variables: number, row, column and value"
    for variable in range(1, model.variables + 1):
        yield f"c {variable} {model.label(variable)}"
    kind = "cnf+" if at_most else "cnf"
    yield f"p {kind} {model.variables} {len(every) + len(at_most)}"
    for clause in every:
        yield f"{' '.join(map(str, clause))} 0"
    yield from at_most
