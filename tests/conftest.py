"""Fixtures for the tests of several rooms, and the list of skipped tests after a run."""

import fcntl
import gc
import inspect
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Generator, Sequence
from io import StringIO
from pathlib import Path
from textwrap import indent
from typing import Any, NamedTuple

import pandas as pd
import pytest
from hypothesis import settings

import harness as api
from harness.base.plugins import version_of
from harness.contract import environments
from harness.contract.registry import installed_backends
from harness.engine.processes import ServerHandle, ServerPool
from harness.puzzles.datasets.catalogue import FOLDER_VARIABLE
from harness.records.question import Configuration
from tests.environments import install, python_in
from tests.solvers import fault_of_skip, libraries, takes_optional_backend
from tests.trials import DEFAULTS, trials_from

PROJECT = Path(__file__).resolve().parents[1]
CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
ARGUMENTS = [
    *("--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"),
    *("--disable-background-networking", "--disable-component-update", "--disable-sync"),
]
OWN_SERVERS = ("tests/engine/", "tests/hostile/")
"""Rooms in which every test starts servers of its own."""

# Slowness on a busy machine is not a failure.
settings.register_profile("untimed", deadline=None)
settings.register_profile("long", settings.get_profile("untimed"))
settings.load_profile("untimed")


@pytest.fixture(scope="session", autouse=True)
def _no_data_of_the_user(tmp_path_factory: pytest.TempPathFactory) -> Generator[None]:
    """Keep datasets and environments of the user of this machine away from the tests."""
    with pytest.MonkeyPatch.context() as patch:
        base = tmp_path_factory.getbasetemp()
        patch.setenv(FOLDER_VARIABLE, str(base / "datasets"))
        patch.setenv(environments.FOLDER_VARIABLE, str(base / "environments"))
        yield


def pytest_pycollect_makeitem(collector: pytest.Module, obj: object) -> list[pytest.Item] | None:
    """Make no cases of tests marked `long` in a run that leaves these tests out.

    A test that the command names is made, so that pytest finds it.
    """
    config = collector.config
    if config.option.markexpr != "not long" or any("::" in name for name in config.args):
        return None
    marks = getattr(obj, "pytestmark", []) if inspect.isfunction(obj) else []
    long = collector.get_closest_marker("long") or any(mark.name == "long" for mark in marks)
    return [] if long else None


def pytest_configure(config: pytest.Config) -> None:
    """Use more examples of properties in a run with the long tests.

    Garbage collection is off while tests are collected, because all of them stay.
    """
    if config.option.markexpr != "not long":
        settings.load_profile("long")
    gc.disable()


@pytest.hookimpl(tryfirst=True)
def pytest_sessionstart(session: pytest.Session) -> None:
    """Compile the kernels of native-jit before a run in several processes.

    In a fresh clone this takes a minute or two, which count in no test's time limit.
    """
    if session.config.option.numprocesses:  # empty in each of the processes
        load = "from harness.contract import registry; registry.load_backend('native-jit')"
        subprocess.run([sys.executable, "-c", load], cwd=PROJECT, check=False)


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark the tests that take an optional backend as a parameter, and those in a browser."""
    for item in items:
        if not item.get_closest_marker("long") and takes_optional_backend(item):
            item.add_marker("solvers")
        if "browser" in getattr(item, "fixturenames", ()):
            # The driver leaves a socket to the garbage collector when it ends.
            item.add_marker(pytest.mark.filterwarnings("ignore::ResourceWarning"))


def pytest_report_header(config: pytest.Config) -> str | None:
    """The versions of the optional solvers, in a run of their tests."""
    if config.option.markexpr != "solvers":
        return None
    return f"solvers: {', '.join(f'{name} {version_of(name)}' for name in sorted(libraries()))}"


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Generator[None, pytest.TestReport, Any]:
    """Fail a test that was skipped for a reason that is not allowed."""
    report = yield
    if report.skipped and isinstance(report.longrepr, tuple):
        fault = fault_of_skip(
            report.longrepr[2].removeprefix("Skipped: "),
            solvers_run=item.config.option.markexpr == "solvers",
            marked=any(item.iter_markers("solvers")) or any(item.iter_markers("long")),
        )
        if fault:
            report.outcome, report.longrepr = "failed", fault
    return report


def pytest_collection_finish() -> None:
    """Spare the tests most of the garbage collection, which takes a sixth of their time.

    Thousands of collected tests stay to the end, and each full collection would visit them all.
    """
    gc.freeze()
    gc.set_threshold(100_000, 50, 100)
    gc.enable()


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_terminal_summary(
    terminalreporter: pytest.TerminalReporter,
) -> Generator[None]:
    """Print what was skipped and why, in one line directly above pytest's closing line."""
    yield
    terminalreporter.write_line(skipped_line(terminalreporter.stats.get("skipped", [])))


