"""Published claims, and what records say about each.

``claims.toml`` beside the folder of records has a table ``[[claim]]`` for each: who claims it and
where, the claim in our words, and the quantity that decides it with its claimed value. The
verdict is computed.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any, Final, Literal

import msgspec
import pandas as pd
from msgspec import Meta, Struct

from harness.analysis import ClaimSource, claims_of
from harness.analysis.measures import Criterion, FrameLayout
from harness.analysis.measures import columns as col
from harness.base.errors import InputError
from harness.base.files import parse_toml, read_file_text
from harness.base.text import as_float
from harness.extensions.page.charts.density import share_interval
from harness.extensions.site.records import SiteRecord
from harness.extensions.site.standings import question_of
from harness.records import Task, TimeKind, spec_of
from harness.report import backend_name, is_missing, ratio, share, shown_backend

FILE: Final = "claims.toml"


class PublishedClaim(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """A claim that somebody has published, and what decides it."""

    id: str
    who: str
    source: Annotated[str, Meta(pattern="^https?://")]
    """The public address of the claim."""
    claim: str
    """The claim in our own words."""
    quantity: Literal["factor", "answered", "solutions", "unique"]
    """``factor``: how many times as fast as `other` a `backend` is; ``answered``: the share of the
    instances that it answers; ``solutions``: the number of solutions of all puzzles of the dataset;
    ``unique``: the number of its puzzles with exactly one solution."""
    value: Annotated[float, Meta(gt=0, le=1e18)]
    note: str = ""
    """What a reader must know about the value."""
    dataset: str
    task: Task = Task.SOLVE
    start: str = ""
    """Empty for any."""
    backend: str = ""
    """The label of a configuration, or the name of a backend for all of its configurations."""
    other: str = ""
    time: TimeKind = TimeKind.WALL
    """The time of a factor. The wall time of a batch can include that of another process."""
    puzzles: int = 0
    """The number of puzzles that a claim on solutions covers; 0 for those of a record."""

    def value_text(self, value: float) -> str:
        """A value of the quantity: ``2.20x``, ``97.3 %``, ``1,982,741``."""
        if is_missing(value):
            return "-"
        forms = {"factor": ratio, "answered": share}
        return forms[self.quantity](value) if self.quantity in forms else f"{value:,.0f}"


class ClaimVerdict(StrEnum):
    """What records say about a claim."""

    HOLDS = "holds"
    FAILS = "does not hold"
    OPEN = "not measured"


Evidence = dict[str, Any]
"""What a record says about a claim: a row of `CLAIMS`, with ``record`` and ``leads``."""


def read_claims(path: Path) -> list[PublishedClaim]:
    """The claims of a file, in its order; none without a file.

    Raises:
        InputError: the file is malformed, or two claims have the same id.
    """
    if not path.exists():
        return []
    table = parse_toml(read_file_text(path), str(path)).get("claim", [])
    try:
        claims = msgspec.convert(table, list[PublishedClaim])
    except msgspec.ValidationError as error:
        raise InputError(str(error), where=str(path), expected="tables [[claim]]") from None
    if len({claim.id for claim in claims}) < len(claims):
        raise InputError("two claims have the same id", where=str(path))
    return claims


def evidence_of(
    claim: PublishedClaim, records: Sequence[SiteRecord], standings: pd.DataFrame
) -> list[Evidence]:
    """What each record says about a claim; the first of them decides it."""
    match claim.quantity:
        case "factor":
            evidence = _factors(claim, records, standings)
        case "answered":
            evidence = _shares(claim, _on(claim, standings))
        case _:
            evidence = _numbers(claim, records)
    return sorted(evidence, key=lambda row: (row["verdict"] == ClaimVerdict.OPEN, not row["leads"]))


def _is(label: str, name: str) -> bool:
    """Whether a claim's name of a backend means the configuration with this label."""
    backend = backend_name(label)
    return name in (label, backend, backend.removesuffix(".toml"), spec_of(label).partition("[")[0])


def _on(claim: PublishedClaim, table: pd.DataFrame) -> pd.DataFrame:
    """The rows about the dataset and the question of a claim."""
    mask = (table["dataset"] == claim.dataset) & (table["task"] == claim.task)
    if claim.start:
        mask &= table["start"] == claim.start
    return table[mask]


def _row(
    claim: PublishedClaim,
    source: dict[Any, Any],
    subject: str,
    ends: Sequence[float],
    holds: bool | None,
) -> Evidence:
    """A row of `CLAIMS`: `ends` are the measured value and those of its interval."""
    value, low, high = map(claim.value_text, ends)
    is_open = ClaimVerdict.OPEN if holds is None else None
    return {
        **{name: source[name] for name in ("record", "date", "instances", "leads")},
        "what": subject,
        "measured": value,
        "interval": "-" if high == "-" else "exact" if low == high else f"{low} to {high}",
        "verdict": is_open or (ClaimVerdict.HOLDS if holds else ClaimVerdict.FAILS),
    }


