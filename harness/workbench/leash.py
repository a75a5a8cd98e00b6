"""A module of Python whose process ends with the server, however that ends.

    python -m harness.workbench.leash PARENT MODULE WORD...

It runs ``python -m MODULE WORD...`` in this process. If PARENT, the server, is killed, the kernel
sends this process SIGTERM.
"""

import runpy
import signal
import sys

from harness.child import die_with_parent


def main() -> None:
    """Run the module that the command line names."""
    parent, module, *words = sys.argv[1:]
    die_with_parent(int(parent), signal.SIGTERM)
    sys.argv[1:] = words
    runpy.run_module(module, run_name="__main__", alter_sys=True)


if __name__ == "__main__":
    main()
