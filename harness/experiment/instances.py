"""The instances of a sweep: its datasets, the condition on them, and their scramble."""

from harness.experiment.sweep import Sweep
from harness.puzzles.catalogue import Dataset, load_datasets
from harness.puzzles.shape import Shape


def datasets_of(sweep: Sweep) -> list[Dataset]:
    """The datasets of `sweep`, as its trials use them.

    Numbers in an address count the puzzles of the file. The condition chooses among those
    that the address names, and sees them as they are in the file; the scramble comes last.

    Raises:
        InputError: a dataset cannot be used, or no puzzle meets the condition.
    """
    shape = Shape.parse(sweep.shape) if sweep.shape else None
    datasets = load_datasets(sweep.datasets, shape)
    if sweep.where is not None:
        from harness.features.choosing import chosen
        from harness.features.where import Where

        datasets = chosen(datasets, Where.parse(sweep.where))
    if sweep.scramble is not None:
        from harness.puzzles.preparation import scrambled

        datasets = [scrambled(dataset, sweep.scramble) for dataset in datasets]
    return datasets
