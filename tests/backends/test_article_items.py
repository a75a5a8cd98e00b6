"""article_items.toml maps every item of the five articles to a test or a command that exists."""

import re
import tomllib
from pathlib import Path

import pytest

PROJECT = Path(__file__).resolve().parents[2]
FOUND = tomllib.loads(Path(__file__).with_name("article_items.toml").read_text(encoding="utf-8"))
ITEMS = (
    *("F0.1", "F0.2", *(f"C0.{n}" for n in range(1, 9)), "P0", "X0"),
    *("F1.1", *(f"C1.{n}" for n in range(1, 13)), "X1", "P1"),
    *("F2.1", *(f"C2.{n}" for n in range(1, 6)), "N2", "P2", "X2"),
    *(*(f"C3.{n}" for n in range(1, 10)), "N3", "P3a", "X3a", "P3b", "P3c", "P3d"),
    *(f"C4.{n}" for n in range(1, 7)),
)


def test_every_item_is_listed_once() -> None:
    assert sorted(FOUND) == sorted(ITEMS)


@pytest.mark.parametrize("item", ITEMS)
def test_the_test_or_the_command_of_an_item_exists(item: str) -> None:
    where = FOUND[item]
    if "lost" in where:
        assert item == "P1"
    elif "command" in where:
        assert re.fullmatch(r"harness [a-z-]+ .+", where["command"])
    else:
        source = (PROJECT / where["file"]).read_text(encoding="utf-8")
        assert re.search(rf"^def {where['test']}\(", source, re.MULTILINE)
