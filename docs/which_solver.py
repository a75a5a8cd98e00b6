"""Generate the page "Which solver for which Sudoku?" and its charts from the record of the study.

    python -m docs.which_solver results/records/2026-11-26-study docs/which-solver

Every number of the page is computed here; ``which-solver/README.md.j2`` has the words.
"""

import re
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import Any, Final, NamedTuple

import jinja2
import numpy as np
import pandas as pd

from docs.readme_images import write
from harness.analysis import Run, facts_of, load
from harness.analysis.measures import columns as col
from harness.analysis.measures import quantile
from harness.analysis.measures.inference import mean_interval
from harness.extensions.page.charts import ChartFormat, curves, distributions, scatter, theme
from harness.extensions.page.charts.catalogue import CHARTS, charts_of
from harness.extensions.page.charts.files import render
from harness.extensions.page.charts.theme import ChartDrawing
from harness.extensions.page.trend_of_runs import start_of
from harness.extensions.site.claims import Evidence, PublishedClaim, evidence_of, read_claims
from harness.extensions.site.records import SiteRecord
from harness.extensions.site.standings import all_pairs, standings
from harness.report import formatting

WAYS: Final = {
    "compiled search": r"(backtracking|DPLL).*(compiled|\bC\b|Rust)",
    "search in Python": "backtracking|search",
    "exact cover": "exact cover",
    "SAT": "SAT$",
    "constraint programming": "constraint programming|lazy clause|modelling",
    "answer sets": "answer set",
    "pseudo-Boolean": "pseudo-Boolean",
    "SMT": "SMT",
    "integer programming": "(mixed-)?integer programming",
    "ant colony": "ant colony",
}
"""The ways of solving, with a pattern of the paradigms of their backends; the first that fits."""
SETS: Final = (
    "easy",
    "hard",
    "clues17",
    "hardest-1905-11",
    "multi-solution",
    "no-solution",
    "jigsaw",
    "sukaku",
    "16x16",
    "25x25",
)
"""The datasets that stand for their kinds, in the order of the page."""
CORE: Final = ("native-jit", "native", "xcover", "cnf", "cpsat", "clingo", "milp")
"""The backends of charts that have a colour for each backend."""
LARGE: Final = ("native-jit", "xcover", "cnf", "kissat", "cryptominisat", "cpsat", "clingo", "z3")
"""The backends of the chart of large puzzles."""
UNIQUE: Final = (
    "easy",
    "medium",
    "hard",
    "minimal-low-clue",
    "clues17",
    "top1465",
    "hardest-1905-11",
)
"""Datasets of 9x9 puzzles with one solution."""


FEWEST: Final = 5
"""Puzzles at a density, without which it is left out."""
STEP: Final = 5.0
"""Of densities, in percent."""

Question = tuple[str, str]
"""A task and a start."""


class Factor(NamedTuple):
    """A geometric mean of ratios of times over instances."""

    value: float
    low: float
    high: float
    """The ends of the 95 % interval."""
    instances: int


