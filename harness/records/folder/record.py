"""Records: finished runs to publish, with their trials in one Parquet file.

A record has ``trials.parquet`` in place of a store, beside the other files of a run. The file has
a row for each trial, with the columns of a frame, so every data library reads it. Its metadata hold
the events of the run.

A record may come from a stranger. Its rows become a store, whose cells are checked like those of
any other store. In addition, every puzzle must have its digest and its clues, and every answer must
have the verdict that a run would have given it.
"""

import re
import sqlite3
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing
from datetime import datetime
from functools import cache
from itertools import compress, count
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import msgspec
from msgspec import Struct

from harness.base.errors import InputError, PuzzleError, RunError, StoreDamagedError, unwritable
from harness.base.text import fits_64_bits, printable, short_repr, shortened
from harness.contract import ONE_LINE
from harness.puzzles import EVERY_NUMBER, Puzzle, Shape, SolutionCount
from harness.records.fields import DTYPES, FIELDS, StoreTable, fields_of
from harness.records.judging import are_solutions, broken_by_count, broken_by_status, is_whole
from harness.records.question import Verdict, spec_of
from harness.records.schema import ANSWERED, CREATE, SCHEMA_VERSION, check_cells

if TYPE_CHECKING:
    import pandas as pd
    import pyarrow

METADATA: Final = b"sudoku-harness"
"""The key under which the file keeps `RecordMetadata`."""
INSTALL: Final = 'pip install "pyarrow>=16"'
"""What the extra ``[parquet]`` installs; no registry has the harness with its extras."""
_WITHOUT_PROCESS: Final = 8
"""The version whose records lack the process of a trial."""
_MOST_ROWS: Final = 10_000_000
_MOST_BYTES: Final = 2 * 2**30
"""The size of all rows in memory."""
_NAMES: Final = {
    "backend": re.compile(r"[^/\\[\0-\x1f]{1,300}(\[[^\0]{1,9000}\])?(#[\w.+]+)?"),
    "paradigm": ONE_LINE,
    **dict.fromkeys(("spec", "dataset", "name", "host"), re.compile(r"[^\0]{0,10000}")),
}
"""The pattern that each name in a record matches."""


_Row = tuple[Any, ...]


class RecordMetadata(Struct, frozen=True):
    """What the file of a record holds besides the trials."""

    schema_version: int
    trials: int
    """The number of rows, so that a file with fewer is noticed."""
    events: list[tuple[str, str, str, str, float | None]]
    """The rows of the table of events."""


def unpack(file: Path, store: Path) -> None:
    """Write the trials of the record `file` to the new SQLite file `store`, and check them.

    Raises:
        RunError: pyarrow is not installed, or the record has another version.
        StoreDamagedError: the file is damaged or too large, or lacks the columns of a run; or a
            value is invalid or contradicts another one.
    """
    try:
        import pyarrow
    except ImportError:
        raise RunError("a record needs pyarrow", where=str(file), expected=INSTALL) from None
    try:
        table = rows_of(file)
        columns = {name: table.column(name).to_pylist() for name in DTYPES}
    except (pyarrow.ArrowException, OSError) as error:
        raise _damage(str(error).splitlines()[0], file) from None
    try:
        content = (table.schema.metadata or {}).get(METADATA, b"")
        metadata = msgspec.json.decode(content, type=RecordMetadata)
    except msgspec.MsgspecError:
        raise _damage("it has no metadata of the harness", file) from None
    if metadata.schema_version not in (_WITHOUT_PROCESS, SCHEMA_VERSION):
        fault = f"the record has version {metadata.schema_version}"
        expected = f"version {_WITHOUT_PROCESS} or {SCHEMA_VERSION}"
        raise RunError(fault, where=str(file), expected=expected)
    if table.num_rows != metadata.trials:
        raise _damage(f"it has {table.num_rows:,} of {metadata.trials:,} trials", file)
    write_store(store, columns, metadata.events, file)


