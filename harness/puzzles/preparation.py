"""Datasets as a sweep uses them: scrambled."""

from dataclasses import replace

from harness.puzzles.catalogue import Dataset, Instance, collect
from harness.puzzles.expected_count import ExpectedCount
from harness.puzzles.identity.scramble import Scramble
from harness.puzzles.puzzle import line_of, values_of_line


def scrambled(dataset: Dataset, seed: int) -> Dataset:
    """The dataset with an equivalent puzzle in place of each of its own.

    The puzzle of an instance follows from the seed and from its puzzle in the dataset alone.
    Puzzles that become equal are one instance, as duplicates are.
    """
    instances = (scrambled_instance(instance, seed) for instance in dataset.instances)
    made = collect(dataset.name, instances)
    return replace(made, repeats=dataset.repeats + made.repeats, excluded=dataset.excluded)


def scrambled_instance(instance: Instance, seed: int) -> Instance:
    """The instance with an equivalent puzzle; its expected solution follows."""
    puzzle, expected = instance.puzzle, instance.expected_count
    scramble = scramble_of(instance, seed)
    if expected is not None and expected.solution is not None:
        solution = line_of(scramble.grid(values_of_line(expected.solution)))
        expected = ExpectedCount(expected.count, expected.exact, solution)
    return replace(
        instance,
        puzzle=scramble.puzzle(puzzle),
        expected_count=expected,
        scramble=str(seed),
        original=puzzle,
    )


def scramble_of(instance: Instance, seed: int) -> Scramble:
    """The scramble that `seed` makes for an instance of a dataset."""
    return Scramble.of(instance.puzzle.shape, f"{seed}:{instance.puzzle.id}")