class Study:
    """What the page says of a record."""

    def __init__(self, folder: Path) -> None:
        self.run = load(folder)
        self.claims = read_claims(folder.parent.parent / "claims.toml")
        self.core, self.unique = CORE, UNIQUE
        self.cores = len(self.run.environment.system.usable_cores or [])
        self.date = str(start_of(self.run) or "")[:10]
        self.facts = facts_of(self.run.environment)
        paradigms = self.run.trials.groupby("backend")["paradigm"].last()
        self.way = {
            str(label): next((f for f, pattern in WAYS.items() if re.match(pattern, text)), text)
            for label, text in paradigms.items()
        }

    # Parts of the run.

    def part(self, **chosen: str | Sequence[str]) -> Run:
        """The run with the trials that have one of the chosen values in each column."""
        trials = self.run.trials
        for column, values in chosen.items():
            trials = trials[trials[column].isin([values] if isinstance(values, str) else values)]
        return replace(self.run, trials=trials)

    @cached_property
    def times(self) -> pd.DataFrame:
        """The time of each backend on each instance, a failure at its limit; no batches.

        Among several sweeps on a dataset, the one with the most results is taken.
        """
        table = self.run.results
        table = table[(table["start"] != "batch") & (table["wrong"] == 0)]
        table = table[table["verdict"] != "unsupported"]
        table = table[~(table["task"].eq("count") & table["limit"].gt(2))]
        size = table.groupby(col.COMPARISON_GROUP, dropna=False)["time_s"].transform("size")
        question = table[["dataset", "task", "start"]]
        return table[size == size.groupby([question[name] for name in question]).transform("max")]

    def values(
        self, backend: str, question: Question, datasets: Sequence[str], column: str = "time_s"
    ) -> "pd.Series[Any]":
        """The times of a backend, or another column, by dataset and puzzle."""
        task, start = question
        table = self.times
        table = table[
            (table["backend"] == backend)
            & (table["task"] == task)
            & (table["start"] == start)
            & table["dataset"].isin(list(datasets))
        ]
        return table.set_index(["dataset", "puzzle_id"])[column]

    @staticmethod
    def limits(table: pd.DataFrame) -> list[float]:
        """The time limits of some results in seconds, shortest first."""
        return sorted(float(limit) for limit in table["timeout_s"].unique())

    @staticmethod
    def factor(times: "pd.Series[Any]", base: "pd.Series[Any]") -> Factor:
        """How many times as long as `base` the times are, on the instances of both."""
        logs = np.log((times / base).dropna().to_numpy(dtype=float))
        low, high = mean_interval(logs[:, None])
        value, least, most = np.exp([logs.mean(), low[0], high[0]]).tolist()
        return Factor(value, least, most, len(logs))

    def backends(self, question: Question, datasets: Sequence[str]) -> list[str]:
        """The backends that were run on this question on each of the datasets."""
        task, start = question
        table = self.times
        table = table[(table["task"] == task) & (table["start"] == start)]
        table = table[table["dataset"].isin(list(datasets))]
        has = table.groupby("backend")["dataset"].nunique()
        return sorted(str(name) for name in has.index[has == len(datasets)])

    def samples(self) -> dict[str, Any]:
        """Puzzles of a dataset and limits in single calls: of most backends, and of slow ones."""
        table = self.run.results
        table = table[table["start"] != "batch"]
        sizes = table.groupby(["backend", "dataset"])["puzzle_id"].nunique()
        most = sizes.groupby("backend").max()
        slow = sorted(str(name) for name in most.index[most == most.min()])
        typical = table.groupby("dataset")["puzzle_id"].nunique()
        return {
            "slow": slow,
            "slow_puzzles": int(most.min()),
            "typical": {
                size: [name for name in SETS if typical[name] == size]
                for size in dict.fromkeys(int(typical[name]) for name in SETS)
            },
            "limits": self.limits(table),
            "batch_limit": float(self.run.results["timeout_s"].max()),
        }

    # Which way wins where.

    @cached_property
    def best(self) -> pd.DataFrame:
        """The best backend of each way on each of `SETS`, by the mean of warm `solve`."""
        table = self.times
        table = table[(table["task"] == "solve") & (table["start"] == "warm")]
        table = table[table["dataset"].isin(SETS)].assign(log=lambda rows: np.log(rows["time_s"]))
        means = table.groupby(["dataset", "backend"], as_index=False)["log"].mean()
        means = means.assign(way=means["backend"].map(self.way))
        best: pd.DataFrame = means.sort_values("log").drop_duplicates(["dataset", "way"])
        return best

    def winners(self) -> Iterator[dict[str, Any]]:
        """For each of `SETS` the fastest backends, and the best of the next and the last way.

        A backend ties with the fastest if the interval of the factor between them has 1 in it.
        """
        question = ("solve", "warm")
        for name in SETS:
            rows = self.best[self.best["dataset"] == name].to_dict("records")
            if len(rows) < 2:
                continue
            base = self.values(rows[0]["backend"], question, [name])
            others = [
                other for other in self.backends(question, [name]) if rows[0]["backend"] != other
            ]
            first = [rows[0]["backend"]]
            first += [
                other
                for other in others
                if self.factor(self.values(other, question, [name]), base).low <= 1
            ]
            for row in rows:
                row["factor"] = self.factor(self.values(row["backend"], question, [name]), base)
            following = [row for row in rows if row["backend"] not in first]
            yield {"dataset": name, "first": first, "second": following[0], "last": rows[-1]}

    def fastest(self) -> dict[str, int]:
        """The number of `SETS` on which each backend is the fastest or ties with it."""
        return dict(Counter(name for row in self.winners() for name in row["first"]).most_common())

    def programs(self) -> list[dict[str, Any]]:
        """Puzzles per CPU second of programs in batches, the fastest counter first."""
        rows: dict[str, dict[str, Any]] = {}
        table = self.part(start="batch").timed("cpu").throughput()
        table = table[(table["wrong"] == 0) & ~(table["limit"] > 2).fillna(value=False)]
        for row in table.to_dict("records"):
            cells = rows.setdefault(row["backend"], {"backend": row["backend"]})
            cells[f"{row['dataset']} {row['task']}"] = row["puzzles_per_s"]
        total = [row for row in rows.values() if "clues17 count" in row or "clues17 solve" in row]
        return sorted(total, key=lambda row: -row.get("clues17 count", 0))

    # Size, hardness, density.

    def growth(self) -> dict[str, dict[str, Any]]:
        """By backend and shape of `sizes`: the median time, and the numbers of answers and puzzles.

        A median comes with whether it is only a lower bound.
        """
        table = self.times[self.times["dataset"] == "sizes"]
        growth = {}
        for name, rows in table.groupby("backend"):
            answered = (
                rows[rows["verdict"].isin(["solved", "unsatisfiable"])].groupby("shape").size()
            )
            total = rows.groupby("shape").size()
            growth[str(name)] = {
                "medians": {
                    shape: quantile(part["time_s"].to_numpy(), part["answered"].to_numpy())
                    for shape, part in rows.groupby("shape", observed=True)
                },
                "answered": answered.reindex(total.index, fill_value=0).to_dict(),
                "total": total.to_dict(),
            }
        return growth

    @cached_property
    def guesses(self) -> "pd.Series[Any]":
        """The guesses of native-jit in each 9x9 puzzle with one solution."""
        return self.values("native-jit", ("count", "warm"), UNIQUE, "guesses")

    @cached_property
    def hardness(self) -> list[dict[str, Any]]:
        """For each backend: rank correlation of time and guesses, and time on hard over easy."""
        rows = []
        for name in self.backends(("count", "warm"), UNIQUE):
            times = self.values(name, ("count", "warm"), UNIQUE)
            both = pd.concat([times, self.guesses], axis=1).dropna()
            rho = float(both.rank().corr().to_numpy()[0, 1])  # Spearman's
            hard, easy = (
                np.exp(np.log(times[dataset]).mean()) for dataset in ("hardest-1905-11", "easy")
            )
            rows.append({"backend": name, "rho": rho, "ratio": float(hard / easy)})
        return sorted(rows, key=lambda row: -row["rho"])

    @property
    def ratios(self) -> dict[str, float]:
        """By backend: the ratio of `hardness`."""
        return {row["backend"]: row["ratio"] for row in self.hardness}

    def densities(self, dataset: str) -> dict[str, dict[str, Any]]:
        """By backend: the density of the highest median time, with the highest and the lowest."""
        table = self.times[self.times["dataset"] == dataset]
        table = table.assign(density=_density(table))
        sizes = table.groupby("density")["puzzle_id"].nunique()
        table = table[table["density"].isin(sizes.index[sizes >= FEWEST])]
        curves = {}
        for name, rows in table.groupby("backend"):
            medians = {
                density: quantile(part["time_s"].to_numpy(), part["answered"].to_numpy())
                for density, part in rows.groupby("density")
            }
            peak = max(medians, key=lambda density: medians[density][0])
            curves[str(name)] = {
                "peak": peak,
                "median": medians[peak],
                "least": min(medians.values())[0],
                "lowest": float(rows["density"].min()),
                "highest": float(rows["density"].max()),
                "total": int(rows.groupby("density").size().min()),
            }
        return curves

    def large(self) -> list[dict[str, Any]]:
        """The answers on the published 25x25 by backend, the most first, and PAR-2 in seconds."""
        table = self.times[self.times["dataset"] == "hakank-25x25"]
        right = table["verdict"] == "solved"
        times = table["time_s"].where(right, 2 * table["timeout_s"])
        by = pd.DataFrame({"total": right.groupby(table["backend"]).size()})
        by["answered"] = right.groupby(table["backend"]).sum()
        by["par2"] = times.groupby(table["backend"]).mean()
        by["limit"] = table["timeout_s"].max()
        by = by[by["total"] == by["total"].max()].sort_values("par2")
        return [{"backend": str(name), **row} for name, row in by.T.to_dict().items()]

    # The cost of a question, and of a start.

    def uniqueness(self) -> dict[str, Factor]:
        """By backend: the time of a count up to 2 over that of a solution, one at a time."""
        return self.compared(("count", "warm"), ("solve", "warm"))

    def coldness(self) -> dict[str, Factor]:
        """By backend: the time of a cold start over that of a warm one."""
        return self.compared(("solve", "cold"), ("solve", "warm"))

    def compared(self, question: Question, base: Question) -> dict[str, Factor]:
        """The times of one question over those of another on `UNIQUE`, smallest factor first."""
        both = set(self.backends(base, UNIQUE))
        names = [name for name in self.backends(question, UNIQUE) if name in both]
        factors = {
            name: self.factor(self.values(name, question, UNIQUE), self.values(name, base, UNIQUE))
            for name in names
        }
        return dict(sorted(factors.items(), key=lambda item: item[1].value))

    def batches(self) -> dict[str, tuple[float, float]]:
        """By backend: seconds for a puzzle of top1465 in a warm call, and CPU time in a batch."""
        run = self.part(dataset="top1465", task="count", start="batch")
        table = run.timed("cpu").throughput()
        ratios = {}
        for name, per_s in zip(table["backend"], table["puzzles_per_s"], strict=True):
            warm = self.values(name, ("count", "warm"), ["top1465"])
            if len(warm):
                ratios[str(name)] = (float(warm.mean()), 1 / float(per_s))
        return dict(sorted(ratios.items(), key=lambda item: item[1][1]))

    # What others say, and who was wrong.

    @cached_property
    def judged(self) -> list[tuple[PublishedClaim, Evidence | None]]:
        """Each published claim with what the record says of it."""
        run = self.part(dataset=sorted({claim.dataset for claim in self.claims}), start="batch")
        records = [SiteRecord("study", "study", self.date, run)]
        table = standings(records, all_pairs(records))
        judged = [(claim, evidence_of(claim, records, table)) for claim in self.claims]
        return [(claim, evidence[0] if evidence else None) for claim, evidence in judged]

    def failing(self) -> list[dict[Any, Any]]:
        """The backends that most often gave up or reached a limit, the highest share first."""
        table = self.run.results
        table = table[(table["start"] != "batch") & (table["verdict"] != "unsupported")]
        failed = ~table["verdict"].isin(["solved", "unsatisfiable", "counted", "wrong"])
        by = pd.DataFrame({"total": failed.groupby(table["backend"]).size()})
        by["failed"] = failed.groupby(table["backend"]).sum()
        by["share"] = by["failed"] / by["total"]
        by = by[by["failed"] > 0].sort_values("share", ascending=False)
        return by.reset_index().to_dict("records")

    def own(self) -> list[dict[str, Any]]:
        """How many of Lloyd and Amos' instances their program solves, by dataset."""
        table = self.times[self.times["backend"].str.contains("sudoku_acs")]
        table = table[table["dataset"].str.startswith("lloyd")]
        solved = (table["verdict"] == "solved").groupby(table["dataset"]).agg(["sum", "size"])
        return [{"dataset": str(name), **row} for name, row in solved.T.to_dict().items()]

    def wrong(self) -> dict[str, int]:
        """The number of wrong answers of each backend that has any."""
        trials = self.run.trials
        numbers = trials.loc[trials["verdict"] == "wrong", "backend"].value_counts()
        return {str(name): int(n) for name, n in numbers.items()}