def write_store(store: Path, columns: dict[Any, Any], events: Sequence[_Row], file: Path) -> None:
    """Write trials to the new SQLite file `store`, and check them.

    Args:
        store: the file.
        columns: the columns of a frame of trials, with None for a missing value.
        events: the rows of the table of events.
        file: what an error names.

    Raises:
        StoreDamagedError: a value is invalid or contradicts another one.
    """
    try:
        for name in (field.name for field in FIELDS if field.unbounded):
            columns[name] = [*map(cache(_integer), columns[name])]
        for name, valid in _NAMES.items():
            for text in map(str, {*columns[name]}):
                if not valid.fullmatch(text):
                    raise _damage(f"{name} is {short_repr(text)}", file)
        with closing(sqlite3.connect(store)) as db:
            db.execute("PRAGMA cache_size = -65536")  # KiB
            db.executescript(CREATE)
            _fill(db, columns)
            db.executemany("INSERT INTO events VALUES (?, ?, ?, ?, ?)", events)
            db.commit()
            check_cells(db, file)
            _check_answers(db, file)
    except StoreDamagedError:
        raise
    except (sqlite3.Error, OverflowError, TypeError):
        raise _damage("its values contradict each other, or have other types", file) from None
    except ValueError as error:
        raise _damage(f"its values contradict each other: {error}", file) from None


def rows_of(file: Path) -> "pyarrow.Table":
    """The rows of the record `file`, which has the columns of a frame of trials.

    Raises:
        StoreDamagedError: the file is too large, or has other columns.
        pyarrow.ArrowException, OSError: it is no Parquet file, or cannot be read.
    """
    import pyarrow
    from pyarrow import parquet

    batches, size, names = [], 0, [*DTYPES]
    place = names.index("process")
    with parquet.ParquetFile(file) as record:
        is_old = record.schema_arrow.names == names[:place] + names[place + 1 :]
        if record.schema_arrow.names != names and not is_old:
            raise _damage("its columns are not those of a run", file)
        if record.metadata.num_rows > _MOST_ROWS:
            raise _damage("it is too large", file)
        # A small file can unpack to large texts: the dictionary of a column has each text once.
        for batch in record.iter_batches(batch_size=1000):
            size += batch.nbytes
            if size > _MOST_BYTES:
                raise _damage("it is too large", file)
            batches.append(batch)
        table = pyarrow.Table.from_batches(batches, record.schema_arrow)
    unknown = pyarrow.nulls(table.num_rows, pyarrow.int64())
    return table.add_column(place, "process", unknown) if is_old else table


def _damage(fault: str, file: Path) -> StoreDamagedError:
    return StoreDamagedError(f"the record is damaged: {fault}", where=str(file))


def _integer(value: object) -> object:
    """An integer as a store has it, from a column with texts for integers beyond 64 bits."""
    if isinstance(value, str) and fits_64_bits(int(value)):
        return int(value)
    return value


def write_parquet(
    frame: "pd.DataFrame", path: Path, metadata: RecordMetadata | None = None
) -> None:
    """Write the frame, without its index, to the file at `path`.

    `pandas.read_parquet` gives the same frame back, except for columns of Python objects:
    Parquet has no type for integers beyond 64 bits, so such a column becomes text.

    Args:
        frame: the rows.
        path: the file.
        metadata: what makes the file a record; None for a mere table.

    Raises:
        InputError: pyarrow is not installed, or the file cannot be written.
    """
    try:
        import pyarrow
        from pyarrow import parquet
    except ImportError:
        raise InputError("Parquet needs pyarrow", where="--format", expected=INSTALL) from None
    objects = {str(name): "string" for name in frame if frame[name].dtype == object}
    table = pyarrow.Table.from_pandas(frame.astype(objects), preserve_index=False)
    if metadata is not None:
        also = {METADATA: msgspec.json.encode(metadata)}
        table = table.replace_schema_metadata({**(table.schema.metadata or {}), **also})
    try:
        # A dictionary holds each puzzle and solution once; by default it ends at 1 MiB.
        packing: dict[str, Any] = {"compression": "zstd", "compression_level": 12}
        parquet.write_table(table, path, dictionary_pagesize_limit=2**26, **packing)
    except OSError as error:
        raise unwritable(path, error) from None


# The rows of a record as the tables of a store.


