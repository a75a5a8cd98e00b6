"""A key that an object of JSON has twice is an error, as in TOML."""

import json

import pytest

from harness.errors import PuzzleError
from harness.puzzles.formats import ReadSettings, TextSource
from harness.puzzles.formats.fpuzzles import compress
from harness.puzzles.formats.reading import format_named
from tests.puzzles.example import LINE, SOLUTION

RECORD = f'{{"puzzle": "{LINE}", "puzzle": "{SOLUTION}"}}'
DEEP = f'{{"puzzle": "{LINE}", "fields": {{"a": "1", "a": "2"}}}}'
ROWS = json.dumps([[0] * 4] * 4)


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("json", f"[{RECORD}]"),
        ("json", f"[{DEEP}]"),
        ("jsonl", f"{RECORD}\n"),
        ("pycsp3", f'{{"n": 4, "clues": {ROWS}, "clues": {ROWS}}}'),
        ("fpuzzles", "load=" + compress('{"size": 4, "size": 9, "grid": []}')),
    ],
)
def test_a_repeated_key_is_an_error(name: str, text: str) -> None:
    with pytest.raises(PuzzleError, match=r"the key '\w+' occurs twice"):
        list(format_named(name).read(TextSource.of_text(text, "p"), ReadSettings()))
