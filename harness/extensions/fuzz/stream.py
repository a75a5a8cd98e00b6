"""The stream of trials: blocks of puzzles with laws between them, for all configurations.

A law needs no known answer: whatever the number of solutions of a puzzle is, the transposed
puzzle has the same number. The method is that of Chen, Cheung and Yiu, "Metamorphic testing"
(technical report HKUST-CS98-01, 1998).
"""

from collections import Counter, defaultdict, deque
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import Final, NamedTuple

from harness.contract import BackendSpec
from harness.extensions.fuzz.puzzles import (
    LARGE,
    RandomPuzzles,
    a_solution,
    enumerate_solutions,
    shape_of_block,
    with_given,
)
from harness.puzzles import Grid, Instance, Puzzle, Scramble, Shape, SolutionCount, new_values
from harness.puzzles.constraints import Constraint
from harness.puzzles.search import Prng
from harness.records import Batch, Question, Start, Task, Trial, TrialRecord

# Laws between the numbers of solutions of related puzzles (metamorphic relations).


class Law(StrEnum):
    """A law that relates a puzzle to the puzzles made from it."""

    RELABELLED = "other values: as many solutions"
    REARRANGED = "other rows and columns: as many solutions"
    CLUE_ADDED = "one more clue of a solution: at least one solution, and no more than before"
    CLUE_REMOVED = "one clue fewer: no fewer solutions"
    SPLIT = "the solutions with each value of a cell add up to all solutions"
    LOOSENED = "one constraint fewer, or one more total: no fewer solutions"
    NARROWED = (
        "a sum in two parts, as in a solution: at least one solution, and no more than before"
    )
    PARTS = "the solutions with each sum of some cells of a sum add up to all solutions"


@dataclass(frozen=True, slots=True)
class Relation:
    """A puzzle and the puzzles that a law derives from it."""

    law: Law
    base: Puzzle
    derived: tuple[Puzzle, ...]

    def is_kept(self, base: SolutionCount, counts: Sequence[SolutionCount]) -> bool:
        """Whether numbers of solutions in these intervals can keep the law.

        Args:
            base: the bounds of the number of solutions of the base.
            counts: those of the derived puzzles, in their order.
        """
        match self.law:
            case Law.SPLIT | Law.PARTS:
                ends = [interval.most for interval in counts]
                most = None if None in ends else sum(filter(None, ends))
                least = sum(interval.least for interval in counts)
                return not base.excludes(SolutionCount(least, most))
            case Law.CLUE_ADDED | Law.NARROWED:
                (other,) = counts
                is_possible = other.most is None or other.most >= 1
                return is_possible and (base.most is None or other.least <= base.most)
            case Law.CLUE_REMOVED | Law.LOOSENED:
                (other,) = counts
                return other.most is None or base.least <= other.most
            case Law.RELABELLED | Law.REARRANGED:
                (other,) = counts
                return not base.excludes(other)


_MOST_DERIVED: Final = 9
"""Maximum number of puzzles that `Law.SPLIT` and `Law.PARTS` derive."""


def relation_of(puzzle: Puzzle, solution: Grid | None, random: Prng) -> Relation | None:
    """A relation with a random law; None if that law derives nothing from this puzzle.

    Args:
        puzzle: the base.
        solution: a solution of it; None if none is known.
        random: the source of random integers.
    """
    of_constraints = (Law.LOOSENED, Law.NARROWED, Law.PARTS)
    law = random.choice([x for x in Law if puzzle.shape.constraints or x not in of_constraints])
    puzzles = _derive(law, puzzle, solution, random)
    return Relation(law, puzzle, puzzles) if puzzles and puzzles != (puzzle,) else None


