"""Draws the tables of a run as they stand in the terminal: `make picture`."""

import re
import sys
from io import StringIO
from pathlib import Path

from rich.console import Console
from rich.text import Text

from harness.analysis.run import load
from harness.report.tables import WIDTH, text


def main(run: Path, picture: Path) -> None:
    """Write the tables of the run in folder `run` to the SVG file `picture`."""
    console = Console(record=True, width=WIDTH, file=StringIO())
    console.print(Text(text(load(run)).rstrip()))
    svg = console.export_svg(title="make demo")
    # The fonts that rich names are fetched from elsewhere; any monospaced one will do.
    svg = re.sub(r"@font-face\s*{[^}]*}", "", svg).replace("Fira Code, monospace", "monospace")
    picture.write_text(re.sub(r"[ \t]+\n", "\n", svg), encoding="utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
