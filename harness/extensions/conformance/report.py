"""The report of an examination, as text and as data."""

import shlex
import textwrap
from collections.abc import Iterator, Sequence
from typing import Any, Final

from harness.base.text import number_of
from harness.contract import BackendSpec
from harness.extensions.conformance.clauses import Breach, Clause
from harness.extensions.conformance.examination import Finding
from harness.extensions.conformance.examiner import ExaminationOptions, data_of_finding
from harness.puzzles import Puzzle, values_in
from harness.puzzles.formats import grid_text
from harness.records import Task
from harness.records.folder import solve_command

_MARGIN: Final = 12
_MOST_CELLS: Final = 30
"""The number of cells with pencilmarks that a breach shows."""


def is_kept(findings: Sequence[Finding]) -> bool:
    """Whether all that the backend supports was examined, and no breach was found."""
    of_shapes = [finding for finding in findings if finding.shape] or findings
    is_examined = any(not finding.passed_over for finding in of_shapes)
    return is_examined and not _breaches(findings) and not _remaining(findings)


def _remaining(findings: Sequence[Finding]) -> list[Finding]:
    """The parts that the backend supports and that were not examined with all their questions."""
    return [finding for finding in findings if finding.is_late or finding.left_out]


def lines(
    spec: BackendSpec, findings: Sequence[Finding], options: ExaminationOptions
) -> Iterator[str]:
    """The report, at most 80 columns wide except for commands."""
    parts_examined = [f for f in findings if not f.passed_over]
    breaches = _breaches(findings)
    for clause in dict.fromkeys(breach.clause for breach in breaches):
        yield from _breach(spec, clause, [b for b in breaches if b.clause is clause])
        yield ""
    yield from _not_examined(findings)
    if gave_up := sum(f.gave_up for f in findings):
        yield f"{number_of(gave_up, 'question')} answered with unknown, as the backend declares"
    if series := sum(f.left_out > 0 for f in findings):  # because the backend is slow
        left_out = sum(f.left_out for f in findings)
        total = left_out + sum(f.questions for f in findings)
        text = f"{left_out:,} of {total:,} questions, in {series} series of slow answers"
        yield from _row("left out", text)
    yield from _times(findings)
    if remaining := _remaining(findings):
        yield f"  continue  {_continuation(spec, remaining, options)}"
    summary = f"{len(parts_examined)} of {number_of(len(findings), 'part')} examined"
    if unsupported := sum(f.passed_over.startswith("un") for f in findings):
        summary += f", {unsupported} unsupported"
    if breaches:
        clauses = len({breach.clause for breach in breaches})
        yield f"{summary}: the backend breaks {number_of(clauses, 'clause')} of the contract"
    elif remaining:
        yield f"{summary}: no breach"
        late = sum(f.is_late for f in remaining)
        questions = sum(f.left_out for f in remaining)
        parts = [f"{number_of(late, 'part')} not answered in time"] if late else []
        parts += [f"{number_of(questions, 'question')} left out"] if questions else []
        yield f"not examined: {', '.join(parts)}"
    elif is_kept(findings):
        yield f"{summary}: the backend keeps the contract"
    else:
        yield f"{summary}: no verdict, because no shape was examined"


def _continuation(
    spec: BackendSpec, remaining: Sequence[Finding], options: ExaminationOptions
) -> str:
    """The command that examines what was not examined, with more time."""
    words = ["harness", "backends", "test", spec.label]
    for shape in dict.fromkeys(finding.shape for finding in remaining if finding.shape):
        words += ["--shape", shape]
    only = remaining[0].part if len(remaining) == 1 else options.only
    words += ["--only", only] if only else []
    words += ["--timeout", f"{options.timeout_s * 10:g}"]
    words += ["--memory", str(options.memory_limit_mib)]
    return shlex.join([*words, "--thorough"] if options.thorough else words)


def data(spec: BackendSpec, findings: Sequence[Finding]) -> dict[str, Any]:
    """The report as JSON-compatible data."""
    entries = [data_of_finding(finding) for finding in findings]
    breaches = [breach for finding in entries for breach in finding["breaches"]]
    for entry, breach in zip(breaches, _breaches(findings), strict=True):
        entry["command"] = command(spec, breach)
    return {
        "backend": spec.label,
        "kept": is_kept(findings),
        "examined": sum(not f.passed_over for f in findings),
        "gave_up": sum(f.gave_up for f in findings),
        "breaches": breaches,
        "not_examined": [
            {"part": f.part, "shape": f.shape, "reason": f.passed_over, "late": f.is_late}
            for f in findings
            if f.passed_over
        ],
        "questions": sum(f.questions for f in findings),
        "left_out": sum(f.left_out for f in findings),
        "seconds": sum(f.seconds for f in findings),
        "seconds_per_shape": {s: t for s, t in seconds_per_shape(findings).items() if s},
    }


