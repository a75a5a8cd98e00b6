"""Draws the pictures of the README from a run: `make picture`."""

import re
import sys
from io import StringIO
from pathlib import Path
from typing import Final

from rich.console import Console
from rich.text import Text

from harness.analysis.run import load
from harness.report.charts.catalogue import CHARTS, pictures
from harness.report.charts.files import ChartFormat, rendered, title
from harness.report.tables import WIDTH, text

PICTURES: Final = ("cactus", "scatter", "heat", "transition")
"""The charts that the README shows; see `harness.report.charts.catalogue`."""

DATASET: Final = "transition"


def main(run: Path, folder: Path) -> None:
    """Write tables and charts of the run in folder `run` as SVG files into `folder`."""
    found = load(run)
    console = Console(record=True, width=WIDTH, file=StringIO())
    console.print(Text(text(found).rstrip()))
    svg = console.export_svg(title=f"harness report {run}")
    # The fonts that rich names are fetched from elsewhere; any monospaced one will do.
    svg = re.sub(r"@font-face\s*{[^}]*}", "", svg).replace("Fira Code, monospace", "monospace")
    put(folder / "demo.svg", svg)
    for kind in CHARTS:
        if kind.name in PICTURES:
            shown = next(
                picture
                for picture in pictures(found, kind)
                if picture.key.get("dataset", DATASET) == DATASET and picture.key["start"] == "cold"
            )
            drawn = rendered(shown.draw(title(shown, False)), ChartFormat.SVG).decode()
            put(folder / f"{kind.name}.svg", drawn)


def put(path: Path, svg: str) -> None:
    """Write a picture, without blanks at the ends of its lines."""
    path.write_text(re.sub(r"[ \t]+\n", "\n", svg), encoding="utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