def _fill(db: sqlite3.Connection, columns: dict[str, list[Any]]) -> None:
    """Add the rows of a record to an empty store."""
    labels = columns["backend"]
    columns_by_name = {
        **columns,
        "backend": [*map(cache(spec_of), labels)],
        "limit": [limit or 0 for limit in columns["limit"]],
        "ended_at": [
            time and datetime.fromisoformat(time).timestamp() for time in columns["ended_at"]
        ],
    }

    def rows(table: StoreTable, *keys: Iterable[Any]) -> Iterator[_Row]:
        return zip(*keys, *(columns_by_name[field.name] for field in fields_of(table)), strict=True)

    label = dict(zip(rows(StoreTable.CONFIGURATIONS), labels, strict=True))
    configurations = _number_of_each(sorted(label, key=lambda row: (len(label[row]), label[row])))
    puzzles = dict.fromkeys(rows(StoreTable.PUZZLES, columns["puzzle_id"]))
    instances = _number_of_each(rows(StoreTable.INSTANCES))
    row_questions = [
        *rows(StoreTable.QUESTIONS, map(configurations.get, rows(StoreTable.CONFIGURATIONS)))
    ]
    questions = _number_of_each(row_questions)
    position: dict[_Row, Iterator[int]] = defaultdict(count)  # by dataset and scramble
    trials = rows(
        StoreTable.TRIALS,
        map(questions.get, row_questions),
        map(instances.get, rows(StoreTable.INSTANCES)),
    )
    for table, keys, new_rows in (
        (StoreTable.CONFIGURATIONS, "id", ((n, *row) for row, n in configurations.items())),
        (StoreTable.PUZZLES, "id", puzzles),
        (
            StoreTable.INSTANCES,
            "id, position",
            ((n, next(position[row[:2]]), *row) for row, n in instances.items()),
        ),
        (StoreTable.QUESTIONS, "id, configuration_id", ((n, *row) for row, n in questions.items())),
        (StoreTable.TRIALS, "question_id, instance_id", trials),
    ):
        names = ", ".join([keys, *(field.column for field in fields_of(table))])
        marks = ", ".join("?" * (names.count(",") + 1))
        db.executemany(f"INSERT INTO {table} ({names}) VALUES ({marks})", new_rows)
    db.execute(
        "INSERT INTO planned SELECT question_id, instance_id, max(repetition) FROM trials "
        "GROUP BY question_id, instance_id"
    )


def _number_of_each(rows: Iterable[_Row]) -> dict[_Row, int]:
    """The number of each distinct row, from 1 in the order in which they occur first."""
    return {row: number for number, row in enumerate(dict.fromkeys(rows), 1)}


# The answers of a record.


_IS_RIGHT: Final = f"t.answer_verdict IN ({ANSWERED})"
_IS_CHECKED: Final = f"""
({_IS_RIGHT} OR t.answer_verdict = 'wrong' AND q.task = 'solve' AND i.expected_count IS NULL)"""
"""Whether the verdict follows from the solution; an expected count can make a valid solution
wrong."""
_ANSWERS: Final = """
SELECT t.answer_verdict, p.shape, length(p.puzzle), p.puzzle, t.solution,
    i.dataset, i.name, c.backend
FROM trials t
JOIN instances i ON i.id = t.instance_id
JOIN puzzles p ON p.id = i.puzzle_id
JOIN questions q ON q.id = t.question_id
JOIN configurations c ON c.id = q.configuration_id
WHERE 1"""
_SHORTEST_S: Final = 1e-10
"""Less time than any answer takes, even in a large batch."""
_MOST_CORES: Final = 256
_PHASES_S: Final = "coalesce(t.encode_s, 0) + coalesce(t.search_s, 0) + coalesce(t.decode_s, 0)"
_BROKEN: Final = {
    f"{_IS_RIGHT} AND t.wall_s > q.timeout_s": "exceeds its time limit",
    f"{_IS_RIGHT} AND (t.wall_s IS NULL OR t.wall_s < {_SHORTEST_S})": "has no possible wall time",
    f"t.cpu_s > 0.02 + {_MOST_CORES} * t.wall_s": "has more CPU time than its wall time allows",
    f"max(coalesce(t.build_s, 0), {_PHASES_S}) > 0.005 + 1.01 * t.wall_s": (
        "has phases that take longer than its wall time"
    ),
    "t.answer_verdict = 'timeout' AND q.start != 'batch' AND q.cpu_limit_s = 0 AND "
    "t.wall_s < 0.9 * q.timeout_s": "has a time limit that it did not reach",
    "c.backend = ''": "has no backend",
    "t.answer_verdict = 'solved' AND t.solution IS NULL": "has no solution",
    "t.answer_verdict = 'unsatisfiable' AND t.solution IS NOT NULL": "has a solution",
    "t.answer_verdict IN ('solved', 'unsatisfiable') AND q.task != 'solve'": (
        "is not an answer to count"
    ),
    "t.answer_verdict = 'counted' AND q.task != 'count'": "is not an answer to solve",
    "t.answer_verdict = 'wrong' AND t.answer_reason = ''": "is wrong without a reason",
    "t.ended_at > unixepoch() + 86400": "ended in the future",
}
"""Conditions that no trial of a run meets, and the finding about an answer that meets one."""
_FINDING: Final = " ".join(["CASE", *(f"WHEN {c} THEN '{w}'" for c, w in _BROKEN.items()), "END"])
"""The finding about an answer; NULL for none."""