def _derive(
    law: Law, puzzle: Puzzle, solution: Grid | None, random: Prng
) -> tuple[Puzzle, ...] | None:
    shape = puzzle.shape
    blank = [cell for cell, value in enumerate(puzzle.givens) if not value]
    match law:
        case Law.RELABELLED:
            in_place = tuple(range(shape.size**2))
            values = new_values(shape, random)
            return (Scramble(shape, in_place, values).puzzle(puzzle),)
        case Law.REARRANGED:
            same_values = tuple(range(shape.size + 1))
            return (replace(Scramble.random(shape, random), values=same_values).puzzle(puzzle),)
        case Law.CLUE_ADDED:
            if solution is None or not blank:
                return None
            cell = random.choice(blank)
            return (with_given(puzzle, cell, solution[cell]),)
        case Law.CLUE_REMOVED:
            clues = [cell for cell, value in enumerate(puzzle.givens) if value]
            if not clues or puzzle.pencilmarks is not None:
                return None
            return (with_given(puzzle, random.choice(clues), 0),)
        case Law.SPLIT:
            return _split(puzzle, blank, random)
        case Law.LOOSENED:
            return _loosen(puzzle, random)
        case Law.NARROWED:
            return _narrow(puzzle, solution, random) if solution else None
        case Law.PARTS:
            return _parts(puzzle, random)


def _split(puzzle: Puzzle, blank: Sequence[int], random: Prng) -> tuple[Puzzle, ...] | None:
    """A puzzle for each candidate of a cell; None if four random cells have too many."""
    for cell in (blank[at] for at in random.sample(4, len(blank))):
        values = puzzle.candidates(cell)
        if 1 <= len(values) <= _MOST_DERIVED:
            return tuple(with_given(puzzle, cell, value) for value in values)
    return None


def _with_constraints(puzzle: Puzzle, constraints: Sequence[Constraint]) -> Puzzle:
    shape = puzzle.shape.without_constraints.with_constraints(constraints)
    return replace(puzzle, shape=shape)


def _loosen(puzzle: Puzzle, random: Prng) -> tuple[Puzzle, ...] | None:
    """A puzzle without a constraint or with a further total; None if other constraints change.

    A dot, for example, changes what a rule for neighbours without a dot demands.
    """
    shape = puzzle.shape
    at = random.below(len(shape.constraints))
    constraint = shape.constraints[at]
    others = [*shape.constraints[:at], *shape.constraints[at + 1 :]]
    total, star, factors = constraint.value.partition("*")
    if constraint.kind in ("killer", "sum") and total and random.below(2):
        further = max(int(part) for part in total.split(",")) + 1
        others.insert(at, replace(constraint, value=f"{total},{further}{star}{factors}"))
        return (_with_constraints(puzzle, others),)
    fewer = _with_constraints(puzzle, others)
    demands = tuple(demand for demand in shape.reductions if demand[0] is not constraint)
    return (fewer,) if fewer.shape.reductions == demands else None


def _sums(puzzle: Puzzle) -> list[Constraint]:
    """The constraints that are plain sums of two or more different cells."""
    return [
        constraint
        for constraint in puzzle.shape.constraints
        if constraint.kind in ("killer", "sum", "little-killer")
        and constraint.value
        and "*" not in constraint.value
        and len(constraint.cells) == len(set(constraint.cells)) > 1
    ]


def _narrow(puzzle: Puzzle, solution: Grid, random: Prng) -> tuple[Puzzle, ...] | None:
    """A sum split into those of two parts of its cells; the cells of a cage still differ."""
    if not (sums := _sums(puzzle)):
        return None
    constraint = random.choice(sums)
    part = [constraint.cells[at] for at in random.order(len(constraint.cells))]
    size = 1 + random.below(len(part) - 1)
    constraints = [other for other in puzzle.shape.constraints if other is not constraint]
    constraints += (
        Constraint("sum", str(sum(solution[cell] for cell in cells)), (tuple(cells),))
        for cells in (part[:size], part[size:])
    )
    if constraint.kind == "killer":
        constraints.append(replace(constraint, value=""))
    return (_with_constraints(puzzle, constraints),)


def _parts(puzzle: Puzzle, random: Prng) -> tuple[Puzzle, ...] | None:
    """A puzzle for each possible sum of some cells of a sum; None if there are too many."""
    if not (sums := _sums(puzzle)):
        return None
    cells = random.choice(sums).cells
    sample = random.sample(1 + random.below(len(cells) - 1), len(cells))
    part = tuple(cells[at] for at in sample)
    totals = range(len(part), len(part) * puzzle.shape.size + 1)
    if len(totals) > _MOST_DERIVED:
        return None
    every = puzzle.shape.constraints
    return tuple(
        _with_constraints(puzzle, [*every, Constraint("sum", str(total), (part,))])
        for total in totals
    )


# Blocks: puzzles of one shape with the laws between them and the questions about them.