def _density(table: pd.DataFrame) -> "pd.Series[float]":
    """The share of cells that are given, in percent, in steps of `STEP`."""
    cells = table["shape"].str.extract(r"^(\d+)x")[0].astype(float) ** 2
    return (100 * table["clues"] / cells / STEP).round() * STEP


# Charts.


def charts(study: Study) -> Iterator[tuple[str, theme.Spec]]:
    """The charts of the page, each with the last part of its file's name."""
    yield "ways", _styled(_ways(study), "PAR-2 by way of solving and dataset")
    sizes = study.part(task="solve", start="warm", backend=CORE, dataset="sizes")
    yield "sizes", _of_kind(sizes, "scaling", "Time by size, 55 % of the cells given")
    yield "guesses", _styled(_guesses(study), "Time against the guesses of native-jit")
    large = study.part(dataset="hakank-25x25", backend=LARGE)
    yield "hakank-25x25", _of_kind(large, "cactus", "Published 25x25: answers within a time")
    random = study.part(task="solve", start="warm", backend=CORE, dataset="transition")
    title = "Random 9x9: solutions and time by density"
    yield "transition", _of_kind(random, "transition", title)
    for name, factors, label in (
        ("uniqueness", study.uniqueness(), "Time of a count up to 2 / time of one solution"),
        ("cold", study.coldness(), "Cold time / warm time"),
    ):
        yield name, _styled(_factors(factors, label), label)
    ratios = {
        claim.id: _relative(claim, evidence)
        for claim, evidence in study.judged
        if evidence and claim.quantity == "factor" and evidence["interval"] != "-"
    }
    label = "Measured factor / claimed factor"
    yield "claims", _styled(_factors(ratios, label), label)


