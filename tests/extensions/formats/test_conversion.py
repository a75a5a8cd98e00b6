"""Conversion from one format to another: what is left out, and collections that come back."""

import json
from pathlib import Path

import pytest

from harness.puzzles.formats import ParsedPuzzle, ReadSettings, stream_file
from harness.puzzles.formats.reading import MOST_LISTED, Input, convert, format_named, format_names
from tests.puzzles.example import LINE, SOLUTION

# What a conversion reports as left out is what reading the new file no longer finds.


RECORDS: list[dict[str, object]] = [
    {"id": "1", "puzzle": LINE},
    {"id": "1", "puzzle": LINE, "solutions": 1, "solution": SOLUTION},
    {"id": "1", "puzzle": "." * 81, "solutions": ">=1000"},
    {"id": "one", "puzzle": LINE},
    {"id": "1", "puzzle": LINE, "source": "a book"},
    {"id": "1", "puzzle": LINE, "rating": "7.1"},
    {"id": "0123456789ab", "puzzle": LINE, "rating": "7.1"},
    {
        "id": "two",
        "puzzle": LINE,
        "solutions": 1,
        "solution": SOLUTION,
        "source": "a book",
        "rating": "7.1",
        "level": "easy",
    },
]


@pytest.mark.parametrize(
    ("kept", "text"),
    [("author", "a line\nbreak"), ("author", "two  blanks"), ("id", "two  blanks")],
)
def test_f_puzzles_refuses_texts_that_it_would_change(tmp_path: Path, kept: str, text: str) -> None:
    record = {"id": "one", "puzzle": LINE} | {kept: text}
    path = tmp_path / "p.json"
    path.write_text(json.dumps([record]))
    (parsed,) = stream_file(str(path), ReadSettings())
    fpuzzles = format_named("fpuzzles")
    assert {"id": parsed.name, **parsed.fields}[kept] == text
    assert (
        fpuzzles.can_hold(parsed) == "needs a name, and texts without line breaks or double blanks"
    )


NOT_ALL = ("bank", "counted", "killer")
"""Formats that hold only puzzles with a rating, with a number of solutions, or with cages."""


def information(parsed: ParsedPuzzle, number: int) -> dict[str, str]:
    """All that is known beside the puzzle, by its kind or the name of its field."""
    count = parsed.expected_count
    items = {} if parsed.name == str(number) else {"name": parsed.name}
    if count is not None and count.solution is not None:
        items["solution"] = count.solution
    elif count is not None:
        items["count"] = str(count)
    if parsed.source is not None:
        items["source"] = parsed.source
    return items | dict(parsed.fields)


ALL = len(RECORDS) - 1
"""The record with every kind of information."""


@pytest.mark.parametrize(
    ("name", "number"),
    [
        *((name, ALL) for name in format_names()),
        *((name, number) for name in ("csv", "euler", "bank", "counted") for number in range(ALL)),
    ],
)
def test_what_is_reported_is_what_is_lost(name: str, number: int, tmp_path: Path) -> None:
    to = format_named(name)
    source = tmp_path / "from.json"
    source.write_text(json.dumps([RECORDS[number]]))
    (before,) = stream_file(str(source), ReadSettings())
    if to.can_hold(before) is not None:
        assert name in NOT_ALL
        return
    target = tmp_path / "to.txt"
    done = convert(Input(str(source)), str(target), to)
    (after,) = stream_file(str(target), ReadSettings(), name)
    had, has = information(before, 1), information(after, 1)
    losses = {kind for kind in had if had[kind] != has.get(kind)}
    assert dict(done.left_out) == dict.fromkeys(losses, 1)


def test_each_kind_of_loss_is_counted_over_all_puzzles(tmp_path: Path) -> None:
    source = tmp_path / "from.json"
    source.write_text(json.dumps([{"id": "a", "puzzle": LINE, "rating": str(n)} for n in range(3)]))
    done = convert(Input(str(source)), str(tmp_path / "to.sdm"), format_named("sdm"))
    assert dict(done.left_out) == {"name": 3, "rating": 3}


@pytest.mark.parametrize("order", [(0, 1, 2), (2, 1, 0), (1, 0, 2)])
def test_puzzles_without_some_fields_keep_the_others_in_lines_of_forums(
    order: tuple[int, ...], tmp_path: Path
) -> None:
    fields = [{"label": "x"}, {"rating": "2"}, {"rating": "3", "label": "z"}]
    source = tmp_path / "from.json"
    source.write_text(json.dumps([{"puzzle": LINE} | fields[at] for at in order]))
    convert(Input(str(source)), str(tmp_path / "to"), format_named("forum"))
    puzzles = stream_file(str(tmp_path / "to"), ReadSettings())
    assert [dict(parsed.fields) for parsed in puzzles] == [fields[at] for at in order]


# Collections from elsewhere go through every format that holds them and come back equal.


def test_a_bounded_number_of_fields_is_counted(tmp_path: Path) -> None:
    source = tmp_path / "from.json"
    records = [{"puzzle": LINE, f"field{n}": "x"} for n in range(MOST_LISTED + 5)] * 2
    source.write_text(json.dumps(records))
    done = convert(Input(str(source)), str(tmp_path / "to.sdm"), format_named("sdm"))
    assert dict(done.left_out) == {f"field{n}": 2 for n in range(MOST_LISTED)}