def skipped_line(reports: Sequence[pytest.TestReport | pytest.CollectReport]) -> str:
    """The number of skipped tests by reason, the most frequent reason first.

    Reasons such as ``clingo is not installed`` and ``z3 is not installed`` count as one, with
    the subjects in brackets.
    """
    if not reports:
        return "nothing skipped"
    numbers: Counter[str] = Counter()
    subjects: dict[str, set[str]] = {}
    for report in reports:
        text = report.longrepr[2] if isinstance(report.longrepr, tuple) else str(report.longrepr)
        subject, _, reason = text.removeprefix("Skipped: ").rpartition(" is not ")
        reason = f"not {reason}" if subject else reason
        numbers[reason] += 1
        subjects.setdefault(reason, set()).update([subject] if subject else [])
    parts = [
        f"{number} {reason} ({', '.join(sorted(subjects[reason]))})".removesuffix(" ()")
        for reason, number in numbers.most_common()
    ]
    return f"{len(reports)} skipped: {'; '.join(parts)}"


class Stream(StringIO):
    """A stream that is a terminal, or not."""

    encoding = "utf-8"

    def __init__(self, terminal: bool) -> None:
        super().__init__()
        self.terminal = terminal

    def isatty(self) -> bool:
        return self.terminal


@pytest.fixture
def plain_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    """A terminal of 80 columns, without settings of colours."""
    for name in ("NO_COLOR", "FORCE_COLOR", "LC_ALL"):
        monkeypatch.delenv(name, raising=False)
    for name, value in {"TERM": "xterm", "LANG": "C.UTF-8", "COLUMNS": "80", "LINES": "24"}.items():
        monkeypatch.setenv(name, value)


class Ended(NamedTuple):
    """Exit code and output of a command."""

    code: int
    out: str
    err: str


Harness = Callable[..., Ended]
"""The type of the fixture `harness`."""


@pytest.fixture(scope="session")
def shared_puzzles() -> Path:
    """The folder of puzzle collections beside the checkout; tests skip if it is missing."""
    folder = PROJECT.parent / "shared" / "puzzles"
    if not folder.is_dir():
        pytest.skip("no puzzle collections in ../shared/puzzles")
    return folder


@pytest.fixture(scope="module")
def browser() -> Generator[Any]:
    """Debian's Chromium; while it is open, no other test can run an event loop."""
    sync_api = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    if CHROMIUM is None:
        pytest.skip("no chromium is installed")
    with sync_api.sync_playwright() as driver:
        chromium = driver.chromium.launch(executable_path=CHROMIUM, args=ARGUMENTS)
        yield chromium
        chromium.close()


@pytest.fixture(scope="session")
def build_once(
    tmp_path_factory: pytest.TempPathFactory, request: pytest.FixtureRequest
) -> Callable[[str, Callable[[Path], object]], Path]:
    """Build a folder once for all xdist workers.

    ``build_once(name, build)`` returns the folder. The first worker that requests `name`
    calls ``build(folder)``; the others wait until it is complete.
    """
    common = tmp_path_factory.getbasetemp()
    if hasattr(request.config, "workerinput"):
        common = common.parent  # a worker has its own folder within that of the run

    def folder_of(name: str, build: Callable[[Path], object]) -> Path:
        folder, complete = common / name, common / f"{name}.complete"
        with (common / f"{name}.lock").open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            if not complete.exists():
                shutil.rmtree(folder, ignore_errors=True)  # from an attempt that failed
                folder.mkdir()
                build(folder)
                complete.touch()
        return folder

    return folder_of


