"""The tests that can catch a mutant: those that run a changed line, the fastest first."""

import hashlib
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple
from xml.etree import ElementTree

from coverage import CoverageData

from tests.mutation.copy import copied, environment
from tests.mutation.mutants import Mutant

LEFT_OUT = ("tests/report/test_browser*", "tests/mutation/*")
"""Tests of the browser are slow, and those of this package change the measurement."""


IN_WORKERS = {
    "tests/contract/": ("tests/backends/", "tests/conformance/", "tests/engine/", "tests/cli/"),
    "tests/puzzles/": ("tests/backends/", "tests/conformance/"),
}
"""By the tests of a room: tests that run its code in processes that coverage does not see."""


class Test(NamedTuple):
    """A test and what it takes."""

    id: str
    seconds: float


class Selection:
    """Which tests run which lines, from one measured run of the suite.

    Only for the process that made it: coverage forgets its data in a forked one.
    """

    def __init__(self, folder: Path) -> None:
        """Read what `measure` wrote into `folder`."""
        self._data = CoverageData(str(folder / "coverage"))
        self._data.read()
        self._files = {_below(path): path for path in self._data.measured_files()}
        self._seconds = dict(_durations(folder / "tests.xml"))
        self._of_file: dict[str, list[str]] = {}
        for id_ in self._seconds:
            self._of_file.setdefault(id_.split("::")[0], []).append(id_)

    def tests(self, mutant: Mutant) -> list[Test]:
        """The tests that run a changed line; those of the mutant's room first, then by time.

        A fixture that several tests share runs in the first of them only, so all tests of its
        file count. A line that runs on import belongs to all tests of its module. Tests that
        may run the line in a worker process come last.
        """
        lines = self._data.contexts_by_lineno(self._files.get(mutant.path, ""))
        contexts = {context for line in mutant.lines for context in lines.get(line, [])}
        if contexts <= {""}:
            contexts = {context for found in lines.values() for context in found}
        ids = set()
        for context in contexts - {""}:
            id_, _, phase = context.rpartition("|")
            ids.update([id_] if phase == "run" else self._of_file.get(id_.split("::")[0], []))
        known = [Test(id_, self._seconds[id_]) for id_ in ids if id_ in self._seconds]
        own = room(mutant.path)
        known.sort(key=lambda test: (not test.id.startswith(own), test.seconds, test.id))
        return known + sorted(self._in_workers(own) - set(known), key=lambda test: test.seconds)

    def _in_workers(self, own: str) -> set[Test]:
        """The tests that may run code of this room in worker processes."""
        folders = IN_WORKERS.get(own, ())
        return {
            Test(id_, seconds)
            for id_, seconds in self._seconds.items()
            if folders and id_.startswith(folders)
        }


def room(path: str) -> str:
    """The folder of the tests of a file: ``tests/analysis/`` for ``harness/analysis/ranks.py``."""
    return f"tests/{Path(path).parts[1]}/"


def measure(folder: Path, project: Path, jobs: int) -> None:
    """Run the suite with coverage in a copy, unless `folder` has that of the same files.

    Raises:
        SystemExit: The tests could not be run.
    """
    state = _state(project)
    done = folder / "state"
    if done.exists() and done.read_text() == state:
        return
    folder.mkdir(parents=True, exist_ok=True)
    with copied(project) as copy:
        print("coverage: running the tests once", flush=True)
        ended = subprocess.run(
            [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-n", str(jobs)]
            + ["--dist", "worksteal", "--cov", "harness", "--cov-context", "test"]
            + ["--cov-report", "", "--junitxml", str(folder / "tests.xml")]
            + [f"--ignore-glob={copy / pattern}" for pattern in LEFT_OUT],
            cwd=copy,
            env=environment(copy) | {"COVERAGE_FILE": str(folder / "coverage")},
            check=False,
        )
    if ended.returncode not in (0, 1):
        raise SystemExit(f"the tests could not be run: exit code {ended.returncode}")
    done.write_text(state)


def _state(project: Path) -> str:
    """A digest of the code and its tests."""
    digest = hashlib.sha256()
    for folder in ("harness", "backends", "tests"):
        for path in sorted((project / folder).rglob("*.py")):
            if path.parent.name != "mutation":
                digest.update(path.read_bytes())
    return digest.hexdigest()


def _below(path: str) -> str:
    """The path of a measured file relative to the copy."""
    return path.rpartition("/project/")[2]


def _durations(junit: Path) -> Iterator[tuple[str, float]]:
    """The passed tests by id, with their seconds."""
    for case in ElementTree.parse(junit).iter("testcase"):
        if case.find("failure") is None and case.find("error") is None:
            name = case.get("name", "")
            path = case.get("classname", "").replace(".", "/")
            if name.isprintable() and "\n" not in name:
                yield f"{path}.py::{name}", float(case.get("time", 0))


def chunks(tests: Sequence[Test], seconds: float, most: float) -> Iterator[list[str]]:
    """The ids of the tests in portions that take about `seconds`, up to `most` in all."""
    portion: list[str] = []
    taken = total = 0.0
    for test in tests:
        if total + test.seconds > most and total:
            break
        portion.append(test.id)
        taken += test.seconds
        total += test.seconds
        if taken >= seconds:
            yield portion
            portion, taken = [], 0.0
    if portion:
        yield portion
