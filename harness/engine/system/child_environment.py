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
_PROGRAM: Final = Path(__file__).with_name("start.py")


def start_module(
    module: str,
    arguments: Sequence[str],
    folder: Path,
    *,
    descriptors: Sequence[int],
    stdout: IO[bytes] | int,
    stderr: IO[bytes] | int | None,
    hash_seed: int = 0,
) -> subprocess.Popen[bytes]:
    """Start a module of this harness in a session of its own, with `folder` as working folder.

    The process searches for modules as Python does by itself, in the installed libraries and
    ``PYTHONPATH``. Further folders that this process searches, such as the one of the user's
    script, come last: a file of the user never hides a library that a backend needs.

    Args:
        module: the name of the module.
        arguments: the arguments of its command line.
        folder: an existing folder, for temporary files too.
        descriptors: open descriptors that the process inherits under the same numbers.
        stdout: destination of its standard output.
        stderr: destination of its standard error; None inherits that of this process.
        hash_seed: the seed of the hashes of its texts, equal in all processes of a run.
    """
    return subprocess.Popen(
        [
            sys.executable,
            "-P",
            str(_PROGRAM),
            os.pathsep.join(_folders(sys.path)),
            module,
            *arguments,
        ],
        cwd=folder,
        env=_environment(folder, hash_seed),
        stdin=subprocess.DEVNULL,
        stdout=stdout,
        stderr=stderr,
        pass_fds=descriptors,
        start_new_session=True,
    )


def _environment(folder: Path, hash_seed: int) -> dict[str, str]:
    own = {"TMPDIR": str(folder), "PYTHONHASHSEED": str(hash_seed)}
    environment = os.environ | SINGLE_THREADED | own
    if path := os.environ.get("PYTHONPATH"):
        environment["PYTHONPATH"] = os.pathsep.join(_folders(path.split(os.pathsep)))
    return environment


def _folders(path: Sequence[str]) -> list[str]:
    """The entries of a search path as absolute ones: a child has another working folder."""
    return [str(Path(entry).resolve()) for entry in path]


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
