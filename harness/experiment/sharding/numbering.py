"""The instances of a sweep, with the numbers by which an address finds them in their files."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from harness.errors import InputError
from harness.experiment.instances import datasets_of
from harness.experiment.sweep import Sweep
from harness.puzzles.catalogue import Instance, address_of, find, read_instances
from harness.puzzles.shape import Shape


@dataclass(frozen=True, slots=True)
class NumberedInstance:
    """An instance of a sweep, before it is scrambled."""

    source: str
    """The name of its dataset, or the path of its file, as the sweep has it."""
    dataset: str
    """The name of its dataset in trials."""
    number: int
    """Its number in the file, from 1."""
    instance: Instance


def numbered_instances(sweep: Sweep) -> list[NumberedInstance]:
    """The instances of `sweep` that its condition chooses, by dataset and number.

    Raises:
        InputError: a dataset cannot be used, or is standard input.
    """
    named = [address_of(name).source for name in sweep.datasets]
    if "-" in named:
        raise InputError(
            "standard input cannot be divided into shards", where="--dataset", expected="a file"
        )
    chosen = datasets_of(replace(sweep, scramble=None))
    sources: dict[Path, str] = {}
    for source in named:
        sources.setdefault(find(source).resolve(), source)
    shape = Shape.parse(sweep.shape) if sweep.shape else None
    found: list[NumberedInstance] = []
    for (path, source), dataset in zip(sources.items(), chosen, strict=True):
        numbers: dict[str, int] = {}
        for number, instance in enumerate(read_instances(path, shape), 1):
            numbers.setdefault(instance.puzzle.id, number)
        found += [
            NumberedInstance(source, dataset.name, numbers[instance.puzzle.id], instance)
            for instance in dataset.instances
        ]
    return found


def addresses(instances: Sequence[NumberedInstance]) -> list[str]:
    """Addresses of these instances, one for each source: ``named/1,3-5``."""
    found = []
    for source, numbers in numbers_by_source(instances).items():
        # A single number could be the name of another puzzle.
        found.append(
            f"{source}/{numbers}-{numbers}" if numbers.isdigit() else f"{source}/{numbers}"
        )
    return found


def numbers_by_source(instances: Sequence[NumberedInstance]) -> dict[str, str]:
    """The numbers of these instances in each source: ``{"named": "1,3-5"}``."""
    numbers: dict[str, list[int]] = {}
    for of in instances:
        numbers.setdefault(of.source, []).append(of.number)
    return {source: _ranges(sorted(of)) for source, of in numbers.items()}


def _ranges(numbers: Sequence[int]) -> str:
    """Ascending numbers with ranges: ``1,3-5``."""
    ranges: list[list[int]] = []
    for number in numbers:
        if ranges and number == ranges[-1][1] + 1:
            ranges[-1][1] = number
        else:
            ranges.append([number, number])
    return ",".join(f"{a}-{b}" if a != b else f"{a}" for a, b in ranges)
