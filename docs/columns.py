"""Writes docs/columns.md, the reference of the columns of a trial: ``make docs-tables``."""

from pathlib import Path

from harness.records.fields import FIELDS

_INTRODUCTION = """# Columns of a trial

`harness export RUN --format csv` writes one row for each trial with the columns below, and
`harness.load(RUN).trials` is a frame with the same columns. In `trials.sqlite`, the table
`trials` refers to `questions`, `configurations` and `instances`, and `instances` refers to
`puzzles`; `planned` has the planned repetitions of each question on each instance.
`docs/columns.py` generates this page from `harness/records/fields.py`, where each field is
declared once.

The store keeps `verdict` and `reason` as `answer_verdict` and `answer_reason`: the verdict on
the answer alone. A claim that other answers of the run refute is `wrong` in every frame,
export and report.
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
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    Path(__file__).with_name("columns.md").write_text(page(), encoding="utf-8")
