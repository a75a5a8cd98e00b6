"""How soon fuzzing finds each planted fault, and how far it shrinks the case: docs/fuzzing.md.

    python -m benchmarks.faults [--seconds N] [--seed N] [NAME ...]

Each fault of `tests.extensions.fuzz.planted` is fuzzed alone, without other backends to
compare with, until it is found or for N seconds. With names, only these faults are fuzzed,
and the page stays as it is.
"""

import argparse
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from statistics import median
from time import monotonic
from typing import Final

from benchmarks.records import put_record
from harness.extensions.fuzz.calls import Call
from harness.extensions.fuzz.fuzz import FuzzObserver, FuzzReport, FuzzRequest, SavedFault, fuzz
from tests.extensions.fuzz.planted import table
from tests.extensions.fuzz.planted.table import PLANTED, Planted

FOLDER: Final = Path(table.__file__).parent
_HEAD: Final = (
    "| kind of fault | faults | found | found after, median | longest | trials, median |\n"
    "|---|---:|---:|---:|---:|---:|"
)


class UntilFound(FuzzObserver):
    """Ends the stream at the first fault."""

    def found(self, fault: SavedFault) -> None:
        """Interrupt the stream."""
        raise KeyboardInterrupt


def fuzzed(fault: Planted, seconds: float, seed: int) -> FuzzReport:
    """Fuzz the backend with this fault until it is found, at most for these seconds."""
    spec = f"{FOLDER / fault.file}.py:{fault.name}"
    with tempfile.TemporaryDirectory() as folder:
        request = FuzzRequest((spec,), seconds, None, Path(folder), seed)
        return fuzz(request, UntilFound())


def case_text(shape: str, clues: int, calls: int, rows: int) -> str:
    """A case in brief: ``4x4, 3 clues, call 2, row 5``."""
    parts = [shape.split(":")[0], f"{clues} clue{'' if clues == 1 else 's'}"]
    parts += [f"call {calls}"] if calls > 1 else []
    parts += [f"row {rows}"] if rows > 1 else []
    return ", ".join(parts)


def shrunk_text(calls: Sequence[Call]) -> str:
    """The shrunk case in brief."""
    last = calls[-1]
    return case_text(last.shape.spec, last.puzzles[-1].clues, len(calls), len(last.puzzles))


def least_text(fault: Planted) -> str:
    """The least known case in brief."""
    last = fault.case[-1]
    calls = sum(call.times for call in fault.case)
    return case_text(last.shape, last.parsed.clues, calls, last.rows + 1)


def row(fault: Planted, report: FuzzReport) -> str:
    """The row of a fault."""
    start = f"| {fault.name} | {fault.backend} | {fault.kind}"
    if not report.faults:
        return f"{start} | not in {report.seconds:.0f} s | {report.trials:,} | | |"
    first = report.faults[0]
    rate = f", {first.wrong} of {first.repetitions:,}" if first.repetitions > 1 else ""
    return (
        f"{start} | {first.after_s:.1f} s | {first.after_trials:,} "
        f"| {shrunk_text(first.case.calls)}{rate} | {least_text(fault)} |"
    )


def by_kind(reports: Sequence[tuple[Planted, FuzzReport]]) -> Iterator[str]:
    """The rows of the page: each kind of fault, and how soon its faults were found."""
    for kind in dict.fromkeys(fault.kind for fault, _ in reports):
        of_kind = [report for fault, report in reports if fault.kind == kind]
        faults = [report.faults[0] for report in of_kind if report.faults]
        row = f"| {kind} | {len(of_kind)} | {len(faults)} |"
        if faults:
            after = [fault.after_s for fault in faults]
            trials = median(fault.after_trials for fault in faults)
            row += f" {median(after):.1f} s | {max(after):.1f} s | {trials:,.0f} |"
        yield row


def main() -> None:
    """Fuzz the faults, print their rows, and replace the table of the page."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=120.0)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("names", nargs="*")
    arguments = parser.parse_args()
    chosen = [f for f in PLANTED if not arguments.names or f.name in arguments.names]
    reports, began = [], monotonic()
    for fault in chosen:
        reports.append((fault, fuzzed(fault, arguments.seconds, arguments.seed)))
        print(row(*reports[-1]), flush=True)
    detected = sum(bool(report.faults) for _, report in reports)
    print(f"{detected} of {len(chosen)} found, {monotonic() - began:.0f} s with shrinking")
    if not arguments.names:
        put_record("planted-faults", "\n".join([_HEAD, *by_kind(reports)]) + "\n")


if __name__ == "__main__":
    main()
