"""What fuzzing and replays show: lines for people, documents for programs."""

import shlex
from collections.abc import Iterator, Sequence
from typing import Final

from msgspec.structs import asdict
from rich.console import Console

from harness.base.text import number_of, shortened
from harness.cli.ci import path_in_repository
from harness.cli.progress import StatusLine
from harness.cli.terminal import notice, wrapped
from harness.extensions.fuzz.calls import Call
from harness.extensions.fuzz.documents import (
    CallData,
    Covered,
    FaultData,
    Fuzzed,
    FuzzedBackend,
    ReplayData,
    Replays,
    UnansweredData,
)
from harness.extensions.fuzz.findings import FaultKind, FuzzFinding
from harness.extensions.fuzz.fuzz import (
    FuzzObserver,
    FuzzReport,
    SavedFault,
    Unanswered,
)
from harness.extensions.fuzz.saved import Replayed, ReplayResult, shown_spec
from harness.records.question import Verdict
from harness.records.run_files import solve_command
from harness.report.ci import Annotation, CaseOutcome, JUnitCase
from harness.report.formatting import backend_name, span

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
        shown = ", ".join(f"{n:,} {v.replace('_', ' ')}" for v, n in sorted(failures.items()))
        specs = number_of(len(report.configurations[name]), "configuration")
        trials = number_of(verdicts.total(), "trial")
        other = f"; {shown}" if shown else ""
        answers = verdicts.total() - sum(failures.values())
        if answers < _FEW_TRIALS:
            other += f"; few: a fault in 1 of {max(1, answers // 3):,} answers may escape"
        yield wrapped(
            f"{shortened(backend_name(name), 30)}: {trials} in {specs}{other}", 2, first=0
        )
        for (of, verdict), unanswered in sorted(report.unanswered.items()):
            if of == name:
                yield from _unanswered_lines(verdict, unanswered)
    for name in report.without_answer:
        yield f"no answer: {shortened(backend_name(name), 60)}"
    covered = report.covered
    if covered.shapes:
        sizes = sorted({shape.size for shape in covered.shapes})
        shapes = f"{number_of(len(covered.shapes), 'shape')} (size {sizes[0]} to {sizes[-1]})"
        kinds = f"{number_of(len(covered.kinds), 'kind')} of constraints"
        hard = number_of(covered.hard, "hard puzzle")
        text = f"covered: {shapes}, {kinds}, {hard}, guesses needed: {covered.guesses:,} at most"
        yield wrapped(text, 2, first=0)


def _unanswered_lines(verdict: Verdict, unanswered: Unanswered) -> Iterator[str]:
    call = unanswered.call
    what = f"first {verdict.replace('_', ' ')}: {shown_spec(unanswered.spec)}, {_question(call)}"
    yield wrapped(what, indent=2)
    yield f"    {call.puzzles[0].line}"


def _question(call: Call) -> str:
    """``count to 12 on 4x4``."""
    limit = f" to {call.limit:,}" if call.limit else ""
    return f"{call.task}{limit} on {call.shape}"


def fault_lines(fault: SavedFault) -> Iterator[str]:
    """A fault: the case, the right number of solutions, its evidence, and how to repeat it."""
    found = fault.confirmed
    last, puzzle = found.case.last, found.case.last.puzzles[-1]
    spec = shown_spec(found.case.spec)
    head = "UNDECIDED" if found.is_undecided else "FAULT"
    yield wrapped(f"{head} {spec}, {_question(last)}: {found.answer}", indent=0)
    if found.law:
        yield wrapped(f"law: {found.law}", indent=2)
    yield f"  puzzle: {puzzle.line}"
    right = f"right: {found.judgement}"
    yield wrapped(f"{right}; evidence: {found.judgement.evidence}", indent=2)
    calls = len(found.case.calls) - 1
    if calls or len(last.puzzles) > 1:
        rows = f"a batch of {len(last.puzzles)}" if len(last.puzzles) > 1 else ""
        before = f"after {number_of(calls, 'other call')}" if calls else ""
        yield f"  {' '.join(filter(None, [rows, before]))}"
    if not found.wrong:
        again = f"right in {number_of(found.repetitions, 'repetition')}"
        yield wrapped(f"{again}; it may depend on chance or on earlier calls", indent=2)
    elif found.repetitions > 1:
        yield f"  wrong in {found.wrong:,} of {number_of(found.repetitions, 'repetition')}"
    if found.case.hash_seed:
        yield f"  with PYTHONHASHSEED={found.case.hash_seed}"
    if found.needed_houses is not None:
        houses = ", ".join(map(str, found.needed_houses)) or "one house, whichever it is"
        yield wrapped(f"needs only {houses}", indent=2)
    original = found.original.puzzles[0]
    yield wrapped(
        f"found after {span(fault.after_s)} and {number_of(fault.after_trials, 'trial')} on "
        f"{original.shape} with {number_of(original.clues, 'clue')}; the "
        f"case has {number_of(puzzle.clues, 'clue')}",
        indent=2,
    )
    if not found.is_repeated:
        yield "  not repeated, because the stream was interrupted or its time ended"
    elif not found.is_shrunk:
        yield "  the time for shrinking ended; a smaller case may exist"
    if fault.path is None:
        yield wrapped(f"not saved: {fault.failure}", indent=2)
    else:
        yield f"  saved: {fault.path}"
    if command := _command(fault):
        yield f"  again: {command}"


_SHOWN_BY_REPLAY: Final = (FaultKind.EXACT_AT_LIMIT, FaultKind.GAVE_UP)
"""Faults that the answer of ``harness solve`` and ``harness count`` does not show."""


