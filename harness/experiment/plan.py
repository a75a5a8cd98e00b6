"""Plans: the trials of a sweep in their order, in batches for workers."""

import hashlib
import random
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby, pairwise, product
from typing import Final

from harness.experiment.sweep import Sweep
from harness.puzzles.catalogue import Dataset, Instance
from harness.records.configuration import Configuration
from harness.records.question import Question, Start
from harness.records.trial import Batch, Trial

BLOCK: Final = 32
"""Instances that a configuration runs in a row before the next one has its turn: enough for
a request to cost little per trial, few enough for a drift of the machine to affect all."""
BATCH: Final = 1024
"""Instances of one call with the start `batch`. Their outcomes fit into a journal."""

TrialFilter = Callable[[Trial], bool]


def number_of_trials(
    sweep: Sweep, configurations: Sequence[Configuration], datasets: Sequence[Dataset]
) -> int:
    """Number of planned trials, finished or not."""
    instances = sum(len(dataset.instances) for dataset in datasets)
    return instances * len(configurations) * len(sweep.questions()) * sweep.repeat


def batches(
    sweep: Sweep,
    configurations: Sequence[Configuration],
    datasets: Sequence[Dataset],
    skip: TrialFilter | None = None,
    repetitions: range | None = None,
) -> Iterator[Batch]:
    """The trials of the sweep that `skip` does not match, lazily, in batches for one worker each.

    The repetitions are from 1 to the sweep's `repeat` unless others are given.

    Instances are shuffled with the sweep's seed, anew for each repetition, and divided into
    blocks. Each configuration and question runs a block before the next block begins, in an
    order that is shuffled anew, so that a drift of the machine affects all alike. With the
    start `batch` a block is one call: instances of one dataset and one shape.
    """
    repetitions = repetitions or range(1, sweep.repeat + 1)
    seed = sweep.seed if repetitions.start == 1 else f"{sweep.seed}:{repetitions.start}"
    order = random.Random(seed)  # noqa: S311  an order, not a secret
    instances = [(dataset.name, instance) for dataset in datasets for instance in dataset.instances]
    names = [(c.label, c.spec.label) for c in configurations]
    single = [q for q in sweep.questions() if q.start is not Start.BATCH]
    batched = [q for q in sweep.questions() if q.start is Start.BATCH]
    kinds = ((single, _blocks, False), (batched, _calls, True))
    for repetition in repetitions:
        order.shuffle(instances)
        for questions, divided, is_call in kinds:
            turns = list(product(names, questions))
            blocks = divided(instances) if turns else []
            if is_call:
                order.shuffle(blocks)
            for block in blocks:
                order.shuffle(turns)
                call = _digest(block) if is_call else None
                yield from _batches_of_block(block, turns, repetition, call, skip)


@dataclass(frozen=True, slots=True)
class SweepPlan:
    """The trials of a sweep with its configurations and datasets."""

    sweep: Sweep
    configurations: Sequence[Configuration]
    datasets: Sequence[Dataset]

    @property
    def trials(self) -> int:
        """Number of planned trials, without further repetitions."""
        return number_of_trials(self.sweep, self.configurations, self.datasets)

    @property
    def trials_of_each(self) -> Mapping[str, int]:
        """Number of planned trials of each configuration, by label."""
        each = number_of_trials(self.sweep, self.configurations[:1], self.datasets)
        return {configuration.label: each for configuration in self.configurations}

    @property
    def further_repetitions(self) -> range:
        """Repetitions to add to unstable results."""
        return range(self.sweep.repeat + 1, self.sweep.until_stable + 1)

    def batches(
        self, skip: TrialFilter | None = None, repetitions: range | None = None
    ) -> Iterator[Batch]:
        """The trials that `skip` does not match; see `batches`."""
        return batches(self.sweep, self.configurations, self.datasets, skip, repetitions)


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
            sizes.update(trial.backend for trial in batch.trials)
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


_Block = list[tuple[str, Instance]]
"""Instances, each with the name of its dataset."""


def _blocks(instances: _Block) -> list[_Block]:
    """Blocks of at most `BLOCK` instances, ordered by their shapes."""
    starts = range(0, len(instances), BLOCK)
    return [sorted(instances[at : at + BLOCK], key=_shape) for at in starts]


def _calls(instances: _Block) -> list[_Block]:
    """The instances of each dataset and shape in as few calls of equal size as possible."""
    calls = []
    for _, group in groupby(sorted(instances, key=_kind), key=_kind):
        kind = list(group)
        number = -(-len(kind) // BATCH)
        ends = [len(kind) * n // number for n in range(number + 1)]
        calls += [kind[begin:end] for begin, end in pairwise(ends)]
    return calls


def _digest(call: _Block) -> str:
    """A digest that is equal for equal sets of puzzles."""
    ids = "\n".join(sorted(instance.puzzle.id for _, instance in call))
    return hashlib.sha256(ids.encode()).hexdigest()[:_DIGITS]


_DIGITS: Final = 12


def _batches_of_block(
    block: _Block,
    turns: Sequence[tuple[tuple[str, str], Question]],
    repetition: int,
    call: str | None,
    skip: TrialFilter | None,
) -> Iterator[Batch]:
    for (label, spec), question in turns:
        for _, same_shape in groupby(block, key=_shape):
            trials = [
                Trial(label, name, instance, question, repetition, spec, call)
                for name, instance in same_shape
            ]
            if skip:
                trials = [trial for trial in trials if not skip(trial)]
            if trials:
                yield Batch(spec, question, trials)


def _kind(instance: tuple[str, Instance]) -> tuple[str, str]:
    return instance[0], _shape(instance)


def _shape(instance: tuple[str, Instance]) -> str:
    return instance[1].puzzle.shape.spec
