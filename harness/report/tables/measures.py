"""The measures as they are shown: each table described once, for every format."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import pandas as pd

from harness.analysis.inference import ALPHA, MEANINGFUL, RESAMPLES
from harness.analysis.ranking import ranks
from harness.analysis.run import Run
from harness.records.verdict import Verdict
from harness.report.formatting import number_of, probability, shown_backend
from harness.report.tables.columns import (
    ANSWERED,
    BACKEND,
    FACTOR,
    OTHER,
    REASON,
    TEST,
    count,
    figure,
    ratios,
    seconds,
    shares,
    text,
    where,
)
from harness.report.tables.table import Column, is_missing

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
        OTHER,
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
        names = ", ".join(map(shown_backend, best))
        yield (
            f"VBS: the best backend of each puzzle; the single best is {names}; "
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
    return (text("difficulty", "difficulty"), *_figure_columns(), ratios("ratio", "ratio"))


def _strata_notes(frame: pd.DataFrame) -> Iterator[str]:
    reference = frame["reference"].iloc[0]
    if is_missing(reference):
        yield "difficulty: by the share of the cells that are given, as no backend tells guesses"
    else:
        yield f"difficulty: by how often {shown_backend(reference)} guesses"


def _scaling_columns(frame: pd.DataFrame) -> Columns:
    return (text("shape", "shape"), *where(frame, "dataset", "task"), *_figure_columns())


def _figure_columns() -> Columns:
    return (
        BACKEND,
        ANSWERED,
        count("wrong", "wrong"),
        seconds("median", "median_s", bound="median_is_bound"),
        seconds("PAR-2", "par2_s"),
        seconds("SGM", "sgm_1ms_s"),
    )


def _survival_columns(frame: pd.DataFrame) -> Columns:
    return (
        *where(frame, "dataset", "task"),
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


def _failures_columns(frame: pd.DataFrame) -> Columns:
    return (
        text("verdict", "verdict"),
        BACKEND,
        text("puzzle", "name"),
        *where(frame, "dataset", "task"),
        count("repetition", "repetition"),
        seconds("ended after", "wall_s"),
        REASON,
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


OF_GROUP: Final[Mapping[str, Measure]] = {
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
    "by_difficulty": Measure(
        Run.by_difficulty,
        _strata_columns,
        "By difficulty",
        lambda frame: frame["place"].nunique() > 1,
        _strata_notes,
    ),
    "stability": Measure(Run.stability, _stability_columns, "Spread over repetitions"),
}
"""The tables that each comparison group has, in their order."""

OF_RUN: Final[Mapping[str, Measure]] = {
    "pooled": Measure(
        lambda run: ranks(run.pooled()),
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

MEASURES: Final[Mapping[str, Measure]] = {**OF_GROUP, **OF_RUN}

BRIEF: Final = ("summary",)
ALL: Final = tuple(MEASURES)
