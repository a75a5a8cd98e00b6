"""A program that runs a module of this harness: ``python -P start.py PATH MODULE ARGUMENT ...``.

The module is that of the harness to which this file belongs, whatever other package called
``harness`` the new process could find. PATH lists folders, separated as in ``PYTHONPATH``,
that are searched for modules after all others.
"""

import os
import runpy
import sys
from pathlib import Path


def main() -> None:
    """Run the module that the command line names, with the other arguments."""
    path, module, *arguments = sys.argv[1:]
    sys.path.insert(0, str(Path(__file__).resolve().parents[3]))
    import harness  # noqa: F401  its modules are found through it from now on

    del sys.path[0]
    sys.path += [folder for folder in path.split(os.pathsep) if folder not in ("", *sys.path)]
    sys.argv[1:] = arguments
    runpy.run_module(module, run_name="__main__", alter_sys=True)


if __name__ == "__main__":
    main()
