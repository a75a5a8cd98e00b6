"""How trials use their time: phases, cores, spread over repetitions, throughput."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import pandas as pd

from harness.analysis.measures import (
    RIGHT,
    Floats,
    Measure,
    Note,
    answers_left_out_notes,
    common_instances,
    groups_of,
    left_out_notes,
    number_rows,
    rank_key,
    single,
)
from harness.analysis.measures import columns as col
from harness.records import Start, TimeKind
from harness.records.folder import with_dtypes

# Measure `phases`: the part of each phase in the wall time of right answers.


_ROUNDING: Final = 1e-6
"""A share that is negative by less than this is a rounding error."""

_PHASES: Final = {
    "build": "building the backend for the shape",
    "encode": "encoding the puzzle",
    "search": "the search",
    "decode": "decoding the solution",
}


def phases(answers: pd.DataFrame) -> pd.DataFrame:
    """Divide the mean wall time of a right answer into build, encode, search, decode and rest.

    Phases divide wall time even in a report of CPU time, because they are measured with the clock
    of wall time. The harness measures the build; backends report the other phases. The rest is wall
    time that belongs to no reported phase; the chart names it `other`. Phases that a backend does
    not report belong to the rest. All are shares of the wall time: if the reported phases exceed
    it, as phases in several threads can, their shares add up to more than 100 % and the rest is
    negative. Only instances that every eligible backend was run on are included; the values of a
    backend cover those of them that it answered.
    """
    times = [f"{phase}_s" for phase in _PHASES]
    number, first = number_rows(answers, col.BACKEND_KEY)
    keys = answers[col.BACKEND_KEY].iloc[first].reset_index(drop=True)
    by = answers.groupby(number)
    # A missing time counts as zero: every answer counts in the mean.
    counts = by.size()
    means = by[["wall_s", *times]].sum().div(counts, axis=0)
    table = pd.DataFrame({"answers": counts, "mean_s": means["wall_s"]})
    table["left_out"] = by["left_out"].first()
    for phase in _PHASES:
        table[f"{phase}_share"] = means[f"{phase}_s"] / means["wall_s"]
    table["rest_share"] = 1 - means[times].sum(axis=1) / means["wall_s"]
    table = pd.concat([keys, table], axis=1).sort_values(col.BACKEND_KEY, ignore_index=True)
    table = table.assign(**{col.TIME: str(TimeKind.WALL)})
    return with_dtypes(table[list(PHASES.dtypes)], PHASES.dtypes)


def _notes_phases(frame: pd.DataFrame) -> Iterator[Note]:
    yield from answers_left_out_notes(frame)
    beyond = list(frame.loc[frame["rest_share"] < -_ROUNDING, "backend"])
    if beyond:
        yield Note(
            "the phases of {backends} exceed the wall time: they overlap or run in several threads",
            {"backends": (col.ValueKind.BACKEND, beyond)},
        )


PHASES: Final = Measure(
    title="Phases of wall time",
    takes=("common_answers",),
    compute=phases,
    columns=(
        *col.BACKEND_COLUMNS,
        col.count("answers", "Trials with a right answer.", "answers"),
        col.LEFT_OUT,
        col.seconds("mean_s", "Mean wall time of a right answer.", "mean"),
        *(
            col.share(f"{phase}_share", f"Share of {meaning}.", phase)
            for phase, meaning in _PHASES.items()
        ),
        col.share("rest_share", "Share of wall time in no phase.", "rest"),
    ),
    applies=lambda frame: bool((frame["rest_share"] < 1).any()),
    notes=_notes_phases,
)


# How the trials of a backend used their wall time: computing, waiting, losing their core.


DISTURBED: Final = 0.1
"""The smallest share of the wall time that counts: a comparison reports differences of a tenth."""
_LONGEST_TURN_S: Final = 0.02
"""The longest time for which a process loses its core in one switch: others take turns of 1 to 10
ms. On two cores with a load of 4, backends lost 0.5 to 5 ms per switch."""

_FEW_TURNS_S: Final = 0.1
"""The lost time that a few turns of other processes add up to, as in every run."""
_LEAST_WALL_S: Final = _FEW_TURNS_S / DISTURBED
"""In less wall time than this, a few turns of other processes make up a share that counts."""


@dataclass(frozen=True, slots=True)
class BackendUsage:
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

        A process that waits gives up its core; a process that loses its core makes an involuntary
        context switch, and gets the core back after the turns of others.
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


def usages(trials: pd.DataFrame) -> dict[str, BackendUsage]:
    """The usage of each backend over its right answers whose times are known.

    Args:
        trials: the columns of `harness.records.fields.DTYPES`.
    """
    right = trials["verdict"].isin(RIGHT)
    columns = ["wall_s", "cpu_s", "involuntary_switches"]
    answers = trials.loc[right, ["backend", *columns]].fillna({"involuntary_switches": 0}).dropna()
    by_backend = answers.groupby("backend", sort=False)
    sums, sizes = by_backend[columns].sum(), by_backend.size()
    return {
        str(backend): BackendUsage(int(sizes[backend]), float(wall), float(cpu), int(switches))
        for backend, wall, cpu, switches in sums.itertuples(name=None)
    }


# Measure `stability`: the spread of times over the repetitions of a result.


UNSTABLE: Final = 0.10
"""The smallest spread of an unstable result."""


def stability(answers: pd.DataFrame) -> pd.DataFrame:
    """Measure the spread of repeated times of each backend.

    The spread of a result is the difference between the longest and the shortest time of its
    right answers, over their mean. A result is unstable if its spread is 10 % or more.
    Only results with two or more right answers have a spread, and none with the start `batch`,
    which measures calls of many puzzles. Only instances that every eligible backend was run on
    count.
    """
    results = spreads(answers)
    results["flagged"] = results["spread"] >= UNSTABLE
    table: pd.DataFrame = results.groupby(
        col.BACKEND_KEY, sort=True, dropna=False, observed=True
    ).agg(
        left_out=("left_out", "first"),
        results=("spread", "size"),
        unstable=("flagged", "sum"),
        median_spread=("spread", "median"),
        largest_spread=("spread", "max"),
    )
    return with_dtypes(table.reset_index(), STABILITY.dtypes)


def spreads(answers: pd.DataFrame) -> pd.DataFrame:
    """The column ``spread`` for each result with two or more right answers, see `stability`."""
    answers = single(answers[[*col.RESULT_KEY, "left_out", "time_s"]])
    number, first = number_rows(answers, col.RESULT_KEY)
    keys = answers.drop(columns="time_s").iloc[first].reset_index(drop=True)
    times = answers["time_s"].groupby(number).agg(["count", "min", "max", "mean"])
    results = pd.concat([keys, times], axis=1)[times["count"] > 1].reset_index(drop=True)
    results["spread"] = (results["max"] - results["min"]) / results["mean"]
    return results


STABILITY: Final = Measure(
    title="Spread over repetitions",
    takes=("common_answers",),
    compute=stability,
    columns=(
        *col.BACKEND_COLUMNS,
        col.LEFT_OUT,
        col.count("results", "Results with two or more right answers.", "results"),
        col.count("unstable", f"Results with a spread of {UNSTABLE:.0%} or more.", "unstable"),
        col.share("median_spread", "Median spread, as a share of the mean time.", "median spread"),
        col.share("largest_spread", "Largest spread, as a share of the mean time.", "largest"),
    ),
    notes=answers_left_out_notes,
)


# Measure `throughput`: puzzles per second and guesses per puzzle.


def throughput(results: pd.DataFrame) -> pd.DataFrame:
    """Measure the rate and the guesses of each backend, in the order of `ranks`.

    The rate is the number of puzzles over the sum of their times, failures at the time limit, as in
    the benchmark of tdoku (https://github.com/t-dillon/tdoku). Guesses are the numbers that the
    solver reports as `guesses`, `decisions` or `branches`; counts of different names are not
    comparable. With the start `batch` a solver reports the guesses of a call, so it is unknown
    which puzzles took none. All values are over the instances that every eligible backend was run
    on. A backend with a wrong answer has no rate and comes last.
    """
    rows: list[dict[str, Any]] = []
    keys = []
    time, puzzles, guesses = (
        results[name].to_numpy(dtype=np.float64) for name in ("time_s", "puzzles", "guesses")
    )
    is_answered = results["answered"].to_numpy(dtype=bool)
    is_wrong = results["wrong"].to_numpy() > 0
    is_known = is_answered & ~np.isnan(guesses)
    common, left_out = common_instances(results)
    for key, whole in groups_of(results, col.BACKEND_KEY):
        common_rows = whole[common[whole]]
        mean = _mean(time[common_rows], puzzles[common_rows])
        wrong = int(is_wrong[whole].sum())
        known_rows = common_rows[is_known[common_rows]]
        keys.append(
            (wrong > 0, *rank_key(time[common_rows], is_answered[common_rows]), key["backend"])
        )
        row = {
            "paradigm": results["paradigm"].iloc[whole[0]],
            "instances": len(common_rows),
            "left_out": left_out[whole[0]],
            "answered": int(is_answered[common_rows].sum()),
            "wrong": wrong,
            "is_bound": not is_answered[common_rows].all(),
        }
        if not wrong:
            row |= {"puzzles_per_s": 1 / mean, "us_per_puzzle": 1e6 * mean}
        if len(known_rows):
            row["guesses_per_puzzle"] = _mean(guesses[known_rows], puzzles[known_rows])
            row["guesses_are"] = results["guesses_are"].iloc[known_rows[0]]
            if key["start"] != Start.BATCH:
                row["share_without_guess"] = float((guesses[known_rows] == 0).mean())
        rows.append(key | row)
    frame = THROUGHPUT.frame(rows)
    place = frame.groupby(col.COMPARISON_GROUP, dropna=False, sort=False).ngroup().tolist()
    order = sorted(range(len(frame)), key=lambda n: (place[n], keys[n]))
    return frame.iloc[order].reset_index(drop=True)


def _mean(values: Floats, puzzles: Floats) -> float:
    """The mean over puzzles, of values that each hold for a number of puzzles."""
    return float(np.average(values, weights=puzzles)) if len(puzzles) else float("nan")


def _notes_throughput(frame: pd.DataFrame) -> Iterator[Note]:
    yield from left_out_notes(frame)
    if (frame["is_bound"] & frame["puzzles_per_s"].notna()).any():
        yield Note("an instance without a right answer counts as the time limit")
    if frame["guesses_are"].nunique() > 1:
        yield Note("guesses counted under different names are not comparable")


THROUGHPUT: Final = Measure(
    title="Throughput",
    compute=throughput,
    columns=(
        *col.COMPARED,
        col.text("paradigm", "How the backend solves.", "paradigm"),
        col.count("answered", "Answered instances."),
        col.number(
            "puzzles_per_s", "Puzzles over the sum of their times.", "puzzles/s", unit="1/s"
        ),
        col.number("us_per_puzzle", "Mean time, failures at T.", "µs/puzzle", unit="µs"),
        col.flag(
            "is_bound",
            "Whether failures make `puzzles_per_s` an upper and `us_per_puzzle` a lower bound.",
        ),
        col.share(
            "share_without_guess",
            "Share of the answered instances with known guesses that took none.",
            "no guess",
        ),
        col.number(
            "guesses_per_puzzle",
            "Mean number of guesses over the same instances.",
            "guesses/puzzle",
            short="guesses",
        ),
        col.text("guesses_are", "The solver's name of the counter of guesses.", "counted as"),
    ),
    order=(
        "backend instances puzzles_per_s us_per_puzzle share_without_guess guesses_per_puzzle "
        "guesses_are paradigm"
    ),
    notes=_notes_throughput,
)