_LIMITS: Final = (
    *((2,) * 8 + (1,) * 4 + (3,) * 4 + (5,) * 2 + (12,) * 6 + (1_000,) * 3),
    40,
    40,
    300,
    5_000,
    100_000,
)
"""Limits of two counts in three; each entry is as likely as any other."""
_SMALL: Final = 12
"""The largest limit of other counts, so that each small limit occurs."""


@dataclass(frozen=True, slots=True)
class StreamQuery:
    """A question about each puzzle of a block."""

    task: Task
    limit: int
    """The limit of `count`; the same for `solve`, which has none."""
    is_backwards: bool
    """Whether the last puzzle comes first, so that the same puzzle comes twice in a row."""


@dataclass(frozen=True, slots=True)
class Block:
    """Puzzles of one shape, and the questions that backends get about them."""

    number: int
    """From 0."""
    shape: Shape
    """The shape of all base puzzles; laws about constraints derive puzzles of other shapes."""
    start: Start
    queries: tuple[StreamQuery, ...]
    """`solve`, and `count` with one limit or two, in their order."""
    relations: tuple[Relation, ...]
    puzzles: tuple[Puzzle, ...]
    """All puzzles, those of a relation mostly side by side; a puzzle may occur twice."""


def block_of(
    seed: int, number: int, shapes: Sequence[Shape], known_puzzles: Mapping[Shape, Sequence[Puzzle]]
) -> Block:
    """The block with this number, which follows from the arguments alone.

    Some blocks are long, so that a backend that changes after many calls shows it: 500 puzzles of
    a small shape, 100 of them different, because making more would take a whole round.

    Args:
        seed: the random seed of the stream.
        number: the number of the block, from 0.
        shapes: the shapes to choose from; all of the stream if empty.
        known_puzzles: puzzles to mutate, by shape.
    """
    random = Prng("fuzz block", seed, number)
    shape = shape_of_block(seed, number, shapes)
    source = RandomPuzzles(shape, seed, known_puzzles.get(shape, ()))
    starts = (Start.WARM,) * 6 + (Start.COLD,) * 2 + (Start.BATCH,) * 2
    start = random.choice(starts)
    may_be_long = shape.size <= 9 and start is not Start.COLD
    is_long = may_be_long and not random.below(3 if start is Start.BATCH else 12)
    bases = 100 if is_long else 6 if shape.size > LARGE else 24
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
    if is_long:
        puzzles += [random.choice(puzzles) for _ in range(500 - len(puzzles))]
    if not random.below(3):
        random.shuffle(puzzles)
    limits = [_limit(shape, random)]
    if is_long:
        limits = [min(*limits, _SMALL)]
    elif random.below(2):
        limits.append(_limit(shape, random) if random.below(2) else _boundary(puzzles, random))
    tasks = [(Task.SOLVE, limits[0]), *((Task.COUNT, limit) for limit in limits)]
    random.shuffle(tasks)
    return Block(
        number,
        shape,
        start,
        tuple(StreamQuery(*task, is_backwards=at % 2 == 1) for at, task in enumerate(tasks)),
        tuple(relations),
        tuple(puzzles),
    )


def _boundary(puzzles: Sequence[Puzzle], random: Prng) -> int:
    """The number of solutions of one of the puzzles, or one more: where a count becomes exact."""
    puzzle = random.choice(puzzles)
    most = 2_000 if puzzle.shape.size <= LARGE else _SMALL
    number = enumerate_solutions(puzzle, most).least
    return max(1, min(number + random.below(2), most))


def _limit(shape: Shape, random: Prng) -> int:
    if shape.size <= 4 and not random.below(4):  # every puzzle can be counted completely
        return random.choice((2**31, 2**40, 2**63, 2**70))
    limit = random.choice(_LIMITS) if random.below(3) else 1 + random.below(_SMALL)
    return min(limit, 12) if shape.size > LARGE else limit


# FuzzPace: how many puzzles of a block a configuration gets, from the times of its trials.


class _Kind(NamedTuple):
    """Trials that take about as long."""

    spec: str
    """The spec of the configuration, or its backend with any options."""
    shape: str
    bits: int
    """The bits of the limit of a count; 0 for solve."""
    start: Start | None
    """None for any start."""


