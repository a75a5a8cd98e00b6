"""What fuzzing and replays show: lines for people, documents for programs."""

from collections.abc import Iterator
from typing import Final

from msgspec.structs import asdict
from rich.console import Console

from harness.base.text import number_of, shortened
from harness.cli.progress import StatusLine
from harness.cli.terminal import notice, wrapped
from harness.extensions.fuzz.calls import Call
from harness.extensions.fuzz.findings import FuzzFinding
from harness.extensions.fuzz.fuzz import (
    Coverage,
    FuzzObserver,
    FuzzReport,
    SavedFault,
    Unanswered,
)
from harness.extensions.fuzz.saved import ReplayResult, SavedCall, saved_call, shown_spec
from harness.records import Verdict
from harness.report import Annotation, CaseOutcome, Document, JUnitCase, backend_name, span

_FEW_TRIALS: Final = 900
"""Trials by which a fault in 1 of 300 answers escapes with a probability of 5 %: the rule of three
(Hanley and Lippman-Hand, "If nothing goes wrong, is everything all right?", 1983)."""


def lines(report: FuzzReport) -> Iterator[str]:
    """What a stream has run and found, in lines of at most 80 columns where texts allow."""
    ran = (
        f"{number_of(report.number_of_trials, 'trial')} on {number_of(report.puzzles, 'puzzle')} "
        f"in {span(report.seconds)}, {number_of(report.laws, 'law')} checked"
    )
    if report.faults:
        yield f"{number_of(len(report.faults), 'fault')}: {ran}"
    elif not report.number_of_trials:
        yield f"nothing compared: {ran}"
    elif report.interruption is not None:
        yield f"no fault before the interruption: {ran}"
    elif report.without_answer:
        yield f"no fault, but not every backend has answered: {ran}"
    elif report.puzzles < report.least_puzzles:
        yield f"no fault, but fewer than {report.least_puzzles} puzzles in the time: {ran}"
    else:
        yield f"no fault: {ran}"

    for name, reason in report.unavailable.items():
        yield wrapped(f"left out: {name} is not available: {reason}", indent=0)
    for fault in report.faults:
        yield from fault_lines(fault)
    for name in report.stopped:
        yield wrapped(f"{backend_name(name)} got no further trials after its faults", indent=0)
    for name, verdicts in sorted(report.trials.items()):
        failures = {v: n for v, n in verdicts.items() if not v.answered}
        numbers = ", ".join(f"{n:,} {v.replace('_', ' ')}" for v, n in sorted(failures.items()))
        specs = number_of(len(report.configurations[name]), "configuration")
        trials = number_of(verdicts.total(), "trial")
        other = f"; {numbers}" if numbers else ""
        answers = verdicts.total() - sum(failures.values())
        if answers < _FEW_TRIALS:
            other += f"; few: a fault in 1 of {max(1, answers // 3):,} answers may escape"
        yield wrapped(
            f"{shortened(backend_name(name), 30)}: {trials} in {specs}{other}", 2, first=0
        )
        for (backend, verdict), first_call in sorted(report.unanswered.items()):
            if backend == name:
                yield from _unanswered_lines(verdict, first_call)
    for name in report.without_answer:
        yield f"no answer: {shortened(backend_name(name), 60)}"
    coverage = report.covered
    if coverage.shapes:
        sizes = sorted({shape.size for shape in coverage.shapes})
        shapes = f"{number_of(len(coverage.shapes), 'shape')} (size {sizes[0]} to {sizes[-1]})"
        kinds = f"{number_of(len(coverage.constraints), 'kind')} of constraints"
        hard = number_of(coverage.hard, "hard puzzle")
        text = f"covered: {shapes}, {kinds}, {hard}, guesses needed: {coverage.guesses:,} at most"
        yield wrapped(text, 2, first=0)


