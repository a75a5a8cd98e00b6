"""Side effects of a call: output, changes to the process, and leftovers."""

import os
import shutil
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, TextIO

from harness.conformance.clauses import Clause, Fault
from harness.conformance.leftovers import Leftovers


class Watch:
    """Watches calls for side effects, in a temporary folder.

    Use it as a context manager around all calls, and `call` around each call. During a
    call the temporary folder is the working folder and holds temporary files; afterwards
    the process is restored.

    Args:
        begin: called before each call.
    """

    def __init__(self, begin: Callable[[], None] = lambda: None) -> None:
        self._begin = begin
        self._leftovers = Leftovers()
        self.faults: list[Fault] = []
        """The faults of the last call."""

    def __enter__(self) -> "Watch":
        self._folder = Path(tempfile.mkdtemp(prefix="conformance-"))
        return self

    def __exit__(self, *error: object) -> None:
        shutil.rmtree(self._folder, ignore_errors=True)

    @contextmanager
    def creation(self) -> Iterator[None]:
        """Watch the creation of a backend, which may start threads and processes."""
        with self.call(creates=True):
            yield

    @contextmanager
    def call(self, *, creates: bool = False) -> Iterator[None]:
        """Watch one call and set `faults`.

        Args:
            creates: whether the call creates a backend, which may start threads and processes.
        """
        self.faults = []
        folder, temporary = os.getcwd(), tempfile.tempdir  # noqa: PTH109  in each of many calls
        temporary_folder = os.environ.get("TMPDIR")
        os.chdir(self._folder)
        tempfile.tempdir = os.environ["TMPDIR"] = str(self._folder)
        files, environment = set(os.listdir(self._folder)), _environment()  # noqa: PTH208
        self._leftovers.begin()
        try:
            with _Streams(self.faults):
                self._begin()
                yield
        finally:
            self._inspect(files, environment, creates=creates)
            os.chdir(folder)
            tempfile.tempdir = temporary
            if temporary_folder is None:
                os.environ.pop("TMPDIR", None)
            else:
                os.environ["TMPDIR"] = temporary_folder

    def _inspect(self, files: set[str], environment: Mapping[Any, Any], *, creates: bool) -> None:
        def note(what: str) -> None:
            self.faults.append(Fault(Clause.TRACES, what))

        with suppress(FileNotFoundError):
            if not Path.cwd().samefile(self._folder):
                note(f"changes the working folder to {Path.cwd()}")
        if _environment() != environment:
            for name in _restored(environment):
                note(f"changes the environment variable {name}")
        for name in sorted(set(os.listdir(self._folder)) - files):  # noqa: PTH208
            note(f"leaves the file {name}")
            _remove(self._folder / name)
        if creates:
            self._leftovers.keep()
            return
        for what in self._leftovers.end():
            note(f"leaves {what}")


def _environment() -> dict[Any, Any]:
    """The environment as `os.environ` stores it: decoding it takes longer than many calls."""
    return dict(os.environ._data)  # type: ignore[attr-defined]


def _restored(environment: Mapping[Any, Any]) -> list[str]:
    """Restore the environment; the names of the variables that had changed."""
    stored: dict[Any, Any] = os.environ._data  # type: ignore[attr-defined]
    every = {*stored, *environment}
    changed = [name for name in every if stored.get(name) != environment.get(name)]
    names = [os.environ.decodekey(name) for name in changed]
    for name, text in zip(changed, names, strict=True):
        if name in environment:
            os.environ[text] = os.environ.decodevalue(environment[name])
        else:
            del os.environ[text]
    return sorted(names)


class _Streams:
    """Captures standard output and error during a call."""

    def __init__(self, faults: list[Fault]) -> None:
        self._faults = faults

    def __enter__(self) -> None:
        _flush()
        self._caught = tempfile.TemporaryFile()
        self._saved = {fd: os.dup(fd) for fd in (1, 2)}
        for fd in self._saved:
            os.dup2(self._caught.fileno(), fd)
        self._streams = sys.stdout, sys.stderr
        self._ours = self._stream(), self._stream()
        sys.stdout, sys.stderr = self._ours

    def _stream(self) -> TextIO:
        return os.fdopen(os.dup(self._caught.fileno()), "w", errors="replace")

    def __exit__(self, *error: object) -> None:
        names = ("standard output", "standard error")
        for name, stream in zip(names, self._ours, strict=True):
            if stream.closed:
                self._note(f"closes {name}")
            with suppress(ValueError, OSError):
                stream.close()
        if (sys.stdout, sys.stderr) != self._ours:
            self._note("replaces sys.stdout or sys.stderr")
        _flush()
        sys.stdout, sys.stderr = self._streams
        for (fd, saved), name in zip(self._saved.items(), names, strict=True):
            if not (_is_open(fd) and os.path.sameopenfile(fd, self._caught.fileno())):
                self._note(f"closes {name}")
            os.dup2(saved, fd)
            os.close(saved)
        self._caught.seek(0)
        printed = self._caught.read().decode(errors="replace").strip()
        self._caught.close()
        if printed:
            first = printed.splitlines()[0]
            self._note(f"prints {first[:60]!r}")

    def _note(self, what: str) -> None:
        self._faults.append(Fault(Clause.QUIET, what))


def _is_open(fd: int) -> bool:
    try:
        os.fstat(fd)
    except OSError:
        return False
    return True


def _flush() -> None:
    for stream in (sys.stdout, sys.stderr, sys.__stdout__, sys.__stderr__):
        with suppress(AttributeError, ValueError, OSError):
            stream.flush()  # type: ignore[union-attr]


def _remove(path: Path) -> None:
    with suppress(OSError):
        if path.is_dir() and not path.is_symlink():
            shutil.rmtree(path)
        else:
            path.unlink()
