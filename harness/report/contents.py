"""What a report consists of: each table described once, for every format."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

import pandas as pd

from harness.analysis.inference import ALPHA, MEANINGFUL, RESAMPLES
from harness.analysis.instances import CONTEST
from harness.analysis.ranking import ranks
from harness.analysis.run import Run
from harness.analysis.scaling import reference_backend
from harness.contract.verdict import Verdict
from harness.errors import InputError, one_of
from harness.report.columns import (
    ANSWERED,
    BACKEND,
    FACTOR,
    TEST,
    count,
    figure,
    ratios,
    seconds,
    shares,
    text,
)
from harness.report.figures import number_of, probability
from harness.report.table import Column, Section, Table, is_missing

Columns = tuple[Column, ...]

_ALWAYS: Final = (Verdict.TIMEOUT, Verdict.WRONG)
_OF_TASK: Final = {
    "solve": (Verdict.SOLVED, Verdict.UNSATISFIABLE),
    "count": (Verdict.COUNTED,),
}
_FIGURES: Final = ("median", "mean", "p95", "total")


def _always(_: pd.DataFrame) -> bool:
    return True


def _several(frame: pd.DataFrame) -> bool:
    return frame["backend"].nunique() > 1


def _no_notes(_: pd.DataFrame) -> Sequence[str]:
    return ()


@dataclass(frozen=True, slots=True)
class Measure:
    """A measure as it is shown: which frame, in which columns, with what said below."""

    frame: Callable[[Run], pd.DataFrame]
    columns: Callable[[pd.DataFrame], Columns]
    title: str = ""
    worth: Callable[[pd.DataFrame], bool] = _always
    """Whether it says anything of these rows."""
    notes: Callable[[pd.DataFrame], Iterable[str]] = _no_notes


def _summary_columns(frame: pd.DataFrame) -> Columns:
    main = (*_OF_TASK[str(frame["task"].iloc[0])], *_ALWAYS)
    shown = [v for v in Verdict if v in main or frame[str(v)].any()]
    short = {Verdict.UNSATISFIABLE: "unsat"}
    return (
        BACKEND,
        *(count(str(v), str(v), wide=v not in main, short=short.get(v, "")) for v in shown),
        *(seconds(name, f"{name}_s", bound=f"{name}_is_bound") for name in _FIGURES),
        seconds("PAR-2", "par2_s"),
        ratios("ratio", "ratio"),
    )


def _throughput_columns(_: pd.DataFrame) -> Columns:
    return (
        BACKEND,
        figure("puzzles/s", "puzzles_per_s"),
        figure("us/puzzle", "us_per_puzzle"),
        shares("no guess", "share_without_guess"),
        figure("guesses/puzzle", "guesses_per_puzzle", short="guesses"),
        text("counted as", "guesses_are"),
        text("infers by", "paradigm"),
    )


def _throughput_notes(frame: pd.DataFrame) -> Iterator[str]:
    if frame["is_bound"].any():
        yield "a puzzle without a right answer counts with its time limit"
    if frame["guesses_are"].nunique() > 1:
        yield "guesses that are counted as different things cannot be compared"


def _ranks_columns(_: pd.DataFrame) -> Columns:
    return (
        figure("rank", "rank", lambda rank: "-" if is_missing(rank) else f"{rank:g}"),
        BACKEND,
        ANSWERED,
        seconds("total", "total_s"),
        figure("Borda", "borda"),
        figure("mean rank", "mean_rank"),
        text("group", "groups"),
    )


def _ranks_notes(frame: pd.DataFrame) -> Iterator[str]:
    yield from _left_out(frame)
    if frame["wrong"].any():
        yield "a backend with a wrong answer has no rank"
    p = frame["friedman_p"].iloc[0]
    test = "" if is_missing(p) else f"; Friedman's test that all are equal: p {_equals(float(p))}"
    yield f"backends with the same letter are not called different{test}"


def _equals(p: float) -> str:
    told = probability(p)
    return told if told.startswith("<") else f"= {told}"


def _pairwise_columns(_: pd.DataFrame) -> Columns:
    return (
        BACKEND,
        text("other", "other"),
        count("wins", "wins"),
        count("ties", "ties"),
        count("losses", "losses"),
        *FACTOR,
        *TEST,
    )


def _pairwise_notes(frame: pd.DataFrame) -> Iterator[str]:
    most = int(frame["instances"].max())
    # Wilcoxon's least p is 2 / 2^n; Holm's correction multiplies the first by all pairs.
    if len(frame) * 2.0 ** (1 - most) >= ALPHA:
        yield f"{number_of(most, 'puzzle')}: too few to call anything different"
    yield (
        "factor: geometric mean of the other's time over the backend's, failures at the limit; "
        f"interval: BCa bootstrap over puzzles, {RESAMPLES:,} resamples; "
        f"different: p < {ALPHA:g} and a factor of {MEANINGFUL:g} or more"
    )


def _contributions_columns(_: pd.DataFrame) -> Columns:
    return (
        BACKEND,
        seconds("PAR-2", "par2_s"),
        shares("of VBS", "share_of_vbs"),
        figure("fastest on", "best_on", short="fastest"),
        count("alone on", "alone_on", short="alone"),
        seconds("marginal", "marginal_s"),
        seconds("Shapley", "shapley_s"),
        shares("share", "shapley_share"),
    )


def _contributions_notes(frame: pd.DataFrame) -> Iterator[str]:
    yield from _left_out(frame)
    best = frame.loc[frame["single_best"], "backend"]
    if len(best):
        yield (
            f"VBS: the best backend of each puzzle; the single best is {', '.join(best)}; "
            "Shapley values are exact"
        )


def _averages_columns(_: pd.DataFrame) -> Columns:
    return (
        BACKEND,
        seconds("PAR-2", "par2_s"),
        seconds("PAR-10", "par10_s"),
        ratios("ratio", "par2_ratio"),
        seconds("SGM", "sgm_1ms_s"),
        ratios("at 0.1 ms", "sgm_100us_ratio"),
        ratios("1 ms", "sgm_1ms_ratio"),
        ratios("10 ms", "sgm_10ms_ratio"),
    )


def _averages_notes(frame: pd.DataFrame) -> Iterator[str]:
    yield from _left_out(frame)
    yield "SGM: geometric mean shifted by 1 ms; its ratios at shifts of 0.1, 1 and 10 ms"
    if frame["order_differs"].any():
        yield "the shift decides: the order of the backends is not the same at all three"


def _strata_columns(_: pd.DataFrame) -> Columns:
    return (text("difficulty", "stratum"), *_figure_columns(), ratios("ratio", "ratio"))


def _scaling_columns(_: pd.DataFrame) -> Columns:
    return (
        text("shape", "shape"),
        text("task", "task"),
        text("start", "start", wide=True),
        seconds("timeout", "timeout_s", wide=True),
        text("host", "host", wide=True),
        *_figure_columns(),
    )


def _figure_columns() -> Columns:
    return (
        BACKEND,
        ANSWERED,
        count("wrong", "wrong"),
        seconds("median", "median_s", bound="median_is_bound"),
        seconds("PAR-2", "par2_s"),
        seconds("SGM", "sgm_1ms_s"),
    )


def _survival_columns(_: pd.DataFrame) -> Columns:
    return (
        text("dataset", "dataset"),
        text("task", "task"),
        text("start", "start", wide=True),
        text("host", "host", wide=True),
        BACKEND,
        count("limits", "limits"),
        ANSWERED,
        seconds("horizon", "horizon_s"),
        seconds("RMST", "rmst_s"),
        shares("still open", "share_open"),
    )


def _survival_notes(_: pd.DataFrame) -> Sequence[str]:
    return ("RMST: mean time up to the horizon, with time limits as censored (Kaplan-Meier)",)


def _stability_columns(_: pd.DataFrame) -> Columns:
    return (
        BACKEND,
        count("cells", "cells"),
        count("unstable", "unstable"),
        shares("median spread", "median_spread"),
        shares("largest", "largest_spread"),
    )


def _failures_columns(_: pd.DataFrame) -> Columns:
    return (
        text("verdict", "verdict"),
        BACKEND,
        text("dataset", "dataset"),
        text("puzzle", "name"),
        text("task", "task"),
        text("start", "start", wide=True),
        text("host", "host", wide=True),
        count("repetition", "repetition"),
        seconds("ended after", "wall_s"),
        text("reason", "reason"),
        text("again", "command", whole=True),
    )


def _machines_columns(_: pd.DataFrame) -> Columns:
    return (
        text("machine", "host"),
        count("trials", "trials"),
        count("backends", "backends"),
        count("puzzles", "puzzles"),
        seconds("wall time", "wall_s"),
    )


def _factors_columns(_: pd.DataFrame) -> Columns:
    return (text("machine", "host"), text("other", "other"), count("answers", "instances"), *FACTOR)


def _left_out(frame: pd.DataFrame) -> Iterator[str]:
    left, kept = int(frame["left_out"].iloc[0]), int(frame["instances"].iloc[0])
    if left:
        yield (
            f"over the {number_of(kept, 'puzzle')} that all were asked about; "
            f"{left:,} left out that some were not"
        )


OF_CONTEST: Final[Mapping[str, Measure]] = {
    "summary": Measure(Run.summary, _summary_columns),
    "ranks": Measure(Run.ranks, _ranks_columns, "Ranks", _several, _ranks_notes),
    "pairwise": Measure(Run.pairwise, _pairwise_columns, "Two at a time", notes=_pairwise_notes),
    "contributions": Measure(
        *(Run.contributions, _contributions_columns, "Contributions"),
        *(_several, _contributions_notes),
    ),
    "averages": Measure(
        Run.averages, _averages_columns, "Does the average decide?", _several, _averages_notes
    ),
    "throughput": Measure(
        Run.throughput, _throughput_columns, "Throughput", notes=_throughput_notes
    ),
    "strata": Measure(
        Run.strata,
        _strata_columns,
        "By difficulty",
        lambda frame: frame["place"].nunique() > 1,
    ),
    "stability": Measure(Run.stability, _stability_columns, "Spread over repetitions"),
}
"""The tables that each contest has, in their order."""

OF_RUN: Final[Mapping[str, Measure]] = {
    "together": Measure(
        lambda run: ranks(run.together()),
        _ranks_columns,
        "Ranks",
        _several,
        _ranks_notes,
    ),
    "scaling": Measure(
        Run.scaling, _scaling_columns, "By size", lambda frame: frame["size"].nunique() > 1
    ),
    "survival": Measure(
        Run.survival,
        _survival_columns,
        "Over different limits",
        lambda frame: bool((frame["limits"] > 1).any()),
        _survival_notes,
    ),
    "machines": Measure(Run.machines, _machines_columns, "Machines", lambda frame: len(frame) > 1),
    "machine-factors": Measure(Run.machine_factors, _factors_columns, "The machine as a factor"),
    "failures": Measure(Run.failures, _failures_columns, "Failures"),
}
"""The tables that the run has as a whole, in their order."""

MEASURES: Final[Mapping[str, Measure]] = {**OF_CONTEST, **OF_RUN}

BRIEF: Final = ("summary",)
ALL: Final = tuple(MEASURES)


def sections(run: Run, names: Sequence[str] = ALL) -> list[Section]:
    """What of a run is shown: a section for each contest, then one for the run as a whole.

    Raises:
        InputError: there is no table of such a name.
    """
    check_names(names)
    by_contest: dict[tuple[Any, ...], list[Table]] = {}
    for key, _ in _split(run.summary()):
        by_contest[key] = []
    for name in OF_CONTEST:
        if name in names:
            for key, frame in _split(MEASURES[name].frame(run)):
                by_contest[key] += _table(name, frame)
    several = len(run.hosts) > 1
    trials = {key: int(frame["trials"].max()) for key, frame in _split(run.summary())}
    found = [
        Section(
            contest_title(dict(zip(CONTEST, key, strict=True)), trials[key], several), (*tables,)
        )
        for key, tables in by_contest.items()
        if tables
    ]
    whole = [table for name in OF_RUN if name in names for table in _of_run(run, name)]
    if whole:
        found.append(Section("The run as a whole", (*whole,)))
    return found


def frame_of(run: Run, name: str) -> pd.DataFrame:
    """The frame behind the tables of a measure, figures unrounded.

    Raises:
        InputError: there is no table of this name.
    """
    check_names([name])
    return MEASURES[name].frame(run)


def check_names(names: Sequence[str]) -> None:
    """See whether there are tables of these names.

    Raises:
        InputError: there is one that is none.
    """
    for name in names:
        if name not in MEASURES:
            raise InputError(f"no table {name!r}", expected=one_of(ALL))


def contest_title(key: Mapping[str, Any], trials: int | None, with_host: bool) -> str:
    """A contest in words: what was asked, under which limits, how often and where."""
    limit = "" if is_missing(key["limit"]) else f" to {key['limit']}"
    words = [f"{key['dataset']}: {key['task']}{limit}", f"{key['start']} start"]
    words.append(f"{key['timeout_s']:g} s a trial")
    if key["cpu_limit_s"]:
        words.append(f"{key['cpu_limit_s']:g} s of CPU time")
    if key["memory_limit_mib"]:
        words.append(f"{key['memory_limit_mib']} MiB")
    if trials is not None:
        words.append(number_of(trials, "trial"))
    if with_host:
        words.append(f"on {key['host'] or 'an unknown machine'}")
    return ", ".join(words)


def notes_of(run: Run) -> Iterator[str]:
    """What the reader must know before any figure."""
    if any(" + " in host for host in run.hosts):
        yield f"wall times of different machines are compared, as was asked: {run.hosts[0]}"
    elif len(run.hosts) > 1:
        yield (
            f"trials of {len(run.hosts)} machines; wall times of one are not compared with those "
            "of another (--across-machines does)"
        )
    if (reference := reference_backend(run.instances)) is not None:
        yield f"difficulty: by the guesses that {reference} needs"


def _of_run(run: Run, name: str) -> list[Table]:
    if name == "together" and run.trials["dataset"].nunique() < 2:
        return []
    if name == "machine-factors" and len(run.hosts) < 2:
        return []
    frame = MEASURES[name].frame(run)
    if name != "together":
        return _table(name, frame) if len(frame) else []
    tables = []
    for key, part in _split(frame):
        title = contest_title(dict(zip(CONTEST, key, strict=True)), None, len(run.hosts) > 1)
        tables += [replace(table, title=f"Ranks over {title}") for table in _table(name, part)]
    return tables


def _table(name: str, frame: pd.DataFrame) -> list[Table]:
    measure = MEASURES[name]
    if frame.empty or not measure.worth(frame):
        return []
    return [Table(name, measure.title, measure.columns(frame), frame, tuple(measure.notes(frame)))]


def _split(frame: pd.DataFrame) -> Iterator[tuple[tuple[Any, ...], pd.DataFrame]]:
    """The rows of each contest, with the values of `CONTEST`, missing ones as None."""
    for key, rows in frame.groupby(CONTEST, sort=False, dropna=False):
        yield tuple(None if is_missing(value) else value for value in key), rows
