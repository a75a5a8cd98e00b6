"""The process of a sweep.

    python -m harness.workbench.launcher PARENT CORES WORD...

It becomes ``harness WORD...`` on these cores (``0,1``; none for all), although the server may keep
off them. If the server is killed, the sweep ends as by Ctrl-C.
"""

import os
import signal
import sys

from harness.child import die_with_parent
from harness.engine.system.kernel import confine


def main() -> None:
    """Become the command."""
    parent, cores, *words = sys.argv[1:]
    confine([int(core) for core in cores.split(",") if core])
    signal.signal(signal.SIGINT, signal.SIG_DFL)  # a shell's background job ignores it
    die_with_parent(int(parent), signal.SIGINT)
    os.execv(sys.executable, [sys.executable, "-m", "harness", *words])  # noqa: S606  no shell


if __name__ == "__main__":
    main()
