"""Generate the page "Six solvers in 45 versions" and its charts from the record of its study.

    python -m docs.versions_study results/records/2026-11-26-versions docs/which-solver

Every number of the page is computed here; ``which-solver/versions-study.md.j2`` has the words.
"""

from collections.abc import Iterator, Mapping
from functools import cached_property
from itertools import pairwise, product
from pathlib import Path
from typing import Any, Final, NamedTuple

import numpy as np
import pandas as pd

from docs.readme_images import write
from docs.which_solver import Factor, Study, run_main, write_page
from harness.analysis.measures import DEFAULT, Criterion, holm
from harness.analysis.measures.inference import signed_ranks
from harness.contract import environments
from harness.extensions.page.charts import ChartFormat, theme
from harness.extensions.page.charts.files import render
from harness.extensions.page.charts.theme import ChartDrawing, layer, nominal, quantitative
from harness.extensions.page.trend_of_runs import Trend, trend

SOLVERS: Final = {
    "cpsat": "OR-Tools",
    "highs": "HiGHS",
    "z3": "z3",
    "cnf": "python-sat",
    "milp": "PuLP's CBC",
    "clingo": "clingo",
}
"""The backends and what they run, in the order of the page."""
SETS: Final = ("easy", "hard", "minimal-low-clue", "multi-solution", "no-solution", "killer")
"""The datasets, in the order of the page."""
QUESTION: Final = ("count", "warm")
"""Is the solution unique?"""
STATES: Final = {"all answered": "#33a37a", "some reach the limit": "#cc8500", "wrong": "#e0143d"}
"""What the answers of a version on a dataset can be, with its colour."""
WIDTH: Final = 330
"""Of a panel."""


class Change(NamedTuple):
    """The change from one version to another on a dataset."""

    factor: Factor
    p: float
    direction: int
    counts: bool = False
    """Whether it is significant and large enough."""


