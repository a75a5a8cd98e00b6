"""Installation and removal of environments, with uv if it exists, otherwise with venv and pip.

An environment is made in a temporary folder beside its place, which is renamed when it is
complete. One process at a time makes or removes environments. See `contract.environments`.
"""

import hashlib
import os
import re
import shutil
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from math import inf
from pathlib import Path
from time import monotonic, sleep, time
from typing import Final

from harness.base.child import output_of
from harness.base.errors import InputError, StorageError, not_among
from harness.base.files import UNFINISHED, is_unfinished, locked, writing
from harness.base.plugins import DISTRIBUTION, version_of, versions_in
from harness.base.text import shortened
from harness.contract import BackendSpec, Environment, Unavailable, environments, registry
from harness.engine import Supervisor
from harness.engine.system import remove_folder
from harness.records.folder import ConfigurationVersions

Notice = Callable[[str], None]

_MOST_OUTPUT: Final = 2**26
"""Bytes that an installer may print."""

# What to install.


@dataclass(frozen=True)
class Installed:
    """The result of installing a spec."""

    spec: BackendSpec
    environment: Environment | None
    """The environment; None if the packages of the harness have what the spec needs."""
    seconds: float | None
    """How long the installation took; None if nothing had to be installed."""


def install(specs: Sequence[BackendSpec], notice: Notice) -> Iterator[Installed]:
    """Install what these specs need, one after another; a spec that already works is left alone.

    Args:
        specs: specs with resolved locators; their settings do not matter.
        notice: receives a line before work that takes seconds and, with several specs, on each
            failure.

    Raises:
        InputError: an environment cannot be made, with the last line of the reason. With several
            specs, all others are installed first, and the reasons are notices.
    """
    distinct = list(dict.fromkeys(spec.without_settings for spec in specs))
    working = _working(distinct, notice)
    needs = _needs([spec.locator for spec in distinct if spec not in working], notice)
    failures = 0
    for spec in distinct:
        if spec in working or not (spec.version or needs[spec.locator].unavailable):
            yield Installed(spec, working.get(spec), None)
            continue
        try:
            yield _install(spec, needs[spec.locator].distributions(spec), notice)
        except InputError as error:
            if len(distinct) == 1:
                raise
            failures += 1
            notice(str(error))
    if failures:
        raise InputError(f"{failures} of {len(distinct)} backends cannot be installed")


def as_recorded(spec: BackendSpec, versions: Mapping[str, ConfigurationVersions]) -> BackendSpec:
    """`spec` with exactly the version that `versions` records by label; unchanged without one."""
    names = (spec.locator, Path(spec.locator).stem)
    configuration = next(
        (versions[label] for label in map(spec.spec_text, names) if label in versions), None
    )
    for package, version in configuration.versions.items() if configuration else ():
        if package == DISTRIBUTION or not (version and version[0].isdigit()):
            continue  # the version of the first other package counts
        return spec if not spec.version and version_of(package) else replace(spec, version=version)
    return spec


def _working(specs: Sequence[BackendSpec], notice: Notice) -> dict[BackendSpec, Environment]:
    """The environment of each spec whose backend loads in one; a server in each tries it."""
    candidates = {}
    for spec in specs:
        with suppress(Unavailable):
            if environment := environments.find(spec):
                candidates[spec] = environment
    with Supervisor(list(candidates), notice=notice) as supervisor:
        configurations = supervisor.open(refusals=True)
    return {
        configuration.spec: candidates[configuration.spec]
        for configuration in configurations
        if not configuration.unavailable
    }


@dataclass(frozen=True)
class _Needs:
    """What a backend requires, and whether the packages of the harness have it."""

    versions: Mapping[str, str | None]
    """The required distributions with their versions; None for a missing one."""
    unavailable: str
    """Why the backend does not run with these packages; empty if it does."""

    def distributions(self, spec: BackendSpec) -> list[str]:
        """The distributions of the environment of `spec`.

        Raises:
            InputError: there is nothing to install.
        """
        if self.versions and (spec.version or None in self.versions.values()):
            return list(self.versions)
        if self.versions or self.unavailable:
            raise InputError(f"{spec} does not run: {self.unavailable}")
        raise InputError(f"{spec} needs no packages", expected=f"{spec.locator} without version")


