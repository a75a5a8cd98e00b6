"""Tables of cases in TOML beside the tests that read them."""

import tomllib
from functools import cache
from pathlib import Path
from typing import Any


def cases(module: str, name: str) -> list[Any]:
    """The cases called `name` in the table beside this module: `where.toml` of `test_where.py`."""
    path = Path(module)
    return list(_tables(path.with_name(f"{path.stem.removeprefix('test_')}.toml"))[name])


@cache
def _tables(path: Path) -> dict[str, list[Any]]:
    return tomllib.loads(path.read_text(encoding="utf-8"))
