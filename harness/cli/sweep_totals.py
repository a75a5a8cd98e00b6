"""The sums over the sweeps of a command, and the document that `--json` prints of them."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from harness.cli.terminal import show

if TYPE_CHECKING:
    from harness.cli.certified_run import CertifiedRun
    from harness.cli.progress import LiveProgress
    from harness.documents.runs import Reported


@dataclass
class SweepTotals:
    """The sums over the sweeps of a command."""

    folder: Path
    trials: int = 0
    """Planned trials."""
    done: int = 0
    done_before: int = 0
    """Trials that earlier commands have run."""
    duplicates: dict[str, int] = field(default_factory=dict)
    """Duplicate puzzles of each dataset."""

    def add(self, progress: "LiveProgress", duplicates: Mapping[str, int] | None = None) -> None:
        """Add a sweep."""
        self.trials += progress.planned_trials
        self.done += progress.done
        self.done_before += progress.done_before
        self.duplicates |= duplicates or {}

    def show_json(
        self,
        *,
        interrupted: bool = False,
        report: "Reported | None" = None,
        certified: "CertifiedRun | None" = None,
    ) -> None:
        """Print the document of the command."""
        from harness.documents.runs import Finished
        from harness.report.render.json import json

        document = Finished(
            folder=str(self.folder),
            interrupted=interrupted,
            trials=self.trials,
            done=self.done,
            done_before=self.done_before,
            duplicates=self.duplicates,
            certificates=certified.data() if certified else None,
            report=report,
        )
        show(json(document), end="")
