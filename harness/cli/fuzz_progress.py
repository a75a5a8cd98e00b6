"""The status line of fuzzing."""

from time import monotonic
from typing import Final

from rich.console import Console
from rich.status import Status
from rich.text import Text

from harness.cli.terminal import is_quiet, is_terminal, notice
from harness.experiment.fuzzing.findings import Finding
from harness.experiment.fuzzing.fuzz import FuzzObserver, FuzzReport, SavedFault
from harness.report.formatting import number_of, shortened, span

_REDRAW_S: Final = 0.2


class FuzzProgress(FuzzObserver):
    """A status line on a terminal; use it as a context manager around the stream.

    Args:
        console: the console of standard error.
    """

    def __init__(self, console: Console) -> None:
        self._status: Status | None = None
        if is_terminal(console.file) and not is_quiet():
            self._status = console.status("starting")
        self._drawn = 0.0

    def __enter__(self) -> "FuzzProgress":
        if self._status:
            self._status.start()
        return self

    def __exit__(self, *error: object) -> None:
        if self._status:
            self._status.stop()

    def preparing(self, what: str) -> None:
        """Print the notice."""
        notice(what)

    def left_out(self, backend: str, reason: str) -> None:
        """Print the reason."""
        notice(f"left out: {backend} is not available: {reason}")

    def fuzzed(self, report: FuzzReport) -> None:
        """Update the numbers."""
        if self._status and monotonic() > self._drawn + _REDRAW_S:
            self._drawn = monotonic()
            trials = number_of(report.number_of_trials, "trial")
            faults = f", {number_of(len(report.faults), 'fault')}" if report.faults else ""
            self._show(f"{span(report.seconds)}, {trials}{faults}")

    def shrinks(self, finding: Finding) -> None:
        """Show which backend is examined."""
        self._show(f"shrinking a case of {shortened(finding.records[0].trial.spec, 40)}")

    def found(self, fault: SavedFault) -> None:
        """Print the backend and the file of its case."""
        notice(f"{fault.backend}: {fault.path or fault.failure}")

    def _show(self, text: str) -> None:
        if self._status:
            self._status.update(Text(text))