class FuzzPace:
    """The mean times of kinds of trials."""

    def __init__(self) -> None:
        self._seconds: defaultdict[_Kind, float] = defaultdict(float)
        self._trials: Counter[_Kind] = Counter()

    def note(self, records: Iterable[TrialRecord]) -> None:
        """Take note of finished trials."""
        for record in records:
            trial = record.trial
            wall_s = record.outcome.wall_s
            if wall_s is None:
                wall_s = trial.question.timeout_s
            for kind in {*_kinds(trial.spec, trial.instance.puzzle, trial.question)}:
                self._seconds[kind] += wall_s
                self._trials[kind] += 1

    def puzzles(
        self, spec: str, puzzle: Puzzle, question: Question, share_s: float, random: Prng
    ) -> int:
        """The number of puzzles for a question that take about `share_s` seconds.

        A question that takes longer for one puzzle comes proportionally less often.

        Args:
            spec: the spec of the configuration.
            puzzle: a puzzle of the shape.
            question: the question.
            share_s: the seconds for it.
            random: decides whether a question that takes longer comes.
        """
        mean, trials = self._mean(spec, puzzle, question)
        if not trials:
            return 1
        if mean > share_s:
            return int(random.below(1_000) < 1_000 * share_s / mean)
        # The time of few trials may mislead.
        return min(int(share_s / mean), 4 * trials)

    def share_s(self, specs: Iterable[str], puzzles: Sequence[Puzzle], question: Question) -> float:
        """The seconds of each configuration for a question.

        Time that fast configurations do not need for all puzzles goes to the slow ones, which
        would otherwise have few trials.

        Args:
            specs: the specs of all configurations.
            puzzles: the puzzles of the block.
            question: the question.
        """
        means = (self._mean(spec, puzzles[0], question)[0] for spec in specs)
        needs = sorted(mean * len(puzzles) for mean in means)
        remaining_s, share_s = 0.5, 0.0  # for each question of a block
        for number, need in enumerate(needs):
            share_s = remaining_s / (len(needs) - number)
            remaining_s -= min(need, share_s)
        return max(0.05, share_s)

    def _mean(self, spec: str, puzzle: Puzzle, question: Question) -> tuple[float, int]:
        """The mean time of similar trials, and their number; zeros without any."""
        kinds = list(_kinds(spec, puzzle, question))
        # A count takes about as long for each solution, so times of lower limits give an estimate.
        for fewer in range(kinds[0].bits + 1):
            for kind in (kind._replace(bits=kind.bits - fewer) for kind in kinds):
                if trials := self._trials[kind]:
                    return max(self._seconds[kind] / trials, 1e-6) * 2**fewer, trials
        return 0.0, 0


def _kinds(spec: str, puzzle: Puzzle, question: Question) -> Iterator[_Kind]:
    """The kinds of a trial, narrowest first.

    A spec with other options, which is new in a round, takes about as long as its backend.
    """
    # The largest limits are for shapes with few solutions, and cost as much as 1,000.
    bits = question.limit.bit_length() if question.limit < 2**31 else 10
    constraints = " with constraints" * bool(puzzle.shape.constraints)
    shape = f"{puzzle.shape.plain}{constraints}" if constraints else puzzle.shape.spec
    backend = spec.partition("[")[0]
    yield _Kind(spec, shape, bits, question.start)
    yield _Kind(spec, shape, bits, None)
    yield _Kind(backend, shape, bits, None)


# The stream of trials: blocks for all configurations, lazily, and the finished blocks.


@dataclass
class _Open:
    """A block whose trials have not all ended."""

    block: Block
    name: str
    put: Counter[tuple[int, str]] = field(default_factory=Counter)
    """Puzzles that each configuration got so far, for each question."""
    waiting: int = 0
    is_planned: bool = False
    records: list[TrialRecord] = field(default_factory=list)


