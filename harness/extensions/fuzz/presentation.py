"""What fuzzing and replays show: lines for people, documents for programs."""

from collections.abc import Iterator

from rich.console import Console

from harness.base.text import number_of, shortened
from harness.cli.progress import StatusLine
from harness.cli.terminal import notice, wrapped
from harness.extensions.fuzz.findings import FuzzFinding
from harness.extensions.fuzz.fuzz import FuzzObserver, FuzzReport, SavedFault
from harness.extensions.fuzz.saved import ReplayResult, shown_spec
from harness.puzzles import Shape
from harness.records import Task
from harness.report import Annotation, CaseOutcome, JUnitCase, backend_name, span


def lines(report: FuzzReport) -> Iterator[str]:
    """What a stream has run and found, in lines of at most 80 columns where texts allow."""
    ran = (
        f"{number_of(report.trials, 'trial')} on {number_of(report.puzzles, 'puzzle')} "
        f"in {span(report.seconds)}, {number_of(report.laws, 'law')} checked"
    )
    if report.faults:
        yield f"{number_of(len(report.faults), 'fault')}: {ran}"
    elif not report.trials:
        yield f"nothing compared: {ran}"
    elif report.interrupted:
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
    for name, backend in sorted(report.backends.items()):
        if not backend.trials:
            continue
        failures = {v: n for v, n in backend.verdicts.items() if not v.answered}
        numbers = ", ".join(f"{n:,} {v.replace('_', ' ')}" for v, n in sorted(failures.items()))
        specs = number_of(len(backend.configurations), "configuration")
        trials = number_of(backend.trials, "trial")
        other = f"; {numbers}" if numbers else ""
        answers = backend.trials - sum(failures.values())
        # 900 trials miss a fault in 1 of 300 answers with a probability of 5 %: the rule of three
        # (Hanley and Lippman-Hand, "If nothing goes wrong, is everything all right?", 1983).
        if answers < 900:
            other += f"; few: a fault in 1 of {max(1, answers // 3):,} answers may escape"
        yield wrapped(
            f"{shortened(backend_name(name), 30)}: {trials} in {specs}{other}", 2, first=0
        )
        for verdict, call in sorted(backend.unanswered.items()):
            question = _question(call.task, call.limit, Shape.parse(call.shape))
            yield wrapped(
                f"first {verdict.replace('_', ' ')}: {call.backend}, {question}", indent=2
            )
            yield f"    {call.puzzles[0]}"
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


def _question(task: Task, limit: int | None, shape: Shape) -> str:
    """``count to 12 on 4x4``."""
    return f"{task}{f' to {limit:,}' if limit else ''} on {shape}"


def fault_lines(fault: SavedFault) -> Iterator[str]:
    """A fault: the case, the right number of solutions, its evidence, and how to repeat it."""
    last, puzzle = fault.case.last, fault.case.last.puzzles[-1]
    spec = shown_spec(fault.case.spec)
    head = "UNDECIDED" if fault.undecided else "FAULT"
    yield wrapped(
        f"{head} {spec}, {_question(last.task, last.limit, last.shape)}: {fault.answer}", indent=0
    )
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
        trials = number_of(report.trials, "trial")
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
    if report.interrupted or is_short:
        reason = "too few puzzles were compared" if is_short else "the stream was interrupted"
        yield JUnitCase("fuzz", "finished", CaseOutcome.FAILURE, reason)


def annotation_of(fault: SavedFault) -> Annotation:
    """A fault as an annotation."""
    return Annotation(f"Fault of {backend_name(fault.name)}", "\n".join(fault_lines(fault)))
