"""The trial of a mutant: its tests, in a process of its own, until the first one fails."""

import contextlib
import os
import resource
import signal
import sys
import time
import traceback
from collections.abc import Sequence
from importlib import import_module
from pathlib import Path
from typing import NamedTuple

import pytest

from tests.mutation.copy import environment
from tests.mutation.mutants import Mutant
from tests.mutation.selection import Test, chunks

PRELOADED = ("msgspec", "numpy", "pandas", "pyarrow", "rich", "scipy.stats", "typer")
"""Libraries that every trial would import."""
SECONDS_OF_CHUNK = 5.0
SECONDS = 90.0
"""Tests of a mutant, by the time that they took without it."""
PATIENCE = 5
"""Times as long as without the mutant, and a minute: then it does not end."""
GIB = 2**30
NO_END = "tests that do not end"
NO_IMPORT = "tests that cannot be imported"
CRASH = "a crash of the process of the tests"


class Result(NamedTuple):
    """What became of a mutant."""

    mutant: str
    caught_by: str
    """The id of the test, or `NO_END`, `NO_IMPORT` or `CRASH`; empty if it survived."""
    tests: int
    """The number of tests that run a changed line."""


class _FirstFailure:
    """Writes the id of the first test that fails into a pipe."""

    def __init__(self, pipe: int) -> None:
        self._pipe = pipe

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.failed:
            os.write(self._pipe, report.nodeid.encode() + b"\n")


def preload() -> None:
    """Import the libraries of the tests once, for all trials that are forked."""
    for name in PRELOADED:
        import_module(name)


def try_mutant(mutant: Mutant, tests: Sequence[Test], copy: Path, log: Path) -> Result:
    """Change the file in the copy, run the tests that can catch the mutant, change it back."""
    path = copy / mutant.path
    source = path.read_text()
    seconds = {test.id: test.seconds for test in tests}
    path.write_text(mutant.text(source))
    try:
        for ids in chunks(tests, SECONDS_OF_CHUNK, SECONDS):
            limit = 60 + PATIENCE * sum(seconds[id_] for id_ in ids)
            if caught := failing(ids, copy, limit, log):
                return Result(mutant.name, caught, len(tests))
    finally:
        path.write_text(source)
    return Result(mutant.name, "", len(tests))


def failing(ids: Sequence[str], copy: Path, limit: float, log: Path) -> str:
    """The first of these tests that fails in a forked process; empty if all pass.

    Args:
        ids: the tests.
        copy: the project with its change.
        limit: seconds, after which the tests do not end.
        log: the file for the output.
    """
    reading, writing = os.pipe()
    child = os.fork()
    if not child:
        code = 70
        try:
            os.setsid()
            os.close(reading)
            code = _run(ids, copy, writing, log)
        except Exception:
            traceback.print_exc()
            raise
        finally:
            sys.stderr.flush()
            os._exit(code)
    os.close(writing)
    exit_code = _wait(child, limit)
    with os.fdopen(reading, "rb") as pipe:
        first = pipe.readline().decode().strip()
    if exit_code is None:
        return NO_END
    if not first and exit_code < 0:
        return CRASH
    if not first and exit_code in (pytest.ExitCode.INTERRUPTED, pytest.ExitCode.USAGE_ERROR):
        return NO_IMPORT
    if not first and exit_code != pytest.ExitCode.OK:
        raise RuntimeError(f"the tests ended with code {exit_code}: {log.read_text()[-1000:]}")
    return first


def _run(ids: Sequence[str], copy: Path, pipe: int, log: Path) -> int:
    output = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
    for stream in (1, 2):
        os.dup2(output, stream)
    resource.setrlimit(resource.RLIMIT_DATA, (8 * GIB, 8 * GIB))
    for name in [m for m in sys.modules if m.split(".")[0] in ("tests", "harness", "backends")]:
        del sys.modules[name]
    os.chdir(copy)
    os.environ.update(environment(copy))
    sys.dont_write_bytecode = True
    others = [place for place in sys.path if not (Path(place) / "pyproject.toml").exists()]
    sys.path[:] = [str(copy), *others]
    list_ = log.with_suffix(".tests")
    list_.write_text("\n".join(ids))
    return pytest.main(
        ["-x", "-q", "-p", "no:cacheprovider", "--hypothesis-seed=0", f"@{list_}"],
        plugins=[_FirstFailure(pipe)],
    )


def _wait(child: int, limit: float) -> int | None:
    """The exit code, or None after `limit` seconds; its process group ends with it."""
    end = time.monotonic() + limit
    code: int | None = None
    while time.monotonic() < end:
        pid, status = os.waitpid(child, os.WNOHANG)
        if pid:
            code = os.waitstatus_to_exitcode(status)
            break
        time.sleep(0.02)
    with contextlib.suppress(ProcessLookupError):
        os.killpg(child, signal.SIGKILL)
    if code is None:
        os.waitpid(child, 0)
    return code