class Versions(Study):
    """What the page says of a record: CPU times, as other programs disturbed wall times."""

    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        self.run = self.run.timed("cpu")

    @cached_property
    def trend(self) -> Trend:
        """The trends by version."""
        return trend([self.run], by="version")

    @cached_property
    def versions(self) -> dict[str, list[str]]:
        """The versions of each solver, oldest first."""
        versions: dict[str, list[str]] = {name: [] for name in SOLVERS}
        for label in self.run.backends:
            name, _, version = label.partition("@")
            versions[name].append(version)
        return {
            name: sorted(names, key=environments.version_key) for name, names in versions.items()
        }

    def steps(self) -> Iterator[dict[str, Any]]:
        """For each first version behind a step: the datasets with the factor of the step."""
        titles = dict(zip(self.trend.runs["run"], self.trend.runs["folder"], strict=True))
        table = self.trend.steps.sort_values("run")
        for (backend, run, change), rows in table.groupby(["backend", "run", "change"]):
            factors = {
                str(row["dataset"]): Factor(
                    row["factor"], row["factor_low"], row["factor_high"], row["instances"]
                )
                for row in rows.to_dict("records")
            }
            version = titles[run].partition("@")[2]
            yield {"backend": backend, "version": version, "change": change, "factors": factors}

    @cached_property
    def changes(self) -> dict[str, dict[tuple[str, str], dict[str, Change]]]:
        """For each solver and two versions, the change of each dataset.

        The versions are the oldest with each other one, and each with the next. As in the pairwise
        comparison of a report, puzzles that neither answers are left out, and all tests of the
        latter and of the oldest with the newest are corrected together.
        """
        changes_by_pair: dict[str, dict[tuple[str, str], dict[str, Change]]] = {}
        for name, versions in self.versions.items():
            pairs = dict.fromkeys([*product(versions[:1], versions), *pairwise(versions)])
            changes_by_pair[name] = {pair: dict(self._changes(name, *pair)) for pair in pairs}
        tested = [
            (name, pair, dataset)
            for name, versions in self.versions.items()
            for pair in dict.fromkeys([(versions[0], versions[-1]), *pairwise(versions)])
            for dataset in changes_by_pair[name][pair]
        ]
        changes = [changes_by_pair[name][pair][dataset] for name, pair, dataset in tested]
        counts = DEFAULT.different(
            holm(np.array([change.p for change in changes])),
            np.array([change.factor.value for change in changes]),
            np.array([change.direction for change in changes]),
        )
        for (name, pair, dataset), change, counted in zip(tested, changes, counts, strict=True):
            changes_by_pair[name][pair][dataset] = change._replace(counts=bool(counted))
        return changes_by_pair

    def _changes(self, name: str, old: str, new: str) -> Iterator[tuple[str, Change]]:
        labels = f"{name}@{old}", f"{name}@{new}"
        for dataset in SETS:
            before, after = (self.values(label, QUESTION, [dataset]) for label in labels)
            counted = [
                self.values(label, QUESTION, [dataset], "verdict") == "counted" for label in labels
            ]
            either = counted[0] | counted[1]
            if either.sum() >= Criterion.LEAST:
                factor = self.factor(after[either], before[either])
                ratios = np.asarray(np.log(after / before)[either])
                yield dataset, Change(factor, *signed_ranks([ratios])[0])

    def total(self, name: str) -> dict[str, Change]:
        """The changes from the oldest to the newest version."""
        versions = self.versions[name]
        return self.changes[name][versions[0], versions[-1]]

    def following(self, name: str) -> dict[tuple[str, str], dict[str, Change]]:
        """The changes from one version to the next that count, of those that have any."""
        pairs = {pair: self.changes[name][pair] for pair in pairwise(self.versions[name])}
        counting = {
            pair: {s: c for s, c in changes.items() if c.counts} for pair, changes in pairs.items()
        }
        return {pair: changes for pair, changes in counting.items() if changes}

    @staticmethod
    def sorted(changes: Mapping[str, Change], *, slower: bool) -> list[tuple[str, Factor]]:
        """The factors of the changes that count in a direction, the smallest change first."""
        factors = [(s, c.factor) for s, c in changes.items() if c.counts]
        return sorted(
            (pair for pair in factors if (pair[1].value > 1) == slower),
            key=lambda pair: abs(np.log(pair[1].value)),
        )

    @cached_property
    def answers(self) -> pd.DataFrame:
        """For each version and dataset: puzzles, those answered, and wrong answers."""
        table = self.run.results
        table = table.assign(answered=table["verdict"].eq("counted"))
        summary = table.groupby(["backend", "dataset"], as_index=False, observed=True).agg(
            puzzles=("puzzle_id", "nunique"), answered=("answered", "sum"), wrong=("wrong", "sum")
        )
        summary[["solver", "version"]] = summary["backend"].str.split("@", n=1, expand=True)
        return summary

    def correctness(self) -> Iterator[dict[str, Any]]:
        """For each solver: its trials, right answers, trials at the limit, and wrong answers."""
        trials = self.run.trials.assign(solver=self.run.trials["backend"].str.split("@").str[0])
        for name in SOLVERS:
            verdicts = trials.loc[trials["solver"] == name, "verdict"].value_counts().to_dict()
            counts = {
                verdict: verdicts.pop(verdict, 0) for verdict in ("counted", "timeout", "wrong")
            }
            yield {
                "backend": name,
                "trials": sum(counts.values()) + sum(verdicts.values()),
                **counts,
            }

    def disputed(self) -> int:
        """The number of puzzles on whose number of solutions two answers differ."""
        trials = self.run.trials
        answers = trials[trials["verdict"].isin(["counted", "wrong"])]
        numbers = answers.groupby(["dataset", "puzzle_id"], observed=True)["count"].nunique()
        return len(numbers[numbers > 1])

    # Charts.

    def speed(self) -> ChartDrawing:
        """A panel for each solver: time over that of its first version, a colour by dataset."""
        rows = [
            {"solver": SOLVERS[name], "version": new, "puzzles": dataset}
            | {"factor": change.factor.value, "low": change.factor.low, "high": change.factor.high}
            for name, pairs in self.changes.items()
            for (old, new), changes in pairs.items()
            if old == self.versions[name][0]
            for dataset, change in changes.items()
        ]
        axis = {
            "title": "CPU time / that of the first",
            "values": [0.5, 0.6, 0.7, 0.8, 1, 1.2, 1.5, 2],
        }
        axis |= {"labelExpr": "format(datum.value, '.2~r') + 'x'"}
        y = {"scale": theme.log_scale(), "axis": axis}
        colour = nominal(
            "puzzles",
            title=None,
            scale={"domain": list(SETS), "range": list(theme.PALETTE[: len(SETS)])},
            legend={"columns": len(SETS), "symbolStrokeWidth": 0, "symbolOpacity": 1},
        )
        dodged = {"x": self._axis(), "color": colour}
        dodged |= {"xOffset": nominal("puzzles", sort=list(SETS), scale={"paddingOuter": 0.3})}
        points = dodged | {"y": quantitative("factor", **y)}
        interval = dodged | {"y": quantitative("low", **y), "y2": {"field": "high"}}
        return self._panels(
            pd.DataFrame(rows),
            layer("rule", {"y": {"datum": 1}}, color=theme.MUTED),
            layer("line", points, strokeWidth=1, opacity=0.5),
            layer("rule", interval, strokeWidth=1.5),
            layer("point", points, **theme.points(22)),
            height=170,
        )

    def answered(self) -> ChartDrawing:
        """A panel for each solver: a cell for each version and dataset with its answers."""
        all_right, late, wrong = STATES
        table = self.answers
        state = (table["answered"] == table["puzzles"]).map({True: all_right, False: late})
        rows = table.assign(
            state=state.mask(table["wrong"] > 0, wrong),
            solver=table["solver"].map(SOLVERS),
            puzzles=table["dataset"],
        )
        colour = nominal(
            "state",
            title=None,
            scale={"domain": list(STATES), "range": list(STATES.values())},
        )
        place = {"x": self._axis(), "y": nominal("puzzles", title=None, sort=list(SETS))}
        text = {"text": quantitative("answered"), "color": {"value": "#ffffff"}}
        return self._panels(
            rows[["solver", "version", "puzzles", "answered", "state"]],
            layer("rect", place | {"color": colour}, stroke="#ffffff"),
            layer("text", place | text, fontSize=11, fontWeight="bold"),
            height={"step": 20},
        )

    def _axis(self) -> theme.Spec:
        every = {version for versions in self.versions.values() for version in versions}
        order = sorted(every, key=environments.version_key)
        return nominal("version", title=None, sort=order, axis={"labelAngle": -90})

    @staticmethod
    def _panels(rows: pd.DataFrame, *layers: theme.Spec, height: int | theme.Spec) -> ChartDrawing:
        header = {"labelColor": "currentColor", "labelFontSize": 12, "labelFontWeight": "bold"}
        facet = nominal("solver", title=None, sort=list(SOLVERS.values()), header=header)
        spec = {
            "facet": facet,
            "columns": 2,
            "spec": theme.layer_view(*layers, height=height, width=WIDTH),
            "resolve": {"scale": {"x": "independent", "xOffset": "independent"}},
        }
        return ChartDrawing(spec, rows)


def main(record: Path, folder: Path) -> None:
    """Write the page and its charts into `folder`."""
    study = Versions(record)
    for name, drawing in (("speed", study.speed()), ("answers", study.answered())):
        svg = render(theme.with_style(drawing.complete(), ""), ChartFormat.SVG).decode()
        write(folder / f"versions-study-{name}.svg", svg)
    write_page(
        folder, "versions-study", study=study, record=record.name, solvers=SOLVERS, sets=SETS
    )


if __name__ == "__main__":
    run_main(main, __doc__)
