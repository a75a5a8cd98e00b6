"""A run: its trials, read from its folder, and every measure of them."""

import html
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, TypeVar, cast

import pandas as pd

from harness.analysis import comparison, completeness, curves, measures
from harness.analysis.claims import Agreement, agreement
from harness.analysis.comparison import Comparison
from harness.analysis.completeness import RunCompleteness, RunEnding
from harness.analysis.conditions import environment_changes, merge_invocations
from harness.analysis.factor import sides
from harness.analysis.measures import (
    DEFAULT,
    RIGHT,
    Criterion,
    Measure,
    by_call,
    measures_of,
    number_rows,
    with_instances,
    with_time,
)
from harness.analysis.measures import columns as col
from harness.analysis.summary import in_groups_of, incidents_frame
from harness.base.errors import (
    RunError,
    StoreDamagedError,
    flag_of,
    invalid,
    items_of,
    path_of,
    require,
)
from harness.records import RELIABLE, TimeKind
from harness.records.folder import (
    DatasetDigest,
    Invocation,
    Settings,
    ShardProgress,
    concatenated,
    different_runs,
    is_held,
    read_invocations,
    read_run,
    read_settings,
    seen_from_here,
    with_absolute_paths,
)

if TYPE_CHECKING:
    from harness.analysis.difficulty import Difficulty

Value = TypeVar("Value")


