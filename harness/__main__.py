"""The command ``harness`` as ``python -m harness``."""

import sys

if not sys.flags.safe_path:
    # `python -m` searches the working folder first; files there must not hide libraries.
    sys.path.append(sys.path.pop(0))

from harness.cli import main

if __name__ == "__main__":
    main()