class Stream:
    """The trials of blocks, and the blocks whose trials have ended.

    A configuration begins each kind of question with one puzzle. Once that is answered, it
    gets more in the turns after the next blocks, up to its share of the time.

    Args:
        blocks: the blocks, lazily.
        specs: the configurations; the label of a trial is that of its spec.
        pace: decides how many puzzles a configuration gets.
        timeout_s: wall time limit of each trial, in seconds.
        is_over: whether no further batch may begin, given the number of planned trials.
        references: the labels of configurations that get only puzzles that others got.
    """

    def __init__(
        self,
        blocks: Iterator[Block],
        specs: Callable[[], Sequence[BackendSpec]],
        pace: FuzzPace,
        timeout_s: float,
        is_over: Callable[[int], bool],
        references: Container[str] = (),
    ) -> None:
        self._blocks = blocks
        self._specs = specs
        self._pace = pace
        self._timeout_s = timeout_s
        self._is_over = is_over
        self._references = references
        self._open: dict[str, _Open] = {}
        self.planned = 0
        """Trials of the batches so far."""
        self.finished: deque[tuple[Block, list[TrialRecord]]] = deque()
        """Blocks whose trials have ended, for the caller to take from the left."""

    def batches(self) -> Iterator[Batch]:
        """The batches of blocks until `is_over`; after a new block, all open ones have a turn."""
        for block in self._blocks:
            name = f"block {block.number}"
            self._open[name] = _Open(block, name)
            for open_block in [block for block in self._open.values() if not block.is_planned]:
                before = open_block.put.total()
                for batch in self._turn(open_block):
                    if self._is_over(self.planned):
                        break
                    self.planned += len(batch.trials)
                    open_block.waiting += len(batch.trials)
                    yield batch
                if open_block.put.total() == before and not open_block.waiting:
                    self._end(open_block)
            if self._is_over(self.planned):
                break
        for open_block in list(self._open.values()):
            self._end(open_block)

    def add(self, records: Iterable[TrialRecord]) -> None:
        """Take note of finished trials."""
        for record in records:
            open_block = self._open[record.trial.dataset]
            open_block.records.append(record)
            open_block.waiting -= 1
            self._close_if_done(open_block)

    def open_blocks(self) -> Iterator[tuple[Block, Sequence[TrialRecord]]]:
        """The blocks whose trials have not all ended, with those that have."""
        for open_block in self._open.values():
            yield open_block.block, open_block.records

    def _end(self, open_block: _Open) -> None:
        """Plan no further trials of a block."""
        open_block.is_planned = True
        self._close_if_done(open_block)

    def _close_if_done(self, open_block: _Open) -> None:
        if open_block.is_planned and not open_block.waiting:
            del self._open[open_block.name]
            self.finished.append((open_block.block, open_block.records))

    def _turn(self, open_block: _Open) -> Iterator[Batch]:
        """The next puzzles of a block: each question for each configuration, in random order."""
        block = open_block.block
        random = Prng("fuzz turns", block.number)
        specs = list(self._specs())
        for turn, query in enumerate(block.queries):
            question = Question(query.task, query.limit, block.start, self._timeout_s)
            random.shuffle(specs)
            specs.sort(key=lambda spec: spec.label in self._references)
            suspects = [s.label for s in specs if s.label not in self._references]
            share_s = self._pace.share_s(suspects, block.puzzles, question)
            for spec in specs:
                before = open_block.put[turn, spec.label]
                number = self._pace.puzzles(spec.label, block.puzzles[0], question, share_s, random)
                if spec.label in self._references:
                    number = min(
                        number, max((open_block.put[turn, s] for s in suspects), default=0)
                    )
                puzzles = list(enumerate(block.puzzles))[before:number]
                open_block.put[turn, spec.label] += len(puzzles)
                if block.start is Start.BATCH:  # a batch takes no pencilmarks
                    puzzles = [(n, puzzle) for n, puzzle in puzzles if puzzle.pencilmarks is None]
                if query.is_backwards:
                    puzzles.reverse()
                by_shape: dict[Shape, list[tuple[int, Puzzle]]] = {}
                for index, puzzle in puzzles:
                    by_shape.setdefault(puzzle.shape, []).append((index, puzzle))
                for of_shape in by_shape.values():
                    call = f"{open_block.name}, question {turn}, from {of_shape[0][0]}"
                    yield batch_of(call, open_block.name, of_shape, question, spec)


def batch_of(
    call: str,
    name: str,
    puzzles: Sequence[tuple[int, Puzzle]],
    question: Question,
    spec: BackendSpec,
    repetition: int = 1,
) -> Batch:
    """Numbered puzzles for a configuration; with the start `batch` all are one call."""
    label = spec.label
    together = f"{call} {label}" if question.start is Start.BATCH else None
    instances = [Instance(f"puzzle {index}", puzzle) for index, puzzle in puzzles]
    trials = [Trial(label, name, i, question, repetition, label, together) for i in instances]
    return Batch(label, question, trials)
