"""The environment of a run for a page: machine, backends, sweep files and invocations."""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import msgspec

from harness.analysis.environment import facts_of
from harness.analysis.run import Run
from harness.records.environment import Invocation
from harness.report.formatting import backend_name, printable, shortened
from harness.report.table import is_missing

_INVOCATIONS: Final = 50
"""The most invocations that a page lists."""


@dataclass(frozen=True, slots=True)
class BackendDescription:
    """A backend, its options and the versions of its software as text."""

    name: str
    paradigm: str
    options: str
    versions: str


@dataclass(frozen=True, slots=True)
class RunEnvironment:
    """The environment of a run as text; every text is printable."""

    facts: list[tuple[str, str]]
    """Facts about the machine of the last invocation."""
    backends: list[BackendDescription]
    sweeps: list[str]
    """The sweep file of each folder."""
    invocations: list[str]
    """The record of each invocation as JSON; later ones have only what changed."""
    invocations_omitted: int


def run_environment(run: Run) -> RunEnvironment:
    """Collect the environment of a run."""
    return RunEnvironment(
        facts=[(name, printable(value)) for name, value in facts_of(run.environment).items()],
        backends=list(_backends(run)),
        sweeps=list(_sweeps((run.folder, *run.others))),
        invocations=list(_changes(run.invocations)),
        invocations_omitted=max(0, len(run.invocations) - _INVOCATIONS),
    )


def _backends(run: Run) -> Iterator[BackendDescription]:
    columns = ["backend", "paradigm", "options", "versions"]
    known = run.trials[columns].drop_duplicates().sort_values("backend")
    for row in known.to_dict("records"):
        yield BackendDescription(
            name=printable(shortened(backend_name(str(row["backend"])))),
            paradigm="" if is_missing(row["paradigm"]) else printable(str(row["paradigm"])),
            options=_pairs(row["options"]),
            versions=_pairs(row["versions"]),
        )


def _pairs(text: Any) -> str:
    """A JSON object as ``name = value`` pairs."""
    if is_missing(text):
        return ""
    values = json.loads(text)
    return printable(", ".join(f"{name} = {value}" for name, value in values.items()))


def _changes(invocations: Sequence[Invocation]) -> Iterator[str]:
    """The first invocation as JSON, then what each later one changed."""
    previous: Mapping[str, Any] = {}
    for invocation in invocations[:_INVOCATIONS]:
        current = msgspec.to_builtins(invocation)
        changed = _changed(previous, current)
        yield _printable_lines(json.dumps(changed, indent=1, ensure_ascii=False))
        previous = current


def _changed(old: Mapping[str, Any], new: Mapping[str, Any]) -> dict[str, Any]:
    """The entries of `new` that `old` does not have, objects entry by entry."""
    return {
        name: _changed(old[name], value)
        if isinstance(value, dict) and isinstance(old.get(name), dict)
        else value
        for name, value in new.items()
        if old.get(name) != value
    }


def _sweeps(folders: Sequence[Path]) -> Iterator[str]:
    """The text of the sweep file in each folder."""
    for folder in folders:
        path = folder / "sweep.toml"
        if path.is_file():
            yield _printable_lines(path.read_text(encoding="utf-8", errors="replace"))


def _printable_lines(text: str) -> str:
    """`text` in printable characters, with its line breaks."""
    return "\n".join(printable(line) for line in text.splitlines())
