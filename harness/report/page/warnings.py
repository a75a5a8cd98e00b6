"""Warnings of a run: wrong answers, failures and unreliable timings."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

import pandas as pd

from harness.analysis.disagreement import Disagreement
from harness.analysis.run import Run
from harness.analysis.stability import UNSTABLE
from harness.analysis.times import TIME
from harness.records.environment import Invocation
from harness.records.time_kind import TimeKind
from harness.records.verdict import Verdict
from harness.report.formatting import number_of, printable, shortened, shown_backend
from harness.report.page.failed_checks import failed_checks
from harness.report.table import is_missing
from harness.report.tables.agreement import claim_lines, instance_name

WAITING_RATIO: Final = 1.1
"""The ratio of wall time to CPU time above which a trial counts as waiting."""
_SHORTEST_S: Final = 0.005
"""Shorter trials are not checked for waiting: the CPU clock is too coarse for a ratio."""
DETAILS: Final = 20
"""The most details of a warning; the tables have all of them."""
_SEPARATE: Final = 4
"""The most warnings of a kind that are listed for each backend; more are combined into one."""
_UNSTABLE: Final = f"{100 * UNSTABLE:g} %"
_DISTINCT_FINDINGS: Final = 5
"""The most findings of a system check that a warning quotes."""


class WarningKind(StrEnum):
    """The subject of a warning."""

    UNFINISHED = "unfinished"
    PARTIAL = "partial"
    DISAGREEMENT = "disagreement"
    FAILURE = "failure"
    INCIDENT = "incident"
    UNSTABLE = "unstable"
    WAITING = "waiting"
    SYSTEM_CHECK = "system-check"
    SLOWER = "slower"
    UNRELIABLE_TIMINGS = "unreliable-timings"


@dataclass(frozen=True, slots=True, kw_only=True)
class RunWarning:
    """A warning about a run, in one line with details."""

    kind: WarningKind
    message: str
    is_wrong: bool = False
    """Whether an answer is wrong, rather than a result missing or a time unreliable."""
    details: tuple[str, ...] = ()
    verdict: str = ""
    """The verdict of the affected trials; empty for a warning without trials."""
    backend: str = ""
    """The label of the affected backend; empty for a warning about several."""
    count: int = 0
    """The number of affected trials, instances, questions or invocations."""


def warnings_of(run: Run) -> list[RunWarning]:
    """Every warning of a run: missing trials, then wrong answers, failures, unreliable timings."""
    return [
        *_unfinished(run),
        *_disagreements(run.agreement().disagreements),
        *_failures(run),
        *_incidents(run),
        *unreliable_timings(run),
    ]


def _unfinished(run: Run) -> Iterator[RunWarning]:
    progress = run.progress
    if progress.headline:
        rows = progress.configurations.to_dict("records")
        lacking = [row for row in rows if not is_missing(row["missing"]) and row["missing"] > 0]
        yield RunWarning(
            kind=WarningKind.UNFINISHED,
            message=progress.headline,
            details=tuple(
                f"{shown_backend(str(row['backend']))}: {row['done']:,} of "
                f"{number_of(int(row['planned']), 'trial')}"
                for row in lacking
            ),
            count=progress.missing,
        )


def unreliable_timings(run: Run) -> list[RunWarning]:
    """Everything that makes the times of a run unreliable."""
    return [
        *_combined(
            f"{{}} backends: times of some results differ by {_UNSTABLE} or more between "
            "repetitions",
            list(_unstable(run.stability())),
        ),
        *_combined(
            "{} backends: wall time exceeds CPU time; the processes waited or shared their core",
            list(_waiting(run.trials)),
        ),
        *_failed_checks(run.invocations),
    ]


def _disagreements(disagreements: Sequence[Disagreement]) -> Iterator[RunWarning]:
    if not disagreements:
        return
    details = []
    for disagreement in disagreements[:DETAILS]:
        claims = "; ".join(shortened(line, 200) for line in claim_lines(disagreement))
        again = " ; ".join(disagreement.commands)
        details.append(f"{instance_name(disagreement)}: {claims} | reproduce: {again}")
    if len(disagreements) > DETAILS:
        details.append(f"... and {number_of(len(disagreements) - DETAILS, 'more disagreement')}")
    yield RunWarning(
        kind=WarningKind.DISAGREEMENT,
        message=f"wrong or conflicting answers on {number_of(len(disagreements), 'puzzle')}",
        is_wrong=True,
        details=tuple(details),
        count=len(disagreements),
    )


def _failures(run: Run) -> Iterator[RunWarning]:
    table = run.summary()
    for verdict, noun in (
        (Verdict.WRONG, "wrong answer"),
        (Verdict.CRASHED, "crash"),
        (Verdict.OUT_OF_MEMORY, "out of memory"),
    ):
        numbers = table.groupby("backend", sort=True)[[str(verdict), "trials"]].sum()
        for backend, (number, trials) in zip(
            numbers.index, numbers.itertuples(index=False, name=None), strict=True
        ):
            if number:
                name = shown_backend(str(backend))
                yield RunWarning(
                    kind=WarningKind.FAILURE,
                    message=f"{name}: {noun} in {number:,} of {number_of(trials, 'trial')}",
                    is_wrong=verdict is Verdict.WRONG,
                    verdict=str(verdict),
                    backend=str(backend),
                    count=int(number),
                )


def _incidents(run: Run) -> Iterator[RunWarning]:
    """What happened beside the trials, such as processes that a backend left running."""
    for row in run.incidents().to_dict("records"):
        times = f" ({row['incidents']:,} times)" if row["incidents"] > 1 else ""
        yield RunWarning(
            kind=WarningKind.INCIDENT,
            message=f"{shown_backend(row['backend'])}: {printable(row['detail'])}{times}",
            backend=row["backend"],
            count=row["incidents"],
        )


def _combined(message: str, warnings: list[RunWarning]) -> list[RunWarning]:
    """The warnings of one kind, or a single one with `message` if there are more than a few."""
    if len(warnings) <= _SEPARATE:
        return warnings
    return [
        RunWarning(
            kind=warnings[0].kind,
            message=message.format(len(warnings)),
            details=tuple(warning.message for warning in warnings),
            count=sum(warning.count for warning in warnings),
        )
    ]


def _unstable(stability: pd.DataFrame) -> Iterator[RunWarning]:
    for backend, rows in stability.groupby("backend"):
        unstable, repeated = int(rows["unstable"].sum()), int(rows["results"].sum())
        if unstable:
            yield RunWarning(
                kind=WarningKind.UNSTABLE,
                message=f"{shown_backend(str(backend))}: {TimeKind(rows[TIME].iloc[0]).noun}s of "
                f"{unstable:,} of {number_of(repeated, 'result')} differ by {_UNSTABLE} or more "
                "between repetitions",
                backend=str(backend),
                count=unstable,
            )


def _waiting(trials: pd.DataFrame) -> Iterator[RunWarning]:
    """Single-threaded trials whose wall time is well above their CPU time."""
    measured = trials[(trials["cpu_source"] == "rusage") & (trials["wall_s"] >= _SHORTEST_S)]
    # A trial with more CPU time than wall time has several threads.
    single = measured[(measured["cpu_s"] > 0) & (measured["cpu_s"] <= measured["wall_s"])]
    waiting = single["wall_s"] > WAITING_RATIO * single["cpu_s"]
    for backend, flags in waiting.groupby(single["backend"], sort=True):
        if flags.any():
            count = int(flags.sum())
            yield RunWarning(
                kind=WarningKind.WAITING,
                message=f"{shown_backend(str(backend))}: wall time is more than "
                f"{WAITING_RATIO:g} times the CPU time in {count:,} of "
                f"{number_of(len(flags), 'single-threaded trial')} of {_SHORTEST_S * 1e3:g} ms or "
                "more; the process waited or shared its core",
                backend=str(backend),
                count=count,
            )


def _failed_checks(invocations: Sequence[Invocation]) -> Iterator[RunWarning]:
    """The system checks that failed when an invocation of the run began."""
    for subject, findings in failed_checks(invocations).items():
        distinct = list(dict.fromkeys(findings))[:_DISTINCT_FINDINGS]
        quoted = "; ".join(printable(shortened(finding, 200)) for finding in distinct)
        share = (
            ""
            if len(findings) == len(invocations)
            else f" (in {len(findings)} of {len(invocations)} invocations)"
        )
        yield RunWarning(
            kind=WarningKind.SYSTEM_CHECK,
            message=f"system check failed: {subject}: {quoted}{share}",
            count=len(findings),
        )
