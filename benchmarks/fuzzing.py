"""A million random trials of the core backends with all their options: docs/fuzzing.md.

    python -m benchmarks.fuzzing [--trials N] [--each N] [--seed N]

The core backends and `native-jit` share the trials of a stream of two jobs. Then each of `CHEAP`
with fewer than `--each` trials gets the rest in a stream of its own. The table replaces that of
the page. Exit code 1: a fault, or a backend without any answer.
"""

import argparse
import sys
import tempfile
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from time import monotonic
from typing import Final

from benchmarks.records import put_record
from harness.extensions.fuzz.fuzz import FuzzObserver, FuzzReport, FuzzRequest, fuzz
from harness.records import Verdict

BACKENDS: Final = ("cnf", "cpsat", "milp", "native", "native-jit")
CHEAP: Final = ("cnf", "native", "native-jit")
"""The backends that answer most puzzles of the stream within milliseconds."""
_SHOWN_EVERY_S: Final = 60.0


class Shows(FuzzObserver):
    """Prints the progress of a stream."""

    def __init__(self) -> None:
        self._shown_at = monotonic()

    def fuzzed(self, report: FuzzReport) -> None:
        """Print the trials of each backend, each minute."""
        if monotonic() > self._shown_at + _SHOWN_EVERY_S:
            self._shown_at = monotonic()
            numbers = {name: f"{backend.trials:,}" for name, backend in report.backends.items()}
            print(f"{report.seconds:.0f} s", numbers, len(report.faults), "faults", flush=True)


class Sum:
    """The sums of several streams."""

    def __init__(self) -> None:
        self.verdicts = {name: Counter[Verdict]() for name in BACKENDS}
        self.configurations: dict[str, set[str]] = {name: set() for name in BACKENDS}
        self.puzzles = self.laws = self.faults = 0
        self.seconds = 0.0
        self.agreed = True

    def add(self, report: FuzzReport) -> None:
        """Add a stream."""
        for name, backend in report.backends.items():
            self.verdicts[name] += backend.verdicts
            self.configurations[name] |= backend.configurations
        self.puzzles += report.puzzles
        self.laws += report.laws
        self.faults += len(report.faults)
        self.seconds += report.seconds
        self.agreed &= report.agreed

    def trials(self, name: str) -> int:
        """The trials of a backend."""
        return self.verdicts[name].total()

    def table(self) -> str:
        """The rows of all backends and their sum."""
        rows = [
            "| backend | configurations | trials | answers | timeouts | other |",
            "|---|---:|---:|---:|---:|---:|",
        ]
        for name, verdicts in self.verdicts.items():
            rows.append(_row(f"`{name}`", len(self.configurations[name]), verdicts))
        configurations = sum(map(len, self.configurations.values()))
        rows.append(_row("all", configurations, sum(self.verdicts.values(), Counter())))
        rows.append("")
        rows.append(
            f"{self.puzzles:,} puzzles, {self.laws:,} laws checked, {self.faults} faults, in "
            f"{self.seconds / 60:.0f} minutes."
        )
        return "\n".join(rows) + "\n"


def _row(name: str, configurations: int, verdicts: Counter[Verdict]) -> str:
    answers = sum(number for verdict, number in verdicts.items() if verdict.answered)
    timeouts = verdicts[Verdict.TIMEOUT]
    other = verdicts.total() - answers - timeouts
    numbers = (configurations, verdicts.total(), answers, timeouts, other)
    return f"| {name} | {' | '.join(f'{number:,}' for number in numbers)} |"


def stream(backends: Sequence[str], trials: int, seed: int, folder: Path) -> FuzzReport:
    """Fuzz these backends for a number of trials; cases go into `folder`."""
    request = FuzzRequest(tuple(backends), None, trials, folder, seed, jobs=2)
    report = fuzz(request, Shows())
    for fault in report.faults:
        print("FAULT", fault.case, fault.answer, fault.file, flush=True)
    if report.interruption is not None:
        raise report.interruption
    return report


def main() -> None:
    """Run the streams, print the table, and put it into the page."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--trials", type=int, default=1_000_000)
    parser.add_argument("--each", type=int, default=200_000)
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    folder = Path(tempfile.mkdtemp(prefix="fuzz-"))
    total = Sum()
    total.add(stream(BACKENDS, arguments.trials, arguments.seed, folder))
    for number, name in enumerate(CHEAP, 1):
        if (missing := arguments.each - total.trials(name)) > 0:
            total.add(stream([name], missing, arguments.seed + number, folder))
    print(total.table())
    put_record("fuzzing-trials", total.table())
    if not total.agreed:
        sys.exit(1)


if __name__ == "__main__":
    main()