@pytest.fixture(scope="session")
def run_once(build_once: Callable[..., Path]) -> Callable[..., Path]:
    """Run a sweep once for all xdist workers.

    ``run_once(name, puzzles, backends, **options)`` returns a folder with these lines in
    ``puzzles.txt`` and the run in ``run``. A test that changes the run copies it first.
    """

    def folder_of(
        name: str, puzzles: Sequence[str], backends: Sequence[str], **options: Any
    ) -> Path:
        def build(folder: Path) -> None:
            (folder / "puzzles.txt").write_text("".join(f"{line}\n" for line in puzzles))
            api.run(str(folder / "puzzles.txt"), backends, out=folder / "run", **options)

        return build_once(name, build)

    return folder_of


@pytest.fixture(scope="session")
def built(build_once: Callable[..., Path]) -> Path:
    """The folder with the sdist and the wheel built from it."""
    command = [sys.executable, "-m", "build", "--no-isolation", "--outdir"]

    def build(folder: Path) -> None:
        subprocess.run([*command, folder, PROJECT], check=True, capture_output=True)

    return build_once("dist", build)


@pytest.fixture(scope="session")
def installed_python(built: Path, build_once: Callable[..., Path]) -> Path:
    """Python of a new environment with the wheel, and with the libraries of this environment."""
    return python_in(build_once("installed", lambda folder: install(built, folder)))


@pytest.fixture
def harness(capfd: pytest.CaptureFixture[str]) -> Callable[..., Ended]:
    """Run a harness command in this process."""
    from harness.cli import main
    from harness.cli.terminal import set_quiet

    def run(*words: str | Path) -> Ended:
        capfd.readouterr()
        with pytest.raises(SystemExit) as end:
            main([str(word) for word in words])
        set_quiet(quiet=False)
        out, err = capfd.readouterr()
        code = end.value.code
        assert isinstance(code, int)
        return Ended(code, out, err)

    return run


@pytest.fixture
def offered(
    harness: Callable[..., Ended], monkeypatch: pytest.MonkeyPatch
) -> Callable[[str], set[str]]:
    """The completions that bash gets for the end of a line."""

    def offered(line: str) -> set[str]:
        words = line.split(" ")
        monkeypatch.setenv("_HARNESS_COMPLETE", "complete_bash")
        monkeypatch.setenv("COMP_WORDS", "\n".join(words))
        monkeypatch.setenv("COMP_CWORD", str(len(words) - 1))
        monkeypatch.setenv("TERMINAL_WIDTH", "")  # the command sets it
        result = harness()
        assert (result.code, result.err) == (0, "")
        return set(result.out.split())

    return offered


@pytest.fixture(scope="session")
def kept_session() -> Generator[api.Session]:
    """A session whose workers stay for all tests that only need an answer."""
    with api.Session() as session:
        yield session


