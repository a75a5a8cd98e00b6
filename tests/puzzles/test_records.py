"""Puzzles as records in TOML and JSON."""

import json
import re
from pathlib import Path
from typing import Any

import pytest

from harness.base.errors import PuzzleError
from harness.puzzles.formats import ParsedPuzzle, ReadSettings, TextSource
from harness.puzzles.formats.format import Head
from harness.puzzles.formats.reading import format_named, read_file
from harness.puzzles.formats.records import FIELDS, JSON, JSON_LINES
from tests.installed import needs
from tests.puzzles.detected import format_of, read_single
from tests.puzzles.example import BOXED, GRID, LINE, MISTAKEN, ROWS, SOLUTION, file_error
from tests.tables import cases

# Puzzles as records in TOML and JSON files, and the number of a malformed one.


SOLUTION_GRID = "\n".join(SOLUTION[start : start + 9] for start in range(0, 81, 9))


def write(path: Path, content: str) -> Path:
    path.write_bytes(content.encode())
    return path


def write_records(tmp_path: Path, records: object) -> Path:
    return write(tmp_path / "p.json", json.dumps(records))


def read_records(tmp_path: Path, records: object) -> list[ParsedPuzzle]:
    return read_file(write_records(tmp_path, records))


@pytest.mark.parametrize(
    "text",
    [
        f'[[puzzle]]\npuzzle = "{LINE}"\n',
        f'\ufeff# A comment.\n\n  [[ puzzle ]] # the first\npuzzle = "{LINE}"\n',
        f'[["puzzle"]]\nid = "seed"\npuzzle = """\n{GRID}\n"""\n',
        f'puzzle = [{{puzzle = "{LINE}"}}]\n',
        f'puzzle = [\n  # one record\n  {{puzzle = "{LINE}"}},\n]\n',
        f'title = "mine"\n[[puzzle]]\npuzzle = "{LINE}"\n',
    ],
)
def test_records_in_toml_are_detected_without_a_suffix(text: str) -> None:
    assert format_of(text) == "toml"
    assert read_single(text).puzzle.line == LINE


@pytest.mark.parametrize(
    "text", [f"{LINE} [[puzzle]]", f'{{"puzzle": "[[puzzle]] {LINE}"}}', f"# [[puzzle]]\n{LINE}\n"]
)
def test_a_text_that_names_a_table_is_no_toml(text: str) -> None:
    assert format_of(text) != "toml"


def test_a_toml_file_holds_a_table_a_puzzle(tmp_path: Path) -> None:
    content = f"""
[[puzzle]]
id = "seed000"
puzzle = \"\"\"
{GRID}
\"\"\"
solutions = 1
solution = "{SOLUTION}"
source = "a tutorial"

[[puzzle]]
puzzle = "................"
solutions = ">=100"
"""
    first, second = read_file(write(tmp_path / "p.toml", content))
    assert (first.name, first.puzzle.line, first.source) == ("seed000", LINE, "a tutorial")
    assert str(first.expected_count) == "exactly 1 solution"
    assert first.expected_count is not None
    assert first.expected_count.solution == SOLUTION
    assert first.place.endswith("p.toml: puzzle 1 (seed000)")
    assert (second.name, str(second.expected_count), second.source) == (
        "2",
        "at least 100 solutions",
        None,
    )


ROW_LISTS = [[int(symbol.replace(".", "0")) for symbol in row] for row in ROWS]


@pytest.mark.parametrize(
    "record",
    [
        {"puzzle": LINE},
        {"puzzle": GRID},
        {"puzzle": BOXED},
        {"givens": LINE},
        {"givens": [value for row in ROW_LISTS for value in row]},
        {"givens": ROW_LISTS},
        {"puzzle": ROW_LISTS},
        {"puzzle": LINE, "shape": "9x9"},
        {"puzzle": LINE, "n": 9},
        {"puzzle": LINE, "clues": 32, "duplicate_givens": False},
        {"puzzle": LINE, "id": None, "shape": None, "n": None, "solutions": None, "source": None},
    ],
)
def test_a_record_has_its_puzzle_in_any_of_several_forms(tmp_path: Path, record: object) -> None:
    for records in ([record], {"puzzle": [record]}):
        (read,) = read_records(tmp_path, records)
        assert (read.puzzle.line, read.name, read.expected_count) == (LINE, "1", None)


FLAT = [value for row in ROW_LISTS for value in row]
GAPS = [[value or None for value in row] for row in ROW_LISTS]


