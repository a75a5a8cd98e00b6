"""Child processes with limits: programs, modules of this harness, and their bond to the parent.

`output_of` runs a program to its end with limits on time and output; at a limit its process group
is killed. The end of its error output is kept. `start_module` starts a module of this harness that
keeps running; `module_command` gives its command line to other starters, such as asyncio's. A
module started with ``dies_by`` gets that signal when its parent dies, even by SIGKILL.

This file is also the program in which such a module runs, ``python -P child.py PARENT SIGNAL PATH
MODULE WORD...``: the module is that of the harness to which this file belongs, whatever other
package called ``harness`` the process could find. Therefore it imports the standard library only.

The module may run in the Python of an environment, see `Interpreter`. There it finds the standard
library first, then the packages of the environment, and nothing else; ``-S`` and ``-s`` keep
``sitecustomize`` and packages of the user from running.
"""

import ctypes
import os
import runpy
import selectors
import signal
import site
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from functools import partial
from importlib import import_module
from pathlib import Path
from time import monotonic
from types import FrameType
from typing import IO, Final, NamedTuple

SINGLE_THREADED: Final = {
    "OMP_NUM_THREADS": "1",
    "OPENBLAS_NUM_THREADS": "1",
    "MKL_NUM_THREADS": "1",
}
"""Variables that keep numerical libraries from starting threads."""

# A process and its parent, on Linux. On other systems a process ends when it next reads its
# closed connection or standard input.


_PR_SET_PDEATHSIG: Final = 1
_PR_SET_CHILD_SUBREAPER: Final = 36


def die_with_parent(parent: int, by: int = signal.SIGKILL) -> None:
    """Have the kernel send this process the signal `by` when process `parent` dies.

    That also holds for a program that this process becomes by ``exec``. The kernel treats the end
    of the thread that started this process as the end of `parent`.
    """
    if sys.platform != "linux":
        return
    _prctl(_PR_SET_PDEATHSIG, by)
    if os.getppid() != parent:  # the parent died before the request was in place
        os.kill(os.getpid(), by)


@contextmanager
def signals_held() -> Iterator[None]:
    """Delay the handlers of Ctrl-C, SIGTERM and SIGHUP until the end of the block.

    The block starts a process and records it where it will be ended. An exception from a handler in
    between would lose the process; Python ignores one while functions of `os.register_at_fork` run.
    """
    if threading.current_thread() is not threading.main_thread():  # where handlers run
        yield
        return
    handlers: dict[int, Callable[[int, FrameType | None], object]] = {
        number: handler for number in _HELD if callable(handler := signal.getsignal(number))
    }
    pending: list[int] = []
    for number in handlers:
        signal.signal(number, lambda number, _: pending.append(number))
    try:
        yield
    finally:
        for number, before in handlers.items():
            signal.signal(number, before)
        for number in pending:
            handlers[number](number, None)


_HELD: Final = [
    number for number in signal.Signals if number.name in ("SIGINT", "SIGTERM", "SIGHUP")
]


def adopt_orphans() -> None:
    """Become the parent of descendants that lose theirs, on Linux.

    Otherwise a daemon that a backend forks becomes a child of process 1 and cannot be found.
    """
    if sys.platform == "linux":
        _prctl(_PR_SET_CHILD_SUBREAPER, 1)


def _prctl(option: int, argument: int) -> None:
    ctypes.CDLL(None, use_errno=True).prctl(option, argument, 0, 0, 0)


# A program that runs to its end, with limits.


END_OF_ERRORS: Final = 2**13
"""Bytes of the error output of a child that are kept, from its end."""
_CHUNK: Final = 2**16


class ChildEnd(NamedTuple):
    """How a child process ended."""

    output: bytes
    errors: str
    """The end of its error output."""
    code: int
    """The exit code; negative for a signal."""


def describe_exit(exit_code: int) -> str:
    """How a process ended: ``exited with code 3`` or ``was killed by SIGSEGV``."""
    if exit_code >= 0:
        return f"exited with code {exit_code}"
    try:
        name = signal.Signals(-exit_code).name
    except ValueError:
        name = f"signal {-exit_code}"
    return f"was killed by {name}"


