"""Shortens the output of ``pip install``, read from standard input, to one line per package.

On a terminal each line replaces the one before. Lines that are no progress stay.
"""

import re
import sys

_STEP = re.compile(r"\s*(Collecting|Downloading|Using cached|Building wheels|Installing) (\S+)")
_SILENT = re.compile(r"\s*(Requirement already|Looking in|Obtaining|Preparing|Created|Stored|Getting)")
_DONE = re.compile(r"Successfully installed (.*)")


def main() -> None:
    """Show the progress of an installation."""
    terminal = sys.stdout.isatty()
    collected = 0
    for line in sys.stdin:
        if done := _DONE.match(line):
            show("", terminal)
            print(f"{len(done[1].split())} packages are installed.", flush=True)
        elif step := _STEP.match(line):
            verb, what = step[1], step[2].rpartition("/")[2]
            if verb == "Collecting":
                collected += 1
            elif verb == "Installing":
                what = f"{collected} packages"
            if terminal or verb in ("Downloading", "Installing"):
                show(f"  {verb} {what}"[:79], terminal)
        elif line.strip() and not _SILENT.match(line):
            sys.stderr.write(line)


def show(text: str, terminal: bool) -> None:
    """Print a line, on a terminal in place of the one before."""
    if terminal:
        print(f"\r\x1b[K{text}", end="", flush=True)
    elif text:
        print(text, flush=True)


if __name__ == "__main__":
    main()
