"""The measures, in the order in which a report shows their tables."""

from collections.abc import Iterable, Mapping
from typing import Final

from harness.analysis.averages import AVERAGES
from harness.analysis.by_difficulty import BY_DIFFICULTY
from harness.analysis.completeness import COMPLETENESS
from harness.analysis.contributions import CONTRIBUTIONS
from harness.analysis.failures import FAILURES
from harness.analysis.incidents import INCIDENTS
from harness.analysis.machine_factors import MACHINE_FACTORS
from harness.analysis.machines import MACHINES
from harness.analysis.measure import Measure
from harness.analysis.pairwise import PAIRWISE
from harness.analysis.phases import PHASES
from harness.analysis.pooled import POOLED
from harness.analysis.ranks import RANKS
from harness.analysis.scaling import SCALING
from harness.analysis.settings import SETTINGS
from harness.analysis.stability import STABILITY
from harness.analysis.summary import SUMMARY
from harness.analysis.survival import SURVIVAL
from harness.analysis.throughput import THROUGHPUT
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