@pytest.mark.parametrize("name", ["p.json", "p.txt", "p"])
@pytest.mark.parametrize(
    ("value", "number"),
    [
        *((form, 1) for form in (ROW_LISTS, FLAT, GAPS, ROWS, [list(row) for row in ROWS])),
        *(([form, form], 2) for form in (ROW_LISTS, GAPS, ROWS, LINE)),
        *(({"grid": form, "level": 3}, 1) for form in (ROW_LISTS, FLAT, GAPS, ROWS, LINE)),
        ({"id": None, "puzzle": LINE, "solution": SOLUTION}, 1),
        ({"data": {"board": ROW_LISTS}, "level": "hard"}, 1),
        ({"puzzles": [{"quiz": FLAT}, {"sudoku": GAPS}]}, 2),
        ({"puzzles": [ROW_LISTS, GAPS, FLAT]}, 3),
        ({"newboard": {"grids": [{"value": ROW_LISTS, "solution": list(SOLUTION)}]}}, 1),
    ],
    ids=str,
)
def test_json_has_cells_lines_and_records_in_several_forms(
    value: Any, number: int, name: str, tmp_path: Path
) -> None:
    for indent in (None, 2):
        if indent and name != "p.json":
            continue
        puzzles = read_file(write(tmp_path / name, json.dumps(value, indent=indent)))
        assert [parsed.puzzle.line for parsed in puzzles] == [LINE] * number


@pytest.mark.parametrize(
    "text",
    [
        '{"size": 9, "grid": [[{"value": 3}, {}], [{}]]}',
        '{"cells": [[{}, {}]], "cages": [{"cells": [[0, 0], [0, 1]], "value": 3}]}',
        '{"cells": [{"position": [0, 1], "value": 3}]}',
        '{"n": 9, "clues": [[0, 0]]}',
    ],
)
def test_objects_of_applications_are_no_records(text: str) -> None:
    assert not JSON.detect(Head.from_source(TextSource.of_text(text, "p.json")))
    assert not JSON_LINES.detect(Head.from_source(TextSource.of_text(text, "p")))


def test_a_record_has_its_shape_by_name_or_size(tmp_path: Path) -> None:
    records = [{"givens": [0] * 49, "shape": "latin7"}, {"givens": [0] * 256, "n": 16}]
    shapes = [str(read.puzzle.shape) for read in read_records(tmp_path, records)]
    assert shapes == ["latin7", "16x16"]


@pytest.mark.parametrize("text", [SOLUTION, SOLUTION_GRID, f"{SOLUTION}\n"])
def test_a_solution_is_a_line_or_a_grid_and_unique(tmp_path: Path, text: str) -> None:
    (read,) = read_records(tmp_path, [{"puzzle": LINE, "solution": text}])
    assert read.expected_count is not None
    assert (read.expected_count.least, read.expected_count.exact, read.expected_count.solution) == (
        1,
        True,
        SOLUTION,
    )


@pytest.mark.parametrize(
    ("record", "where", "facts"),
    [
        *cases(__file__, "a_malformed_record_is_an_error_with_its_number"),
        ({"puzzle": LINE, "givens": [0] * 81}, "", ["'puzzle'", "'givens'"]),
        ({"puzzle": LINE, "solution": SOLUTION[1:]}, ": solution:1:81", ["80", "81"]),
        ({"puzzle": LINE, "solution": "." + SOLUTION[1:]}, "", ["R1C1"]),
        ({"puzzle": LINE, "solution": SOLUTION[:2] + "9" + SOLUTION[3:]}, "", ["9", "R1C3", "3"]),
        ({"puzzle": LINE, "solution": "5" + SOLUTION[1:]}, "", ["5", "row 1"]),
        ({"givens": [0] * 80}, "", ["80 cells", "64 for 8x8 or 81 for 9x9"]),
        ({"givens": [0] * 81, "n": 16}, "", ["81 cells", "16x16", "256 cells"]),
        ({"givens": [[0] * 9] * 8}, "", ["8 rows", "9 cells"]),
        ({"givens": [[0] * 9] * 8 + [[0] * 8]}, ": row 9", ["8 cells", "9 cells"]),
        ({"givens": [[0] * 9] * 8 + [0]}, "", ["9 cells", "3x3"]),
        ({"givens": [0] * 80 + [[0]]}, ": R9C9", ["[0]", "0 to 9"]),
        ({"givens": [True] + [0] * 80}, ": R1C1", ["True", "0 to 9"]),
        ({"givens": [None] + [0] * 80}, ": R1C2", ["an empty cell and 0"]),
        ({"givens": [-1] + [0] * 80}, ": R1C2", ["-1 and 0"]),
        ({"givens": [0] * 80 + [10]}, ": R9C9", ["10", "0 to 9"]),
    ],
)
def test_a_malformed_record_is_an_error_with_its_number(
    tmp_path: Path,
    record: Any,
    where: str,
    facts: list[str],
) -> None:
    text = record if isinstance(record, str) else json.dumps(record)
    for name, line in (("LINE", LINE), ("MISTAKEN", MISTAKEN), ("SOLUTION", SOLUTION)):
        text = text.replace(name, line)
    error = file_error(write(tmp_path / "p.json", f"[{text}]"))
    assert error.where == f"p.json: puzzle 1{where}"
    for fact in facts:
        assert fact in f"{error.what}; {error.expected}"


