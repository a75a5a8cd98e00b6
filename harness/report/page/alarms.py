"""What is wrong or unreliable in a run: what a reader must know before any figure."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import pandas as pd

from harness.analysis.agreement import Disagreement
from harness.analysis.run import Run
from harness.analysis.stability import UNSTABLE
from harness.records import system_checks
from harness.records.verdict import Verdict
from harness.report.formatting import number_of, printable, shortened, shown_backend

STALLED: Final = 1.1
"""Wall time over CPU time from which on somebody else had a part in a trial's time."""
_LEAST_WALL: Final = 0.005
"""Seconds; below it the clock of CPU time is too coarse for a ratio."""
TOLD: Final = 20
"""Details of an alarm; the tables have all."""
_FEW: Final = 4
"""So many backends have an alarm of a kind each; more of them have one together."""
_CALLS: Final = 5


@dataclass(frozen=True, slots=True)
class Alarm:
    """Something wrong or unreliable, in one line, with what shows it."""

    line: str
    wrong: bool = False
    """Whether an answer is wrong, not only a time unreliable."""
    details: tuple[str, ...] = ()
    verdict: str = ""
    """The verdict of the trials to look at; empty where there are none."""
    backend: str = ""


def alarms(run: Run) -> list[Alarm]:
    """Everything wrong or unreliable, the worst first: answers, then crashes, then times."""
    return [*_disagreements(run.agreement().disagreements), *_failures(run), *spoilers(run)]


def spoilers(run: Run) -> list[Alarm]:
    """What makes the times of a run unreliable."""
    return [
        *_together(
            f"repeated times of {{}} backends differ by {UNSTABLE:.0%} or more on some puzzles",
            list(_unstable(run.stability())),
        ),
        *_together(
            "{} backends took longer than their CPU time: something else had the core, "
            "or they waited",
            list(_stalled(run.trials)),
        ),
        *_machine(run.invocations),
    ]


def _disagreements(found: Sequence[Disagreement]) -> Iterator[Alarm]:
    if not found:
        return
    details = []
    for one in found[:TOLD]:
        claims = "; ".join(
            f"{', '.join(map(shown_backend, names))}: {shortened(claim, 200)}"
            for claim, names in one.claims.items()
        )
        place = f"{shortened(one.dataset)}/{shortened(one.name)}"
        details.append(f"{place}, {one.task}: {claims} | again: {one.command}")
    if len(found) > TOLD:
        details.append(f"... and {number_of(len(found) - TOLD, 'more disagreement')}")
    yield Alarm(
        f"{number_of(len(found), 'question')} with a wrong answer or a disagreement",
        wrong=True,
        details=tuple(details),
    )


def _failures(run: Run) -> Iterator[Alarm]:
    table = run.summary()
    for verdict, told in (
        (Verdict.WRONG, "wrong answers"),
        (Verdict.CRASHED, "crashes"),
        (Verdict.OUT_OF_MEMORY, "trials out of memory"),
    ):
        numbers = table.groupby("backend", sort=True)[[str(verdict), "trials"]].sum()
        for backend, (number, trials) in zip(
            numbers.index, numbers.itertuples(index=False, name=None), strict=True
        ):
            if number:
                yield Alarm(
                    f"{shown_backend(str(backend))}: {told} in {number:,} of {trials:,} trials",
                    wrong=verdict is Verdict.WRONG,
                    verdict=str(verdict),
                    backend=str(backend),
                )


def _together(line: str, alarms: list[Alarm]) -> list[Alarm]:
    """Alarms of one kind as they are, or as one with `line` where there are more than a few."""
    if len(alarms) <= _FEW:
        return alarms
    return [Alarm(line.format(len(alarms)), details=tuple(alarm.line for alarm in alarms))]


def _unstable(stability: pd.DataFrame) -> Iterator[Alarm]:
    for backend, rows in stability.groupby("backend"):
        unstable, results = int(rows["unstable"].sum()), int(rows["results"].sum())
        if unstable:
            yield Alarm(
                f"{shown_backend(str(backend))}: repeated times of {unstable:,} of {results:,} "
                f"puzzles differ by {UNSTABLE:.0%} or more"
            )


def _stalled(trials: pd.DataFrame) -> Iterator[Alarm]:
    """Trials of one thread that waited: their wall time is well above their CPU time."""
    known = trials[(trials["cpu_source"] == "rusage") & (trials["wall_s"] >= _LEAST_WALL)]
    # What uses more CPU time than there was wall time has several threads.
    single = known[(known["cpu_s"] > 0) & (known["cpu_s"] <= known["wall_s"])]
    stalled = single["wall_s"] > STALLED * single["cpu_s"]
    for backend, flags in stalled.groupby(single["backend"], sort=True):
        if flags.any():
            yield Alarm(
                f"{shown_backend(str(backend))}: wall time is more than {STALLED:g} times the CPU "
                f"time in {int(flags.sum()):,} of {number_of(len(flags), 'trial')} of one thread "
                f"and {_LEAST_WALL * 1e3:g} ms or more: something else had the core, or it waited"
            )


def _machine(invocations: Sequence[Mapping[str, Any]]) -> Iterator[Alarm]:
    """What `harness doctor` would have said of the machine when each call of the run began."""
    told: dict[str, list[str]] = {}
    for call in invocations:
        for finding in system_checks.findings(call):
            if finding.good is False:
                told.setdefault(finding.subject, []).append(finding.found)
    for subject, found in told.items():
        each = "; ".join(printable(shortened(text, 200)) for text in dict.fromkeys(found[:_CALLS]))
        some = (
            ""
            if len(found) == len(invocations)
            else f" (in {len(found)} of {len(invocations)} calls)"
        )
        yield Alarm(f"the machine: {subject}: {each}{some}")
