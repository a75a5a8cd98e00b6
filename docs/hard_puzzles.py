"""Generate the page "Large puzzles on which search fails" from the record of its study.

    python -m docs.hard_puzzles results/records/2026-11-27-hard docs/which-solver

Every number of the page is computed here; ``which-solver/hard-puzzles.md.j2`` has the words.
"""

from functools import cached_property
from pathlib import Path
from typing import Any, Final

import pandas as pd

from docs.which_solver import Study, run_main, write_page

OURS: Final = "native-jit"
EASY: Final = 0.005
"""Seconds within which a call is more encoding than search."""
ANSWERS: Final = ("solved", "unsatisfiable")


class HardPuzzles(Study):
    """What the page says of a record, in CPU times."""

    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        self.run = self.run.timed("cpu")

    @cached_property
    def rows(self) -> pd.DataFrame:
        """A row for each puzzle; a column for each backend has its time, NaN without an answer."""
        table = self.run.results
        side = table["shape"].str.extract(r"(\d+)")[0].astype(int)
        share = (100 * table["clues"] / side**2).round(1)
        table = table.assign(
            time_s=table["time_s"].where(table["verdict"].isin(ANSWERS)),
            share=share,
        )
        keys = ["dataset", "shape", "share", "name"]
        return table.set_index([*keys, "backend"])["time_s"].unstack("backend")

    @cached_property
    def labels(self) -> list[str]:
        """All backends, the most answers first."""
        answers = self.rows.notna().sum().sort_values(ascending=False, kind="stable")
        return [str(name) for name in answers.index]

    @cached_property
    def beside_others(self) -> "pd.Series[Any]":
        """For each puzzle with an answer, the time of ours over the shortest of the others.

        It is 0 where no other has an answer, and infinite where only others have one.
        """
        rows = self.rows.dropna(how="all")
        others = rows.drop(columns=OURS).min(axis=1)
        return (rows[OURS].fillna(float("inf")) / others).fillna(0.0)

    @cached_property
    def searched(self) -> "pd.Series[Any]":
        """`beside_others` of the puzzles that take ours longer than `EASY`, or that it misses."""
        return self.beside_others[~(self.rows[OURS] <= EASY).reindex(self.beside_others.index)]

    def groups(self) -> list[dict[str, Any]]:
        """Shapes and shares of clues: the puzzles, and answers and median time by backend."""
        rows: list[dict[str, Any]] = [
            {
                "dataset": dataset,
                "shape": shape,
                "share": share,
                "puzzles": len(group),
                "answers": {name: int(group[name].notna().sum()) for name in self.labels},
                "medians": {name: float(group[name].median()) for name in self.labels},
            }
            for [dataset, shape, share], group in self.rows.groupby(["dataset", "shape", "share"])
        ]
        return sorted(rows, key=lambda row: (row["shape"], row["share"]))

    def slower(self) -> list[dict[str, Any]]:
        """The puzzles on which ours takes more than twice the time of another, worst first."""
        worst = self.beside_others[self.beside_others > 2].sort_values(ascending=False)
        table = self.rows.loc[worst.index].reset_index().to_dict("records")
        return [
            {str(key): value for key, value in row.items()}
            | {"puzzle": f"{row['dataset']}/{row['name']}", "ratio": ratio}
            for row, ratio in zip(table, worst.tolist(), strict=True)
        ]


def main(record: Path, folder: Path) -> None:
    """Write the page into `folder`."""
    study = HardPuzzles(record)
    write_page(folder, "hard-puzzles", study=study, record=record.name, ours=OURS)


if __name__ == "__main__":
    run_main(main, __doc__)
