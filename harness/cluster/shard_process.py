"""The process that carries out a shard: the harness, with the end of its parent in sight.

    python -m harness.cluster.shard_process SHARD.toml DIR

It runs the trials of the shard into the folder DIR, as `harness run` does, and writes one line of
JSON to standard output: how it ended. It ends when its standard input ends, that is with the
process that started it; finished trials are stored by then.
"""

import os
import signal
import sys
import threading
from collections.abc import Sequence
from pathlib import Path

import msgspec

from harness.cluster.engine import JobEnd, Probe, probe
from harness.cluster.shards import read_shard
from harness.errors import HarnessError
from harness.interruption import signals_as_interrupts
from harness.records.shard import DifferentMachineError
from harness.runs.execute import Observer
from harness.runs.run import run_sweep
from harness.runs.sweep import read_sweeps


def _end_with_parent() -> None:
    """Wait for the end of standard input, and end this process as Ctrl-C does."""
    while os.read(0, 4096):
        pass
    os.kill(os.getpid(), signal.SIGTERM)


class _Probing(Observer):
    """Probes the cores before the trials."""

    probe: Probe | None = None

    def reserved(self, cores: Sequence[int]) -> None:
        self.probe = probe(cores)


def main(file: str, folder: str) -> None:
    """Carry out the shard and report its end."""
    end, reason, observer = JobEnd.COMPLETE, "", _Probing()
    try:
        with signals_as_interrupts():
            threading.Thread(target=_end_with_parent, daemon=True).start()
            (sweep,) = read_sweeps(Path(file), {})
            run_sweep(sweep, Path(folder), shard=read_shard(Path(file)), observer=observer)
    except KeyboardInterrupt:
        end = JobEnd.STOPPED
    except DifferentMachineError as error:
        end, reason = JobEnd.REFUSED, str(error)
    except HarnessError as error:
        end, reason = JobEnd.FAILED, str(error)
    report = {"end": end, "reason": reason, "probe": observer.probe}
    sys.stdout.buffer.write(msgspec.json.encode(report) + b"\n")


if __name__ == "__main__":
    main(*sys.argv[1:])
