"""The first process of a namespace: runs a command, and reports what the command leaves.

Usage: ``init.py SECONDS COMMAND...``. The last line of the standard output is JSON: the exit code
(None if the command exceeded the limit), its seconds, its outputs, its peak memory, and the
command lines of the processes that are alive two seconds after its end.
"""

import json
import os
import resource
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path


def survivors() -> list[str]:
    """The command lines of all processes of the namespace but this one; zombies do not count."""
    lines = []
    for folder in Path("/proc").iterdir():
        if folder.name.isdigit() and int(folder.name) != os.getpid():
            try:
                status = (folder / "stat").read_text().rpartition(")")[2].split()[0]
                line = (folder / "cmdline").read_bytes().replace(b"\0", b" ").decode()
            except OSError:
                continue
            if status not in "ZX":
                lines.append(f"{status} {line}")
    return lines


def main() -> None:
    """Run the command of the arguments."""
    limit, command = float(sys.argv[1]), sys.argv[2:]
    start = time.monotonic()
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=out, stderr=err)
        try:
            process.wait(limit)
        except subprocess.TimeoutExpired:
            process.send_signal(signal.SIGKILL)
        code = process.wait()
        seconds = time.monotonic() - start
        peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
        deadline = time.monotonic() + 2
        while (lines := survivors()) and time.monotonic() < deadline:
            time.sleep(0.05)
        texts = []
        for file in (out, err):
            file.seek(0)
            texts.append(file.read(1 << 20).decode(errors="replace"))
    report = {
        "code": None if seconds >= limit else code,
        "seconds": seconds,
        "out": texts[0],
        "err": texts[1],
        "peak_mib": peak / 1024,
        "survivors": lines,
    }
    print(json.dumps(report))


if __name__ == "__main__":
    main()
