"""Generate the page "From 36x36 to 100x100" and its chart from the record of its sweep.

    python -m docs.large_puzzles results/records/2026-11-27-large docs

Every number of the page is computed here; ``large-puzzles.md.j2`` has the words.
"""

from functools import cached_property
from pathlib import Path
from typing import Any

import pandas as pd

from docs.readme_images import write
from docs.which_solver import Study, run_main, write_page
from harness.report.charts import ChartFormat, theme
from harness.report.charts.files import rendered
from harness.report.charts.theme import ChartDrawing, layer, nominal, quantitative


class LargePuzzles(Study):
    """What the page says of a record, in CPU times."""

    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        self.run = self.run.timed("cpu")

    @cached_property
    def rows(self) -> pd.DataFrame:
        """A row for each size, share of clues and puzzle; a column for each backend.

        Its times are NaN where it has no answer within the limit.
        """
        table = self.run.results
        size = table["shape"].str.extract(r"(\d+)")[0].astype(int)
        share = (100 * table["clues"] / size**2).round().astype(int)
        times = table["time_s"].where(table["verdict"] == "solved")
        table = table.assign(time_s=times, size=size, share=share)
        keys = ["size", "share", "dataset", "name"]
        return table.set_index([*keys, "backend"])["time_s"].unstack("backend")

    @cached_property
    def labels(self) -> list[str]:
        """All backends, the most answers first."""
        answers = self.rows.notna().sum().sort_values(ascending=False, kind="stable")
        return [str(name) for name in answers.index]

    def sizes(self) -> list[dict[str, Any]]:
        """Of each size the number of puzzles, and by backend that of answers."""
        return [
            {"size": size, "puzzles": len(of), "answers": of.notna().sum().to_dict()}
            for size, of in self.rows.groupby("size")
        ]

    def shares(self) -> list[dict[str, Any]]:
        """Of each size and share of clues the puzzles, and by backend answers and median time."""
        return [
            {
                "size": size,
                "share": share,
                "puzzles": len(of),
                "answers": of.notna().sum().to_dict(),
                "medians": of.median().to_dict(),
            }
            for [size, share], of in self.rows.groupby(["size", "share"])
        ]

    def unanswered(self) -> int:
        """The number of puzzles without an answer of any backend."""
        return int(self.rows.isna().all(axis=1).sum())

    def solved(self) -> ChartDrawing:
        """A cell for each backend and size with the share of its puzzles that is solved."""
        rows = [
            {
                "backend": name,
                "size": f"{of['size']}x{of['size']}",
                "solved": of["answers"][name] / of["puzzles"],
                "text": f"{of['answers'][name]} of {of['puzzles']}",
            }
            for of in self.sizes()
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
        spec = theme.layered(
            layer("rect", place | {"color": shade}, stroke="#ffffff"),
            layer("text", place | text, fontSize=12),
            height={"step": 26},
            width=420,
        )
        return ChartDrawing(spec, pd.DataFrame(rows))


def main(record: Path, folder: Path) -> None:
    """Write the page and its chart into `folder`."""
    study = LargePuzzles(record)
    svg = rendered(theme.styled(study.solved().complete(), ""), ChartFormat.SVG).decode()
    write(folder / "large-puzzles-solved.svg", svg)
    write_page(folder, "large-puzzles", study=study, record=record.name)


if __name__ == "__main__":
    run_main(main, __doc__)
