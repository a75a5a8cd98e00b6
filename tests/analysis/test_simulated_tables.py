"""The recorded tables of simulations are those that the benchmark prints."""

from pathlib import Path

import pytest

from benchmarks.statistics import SIMULATIONS, tables

PAGE = Path(__file__).parents[2] / "results" / "records" / "statistics.md"


@pytest.mark.long
def test_the_tables_of_the_page_are_those_of_the_command() -> None:
    rows = [line for line in tables(SIMULATIONS) if line.startswith("|")]
    page = [line for line in PAGE.read_text().splitlines() if line.startswith("|")]
    first = page.index(rows[0])
    assert page[first : first + len(rows)] == rows