def _needs(locators: Sequence[str], notice: Notice) -> dict[str, _Needs]:
    """What these backends require, as servers started with the harness's packages report."""
    needs = {}
    bare = [BackendSpec(name, version=environments.OWN) for name in dict.fromkeys(locators)]
    with Supervisor(bare, notice=notice) as own:
        for configuration in own.open(refusals=True):
            locator = configuration.spec.locator
            description = configuration.description
            versions = (
                description.distributions
                if description
                else registry.declared_distributions(locator)
            )
            needs[locator] = _Needs(versions, configuration.unavailable)
    return needs


# Making an environment.


def _install(spec: BackendSpec, distributions: Sequence[str], notice: Notice) -> Installed:
    """Make the environment of `spec`.

    Raises:
        InputError: it cannot be made, or the backend does not run in it.
    """
    folder, begin = environments.folder(), monotonic()
    with writing(str(folder)):
        folder.mkdir(parents=True, exist_ok=True)
    with locked(folder, lambda: notice("waiting for another installation")):
        if environment := _working([spec], notice).get(spec):
            return Installed(spec, environment, None)
        notice(f"installing {spec}")
        for path in folder.iterdir():
            if is_unfinished(path.name):
                remove_folder(path)
        while True:
            candidate = _make_environment(folder, spec, distributions)
            with Supervisor([candidate.spec], notice=notice) as supervisor:
                (configuration,) = supervisor.open(refusals=True)
            if not (reason := configuration.unavailable):
                return Installed(spec, candidate, monotonic() - begin)
            with writing(str(folder)):
                _remove(candidate.folder)
            # What old versions need but do not declare, by a word in the error of their import.
            undeclared = {"pkg_resources": "setuptools<81", "numpy.core": "numpy<2"}
            additions = [package for word, package in undeclared.items() if word in reason]
            if not set(additions) - set(distributions):
                raise InputError(f"{spec} does not run: {reason}")
            distributions = [*distributions, *additions]


def _make_environment(folder: Path, spec: BackendSpec, distributions: Sequence[str]) -> Environment:
    """A new environment in `folder`, which replaces one that does not work."""
    with writing(str(folder)):
        part = Path(tempfile.mkdtemp(prefix=".", suffix=UNFINISHED, dir=folder))
    try:
        with writing(str(folder)):
            part.chmod(0o755)
        new = _fill(part, spec, distributions)
        installed = environments.installed_environments()
        with writing(str(new.folder)):
            for environment in (new, *(other for other in installed if other.spec == new.spec)):
                _remove(environment.folder)
            part.replace(new.folder)
        return new
    finally:
        for _ in range(20):  # a process that was killed may still write
            if remove_folder(part):
                break
            sleep(0.1)


def _fill(part: Path, spec: BackendSpec, distributions: Sequence[str]) -> Environment:
    """Fill the folder `part`; return the environment with its final folder."""
    package, *others = distributions
    pin = ""
    if spec.version:  # 9.14 is the newest 9.14.x; anything but numbers is an exact version
        pin = f"=={spec.version}{'.*' if re.fullmatch('[0-9.]+', spec.version) else ''}"
    # The harness's code in a worker needs msgspec for messages, and numpy for batches.
    requirements = [f"{package}{pin}", *others, "msgspec", "numpy"]
    python = part / "bin" / "python"
    uv = uv_program()
    if uv:
        _run(spec, (uv, "venv", "-q", "--python", _python(spec, uv), part))
        _run(spec, (uv, "pip", "install", "-q", "--python", python, *requirements))
    else:
        _run(spec, (_python(spec, uv), "-m", "venv", "--without-pip", part))
        own = (sys.executable, "-m", "pip", "--python", python)
        _run(spec, (*own, "install", *_PIP_OPTIONS, *requirements))
    environment = Environment(part, spec.locator, package, "", _python_version(part), spec.python)
    packages = environment.interpreter.packages
    versions = {_normal(name): number for name, number in versions_in([str(packages)]).items()}
    version = versions.get(_normal(package))
    if version is None:
        raise _failure(spec, f"{package} is not among the installed packages")
    name = f"{Path(spec.locator).stem}-{version}"
    name += f"-python{spec.python}" if spec.python else ""
    name += f"-{hashlib.sha256(os.fsencode(spec.locator)).hexdigest()[:8]}" if spec.is_file else ""
    place = replace(environment, folder=environments.folder() / name, version=version)
    with writing(str(part)):
        (part / environments.RECORD).write_bytes(place.record)
    return place


