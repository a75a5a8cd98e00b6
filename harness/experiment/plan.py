"""What is asked for, and the trials that follow from it, in their order."""

import random
from collections.abc import Callable, Iterator, Sequence
from itertools import groupby, product
from typing import Final

from harness.contract.spec import BackendSpec
from harness.experiment.sweep import Sweep
from harness.puzzles.catalogue import Dataset, Instance
from harness.records.question import Question, Start
from harness.records.trial import Batch, Trial

BLOCK: Final = 32
"""Puzzles a backend gets in a row before the next one has its turn."""
BATCH: Final = 1024
"""Puzzles that one call is about where the start is `batch`."""


def number_of_trials(
    sweep: Sweep, specs: Sequence[BackendSpec], datasets: Sequence[Dataset]
) -> int:
    """How many trials the plan has in all, done or not."""
    puzzles = sum(len(dataset.instances) for dataset in datasets)
    return puzzles * len(specs) * len(sweep.questions()) * sweep.repeat


def batches(
    sweep: Sweep,
    specs: Sequence[BackendSpec],
    datasets: Sequence[Dataset],
    is_done: Callable[[Trial], bool] | None = None,
    repetitions: range | None = None,
) -> Iterator[Batch]:
    """The trials of the sweep that are not done, lazily, as batches for one worker.

    The `repetitions` are from 1 to the sweep's `repeat` unless others are named.

    Puzzles come in an order drawn from the seed, again for each repetition. They
    are dealt out in blocks; each backend and question runs a block before the
    next block begins, in an order drawn anew, so that a drift of the machine
    hits all alike.
    """
    repetitions = repetitions or range(1, sweep.repeat + 1)
    seed = sweep.seed if repetitions.start == 1 else f"{sweep.seed}:{repetitions.start}"
    order = random.Random(seed)  # noqa: S311  an order, not a secret
    places = [(dataset.name, instance) for dataset in datasets for instance in dataset.instances]
    labels = [spec.label for spec in specs]
    turns_by_size = [
        (size, list(product(labels, questions))) for size, questions in _by_block(sweep.questions())
    ]
    for repetition in repetitions:
        order.shuffle(places)
        for size, turns in turns_by_size:
            for at in range(0, len(places), size):
                block = sorted(places[at : at + size], key=_shape)
                order.shuffle(turns)
                yield from _of_block(block, turns, repetition, is_done)


def _of_block(
    block: Sequence[tuple[str, Instance]],
    turns: Sequence[tuple[str, Question]],
    repetition: int,
    is_done: Callable[[Trial], bool] | None,
) -> Iterator[Batch]:
    for label, question in turns:
        for _, same_shape in groupby(block, key=_shape):
            trials = [
                Trial(label, name, instance, question, repetition) for name, instance in same_shape
            ]
            if is_done:
                trials = [trial for trial in trials if not is_done(trial)]
            if trials:
                yield Batch(label, question, trials)


def _by_block(questions: list[Question]) -> list[tuple[int, list[Question]]]:
    """The questions, with the puzzles that a backend gets in a row."""
    one_by_one = [question for question in questions if question.start is not Start.BATCH]
    at_once = [question for question in questions if question.start is Start.BATCH]
    return [(size, asked) for size, asked in ((BLOCK, one_by_one), (BATCH, at_once)) if asked]


def _shape(place: tuple[str, Instance]) -> str:
    return place[1].puzzle.shape.spec
