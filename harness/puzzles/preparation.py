"""Datasets as a sweep uses them: chosen by a condition, and scrambled."""

from collections.abc import Sequence
from dataclasses import replace

from harness.errors import OptionError, meant, one_of
from harness.puzzles.catalogue import Dataset, Instance, collect
from harness.puzzles.expected_count import ExpectedCount
from harness.puzzles.identity.scramble import Scramble
from harness.puzzles.puzzle import line_of, values_of_line
from harness.puzzles.where import Where
from harness.text import number_of, short_repr


def chosen(datasets: Sequence[Dataset], where: Where) -> list[Dataset]:
    """The datasets with only those instances that meet the condition `where`.

    A dataset without any is left out.

    Raises:
        OptionError: no instance meets the condition; with the number of each dataset. Or no
            instance has a field that the condition names.
    """
    _require_fields(datasets, where)
    found = []
    for dataset in datasets:
        kept = tuple(i for i in dataset.instances if where.accepts(i, dataset.name))
        excluded = len(dataset.instances) - len(kept)
        found.append(replace(dataset, instances=kept, excluded=excluded))
    if not any(dataset.instances for dataset in found):
        sizes = ", ".join(f"{d.name} has {number_of(len(d.instances), 'puzzle')}" for d in datasets)
        raise OptionError(
            f"no puzzle meets {where.text.strip()}: {sizes}",
            where="where",
            expected="a condition that at least one puzzle meets",
        )
    return [dataset for dataset in found if dataset.instances]


def _require_fields(datasets: Sequence[Dataset], where: Where) -> None:
    """Check that each field that `where` names is one of at least one puzzle.

    Raises:
        OptionError: there is none with it.
    """
    if where.fields:
        known = {name for d in datasets for instance in d.instances for name in instance.fields}
        for name in sorted(where.fields - known):
            raise OptionError(
                f"no puzzle has a field {short_repr(name)}{meant(name, known)}",
                where="where",
                expected=one_of(sorted(known)) if known else "a file with fields",
            )


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
