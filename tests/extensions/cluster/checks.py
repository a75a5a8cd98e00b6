"""What holds after every run on an engine."""

from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from time import monotonic, sleep

from harness.analysis.run import load
from tests.conftest import Ended


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


def refusal_of(harness: Callable[..., Ended], *words: object) -> str:
    """The message of a command that is refused."""
    result = harness(*words)
    assert result.code == 2, result
    return result.err


def require_each_trial_once(folder: Path, trials: int) -> None:
    table = load(folder).trials
    assert len(table) == trials
    keys = ["backend", "dataset", "puzzle_id", "task", "repetition"]
    assert not table.duplicated(keys).any()


def wait_for(condition: Callable[[], object], seconds: float = 60.0) -> None:
    """Wait until a condition holds."""
    deadline = monotonic() + seconds
    while not condition():
        assert monotonic() < deadline, "nothing happened"
        sleep(0.05)


def require_no_process_in(folder: Path) -> None:
    """Require that within 15 seconds no process works in this folder or below."""
    wait_for(lambda: not processes_in(folder), 15)


def processes_in(folder: Path) -> list[int]:
    """The processes that work in this folder or below."""
    processes = []
    for link in Path("/proc").glob("[0-9]*/cwd"):
        with suppress(OSError):  # it has ended
            if link.readlink().is_relative_to(folder):
                processes.append(int(link.parent.name))
    return processes
