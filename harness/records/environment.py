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

from harness.engine.system.info import describe_machine, load_average
from harness.errors import InputError, StorageError
from harness.puzzles.catalogue import Dataset

FILE: Final = "environment.json"
_DISTRIBUTION: Final = "sudoku-harness"

_KINDS: Final[Mapping[str, type]] = {
    **dict.fromkeys(("started_at", "harness", "python", "host", "system", "machine"), str),
    **dict.fromkeys(("processor", "governor", "smt", "ended_at"), str),
    **dict.fromkeys(("load_average", "load_average_after", "usable_cores", "command"), list),
    **dict.fromkeys(("checkout", "packages", "backends", "left_out", "datasets"), dict),
    **dict.fromkeys(("cpus", "memory_bytes", "memory_available_bytes", "open_files"), int),
    **dict.fromkeys(("hypervisor", "turbo", "processes_visible", "peaks_told"), bool),
    "swap_used_bytes": int,
    "children_told": bool,
}
"""What the facts of a call are, where they are told at all; others may be anything."""
_NUMBERS: Final = ("load_average", "load_average_after")
_OBJECTS: Final = ("backends", "datasets")


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
        self._invocations = read_invocations(folder)
        self._invocations.append(
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
        self._invocations[-1] |= {"ended_at": _now(), "load_average_after": load_average()}
        self._write()

    def _write(self) -> None:
        write_invocations(self._folder, self._invocations)


def read_invocations(folder: Path) -> list[dict[str, Any]]:
    """The calls that made the run in `folder`, the first one first.

    Raises:
        InputError: its file is none that a run writes.
    """
    path = folder / FILE
    if not path.is_file():
        return []
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise InputError(f"cannot be read: {error.strerror}", where=str(path)) from None
    except ValueError as error:
        raise InputError(f"is no JSON: {error}", where=str(path)) from None
    invocations = found.get("calls") if isinstance(found, dict) else None
    if not isinstance(invocations, list) or not all(isinstance(call, dict) for call in invocations):
        raise InputError("has no list of calls", where=str(path), expected='{"calls": [{...}]}')
    for number, call in enumerate(invocations, 1):
        for name, value in call.items():
            _check(name, value, f"{path}: call {number}")
    return invocations


def _check(name: str, value: Any, where: str) -> None:
    kind = _KINDS.get(name)
    if kind is None or value is None:
        return
    expected, good = kind.__name__, isinstance(value, kind)
    if name in _NUMBERS:
        expected = "numbers"
        good = good and bool(value) and all(isinstance(item, int | float) for item in value)
    if name in _OBJECTS:
        expected = "an object of objects"
        good = good and all(
            isinstance(item, dict) and isinstance(item.get("options") or {}, dict)
            for item in value.values()
        )
    if not good:
        raise InputError(f"{name} is {value!r:.80}", where=where, expected=expected)


def write_invocations(folder: Path, invocations: Sequence[Mapping[str, Any]]) -> None:
    """Write the calls that made the run in `folder`, whole or not at all.

    Raises:
        StorageError: it cannot be written.
    """
    text = json.dumps({"calls": invocations}, indent=2) + "\n"
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
    ids = sorted(instance.puzzle.id for instance in dataset.instances)
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