def test_an_error_of_a_huge_record_stays_short(tmp_path: Path) -> None:
    for record in ([0] * 10_001, {"givens": [[0] * 1_000] * 81}, {"id": "a" * 10_000}):
        assert len(str(file_error(write_records(tmp_path, [record])))) < 200


@pytest.mark.parametrize(
    ("name", "content", "where", "facts"),
    [
        ("p.toml", "", "p.toml", []),
        ("p.toml", "[[puzzl]]\n", "p.toml", []),
        ("p.toml", 'puzzle = "1"\n', "p.toml: puzzle 1: puzzle:1", []),
        ("p.toml", '[puzzle]\npuzzle = "1"\n', "p.toml: puzzle 1: puzzle:1", []),
        ("p.toml", "[[puzzle]\n", "p.toml:1:9", []),
        ("p.toml", "[[puzzle]]\npuzzle = \n", "p.toml:2:10", []),
        ("p.toml", "[[puzzle]]\npuzzle = 2020-01-01\n", "p.toml: puzzle 1", []),
        ("p.toml", "puzzle = []\n", "p.toml: puzzle 1", []),
        (
            "p.toml",
            f'[[puzzle]]\npuzzle = "{LINE}"\n[[puzle]]\npuzzle = "{LINE}"\n',
            "p.toml",
            ["unknown field", "puzle", "mean 'puzzle'"],
        ),
        ("p.json", "", "p.json:1:1", []),
        ("p.json", "[\n  {,\n", "p.json:2:4", []),
        *(("p.json", text, "p.json", []) for text in ("null", "{}")),
        *(("p.json", text, "p.json: puzzle 1", []) for text in ("[]", '{"cells": []}')),
        *(
            (name, '{"a": [1]}', name, ["one of puzzle, givens, puzzles"])
            for name in ("p.json", "p")
        ),
        ("p.json", "3", "p.json: puzzle 1", []),
        ("p.json", json.dumps([[1, *[0] * 15]] * 16), "p.json", ["16x16 or 16 puzzles of 4x4"]),
        ("p.json", "[NaN]", "p.json: puzzle 1", []),
        ("p.json", json.dumps([{"puzzle": LINE}, {}]), "p.json: puzzle 2", []),
    ],
)
def test_a_malformed_file_is_an_error(
    tmp_path: Path, name: str, content: str, where: str, facts: list[str]
) -> None:
    error = file_error(write(tmp_path / name, content))
    assert error.where == where
    for fact in facts:
        assert fact in str(error)


def test_the_fields_of_a_record_are_those_that_the_page_on_datasets_lists() -> None:
    page = (Path(__file__).parents[2] / "datasets" / "README.md").read_text()
    table = page.partition("## Records")[2].partition("## Adding")[0]
    rows = [line for line in table.splitlines() if line.startswith("| `")]
    names = {re.findall(r"`(\w+)", row)[0] for row in rows}
    assert names | {"givens", "n"} == set(FIELDS)


# A key that an object of JSON has twice is an error, as in TOML.


RECORD = f'{{"puzzle": "{LINE}", "puzzle": "{SOLUTION}"}}'
DEEP = f'{{"puzzle": "{LINE}", "fields": {{"a": "1", "a": "2"}}}}'
JSON_ROWS = json.dumps([[0] * 4] * 4)


@needs("formats")
@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("json", f"[{RECORD}]"),
        ("json", f"[{DEEP}]"),
        ("jsonl", f"{RECORD}\n"),
        ("pycsp3", f'{{"n": 4, "clues": {JSON_ROWS}, "clues": {JSON_ROWS}}}'),
        ("fpuzzles", "load=" + "N4IgzglgXgpiBcACALAGkeackE50gHMAnCAEwUQG0BdAXyA="),
    ],
)
def test_a_repeated_key_is_an_error(name: str, text: str) -> None:
    with pytest.raises(PuzzleError, match=r"the key '\w+' occurs twice"):
        list(format_named(name).read(TextSource.of_text(text, "p"), ReadSettings()))