@dataclass(frozen=True)
class Run:
    """The trials of one folder, or of several folders as one run.

    `measure` computes any measure by name; the other methods are shortcuts.
    ``docs/reference/measures.md`` describes their columns. A measure is computed once; each
    call returns a copy.
    """

    folder: Path
    """The folder; of several, the first."""
    trials: pd.DataFrame
    """One row for each trial, with the columns of `harness.records.fields.DTYPES`."""
    others: tuple[Path, ...] = ()
    """Further folders whose trials are included."""
    joint_hosts: tuple[str, ...] = ()
    """The machines whose times are compared as if from one machine; empty by default."""
    machine_trials: pd.DataFrame | None = None
    """The trials with the names of their machines, if `joint_hosts` has machines."""
    shards: ShardProgress | None = None
    """The shards of one plan that the run has; each puzzle has all its trials on one machine."""
    time: TimeKind = TimeKind.WALL
    """The time that all measures are about."""
    criterion: Criterion = DEFAULT
    """What makes a difference of times count."""
    difficulty: "Difficulty | None" = None
    """The feature of puzzles by which `by_difficulty` groups; None for guesses."""
    planned: pd.DataFrame = field(default_factory=completeness.empty_plan)
    """The number of planned trials by comparison group and backend; empty if not recorded."""
    endings: tuple[RunEnding, ...] = ()
    """How the last command of each folder ended, as it was when the trials were read."""
    events: pd.DataFrame = field(default_factory=incidents_frame)
    """Events besides the trials, one in each row: ``at``, ``backend``, ``kind``, ``detail``."""
    _findings: list[tuple[Callable[[pd.DataFrame], Any], pd.DataFrame, Any]] = field(
        default_factory=list, repr=False, compare=False
    )
    """Each function of trials that was called, with its trials and its result; the kind of time
    does not matter."""

    @cached_property
    def invocations(self) -> list[Invocation]:
        """The record of each invocation of the run, by folder, oldest first."""
        folders = (self.folder, *self.others)
        return [invocation for folder in folders for invocation in read_invocations(folder)]

    @property
    def environment(self) -> Invocation:
        """The last of `invocations`; an empty one if none is recorded."""
        return self.invocations[-1] if self.invocations else Invocation()

    @cached_property
    def sweeps(self) -> list[Settings]:
        """The options of each sweep that the run was given, in order.

        Paths are relative to the folder of the run, or to the working folder if they leave it.
        """
        return self._settings_of_folders(seen_from_here)

    @property
    def _datasets(self) -> list[tuple[str, DatasetDigest]]:
        """What each command read of each dataset, by its name."""
        return [item for i in self.invocations for item in i.datasets.items()]

    @cached_property
    def repeats(self) -> dict[str, int]:
        """For each dataset with duplicates the number of puzzles left out.

        If commands read different parts of a dataset, the largest number counts.
        """
        most: dict[str, int] = {}
        for name, dataset in self._datasets:
            if dataset.repeats:
                most[name] = max(most.get(name, 0), dataset.repeats)
        return most

    @cached_property
    def excluded(self) -> dict[str, int]:
        """For each dataset that conditions or samples reduced, the number of puzzles left out.

        If commands had different conditions, the largest number counts. Nothing is left out of a
        dataset that another command read as a whole.
        """
        whole: dict[str, int] = {}
        for name, dataset in self._datasets:
            if not dataset.excluded:
                whole[name] = max(whole.get(name, 0), dataset.puzzles)
        most: dict[str, int] = {}
        for name, dataset in self._datasets:
            if dataset.excluded and dataset.puzzles + dataset.excluded > whole.get(name, 0):
                most[name] = max(most.get(name, 0), dataset.excluded)
        return most

    @cached_property
    def progress(self) -> RunCompleteness:
        """How many of the planned trials are done, and why the others are missing."""
        lacks_shards = self.shards is not None and not self.shards.is_complete
        return completeness.of_run(
            self.completeness(), self.endings, self.invocations, lacks_shards=lacks_shards
        )

    @cached_property
    def timed_trials(self) -> pd.DataFrame:
        """`coded_trials` with their times; see `with_time`."""
        return with_time(self.coded_trials, self.time)

    @property
    def timed_machine_trials(self) -> pd.DataFrame:
        """The trials with their times and the names of their machines."""
        trials = self.trials if self.machine_trials is None else self.machine_trials
        return with_time(trials, self.time)

    @cached_property
    def results(self) -> pd.DataFrame:
        """One row for each comparison group, backend and instance or call.

        See `results_of` and `by_call`.
        """
        return measures.results_of(by_call(self.timed_trials))

    @cached_property
    def process_results(self) -> pd.DataFrame | None:
        """The results in each process, with the column ``process``.

        None for fewer processes than `process_error` needs.
        """
        if self.timed_trials["process"].nunique() < measures.LEAST_PROCESSES:
            return None
        trials = by_call(self.timed_trials)
        trials = trials[trials["process"].notna()]
        numbers = measures.number_rows(
            measures.with_group_columns(trials), [*col.RESULT_KEY, "process"]
        )
        process = trials["process"].to_numpy()[numbers[1]]
        return measures.results_of(trials, numbers).assign(process=process)

    @cached_property
    def pooled_process_results(self) -> pd.DataFrame | None:
        """`process_results` of all datasets as one dataset."""
        return None if self.process_results is None else pool(self.process_results)

    @cached_property
    def pooled_results(self) -> pd.DataFrame:
        """The results of all datasets as one dataset; see `pool`."""
        return pool(self.results)

    @cached_property
    def answers(self) -> pd.DataFrame:
        """One row for each trial that is a right answer; see `answers`."""
        return measures.answers(self.timed_trials)

    @cached_property
    def eligible(self) -> "Run":
        """The run without the trials of backends that have a wrong answer in the same group."""
        wrong = self.results.loc[self.results["wrong"] > 0, col.BACKEND_KEY].drop_duplicates()
        if wrong.empty:
            return self
        among = in_groups_of(measures.with_group_columns(self.trials), wrong)
        return replace(self, trials=self.trials[~among])

    @cached_property
    def common_results(self) -> pd.DataFrame:
        """The results on the instances that every eligible backend of a group was run on."""
        return self.results[measures.common_instances(self.results)[0]]

    @cached_property
    def common_answers(self) -> pd.DataFrame:
        """The right answers on the instances of `common_results`.

        The column ``left_out`` has the number of instances left out of the comparison group.
        """
        trials = self.timed_trials
        common, left_out = measures.common_instances(with_instances(trials))
        answers = self.answers if common.all() else measures.answers(trials[common])
        right = trials["verdict"].isin(RIGHT).to_numpy(dtype=bool)
        return answers.assign(left_out=left_out[common & right])

    @cached_property
    def backends(self) -> tuple[str, ...]:
        """The labels of the backends, sorted."""
        return tuple(sorted(map(str, self.results["backend"].unique())))

    @cached_property
    def hosts(self) -> tuple[str, ...]:
        """The names of the machines, sorted; an unknown machine has an empty name."""
        return tuple(sorted(self.coded_trials["host"].unique()))

    def across_machines(self) -> "Run":
        """The same run with the times of all machines in one comparison group."""
        if len(self.hosts) < 2:
            return self
        return replace(
            self,
            trials=across_machines(self.trials),
            machine_trials=self.trials,
            joint_hosts=self.hosts,
            planned=completeness.planned_sums(self.planned.assign(host=joint_name(self.hosts))),
        )

    def timed(self, time: TimeKind | str) -> "Run":
        """The same run with measures of its wall times or its CPU times.

        Args:
            time: ``wall`` or ``cpu``.

        Raises:
            OptionError: there is no such kind of time.
            InputError: right answers have no time of this kind.
        """
        kind = TimeKind.parse(time)
        measures.require_times(self.trials, kind)
        return replace(self, time=kind)

    def deciding_by(self, least_factor: float) -> "Run":
        """The same run with another smallest factor between times that counts as a difference.

        Args:
            least_factor: a factor from 1 to 1,000, by default 1.1; with 1 every significant
                difference counts.

        Raises:
            OptionError: `least_factor` is not a number from 1 to 1,000.
        """
        return replace(self, criterion=Criterion.parse(least_factor))

    def with_difficulty(self, feature: str) -> "Run":
        """The same run with times grouped by a feature of puzzles in place of guesses.

        Args:
            feature: the name of a feature, such as ``level``, ``backdoor`` or ``clues``.

        Raises:
            OptionError: there is no such feature.
        """
        # Imported here: no other method needs the features of puzzles, which import all of the
        # reasoning.
        from harness.analysis.difficulty import Difficulty

        return replace(self, difficulty=Difficulty.of_trials(self.trials, feature))

    def measure(self, measure: Measure | str) -> pd.DataFrame:
        """The frame of a `measure`, which may also be the name of one in `MEASURES`.

        Raises:
            InputError: no measure has this name.
        """
        require(measure, (Measure, str), "measure", "the name of a measure")
        if isinstance(measure, str):
            (measure,) = measures_of([measure])
        if measure.name not in self._frames:
            inputs = [getattr(self, name) for name in measure.takes]
            self._frames[measure.name] = measure.compute(*inputs)
        return self._frames[measure.name].copy()

    def summary(self) -> pd.DataFrame:
        """Verdicts and times by comparison group and backend."""
        return self.measure("summary")

    def ranks(self) -> pd.DataFrame:
        """Ranks and groups of backends that are not different."""
        return self.measure("ranks")

    def pairwise(self) -> pd.DataFrame:
        """Wins, factors and tests of each pair of backends."""
        return self.measure("pairwise")

    def contributions(self) -> pd.DataFrame:
        """Virtual best, marginal contribution, Shapley value, Borda points and mean rank."""
        return self.measure("contributions")

    def averages(self) -> pd.DataFrame:
        """PAR-2, PAR-10 and geometric means with three shifts."""
        return self.measure("averages")

    def throughput(self) -> pd.DataFrame:
        """Puzzles per second and guesses per puzzle."""
        return self.measure("throughput")

    def by_difficulty(self) -> pd.DataFrame:
        """Times by the difficulty of the puzzle."""
        return self.measure("by-difficulty")

    def stability(self) -> pd.DataFrame:
        """Spread of times over repetitions."""
        return self.measure("stability")

    def phases(self) -> pd.DataFrame:
        """Shares of build, encoding, search, decoding and rest in the time of an answer."""
        return self.measure("phases")

    def pooled(self) -> pd.DataFrame:
        """Ranks over all datasets together."""
        return self.measure("pooled")

    def scaling(self) -> pd.DataFrame:
        """Times by the size of the puzzle."""
        return self.measure("scaling")

    def survival(self) -> pd.DataFrame:
        """Restricted mean times over trials with different limits."""
        return self.measure("survival")

    def machines(self) -> pd.DataFrame:
        """Trials, backends and puzzles of each machine."""
        return self.measure("machines")

    def machine_factors(self) -> pd.DataFrame:
        """Factors between the times of machines."""
        return self.measure("machine-factors")

    def failures(self) -> pd.DataFrame:
        """Every trial without a right answer, with a command to repeat it."""
        return self.measure("failures")

    def completeness(self) -> pd.DataFrame:
        """Planned and finished trials by comparison group and backend."""
        return self.measure("completeness")

    def incidents(self) -> pd.DataFrame:
        """Events besides the trials, such as processes that a backend left running."""
        return self.measure("incidents")

    def settings(self) -> pd.DataFrame:
        """The options of all sweeps that the run was given."""
        return self.measure("settings")

    def agreement(self) -> Agreement:
        """Contradictions between answers; see `agreement`."""
        return self.once(agreement)

    @property
    def coded_trials(self) -> pd.DataFrame:
        """`trials` with texts as categories; see `measures.as_categories`."""
        return self._found_in(self.trials, measures.as_categories)

    def once(self, compute: Callable[[pd.DataFrame], Value]) -> Value:
        """The result of `compute` for `coded_trials`, computed once for all kinds of time."""
        return self._found_in(self.coded_trials, compute)

    def _found_in(self, trials: pd.DataFrame, compute: Callable[[pd.DataFrame], Value]) -> Value:
        for function, source, value in self._findings:
            if function is compute and source is trials:
                return cast("Value", value)
        self._findings.append((compute, trials, result := compute(trials)))
        return result

    def performance_profile(self, backends: str | Sequence[str] | None = None) -> pd.DataFrame:
        """Shares answered within a factor of the best time, of all or of these `backends`.

        See `performance_profile`.
        """
        return curves.performance_profile(self.results, self._labels(backends))

    def cactus(self, backends: str | Sequence[str] | None = None) -> pd.DataFrame:
        """Numbers answered within a time, of all or of these `backends`; see `cactus`."""
        return curves.cactus(self.results, self._labels(backends))

    def compare(
        self,
        after: "Run",
        *,
        across_machines: bool = False,
        time: TimeKind | str = TimeKind.WALL,
        least_factor: float | None = None,
        factor: str | None = None,
    ) -> Comparison:
        """Compare this run with a later one; see `compare` and `environment_changes`.

        Args:
            after: the later run.
            across_machines: compare times of different machines too.
            time: the time to compare, ``wall`` or ``cpu``; ``reliable`` for each backend's
                more reliable one.
            least_factor: the smallest factor between times that counts as a change, from 1; by
                default that of this run.
            factor: what differs between both sides, such as ``scramble``, ``start`` or
                ``solver=glucose4,cadical153``; `after` may then be this run. See `factor.sides`.

        Raises:
            OptionError: there is no such kind of time, or `least_factor` is not a number from 1 to
                1,000.
            InputError: the runs have no machine or no result in common, right answers have no time
                of this kind, or the trials do not have two values of `factor`.
        """
        require(after, Run, "after", "a Run")
        is_same = self.trials.equals(after.trials)
        frames, difference = (self.coded_trials, after.coded_trials), None
        if factor is not None:
            difference, old, new = sides(self.trials, after.trials, factor)
            frames = measures.as_categories(old), measures.as_categories(new)
        changes = comparison.compare(
            *frames,
            across_machines=flag_of(across_machines, "across_machines"),
            time=None if time == RELIABLE else TimeKind.parse(time),
            criterion=self.criterion if least_factor is None else Criterion.parse(least_factor),
            invocations=((), ()) if is_same else (self.invocations, after.invocations),
            factor=difference,
        )
        gaps = [
            f"the {which} run is unfinished: {run.progress}"
            for which, run in (("first", self), ("second", after))
            if run.progress.finished is False
        ]
        return replace(
            changes,
            environment=environment_changes(
                merge_invocations(self.invocations),
                merge_invocations(after.invocations),
                (
                    self._settings_of_folders(with_absolute_paths),
                    after._settings_of_folders(with_absolute_paths),
                ),
            ),
            partial=(*gaps, *changes.partial),
            notes=(
                *([Comparison.SAME_TRIALS] if is_same and not difference else []),
                *changes.notes,
            ),
        )

    def _settings_of_folders(self, resolve: Callable[[Settings, Path], Settings]) -> list[Settings]:
        folders = (self.folder, *self.others)
        return [resolve(s, folder) for folder in folders for s in read_settings(folder)]

    def _repr_html_(self) -> str:
        """The summary for a notebook, after what an unfinished run lacks; texts are escaped."""
        table = self.summary().dropna(axis=1, how="all")
        note = f"<p>{html.escape(self.progress.headline)}</p>" if self.progress.headline else ""
        return note + str(table.to_html(escape=True, index=False, max_rows=50))

    @cached_property
    def _frames(self) -> dict[str, pd.DataFrame]:
        return {}

    def _labels(self, backends: object) -> list[str] | None:
        """The labels of one backend or several, each of this run; None for all."""
        if backends is None:
            return None
        labels = items_of(backends)
        if not labels or not all(label in self.backends for label in labels):
            raise invalid("backends", backends, f"None, or any of {', '.join(self.backends)}")
        return [str(label) for label in labels]