def _check_answers(db: sqlite3.Connection, file: Path) -> None:
    """Check the puzzles, and whether each answer has the verdict that a run would give it.

    Raises:
        StoreDamagedError: a puzzle or a verdict is not right.
    """
    for id_, shape, line, clues in db.execute("SELECT id, shape, puzzle, clues FROM puzzles"):
        try:
            puzzle = Puzzle.of_line(line, Shape.parse(shape))
        except PuzzleError as error:
            raise _damage(f"a puzzle is malformed: {error}", file) from None
        if (puzzle.id, puzzle.clues) != (id_, clues):
            fault = f"has the digest {puzzle.id} and {puzzle.clues} clues, not {id_} and {clues}"
            raise _damage(f"the puzzle {line} {fault}", file)
    query = _ANSWERS.replace("SELECT", f"SELECT {_FINDING} AS finding,", 1)
    if row := db.execute(f"{query} AND finding IS NOT NULL").fetchone():
        raise _damage(f"{_which(row)} {row[0]}", file)
    _check_claims(db, file)
    # Several backends may give the same answer, which is checked once.
    different = "GROUP BY t.instance_id, t.answer_verdict, t.solution"
    answers: dict[_Row, list[_Row]] = defaultdict(list)
    for row in db.execute(f"{_ANSWERS} AND {_IS_CHECKED} AND t.solution IS NOT NULL {different}"):
        answers[row[:3]].append(row)
    for (verdict, definition, _), rows in answers.items():
        shape = Shape.parse(definition)
        whole = [row for row in rows if is_whole(row[4], shape)]
        right = are_solutions(shape, [row[3] for row in whole], [row[4] for row in whole])
        if verdict == Verdict.WRONG:
            if answer := next(compress(whole, right), None):
                raise _damage(f"{_which(answer)} is a solution, and not wrong", file)
        elif len(whole) < len(rows) or not all(right):
            wrong = [row for row in rows if row not in whole]
            wrong += compress(whole, (not is_right for is_right in right))
            raise _damage(f"{_which(wrong[0])} is not a solution", file)


def _check_claims(db: sqlite3.Connection, file: Path) -> None:
    """Check what right answers claim about the number of solutions.

    Raises:
        StoreDamagedError: an answer breaks a rule, or contradicts the expected count in its row.
    """
    columns = 't.answer_verdict, t.count, t.exact, q."limit", i.expected_count'
    claims = f"{_ANSWERS.replace('SELECT', f'SELECT {columns},', 1)} AND {_IS_RIGHT}"
    for verdict, number, exact, limit, expected, *row in db.execute(f"{claims} GROUP BY {columns}"):
        count = SolutionCount.of_text(expected) if expected else EVERY_NUMBER
        faults = (
            broken_by_count(_integer(number), bool(exact), int(limit), count)
            if verdict == Verdict.COUNTED
            else broken_by_status(verdict, count)
        )
        for _, fault in faults:
            raise _damage(f"{_which(tuple(row))} {fault}", file)


def _which(row: tuple[Any, ...]) -> str:
    *_, dataset, name, backend = row
    return printable(shortened(f"the answer of {backend} to {dataset}:{name}", 300))
