"""Plans: the trials of a sweep in their order, in batches for workers."""

import random
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby, product
from typing import Final

from harness.contract.spec import BackendSpec
from harness.experiment.sweep import Sweep
from harness.puzzles.catalogue import Dataset, Instance
from harness.records.question import Question, Start
from harness.records.trial import Batch, Trial

BLOCK: Final = 32
"""Instances that a configuration runs in a row before the next one has its turn: enough for
a request to cost little per trial, few enough for a drift of the machine to affect all."""
BATCH: Final = 1024
"""Instances of one call with the start `batch`. Their outcomes fit into a journal."""

TrialFilter = Callable[[Trial], bool]


def number_of_trials(
    sweep: Sweep, specs: Sequence[BackendSpec], datasets: Sequence[Dataset]
) -> int:
    """Number of planned trials, finished or not."""
    instances = sum(len(dataset.instances) for dataset in datasets)
    return instances * len(specs) * len(sweep.questions()) * sweep.repeat


def batches(
    sweep: Sweep,
    specs: Sequence[BackendSpec],
    datasets: Sequence[Dataset],
    skip: TrialFilter | None = None,
    repetitions: range | None = None,
) -> Iterator[Batch]:
    """The trials of the sweep that `skip` does not match, lazily, in batches for one worker each.

    The repetitions are from 1 to the sweep's `repeat` unless others are given.

    Instances are shuffled with the sweep's seed, anew for each repetition, and divided into
    blocks. Each configuration and question runs a block before the next block begins, in an
    order that is shuffled anew, so that a drift of the machine affects all alike.
    """
    repetitions = repetitions or range(1, sweep.repeat + 1)
    seed = sweep.seed if repetitions.start == 1 else f"{sweep.seed}:{repetitions.start}"
    order = random.Random(seed)  # noqa: S311  an order, not a secret
    instances = [(dataset.name, instance) for dataset in datasets for instance in dataset.instances]
    labels = [spec.label for spec in specs]
    turns_by_size = [
        (size, list(product(labels, questions)))
        for size, questions in _by_block_size(sweep.questions())
    ]
    for repetition in repetitions:
        order.shuffle(instances)
        for size, turns in turns_by_size:
            for at in range(0, len(instances), size):
                block = sorted(instances[at : at + size], key=_shape)
                order.shuffle(turns)
                yield from _batches_of_block(block, turns, repetition, skip)


@dataclass(frozen=True, slots=True)
class SweepPlan:
    """The trials of a sweep with its configurations and datasets."""

    sweep: Sweep
    specs: Sequence[BackendSpec]
    datasets: Sequence[Dataset]

    @property
    def trials(self) -> int:
        """Number of planned trials, without further repetitions."""
        return number_of_trials(self.sweep, self.specs, self.datasets)

    @property
    def trials_of_each(self) -> Mapping[str, int]:
        """Number of planned trials of each configuration, by label."""
        each = number_of_trials(self.sweep, self.specs[:1], self.datasets)
        return {spec.label: each for spec in self.specs}

    @property
    def further_repetitions(self) -> range:
        """Repetitions to add to unstable results."""
        return range(self.sweep.repeat + 1, self.sweep.until_stable + 1)

    def batches(
        self, skip: TrialFilter | None = None, repetitions: range | None = None
    ) -> Iterator[Batch]:
        """The trials that `skip` does not match; see `batches`."""
        return batches(self.sweep, self.specs, self.datasets, skip, repetitions)


@dataclass(frozen=True, slots=True)
class FixedPlan:
    """A plan of given batches, each trial once."""

    content: Sequence[Batch]

    @property
    def trials(self) -> int:
        """Number of trials."""
        return sum(len(batch.trials) for batch in self.content)

    @property
    def trials_of_each(self) -> Mapping[str, int]:
        """Number of trials of each configuration, by label."""
        sizes: Counter[str] = Counter()
        for batch in self.content:
            sizes[batch.backend] += len(batch.trials)
        return sizes

    @property
    def further_repetitions(self) -> range:
        """None: each trial runs once."""
        return range(0)

    def batches(
        self, skip: TrialFilter | None = None, repetitions: range | None = None
    ) -> Iterator[Batch]:
        """The batches, without trials that `skip` matches or of other repetitions."""
        for batch in self.content:
            trials = [
                trial
                for trial in batch.trials
                if not (skip and skip(trial))
                and (repetitions is None or trial.repetition in repetitions)
            ]
            if trials:
                yield Batch(batch.backend, batch.question, trials)


def _batches_of_block(
    block: Sequence[tuple[str, Instance]],
    turns: Sequence[tuple[str, Question]],
    repetition: int,
    skip: TrialFilter | None,
) -> Iterator[Batch]:
    for label, question in turns:
        for _, same_shape in groupby(block, key=_shape):
            trials = [
                Trial(label, name, instance, question, repetition) for name, instance in same_shape
            ]
            if skip:
                trials = [trial for trial in trials if not skip(trial)]
            if trials:
                yield Batch(label, question, trials)


def _by_block_size(questions: list[Question]) -> list[tuple[int, list[Question]]]:
    """The questions by the number of instances in a block."""
    single = [question for question in questions if question.start is not Start.BATCH]
    batched = [question for question in questions if question.start is Start.BATCH]
    return [(size, found) for size, found in ((BLOCK, single), (BATCH, batched)) if found]


def _shape(instance: tuple[str, Instance]) -> str:
    return instance[1].puzzle.shape.spec
