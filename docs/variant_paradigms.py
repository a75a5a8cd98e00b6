"""Generate the page "Variants: which paradigm for which constraint" from the record of its study.

    python -m docs.variant_paradigms results/records/2026-11-26-variants docs/which-solver

Every number of the page is computed here; ``which-solver/variant-paradigms.md.j2`` has the words.
"""

from functools import cached_property
from pathlib import Path
from typing import Any, Final

import numpy as np
import pandas as pd

from docs.which_solver import Study, run_main, write_page
from harness.puzzles import Shape
from harness.puzzles.constraints import KINDS, Line, Primitive, Relation, Sum, ValueCount

BY_KIND: Final = "variant-kinds"
"""The dataset with puzzles of each kind."""
GRADED: Final = ("killer", "lines", "dots", "mixed")
"""The datasets with puzzles from easy to hard."""
SIZES: Final = "variant-sizes"
"""The dataset of puzzles from 4x4 to 16x16."""
PEER: Final = "iss"
"""The Interactive Sudoku Solver."""
OURS: Final = ("native-jit", "native", "cnf", "cpsat", "clingo")
GROUPS: Final[dict[str, type[Primitive]]] = {
    "automata": Line,
    "sums": Sum,
    "counts of values": ValueCount,
    "relations": Relation,
}
"""Kinds by their primitives; the first that a kind has decides, others are distinct cells."""
DISTINCT: Final = "distinct cells"
QUESTION: Final = ("count", "cold")
"""Is the solution unique? The model of each puzzle is built in the time of the call."""
ENCODINGS: Final = (
    ("cnf", "cnf[cages=partial-sums]", "partial sums"),
    ("cpsat", "cpsat[cages=linear]", "linear sums"),
    ("cpsat", "cpsat[formulation=integer]", "integers, with linear sums"),
    ("milp", "milp[cages=linear]", "linear sums"),
)
"""A backend, the same with another encoding of sums, and what that is."""


