"""Carrying out a job on the machine that it was sent to.

For engines that run commands: ``python -m harness.extensions.cluster.carrying < JOB > RESULT``.
With the arguments SHARD_FILE.toml and DIR this module is the process that carries out the shard.

Each shard has a folder on that machine, under the folder for temporary files, which stays until
all shards are merged. A job continues after the last trial that an earlier job finished there,
so little is lost if the engine or the coordinator ends.
"""

import fcntl
import os
import platform
import shutil
import signal
import sys
import tempfile
import threading
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from subprocess import PIPE
from time import sleep
from typing import Final

import msgspec

from harness.base.child import describe_exit, start_module
from harness.base.errors import HarnessError
from harness.base.interruption import signals_as_interrupts
from harness.base.text import encodable, last_line
from harness.extensions.cluster.engine import Files, JobEnd, JobResult, ShardJob
from harness.records.folder import DifferentMachineError, RunFile, Shard
from harness.runs import read_sweeps, run_sweep

_RUN: Final = "run"
"""The folder of the run, in that of the shard."""


def scratch_folder() -> Path:
    """This user's folder for shards on this machine; created if it is missing.

    Raises:
        OSError: the folder cannot be created, or belongs to another user.
    """
    folder = Path(tempfile.gettempdir()) / f"sudoku-harness-{os.getuid()}"
    folder.mkdir(mode=0o700, exist_ok=True)
    if folder.is_symlink() or folder.stat().st_uid != os.getuid():
        raise PermissionError(f"{folder} belongs to another user")
    return folder


def carry_out(
    job: ShardJob, scratch: Path | None = None, is_over: Callable[[], bool] = lambda: False
) -> JobResult:
    """Carry out a job in a process of its own, and return the files of its run.

    While another job carries out the same shard on this machine, this one waits for it.

    Args:
        job: the job.
        scratch: the folder for shards; by default `scratch_folder`.
        is_over: whether the job is to stop; finished trials stay in its folder.
    """
    host, files = encodable(platform.node()), Files()
    try:
        folder = (scratch or scratch_folder()) / job.run / f"{job.number:04d}"
        folder.mkdir(parents=True, exist_ok=True)
        with (folder / ".lock").open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            for name, content in job.files.items():
                (folder / name).parent.mkdir(parents=True, exist_ok=True)
                (folder / name).write_bytes(content)
            run_folder, marker = folder / _RUN, folder / "host.txt"
            if marker.exists() and marker.read_text() != host:  # machines may share the folder
                shutil.rmtree(run_folder, ignore_errors=True)
            marker.write_text(host)
            end, reason = _run(job, folder, lock.fileno(), is_over)
            if end is JobEnd.COMPLETE:
                names = (RunFile.STORE, RunFile.CHECKSUM, RunFile.ENVIRONMENT, RunFile.SHARD)
                paths = (path for path in map(run_folder.joinpath, names) if path.exists())
                files = {path.name: path.read_bytes() for path in paths}
    except (OSError, HarnessError) as error:
        end, reason = JobEnd.FAILED, f"{type(error).__name__}: {error}"
    return JobResult(number=job.number, host=host, end=end, reason=reason, files=files)


def forget(run: str, scratch: Path | None = None) -> None:
    """Remove the folders of all shards of a run from this machine."""
    with suppress(OSError):
        shutil.rmtree((scratch or scratch_folder()) / run, ignore_errors=True)


def _run(job: ShardJob, folder: Path, lock: int, is_over: Callable[[], bool]) -> tuple[JobEnd, str]:
    """Run the trials in a process that ends with this one and holds the lock until its end."""
    with (folder / "errors.txt").open("w+b") as errors:
        process = start_module(
            "harness.extensions.cluster.carrying",
            (job.shard_file, _RUN),
            dies_by=0,  # it stores its trials and stops when its input ends
            folder=folder,
            descriptors=(lock,),
            stdin=PIPE,
            stdout=PIPE,
            stderr=errors,
        )
        assert process.stdin is not None
        assert process.stdout is not None
        with process:
            while process.poll() is None:
                if is_over():
                    process.stdin.close()
                sleep(0.1)
            answer = process.stdout.read()
        errors.seek(0)
        complaint = last_line(errors.read().decode(errors="replace"))
    try:
        return msgspec.json.decode(answer, type=tuple[JobEnd, str])
    except msgspec.DecodeError:
        how = f"the process of the shard {describe_exit(process.returncode)}"
        return JobEnd.FAILED, f"{how}: {complaint}" if complaint else how


# The process that carries out a shard; it stops when its parent ends.


def run_shard(file: str, folder: str) -> tuple[JobEnd, str]:
    """Run the trials of a shard into a folder, as `harness run` does.

    The run stops when standard input ends: when the process that started it closes it or ends.
    Trials finished by then are stored.

    Returns:
        How the run ended, and why; the reason is empty if it is complete.
    """
    try:
        with signals_as_interrupts():
            threading.Thread(target=_end_with_parent, daemon=True).start()
            (sweep,) = read_sweeps(Path(file), {})
            run_sweep(sweep, Path(folder), shard=Shard.read(Path(file)))
    except KeyboardInterrupt:
        return JobEnd.STOPPED, "it was stopped"
    except DifferentMachineError as error:
        return JobEnd.REFUSED, str(error)
    except HarnessError as error:
        return JobEnd.FAILED, str(error)
    return JobEnd.COMPLETE, ""


def _end_with_parent() -> None:
    """Wait for the end of standard input, then interrupt this process by SIGTERM."""
    while os.read(0, 4096):
        pass
    os.kill(os.getpid(), signal.SIGTERM)


if __name__ == "__main__":
    if sys.argv[1:]:
        sys.stdout.buffer.write(msgspec.json.encode(run_shard(*sys.argv[1:])) + b"\n")
    else:
        sys.stdout.buffer.write(carry_out(ShardJob.decoded(sys.stdin.buffer.read())).encoded())