@pytest.fixture
def warm_workers(kept_session: api.Session, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let every session use the workers of the kept one: `harness solve` starts none of its own.

    Not for tests of the start and the end of workers, or of their environment.
    """
    supervisor = api.Session._supervisor
    monkeypatch.setattr(
        api.Session, "_supervisor", lambda _, specs: supervisor(kept_session, specs)
    )


@pytest.fixture(scope="session", autouse=True)
def _kept_servers(_no_data_of_the_user: None) -> Generator[None]:
    """Let runs in this process fork their workers from servers that stay for all tests.

    A run imports a built-in backend only if it is the first with its spec, if a test has changed
    the environment, or in a room whose subject is the servers.
    """
    servers: dict[str, tuple[ServerHandle, Configuration]] = {}
    load, close, environment = ServerPool.load, ServerPool.close, _environment()
    built_in = {backend.name for backend in installed_backends() if backend.is_built_in}

    def load_once(
        pool: ServerPool, *, refusals: bool = False, prepares: bool = True
    ) -> list[Configuration]:
        own = os.environ.get("PYTEST_CURRENT_TEST", "").startswith(OWN_SERVERS)
        if own or pool._hash_seed or not prepares or _environment() != environment:
            return load(pool, refusals=refusals, prepares=prepares)
        specs, configurations = pool._specs, {}
        for label in specs:
            if label in servers and servers[label][0].process._process.poll() is None:
                pool._servers[label], configurations[label] = servers[label]
        pool._specs = {label: spec for label, spec in specs.items() if label not in configurations}
        configurations |= {server.spec.label: server for server in load(pool, refusals=refusals)}
        pool._specs = specs
        for label, server in pool._servers.items():
            if specs[label].locator in built_in:
                servers[label] = server, configurations[label]
        return [configurations[label] for label in specs]

    def close_others(pool: ServerPool) -> None:
        stay = [server for server, _ in servers.values()]
        pool._servers = {k: server for k, server in pool._servers.items() if server not in stay}
        close(pool)

    patch = pytest.MonkeyPatch()  # not undone: the session of the Python API closes at the exit
    patch.setattr(ServerPool, "load", load_once)
    patch.setattr(ServerPool, "close", close_others)
    yield
    for server, _ in servers.values():
        server.end()


def _environment() -> tuple[object, ...]:
    """What a server takes from this process."""
    return tempfile.gettempdir(), {**os.environ, "PYTEST_CURRENT_TEST": ""}


@pytest.fixture
def own_servers(monkeypatch: pytest.MonkeyPatch) -> None:
    """Have the runs of a test start servers of their own."""
    monkeypatch.setenv("SERVERS_OF_THIS_TEST", "1")


@pytest.fixture
def a_backend(tmp_path: Path) -> Callable[..., str]:
    """Write a backend file from the bodies of its methods and further members; return its spec."""

    def write(
        solve: str = "return Answer.unknown()",
        *,
        count: str = "return Count(0, True)",
        name: str = "made",
        top: str = "",
        members: str = "",
    ) -> str:
        path = tmp_path / f"{name}.py"
        path.write_text(
            f"import os, signal, sys, time\n"
            f"from harness.contract import Answer, Backend, Count, Unsupported\n{top}\n"
            f"class Made(Backend):\n"
            f"    name = '{name}'\n"
            f"    paradigm = 'made for a test'\n"
            f"    def __init__(self, shape, options): self.shape = shape\n"
            f"    def solve(self, puzzle):\n{indent(solve, ' ' * 8)}\n"
            f"    def count(self, puzzle, limit):\n{indent(count, ' ' * 8)}\n"
            f"{indent(members, ' ' * 4)}\n"
        )
        return f"{path}:Made"

    return write


@pytest.fixture
def a_file(tmp_path: Path) -> Callable[..., Path]:
    """Write lines to a puzzle file."""

    def write(lines: Sequence[str], name: str = "puzzles.txt") -> Path:
        path = tmp_path / name
        path.write_text("".join(f"{line}\n" for line in lines))
        return path

    return write


@pytest.fixture(scope="session")
def trials_of() -> Callable[..., pd.DataFrame]:
    """Make trials from ``{backend: [seconds or verdict, ...]}``, one list element per puzzle.

    A tuple holds the repetitions of one puzzle; None means that the backend has no trial of
    the puzzle. A further column has the same value in all trials, or is a function of the
    puzzle's number.
    """

    def make(results: dict[str, Sequence[Any]], **columns: Any) -> pd.DataFrame:
        defaults = {**DEFAULTS, "host": "here", "paradigm": "made up", "stats": "{}", **columns}
        rows = []
        for backend, puzzles in results.items():
            for number, result in enumerate(puzzles):
                row = {k: v(number) if callable(v) else v for k, v in defaults.items()}
                row = {"puzzle_id": f"p{number:04d}", "name": f"n{number}"} | row
                if result is None:
                    continue
                repetitions = result if isinstance(result, tuple) else (result,)
                for repetition, outcome in enumerate(repetitions, 1):
                    is_failure = isinstance(outcome, str)
                    outcome_columns = {
                        "backend": backend,
                        "repetition": repetition,
                        "verdict": outcome if is_failure else "solved",
                        "wall_s": row["timeout_s"] if is_failure else outcome,
                    }
                    rows.append(row | outcome_columns)
        return trials_from(rows)

    return make


@pytest.fixture
def has_ended() -> Callable[[int], bool]:
    """Whether a process ends within 30 seconds. A zombie has ended."""

    def is_over(pid: int) -> bool:
        deadline = time.monotonic() + 30
        while time.monotonic() < deadline:
            try:
                state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
            except (FileNotFoundError, ProcessLookupError):
                return True
            if state == "Z":
                return True
            time.sleep(0.02)
        return False

    return is_over
