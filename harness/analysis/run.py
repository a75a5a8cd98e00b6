"""A run, read from its folder, with everything that can be asked of it."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path

import pandas as pd

from harness.analysis.agreement import Agreement, agreement
from harness.analysis.averages import averages
from harness.analysis.comparison import Comparison, compare
from harness.analysis.environment import setting_changes
from harness.analysis.failures import failures
from harness.analysis.machines import across_machines, machine_factors, machines
from harness.analysis.pairwise import pairwise
from harness.analysis.portfolio import contributions
from harness.analysis.profiles import cactus, performance_profile
from harness.analysis.ranking import ranks
from harness.analysis.results import answers, pooled, results_of
from harness.analysis.scaling import by_difficulty, scaling
from harness.analysis.stability import stability
from harness.analysis.summary import summary
from harness.analysis.survival import survival
from harness.analysis.throughput import throughput
from harness.errors import InputError
from harness.records.environment import Invocation, read_invocations
from harness.records.frame import concatenated, frame
from harness.records.store import read_rows


@dataclass(frozen=True)
class Run:
    """The trials of one folder, or of several that are looked at together.

    Each measure is the function of the same name, applied to `trials` or
    `instances`; its docstring says what the columns are. Measures are computed
    once; each call gives a copy.
    """

    folder: Path
    trials: pd.DataFrame
    """One row a trial, with the columns of `harness.records.frame.DTYPES`."""
    others: tuple[Path, ...] = ()
    """Further folders whose trials are in it."""
    joined: tuple[str, ...] = ()
    """Machines whose times are taken as those of one, where that was asked for."""

    @cached_property
    def invocations(self) -> list[Invocation]:
        """Where and with what each call of the run took place, the first one first."""
        return [call for folder in (self.folder, *self.others) for call in read_invocations(folder)]

    @property
    def environment(self) -> Invocation:
        """The last of `calls`; empty where none is recorded."""
        return self.invocations[-1] if self.invocations else Invocation()

    @cached_property
    def results(self) -> pd.DataFrame:
        """One row for each comparison group, backend and puzzle; see `instances`."""
        return results_of(self.trials)

    @cached_property
    def answers(self) -> pd.DataFrame:
        """One row for each trial that is a right answer; see `answers`."""
        return answers(self.trials)

    @cached_property
    def backends(self) -> tuple[str, ...]:
        """The labels of the backends, sorted."""
        return tuple(sorted(map(str, self.results["backend"].unique())))

    @cached_property
    def hosts(self) -> tuple[str, ...]:
        """The machines that trials ran on, by name."""
        return tuple(sorted(self.trials["host"].fillna("").astype(str).unique()))

    def across_machines(self) -> "Run":
        """The same run with the times of all machines in one comparison group; see `across_machines`."""
        joined = self.hosts if len(self.hosts) > 1 else ()
        return replace(self, trials=across_machines(self.trials), joined=joined)

    def pooled(self) -> pd.DataFrame:
        """The instances of all datasets as one dataset, for any measure; see `together`."""
        return pooled(self.results)

    def summary(self) -> pd.DataFrame:
        """Verdicts and times by comparison group and backend; see `summary`."""
        return self._once("summary", lambda: summary(self.trials))

    def agreement(self) -> Agreement:
        """Who contradicts whom; see `agreement`."""
        return self._agreement

    def stability(self) -> pd.DataFrame:
        """How far times differ over repetitions; see `stability`."""
        return self._once("stability", lambda: stability(self.trials))

    def averages(self) -> pd.DataFrame:
        """PAR-2, PAR-10 and geometric means with three shifts; see `averages`."""
        return self._once("averages", lambda: averages(self.results))

    def ranks(self) -> pd.DataFrame:
        """Ranks, Borda points and critical-difference groups; see `ranks`."""
        return self._once("ranks", lambda: ranks(self.results))

    def pairwise(self) -> pd.DataFrame:
        """Wins, factors and tests of each two backends; see `pairwise`."""
        return self._once("pairwise", lambda: pairwise(self.results))

    def contributions(self) -> pd.DataFrame:
        """Virtual best, marginal contribution and Shapley value; see `contributions`."""
        return self._once("contributions", lambda: contributions(self.results))

    def throughput(self) -> pd.DataFrame:
        """Puzzles a second and guesses a puzzle; see `throughput`."""
        return self._once("throughput", lambda: throughput(self.results))

    def scaling(self) -> pd.DataFrame:
        """Times by the size of the puzzle; see `scaling`."""
        return self._once("scaling", lambda: scaling(self.results))

    def by_difficulty(self) -> pd.DataFrame:
        """Times by the difficulty of the puzzle; see `by_difficulty`."""
        return self._once("by_difficulty", lambda: by_difficulty(self.results))

    def survival(self) -> pd.DataFrame:
        """Restricted mean times over trials with different limits; see `survival`."""
        return self._once("survival", lambda: survival(self.results))

    def failures(self) -> pd.DataFrame:
        """Every trial without a right answer, with its command; see `failures`."""
        return self._once("failures", lambda: failures(self.trials))

    def machines(self) -> pd.DataFrame:
        """What ran on which machine; see `machines`."""
        return self._once("machines", lambda: machines(self.trials))

    def machine_factors(self) -> pd.DataFrame:
        """How much slower one machine is than another; see `machine_factors`."""
        return self._once("machine_factors", lambda: machine_factors(self.results))

    def performance_profile(self, backends: Sequence[str] | None = None) -> pd.DataFrame:
        """Shares answered within a factor of the best; see `performance_profile`."""
        return performance_profile(self.results, backends)

    def cactus(self, backends: Sequence[str] | None = None) -> pd.DataFrame:
        """Numbers answered within a time; see `cactus`."""
        return cactus(self.results, backends)

    def compare(self, after: "Run", *, across_machines: bool = False) -> Comparison:
        """What is different in `after`, its setting too; see `compare`, `setting_changes`."""
        found = compare(self.trials, after.trials, across_machines=across_machines)
        return replace(found, settings=setting_changes(self.environment, after.environment))

    def _repr_html_(self) -> str:
        """The summary, for a notebook; pandas escapes what stands in it."""
        table = self.summary().dropna(axis=1, how="all")
        return str(table.to_html(escape=True, index=False, max_rows=50))

    @cached_property
    def _agreement(self) -> Agreement:
        return agreement(self.trials)

    @cached_property
    def _measures(self) -> dict[str, pd.DataFrame]:
        return {}

    def _once(self, name: str, measure: Callable[[], pd.DataFrame]) -> pd.DataFrame:
        if name not in self._measures:
            self._measures[name] = measure()
        return self._measures[name].copy()


def load(folder: Path | str, *others: Path | str) -> Run:
    """The run in `folder`, finished or going on; with those in `others` as one run.

    Several runs are put together as `harness.records.frame.concatenated` says.

    Raises:
        InputError: a folder holds no run, or one is named twice.
    """
    folders = [Path(folder), *map(Path, others)]
    places = [path.resolve() for path in folders]
    for path, place in zip(folders, places, strict=True):
        if places.count(place) > 1:
            raise InputError("named twice", where=str(path), expected="different runs")
    frames = [frame(*read_rows(path)) for path in folders]
    trials = frames[0] if len(frames) == 1 else concatenated(frames)
    return Run(folders[0], trials, tuple(folders[1:]))