def uv_program() -> str | None:
    """The program uv, on the ``PATH`` or in the environment of the harness; None without one."""
    folders = (os.environ.get("PATH", os.defpath), str(Path(sys.executable).parent))
    return shutil.which("uv", path=os.pathsep.join(folders))


_PIP_OPTIONS: Final = (
    *("-q", "--no-input", "--disable-pip-version-check"),
    *("--no-user", "--target", "", "--retries", "5"),  # override settings of other targets
)


def _normal(name: str) -> str:
    """The name of a distribution in its normal form."""
    return re.sub(r"[-_.]+", "-", name).lower()


def _python(spec: BackendSpec, uv: str | None) -> str:
    """The Python of an environment: a program, or a version that uv finds.

    Raises:
        InputError: there is no such Python, or the harness does not run in it.
    """
    version = spec.python
    if not version:
        return sys.executable
    if tuple(map(int, version.split("."))) < (3, 11):
        raise InputError(f"Python {version} is too old", where=str(spec), expected="3.11 or later")
    pyenv = Path(os.environ.get("PYENV_ROOT") or "~/.pyenv").expanduser() / "versions"
    programs = [shutil.which(f"python{version}"), *pyenv.glob(f"{version}.*/bin/python{version}")]
    for program in filter(None, programs):
        with suppress(OSError):
            if output_of((str(program), "-I", "-c", ""), most_bytes=_MOST_OUTPUT).code == 0:
                return str(program)
    if uv is None:
        expected = f"python{version} on the PATH, or uv, which installs it"
        raise InputError(f"no Python {version}", where=str(spec), expected=expected)
    return version


def _python_version(part: Path) -> str:
    """The exact version of Python, which venv and uv record."""
    text = (part / "pyvenv.cfg").read_text(encoding="utf-8")
    match = re.search(r"^version(?:_info)? *= *(\d+\.\d+\.\d+)", text, re.MULTILINE)
    assert match is not None, text
    return match[1]


def _run(spec: BackendSpec, command: Sequence[object]) -> None:
    """Run a command of the installation.

    Raises:
        InputError: the command fails; the error has the last line of its reason.
        StorageError: the disk is full.
    """
    # Variables that make pip install elsewhere, or hide why it fails.
    elsewhere = {f"PIP_{name}" for name in ("PREFIX", "ROOT", "TARGET", "USER", "QUIET")}
    variables = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith("PYTHON") and name not in elsewhere
    }
    try:
        end = output_of(
            [str(word) for word in command],
            most_bytes=_MOST_OUTPUT,
            environment=variables | {"NO_COLOR": "1"},
            dies_with_caller=True,
        )
    except OSError as error:
        raise _failure(spec, error.strerror or str(error)) from None
    if end.code:
        failure = _failure(spec, _reason(end.errors or end.output.decode(errors="replace")))
        is_full = re.search("No space left on device|Disk quota exceeded", end.errors)
        raise StorageError(str(failure)) if is_full else failure


def _failure(spec: BackendSpec, reason: str) -> InputError:
    return InputError(f"{spec} cannot be installed: {reason}")