def _relative(claim: PublishedClaim, evidence: Evidence) -> Factor:
    """The measured factor over the claimed one, with the ends of its interval."""
    texts = evidence["measured"], *evidence["interval"].split(" to ")
    value, low, high = (float(text.strip("<>x")) / claim.value for text in texts)
    return Factor(value, low, high, evidence["instances"])


def _of_kind(run: Run, name: str, title: str) -> theme.Spec:
    """The only chart of a kind that a run has."""
    kind = next(kind for kind in CHARTS if kind.name == name)
    (chart,) = charts_of(run, kind)
    return chart.specification(title)


def _styled(drawing: ChartDrawing, title: str) -> theme.Spec:
    return theme.with_style(drawing.complete(), title)


def _ways(study: Study) -> ChartDrawing:
    """The heat map of a report, with the best backend of each way."""
    run = study.part(task="solve", start="warm", dataset=SETS)
    run = replace(run, trials=run.trials[run.trials["verdict"] != "unsupported"])
    frame = distributions.heat_frame(run)
    frame = frame.assign(backend=frame["backend"].map(study.way)).sort_values("par2_s")
    frame = frame.drop_duplicates(["dataset", "backend"])
    best = frame.groupby("dataset")["par2_s"].transform("min")
    frame = frame.assign(ratio=frame["par2_s"] / best)
    order = frame.groupby("backend")["ratio"].median().sort_values().index
    names = {name: name for name in order}
    return distributions.draw_heat(theme.with_display_names(frame, names, "backend"))


