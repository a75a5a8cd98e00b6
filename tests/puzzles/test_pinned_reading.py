"""What readers make of damaged files stays as it is, message by message.

`pinned/FORMAT.txt` has a line for each of some damaged files: what its reader makes of it, or
what detection and reading do. ``python -m tests.puzzles.test_pinned_reading`` writes the files
again; read the difference before you commit it, because users read these messages.
"""

import random
from collections.abc import Iterator
from pathlib import Path

import pytest

from harness.errors import PuzzleError
from harness.puzzles.formats import Format
from tests.puzzles.test_mutated_files import FORMATS, mutated, mutated_payload, read, written

PINNED = Path(__file__).with_name("pinned")
FILES = 40
"""Damaged files of each format."""


def outcomes(format_: Format) -> Iterator[str]:
    """A line for each damaged file, always the same files."""
    rng = random.Random(f"pinned {format_.name}")
    for number in range(FILES):
        original = written(rng, format_)
        payload = format_.name in ("fpuzzles", "sudokupad") and number % 2
        text = mutated_payload(rng, original) if payload else mutated(rng, original)
        used, found = read(text, None, format_ if number % 4 else None)
        if isinstance(found, PuzzleError):
            outcome = str(found)
        else:
            outcome = "; ".join(
                f"{one.place} {one.name} {one.puzzle.shape} {one.puzzle.id} "
                f"{one.expected_count and one.expected_count.text} "
                f"{one.source} {dict(one.fields)}"
                for one in found
            )
        yield f"{used.name}: {outcome}".encode("unicode_escape").decode()


@pytest.mark.long
@pytest.mark.parametrize("format_", FORMATS, ids=lambda of: of.name)
def test_damaged_files_are_read_as_before(format_: Format) -> None:
    pinned = (PINNED / f"{format_.name}.txt").read_text().splitlines()
    assert list(outcomes(format_)) == pinned


if __name__ == "__main__":
    for format_ in FORMATS:
        lines = "".join(f"{line}\n" for line in outcomes(format_))
        (PINNED / f"{format_.name}.txt").write_text(lines)
