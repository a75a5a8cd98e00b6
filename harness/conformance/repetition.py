"""Statistics of a question that is repeated: they describe one call."""

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Final

from harness.conformance.clauses import Case, Clause, Fault
from harness.contract.answers import Answer, Count
from harness.puzzles.puzzle import Puzzle
from harness.puzzles.shape import Shape

REPETITIONS: Final = 8
"""The number of times. A statistic of a random search increases by chance this often in one of
40,000 examinations."""


def repeated(shape: Shape) -> Iterator[Case]:
    """The questions to repeat: a grid with one given, which needs some search."""
    puzzle = Puzzle(shape, (1, *[0] * (shape.size**2 - 1)))
    yield Case("one given, repeated", puzzle, 1, at_least=True)
    yield Case("one given, counted repeatedly", puzzle, 2, limit=2, at_least=True)


def faults_of_repetition(records: Sequence[Answer | Count]) -> Iterator[Fault]:
    """The faults of the answers to one question: statistics that increase every time."""
    for name in records[0].stats:
        values = [record.stats.get(name, 0) for record in records]
        if all(earlier < later for earlier, later in pairwise(values)):
            what = f"statistic {name!r} adds up over calls: {values[0]:g}, {values[1]:g}, "
            yield Fault(Clause.MEMORY, f"{what}... {values[-1]:g} for the same question")
