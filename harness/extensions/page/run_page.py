"""The page of a run, with its warnings."""

import shlex
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

import pandas as pd

from harness.analysis import UNSTABLE, Disagreement, Run
from harness.analysis.measures import backends_without, number_rows
from harness.base.text import number_of, printable, shortened
from harness.extensions.page.charts import theme
from harness.extensions.page.data import TimeView, run_data, selected_trials
from harness.extensions.page.document import document, run_environment, tables
from harness.records import Verdict
from harness.records.folder import Invocation, SystemCheck
from harness.report import answer, is_missing, shown_backend
from harness.report.tables import (
    progress_sections,
    sections_of_measures,
    unstable_backends,
)
from harness.report.tables.agreement_tables import claim_lines, instance_name

# Warnings of a run: wrong answers, failures and unreliable timings.


WAITING_RATIO: Final = 1.1
"""The ratio of wall time to CPU time above which a trial counts as waiting."""
_SHORTEST_S: Final = 0.005
"""Shorter trials are not checked for waiting: the CPU clock is too coarse for a ratio."""
DETAILS: Final = 20
"""Maximum number of details of a warning; the tables have all of them."""
_DISTINCT_FINDINGS: Final = 5
"""Maximum number of findings of a system check that a warning quotes."""


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
    """The label of the backend of these trials; empty for a warning without trials."""


def warnings_of(run: Run) -> list[RunWarning]:
    """What is missing or wrong in a run: trials, then wrong answers, failures and incidents."""
    return [
        *_progress_warnings(run),
        *_disagreements(run.agreement().disagreements),
        *_failures(run),
        *_incidents(run),
    ]


def _progress_warnings(run: Run) -> Iterator[RunWarning]:
    progress = run.progress
    if progress.headline:
        rows = progress.table.to_dict("records")
        lacking = [row for row in rows if not is_missing(row["missing"]) and row["missing"] > 0]
        yield RunWarning(
            kind=WarningKind.UNFINISHED,
            message=progress.headline,
            details=tuple(
                f"{shown_backend(str(row['backend']))}: {row['done']:,} of "
                f"{number_of(int(row['planned']), 'trial')}"
                for row in lacking
            ),
        )


def unreliable_timings(run: Run) -> list[RunWarning]:
    """What makes the times of a run unreliable, one warning for each cause."""
    return [
        *_unstable(run.stability()),
        *_waiting(run.coded_trials),
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
    )


def _failures(run: Run) -> Iterator[RunWarning]:
    trials = run.coded_trials.groupby("backend", sort=True, observed=True)["verdict"]
    for verdict, noun in (
        (Verdict.WRONG, "wrong answer"),
        (Verdict.CRASHED, "crash"),
        (Verdict.OUT_OF_MEMORY, "out of memory"),
    ):
        for backend, verdicts in trials:
            if number := int((verdicts == verdict).sum()):
                name = shown_backend(str(backend))
                yield RunWarning(
                    kind=WarningKind.FAILURE,
                    message=f"{name}: {noun} in {number:,} of {number_of(len(verdicts), 'trial')}",
                    is_wrong=verdict is Verdict.WRONG,
                    verdict=str(verdict),
                    backend=str(backend),
                )


def _incidents(run: Run) -> Iterator[RunWarning]:
    """What happened besides the trials, such as processes that a backend left running."""
    for row in run.incidents().to_dict("records"):
        times = f" ({row['incidents']:,} times)" if row["incidents"] > 1 else ""
        yield RunWarning(
            kind=WarningKind.INCIDENT,
            message=f"{shown_backend(row['backend'])}: {printable(row['detail'])}{times}",
        )


def _unstable(stability: pd.DataFrame) -> Iterator[RunWarning]:
    if backends := list(unstable_backends(stability)):
        count = sum(unstable for _, _, unstable, _ in backends)
        total = number_of(int(stability["results"].sum()), "repeated result")
        yield RunWarning(
            kind=WarningKind.UNSTABLE,
            message=f"times of {count:,} of {total} differ by {100 * UNSTABLE:g} % "
            "or more between repetitions",
            details=tuple(
                f"{shown_backend(backend)}: {times} of {unstable:,} of {results:,}"
                for backend, times, unstable, results in backends
            ),
        )