class OutputTooLongError(OSError):
    """A child process wrote more than it may, and was killed."""


def output_of(
    command: Sequence[str],
    data: bytes = b"",
    *,
    most_bytes: int,
    seconds: float | None = None,
    environment: Mapping[str, str] | None = None,
    dies_with_caller: bool = False,
) -> ChildEnd:
    """Run a program to its end; it and its children are a process group, killed at a limit.

    Ctrl-C in the terminal does not reach it; an exception in this process kills it.

    Args:
        command: the program and its arguments.
        data: its standard input, which it may leave unread.
        most_bytes: the limit on its output; not enforced on Windows.
        seconds: the time limit.
        environment: its environment, by default that of this process.
        dies_with_caller: whether it is killed when this process dies, even by SIGKILL, on Linux.

    Raises:
        OutputTooLongError: the program exceeds `most_bytes`.
        TimeoutError: it exceeds `seconds`.
        OSError: it cannot be started.
    """
    deadline = None if seconds is None else monotonic() + seconds
    with ExitStack() as start:
        if dies_with_caller:
            start.enter_context(signals_held())
        process = subprocess.Popen(
            command,
            stdin=subprocess.PIPE if data else subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env=environment,
            start_new_session=True,
            preexec_fn=partial(die_with_parent, os.getpid()) if dies_with_caller else None,
        )
        with process:
            try:
                start.close()
                if sys.platform == "win32":
                    output, errors = process.communicate(data, seconds)
                else:
                    output, errors = _exchange(process, data, deadline, most_bytes)
                process.wait(None if deadline is None else max(0.0, deadline - monotonic()))
            except subprocess.TimeoutExpired:
                raise TimeoutError from None
            finally:
                if process.poll() is None:
                    with suppress(ProcessLookupError):
                        if hasattr(os, "killpg"):
                            os.killpg(process.pid, signal.SIGKILL)
                        else:
                            process.kill()
    return ChildEnd(output, errors.decode(errors="replace"), process.returncode)


def _exchange(
    process: subprocess.Popen[bytes], data: bytes, deadline: float | None, most_bytes: int
) -> tuple[bytes, bytes]:
    """Write the input of a child, and read its output and the end of its error output."""
    output, errors = bytearray(), bytearray()
    unsent = memoryview(data)
    with selectors.DefaultSelector() as selector:
        for file, content in ((process.stdout, output), (process.stderr, errors)):
            assert file is not None
            selector.register(file, selectors.EVENT_READ, content)
        if process.stdin is not None:
            os.set_blocking(process.stdin.fileno(), False)
            selector.register(process.stdin, selectors.EVENT_WRITE)
        while selector.get_map():
            remaining = None if deadline is None else deadline - monotonic()
            if remaining is not None and remaining <= 0:
                raise TimeoutError
            for key, _ in selector.select(remaining):
                if key.data is None:
                    try:
                        unsent = unsent[os.write(key.fd, unsent[:_CHUNK]) :]
                    except BrokenPipeError:
                        unsent = unsent[:0]
                    is_open = len(unsent) > 0
                else:
                    part = os.read(key.fd, _CHUNK)
                    key.data.extend(part)
                    is_open = len(part) > 0
                if not is_open:
                    selector.unregister(key.fd)
                    key.fileobj.close()  # type: ignore[union-attr]
            del errors[:-END_OF_ERRORS]
            if len(output) > most_bytes:
                raise OutputTooLongError(f"more than {most_bytes:,} bytes of output")
    return bytes(output), bytes(errors)


# A module of this harness in a process of its own.


class Interpreter(NamedTuple):
    """The Python of an environment in which modules of this harness can run."""

    program: Path
    packages: Path
    """The folder of its packages."""


_OF_OWN_PACKAGES: Final = ("PYTHONPATH", "PYTHONHOME", "PYTHONSTARTUP", "PYTHONUSERBASE")
"""Variables about the packages of this process, which mean nothing to another Python."""


