"""What holds after every run on an engine."""

from pathlib import Path
from time import monotonic, sleep

from harness.analysis.run import load


def slow_backend(seconds: float = 0.05) -> str:
    """The file of a backend that takes this many seconds for each puzzle."""
    return f"""
from time import sleep

from backends.native import Native


class Slow(Native):
    name = "slow"

    def solve(self, puzzle):
        sleep({seconds})
        return super().solve(puzzle)
"""


def require_each_trial_once(folder: Path, trials: int) -> None:
    table = load(folder).trials
    assert len(table) == trials
    keys = ["backend", "dataset", "puzzle_id", "task", "repetition"]
    assert not table.duplicated(keys).any()


def require_no_process_in(folder: Path) -> None:
    """Require that within 15 seconds no process works in this folder or below."""
    deadline = monotonic() + 15
    while processes := processes_in(folder):
        assert monotonic() < deadline, f"processes are left: {processes}"
        sleep(0.1)


def processes_in(folder: Path) -> list[int]:
    """The processes that work in this folder or below."""
    numbers = [int(entry.name) for entry in Path("/proc").iterdir() if entry.name.isdigit()]
    return [pid for pid in numbers if is_of(pid, folder)]


def is_of(pid: int, folder: Path) -> bool:
    """Whether a process works in this folder."""
    try:
        return Path(f"/proc/{pid}/cwd").readlink().is_relative_to(folder)
    except OSError:
        return False
