"""Blocks: puzzles of one shape with the laws between them and the questions about them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from harness.experiment.fuzzing.laws import Relation, relation_of
from harness.experiment.fuzzing.puzzles import PuzzleSource
from harness.experiment.fuzzing.reference import a_solution, enumerated
from harness.experiment.fuzzing.shapes import shape_of_block
from harness.puzzles.puzzle import Puzzle
from harness.puzzles.search.prng import Prng
from harness.puzzles.shape import Shape
from harness.records.question import DEFAULT_LIMIT, Start, Task

_BASES: Final = 24
"""Base puzzles of a block."""
_LONG: Final = 500
"""Base puzzles of a long block, so that a backend that changes after many calls shows it."""
_ONE_IN: Final = 12
"""How many blocks have one long one among them, if their shape is small enough."""
_ONE_BATCH_IN: Final = 3
"""How many blocks in batches have one long one among them: a batch of many rows."""
_LARGEST_OF_LONG: Final = 9
_LARGE: Final = 12
_LIMITS: Final = (
    *((2,) * 8 + (1,) * 4 + (3,) * 4 + (5,) * 2 + (12,) * 6 + (1_000,) * 3),
    *(40, 40, 300, 5_000, 100_000),
)
"""Limits of two counts in three, each as likely as any other."""
_SMALL: Final = 12
"""The largest limit of other counts, so that each small limit occurs."""
_MOST_AT_BOUNDARY: Final = 2_000
"""The largest number of solutions that a limit is chosen from."""
_HUGE: Final = (2**31, 2**40, 2**63, 2**70)
_FEW_GRIDS: Final = 4
"""The size up to which every puzzle can be counted completely."""
_STARTS: Final = (Start.WARM,) * 6 + (Start.COLD,) * 2 + (Start.BATCH,) * 2


@dataclass(frozen=True, slots=True)
class Query:
    """A question about each puzzle of a block."""

    task: Task
    limit: int
    """The limit of `count`; the same for `solve`, which has none."""
    is_backwards: bool
    """Whether the last puzzle comes first, so that the same puzzle comes twice in a row."""


@dataclass(frozen=True, slots=True)
class Block:
    """Puzzles of one shape, and how backends are questioned about them."""

    number: int
    """From 0."""
    shape: Shape
    start: Start
    queries: tuple[Query, ...]
    """`solve`, and `count` with one limit or two, in their order."""
    relations: tuple[Relation, ...]
    puzzles: tuple[Puzzle, ...]
    """All puzzles, those of a relation side by side; a puzzle may occur twice."""


def block_of(
    seed: int, number: int, shapes: Sequence[Shape], known: Mapping[Shape, Sequence[Puzzle]]
) -> Block:
    """The block with this number, which follows from the arguments alone.

    Args:
        seed: the random seed of the stream.
        number: the number of the block, from 0.
        shapes: the shapes to choose from; all of the stream if empty.
        known: puzzles to mutate, by shape.
    """
    random = Prng("fuzz block", seed, number)
    shape = shape_of_block(seed, number, shapes)
    source = PuzzleSource(shape, seed, known.get(shape, ()))
    start = random.choice(_STARTS)
    one_in = _ONE_BATCH_IN if start is Start.BATCH else _ONE_IN
    may_be_long = shape.size <= _LARGEST_OF_LONG and start is not Start.COLD
    is_long = may_be_long and not random.below(one_in)
    bases = _LONG if is_long else _BASES // 4 if shape.size > _LARGE else _BASES
    relations: list[Relation] = []
    puzzles: list[Puzzle] = []
    for index in range(bases):
        puzzle = source.puzzle(number, index)
        puzzles.append(puzzle)
        if is_long or not random.below(2):
            continue
        relation = relation_of(puzzle, a_solution(puzzle), random)
        if relation:
            relations.append(relation)
            puzzles += relation.derived
    if not random.below(3):
        random.shuffle(puzzles)
    limits = [DEFAULT_LIMIT] if is_long else [_limit(shape, random)]
    if not is_long and random.below(2):
        limits.append(_limit(shape, random) if random.below(2) else _boundary(puzzles, random))
    tasks = [(Task.SOLVE, limits[0]), *((Task.COUNT, limit) for limit in limits)]
    random.shuffle(tasks)
    return Block(
        number,
        shape,
        start,
        tuple(Query(*task, is_backwards=at % 2 == 1) for at, task in enumerate(tasks)),
        tuple(relations),
        tuple(puzzles),
    )


def _boundary(puzzles: Sequence[Puzzle], random: Prng) -> int:
    """The number of solutions of one of the puzzles, or one more: where a count becomes exact."""
    puzzle = random.choice(puzzles)
    most = _MOST_AT_BOUNDARY if puzzle.shape.size <= _LARGE else _SMALL
    found = enumerated(puzzle, most).least
    return max(1, min(found + random.below(2), most))


def _limit(shape: Shape, random: Prng) -> int:
    if shape.size <= _FEW_GRIDS and not random.below(4):
        return random.choice(_HUGE)
    limit = random.choice(_LIMITS) if random.below(3) else 1 + random.below(_SMALL)
    return min(limit, 12) if shape.size > _LARGE else limit
