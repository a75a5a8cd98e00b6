"""Writes docs/columns.md, the reference of the columns of a trial: ``make docs-tables``."""

from pathlib import Path

from harness.features.declared import FEATURES
from harness.records.fields import FIELDS

_INTRODUCTION = """# Columns of a trial

`harness export RUN --format csv` writes one row for each trial with the columns below, and
`harness.load(RUN).trials` is a frame with the same columns. In `trials.sqlite`, the table
`trials` refers to `questions`, `configurations` and `instances`, and `instances` refers to
`puzzles`; `planned` has the planned repetitions of each question on each instance.
`docs/columns.py` generates this page from `harness/records/fields.py`, where each field is
declared once.

Numbers of solutions have no upper bound. `count` and `limit` hold any whole number of up to
4,300 digits:

- In `trials.sqlite` their columns have no declared type. They hold an integer, or beyond 64 bits
  its decimal digits as text, because an integer of SQLite has 64 bits. In SQL, test
  `typeof(count)` before you compare or add; `count(DISTINCT count)` and equality are exact.
- In a frame their dtype is `Int64`. If one value of the run is beyond 64 bits, it is `object`,
  with integers of Python and `pd.NA`. Comparisons, `nunique` and `groupby` are exact in both
  cases.
- CSV and JSON have all digits. A reader that makes floats of large numbers, as JavaScript and
  spreadsheets do, needs the column as text: `pd.read_csv(file, dtype={"count": str})`.

`stats` may hold such numbers as well. It keeps up to 1,000 statistics of a trial, and leaves out
numbers that are not finite or have more than 4,300 digits. `reason` has at most 10,000
characters. A character that no file can hold, such as a byte of a file name that is not UTF-8,
is stored as an escape: `\\udcff`.

The store keeps `verdict` and `reason` as `answer_verdict` and `answer_reason`: the verdict on
the answer alone. A claim that other answers of the run refute is `wrong` in every frame,
export and report.
"""


_FEATURES = """
## Features of puzzles

Features describe a puzzle. A condition, `harness run --where "clues < 20"`, takes all of them
([Choosing puzzles](sweeps.md#choosing-puzzles)). `harness export RUN --features NAME` adds those
with a yes as columns; a row has the features of the puzzle that the backend received. They are
declared once, in `harness/features/declared.py`.
"""


def page() -> str:
    """The page as Markdown."""
    lines = [_INTRODUCTION, "| column | type | unit | table | meaning |", "|---|---|---|---|---|"]
    for field in FIELDS:
        optional = ", may be missing" if field.optional else ""
        kind = f"{field.type.__name__}{optional}"
        lines.append(
            f"| `{field.name}` | {kind} | {field.unit} | `{field.table}` | {field.meaning} |"
        )
    lines += [_FEATURES, "| name | type | export | meaning |", "|---|---|---|---|"]
    for feature in FEATURES.values():
        kind = f"{feature.kind}{', may be missing' if feature.optional else ''}"
        column = "yes" if feature.column else ""
        lines.append(f"| `{feature.name}` | {kind} | {column} | {feature.meaning} |")
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    Path(__file__).with_name("columns.md").write_text(page(), encoding="utf-8")
