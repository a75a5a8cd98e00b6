"""Many commands in processes of their own, forked from a process that has imported everything.

The program reads one command a line, a JSON list of words, and answers with its exit code, its
seconds and its output. A fork takes milliseconds where a new interpreter takes a second.
"""

import json
import os
import subprocess
import sys
import tempfile
import time
import traceback
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Ended:
    """A command that has ended."""

    code: int
    """Exit code; negative for a signal."""
    seconds: float
    out: str
    err: str


class CommandServer:
    """The process that forks commands; a context manager."""

    def __init__(self, folder: Path, environment: Mapping[str, str] | None = None) -> None:
        self._process = subprocess.Popen(
            [sys.executable, __file__],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            cwd=folder,
            env=environment,
        )

    def __enter__(self) -> "CommandServer":
        return self

    def __exit__(self, *error: object) -> None:
        self._process.communicate()

    def run(self, *words: str | Path) -> Ended:
        """Run ``harness`` with these words."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        print(json.dumps([str(w) for w in words]), file=self._process.stdin, flush=True)
        return Ended(**json.loads(self._process.stdout.readline()))


def _serve() -> None:
    import altair  # noqa: F401
    import pandas as pd  # noqa: F401

    import harness.api
    import harness.cli
    import harness.records.folder.anonymization
    import harness.records.folder.merging
    import harness.report.tables

    with suppress(ModuleNotFoundError):
        import harness.extensions.page.run_page  # noqa: F401

    for line in sys.stdin:
        words: Sequence[str] = json.loads(line)
        with tempfile.TemporaryFile("w+b") as out, tempfile.TemporaryFile("w+b") as err:
            began = time.monotonic()
            child = os.fork()
            if child == 0:
                _run(words, out.fileno(), err.fileno())
            _, status = os.waitpid(child, 0)
            seconds = time.monotonic() - began
            texts = []
            for file in (out, err):
                file.seek(0)
                texts.append(file.read().decode(errors="replace"))
        code = os.waitstatus_to_exitcode(status)
        answer = {"code": code, "seconds": seconds, "out": texts[0], "err": texts[1]}
        sys.stdout.write(json.dumps(answer) + "\n")
        sys.stdout.flush()


def _run(words: Sequence[str], out: int, err: int) -> None:
    code: object = 0
    try:
        null = os.open(os.devnull, os.O_RDONLY)
        for source, target in ((null, 0), (out, 1), (err, 2)):
            os.dup2(source, target)
        sys.argv = ["harness", *words]
        harness_cli = sys.modules["harness.cli"]
        harness_cli.main(list(words))
    except SystemExit as exit_:
        code = exit_.code
    except BaseException:  # noqa: BLE001  the finding
        traceback.print_exc()
        code = 99
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code if isinstance(code, int) else 98)


if __name__ == "__main__":
    _serve()
