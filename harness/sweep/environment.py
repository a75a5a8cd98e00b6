"""Where and with what a run took place, for those who read its results later."""

import hashlib
import json
import platform
import subprocess
import sys
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from importlib import metadata
from pathlib import Path
from typing import Any, Final

from harness.errors import StorageError
from harness.puzzles.catalog import Dataset
from harness.sweep.machine import describe_machine, load_average

FILE: Final = "environment.json"
_DISTRIBUTION: Final = "sudoku-harness"


def harness_version() -> str:
    """The version of the installed harness."""
    return metadata.version(_DISTRIBUTION)


class Record:
    """One call of a run, in the file that lists them all.

    It is written when the call begins and again, with the time and the load,
    when it ends, so that a call that was killed is there too.
    """

    def __init__(
        self,
        folder: Path,
        command: Sequence[str],
        datasets: Sequence[Dataset],
        backends: Mapping[str, Mapping[str, Any]],
        left_out: Mapping[str, str],
    ) -> None:
        self._folder = folder
        self._calls = read_calls(folder)
        self._calls.append(
            {
                "started_at": _now(),
                "ended_at": None,
                "command": list(command),
                "harness": harness_version(),
                "checkout": _checkout(),
                "python": sys.version,
                "implementation": platform.python_implementation(),
                **describe_machine(),
                "load_average_after": None,
                "packages": _packages(),
                "backends": dict(backends),
                "left_out": dict(left_out),
                "datasets": {dataset.name: _digest(dataset) for dataset in datasets},
            }
        )
        self._write()

    def end(self) -> None:
        """The call has ended."""
        self._calls[-1] |= {"ended_at": _now(), "load_average_after": load_average()}
        self._write()

    def _write(self) -> None:
        write_calls(self._folder, self._calls)


def read_calls(folder: Path) -> list[dict[str, Any]]:
    """The calls that made the run in `folder`, the first one first."""
    path = folder / FILE
    if not path.is_file():
        return []
    calls: list[dict[str, Any]] = json.loads(path.read_text(encoding="utf-8"))["calls"]
    return calls


def write_calls(folder: Path, calls: Sequence[Mapping[str, Any]]) -> None:
    """Write the calls that made the run in `folder`, whole or not at all.

    Raises:
        StorageError: it cannot be written.
    """
    text = json.dumps({"calls": calls}, indent=2) + "\n"
    beside = folder / f"{FILE}.new"
    try:
        beside.write_text(text, encoding="utf-8")
        beside.replace(folder / FILE)
    except OSError as error:
        beside.unlink(missing_ok=True)
        reason = error.strerror
        raise StorageError(f"{folder / FILE}: cannot be written: {reason}") from error


def _digest(dataset: Dataset) -> dict[str, Any]:
    """The number of puzzles and a digest of them that their order does not change."""
    ids = sorted(entry.puzzle.id for entry in dataset.entries)
    return {"puzzles": len(ids), "sha256": hashlib.sha256(" ".join(ids).encode()).hexdigest()}


def _packages() -> dict[str, str]:
    """Every installed distribution with its version."""
    found = {d.metadata["Name"]: d.version for d in metadata.distributions()}
    return dict(sorted(found.items(), key=lambda item: item[0].lower()))


def _checkout() -> dict[str, Any] | None:
    """Commit and state of the checkout that the harness runs from; None for an installed one."""
    root = Path(__file__).resolve().parents[2]
    if not (root / ".git").exists():
        return None
    try:
        commit = _git(root, "rev-parse", "HEAD").strip()
        return {"commit": commit, "dirty": bool(_git(root, "status", "--porcelain"))}
    except (OSError, subprocess.SubprocessError):
        return None


def _git(root: Path, *words: str) -> str:
    ended = subprocess.run(
        ["git", "-C", str(root), *words],  # noqa: S607  the git of whoever develops
        capture_output=True,
        text=True,
        check=True,
        timeout=10,
    )
    return ended.stdout


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")
