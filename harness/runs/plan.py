"""Plans: the trials of a sweep in their order, in batches for workers."""

import hashlib
import random
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import groupby, pairwise, product
from typing import TYPE_CHECKING, Final, TypeVar

from harness.engine import GeometricMean
from harness.puzzles import LETTERED, Instance, Shape
from harness.records import Batch, Configuration, Question, Start, Trial, TrialRecord
from harness.runs.sweep import Sweep

if TYPE_CHECKING:
    from harness.puzzles.datasets import Dataset

# The instances of a sweep: its datasets, the condition on them, and their scramble.


def datasets_of(sweep: Sweep) -> "list[Dataset]":
    """The datasets of `sweep` as its trials use them: chosen, sampled and scrambled.

    Numbers in an address count the puzzles of the file. The condition chooses among the puzzles
    that the address names, as they are in the file; the sample is drawn from the chosen puzzles,
    and the scramble comes last.

    Raises:
        InputError: a dataset cannot be used, or no puzzle meets the condition.
    """
    from harness.puzzles.datasets import Where, load_datasets  # single puzzles need no datasets

    shape = Shape.parse(sweep.shape) if sweep.shape else None
    datasets = load_datasets(sweep.datasets, shape)
    if sweep.where is not None:
        datasets = Where.parse(sweep.where).choose(datasets)
    if sweep.sample is not None:
        datasets = [dataset.sample(sweep.sample, sweep.seed) for dataset in datasets]
    return [dataset.scramble(sweep.scramble) for dataset in datasets]


# Plans: the trials of a sweep in their order, in batches for workers.


TURN_S: Final = 0.002
"""How long a configuration runs before the next one has its turn: short, so that a disturbance of
the machine affects all configurations. Disturbances last from milliseconds to seconds, and with
turns of 30 ms copies of one backend were different in 40 % of runs on a busy machine."""
BLOCK: Final = 64
"""Maximum number of instances of a turn. With 64 instances, the time that a worker waits for
its next request is too short to measure; with 8, it doubled the time of a trial."""
OVERHEAD_S: Final = 20e-6
"""Roughly the time that the harness needs for an instance besides the call."""
BATCH: Final = 1024
"""Maximum number of instances in a call with the start `batch`; their outcomes fit a journal."""

TrialFilter = Callable[[Trial], bool]
_Item = TypeVar("_Item")


class TurnLength:
    """Decides from the finished trials of a configuration how many instances its turns have."""

    def __init__(self) -> None:
        self._means: defaultdict[str, GeometricMean] = defaultdict(GeometricMean)

    def note(self, records: Iterable[TrialRecord]) -> None:
        """Take note of finished trials."""
        for record in records:
            if record.outcome.wall_s:
                self._means[record.trial.backend].add(record.outcome.wall_s)

    def instances(self, label: str) -> int:
        """The number of instances of the next turn: as many as take `TURN_S`; 1 before any trial.

        The mean is geometric, so that a few hard instances do not shorten all other turns.
        """
        mean_s = self._means[label].seconds
        return 1 if mean_s is None else int(min(BLOCK, max(1, TURN_S / (mean_s + OVERHEAD_S))))


