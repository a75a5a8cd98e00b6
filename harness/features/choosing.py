"""The puzzles of datasets that meet a condition."""

from collections.abc import Sequence
from dataclasses import replace

from harness.features.where import Where
from harness.puzzles.catalogue import Dataset


def chosen(datasets: Sequence[Dataset], where: Where) -> list[Dataset]:
    """The datasets with only those instances that meet the condition `where`.

    A dataset without any is left out.

    Raises:
        OptionError: no instance meets the condition; with the number of each dataset. Or no
            instance has a field that the condition names.
    """
    found = []
    for dataset in datasets:
        kept = tuple(i for i in dataset.instances if where.accepts(i, dataset.name))
        excluded = len(dataset.instances) - len(kept)
        found.append(replace(dataset, instances=kept, excluded=excluded))
    where.require_met(
        {dataset.name: len(dataset.instances) for dataset in datasets},
        sum(len(dataset.instances) for dataset in found),
        {name for dataset in datasets for one in dataset.instances for name in one.fields},
    )
    return [dataset for dataset in found if dataset.instances]
