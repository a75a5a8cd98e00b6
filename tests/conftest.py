"""What the tests of several rooms need."""

import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import pandas as pd
import pytest

from harness.records.fields import DTYPES
from harness.records.frame import frame

PROJECT = Path(__file__).resolve().parents[1]


class Ended(NamedTuple):
    """A command line that was run: what it printed and its exit code."""

    code: int
    out: str
    err: str


@pytest.fixture(scope="session")
def shared_puzzles() -> Path:
    """The folder of puzzles from elsewhere; tests that read it are skipped without."""
    folder = PROJECT.parent / "shared" / "puzzles"
    if not folder.is_dir():
        pytest.skip("the puzzles from elsewhere are not here (../shared/puzzles)")
    return folder


@pytest.fixture
def harness(capfd: pytest.CaptureFixture[str]) -> Callable[..., Ended]:
    """Runs a command line of the harness in this process."""
    from harness.cli import main

    def run(*words: str | Path) -> Ended:
        capfd.readouterr()
        with pytest.raises(SystemExit) as end:
            main([str(word) for word in words])
        out, err = capfd.readouterr()
        code = end.value.code
        assert isinstance(code, int)
        return Ended(code, out, err)

    return run


@pytest.fixture
def a_backend(tmp_path: Path) -> Callable[..., str]:
    """Writes a backend into a file, from the bodies of its methods; gives its spec."""

    def write(
        solve: str, *, count: str = "return Count(0, True)", name: str = "made", top: str = ""
    ) -> str:
        path = tmp_path / f"{name}.py"
        path.write_text(
            f"import os, signal, sys, time\n"
            f"from harness.contract import Answer, Backend, Count, Unsupported\n{top}\n"
            f"class Made(Backend):\n"
            f"    name = '{name}'\n"
            f"    paradigm = 'made for a test'\n"
            f"    def __init__(self, shape, options): self.shape = shape\n"
            f"    def solve(self, puzzle):\n{_indented(solve)}\n"
            f"    def count(self, puzzle, limit):\n{_indented(count)}\n"
        )
        return f"{path}:Made"

    return write


@pytest.fixture
def a_file(tmp_path: Path) -> Callable[..., Path]:
    """Writes lines into a puzzle file."""

    def write(lines: Sequence[str], name: str = "puzzles.txt") -> Path:
        path = tmp_path / name
        path.write_text("".join(f"{line}\n" for line in lines))
        return path

    return write


@pytest.fixture(scope="session")
def trials_of() -> Callable[..., pd.DataFrame]:
    """Makes trials from ``{backend: [seconds or status, ...]}``, a puzzle each in that order.

    A tuple stands for the repetitions of one puzzle, None for a puzzle that the
    backend was not asked about. Further columns are the same for all trials;
    a function of the number of the puzzle is asked for each.
    """

    def make(results: dict[str, Sequence[Any]], **columns: Any) -> pd.DataFrame:
        given = {
            "dataset": "d",
            "puzzle": "." * 16,
            "shape": "4x4",
            "clues": 0,
            "task": "solve",
            "limit": 0,
            "start": "cold",
            "timeout_s": 10.0,
            "host": "here",
            "paradigm": "made up",
            "stats": "{}",
            "reason": "",
        } | columns
        rows = []
        for backend, puzzles in results.items():
            for number, cell in enumerate(puzzles):
                fixed = {k: v(number) if callable(v) else v for k, v in given.items()}
                fixed = {"puzzle_id": f"p{number:04d}", "name": f"n{number}"} | fixed
                cells = cell if isinstance(cell, tuple) else () if cell is None else (cell,)
                for repetition, result in enumerate(cells, 1):
                    failed = isinstance(result, str)
                    told = {
                        "backend": backend,
                        "repetition": repetition,
                        "verdict": result if failed else "solved",
                        "wall_s": fixed["timeout_s"] if failed else result,
                    }
                    rows.append(fixed | told)
        names = [name for name in DTYPES if rows and name in rows[0]]
        return frame(names, [[row[name] for name in names] for row in rows])

    return make


@pytest.fixture
def gone() -> Callable[[int], bool]:
    """Whether a process has ended within a second; one that nobody has waited for has."""

    def is_gone(pid: int) -> bool:
        deadline = time.monotonic() + 1
        while time.monotonic() < deadline:
            try:
                state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
            except (FileNotFoundError, ProcessLookupError):
                return True
            if state == "Z":
                return True
            time.sleep(0.02)
        return False

    return is_gone


def _indented(code: str) -> str:
    return "\n".join(f"        {line}" for line in code.splitlines())
