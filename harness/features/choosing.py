"""The puzzles of datasets that meet a condition."""

from collections.abc import Sequence
from dataclasses import replace

from harness.errors import OptionError, meant, one_of
from harness.features.where import Where
from harness.puzzles.catalogue import Dataset
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
