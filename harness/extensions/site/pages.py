"""The pages of a site, and its folder."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache, cached_property
from pathlib import Path
from typing import Any, Final

import pandas as pd
from markdown_it import MarkdownIt
from markupsafe import Markup

from harness.analysis import Disagreement, Run
from harness.analysis.measures import DEFAULT, Criterion, FrameLayout
from harness.analysis.measures import columns as col
from harness.base.errors import InputError
from harness.base.files import new_folder, read_file_text, writing
from harness.base.text import number_of, shortened
from harness.extensions.page.document import resource, run_environment, templates
from harness.extensions.page.fragments import html_fragments
from harness.extensions.page.run_page import RunWarning, unreliable_timings, warnings_of
from harness.extensions.site import claims as published
from harness.extensions.site import standings as tables
from harness.extensions.site.claims import ClaimVerdict, Evidence, PublishedClaim
from harness.extensions.site.images import badge, charts_section
from harness.extensions.site.links import BADGES, Links
from harness.extensions.site.records import DATA, RefusedRecord, SiteRecord, read_records
from harness.report import Section, answer, shape_name, shown_backend, tables_of
from harness.report.tables import sections_of_measures, split
from harness.report.tables.agreement_tables import (
    claim_lines,
    failure_lines,
    finding,
    instance_name,
)

# The folder of a site.


BIAS: Final = "BIAS.md"
_GENERATOR: Final = "sudoku-harness site"
"""The mark of the index of a site, by which another site may replace it."""


def write(
    folders: Sequence[Path], out: Path, *, replaces: bool = False
) -> tuple[int, int, list[RefusedRecord]]:
    """Write the site of the records in `folders` to the folder `out`, completely or not at all.

    ``BIAS.md`` and ``claims.toml`` beside the first folder become pages too.

    Args:
        folders: folders of records, or of runs and records.
        out: the folder of the site.
        replaces: whether `out` may replace an earlier site.

    Returns:
        The numbers of pages and of records, and the records that were refused.

    Raises:
        InputError: there is no record, `out` exists or is not only a site, or a file cannot be
            read or written.
    """
    if replaces and (others := _others_in(out)):
        names = ", ".join(others[:3])
        expected = "a folder with nothing but a site"
        raise InputError(f"has {names}, not part of a site", where=str(out), expected=expected)
    beside = folders[0].absolute().parent
    claims = published.read_claims(beside / published.FILE)
    bias = read_file_text(beside / BIAS) if (beside / BIAS).exists() else ""
    with new_folder(out, _is_site if replaces else lambda _: False) as folder:
        records, refusals = read_records(folders, folder)
        files = dict(_Site(records, refusals, claims, bias).files())
        with writing(str(out)):
            (folder / BADGES).mkdir()
            for name, text in files.items():
                (folder / name).write_text(text, encoding="utf-8", newline="\n")
    return sum(name.endswith(".html") for name in files), len(records), refusals


def _is_site(folder: Path) -> bool:
    try:
        return f'content="{_GENERATOR}"' in read_file_text(folder / "index.html", 2**26)
    except InputError:
        return False


def _others_in(folder: Path) -> list[str]:
    """The names in the folder of a site that no site has; empty if the folder is not a site."""
    if not _is_site(folder):
        return []
    names = sorted(path.name for path in folder.iterdir())
    return [n for n in names if not n.endswith(".html") and n not in ("style.css", DATA, BADGES)]


# The pages of a site.


_MOST_LINES: Final = 20
"""Maximum number of disagreements, and of failures, that a page lists."""
_POLICY: Final = "default-src 'none'; style-src 'self' file: 'unsafe-inline'; img-src 'self' file:"
_ABOUT: Final = (
    "Sudoku solvers on named datasets: every answer is checked, conditions are equal within a "
    "record, and the raw data are here to download."
)


@dataclass(frozen=True)
class _Site:
    """The records of a site, and the text of each page."""

    records: Sequence[SiteRecord]
    refusals: Sequence[RefusedRecord]
    claims: Sequence[PublishedClaim]
    bias: str

    @cached_property
    def links(self) -> Links:
        """The addresses of the pages."""
        return Links(self.records)

    @cached_property
    def pairs(self) -> pd.DataFrame:
        """See `all_pairs`; ``one`` and ``two`` are the backends in the order of their labels."""
        pairs = tables.all_pairs(self.records)
        names = pairs[["backend", "other"]].astype(str)
        return pairs.assign(one=names.min(axis=1), two=names.max(axis=1))

    @cached_property
    def standings(self) -> pd.DataFrame:
        """See `standings`."""
        return tables.standings(self.records, self.pairs)

    @cached_property
    def leading(self) -> pd.DataFrame:
        """The standings of the leading records."""
        return self.standings[self.standings["leads"]]

    def files(self) -> Iterator[tuple[str, str]]:
        """The name and the text of every file but those of records."""
        yield "style.css", resource("page.css")
        for kind, page in (
            ("dataset", self._dataset),
            ("backend", self._backend),
            ("paradigm", self._paradigm),
        ):
            for name in sorted({*map(str, self.standings[kind])} - {""}):
                yield self.links.page(kind, name), page(name)
        for pair, rows in self.pairs.groupby(["one", "two"], sort=True):
            links = [
                (self.links.page("backend", str(label)), shown_backend(str(label)))
                for label in pair
            ]
            title = " and ".join(name for _, name in links)
            text = self._page(title, self._table(tables.PAIRS, rows), related=links)
            yield self.links.pair(*map(str, pair)), text
        for record in self.records:
            yield f"{record.slug}.html", self._record(record)
        for row in self.standings[self.standings["badged"]].to_dict("records"):
            subject = f"{row['dataset']}: {row['question']}"
            yield self.links.badge(row), badge(subject, row["badge"], wins=row["wins"])
        if self.bias:
            yield "bias.html", self._bias()
        evidence = []
        for claim in self.claims:
            rows_of_claim = published.evidence_of(claim, self.records, self.standings)
            yield self.links.page("claim", claim.id), self._claim(claim, rows_of_claim)
            evidence.append((claim, rows_of_claim))
        yield "index.html", self._index(evidence)

    def _page(self, title: str, body: str, template: str = "site.html.j2", **context: Any) -> str:
        common = {"policy": _POLICY, "generator": _GENERATOR, "has_bias": bool(self.bias)}
        common["criterion"] = DEFAULT
        content = {"title": title, "body": Markup(body), "about": "", "facts": {}, "related": ()}  # noqa: S704  fragments are escaped
        page = templates("harness.extensions.site").get_template(template)
        text: str = page.render({**common, **content, **context})
        return text

    def _sections(self, *sections: Section) -> str:
        return html_fragments(sections, None, link=self.links.of_cell)

    def _table(self, layout: FrameLayout, frame: pd.DataFrame, title: str | None = None) -> str:
        """A table under its title; empty without rows."""
        if not (report_tables := tables_of(layout, frame, "")):
            return ""
        return self._sections(Section(title or layout.title, tuple(report_tables)))

    def _lines(self, title: str, lines: Sequence[str]) -> str:
        """Lines under a title; empty without lines."""
        more = len(lines) - _MOST_LINES
        last = [f"... and {number_of(more, 'more line')}"] if more > 0 else []
        return self._sections(Section(title, (), (*lines[:_MOST_LINES], *last))) if lines else ""

    def _index(self, evidence: Sequence[tuple[PublishedClaim, Sequence[Evidence]]]) -> str:
        largest = max(self.records, key=lambda record: len(record.run.trials))
        claims = [
            {"claim": claim.claim, "who": claim.who, "claimed": claim.value_text(claim.value)}
            | {"verdict": ClaimVerdict.OPEN, "id": claim.id}
            | (rows[0] if rows else {})
            for claim, rows in evidence
        ]
        body = [
            self._table(tables.DATASETS, self.leading.drop_duplicates(tables.QUESTION)),
            charts_section(largest, "heat", "scaling"),
            self._table(tables.BACKENDS, _totals(self.standings)),
            self._table(published.CLAIMS, published.CLAIMS.frame(claims)),
        ]
        return self._page(
            "Sudoku solvers compared",
            "".join(body),
            "index.html.j2",
            about=_ABOUT,
            largest=largest,
            sentences=_sentences(largest),
            records=[(record, _about(record.run), _doubts(record)) for record in self.records],
            refused=self.refusals,
        )

    def _dataset(self, name: str) -> str:
        rows = self.leading[self.leading["dataset"] == name]
        leads = set(zip(rows["record"], rows["question"], strict=True))
        rankings: dict[bool, list[Section]] = {True: [], False: []}
        findings, charts = [], ""
        facts: dict[str, str] = {}
        for place, record in enumerate(self.records):
            run = record.run
            facts = facts or _facts(run.trials, name)
            for group, section in self._rankings[place]:
                if group["dataset"] == name:
                    is_leading = (place, tables.question_of(group)) in leads
                    charts = charts or charts_section(record, "cactus", "times", dataset=name)
                    title = f"{section.title} ({record.date})"
                    rankings[is_leading].append(replace(section, title=title))
            for disagreement in run.agreement().disagreements:
                if disagreement.dataset == name:
                    says = "; ".join(shortened(line, 200) for line in claim_lines(disagreement))
                    findings.append(f"{_disagreement_line(record, disagreement)}: {says}")
        body = self._sections(*rankings[True]) + charts + self._lines("Disagreements", findings)
        if rankings[False]:
            body += f"<h2>Other records</h2>\n{self._sections(*rankings[False])}"
        return self._page(f"Dataset {name}", body, facts=facts)

    @cached_property
    def _rankings(self) -> list[list[tuple[dict[str, Any], Section]]]:
        """The tables of each comparison group of each record, with the group."""
        return [
            [
                (dict(zip(col.TRIAL_GROUP, key, strict=True)), section)
                for (key, _), section in zip(
                    split(record.run.summary()),
                    sections_of_measures(record.run, ("ranks", "throughput", "summary")),
                    strict=True,
                )
            ]
            for record in self.records
        ]

    def _backend(self, label: str) -> str:
        rows = self.standings[self.standings["backend"] == label]
        newest = rows.sort_values("record", kind="stable").iloc[0]
        failures, findings = [], []
        for record in self.records:
            agreement = record.run.agreement()
            failures += [
                f"{record.date}, {' '.join(failure_lines(failure))}"
                for failure in agreement.failures
                if failure.backend == label
            ]
            findings += [
                _disagreement_line(record, disagreement)
                for disagreement in agreement.disagreements
                if any(
                    label in claim.backends for claim in disagreement.claims if claim.contradicted
                )
            ]
        body = [
            self._table(tables.RESULTS, rows[rows["leads"]]),
            self._lines("Disagreements", findings),
            self._lines("Trials without an answer", failures),
            self._table(tables.RESULTS, rows[~rows["leads"]], "Other records"),
        ]
        facts = {name: newest[name] for name in ("paradigm", "versions") if newest[name]}
        others = {*self.pairs["two"][self.pairs["one"] == label]}
        others |= {*self.pairs["one"][self.pairs["two"] == label]}
        links = [(self.links.pair(label, other), shown_backend(other)) for other in sorted(others)]
        title = f"Backend {shown_backend(label)}"
        return self._page(title, "".join(body), facts=facts, related=links)

    def _paradigm(self, name: str) -> str:
        rows = self.leading[self.leading["paradigm"] == name]
        best = rows[rows["rank"].notna()].sort_values([*tables.QUESTION, "rank"], kind="stable")
        best = best.drop_duplicates(tables.QUESTION)
        all_rows = self.standings[self.standings["paradigm"] == name]
        body = self._table(tables.BACKENDS, _totals(all_rows)) + self._table(tables.BEST, best)
        return self._page(f"Paradigm {name}", body)

    def _claim(self, claim: PublishedClaim, evidence: Sequence[Evidence]) -> str:
        facts = {
            "claimed by": claim.who,
            "claimed": f"{claim.value_text(claim.value)} ({claim.quantity})",
            "note": claim.note,
            "dataset": f"{claim.dataset}, {claim.task} {claim.start}",
            "backends": " over ".join(filter(None, (claim.backend, claim.other))),
            "verdict": evidence[0]["verdict"] if evidence else ClaimVerdict.OPEN,
        }
        if claim.quantity == "factor":
            facts["holds if"] = (
                f"the interval is less than {Criterion.MEANINGFUL:g}x from the claimed factor"
            )
        body = self._table(published.CLAIMS, published.CLAIMS.frame(evidence), "Evidence")
        context = {"about": claim.claim, "facts": facts, "source": claim.source}
        return self._page(f"Claim {claim.id}", body, "claim.html.j2", **context)

    def _record(self, record: SiteRecord) -> str:
        return self._page(
            f"Record {record.name}",
            "",
            "record.html.j2",
            about=_about(record.run),
            files=record.files,
            sentences=_sentences(record),
            # Without their verdict, as buttons that show trials need a script.
            warnings=[replace(warning, verdict="") for warning in warnings_of(record.run)],
            doubts=_doubts(record),
            environment=run_environment(record.run),
        )

    def _bias(self) -> str:
        title, _, text = self.bias.partition("\n")
        html = MarkdownIt("commonmark", {"html": False}).render(text)
        return self._page(title.lstrip("# "), html)


def _totals(rows: pd.DataFrame) -> pd.DataFrame:
    """The rows of `BACKENDS` for rows of the standings; wins count only where the record leads."""
    rows = rows.assign(wins=rows["wins"] & rows["leads"])
    groups = rows.groupby("backend", sort=True, as_index=False)
    totals = groups.agg(
        paradigm=("paradigm", "first"),
        wins=("wins", "sum"),
        measured=("leads", "sum"),
        wrong=("wrong", "sum"),
        failed=("failed", "sum"),
    )
    return totals.sort_values("wins", ascending=False, kind="stable")


# The index repeats what the page of a record says.


@cache
def _sentences(record: SiteRecord) -> list[str]:
    """The answer of a record over all its datasets, a sentence for each question."""
    return list(map(str, answer.rankings(record.run)))


def _disagreement_line(record: SiteRecord, disagreement: Disagreement) -> str:
    return f"{record.date}, {instance_name(disagreement)}: {finding(disagreement)}"


@cache
def _doubts(record: SiteRecord) -> list[RunWarning]:
    return unreliable_timings(record.run)


def _about(run: Run) -> str:
    things = {"backend": "backend", "dataset": "dataset", "puzzle_id": "puzzle"}
    sizes = [number_of(run.trials[column].nunique(), thing) for column, thing in things.items()]
    return ", ".join([*sizes, number_of(len(run.trials), "trial")])


def _facts(trials: pd.DataFrame, dataset: str) -> dict[str, str]:
    """What is known about the puzzles of a dataset; empty if no trial has it."""
    columns = trials[["dataset", "puzzle_id", "shape", "clues", "expected_count"]]
    puzzles = columns[columns["dataset"] == dataset].drop_duplicates("puzzle_id")
    if puzzles.empty:
        return {}
    counts = puzzles["expected_count"].dropna().value_counts()
    texts = [f"{text}: {number:,}" for text, number in counts.head(3).items()]
    return {
        "puzzles": f"{len(puzzles):,}",
        "shapes": ", ".join(sorted({shape_name(str(shape)) for shape in puzzles["shape"]})),
        "givens": f"{puzzles['clues'].min()} to {puzzles['clues'].max()}",
        "expected": ", ".join(texts) or "not stated",
    }
