"""Trials as a pandas frame with their final verdicts.

pandas has no dtype for integers beyond 64 bits. A column that may have them is ``Int64`` if all
fit, and otherwise an object column of Python integers, with ``pd.NA`` for a missing one. Both
compare, group and export exactly.

Every frame of trials is made here: from a store, from records in memory, or from several
frames. So this is the one place where the verdict of a trial is derived: a store keeps
the verdict on the answer alone, and `_with_final_verdicts` adds what the other answers of
the run prove.
"""

import json
import sqlite3
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from datetime import UTC, datetime
from itertools import chain
from pathlib import Path
from typing import Any, Final

import numpy as np
import pandas as pd
from pandas.api.types import pandas_dtype

from harness.base.errors import StoreDamagedError
from harness.base.plugins import DISTRIBUTION
from harness.base.text import LARGEST_OF_64_BITS, fits_64_bits, number_of
from harness.puzzles import SolutionCount
from harness.records.fields import DTYPES
from harness.records.folder.record import rows_of
from harness.records.question import IS_VERSION, Verdict, spec_of
from harness.records.schema import SELECT_INSTANCES, SELECT_OUTCOMES, SELECT_QUESTIONS
from harness.records.trial import Measurements, TrialRecord

with suppress(ImportError):  # pandas keeps texts in Arrow's memory if pyarrow is installed
    import pyarrow as pa

    # Arrow's own allocator frees memory and allocates it again, a seventh of a large report's time.
    pa.set_memory_pool(pa.system_memory_pool())


# Columns of pandas frames whose integers may be beyond 64 bits.


def integers(values: Iterable[Any]) -> "pd.Series[Any]":
    """The integers, or their digits as text, as a column; None and ``pd.NA`` are missing."""
    values = list(values)
    with suppress(OverflowError):
        if set(map(type, values)) == {int}:
            return pd.Series(pd.array(np.array(values, dtype=np.int64)))
    exact = [
        None if _is_missing(value) else int(value) if isinstance(value, str) else value
        for value in values
    ]
    numbers = [value for value in exact if value is not None]
    if not numbers or (fits_64_bits(min(numbers)) and fits_64_bits(max(numbers))):
        return pd.Series(pd.array(exact, dtype="Int64"))
    return pd.Series([pd.NA if value is None else value for value in exact], dtype="object")


def within_64_bits(column: "pd.Series[Any]") -> "pd.Series[Any]":
    """The column as ``Int64``, with integers beyond 64 bits clipped."""
    if str(column.dtype) != "object":
        return column
    most = LARGEST_OF_64_BITS
    values = [v if _is_missing(v) else max(-most, min(v, most)) for v in column]
    return pd.Series(pd.array(values, dtype="Int64"), index=column.index)


def typed_frame(
    columns: Mapping[str, Sequence[Any]], dtypes: Mapping[str, Any], size: int
) -> pd.DataFrame:
    """A frame of `size` rows with these dtypes; a column that is not given has no values."""
    missing = [None] * size
    arrays = {name: _array(columns.get(name, missing), dtype) for name, dtype in dtypes.items()}
    return pd.DataFrame(arrays, copy=False)


def _array(values: Sequence[Any], dtype: Any) -> Any:
    return integers(values).array if dtype == "Int64" else pd.array(values, dtype=dtype)


def with_dtypes(frame: pd.DataFrame, dtypes: Mapping[str, str]) -> pd.DataFrame:
    """The frame with these dtypes; integers beyond 64 bits stay objects in an ``Int64`` column."""
    columns = {}
    for name, dtype in dtypes.items():
        column = frame[name]
        if dtype == "Int64" and column.dtype == object:
            columns[name] = integers(column).set_axis(frame.index)
        elif column.dtype != (target := pandas_dtype(dtype)):
            columns[name] = column.astype(target)
    return frame.assign(**columns)


def _is_missing(value: object) -> bool:
    return value is None or value is pd.NA or value != value


# Trials as a pandas frame, with their final verdicts.


_ROWS: Final = 20_000
"""How many rows of a store are Python objects at a time."""


def frame(columns: Sequence[str], rows: Iterable[Sequence[Any]]) -> pd.DataFrame:
    """The rows as a frame with all columns and dtypes of `DTYPES`, whether given or not."""
    rows = list(rows)
    values = dict(zip(columns, zip(*rows, strict=True), strict=False))
    return _with_final_verdicts(typed_frame(values, DTYPES, len(rows)))


