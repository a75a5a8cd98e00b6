"""Side effects of a call: output, changes to the process, and leftovers."""

import os
import shutil
import sys
import tempfile
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from time import monotonic, sleep
from typing import TextIO

from harness.conformance.clauses import Clause, Fault

_GRACE = 0.2
"""Seconds for threads and processes to end after the call that started them."""


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
        self._grace = _GRACE
        self.faults: list[Fault] = []
        """The faults of the last call."""

    def __enter__(self) -> "Watch":
        self._folder = Path(tempfile.mkdtemp(prefix="conformance-"))
        return self

    def __exit__(self, *error: object) -> None:
        shutil.rmtree(self._folder, ignore_errors=True)

    @contextmanager
    def call(self) -> Iterator[None]:
        """Watch one call and set `faults`."""
        self.faults = []
        folder, temporary = Path.cwd(), tempfile.tempdir
        original = dict(os.environ)
        os.chdir(self._folder)
        tempfile.tempdir = os.environ["TMPDIR"] = str(self._folder)
        files, environment = set(self._folder.iterdir()), dict(os.environ)
        tasks = _tasks()
        try:
            with _Streams(self.faults):
                self._begin()
                yield
        finally:
            self._inspect(files, environment, tasks)
            os.chdir(folder)
            tempfile.tempdir = temporary
            for name in set(os.environ) - set(original):
                del os.environ[name]
            os.environ.update(original)

    def _inspect(
        self, files: set[Path], environment: dict[str, str], tasks: dict[int, str]
    ) -> None:
        def note(what: str) -> None:
            self.faults.append(Fault(Clause.TRACES, what))

        with suppress(FileNotFoundError):
            if Path.cwd() != self._folder:
                note(f"changes the working folder to {Path.cwd()}")
        changed = {n for n, v in os.environ.items() if environment.get(n) != v}
        for name in sorted(changed | (set(environment) - set(os.environ))):
            note(f"changes the environment variable {name}")
        for path in sorted(set(self._folder.iterdir()) - files):
            note(f"leaves the file {path.name}")
            _remove(path)
        deadline = monotonic() + self._grace
        while (left := {i: t for i, t in _tasks().items() if i not in tasks}) and (
            monotonic() < deadline
        ):
            sleep(0.01)
        for what in left.values():
            note(f"leaves {what}")
            self._grace = 0.0  # the next calls will leave it too


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


def _tasks() -> dict[int, str]:
    """The threads of this process and, on Linux, its child processes."""
    found = {thread.ident or 0: f"the thread {thread.name}" for thread in threading.enumerate()}
    with suppress(OSError):
        for task in Path("/proc/self/task").iterdir():
            with suppress(OSError):
                for child in (task / "children").read_text().split():
                    found[-int(child)] = f"the process {_command(child)}"
    return found


def _command(pid: str) -> str:
    with suppress(OSError):
        return Path(f"/proc/{pid}/comm").read_text().strip()
    return "(ended, not waited for)"