def _waiting(trials: pd.DataFrame) -> Iterator[RunWarning]:
    """Single-threaded trials whose wall time is well above their CPU time."""
    times = trials[["backend", "wall_s", "cpu_s"]]
    long_times = times[(trials["cpu_source"] == "rusage") & (trials["wall_s"] >= _SHORTEST_S)]
    # A trial with more CPU time than wall time has several threads.
    single = long_times[(long_times["cpu_s"] > 0) & (long_times["cpu_s"] <= long_times["wall_s"])]
    waiting = single["wall_s"] > WAITING_RATIO * single["cpu_s"]
    if count := int(waiting.sum()):
        numbers = waiting.groupby(single["backend"], sort=True).agg(["sum", "size"])
        yield RunWarning(
            kind=WarningKind.WAITING,
            message=f"{count:,} of {number_of(len(single), 'single-threaded trial')} of "
            f"{_SHORTEST_S * 1e3:g} ms or more waited or shared their core",
            details=tuple(
                f"{shown_backend(str(backend))}: {number:,} of {size:,}"
                for backend, number, size in numbers.itertuples()
                if number
            ),
        )


def _failed_checks(invocations: Sequence[Invocation]) -> Iterator[RunWarning]:
    """The system checks that failed when an invocation of the run began."""
    findings: dict[str, list[str]] = {}
    for invocation in invocations:
        for check in SystemCheck.of_invocation(invocation):
            if check.passed is False:
                findings.setdefault(check.subject, []).append(check.found)
    if not findings:
        return
    details = []
    for subject, texts in findings.items():
        distinct = list(dict.fromkeys(texts))[:_DISTINCT_FINDINGS]
        quotation = "; ".join(printable(shortened(text, 200)) for text in distinct)
        is_part = len(texts) < len(invocations)
        share = f" (in {len(texts)} of {len(invocations)} invocations)" if is_part else ""
        details.append(f"{subject}: {quotation}{share}")
    yield RunWarning(
        kind=WarningKind.SYSTEM_CHECK,
        message=f"system checks failed: {', '.join(findings)}",
        details=tuple(details),
    )


# The page of a run.


def html(run: Run) -> str:
    """Render the report of `run` as the text of an HTML file; see `document`.

    The page has tables and charts of every kind, and all trials up to 20,000 or a
    selection of more. Its size is bounded for a run of any size.
    """
    views, missing_time = _views(run)
    sample, trials_note = selected_trials(run.trials, run.answers)
    command = ["harness", "report", *map(str, (run.folder, *run.others)), "--format", "html"]
    across_machines = bool(run.joint_hosts and not run.shards)
    options = answer.command_options(str(run.time), run.criterion, across_machines=across_machines)
    context = {
        "about": about(run),
        "warnings": warnings_of(run),
        "doubts": unreliable_timings(run),
        "display_names": theme.display_names(run.backends),
        "key_results": tables(views, answer.key_results),
        "missing_time": missing_time,
        "criterion": run.criterion,
        "tables": tables(views, lambda run: [*progress_sections(run), *sections_of_measures(run)]),
        "trials_note": trials_note,
        "environment": run_environment(run),
        "command": shlex.join([*command, *options]),
    }
    return document("run.html.j2", run_data(views, sample), context)


def _views(run: Run) -> tuple[list[TimeView[Run]], str]:
    """The run by its own time and, if all right answers have the other time, by that.

    The text says why a time is missing; it is empty if none is.
    """
    views = [TimeView(str(run.time), run.time.noun, run)]
    other_time = run.time.other
    missing = backends_without(run.trials, other_time)
    if missing:
        number = number_of(sum(missing.values()), "right answer")
        return views, f"{other_time.noun} is not recorded for {number}"
    return [*views, TimeView(str(other_time), other_time.noun, run.timed(other_time))], ""


def about(run: Run) -> dict[str, str]:
    """The size, place and time of the run as text.

    If trials are missing, the size has the number of planned ones too.
    """
    summary = run.summary()
    datasets = summary["dataset"].unique()
    instances = number_rows(run.coded_trials, ["dataset", "puzzle_id"])[1]
    hosts = [shortened(host) or "an unknown machine" for host in run.hosts]
    ends = run.trials["ended_at"].dropna()  # that of the first trial stands for the run
    progress = run.progress
    trials = number_of(len(run.trials), "trial")
    if progress.missing and progress.planned is not None:
        trials = f"{progress.done:,} of {number_of(progress.planned, 'trial')}"
    texts = {
        "trials": trials,
        "backends": number_of(len(run.backends), "backend"),
        "instances": number_of(len(instances), "instance"),
        "datasets": _listing([shortened(str(name), 40) for name in datasets]),
        "tasks": ", ".join(sorted(map(str, summary["task"].unique()))),
        "starts": ", ".join(sorted(map(str, summary["start"].unique()))),
        "machines": _listing(hosts),
        "time": f"{str(ends.min())[:16].replace('T', ' ')} UTC" if len(ends) else "",
    }
    return {name: printable(text) for name, text in texts.items()}


def _listing(names: Sequence[str], most: int = 8) -> str:
    """The first `most` names and the number of further ones."""
    further = len(names) - most
    return ", ".join(names[:most]) + (f" and {further} more" if further > 0 else "")
