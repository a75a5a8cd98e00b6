"""The environment of the processes that import backends."""

import os
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import IO, Final

SINGLE_THREADED: Final = {
    "OMP_NUM_THREADS": "1",
    "OPENBLAS_NUM_THREADS": "1",
    "MKL_NUM_THREADS": "1",
}
"""Variables that keep numerical libraries from starting threads."""


def start_module(
    module: str,
    arguments: Sequence[str],
    folder: Path,
    *,
    descriptors: Sequence[int],
    stdout: IO[bytes] | int,
    stderr: IO[bytes] | int | None,
) -> subprocess.Popen[bytes]:
    """Start ``python -m module`` in a session of its own, with `folder` as its working folder.

    Args:
        module: the name of the module.
        arguments: the arguments of its command line.
        folder: an existing folder, for temporary files too.
        descriptors: open descriptors that the process inherits under the same numbers.
        stdout: destination of its standard output.
        stderr: destination of its standard error; None inherits that of this process.
    """
    return subprocess.Popen(
        [sys.executable, "-P", "-m", module, *arguments],
        cwd=folder,
        env=_environment(folder),
        stdin=subprocess.DEVNULL,
        stdout=stdout,
        stderr=stderr,
        pass_fds=descriptors,
        start_new_session=True,
    )


def _environment(folder: Path) -> dict[str, str]:
    # Relative entries of `sys.path` are resolved: the child has another working folder.
    path = [str(Path(entry).resolve()) for entry in sys.path]
    return (
        os.environ
        | SINGLE_THREADED
        | {"TMPDIR": str(folder), "PYTHONHASHSEED": "0", "PYTHONPATH": os.pathsep.join(path)}
    )


def enter_sandbox(folder: Path, output: int) -> None:
    """Make `folder` the working, home and temporary folder of this process.

    Standard input is empty.

    Args:
        folder: an existing folder.
        output: the descriptor of a file, for standard output and error.
    """
    os.chdir(folder)
    os.environ["HOME"] = os.environ["TMPDIR"] = str(folder)
    tempfile.tempdir = None
    nothing = os.open(os.devnull, os.O_RDONLY)
    for source, target in ((nothing, 0), (output, 1), (output, 2)):
        os.dup2(source, target)
    os.close(nothing)