def stored_frame(db: sqlite3.Connection, folder: Path) -> pd.DataFrame:
    """The trials of the store of the run in `folder`, in the order of their end; see `frame`.

    A label that stands for several configurations (different options or versions) gets for each the
    version of the package that differs, or a number: ``cpsat#9.14.6206``, ``mine#2``. What trials
    share is read once for all of them.

    Raises:
        StoreDamagedError: a value has a wrong type.
    """
    try:
        db.execute("BEGIN")  # all queries see the same trials
        trials = _read(db, SELECT_OUTCOMES)
        for query, key in ((SELECT_QUESTIONS, "question_id"), (SELECT_INSTANCES, "instance_id")):
            part = _read(db, query)
            place = pd.Index(part[key]).get_indexer(trials[key])
            occurs = np.bincount(place, minlength=len(part)) > 0
            part, place = part[occurs], (np.cumsum(occurs) - 1)[place]
            if "configuration_id" in part:
                part = _with_labels(part)
            trials = trials.assign(**{str(name): part[name].array.take(place) for name in part})
    except (ValueError, TypeError, OverflowError) as error:
        raise StoreDamagedError(f"values of a wrong type: {error}", where=str(folder)) from None
    return _with_final_verdicts(trials[list(DTYPES)])


def recorded_frame(db: sqlite3.Connection, file: Path) -> pd.DataFrame:
    """The trials of the record `file`, read faster than by `stored_frame` from its store."""
    rows = rows_of(file).combine_chunks().to_pandas()
    beyond = [n for n, dtype in DTYPES.items() if dtype == "Int64" and rows[n].dtype == "string"]
    columns: dict[str, Any] = {}
    for name in beyond:
        codes, texts = pd.factorize(rows[name])  # a few numbers occur again and again
        columns[name] = integers([*texts, None]).array.take(codes)
    questions = _read(db, SELECT_QUESTIONS)
    ids = db.execute("SELECT question_id FROM trials ORDER BY id")
    numbers = np.fromiter(chain.from_iterable(ids), np.int64)
    place = pd.Index(questions["question_id"]).get_indexer(numbers)
    columns["backend"] = _with_labels(questions)["backend"].array.take(place)
    return _with_final_verdicts(with_dtypes(rows.assign(**columns), DTYPES))


def _with_labels(questions: pd.DataFrame) -> pd.DataFrame:
    """The rows of `SELECT_QUESTIONS`, with a label for each configuration."""
    labels = questions["backend"], questions["configuration_id"], questions["versions"]
    return questions.assign(backend=_numbered_labels(*labels).astype("string"))