def _unanswered_lines(verdict: Verdict, first_call: Unanswered) -> Iterator[str]:
    call = first_call.call
    line = f"first {verdict.replace('_', ' ')}: {shown_spec(first_call.spec)}, {_question(call)}"
    yield wrapped(line, indent=2)
    yield f"    {call.puzzles[0].line}"


def _question(call: Call) -> str:
    """``count to 12 on 4x4``."""
    limit = f" to {call.limit:,}" if call.limit else ""
    return f"{call.task}{limit} on {call.shape}"


def fault_lines(fault: SavedFault) -> Iterator[str]:
    """A fault: the case, the right number of solutions, its evidence, and how to repeat it."""
    last, puzzle = fault.case.last, fault.case.last.puzzles[-1]
    spec = shown_spec(fault.case.spec)
    head = "UNDECIDED" if fault.undecided else "FAULT"
    yield wrapped(f"{head} {spec}, {_question(last)}: {fault.answer}", indent=0)
    if fault.law:
        yield wrapped(f"law: {fault.law}", indent=2)
    yield f"  puzzle: {puzzle.line}"
    right = f"right: {fault.judgement}"
    yield wrapped(f"{right}; evidence: {fault.judgement.evidence}", indent=2)
    calls = len(fault.case.calls) - 1
    if calls or len(last.puzzles) > 1:
        rows = f"a batch of {len(last.puzzles)}" if len(last.puzzles) > 1 else ""
        before = f"after {number_of(calls, 'other call')}" if calls else ""
        yield f"  {' '.join(filter(None, [rows, before]))}"
    if not fault.wrong:
        again = f"right in {number_of(fault.repetitions, 'repetition')}"
        yield wrapped(f"{again}; it may depend on chance or on earlier calls", indent=2)
    elif fault.repetitions > 1:
        yield f"  wrong in {fault.wrong:,} of {number_of(fault.repetitions, 'repetition')}"
    if fault.case.hash_seed:
        yield f"  with PYTHONHASHSEED={fault.case.hash_seed}"
    if fault.needed_houses is not None:
        houses = ", ".join(map(str, fault.needed_houses)) or "one house, whichever it is"
        yield wrapped(f"needs only {houses}", indent=2)
    original = fault.original.puzzles[0]
    yield wrapped(
        f"found after {span(fault.after_s)} and {number_of(fault.after_trials, 'trial')} on "
        f"{original.shape} with {number_of(original.clues, 'clue')}; the "
        f"case has {number_of(puzzle.clues, 'clue')}",
        indent=2,
    )
    if not fault.repeated:
        yield "  not repeated, because the stream was interrupted or its time ended"
    elif not fault.shrunk:
        yield "  the time for shrinking ended; a smaller case may exist"
    if fault.file is None:
        yield wrapped(f"not saved: {fault.failure}", indent=2)
    else:
        yield f"  saved: {fault.file}"
    if command := fault.command:
        yield f"  again: {command}"


def replay_line(result: ReplayResult) -> str:
    """The result of a replay in a line."""
    name = result.file.name
    often = ""
    if result.repetitions > 1:
        number = result.wrong or result.repetitions
        often = f" in {number:,} of {number_of(result.repetitions, 'repetition')}"
    answer = f": {result.answer}" if result.answer else ""
    return f"{name}, {result.backend}: {result.result}{often}{answer}"


class UnansweredCall(SavedCall, frozen=True, kw_only=True):
    """A call that ended at a limit."""

    backend: str
    """Spec of the configuration."""


class FuzzedBackend(Document):
    """The trials of one backend in a stream of random puzzles."""

    trials: int
    """Finished trials, with all options."""
    verdicts: dict[str, int]
    """Number of trials of each verdict."""
    configurations: list[str]
    """The specs that ran, with varied options."""
    unanswered: dict[str, UnansweredCall]
    """The first `timeout` and the first `out_of_memory` on the smallest shape."""


