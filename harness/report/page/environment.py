"""Where and with what a run took place, as a page tells it."""

import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from harness.analysis.environment import facts_of
from harness.analysis.run import Run
from harness.report.formatting import backend_name, printable, shortened
from harness.report.tables.table import is_missing

_CALLS: Final = 50


def setting(run: Run) -> dict[str, Any]:
    """What the last call recorded of its machine, the backends, what was asked, all calls."""
    return {
        "facts": [(name, printable(value)) for name, value in facts_of(run.environment).items()],
        "backends": _backends(run),
        "sweeps": list(_sweeps((run.folder, *run.others))),
        "environment": list(_told_once(run.invocations)),
        "calls_left_out": max(0, len(run.invocations) - _CALLS),
    }


def _backends(run: Run) -> list[dict[str, str]]:
    """The backends with their options and versions."""
    columns = ["backend", "paradigm", "options", "versions"]
    known = run.trials[columns].drop_duplicates().sort_values("backend")
    return [
        {
            "name": printable(shortened(backend_name(str(row["backend"])))),
            "paradigm": "" if is_missing(row["paradigm"]) else printable(str(row["paradigm"])),
            "options": _pairs(row["options"]),
            "versions": _pairs(row["versions"]),
        }
        for row in known.to_dict("records")
    ]


def _pairs(text: Any) -> str:
    """A JSON object as ``name = value`` pairs."""
    if is_missing(text):
        return ""
    found = json.loads(text)
    return printable(", ".join(f"{name} = {value}" for name, value in found.items()))


def _told_once(invocations: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    """Each call as JSON; of later ones only what is not as in the one before."""
    before: Mapping[str, Any] = {}
    for call in invocations[:_CALLS]:
        new = {name: value for name, value in call.items() if before.get(name, ...) != value}
        yield _printable_lines(json.dumps(new, indent=1, ensure_ascii=False))
        before = call


def _sweeps(folders: Sequence[Path]) -> Iterator[str]:
    """What was asked, as the file of each run has it."""
    for folder in folders:
        path = folder / "sweep.toml"
        if path.is_file():
            yield _printable_lines(path.read_text(encoding="utf-8", errors="replace"))


def _printable_lines(text: str) -> str:
    """`text` with nothing in it that acts, its lines kept."""
    return "\n".join(printable(line) for line in text.splitlines())