def _read(db: sqlite3.Connection, query: str) -> pd.DataFrame:
    """The rows of a query with the dtypes of `DTYPES`; other columns are integers.

    They are read in parts, because a million rows of Python objects take gigabytes. Many columns
    have one value in all rows, which is converted once.
    """
    cursor = db.execute(query)
    dtypes = {column[0]: DTYPES.get(column[0], "int64") for column in cursor.description}
    parts = [typed_frame({}, dtypes, 0)]
    while rows := cursor.fetchmany(_ROWS):
        arrays = {}
        for (name, dtype), values in zip(dtypes.items(), zip(*rows, strict=True), strict=True):
            repetitions = len(rows) if values.count(values[0]) == len(rows) else 1
            arrays[name] = _array(values[: len(rows) // repetitions], dtype).repeat(repetitions)
        parts.append(pd.DataFrame(arrays, copy=False))
    return with_dtypes(pd.concat(parts, ignore_index=True), dtypes)


def frame_of(records: Iterable[TrialRecord]) -> pd.DataFrame:
    """The frame of records that were not stored."""
    rows = [_values(record) for record in records]
    names = list(rows[0]) if rows else []
    return frame(names, [list(row.values()) for row in rows])


def concatenated(frames: Sequence[pd.DataFrame]) -> pd.DataFrame:
    """Several frames as one, with labels renumbered.

    A trial that several frames have from the same machine becomes a further repetition. Verdicts
    are derived again, from the answers of all frames.
    """
    trials = with_dtypes(pd.concat(frames, ignore_index=True), DTYPES)
    labels = trials["backend"].map({label: spec_of(label) for label in trials["backend"].unique()})
    same = [labels, trials["options"].fillna(""), trials["versions"].fillna("")]
    numbers = trials.groupby(same, sort=False).ngroup()
    trials["backend"] = _numbered_labels(labels, numbers, trials["versions"]).astype("string")
    key = ["backend", "dataset", "scramble", "puzzle_id", "task", "limit", "start", "timeout_s"]
    key += ["cpu_limit_s", "memory_limit_mib", "host"]
    trials["repetition"] = trials.groupby(key, sort=False, dropna=False).cumcount() + 1
    return _with_final_verdicts(trials)


def _with_final_verdicts(trials: pd.DataFrame) -> pd.DataFrame:
    """`trials` with every claim judged wrong that checked solutions refute.

    A claim that a puzzle has exactly k solutions (none: k = 0) is wrong if more than k different
    solutions in the frame passed the check.
    """
    # A store has the limit 0 for `solve`.
    trials["limit"] = trials["limit"].mask((trials["limit"] == 0).fillna(False), pd.NA)
    claims = trials["verdict"].isin([Verdict.UNSATISFIABLE, Verdict.COUNTED])
    if not claims.any():
        return trials
    right = trials["verdict"].isin([Verdict.SOLVED, Verdict.COUNTED, Verdict.UNKNOWN])
    solved = trials.loc[right & trials["solution"].notna(), ["puzzle_id", "solution"]]
    solutions_of = solved.groupby("puzzle_id")["solution"].nunique()
    solutions = trials["puzzle_id"].map(solutions_of).fillna(0).astype("int64")
    claim_numbers = within_64_bits(trials["count"]).where(trials["exact"].fillna(False))
    claim_numbers = claim_numbers.mask(trials["verdict"] == Verdict.UNSATISFIABLE, 0)
    wrong = (claim_numbers < solutions).fillna(False) & claims
    if not wrong.any():
        return trials
    trials = trials.copy()
    trials.loc[wrong, "reason"] = [
        f"claims {SolutionCount.from_number(claim)}, "
        f"but {number_of(number, 'solution')} passed the check"
        for claim, number in zip(claim_numbers[wrong], solutions[wrong], strict=True)
    ]
    trials.loc[wrong, "verdict"] = str(Verdict.WRONG)
    return trials


def _numbered_labels(
    labels: "pd.Series[str]", ids: "pd.Series[int]", versions: "pd.Series[str]"
) -> "pd.Series[str]":
    """The labels; a label that stands for several ids gets a version or number for each."""
    names = {}
    for label, all_ids in ids.groupby(labels).unique().items():
        for id_ in all_ids:
            names[id_] = label
        if len(all_ids) > 1:
            sorted_ids = sorted(all_ids)
            texts = [versions[ids == id_].iloc[0] for id_ in sorted_ids]
            for id_, mark in zip(sorted_ids, _marks(texts), strict=True):
                names[id_] = f"{label}#{mark}"
    return ids.map(names)


def _marks(versions: Sequence[object]) -> Sequence[object]:
    """The versions of the only package in which configurations differ, or else their numbers."""
    numbers = range(1, len(versions) + 1)
    read = [json.loads(text) if isinstance(text, str) else {} for text in versions]
    differ = [
        package
        for package in {}.fromkeys(chain(*read))
        if len({each.get(package) for each in read}) > 1
    ]
    if len(differ) != 1 or differ[0] in ("Python", DISTRIBUTION):
        return numbers
    marks = [str(each.get(differ[0])) for each in read]
    is_clear = len({*marks}) == len(read) and all(map(IS_VERSION.fullmatch, marks))
    return marks if is_clear else numbers


def _values(record: TrialRecord) -> dict[str, Any]:
    """The fields of a record in memory, which does not know those of its configuration."""
    trial, outcome = record.trial, record.outcome
    instance, question = trial.instance, trial.question
    puzzle, expected = instance.puzzle, instance.expected_count
    measurements = {name: getattr(outcome, name) for name in Measurements.__struct_fields__}
    end = outcome.ended_at
    return {
        "backend": trial.backend,
        "spec": trial.spec or trial.backend,
        "dataset": trial.dataset,
        "scramble": instance.scramble,
        "name": instance.name,
        "puzzle_id": puzzle.id,
        "shape": puzzle.shape.definition,
        "puzzle": puzzle.line,
        "original": instance.original and instance.original.line,
        "clues": puzzle.clues,
        "expected_count": None if expected is None else expected.text,
        "task": str(question.task),
        "limit": question.limit or None,
        "start": str(question.start),
        "repetition": trial.repetition,
        "call": trial.call,
        "process": trial.process,
        "verdict": str(record.verdict),
        "reason": record.reason,
        "count": record.count,
        "exact": record.exact,
        "solution": record.solution,
        **measurements,
        "stats": json.dumps(outcome.stats),
        "ended_at": end and datetime.fromtimestamp(end, UTC).isoformat(timespec="milliseconds"),
        "timeout_s": question.timeout_s,
        "cpu_limit_s": question.cpu_limit_s,
        "memory_limit_mib": question.memory_limit_mib,
    }