class Variants(Study):
    """What the page says of a record."""

    @cached_property
    def times(self) -> pd.DataFrame:
        """One row for each backend and puzzle; what is not answered takes the time limit."""
        table = self.run.results
        answered = table["verdict"] == "counted"
        time_s = table["time_s"].where(answered, table["timeout_s"])
        return table.assign(kind=_kinds(table), answered=answered, time_s=time_s)

    def rows(self, *datasets: str) -> pd.DataFrame:
        """The rows of some datasets."""
        return self.times[self.times["dataset"].isin(datasets)]

    @staticmethod
    def summary(rows: pd.DataFrame) -> dict[str, Any]:
        """Median and worst time, and the puzzles answered, of the rows of a backend."""
        return {
            "median": float(rows["time_s"].median()),
            "mean": float(np.exp(np.log(rows["time_s"]).mean())),
            "worst": float(rows["time_s"].max()),
            "answered": int(rows["answered"].sum()),
            "total": len(rows),
        }

    def summaries(self, table: pd.DataFrame, by: str) -> dict[str, dict[str, dict[str, Any]]]:
        """The summary of each backend for each value of a column."""
        return {
            str(value): {
                str(backend): self.summary(own) for backend, own in rows.groupby("backend")
            }
            for value, rows in table.groupby(by)
        }

    @cached_property
    def kinds(self) -> dict[str, dict[str, dict[str, Any]]]:
        """For each kind, in the order of the table of kinds, the summary of each backend."""
        summaries = self.summaries(self.rows(BY_KIND), "kind")
        return {kind: summaries[kind] for kind in KINDS if kind in summaries}

    def grouped(self) -> dict[str, list[str]]:
        """The kinds of each group."""
        kinds_of: dict[str, list[str]] = {name: [] for name in (*GROUPS, DISTINCT)}
        for kind in self.kinds:
            kinds_of[_group_of(kind)].append(kind)
        return {name: kinds for name, kinds in kinds_of.items() if kinds}

    def first(self, kind: str) -> str:
        """The backend of ours with the lowest geometric mean on a kind."""
        return min(OURS, key=lambda backend: self.kinds[kind][backend]["mean"])

    def wins(self) -> dict[str, list[str]]:
        """The kinds on which each backend is the fastest of ours."""
        return {name: [kind for kind in self.kinds if self.first(kind) == name] for name in OURS}

    def ahead(self, backend: str, other: str = PEER) -> list[str]:
        """The kinds on which a backend has the lesser geometric mean."""
        kinds = self.kinds
        return [kind for kind in kinds if kinds[kind][backend]["mean"] < kinds[kind][other]["mean"]]

    def behind(self, backend: str) -> list[dict[str, Any]]:
        """Where the peer is ahead of a backend: medians of its times to build and to search."""
        trials = self.run.trials
        trials = trials[(trials["dataset"] == BY_KIND) & (trials["backend"] == backend)]
        trials = trials.assign(kind=_kinds(trials))
        ahead = self.ahead(backend)
        return [
            {
                "kind": str(kind),
                "build": float(rows["build_s"].median()),
                "search": float(rows["search_s"].median()),
                "all": float(rows["wall_s"].median()),
                "peer": self.kinds[str(kind)][PEER]["median"],
            }
            for kind, rows in trials.groupby("kind")
            if kind not in ahead
        ]

    def paradigms(self) -> list[dict[str, Any]]:
        """Each backend on the puzzles that all have: medians by group, the most answers first."""
        table = self.rows(BY_KIND)
        backends = table.groupby("puzzle_id")["backend"].nunique()
        shared = backends.index[backends == table["backend"].nunique()]
        table = table[table["puzzle_id"].isin(shared)]
        limit = table["timeout_s"].min()
        late = table["time_s"] > limit
        table = table.assign(answered=table["answered"] & ~late, group=table["kind"].map(_group_of))
        table = table.assign(time_s=table["time_s"].clip(upper=limit))
        rows = [
            {
                "backend": str(backend),
                "way": own["paradigm"].iloc[-1],
                "all": self.summary(own),
                "groups": {str(name): self.summary(part) for name, part in own.groupby("group")},
            }
            for backend, own in table.groupby("backend")
        ]
        return sorted(rows, key=lambda row: (-row["all"]["answered"], row["all"]["mean"]))

    def encodings(self) -> list[dict[str, Any]]:
        """What other encodings of sums cost on `killer`."""
        rows = []
        for base, other, title in ENCODINGS:
            first, second = (self.values(name, QUESTION, ["killer"]) for name in (base, other))
            shared = first.index.intersection(second.index)
            answers = self.values(base, QUESTION, ["killer"], "answered")[shared]
            others = self.values(other, QUESTION, ["killer"], "answered")[shared]
            rows.append(
                {
                    "backend": base,
                    "what": title,
                    "median": float(first[shared].median()),
                    "other": float(second[shared].median()),
                    "answers": int(answers.sum()),
                    "others": int(others.sum()),
                    "factor": self.factor(second[shared], first[shared]),
                }
            )
        return rows

    def graded(self) -> dict[str, dict[str, dict[str, Any]]]:
        """The summary of each backend on each of `GRADED`, plain encodings left out."""
        table = self.rows(*GRADED)
        return self.summaries(table[table["backend"].isin([*OURS, PEER])], "dataset")

    def sizes(self) -> dict[str, dict[str, dict[str, Any]]]:
        """The summary of each backend on each size and kind of `SIZES`."""
        table = self.rows(SIZES)
        sides = table["shape"].str.extract(r"(\d+)x")[0].astype(int)
        table = table.assign(
            size=[f"{n}x{n}, {k}" for n, k in zip(sides, table["kind"], strict=True)]
        )
        names = table.assign(side=sides).sort_values(["kind", "side"])["size"]
        summaries = self.summaries(table, "size")
        return {name: summaries[name] for name in names.unique()}


def _kinds(table: pd.DataFrame) -> "pd.Series[str]":
    """The last kind in each shape, which has them in the order of `KINDS`: rules after dots."""
    return table["shape"].str.extract(r".*; ([a-z-]+)")[0]


def _group_of(kind: str) -> str:
    """The group of a kind, by the primitives of its example."""
    primitives = Shape.parse(f"9x9; {KINDS[kind].example}").primitives
    return next(
        (
            name
            for name, types in GROUPS.items()
            if any(isinstance(part, types) for part in primitives)
        ),
        DISTINCT,
    )


def main(record: Path, folder: Path) -> None:
    """Write the page into `folder`."""
    study = Variants(record)
    write_page(folder, "variant-paradigms", study=study, record=record.name, ours=OURS, peer=PEER)


if __name__ == "__main__":
    run_main(main, __doc__)
