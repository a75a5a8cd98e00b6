"""Copies standard input to standard output; on a terminal each line replaces the one before."""

import shutil
import sys


def main() -> None:
    """Copy line by line, and end with an empty line on a terminal."""
    if not sys.stdout.isatty():
        for line in sys.stdin:
            print(line, end="", flush=True)
        return
    for line in sys.stdin:
        text = line.strip()[: shutil.get_terminal_size().columns - 1]
        print(f"\r\x1b[K{text}", end="", flush=True)
    print("\r\x1b[K", end="", flush=True)


if __name__ == "__main__":
    main()
