"""What is asked for, and the trials that follow from it, in their order."""

import hashlib
import json
import random
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from itertools import groupby, product
from typing import Final

from harness.contract.spec import BackendSpec
from harness.errors import InputError
from harness.puzzles.catalogue import Dataset, Instance
from harness.records.question import DEFAULT_LIMIT, DEFAULT_TIMEOUT_S, Question, Start, Task
from harness.records.trial import Batch, Trial

BLOCK: Final = 32
"""Puzzles a backend gets in a row before the next one has its turn."""
BATCH: Final = 1024
"""Puzzles that one call is about where the start is `batch`."""


@dataclass(frozen=True)
class Sweep:
    """What a run is asked to do; its folder follows from this alone.

    Raises:
        InputError: a number is out of range, or nothing is asked for.
    """

    datasets: tuple[str, ...]
    """Names of the catalogue or paths."""
    backends: tuple[str, ...]
    """Specs, grids allowed."""
    tasks: tuple[Task, ...] = (Task.SOLVE,)
    limit: int = DEFAULT_LIMIT
    starts: tuple[Start, ...] = (Start.COLD,)
    repeat: int = 1
    until_stable: int = 0
    """Repetitions at most of a trial whose times differ too much; 0 where `repeat` is all."""
    timeout: float = DEFAULT_TIMEOUT_S
    """Seconds of wall time a trial."""
    cpu: float = 0.0
    """Seconds of CPU time a trial, children included; 0 for no limit."""
    memory: int = 0
    """MiB in memory a trial, beyond what a worker starts with; 0 for no limit."""
    seed: int = 0
    """Of the order of the trials."""
    shape: str | None = None
    """The shape of all puzzles, where their length does not tell it."""

    def __post_init__(self) -> None:
        if not self.datasets:
            raise InputError("no dataset", expected="at least one --dataset")
        if not self.backends:
            raise InputError("no backend", expected="at least one --backend")
        for name, value, least in (("limit", self.limit, 1), ("repeat", self.repeat, 1)):
            if value < least:
                raise InputError(f"{name} {value} is too small", expected=f"at least {least}")
        if self.until_stable and self.until_stable <= self.repeat:
            raise InputError(
                f"until_stable {self.until_stable} adds nothing to repeat {self.repeat}",
                expected=f"at least {self.repeat + 1} repetitions, or 0",
            )
        if not 0 < self.timeout < float("inf"):
            raise InputError(f"no timeout of {self.timeout:g} s", expected="more than 0 seconds")
        if not 0 <= self.cpu < float("inf"):
            raise InputError(f"no CPU limit of {self.cpu:g} s", expected="0 seconds or more")
        if self.memory < 0:
            raise InputError(f"no memory limit of {self.memory} MiB", expected="0 MiB or more")

    @property
    def folder_name(self) -> str:
        """A name that says roughly what is asked for, and a digest that says it exactly."""
        stems = [re.split(r"[\\/]", name)[-1].rsplit(".", 1)[0] for name in self.datasets]
        readable = re.sub(r"[^\w+-]+", "_", "+".join(stems))[:40].strip("_+") or "run"
        content = json.dumps(asdict(self), sort_keys=True)
        return f"{readable}-{hashlib.sha256(content.encode()).hexdigest()[:8]}"

    def questions(self) -> list[Question]:
        """Every combination of task and start."""
        return [
            Question.of(task, self.limit, start, self.timeout, self.cpu, self.memory)
            for task, start in product(self.tasks, self.starts)
        ]


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