def _command(fault: SavedFault) -> str | None:
    """The command that repeats a fault.

    None if it does not show again, or if only its file, which is missing, can show it.
    """
    found = fault.confirmed
    if not found.wrong:
        return None
    always_shows = found.repetitions == 1 and not found.case.hash_seed
    if not (found.case.is_single and always_shows and found.fault not in _SHOWN_BY_REPLAY):
        path = fault.path
        return None if path is None else f"harness fuzz replay {shlex.quote(str(path))}"
    last = found.case.last
    return solve_command(
        last.task,
        last.puzzles[0].line,
        last.shape.definition,
        [shown_spec(found.case.spec)],
        limit=last.limit or None,
    )


def replay_line(result: ReplayResult) -> str:
    """The result of a replay in a line."""
    name = result.replayable.path.name
    often = ""
    if result.repetitions > 1:
        number = result.wrong or result.repetitions
        often = f" in {number:,} of {number_of(result.repetitions, 'repetition')}"
    answer = f": {result.answer}" if result.answer else ""
    return f"{name}, {shown_spec(result.spec)}: {result.result}{often}{answer}"


def data_of(report: FuzzReport) -> Fuzzed:
    """The document of a finished stream."""
    return Fuzzed(
        backends={
            name: FuzzedBackend(
                trials=verdicts.total(),
                verdicts={str(v): n for v, n in sorted(verdicts.items())},
                configurations=sorted(report.configurations[name]),
                unanswered={
                    str(verdict): _unanswered_data(unanswered)
                    for (of, verdict), unanswered in sorted(report.unanswered.items())
                    if of == name
                },
            )
            for name, verdicts in sorted(report.trials.items())
        },
        unavailable=report.unavailable,
        trials=report.number_of_trials,
        puzzles=report.puzzles,
        laws=report.laws,
        seconds=report.seconds,
        faults=[_fault_data(fault) for fault in report.faults],
        covered=Covered(
            shapes=sorted(shape.spec for shape in report.covered.shapes),
            constraints=sorted(report.covered.kinds),
            hard=report.covered.hard,
            guesses=report.covered.guesses,
        ),
        stopped=report.stopped,
        without_answer=report.without_answer,
        interrupted=report.interruption is not None,
    )


def _fault_data(fault: SavedFault) -> FaultData:
    found = fault.confirmed
    houses = found.needed_houses
    return FaultData(
        backend=shown_spec(found.case.spec),
        fault=found.fault,
        law=found.law,
        answer=found.answer,
        solutions=str(found.judgement),
        evidence=found.judgement.evidence,
        undecided=found.is_undecided,
        calls=[_call_data(call) for call in found.case.calls],
        hash_seed=found.case.hash_seed,
        wrong=found.wrong,
        repetitions=found.repetitions,
        needed_houses=None if houses is None else [str(house) for house in houses],
        repeated=found.is_repeated,
        shrunk=found.is_shrunk,
        after_trials=fault.after_trials,
        after_s=fault.after_s,
        file=None if fault.path is None else str(fault.path),
        failure=fault.failure,
        command=_command(fault),
    )


def _unanswered_data(unanswered: Unanswered) -> UnansweredData:
    call = asdict(_call_data(unanswered.call))
    return UnansweredData(backend=shown_spec(unanswered.spec), **call)


def _call_data(call: Call) -> CallData:
    return CallData(
        task=call.task,
        limit=call.limit or None,
        start=call.start,
        shape=call.shape.definition,
        puzzles=[puzzle.line for puzzle in call.puzzles],
    )


def replays_of(results: Sequence[ReplayResult]) -> Replays:
    """The document of some replays."""
    replays = [
        ReplayData(
            file=str(result.replayable.path),
            backend=shown_spec(result.spec),
            result=result.result,
            answer=result.answer,
            wrong=result.wrong,
            repetitions=result.repetitions,
        )
        for result in results
    ]
    return Replays(
        replays=replays, right=all(result.result is Replayed.RIGHT for result in results)
    )


class FuzzProgress(StatusLine, FuzzObserver):
    """A status line on a terminal, and a notice of each fault."""

    def __init__(self, console: Console) -> None:
        super().__init__(console, "starting")

    def preparing(self, what: str) -> None:
        """Print the notice."""
        notice(what)

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
        notice(f"{fault.backend}: {fault.path or fault.failure}")


# What fuzzing reports for continuous integration.


def cases_of(report: FuzzReport) -> Iterator[JUnitCase]:
    """A test case for each fault, and one for the answers of each backend."""
    for fault in report.faults:
        first, *more = fault_lines(fault)
        yield JUnitCase(fault.backend, first, CaseOutcome.FAILURE, more[0].strip(), "\n".join(more))
    for name in report.backends:
        has_none = name in report.without_answer
        outcome = CaseOutcome.FAILURE if has_none else CaseOutcome.PASSED
        yield JUnitCase(name, "answers", outcome, "no answer to any question" if has_none else "")
    is_short = report.puzzles < report.least_puzzles
    if report.interruption is not None or is_short:
        reason = "there were few puzzles" if is_short else "the stream was interrupted"
        yield JUnitCase("fuzz", "finished", CaseOutcome.FAILURE, reason)


def annotation_of(fault: SavedFault) -> Annotation:
    """The fault, at the file of its case."""
    first, *more = fault_lines(fault)
    file = "" if fault.path is None else path_in_repository(fault.path)
    return Annotation(f"Fault of {backend_name(fault.backend)}", "\n".join([first, *more]), file)
