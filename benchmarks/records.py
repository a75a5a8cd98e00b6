"""Puts measured tables into results/records; the documentation shows them."""

from pathlib import Path
from typing import Final

import __main__

RECORDS: Final = Path(__file__).parents[1] / "results" / "records"


def put_record(name: str, table: str) -> None:
    """Replace a record by a table in Markdown, with the module that made it in a comment."""
    module = __main__.__spec__
    assert module is not None, "a benchmark runs as python -m benchmarks.NAME"
    made_by = f"<!-- python -m {module.name} -->"
    (RECORDS / f"{name}.md").write_text(f"{made_by}\n\n{table.strip()}\n", encoding="utf-8")