class Fuzzed(Document):
    """The comparison of backends on random puzzles."""

    backends: dict[str, FuzzedBackend]
    """The backends that were compared."""
    unavailable: dict[str, str]
    """Backends left out, with the reason."""
    trials: int
    """Finished trials."""
    puzzles: int
    """Puzzles of the stream."""
    laws: int
    """Laws between puzzles that were checked."""
    seconds: float
    """Seconds in all, with those for opening backends and for shrinking."""
    covered: Coverage
    """What the examined backends answered."""
    faults: list[SavedFault]
    """The faults, in the order in which they were found."""
    stopped: list[str]
    """Backends without further trials because of faults."""
    without_answer: list[str]
    """Backends without a single right answer."""
    interrupted: bool
    """Whether Ctrl-C ended the stream."""


def data_of(report: FuzzReport) -> Fuzzed:
    """The document of a finished stream."""
    return Fuzzed(
        backends={
            name: FuzzedBackend(
                trials=verdicts.total(),
                verdicts={str(v): n for v, n in sorted(verdicts.items())},
                configurations=sorted(report.configurations[name]),
                unanswered={
                    str(verdict): UnansweredCall(
                        backend=shown_spec(first_call.spec), **asdict(saved_call(first_call.call))
                    )
                    for (backend, verdict), first_call in sorted(report.unanswered.items())
                    if backend == name
                },
            )
            for name, verdicts in sorted(report.trials.items())
        },
        unavailable=report.unavailable,
        trials=report.number_of_trials,
        puzzles=report.puzzles,
        laws=report.laws,
        seconds=report.seconds,
        faults=report.faults,
        covered=report.covered,
        stopped=report.stopped,
        without_answer=report.without_answer,
        interrupted=report.interruption is not None,
    )


class FuzzProgress(StatusLine, FuzzObserver):
    """A status line on a terminal, and a notice of each fault."""

    def __init__(self, console: Console) -> None:
        super().__init__(console, "starting")

    def preparing(self, work: str) -> None:
        """Print the notice."""
        notice(work)

    def left_out(self, backend: str, reason: str) -> None:
        """Print the reason."""
        notice(f"left out: {backend} is not available: {reason}")

    def fuzzed(self, report: FuzzReport) -> None:
        """Update the numbers."""
        trials = number_of(report.number_of_trials, "trial")
        faults = f", {number_of(len(report.faults), 'fault')}" if report.faults else ""
        self.say(f"{span(report.seconds)}, {trials}{faults}", at_once=False)

    def shrinks(self, finding: FuzzFinding) -> None:
        """Show which backend is examined."""
        self.say(f"shrinking a case of {shortened(finding.records[0].trial.spec, 40)}")

    def found(self, fault: SavedFault) -> None:
        """Print the backend and the file of its case."""
        notice(f"{fault.name}: {fault.file or fault.failure}")


# What fuzzing reports for continuous integration.


def cases_of(report: FuzzReport) -> Iterator[JUnitCase]:
    """A test case for each fault, and one for the answers of each backend."""
    for fault in report.faults:
        first, *more = fault_lines(fault)
        yield JUnitCase(fault.name, first, CaseOutcome.FAILURE, more[0].strip(), "\n".join(more))
    for name in report.backends:
        has_none = name in report.without_answer
        outcome = CaseOutcome.FAILURE if has_none else CaseOutcome.PASSED
        yield JUnitCase(name, "answers", outcome, "no answer to any question" if has_none else "")
    is_short = report.puzzles < report.least_puzzles
    if report.interruption is not None or is_short:
        reason = "there were few puzzles" if is_short else "the stream was interrupted"
        yield JUnitCase("fuzz", "finished", CaseOutcome.FAILURE, reason)


def annotation_of(fault: SavedFault) -> Annotation:
    """The fault."""
    first, *more = fault_lines(fault)
    return Annotation(f"Fault of {backend_name(fault.name)}", "\n".join([first, *more]))