@dataclass(frozen=True, slots=True)
class SweepPlan:
    """The trials of a sweep with its configurations and datasets."""

    sweep: Sweep
    configurations: Sequence[Configuration]
    datasets: "Sequence[Dataset]"
    pace: TurnLength = field(default_factory=TurnLength)

    @property
    def trials(self) -> int:
        """Number of planned trials, finished or not, without further repetitions."""
        return sum(self.trials_of_each.values())

    @property
    def trials_of_each(self) -> Mapping[str, int]:
        """Number of planned trials of each configuration, by label."""
        instances = sum(len(dataset.instances) for dataset in self.datasets)
        each = instances * len(self.sweep.questions()) * self.sweep.repeat
        return {configuration.label: each for configuration in self.configurations}

    def batches(
        self, skip: TrialFilter | None = None, repetitions: range | None = None
    ) -> Iterator[Batch]:
        """The trials that `skip` does not match, lazily, in batches for one worker each.

        The repetitions are from 1 to the sweep's `repeat` unless others are given.

        Instances are shuffled with the sweep's seed, again for each repetition, and divided into
        blocks. Each configuration and question runs a block before the next block begins, in turns
        whose length follows from `pace`. A fast configuration has long turns, because its first
        call after another backend's finds nothing in the processor's caches. A slow one has short
        turns between those of others, so that a drift of the machine affects all alike. The
        configurations that have run the fewest instances have the next turns, in random order. With
        the start `batch` a block is one call: instances of one dataset and one shape.

        The processes of the sweep follow each other and share its repetitions equally; further
        repetitions have further processes. A block has one process.
        """
        repetitions = repetitions or range(1, self.sweep.repeat + 1)
        seed = self.sweep.seed
        seed_text = seed if repetitions.start == 1 else f"{seed}:{repetitions.start}"
        order = random.Random(seed_text)  # noqa: S311  an order, not a secret
        instances = [(d.name, instance) for d in self.datasets for instance in d.instances]
        names = [(c.label, c.spec.label) for c in self.configurations]
        single = [q for q in self.sweep.questions() if q.start is not Start.BATCH]
        batch_questions = [q for q in self.sweep.questions() if q.start is Start.BATCH]
        # Blocks follow from measured times; the order of instances does not.
        turn_order = random.Random(f"{seed_text}:turns")  # noqa: S311
        for repetition in repetitions:
            order.shuffle(instances)
            calls = _calls(instances) if batch_questions else []
            order.shuffle(calls)
            parts = self._shares(repetition, instances if single else [])
            parts_of_calls = self._shares(repetition, calls)
            for process in sorted({*parts, *parts_of_calls}):
                turns = list(product(names, single))
                part = parts.get(process, [])
                for at in range(0, len(part), BLOCK):
                    block = sorted(part[at : at + BLOCK], key=_shape)
                    for turn, own in _turns(block, turns, turn_order, self.pace):
                        yield from _batches_of_block(own, [turn], repetition, process, None, skip)
                turns = list(product(names, batch_questions))
                for block in parts_of_calls.get(process, []):
                    turn_order.shuffle(turns)
                    # Equal sets of puzzles have the same name.
                    ids = "\n".join(sorted(instance.puzzle.id for _, instance in block))
                    name = hashlib.sha256(ids.encode()).hexdigest()[:12]
                    yield from _batches_of_block(block, turns, repetition, process, name, skip)

    def _shares(self, repetition: int, items: Sequence[_Item]) -> dict[int, list[_Item]]:
        """What each process, numbered from 1, runs of the items of a repetition."""
        number, whole = self.sweep.processes, self.sweep.repeat * len(items)
        shares: dict[int, list[_Item]] = {}
        for place, item in enumerate(items, (repetition - 1) * len(items)):
            process = 1 + place * number // whole if number > 1 else 1
            shares.setdefault(process, []).append(item)
        return shares


_Block = list[tuple[str, Instance]]
"""Instances, each with the name of its dataset."""


_Turn = tuple[tuple[str, str], Question]
"""A configuration, by its label and spec, and a question."""


def _turns(
    block: _Block, turns: Sequence[_Turn], order: random.Random, pace: TurnLength
) -> Iterator[tuple[_Turn, _Block]]:
    """The turns of a block, each with its instances; the length of a turn is decided last."""
    progress = dict.fromkeys(turns, 0)
    while progress:
        least = min(progress.values())
        behind = [turn for turn, at in progress.items() if at == least]
        order.shuffle(behind)
        for turn in behind:
            end = min(len(block), least + pace.instances(turn[0][0]))
            yield turn, block[least:end]
            progress[turn] = end
            if end == len(block):
                del progress[turn]


def _calls(instances: _Block) -> list[_Block]:
    """The instances of each dataset, scramble and shape in as few calls of equal size as possible.

    Instances with pencilmarks have calls of their own.
    """
    calls = []
    for _, group in groupby(sorted(instances, key=_kind), key=_kind):
        kind = list(group)
        size = kind[0][1].puzzle.shape.size
        # The text of a call of instances whose values are numbers has to fit into a message.
        most = BATCH if size <= LETTERED else 2**24 // size**3
        number = -(-len(kind) // most)
        ends = [len(kind) * n // number for n in range(number + 1)]
        calls += [kind[begin:end] for begin, end in pairwise(ends)]
    return calls


def _batches_of_block(
    block: _Block,
    turns: Sequence[_Turn],
    repetition: int,
    process: int,
    call: str | None,
    skip: TrialFilter | None,
) -> Iterator[Batch]:
    for (label, spec), question in turns:
        for _, same_shape in groupby(block, key=_shape):
            trials = [
                Trial(label, name, instance, question, repetition, spec, call, process)
                for name, instance in same_shape
            ]
            if skip:
                trials = [trial for trial in trials if not skip(trial)]
            if trials:
                yield Batch(spec, question, trials)


def _kind(instance: tuple[str, Instance]) -> tuple[str, str, str, bool]:
    name, entry = instance
    return name, entry.scramble, _shape(instance), entry.puzzle.pencilmarks is not None


def _shape(instance: tuple[str, Instance]) -> str:
    return instance[1].puzzle.shape.definition