def _reason(errors: str) -> str:
    """The last line of the reason in the errors of uv or pip."""
    lines = [line for line in map(str.strip, errors.splitlines()) if line]
    if "[end of output]" in lines:  # the output of a build within that of pip
        lines = lines[: lines.index("[end of output]")]
    aside = re.compile(r"(hint:|note:|\[notice\]|\[stderr\]|WARNING:)", re.IGNORECASE)
    lines = [line for line in lines if not aside.match(line)] or ["without a reason"]
    prefix = re.compile("^(error|cause|caused by): *", re.IGNORECASE)
    begins = [n for n, line in enumerate(lines) if prefix.match(line)] or [-1]
    is_text = not any(line.startswith("Traceback") for line in lines[begins[-1] :])
    reason = prefix.sub("", " ".join(lines[begins[-1] :] if is_text else lines[-1:]))
    reason = shortened(reason, 300)
    if re.search("connection broken by|error sending request|Failed to fetch", errors):
        failures = re.findall(r"\[Errno -?\d+\] ([^\"')]+)", errors)
        return f"no package index can be reached: {failures[-1] if failures else reason}"
    return reason


# Removal.


def _remove(folder: Path) -> None:
    """Remove a folder after renaming it, so that what a failure leaves counts as unfinished.

    A folder that another process has removed counts as removed.
    """
    with suppress(FileNotFoundError):
        part = folder
        if not is_unfinished(folder.name):
            part = folder.with_name(f".{folder.name}{UNFINISHED}")
            remove_folder(part)
            folder.replace(part)
        if part.is_symlink():
            part.unlink()
        else:
            shutil.rmtree(part)


def uninstall(specs: Sequence[BackendSpec]) -> Iterator[str]:
    """Remove the environments that these specs name: all of a backend, or all of a version.

    Yields:
        A line about each environment that was removed.

    Raises:
        InputError: a spec names no environment.
        HarnessError: an environment cannot be removed.
    """
    every = environments.installed_environments()
    targets: dict[Path, Environment] = {}
    for spec in specs:
        matches = [
            environment
            for environment in every
            if environment.backend == spec.locator
            and environments.is_version(environment.version, spec.version)
            and (not spec.version or environment.chosen_python == spec.python)
        ]
        if not matches:
            installed_specs = [str(environment.spec) for environment in every]
            problem = f"{spec.without_settings} is not installed"
            expected = None if installed_specs else "an environment of harness backends install"
            raise not_among(InputError, problem, str(spec), installed_specs, expected=expected)
        targets |= {environment.folder: environment for environment in matches}
    folder = environments.folder()
    with locked(folder):
        for environment in targets.values():
            words = environment.in_words
            with writing(str(folder)):
                _remove(environment.folder)
            yield words


def prune(unused_days: int | None) -> Iterator[str]:
    """Remove environments that can no longer run, and what interrupted installations left.

    Args:
        unused_days: also remove environments that no command has used for this many days.

    Yields:
        The names of the folders that were removed.

    Raises:
        HarnessError: a folder cannot be removed.
    """
    folder = environments.folder()
    if not folder.is_dir():
        return
    with locked(folder):  # first: an installation that this waits for adds an environment
        since = -inf if unused_days is None else time() - unused_days * 86_400
        usable_names = {
            environment.folder.name
            for environment in environments.installed_environments()
            if environment.is_usable and _is_known(environment) and environment.used_at > since
        }
        paths = [
            path
            for path in folder.iterdir()
            if path.name not in usable_names
            and (is_unfinished(path.name) or (path / environments.RECORD).is_file())
        ]
        for path in sorted(paths):
            with writing(str(folder)):
                _remove(path)
            yield path.name


def _is_known(environment: Environment) -> bool:
    """Whether the file of its backend exists; true for a backend that is not in a file."""
    file = environment.backend.rpartition(":")[0] or environment.backend
    return not environment.spec.is_file or not Path(file).is_absolute() or Path(file).exists()