def _factors(
    claim: PublishedClaim, records: Sequence[SiteRecord], standings: pd.DataFrame
) -> Iterator[Evidence]:
    """A claimed factor holds if 1.1 times the upper end of the measured interval reaches it."""
    leading = standings[standings["leads"]]
    names = ("record", "dataset", "question")
    leads = set(zip(*(leading[name] for name in names), strict=True))
    for place, record in enumerate(records):
        for row in _pairs(claim, record):
            pair = row["backend"], row["other"]
            ends = row["factor"], row["factor_low"], row["factor_high"]
            if _is(pair[1], claim.backend) and _is(pair[0], claim.other):
                factor, low, high = (1 / end if end else float("inf") for end in ends)
                pair, ends = (pair[1], pair[0]), (factor, high, low)
            if _is(pair[0], claim.backend) and _is(pair[1], claim.other):
                question = question_of(row)
                clock = f"{claim.time} time"
                subject = f"{' over '.join(map(shown_backend, pair))}, {question}, {clock}"
                holds = (
                    None if is_missing(ends[2]) else ends[2] * Criterion.MEANINGFUL >= claim.value
                )
                source = {"record": place, "date": record.date, "instances": row["instances"]}
                source["leads"] = (place, claim.dataset, question) in leads
                yield _row(claim, source, subject, ends, holds)


def _pairs(claim: PublishedClaim, record: SiteRecord) -> list[dict[Any, Any]]:
    """The rows of `pairwise` on the two backends of a claim, by its time; none without times."""
    trials = record.run.trials
    labels = [str(label) for label in trials["backend"].unique()]
    pair_labels = [
        label for label in labels if _is(label, claim.backend) or _is(label, claim.other)
    ]
    run = replace(record.run, trials=_on(claim, trials[trials["backend"].isin(pair_labels)]))
    if run.trials.empty:
        return []
    try:
        return run.timed(claim.time).pairwise().to_dict("records")
    except InputError:  # the record has no times of this kind
        return []


def _shares(claim: PublishedClaim, table: pd.DataFrame) -> Iterator[Evidence]:
    """A claimed share holds if the upper end of the measured interval reaches it."""
    for row in table.to_dict("records"):
        if _is(row["backend"], claim.backend) and not is_missing(row["answered"]):
            low, high = share_interval(row["answered"], row["instances"])
            subject = f"{shown_backend(row['backend'])}, {row['question']}"
            ends = row["answered"] / row["instances"], low, high
            yield _row(claim, row, subject, ends, high >= claim.value)


def _numbers(claim: PublishedClaim, records: Sequence[SiteRecord]) -> Iterator[Evidence]:
    """A claimed number holds if the answers prove it, and fails if they exclude it."""
    for place, record in enumerate(records):
        trials = record.run.trials
        trials = trials[(trials["dataset"] == claim.dataset) & (trials["scramble"] == "")]
        if trials.empty:
            continue
        answers = claims_of(trials)
        ends = _ends(answers[answers["source"] != ClaimSource.DATASET])
        puzzles = trials["puzzle_id"].nunique()
        ends += [(0, float("inf"))] * (max(puzzles, claim.puzzles) - len(ends))
        if claim.quantity == "unique":
            ends = [(least == most == 1, least <= 1 <= most) for least, most in ends]
        low, high = (as_float(sum(end)) for end in zip(*ends, strict=True))
        holds = False if not low <= claim.value <= high else True if low == high else None
        if answers["contradicted"].any():  # some answers are wrong, and nobody knows which
            holds, low, high = None, 0.0, float("inf")
        source = {"record": place, "date": record.date, "instances": puzzles, "leads": True}
        nan = float("nan")
        interval = low if low == high else nan, low, nan if high == float("inf") else high
        yield _row(claim, source, f"answers on {claim.dataset}", interval, holds)


def _ends(answers: pd.DataFrame) -> list[tuple[int, float]]:
    """The smallest and the largest number of solutions that answers allow, for each puzzle."""
    ends: dict[str, tuple[int, float]] = {}
    claims = (answers[name].tolist() for name in ("puzzle_id", "least", "most"))
    for puzzle, least, most in zip(*claims, strict=True):
        low, high = ends.get(puzzle, (least, float("inf")))
        ends[puzzle] = max(low, least), high if most is None else min(high, most)
    return list(ends.values())


CLAIMS: Final = FrameLayout(
    name="claims",
    title="Published claims",
    columns=(
        col.text("id", "The id of the claim."),
        col.count("record", "The place of the record.", dtype="Int64"),
        col.text("claim", "The claim in our own words.", "claim", shown_if=col.has_value("claim")),
        col.text("verdict", "Whether the claim holds.", "verdict"),
        col.text("claimed", "The claimed value.", "claimed", shown_if=col.has_value("claimed")),
        col.text("measured", "The measured value.", "measured"),
        col.text("interval", "Its 95 % interval.", "interval"),
        col.text("what", "What was measured.", "of", shown_if=col.has_value("what")),
        col.count(
            "instances",
            "Instances.",
            "instances",
            dtype="Int64",
            shown_if=col.has_value("instances"),
        ),
        col.text("who", "Who claims it.", "claimed by", shown_if=col.has_value("who")),
        col.text("date", "Day of the record.", "record", shown_if=col.has_value("date")),
    ),
)
