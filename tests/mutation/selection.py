"""The tests that can catch a mutant: those that run a changed line, the fastest first."""

import hashlib
import json
import shutil
import subprocess
import sys
from collections.abc import Iterator, Sequence
from fnmatch import fnmatch
from pathlib import Path
from typing import NamedTuple
from xml.etree import ElementTree

from coverage import CoverageData

from tests.mutation.copy import copy_of, environment
from tests.mutation.mutants import Mutant

LEFT_OUT = (
    *("tests/report/test_browser*", "tests/mutation/*", "tests/test_vocabulary.py"),
    *("tests/docs/test_pages*", "tests/docs/test_site*", "tests/docs/test_notebooks*"),
)
"""Tests of the browser, of commands in the documentation and of its site are slow, those of this
package change the measurement, and those of words run no code."""

ADDOPTS = "--import-mode=importlib -m 'not long'"
"""Options of pytest under which the documentation is compared with constants too."""
_COMPARING = ("tests/backends/", "tests/extensions/conformance/")
IN_WORKERS = {
    "tests/contract/": (*_COMPARING, "tests/engine/", "tests/cli/", "tests/test_"),
    "tests/puzzles/": _COMPARING,
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
        self._seconds = _read_seconds(folder)
        self._of_file: dict[str, list[str]] = {}
        for id_ in self._seconds:
            self._of_file.setdefault(id_.split("::")[0], []).append(id_)

    def tests(self, mutant: Mutant) -> list[Test]:
        """The tests that run a changed line; those of the mutant's room first, then by time.

        Tests of the room whose file is called like the mutant's come before the others: lines
        of compiled functions seem to run on import only, for all tests.

        A fixture that several tests share runs in the first of them only, so all tests of its
        file count. A line that runs on import belongs to all tests of its module, and one of a
        module that seems to run on import only, as compiled ones do, to all tests of the room.
        Tests that may run the line in a worker process come last.
        """
        lines = self._data.contexts_by_lineno(mutant.path)
        contexts = {context for line in mutant.lines for context in lines.get(line, [])}
        if contexts <= {""}:
            contexts = {context for own in lines.values() for context in own}
        ids = set()
        for context in contexts - {""}:
            id_, _, phase = context.rpartition("|")
            ids.update([id_] if phase == "run" else self._of_file.get(id_.split("::")[0], []))
        own = room(mutant.path)
        # The tests of a file are called after its package or itself, without a plural.
        words = [part.rstrip("s") for part in Path(mutant.path).with_suffix("").parts[2:]]
        ids = ids or {id_ for id_ in self._seconds if id_.startswith(own)}
        tests = [Test(id_, self._seconds[id_]) for id_ in ids if id_ in self._seconds]
        tests.sort(
            key=lambda test: (
                not test.id.startswith(own),
                not any(word in test.id.split("::")[0] for word in words),
                test.seconds,
                test.id,
            )
        )
        folders = IN_WORKERS.get(own, ())
        in_workers = {Test(*item) for item in self._seconds.items() if item[0].startswith(folders)}
        return tests + sorted(in_workers - set(tests), key=lambda test: test.seconds)


def room(path: str) -> str:
    """The folder of the tests of a file: ``tests/runs/`` for ``harness/runs/sweep.py``."""
    return f"tests/{Path(path).parts[1]}/"


def measure(folder: Path, project: Path, jobs: int) -> None:
    """Run the suite with coverage in a copy, or those of its files that are new in `folder`.

    A change of anything but a file of tests needs the whole suite again.

    Raises:
        SystemExit: The tests could not be run.
    """
    now, state = _digests(project), folder / "state.json"
    before = json.loads(state.read_text()) if state.exists() else {}
    changes = [path for path in {**before, **now} if before.get(path) != now.get(path)]
    if not changes:
        return
    only_tests = all(Path(path).name.startswith("test_") for path in changes)
    files = [path for path in changes if path in now] if before and only_tests else []
    files = [path for path in files if not any(fnmatch(path, pattern) for pattern in LEFT_OUT)]
    folder.mkdir(parents=True, exist_ok=True)
    config, junit = folder / "coveragerc", folder / "tests.xml"
    config.write_text("[run]\nrelative_files = true\n")
    old, new = folder / "coverage", folder / "coverage.new"
    new.unlink(missing_ok=True)
    if files:
        shutil.copy(old, new)
    with copy_of(project) as copy:
        print(f"coverage: running {' '.join(files) or 'all tests'} once", flush=True)
        process = subprocess.run(
            [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-n", str(jobs)]
            + ["--dist", "worksteal", "--cov", "harness", "--cov-context", "test"]
            + ["--cov-config", str(config), *(["--cov-append"] if files else [])]
            + ["--cov-report", "", "--junitxml", str(junit)]
            + [f"--ignore-glob={copy / pattern}" for pattern in LEFT_OUT]
            + ["--override-ini", f"addopts={ADDOPTS}"]
            + files,
            cwd=copy,
            env=environment(copy) | {"COVERAGE_FILE": str(new)},
            check=False,
        )
    if process.returncode not in (0, 1):
        raise SystemExit(f"the tests could not be run: exit code {process.returncode}")
    new.replace(old)
    seconds = _read_seconds(folder) if files else {}
    timings = {id_: time for id_, time in seconds.items() if id_.split("::")[0] not in changes}
    (folder / "seconds.json").write_text(json.dumps(timings | dict(_durations(junit))))
    state.write_text(json.dumps(now))


def _read_seconds(folder: Path) -> dict[str, float]:
    """The tests that passed by id, with their seconds."""
    seconds: dict[str, float] = json.loads((folder / "seconds.json").read_text())
    return seconds


def _digests(project: Path) -> dict[str, str]:
    """A digest of each file of the code and its tests, by its path."""
    return {
        path.relative_to(project).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest()
        for folder in ("harness", "backends", "tests")
        for path in sorted((project / folder).rglob("*.py"))
        if path.parent.name != "mutation"
    }


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
    duration = total = 0.0
    for test in tests:
        if total + test.seconds > most and total:
            break
        portion.append(test.id)
        duration += test.seconds
        total += test.seconds
        if duration >= seconds:
            yield portion
            portion, duration = [], 0.0
    if portion:
        yield portion