def _guesses(study: Study) -> ChartDrawing:
    """The time of each of `CORE` to count up to 2 against the guesses of native-jit."""
    guesses = study.guesses.rename("steps") + 1
    parts = []
    for name in CORE[1:]:
        rows = pd.concat([study.values(name, ("count", "warm"), UNIQUE), guesses], axis=1).dropna()
        parts.append(rows.reset_index().assign(backend=name, counter="guesses"))
    frame = pd.concat(parts, ignore_index=True).rename(columns={"puzzle_id": "name"})
    names = {name: name for name in CORE}
    frame = theme.with_display_names(frame.assign(time="wall"), names, "backend")
    drawing = curves.draw_nodes(frame)
    drawing.spec["encoding"]["x"]["title"] = "guesses of native-jit + 1"
    return drawing


def _factors(factors: dict[str, Factor], title: str) -> ChartDrawing:
    """The chart of changes of a comparison, with these factors."""
    frame = pd.DataFrame(
        [{"backend": name, **factor._asdict()} for name, factor in factors.items()]
    )
    frame = frame.rename(columns={"value": "factor"})
    frame = frame.assign(suffix="", change="", least_factor=1.1, time="wall")
    names = {name: _label(name) for name in factors}
    return scatter.draw_factors(theme.with_display_names(frame, names, "backend"), title)


# The page.


def _label(backend: str) -> str:
    return formatting.backend_name(backend).removesuffix(".toml")


def environment() -> jinja2.Environment:
    """The templates of the pages, with filters for numbers and names."""
    made = jinja2.Environment(
        loader=jinja2.FileSystemLoader(Path(__file__).parent / "which-solver"),
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        autoescape=False,  # noqa: S701  Markdown, from names that the record's check has passed
    )
    made.filters |= {
        "duration": formatting.duration,
        "bounded": lambda bounded: ">" * bounded[1] + formatting.duration(bounded[0]),
        "factor": lambda factor: formatting.ratio(
            factor.value if isinstance(factor, Factor) else factor
        ),
        "label": _label,
        "count": lambda number: f"{number:,.0f}",
        "rate": lambda number: "-" if number is None else f"{number:,.0f}",
    }
    return made


def write_page(folder: Path, name: str, **values: object) -> None:
    """Write the page ``NAME.md`` from the template of its words and these values."""
    text = environment().get_template(f"{name}.md.j2").render(**values)
    (folder / f"{name}.md").write_text(text, encoding="utf-8")


def run_main(main: Callable[[Path, Path], None], usage: str | None) -> None:
    """Call `main` of a page with the record and the folder that the command line names."""
    if len(sys.argv) != 3:
        sys.exit(usage)
    main(Path(sys.argv[1]), Path(sys.argv[2]))


def main(record: Path, folder: Path) -> None:
    """Write the page and its charts into `folder`."""
    study = Study(record)
    for name, spec in charts(study):
        write(folder / f"which-solver-{name}.svg", render(spec, ChartFormat.SVG).decode())
    write_page(folder, "README", study=study, record=record.name)


if __name__ == "__main__":
    run_main(main, __doc__)