def module_command(
    module: str, *words: str, dies_by: int = signal.SIGKILL, interpreter: Interpreter | None = None
) -> list[str]:
    """The command line of a module of this harness, as ``python -m MODULE WORD...`` runs it.

    The process searches for modules as Python does by default, in the installed libraries and
    ``PYTHONPATH``. Further folders that this process searches, such as the one of the user's
    script, come last: a file of the user never hides a library.

    Args:
        module: the name of the module.
        words: its arguments.
        dies_by: the signal that it gets when this process, or the thread that starts it, dies; 0
            for none.
        interpreter: the Python that runs it, without the path of this process; by default the
            one of this process.
    """
    if interpreter is None:
        python, path = (sys.executable, "-P"), os.pathsep.join(absolute(sys.path))
    else:
        python, path = (str(interpreter.program), "-PsS"), str(interpreter.packages)
    return [*python, __file__, str(os.getpid()), str(int(dies_by)), path, module, *words]


def start_module(
    module: str,
    words: Sequence[str] = (),
    *,
    dies_by: int,
    interpreter: Interpreter | None = None,
    folder: Path | None = None,
    environment: Mapping[str, str] | None = None,
    descriptors: Sequence[int] = (),
    stdin: int = subprocess.DEVNULL,
    stdout: IO[bytes] | int = subprocess.DEVNULL,
    stderr: IO[bytes] | int = subprocess.DEVNULL,
) -> subprocess.Popen[bytes]:
    """Start a module of this harness in a session of its own; the caller must end it.

    Args:
        module: the name of the module.
        words: its arguments.
        dies_by: as in `module_command`.
        interpreter: as in `module_command`.
        folder: its working folder, by default that of this process.
        environment: its environment, by default that of this process.
        descriptors: open descriptors that it inherits under the same numbers.
        stdin: its standard input, as in `subprocess.Popen`.
        stdout: its standard output.
        stderr: its standard error.
    """
    if interpreter is not None:
        variables = os.environ if environment is None else environment
        environment = {k: v for k, v in variables.items() if k not in _OF_OWN_PACKAGES}
    is_bound = interpreter is not None  # until its Python runs `_run_module`, if it ever does
    return subprocess.Popen(
        module_command(module, *words, dies_by=dies_by, interpreter=interpreter),
        cwd=folder,
        env=environment,
        stdin=stdin,
        stdout=stdout,
        stderr=stderr,
        pass_fds=descriptors,
        start_new_session=True,
        preexec_fn=partial(die_with_parent, os.getpid()) if is_bound else None,
    )


def absolute(path: Sequence[str]) -> list[str]:
    """The entries of a search path, made absolute: a child may have another working folder."""
    return [str(Path(entry).resolve()) for entry in path]


def _run_module(parent: str, dies_by: str, path: str, module: str, *words: str) -> None:
    """Become the module that the command line names."""
    die_with_parent(int(parent), int(dies_by))
    sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
    import_module("harness")  # its modules are found through it from now on
    del sys.path[0]
    if sys.flags.no_site:  # an environment
        sys.path.append(path)
        sys.prefix = sys.exec_prefix = str(Path(sys.executable).parent.parent)
    else:
        sys.path += [folder for folder in path.split(os.pathsep) if folder not in ("", *sys.path)]
    sys.argv[1:] = words
    runpy.run_module(module, run_name="__main__", alter_sys=True)


_PATH_FILES_LIMIT_S: Final = 10
"""Seconds that ``.pth`` files may take; they add folders to a path, and a few import a module."""


def read_path_files() -> None:
    """Process the ``.pth`` files of an environment; elsewhere Python did so at its start."""
    if sys.flags.no_site:
        end = f" ran for {_PATH_FILES_LIMIT_S} s"
        signal.signal(signal.SIGALRM, lambda *_: sys.exit(f"\n{name}{end}"))
        signal.setitimer(signal.ITIMER_REAL, _PATH_FILES_LIMIT_S)
        for name in sorted(path.name for path in Path(sys.path[-1]).glob("[!.]*.pth")):
            os.write(2, os.fsencode(f"\nin {name} "))  # the end of the output if the process ends
            site.addpackage(sys.path[-1], name, None)
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, signal.SIG_DFL)
        with suppress(OSError):  # the error output is not a file
            os.ftruncate(2, 0)


if __name__ == "__main__":
    _run_module(*sys.argv[1:])
