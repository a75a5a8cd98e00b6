"""Generate the page "From 36x36 to 100x100" and its chart from the record of its sweep.

    python -m docs.large_puzzles results/records/2026-11-27-large docs/which-solver

Every number of the page is computed here; ``which-solver/large-puzzles.md.j2`` has the words.
"""

from pathlib import Path
from typing import Any

import pandas as pd

from docs.hard_puzzles import HardPuzzles
from docs.readme_images import write
from docs.which_solver import run_main, write_page
from harness.extensions.page.charts import ChartFormat, theme
from harness.extensions.page.charts.files import render
from harness.extensions.page.charts.theme import ChartDrawing, layer, nominal, quantitative
from harness.puzzles import Shape


class LargePuzzles(HardPuzzles):
    """What the page says of a record, in CPU times."""

    def sizes(self) -> list[dict[str, Any]]:
        """For each size the number of puzzles, and by backend that of answers, smallest first.

        The keys are those of `groups`.
        """
        return sorted(
            (
                {"shape": shape, "puzzles": len(times), "answers": times.notna().sum().to_dict()}
                for shape, times in self.rows.groupby("shape")
            ),
            key=_size,
        )

    def shares(self) -> list[dict[str, Any]]:
        """`groups`, the smallest size first."""
        return sorted(self.groups(), key=_size)

    def unanswered(self) -> int:
        """The number of puzzles without an answer of any backend."""
        return int(self.rows.isna().all(axis=1).sum())

    def solved(self) -> ChartDrawing:
        """A cell for each backend and size with the share of its puzzles that is solved."""
        rows = [
            {
                "backend": name,
                "size": size["shape"],
                "solved": size["answers"][name] / size["puzzles"],
                "text": f"{size['answers'][name]} of {size['puzzles']}",
            }
            for size in self.sizes()
            for name in self.labels
        ]
        sizes = list(dict.fromkeys(row["size"] for row in rows))
        place = {
            "x": nominal("size", title=None, sort=sizes, axis={"labelAngle": 0}),
            "y": nominal("backend", title=None, sort=self.labels),
        }
        shade = quantitative(
            "solved", legend=None, scale={"domain": [0, 1], "range": ["#c9d3e0", "#1f4e8c"]}
        )
        dark = {
            "condition": {"test": "datum.solved > 0.45", "value": "#ffffff"},
            "value": "#1b2733",
        }
        text = {"text": nominal("text"), "color": dark}
        spec = theme.layer_view(
            layer("rect", place | {"color": shade}, stroke="#ffffff"),
            layer("text", place | text, fontSize=12),
            height={"step": 26},
            width=420,
        )
        return ChartDrawing(spec, pd.DataFrame(rows))


def _size(group: dict[str, Any]) -> int:
    return Shape.parse(group["shape"]).size


def main(record: Path, folder: Path) -> None:
    """Write the page and its chart into `folder`."""
    study = LargePuzzles(record)
    svg = render(theme.with_style(study.solved().complete(), ""), ChartFormat.SVG).decode()
    write(folder / "large-puzzles-solved.svg", svg)
    write_page(folder, "large-puzzles", study=study, record=record.name)


if __name__ == "__main__":
    run_main(main, __doc__)
