"""docs/articles.md maps every item of the five articles to a test or a command that exists."""

import re
from pathlib import Path

import pytest

PROJECT = Path(__file__).resolve().parents[2]
PAGE = (PROJECT / "docs" / "articles.md").read_text()
ROW = re.compile(r"^\| ([CFNPX]\d[\w.]*) \| (.+?) \| (.+?) \|$", re.MULTILINE)
ITEMS = (
    *("F0.1", "F0.2", *(f"C0.{n}" for n in range(1, 9)), "P0", "X0"),
    *("F1.1", *(f"C1.{n}" for n in range(1, 13)), "X1", "P1"),
    *("F2.1", *(f"C2.{n}" for n in range(1, 6)), "N2", "P2", "X2"),
    *(*(f"C3.{n}" for n in range(1, 10)), "N3", "P3a", "X3a", "P3b", "P3c", "P3d"),
    *(f"C4.{n}" for n in range(1, 7)),
)


def test_every_item_has_one_row() -> None:
    assert sorted(item for item, _, _ in ROW.findall(PAGE)) == sorted(ITEMS)


@pytest.mark.parametrize("row", ROW.findall(PAGE), ids=lambda row: row[0])
def test_the_test_or_the_command_of_an_item_exists(row: tuple[str, str, str]) -> None:
    item, where, what = row
    if where in ("planned", "lost"):
        assert item in {"C1.10", "C3.8", "C3.9", "P1"}
    elif where == "command":
        assert re.fullmatch(r"`harness [a-z]+ .+`", what)
    else:
        source = (PROJECT / where.strip("`")).read_text(encoding="utf-8")
        assert re.search(rf"^def {what.strip('`')}\(", source, re.MULTILINE)
