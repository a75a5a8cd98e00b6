"""Environments of backends: installed from local wheels with uv and with pip, and removed."""

import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import harness
from harness.base.errors import InputError, StorageError
from harness.base.files import locked
from harness.contract import environments
from harness.contract.environments import Environment
from harness.contract.options import BackendSpec, parse_specs
from harness.extensions.certificates.certify import Certifiers
from harness.extensions.conformance.examiner import ExaminationOptions, examine_isolated
from harness.extensions.conformance.report import is_kept
from harness.extensions.noise.copies import run_copies
from harness.extensions.versions import installation
from harness.puzzles import Puzzle, Shape
from harness.records.folder.environment import ConfigurationVersions, read_invocations
from harness.records.question import Question, Start, Task, Verdict
from harness.runs.selection import expand_specs
from harness.runs.sweep import Sweep
from tests.conftest import Harness
from tests.wheels import offline, write_index, write_wheel

GRID = "12343412214343.."

Install = Callable[..., list[installation.Installed]]


@pytest.fixture(scope="session")
def index(build_once: Callable[..., Path]) -> Path:
    return build_once("wheels", write_index)


@pytest.fixture
def fake(index: Path) -> str:
    """The backend whose versions are installed."""
    return f"{index}/fake.py"


@pytest.fixture(params=["uv", "pip"])
def installer(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """Whether uv is there; without it, venv and pip install."""
    if request.param == "uv" and installation.uv_program() is None:
        pytest.skip("needs uv")
    if request.param == "pip":
        monkeypatch.setattr(installation, "uv_program", lambda: None)
    return str(request.param)


@pytest.fixture
def install(fake: str, index: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Install:
    """Install versions of the backend ``fake.py``; the notices go to ``install.notices``."""
    for name, value in offline(index, tmp_path / "environments").items():
        monkeypatch.setenv(name, value)

    def run(*versions: str, notices: list[str] | None = None) -> list[installation.Installed]:
        texts = [f"{fake}{version}" for version in versions]
        say = (notices if notices is not None else []).append
        return list(installation.install(expand_specs(texts), say))

    return run


@pytest.fixture(scope="session")
def fillings(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of what uv has put into environments."""
    return tmp_path_factory.mktemp("fillings")


@pytest.fixture
def repeat_fillings(fillings: Path, index: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An installation puts into an environment what the first one of its version put there.

    For tests of what surrounds that work. What `fake.py` needs is known from the first one, too.
    """
    fill, needs = installation._fill, installation._needs

    def filled(part: Path, spec: BackendSpec, distributions: Sequence[str]) -> Environment:
        folder = fillings / "-".join([spec.version, *distributions])
        if not folder.exists():
            environment = fill(part, spec, distributions)
            shutil.copytree(part, folder, symlinks=True)
            KNOWN[folder] = environment
        else:
            shutil.copytree(folder, part, symlinks=True, dirs_exist_ok=True)
        environment = KNOWN[folder]
        return replace(environment, folder=environments.folder() / environment.folder.name)

    def known(locators: Sequence[str], notice: Callable[[str], None]) -> dict[str, Any]:
        if [*locators] != [str(index / "fake.py")]:
            return needs(locators, notice)
        if not NEEDS:
            NEEDS.update(needs(locators, notice))
        return NEEDS

    monkeypatch.setattr(installation, "_fill", filled)
    monkeypatch.setattr(installation, "_needs", known)


KNOWN: dict[Path, Environment] = {}
"""What was put into an environment first, by the folder with a copy."""
NEEDS: dict[str, Any] = {}
"""What `fake.py` needs."""


@pytest.fixture
def puzzles(tmp_path: Path) -> str:
    """The name of a file with two puzzles."""
    file = tmp_path / "puzzles.txt"
    file.write_text(f"{GRID}\n{'.' * 16}\n")
    return str(file)


def solve(spec: str) -> Verdict:
    """The verdict of a trial whose server starts now."""
    question = Question(Task.SOLVE, 0, Start.COLD, 10.0)
    with harness.Session() as session:
        (reply,) = session.ask(Puzzle.of_line(GRID, Shape.parse("4x4")), spec, question)
    return reply.verdict


def prune() -> list[str]:
    """The names of the folders that are removed now."""
    return list(installation.prune(None))


def versions() -> list[str]:
    return [environment.version for environment in environments.installed_environments()]


def test_versions_of_a_package_run_side_by_side(
    install: Install, fake: str, tmp_path: Path, puzzles: str
) -> None:
    install("@[1.0,1.1]")
    assert versions() == ["1.0", "1.1.5"]
    assert not list(environments.folder().glob(".*"))
    specs = [f"{fake}@[1.0,1.1]", "native"]
    run = harness.run(puzzles, specs, out=tmp_path / "run", repeat=2)
    assert set(run.trials["backend"]) == {"fake@1.0", "fake@1.1", "native"}
    assert set(run.trials["verdict"]) == {"solved"}
    times_used = {
        str(row["backend"]): json.loads(str(row["versions"])).get("fakesolver")
        for row in run.trials.to_dict("records")
    }
    assert times_used == {"fake@1.0": "1.0", "fake@1.1": "1.1.5", "native": None}
    (record,) = read_invocations(tmp_path / "run")
    packages = record.environments["fake@1.1"]
    assert packages.keys() == {"Python", "fakesolver", "msgspec", "numpy"}
    assert packages["Python"] == ".".join(map(str, sys.version_info[:3]))
    assert record.environments.keys() == {"fake@1.0", "fake@1.1"}


@pytest.mark.usefixtures("repeat_fillings")
def test_a_backend_without_version_takes_the_newest_environment(
    install: Install, fake: str
) -> None:
    with pytest.raises(InputError, match=r"fake is not available: .*harness backends install"):
        solve(fake)
    install("@[1.0,1.1]")
    assert solve(fake) is Verdict.SOLVED
    for text, version in (("@1.0", "1.0"), ("", "1.1.5")):
        (again,) = install(text)
        assert again.seconds is None
        assert again.environment
        assert again.environment.version == version


@pytest.mark.parametrize(
    ("installer", "version", "reason"),
    [
        ("uv", "@7.7", r"7\.7"),
        ("pip", "@7.7", r"7\.7"),
        ("uv", "@2.0", "does not run: ImportError: no licence"),
        ("uv", "@2.1", "nothing-like-this"),
        ("uv", "@2.2", "RuntimeError: no compiler here"),
        ("pip", "@2.2", "RuntimeError: no compiler here"),
    ],
    indirect=["installer"],
)
def test_a_failure_is_one_line_and_leaves_nothing(
    installer: str, install: Install, version: str, reason: str
) -> None:
    with pytest.raises(InputError, match=reason) as caught:
        install(version)
    assert "\n" not in str(caught.value)
    assert versions() == []
    assert list(environments.folder().iterdir()) == []


@pytest.mark.usefixtures("installer")
def test_no_code_of_a_package_runs_during_an_installation(
    install: Install, index: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The file ``.pth`` is read at the import of the backend, in a process of its own."""
    shutil.copytree(index, tmp_path / "index")
    code = f"import pathlib; pathlib.Path({str(tmp_path / 'ran')!r}).touch()"
    files = {"fakesolver.py": "", "hostile.pth": "import os; os._exit(3)"}
    files |= {"sitecustomize.py": code, "usercustomize.py": code}
    write_wheel(tmp_path / "index", "fakesolver", "7.7", files)
    for name, value in offline(tmp_path / "index", environments.folder()).items():
        monkeypatch.setenv(name, value)
    with pytest.raises(InputError, match=r"@7\.7 does not run: .*: in hostile\.pth"):
        install("@7.7")
    assert not (tmp_path / "ran").exists()


def test_pip_installs_into_the_environment_whatever_its_settings_say(
    install: Install, fake: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(installation, "uv_program", lambda: None)
    settings = tmp_path / "pip.conf"
    settings.write_text(f"[install]\ntarget = {tmp_path}/there\nuser = true\n")
    monkeypatch.setenv("PIP_CONFIG_FILE", str(settings))
    for name in ("PIP_TARGET", "PIP_PREFIX", "PIP_ROOT", "PIP_USER"):
        monkeypatch.setenv(name, "1" if name == "PIP_USER" else str(tmp_path / "there"))
    install("@1.1")
    assert versions() == ["1.1.5"]
    assert not (tmp_path / "there").exists()
    assert solve(f"{fake}@1.1") is Verdict.SOLVED


@pytest.mark.usefixtures("installer")
def test_an_index_that_cannot_be_reached_is_the_reason(
    install: Install, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("PIP_NO_INDEX")
    for variable in ("PIP_INDEX_URL", "UV_DEFAULT_INDEX"):
        monkeypatch.setenv(variable, "http://127.0.0.1:9/simple")
    options = (*installation._PIP_OPTIONS, "--retries=1")
    monkeypatch.setattr(installation, "_PIP_OPTIONS", options)
    monkeypatch.setenv("UV_HTTP_RETRIES", "0")
    with pytest.raises(InputError, match="no package index can be reached: Connection refused"):
        install("@7.7")


@pytest.mark.usefixtures("repeat_fillings")
def test_one_failure_does_not_prevent_other_installations(install: Install) -> None:
    notices: list[str] = []
    with pytest.raises(InputError, match=r"^1 of 2 backends cannot be installed$"):
        install("@[7.7,1.0]", notices=notices)
    assert versions() == ["1.0"]
    assert any("@7.7 cannot be installed" in notice for notice in notices)


def test_a_backend_without_packages_has_no_versions(install: Install) -> None:
    with pytest.raises(InputError, match="native@1 needs no packages"):
        list(installation.install([BackendSpec("native", version="1")], lambda _: None))
    (own,) = installation.install([BackendSpec("native")], lambda _: None)
    assert own.environment is None


def test_a_python_that_is_missing_or_too_old_is_an_error(install: Install) -> None:
    with pytest.raises(InputError, match=r"Python 3\.99"):
        install("@1.0[python=3.99]")
    with pytest.raises(InputError, match=r"Python 3\.7 is too old"):
        install("@1.0[python=3.7]")


@pytest.mark.usefixtures("environment", "repeat_fillings")
def test_the_exact_versions_of_a_run_and_of_shards_are_installed_again(
    harness: Harness, fake: str, tmp_path: Path, puzzles: str
) -> None:
    sweep = tmp_path / "sweep.toml"
    sweep.write_text(f'datasets = "{puzzles}"\nbackends = ["{fake}@1", "native"]\n')
    run, shards = tmp_path / "run", tmp_path / "shards"
    assert harness("run", sweep, "--out", run).code == 0
    assert harness("cluster", "plan", sweep, "--shards", "1", "--out", shards).code == 0
    for file in (run / "sweep.toml", shards / "shard-0001.toml"):
        assert harness("backends", "uninstall", fake).code == 0
        assert harness("backends", "install", "--for", file).code == 0
        assert versions() == ["1.0"]


def test_a_recorded_version_is_for_backends_that_the_harness_lacks() -> None:
    with_solver = ConfigurationVersions({}, {"sudoku-harness": "0.1", "msgspec": "1.2", "x": "3"})
    absent = ConfigurationVersions({}, {"sudoku-harness": "0.1", "no-solver": "1.2"})
    file = ConfigurationVersions({}, {"sudoku-harness": "0.1", "code": "sha256:12"})
    versions = {"a": with_solver, "a@1[python=3.13]": with_solver, "b": absent, "c": file}
    exact = {"a@1[python=3.13]": "a@1.2[python=3.13]", "b": "b@1.2"}
    for text, expected in {"a": "a", "c": "c", "d": "d", **exact}.items():
        (spec,) = parse_specs(text)
        assert str(installation.as_recorded(spec, versions)) == expected


def without_packages(environment: Environment) -> None:
    shutil.rmtree(environment.interpreter.packages)
    environment.interpreter.packages.mkdir()


def folder_as_python(environment: Environment) -> None:
    environment.interpreter.program.unlink()
    environment.interpreter.program.mkdir()


def python_of(text: str) -> Callable[[Environment], None]:
    def replace(environment: Environment) -> None:
        program = environment.interpreter.program
        program.unlink()
        program.write_text(text)
        program.chmod(0o755)

    return replace


def path_file_of(code: str) -> Callable[[Environment], object]:
    return lambda environment: (environment.interpreter.packages / "hostile.pth").write_text(code)


def without_msgspec(environment: Environment) -> None:
    shutil.rmtree(environment.interpreter.packages / "msgspec")


def of_version_1_1(environment: Environment) -> None:
    record = replace(environment, version="1.1.5").record
    (environment.folder / environments.RECORD).write_bytes(record)


@pytest.mark.usefixtures("repeat_fillings")
@pytest.mark.parametrize(
    ("damage", "reason", "version"),
    [
        (python_of("no program"), "Exec format error", "1.0"),
        (python_of("#!/bin/sh\nexit 7"), "exited with code 7", "1.0"),
        (folder_as_python, "Python of its environment is missing or not readable", "1.0"),
        (without_packages, "No module named", "1.0"),
        (without_msgspec, "'msgspec'", "1.0"),
        (of_version_1_1, r"it has fakesolver 1\.0, not 1\.1\.5", "1.1"),
        (
            path_file_of("import os; os.kill(os.getpid(), 9)"),
            r"killed by SIGKILL: in hostile\.pth",
            "1.0",
        ),
        pytest.param(
            path_file_of("import time; time.sleep(100)"),
            r"hostile\.pth ran for 10 s",
            "1.0",
            marks=pytest.mark.long,
        ),
    ],
)
def test_a_damaged_environment_is_unavailable_and_the_installation_repairs_it(
    environment: Environment,
    install: Install,
    fake: str,
    damage: Callable[[Environment], object],
    reason: str,
    version: str,
) -> None:
    damage(environment)
    command = rf"; harness backends install .*@{re.escape(version)}"
    problem = rf"fake.*@{re.escape(version)} is (not available|damaged): .*{reason}.*{command}$"
    with pytest.raises(InputError, match=problem):
        solve(f"{fake}@{version}")
    (result,) = install(f"@{version}")
    assert result.seconds is not None
    assert solve(f"{fake}@{version}") is Verdict.SOLVED
    assert len(versions()) == len(list(environments.folder().iterdir())) == 1


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGKILL])
def test_a_python_without_answer_ends_with_the_command(
    environment: Environment, fake: str, tmp_path: Path, number: signal.Signals
) -> None:
    sleep = f"sleep 5432.{number:d}"  # which no test beside this one starts
    python_of(f"#!/bin/sh\n{'exec ' if number is signal.SIGKILL else ''}{sleep}\n")(environment)
    (tmp_path / "tmp").mkdir()
    words = ["solve", GRID, "--shape", "4x4", "--backend", f"{fake}@1.0"]
    process = subprocess.Popen(
        [sys.executable, "-m", "harness", *words],
        env={**os.environ, "TMPDIR": str(tmp_path / "tmp")},
        stderr=subprocess.DEVNULL,
    )
    while process.poll() is None and not mentioning(sleep):
        time.sleep(0.05)
    process.send_signal(number)
    assert process.wait(20) == (-9 if number is signal.SIGKILL else 128 + number)
    deadline = time.monotonic() + 5
    while (processes := mentioning(sleep)) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert processes == []
    if number is not signal.SIGKILL:
        assert list((tmp_path / "tmp").iterdir()) == []


def test_a_signal_at_the_fork_of_a_server_leaves_no_process(
    environment: Environment, fake: str
) -> None:
    sleep = "sleep 6543.2"
    python_of(f"#!/bin/sh\n{sleep}\n")(environment)
    code = f"""
import os, signal
from harness.engine.processes import ServerPool
from harness.runs.selection import expand_specs
from time import sleep
from contextlib import closing
signal.signal(signal.SIGINT, signal.default_int_handler)  # a job in the background ignores it
def interrupt():
    sleep(0.2)
    os.kill(os.getpid(), {signal.SIGINT:d})
os.register_at_fork(after_in_parent=interrupt)
with closing(ServerPool(expand_specs(["{fake}@1.0"]), print, print)) as servers:
    try:
        servers.load()
    except KeyboardInterrupt:
        print("interrupted")
"""
    result = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=20
    )
    assert (result.stdout, result.stderr) == ("interrupted\n", "")
    assert mentioning(sleep) == []


def test_two_specs_of_one_environment_are_one_configuration(
    environment: Environment, fake: str
) -> None:
    specs = expand_specs([f"{fake}@[1,1.0][x=[1,2]]", f"{fake}@1.7"])
    assert [spec.spec_text("fake") for spec in specs] == ["fake@1[x=1]", "fake@1[x=2]", "fake@1.7"]


def test_a_damaged_environment_does_not_end_a_run(
    environment: Environment, fake: str, tmp_path: Path, puzzles: str
) -> None:
    python_of("no program")(environment)
    specs = [f"{fake}@1.0", fake, "native"]
    run = harness.run(puzzles, specs, out=tmp_path / "run", skip_unavailable=True)
    assert set(run.trials["backend"]) == {"native"}


@pytest.mark.usefixtures("repeat_fillings")
def test_uninstall_removes_what_a_spec_names(install: Install, fake: str) -> None:
    install("@[1.0,1.1,1.2]")
    with pytest.raises(InputError, match=r"@7 is not installed .*@1\.0"):
        list(installation.uninstall(expand_specs([f"{fake}@7"])))
    (removal,) = installation.uninstall(expand_specs([f"{fake}@1.1"]))
    words = re.search(r"@1\.1\.5 \(.*, Python 3\.[0-9.]+, ([0-9]+) MB\)", removal)
    assert words
    assert int(words[1]) > 0
    assert versions() == ["1.0", "1.2"]
    list(installation.uninstall(expand_specs([fake])))
    assert list(environments.folder().iterdir()) == []


def test_prune_removes_only_what_installations_made(environment: Environment) -> None:
    folder = environments.folder()
    (folder / "photos").mkdir()
    (folder / ".tmpabc.part").mkdir()
    (folder / "mine").mkdir()
    (folder / "mine" / "pyvenv.cfg").write_text("version = 3.11.7\n")
    assert prune() == [".tmpabc.part"]
    environment.interpreter.program.unlink()
    shutil.copytree(environment.folder, folder / "unused", symlinks=True)
    assert prune() == [environment.folder.name, "unused"]
    assert {path.name for path in folder.iterdir()} == {"photos", "mine"}


def test_a_link_to_an_environment_elsewhere_is_removed_itself(
    environment: Environment, fake: str, tmp_path: Path
) -> None:
    environment.folder.rename(tmp_path / "elsewhere")
    environment.folder.symlink_to(tmp_path / "elsewhere")
    assert solve(f"{fake}@1.0") is Verdict.SOLVED
    list(installation.uninstall(expand_specs([fake])))
    assert list(environments.folder().iterdir()) == []
    assert (tmp_path / "elsewhere" / environments.RECORD).is_file()


def test_prune_keeps_what_is_installed_while_it_waits(
    environment: Environment, tmp_path: Path
) -> None:
    away = tmp_path / "away"
    with ThreadPoolExecutor(1) as threads:
        with locked(environments.folder()):
            environment.folder.rename(away)
            pruning = threads.submit(prune)
            time.sleep(0.5)
            away.rename(environment.folder)
        assert environment.folder.name not in pruning.result()
    assert environment.folder.is_dir()
    os.utime(environment.folder / environments.RECORD, (0, 0))
    assert list(installation.prune(90)) == [environment.folder.name]


def test_a_folder_that_cannot_be_made_is_an_error(
    install: Install, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").touch()
    monkeypatch.setenv(environments.FOLDER_VARIABLE, str(tmp_path / "file" / "environments"))
    with pytest.raises(harness.HarnessError, match="environments"):
        install("@1.0")


def test_two_installations_at_a_time_make_one_environment(install: Install, fake: str) -> None:
    both = [start(fake), start(fake)]
    assert [process.wait(60) for process in both] == [0, 0]
    assert versions() == ["1.0"]
    assert not list(environments.folder().glob(".*"))


@pytest.mark.usefixtures("repeat_fillings")
def test_a_killed_installation_leaves_nothing_that_counts(install: Install, fake: str) -> None:
    folder, process = environments.folder(), start_until_it_fills(fake)
    process.kill()
    process.wait()
    assert versions() == []
    assert list(folder.glob(".*.part"))
    install("@1.0")
    assert versions() == ["1.0"]
    assert not list(folder.glob(".*"))


def test_an_interrupted_installation_removes_its_folder(install: Install, fake: str) -> None:
    process = start_until_it_fills(fake)
    process.send_signal(signal.SIGTERM)
    assert process.wait() != 0
    assert list(environments.folder().iterdir()) == []


def mentioning(text: str) -> list[str]:
    """The commands of running processes that have this text."""
    commands = []
    for file in Path("/proc").glob("[0-9]*/cmdline"):
        with suppress(OSError):
            commands.append(file.read_bytes().replace(b"\0", b" ").decode(errors="replace"))
    return [command for command in commands if text in command]


def start(fake: str) -> subprocess.Popen[bytes]:
    """Start an installation in a process of its own."""
    spec = f"{fake}@1.0"
    return subprocess.Popen([sys.executable, "-m", "harness", "backends", "install", spec])


def start_until_it_fills(fake: str) -> subprocess.Popen[bytes]:
    """Start an installation, and wait until it fills its environment."""
    process = start(fake)
    while process.poll() is None and not list(environments.folder().glob(".*.part/bin")):
        time.sleep(0.01)
    return process


@pytest.mark.skipif(os.geteuid() != 0, reason="mounts a file system: needs root")
def test_a_full_disk_is_one_line(install: Install) -> None:
    folder = environments.folder()
    folder.mkdir(parents=True)
    mount = ["mount", "-t", "tmpfs", "-o", "size=200k", "none", str(folder)]
    if subprocess.run(mount, capture_output=True).returncode:
        pytest.skip("no file system can be mounted here")
    try:
        with pytest.raises(StorageError, match="No space left on device"):
            install("@1.0")
        assert list(folder.iterdir()) == []
    finally:
        subprocess.run(["umount", str(folder)], check=True)


def test_copies_of_a_version_run_in_its_environment(
    environment: Environment, fake: str, tmp_path: Path, puzzles: str
) -> None:
    sweep = Sweep((puzzles,), (f"{fake}@1.0",))
    (tmp_path / "copies").mkdir()
    before = environments.folder()
    (run,) = [harness.load(folder) for folder in run_copies(sweep, tmp_path / "copies", 1)]
    assert set(run.trials["verdict"]) == {"solved"}
    assert run.trials["versions"].str.contains('"fakesolver": "1.0"').all()
    copies = ["copy-1@1.0", "copy-2@1.0", "copy-3@1.0"]
    assert sorted(run.trials["backend"]) == sorted(copies * 2)
    assert environments.folder() == before
    absent = replace(sweep, backends=(f"{fake}@1.1",))
    with pytest.raises(InputError, match=r"fake\.py@1\.1 is not available: .*install"):
        next(run_copies(absent, tmp_path / "copies", 1))


# Hostile environments: what they hold runs in no process before the import of the backend.


@pytest.fixture
def environment(install: Install, build_once: Callable[..., Path]) -> Environment:
    """The backend in version 1.0; it is installed once, and copied for each test."""

    def build(folder: Path) -> None:
        install("@1.0")
        shutil.copytree(environments.folder(), folder / "environments", symlinks=True)

    folder = build_once("an-environment", build) / "environments"
    shutil.rmtree(environments.folder(), ignore_errors=True)
    shutil.copytree(folder, environments.folder(), symlinks=True)
    return environments.installed_environments()[0]


def test_a_hostile_module_of_an_environment_does_not_run(
    environment: Environment, fake: str
) -> None:
    for name in ("sitecustomize", "usercustomize", "json", "harness", "backends", "typing"):
        (environment.interpreter.packages / f"{name}.py").write_text("import os; os._exit(3)")
    assert solve(f"{fake}@1.0") is Verdict.SOLVED


def test_variables_about_python_do_not_reach_an_environment(
    environment: Environment, fake: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "fakesolver.py").write_text("raise ImportError('from PYTHONPATH')")
    monkeypatch.setenv("PYTHONPATH", f"{tmp_path}{os.pathsep}{os.environ.get('PYTHONPATH', '')}")
    assert solve(f"{fake}@1.0") is Verdict.SOLVED


def test_an_environment_that_is_removed_during_a_run_costs_only_its_own_trials(
    environment: Environment, fake: str, index: Path, tmp_path: Path, puzzles: str
) -> None:
    source = (index / "fake.py").read_text()
    kills = "import os, signal; os.kill(os.getppid(), signal.SIGKILL); os._exit(1)"
    removes = f"import shutil; shutil.rmtree({str(environment.folder)!r}, True); {kills}"
    file = tmp_path / "fake.py"
    beginning = "        import fakesolver\n        found"
    file.write_text(source.replace(beginning, f"        {removes}\n        found"))
    record = environment.record.replace(bytes(index / "fake.py"), bytes(file))
    (environment.folder / environments.RECORD).write_bytes(record)
    run = harness.run(puzzles, [f"{file}@1.0", "native"], out=tmp_path / "run", repeat=3)
    verdicts = run.trials.groupby("backend", observed=True)["verdict"].unique()
    assert set(verdicts["fake@1.0"]) == {"crashed"}
    assert set(verdicts["native"]) == {"solved"}


@pytest.mark.long
def test_real_solvers_keep_their_guarantees_in_environments(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(environments.FOLDER_VARIABLE, str(tmp_path / "environments"))
    specs = ["cnf@[1.8,1.9]", "z3@4.13"]
    try:
        results = list(installation.install(expand_specs(specs), lambda _: None))
    except InputError as error:
        pytest.skip(f"needs a package index: {error}")
    assert all(result.environment for result in results)
    starts, tasks = ["cold", "warm", "batch"], ["solve", "count"]
    run = harness.run("seeds", [*specs, "native"], starts=starts, tasks=tasks, memory=2000)
    assert set(run.trials["verdict"]) == {"solved", "counted"}
    assert run.trials.groupby(["backend", "start", "task"], observed=True).size().nunique() == 1
    for text in ("cnf@1.8", "z3@4.13"):
        options = ExaminationOptions(("4x4",), "", False, 10.0, 4096)
        assert is_kept(list(examine_isolated(expand_specs([text])[0], options, lambda _: None)))
    puzzle = harness.parse_puzzle(GRID, shape="4x4")
    with Certifiers(timeout_s=30) as certifiers:
        certification = certifiers.certify(puzzle, 2, expand_specs(["cnf@1.8[solver=glucose4]"]))
    assert certification.proven.reason == ""
