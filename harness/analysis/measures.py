"""The measures, in the order in which a report shows their tables."""

from collections.abc import Iterable, Mapping
from typing import Final

from harness.analysis.completeness import COMPLETENESS
from harness.analysis.curves import SCALING, SURVIVAL
from harness.analysis.difficulty import BY_DIFFICULTY
from harness.analysis.measure import Measure
from harness.analysis.pairwise import MACHINE_FACTORS, MACHINES, PAIRWISE
from harness.analysis.ranking import AVERAGES, CONTRIBUTIONS, POOLED, RANKS
from harness.analysis.summary import FAILURES, INCIDENTS, SETTINGS, SUMMARY
from harness.analysis.timing import PHASES, STABILITY, THROUGHPUT
from harness.errors import InputError, meant, one_of

_ALL: Final = (
    SUMMARY,
    RANKS,
    PAIRWISE,
    CONTRIBUTIONS,
    AVERAGES,
    THROUGHPUT,
    BY_DIFFICULTY,
    STABILITY,
    PHASES,
    POOLED,
    SCALING,
    SURVIVAL,
    MACHINES,
    MACHINE_FACTORS,
    COMPLETENESS,
    FAILURES,
    INCIDENTS,
    SETTINGS,
)

MEASURES: Final[Mapping[str, Measure]] = {measure.name: measure for measure in _ALL}
"""Every measure by its name."""


def measures_of(names: Iterable[str]) -> list[Measure]:
    """Look up measures by name, in the order of `MEASURES`, without repeats.

    Raises:
        InputError: no measure has one of these names.
    """
    chosen = set()
    for name in names:
        if name not in MEASURES:
            raise InputError(
                f"unknown table {name!r}{meant(name, MEASURES)}", expected=one_of(list(MEASURES))
            )
        chosen.add(name)
    return [measure for name, measure in MEASURES.items() if name in chosen]
