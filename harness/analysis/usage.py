"""How the trials of a backend used their wall time: computing, waiting, losing their core."""

from dataclasses import dataclass
from typing import Final

import pandas as pd

from harness.records.verdict import Verdict

DISTURBED: Final = 0.1
"""The least share of the wall time that counts: a tenth of a time is what a comparison
reports."""
_LONGEST_TURN_S: Final = 0.02
"""The longest time for which a process loses its core at a time: others take turns of 1 to
10 ms. On two cores with a load of 4, backends lost 0.5 to 5 ms per switch."""

_FEW_TURNS_S: Final = 0.1
"""Lost time that a few turns of others add up to, which every run has."""
_LEAST_WALL_S: Final = _FEW_TURNS_S / DISTURBED
"""The least wall time whose lost share is more than the chance of a few turns."""


@dataclass(frozen=True, slots=True)
class Usage:
    """The right answers of one backend in one run: seconds over all trials."""

    trials: int = 0
    wall_s: float = 0.0
    cpu_s: float = 0.0
    involuntary_switches: int = 0

    @property
    def threads(self) -> float:
        """CPU time over wall time: above 1 if several threads compute."""
        return self.cpu_s / self.wall_s if self.wall_s else 0.0

    @property
    def mean_wall_s(self) -> float:
        """Mean wall time of a right answer in seconds."""
        return self.wall_s / self.trials if self.trials else 0.0

    @property
    def preempted_s(self) -> float:
        """The seconds of wall time in which other processes had the core.

        A process that waits gives its core away; one that loses it makes an involuntary
        context switch, and gets it back after the turn of others.
        """
        return min(self._idle_s, self.involuntary_switches * _LONGEST_TURN_S)

    @property
    def preempted_share(self) -> float:
        """The share of the wall time in which other processes had the core."""
        return self._share(self.preempted_s)

    @property
    def is_preempted(self) -> bool:
        """Whether other processes had the core for a share that counts, not a few turns only."""
        return self.preempted_s >= _FEW_TURNS_S and self.preempted_share >= DISTURBED

    @property
    def is_long(self) -> bool:
        """Whether the wall time is enough to compare its shares with those of another run."""
        return self.wall_s >= _LEAST_WALL_S

    @property
    def waiting_share(self) -> float:
        """The share of the wall time in which the backend itself waited."""
        return self._share(self._idle_s - self.preempted_s)

    @property
    def _idle_s(self) -> float:
        return max(0.0, self.wall_s - self.cpu_s)

    def _share(self, seconds: float) -> float:
        return seconds / self.wall_s if self.wall_s else 0.0


def usages(trials: pd.DataFrame) -> dict[str, Usage]:
    """The usage of each backend over its right answers whose times are known.

    Args:
        trials: the columns of `harness.records.fields.DTYPES`.
    """
    right = trials["verdict"].isin([str(verdict) for verdict in Verdict if verdict.answered])
    columns = ["wall_s", "cpu_s", "involuntary_switches"]
    known = trials.loc[right, ["backend", *columns]].fillna({"involuntary_switches": 0}).dropna()
    by_backend = known.groupby("backend", sort=False)
    sums, sizes = by_backend[columns].sum(), by_backend.size()
    return {
        str(backend): Usage(int(sizes[backend]), float(wall), float(cpu), int(switches))
        for backend, wall, cpu, switches in sums.itertuples(name=None)
    }
