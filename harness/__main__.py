"""The command ``harness``, also as ``python -m harness``.

The first thing it does is to take care of Ctrl-C: imports take a third of a second, and an
interrupt in them would be a traceback.
"""

import signal

if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
    signal.signal(signal.SIGINT, signal.SIG_DFL)  # ends the process, until `install`

import gc
import os
import sys

if __name__ == "__main__" and not sys.flags.safe_path:
    # `python -m` searches the working folder first; files there must not hide libraries.
    sys.path.append(sys.path.pop(0))

from harness.base.interruption import install


def main() -> None:
    """Run the command with the arguments of the process, and exit with its code."""
    install()
    # OpenBLAS reserves memory for each thread, and hangs if a limit of address space refuses that.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    # By default each 700 new objects start a search for garbage: a fifth of the time to read a run.
    gc.set_threshold(100_000, 50, 100)
    from harness.cli import main as run_command

    run_command()


if __name__ == "__main__":
    main()
