"""How long the trials on each instance of a sweep are expected to take."""

import random
from collections.abc import Sequence
from dataclasses import replace
from itertools import product
from statistics import fmean
from typing import Final

from harness.experiment.expected_times import ExpectedTimes
from harness.experiment.observer import Observer
from harness.experiment.run import collect
from harness.experiment.sharding.numbering import NumberedInstance, addresses
from harness.experiment.sweep import Sweep
from harness.records.configuration import Configuration
from harness.records.trial import Trial

_SAMPLE: Final = 3
"""Instances of each shape and dataset that a pilot runs."""


def expected_seconds(
    sweep: Sweep,
    configurations: Sequence[Configuration],
    instances: Sequence[NumberedInstance],
    times: ExpectedTimes,
) -> list[float | None]:
    """The expected time of each instance: of all configurations, questions and repetitions.

    None where the time of a trial is unknown.
    """
    found: list[float | None] = []
    for of in instances:
        trials = [
            Trial(configuration.label, of.dataset, of.instance, question, 1)
            for configuration, question in product(configurations, sweep.questions())
        ]
        seconds = [times.of(trial) for trial in trials]
        known = [value for value in seconds if value is not None]
        found.append(sweep.repeat * sum(known) if len(known) == len(seconds) else None)
    return found


def pilot(sweep: Sweep, instances: Sequence[NumberedInstance], observer: Observer) -> ExpectedTimes:
    """Run some instances of each dataset and shape once, to know how long they take.

    Raises:
        InputError: a backend cannot be used.
    """
    groups: dict[tuple[str, str], list[NumberedInstance]] = {}
    for of in instances:
        key = (of.source, of.instance.puzzle.shape.definition)
        groups.setdefault(key, []).append(of)
    order = random.Random(f"{sweep.seed}:pilot")  # noqa: S311  a sample, not a secret
    sample = [
        of for group in groups.values() for of in order.sample(group, min(_SAMPLE, len(group)))
    ]
    sample.sort(key=lambda of: (of.source, of.number))
    small = replace(sweep, datasets=tuple(addresses(sample)), where=None, repeat=1, until_stable=0)
    times = ExpectedTimes()
    collected = collect(small, observer=observer)
    if collected.interruption is not None:
        raise collected.interruption
    times.add_records(collected.records)
    return times


def filled(seconds: Sequence[float | None]) -> list[float]:
    """The times, with the mean of the known ones where one is unknown; 1 if none is known."""
    known = [value for value in seconds if value is not None]
    mean = fmean(known) if known else 1.0
    return [mean if value is None else value for value in seconds]
