"""Carrying out a job on the machine that it was sent to.

For engines that run commands: ``python -m harness.cluster.carrying < JOB > RESULT``. With the
arguments SHARD.toml and DIR it is the process that carries out the shard.

Each shard has a folder on that machine, under the folder for temporary files, which stays until
the shard is merged. A job goes on from the last trial that an earlier one finished there, so
little is lost if the engine or the coordinator ends.
"""

import fcntl
import os
import platform
import shutil
import signal
import sys
import tempfile
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from subprocess import PIPE, TimeoutExpired
from time import monotonic, sleep
from typing import Final

import msgspec

from harness.child import start_module
from harness.cluster.engine import Files, JobEnd, JobResult, Probe, ShardJob, probe
from harness.cluster.shards import read_shard
from harness.errors import HarnessError
from harness.interruption import signals_as_interrupts
from harness.records.environment import FILE as ENVIRONMENT
from harness.records.shard import FILE as SHARD
from harness.records.shard import DifferentMachineError
from harness.records.store_file import FILE as STORE
from harness.records.store_file import SUFFIX
from harness.runs.execute import Observer
from harness.runs.run import run_sweep
from harness.runs.sweep import read_sweeps
from harness.text import encodable, last_line

_RUN: Final = "run"
_LOCK: Final = ".lock"
_HOST: Final = "host.txt"
_ERRORS: Final = "errors.txt"
_LOOK_S: Final = 0.1
"""Seconds between two looks whether the job is to stop."""
_SENT: Final = (STORE, f"{STORE}{SUFFIX}", ENVIRONMENT, SHARD)


class _Report(msgspec.Struct):
    """How the process of a shard ended, which it writes to standard output as a line of JSON."""

    end: JobEnd
    reason: str = ""
    probe: Probe | None = None


def scratch_folder() -> Path:
    """The folder of this user for shards on this machine, which exists.

    Raises:
        OSError: it cannot be created, or belongs to somebody else.
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

    A job for a shard that another one carries out on this machine waits for that one.

    Args:
        job: the job.
        scratch: the folder for shards; that of this user by default.
        is_over: whether the job is to stop; finished trials stay in its folder.
    """
    began = monotonic()
    host = encodable(platform.node())

    def carried(
        end: JobEnd, reason: str = "", files: Files | None = None, probe: Probe | None = None
    ) -> JobResult:
        seconds = monotonic() - began
        return JobResult(
            number=job.number,
            host=host,
            end=end,
            reason=reason,
            files=files or {},
            seconds=seconds,
            probe=probe,
        )

    try:
        run = (scratch or scratch_folder()) / job.run
        for number in job.merged:
            shutil.rmtree(run / f"{number:04d}", ignore_errors=True)
        folder = run / f"{job.number:04d}"
        folder.mkdir(parents=True, exist_ok=True)
        with _locked(folder, is_over) as lock:
            if lock is None:
                return carried(JobEnd.STOPPED)
            for name, content in job.files.items():
                (folder / name).parent.mkdir(parents=True, exist_ok=True)
                (folder / name).write_bytes(content)
            _require_host(folder, host)
            report = _run(job, folder, lock, is_over)
        if report.end is not JobEnd.COMPLETE:
            return carried(report.end, report.reason)
        made = folder / _RUN
        files = {name: (made / name).read_bytes() for name in _SENT if (made / name).exists()}
        return carried(JobEnd.COMPLETE, files=files, probe=report.probe)
    except (OSError, HarnessError) as error:
        return carried(JobEnd.FAILED, f"{type(error).__name__}: {error}")


def _require_host(folder: Path, host: str) -> None:
    """Remove what another machine has measured of the shard, where machines share folders."""
    marker = folder / _HOST
    if marker.exists() and marker.read_text() != host:
        shutil.rmtree(folder / _RUN, ignore_errors=True)
    marker.write_text(host)


def forget(run: str, scratch: Path | None = None) -> None:
    """Remove the folders of all shards of a run from this machine."""
    with suppress(OSError):
        shutil.rmtree((scratch or scratch_folder()) / run, ignore_errors=True)


def held(run: str, scratch: Path | None = None) -> list[int]:
    """The numbers of the shards of a run that have a folder on this machine."""
    with suppress(OSError):
        folders = ((scratch or scratch_folder()) / run).iterdir()
        return sorted(int(folder.name) for folder in folders if folder.name.isdigit())
    return []


@contextmanager
def _locked(folder: Path, is_over: Callable[[], bool]) -> Iterator[int | None]:
    """Lock the folder of a shard; yields None if the job is to stop while it waits."""
    lock = os.open(folder / _LOCK, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        while True:
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                if is_over():
                    yield None
                    return
                sleep(_LOOK_S)
            else:
                yield lock
                return
    finally:
        os.close(lock)


def _run(job: ShardJob, folder: Path, lock: int, is_over: Callable[[], bool]) -> _Report:
    """Run the trials in a process that ends with this one; it has the lock until its end."""
    with (folder / _ERRORS).open("w+b") as errors:
        process = start_module(
            "harness.cluster.carrying",
            (job.shard_file, _RUN),
            dies_by=0,  # it puts away what it has when its input ends
            folder=folder,
            descriptors=(lock,),
            stdin=PIPE,
            stdout=PIPE,
            stderr=errors,
        )
        assert process.stdin is not None
        assert process.stdout is not None
        with process.stdout:
            while True:
                with suppress(TimeoutExpired):
                    process.wait(_LOOK_S)
                    break
                if is_over() and not process.stdin.closed:
                    process.stdin.close()
            if not process.stdin.closed:
                process.stdin.close()
            answer = process.stdout.read()
        errors.seek(0)
        complaint = last_line(errors.read().decode(errors="replace"))
    try:
        return msgspec.json.decode(answer, type=_Report)
    except msgspec.DecodeError:
        reason = complaint or f"exit code {process.returncode}"
        return _Report(JobEnd.FAILED, f"the process of the shard ended: {reason}")


# The process that carries out a shard: the harness, with the end of its parent in sight.


class _Probing(Observer):
    """Probes the cores before the trials."""

    probe: Probe | None = None

    def reserved(self, cores: Sequence[int]) -> None:
        self.probe = probe(cores)


def run_shard(file: str, folder: str) -> _Report:
    """Run the trials of a shard into a folder, as `harness run` does.

    It ends when standard input ends, that is with the process that started it; finished trials
    are stored by then.
    """
    observer = _Probing()
    try:
        with signals_as_interrupts():
            threading.Thread(target=_end_with_parent, daemon=True).start()
            (sweep,) = read_sweeps(Path(file), {})
            run_sweep(sweep, Path(folder), shard=read_shard(Path(file)), observer=observer)
    except KeyboardInterrupt:
        return _Report(JobEnd.STOPPED, "", observer.probe)
    except DifferentMachineError as error:
        return _Report(JobEnd.REFUSED, str(error), observer.probe)
    except HarnessError as error:
        return _Report(JobEnd.FAILED, str(error), observer.probe)
    return _Report(JobEnd.COMPLETE, "", observer.probe)


def _end_with_parent() -> None:
    """Wait for the end of standard input, and end this process as Ctrl-C does."""
    while os.read(0, 4096):
        pass
    os.kill(os.getpid(), signal.SIGTERM)


if __name__ == "__main__":
    if sys.argv[1:]:
        sys.stdout.buffer.write(msgspec.json.encode(run_shard(*sys.argv[1:])) + b"\n")
    else:
        sys.stdout.buffer.write(carry_out(ShardJob.decoded(sys.stdin.buffer.read())).encoded())
