"""Standings: the rank of each backend on each dataset and question, in all records.

Times of two records are never compared. Where several records have a dataset and a question, one
leads: the newest of those with at least half as many results as the largest, so that a small
record replaces no study.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

import pandas as pd

from harness.analysis import ORDER, facts_of, pairwise
from harness.analysis.measures import MEASURES, FrameLayout, number_rows
from harness.analysis.measures import columns as col
from harness.extensions.page.document import pairs_text
from harness.extensions.site.records import SiteRecord
from harness.records import Verdict
from harness.report import is_equal, is_missing, shown_backend

QUESTION: Final = ["dataset", "question"]
"""The columns of a question that several records may ask."""
_GROUP: Final = ["record", *col.COMPARISON_GROUP]
"""A comparison group of one record."""
_FAILED: Final = [str(verdict) for verdict in ORDER if verdict is not Verdict.WRONG]


def question_of(row: Mapping[Any, Any]) -> str:
    """The question of a row in words: ``count to 2, cold``."""
    limit = "" if is_missing(row["limit"]) else f" to {row['limit']}"
    scramble = f", scramble {row['scramble']}" if row["scramble"] else ""
    return f"{row['task']}{limit}, {row['start']}{scramble}"


def all_pairs(records: Sequence[SiteRecord]) -> pd.DataFrame:
    """The rows of `pairwise` of all records, with ``record``, ``date`` and ``question``."""
    frames = [
        _with_record(pairwise(record.run.results, record.run.criterion, power=False), place, record)
        for place, record in enumerate(records)
    ]
    table = pd.concat(frames, ignore_index=True)
    return _with_objects(table.sort_values([*QUESTION, "record"], kind="stable"))


def standings(records: Sequence[SiteRecord], pairs: pd.DataFrame) -> pd.DataFrame:
    """A row for each backend in each comparison group of each record, the best of a group first.

    Besides columns of `ranks` and `summary` it has: ``record``, the place of the record; ``date``,
    ``question``, ``paradigm``, ``versions`` and ``machine`` as text; ``of``, the number of ranked
    backends; ``first``, the best of them; ``wins``, whether the backend is the first or not
    significantly different; ``equal``, the others that win; ``factor``, how many times as long as
    the first it takes; ``badge``, its place as text; ``leads``, whether the record leads on this
    dataset and question.

    Args:
        records: the records.
        pairs: the result of `all_pairs`.
    """
    table = pd.concat(
        [_of_record(place, record) for place, record in enumerate(records)], ignore_index=True
    )
    number = number_rows(pd.concat([table, pairs]), _GROUP)[0].tolist()
    factors = {
        key: factor
        for group, a, b, factor in zip(
            *(number[len(table) :], pairs["backend"], pairs["other"], pairs["factor"]), strict=True
        )
        for key, factor in (((group, a, b), factor), ((group, b, a), 1 / factor))
    }
    rows: dict[int, list[dict[Any, Any]]] = {}
    for group, row in zip(number, table.to_dict("records"), strict=False):
        rows.setdefault(group, []).append(row)
    for group, members in rows.items():
        supporting = [row for row in members if row["unsupported"] < row["instances"]]
        with_rank = [row for row in supporting if not is_missing(row["rank"])]
        first = with_rank[0] if with_rank else None
        is_decided = first is not None and len(with_rank) > 1 and not is_missing(first["groups"])
        for row in members:
            row["of"], row["first"] = len(with_rank), first and first["backend"]
            row["factor"] = factors.get((group, row["first"], row["backend"]))
            row["wins"] = bool(is_decided and first and (row is first or is_equal(row, first)))
            has_place = len(with_rank) > 1 and row in with_rank
            row["badge"] = f"#{row['rank']:g} of {len(with_rank)}" if has_place else ""
        equal = [
            shown_backend(row["backend"]) for row in members if row["wins"] and row is not first
        ]
        for row in members:
            row["equal"] = ", ".join(equal) if is_decided else "undecided"
    whole = pd.DataFrame([row for members in rows.values() for row in members])
    whole = whole.astype({"factor": "float64", "first": "string"}).assign(
        group=number[: len(table)]
    )
    return _with_objects(_with_leaders(whole).sort_values([*QUESTION, "record"], kind="stable"))


def _with_objects(table: pd.DataFrame) -> pd.DataFrame:
    """The table with texts as objects, as a site selects from it thousands of times."""
    return table.astype(dict.fromkeys(table.select_dtypes(["string", "category"]), object))


def _of_record(place: int, record: SiteRecord) -> pd.DataFrame:
    run = record.run
    of_summary = run.summary()[[*col.BACKEND_KEY, *_FAILED, "failed", "par2_s"]]
    backends = run.trials[["backend", "paradigm", "versions"]].drop_duplicates(
        "backend", keep="last"
    )
    table = run.ranks().merge(of_summary, on=col.BACKEND_KEY).merge(backends, on="backend")
    machine = facts_of(run.environment).get("processor", "")
    versions = table["versions"].map(pairs_text)
    return _with_record(table, place, record).assign(machine=machine, versions=versions)


def _with_record(table: pd.DataFrame, place: int, record: SiteRecord) -> pd.DataFrame:
    columns = ["task", "limit", "start", "scramble"]
    words = [question_of(row) for row in table[columns].to_dict("records")]
    return table.assign(record=place, date=record.date, question=words)


def _with_leaders(table: pd.DataFrame) -> pd.DataFrame:
    """Mark the rows of the group that leads on each dataset and question, and those of badges."""
    results = table["instances"].where(table["rank"].notna(), 0).groupby(table["group"])
    table = table.assign(results=results.transform("sum"))
    most = table.groupby(QUESTION)["results"].transform("max")
    large = table[2 * table["results"] >= most].sort_values("record", kind="stable")
    leaders = large.drop_duplicates(QUESTION)["group"]
    table = table.assign(leads=table["group"].isin(leaders))
    # A backend that leads nowhere has the badges of its own record.
    leads_nowhere = ~table["backend"].isin(table["backend"][table["leads"]].unique())
    with_badge = table[(table["badge"] != "") & (table["leads"] | leads_nowhere)]
    newest = with_badge.sort_values("record", kind="stable").drop_duplicates([*QUESTION, "backend"])
    return table.assign(badged=table.index.isin(newest.index))


# The tables of the site.


_DATASET: Final = col.text("dataset", "Name of the dataset.", "dataset")
_QUESTION: Final = col.text("question", "Task, limit and start.", "question")
_DATE: Final = col.text("date", "Day of the record.", "record")
_FIRST: Final = col.backend("first", "The best backend.", "fastest")
_WRONG: Final = replace(col.WRONG_SHOWN, shown_if=col.positive("wrong"))

DATASETS: Final = FrameLayout(
    name="datasets",
    title="Fastest on each dataset and question",
    columns=(
        _DATASET,
        _QUESTION,
        _FIRST,
        col.text("equal", "Backends that are not significantly different.", "not different"),
        col.count("of", "Number of ranked backends.", "of"),
        col.count("instances", "Number of instances.", "instances"),
        _DATE,
    ),
)
RESULTS: Final = FrameLayout(
    name="results",
    title="Results",
    columns=(
        _DATASET,
        _QUESTION,
        col.text("badge", "Its place among the ranked backends.", "place"),
        col.GROUPS,
        col.flag("wins", "Whether it is first, or not different from the first.", "wins"),
        col.optional(col.ANSWERED),
        _WRONG,
        *(
            replace(column, shown_if=col.positive(column.name))
            for column in MEASURES["summary"].columns
            if column.name in _FAILED
        ),
        col.PAR2,
        col.ratio("factor", "Geometric mean of its time over that of the fastest.", "factor"),
        _FIRST,
        _DATE,
        col.text(
            "versions", "Versions of its software.", "versions", shown_if=col.varies("versions")
        ),
        col.text("machine", "Processor.", "machine", shown_if=col.varies("machine")),
    ),
)
BEST: Final = replace(
    RESULTS,
    title="Its best backend on each dataset and question",
    columns=(*RESULTS.columns[:2], col.BACKEND, *RESULTS.columns[2:]),
)
BACKENDS: Final = FrameLayout(
    name="backends",
    title="Backends",
    columns=(
        col.BACKEND,
        col.text("paradigm", "How it solves.", "paradigm", shown_if=col.varies("paradigm")),
        col.count("wins", "Datasets and questions on which it wins.", "wins"),
        col.count("measured", "Datasets and questions whose leading record has it.", "of"),
        _WRONG,
        col.count("failed", "Instances without a right answer.", "failed"),
    ),
)
PAIRS: Final = FrameLayout(
    name="pairs",
    title="Comparison",
    columns=(
        _DATASET,
        _QUESTION,
        *MEASURES["pairwise"].columns[len(col.COMPARISON_GROUP) :],
        _DATE,
    ),
    order="dataset question backend other wins ties losses factor factor_low different date",
)
