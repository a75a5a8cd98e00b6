"""The measures by name, in the order in which a report shows their tables.

A measure stands in the module of its subject, as a constant with its name in capitals. The
module is imported when the measure is looked up, so that one table of a report loads only what
it needs.
"""

from collections.abc import Iterable, Iterator, Mapping
from importlib import import_module
from typing import Final

from harness.analysis.measure import Measure
from harness.errors import InputError, meant, one_of

_MODULES: Final = {
    "summary": "summary",
    "ranks": "ranking",
    "pairwise": "pairwise",
    "contributions": "ranking",
    "averages": "ranking",
    "throughput": "timing",
    "by-difficulty": "difficulty",
    "stability": "timing",
    "phases": "timing",
    "pooled": "ranking",
    "scaling": "curves",
    "survival": "curves",
    "machines": "pairwise",
    "machine-factors": "pairwise",
    "completeness": "completeness",
    "failures": "summary",
    "incidents": "summary",
    "settings": "summary",
}
"""The module of each measure."""


class _Measures(Mapping[str, Measure]):
    """Finds measures where they are declared."""

    def __getitem__(self, name: str) -> Measure:
        module = import_module(f"harness.analysis.{_MODULES[name]}")
        measure: Measure = getattr(module, name.upper().replace("-", "_"))
        return measure

    def __iter__(self) -> Iterator[str]:
        return iter(_MODULES)

    def __len__(self) -> int:
        return len(_MODULES)


MEASURES: Final[Mapping[str, Measure]] = _Measures()
"""Every measure by its name."""


def check_names(names: Iterable[str]) -> None:
    """Check that these are names of measures.

    Raises:
        InputError: no measure has one of these names.
    """
    for name in names:
        if name not in _MODULES:
            raise InputError(
                f"unknown table {name!r}{meant(name, _MODULES)}", expected=one_of(list(_MODULES))
            )


def measures_of(names: Iterable[str]) -> list[Measure]:
    """Look up measures by name, in the order of `MEASURES`, without repeats.

    Raises:
        InputError: no measure has one of these names.
    """
    chosen = set(names)
    check_names(chosen)
    return [MEASURES[name] for name in MEASURES if name in chosen]
