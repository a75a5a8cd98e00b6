"""Draw the images of the README from a run: ``make images``."""

import re
import sys
from io import StringIO
from pathlib import Path
from typing import Final

from rich.console import Console
from rich.text import Text

from harness.analysis import load
from harness.extensions.page.charts import ChartFormat
from harness.extensions.page.charts.catalogue import CHARTS, charts_of
from harness.extensions.page.charts.files import chart_title, render
from harness.report import answer
from harness.report.render.text import WIDTH

KINDS: Final = ("cactus", "scatter", "heat", "transition")
"""The kinds of chart in the README; see `harness.extensions.page.charts.catalogue`."""

DATASET: Final = "transition"


def main(run_folder: Path, folder: Path) -> None:
    """Write the answer and charts of a run as SVG files into `folder`."""
    run = load(run_folder)
    console = Console(record=True, width=WIDTH, file=StringIO())
    console.print(Text(answer.text(run).rstrip()))
    svg = console.export_svg(title=f"harness report {run_folder}")
    # rich refers to web fonts; any local monospaced font will do.
    svg = re.sub(r"@font-face\s*{[^}]*}", "", svg).replace("Fira Code, monospace", "monospace")
    write(folder / "demo.svg", svg)
    for kind in CHARTS:
        if kind.name in KINDS:
            example = next(
                chart
                for chart in charts_of(run, kind)
                if chart.key.get("dataset", DATASET) == DATASET and chart.key["start"] == "cold"
            )
            spec = example.specification(chart_title(example, with_host=False))
            write(folder / f"{kind.name}.svg", render(spec, ChartFormat.SVG).decode())


def write(path: Path, svg: str) -> None:
    """Write an SVG file without trailing blanks."""
    path.write_text(re.sub(r"[ \t]+\n", "\n", svg), encoding="utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