def load(folder: Path | str, *others: Path | str) -> Run:
    """Read the run in `folder`, finished or not, and those in `others` as one run.

    Several runs are joined as `harness.records.folder.frames.concatenated` describes. The machines
    of a run of shards are blocks: all times of a puzzle are from one machine, so their ratios can
    be compared with the ratios of other puzzles, whichever machine these are from.

    Raises:
        RunError: a folder holds no run, or one that this version cannot read.
        StoreDamagedError: the store of a run is damaged.
        InputError: a folder is named twice.
    """
    folders = [path_of(path, "folder", "the path of a run", RunError) for path in (folder, *others)]
    different_runs(folders)
    # The ends are read before the trials: a run that ends in between counts as in progress.
    endings = [
        completeness.ending_of(read_invocations(path), is_locked=is_held(path)) for path in folders
    ]
    records = [read_run(path) for path in folders]
    frames = [record.trials for record in records]
    trials = frames[0] if len(frames) == 1 else concatenated(frames)
    rows = [row for record in records for row in record.planned]
    try:
        plan = completeness.planned_trials(rows, trials)
    except (ValueError, TypeError, OverflowError) as error:
        where = ", ".join(map(str, folders))
        raise StoreDamagedError(f"values of a wrong type: {error}", where=where) from None
    events = incidents_frame([row for record in records for row in record.incidents])
    shards = records[0].shards if len(folders) == 1 else None
    if shards and not shards.is_complete:
        endings = [completeness.ending_of_shards(shards, is_locked=is_held(folders[0]))]
    run = Run(
        *(folders[0], trials, tuple(folders[1:])),
        planned=plan,
        endings=tuple(endings),
        events=events,
        shards=shards,
    )
    return run.across_machines() if shards else run


# Runs of several machines or datasets as one.


ALL_DATASETS: Final = "all datasets"


def across_machines(trials: pd.DataFrame) -> pd.DataFrame:
    """`trials` as if all had run on one machine, named after all machines.

    Times of different machines are not comparable; the caller takes responsibility.
    """
    hosts = sorted(trials["host"].fillna("").unique())
    return trials.assign(host=joint_name(hosts)).astype({"host": "string"})


def joint_name(hosts: Sequence[str]) -> str:
    """The name of several machines together: ``a + b``, or ``12 machines``."""
    if len(hosts) > 3:
        return f"{len(hosts)} machines"
    return " + ".join(hosts)


def pool(results: pd.DataFrame) -> pd.DataFrame:
    """Pool the results of all datasets under `ALL_DATASETS`; each instance has the same weight.

    A puzzle that is in two datasets is two instances.
    """
    names = ["dataset", "puzzle_id"]
    number, first = number_rows(results, names)
    dataset, puzzle = (results[name].iloc[first].astype("string") for name in names)
    instances = (dataset + "/" + puzzle).astype("category").array.take(number)
    return results.assign(dataset=ALL_DATASETS, puzzle_id=instances).astype({"dataset": "category"})