def command(spec: BackendSpec, breach: Breach) -> str:
    """The command that reproduces a breach."""
    backend, case = shlex.quote(spec.label), breach.case
    of_answers = (Clause.ANSWER, Clause.SOLUTION, Clause.PROOF, Clause.COUNT, Clause.EXACT)
    shows_alone = breach.clause in (*of_answers, Clause.LIFE)
    if case and shows_alone and not case.time_limit and case.puzzle.pencilmarks is None:
        shape = case.puzzle.shape.definition
        task = Task.SOLVE if case.limit is None else Task.COUNT
        return solve_command(task, case.puzzle.line, shape, [spec.label], limit=case.limit)
    if breach.clause is Clause.MEMORY and case:
        return f"harness backends test {backend} --shape {case.puzzle.shape.definition}"
    return f"harness backends test {backend} --only {shlex.quote(breach.part)}"


def _breaches(findings: Sequence[Finding]) -> list[Breach]:
    return [breach for finding in findings for breach in finding.breaches]


def _breach(spec: BackendSpec, clause: Clause, breaches: Sequence[Breach]) -> Iterator[str]:
    first = breaches[0]
    yield from _row("BREACH", clause.value)
    yield from _row("question", _question(first))
    yield from _row("finding", first.message)
    others = list(dict.fromkeys(b.part for b in breaches if b.part != first.part))
    if others:
        more = f", and {len(others) - 3} more" if len(others) > 3 else ""
        yield from _row("also in", f"{'; '.join(others[:3])}{more}")
    yield f"  {'command'.ljust(_MARGIN - 2)}{command(spec, first)}"
    if first.case:
        drawing = grid_text(first.case.puzzle.givens, first.case.puzzle.shape)
        yield ""
        yield textwrap.indent(drawing, " " * _MARGIN)
        yield from _pencilmarks(first.case.puzzle)


def _pencilmarks(puzzle: Puzzle) -> Iterator[str]:
    """The cells that may not have every value, and their values."""
    size = puzzle.shape.size
    cells = []
    for cell, marks in enumerate(puzzle.pencilmarks or ()):
        if not puzzle.givens[cell] and marks != (1 << size) - 1:
            values = puzzle.shape.symbols(values_in(marks))
            cells.append(f"{puzzle.shape.cell_name(cell)} {values or 'none'}")
    if cells:
        more = f" and {len(cells) - _MOST_CELLS} more" if len(cells) > _MOST_CELLS else ""
        yield ""
        yield from _row("marks", f"{', '.join(cells[:_MOST_CELLS])}{more}")


def _question(breach: Breach) -> str:
    case = breach.case
    if case is None:
        return breach.part
    number = number_of(case.solutions, "solution") if case.solutions else "no solution"
    least = "at least " if case.at_least else ""
    limit = f", within {case.time_limit:g} s" if case.time_limit else ""
    return f"{case.call}{limit}: {breach.part}; the puzzle has {least}{number}"


def _not_examined(findings: Sequence[Finding]) -> Iterator[str]:
    reasons: dict[str, list[Finding]] = {}
    for finding in findings:
        if finding.passed_over:
            reasons.setdefault(finding.passed_over, []).append(finding)
    for reason, group in reasons.items():
        shapes = dict.fromkeys(f.shape for f in group if f.shape)
        parts = group[0].part if len(group) == 1 else number_of(len(group), "part")
        place = f" of {', '.join(shapes)}" if shapes and len(group) > 1 else ""
        yield from _row("skipped", f"{parts}{place}: {reason}")


def seconds_per_shape(findings: Sequence[Finding]) -> dict[str, float]:
    """The seconds of each shape, in the order of the findings; parts without a shape under ""."""
    shapes = dict.fromkeys(finding.shape for finding in findings)
    return {shape: sum(f.seconds for f in findings if f.shape == shape) for shape in shapes}


def _times(findings: Sequence[Finding]) -> Iterator[str]:
    times = seconds_per_shape(findings)
    parts = [f"{shape} {seconds:.1f} s" for shape, seconds in times.items() if shape]
    if parts:
        questions = sum(f.questions for f in findings)
        all_s = sum(times.values())
        yield from _row("time", f"{all_s:.1f} s for {questions:,} questions: {', '.join(parts)}")


def _row(word: str, text: str) -> list[str]:
    """`text` with the label `word`, in lines of at most 80 columns."""
    start = f"  {word}".ljust(_MARGIN) if word != "BREACH" else word.ljust(_MARGIN)
    text = " ".join(text.split())
    return textwrap.wrap(
        text, 80, initial_indent=start, subsequent_indent=" " * _MARGIN, break_on_hyphens=False
    ) or [start]
