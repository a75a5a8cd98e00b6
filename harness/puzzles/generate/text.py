"""Generated puzzles as text: lines, or records in TOML or JSON.

A header states the command, the version of the harness and the seed, so that the same
command makes the same file again.
"""

import json
from collections.abc import Iterable, Iterator
from typing import Final

from harness.errors import PuzzleError
from harness.puzzles.formats.directives import directives
from harness.puzzles.formats.line import may_be_row
from harness.puzzles.formats.text import parse_puzzle
from harness.puzzles.generate.request import Generated
from harness.puzzles.shape import Shape

RECORDS: Final = (".toml", ".json")
"""The suffixes of files with records; others have lines."""


def text_of(
    puzzles: Iterable[Generated], shape: Shape, suffix: str, header: Iterable[str]
) -> Iterator[str]:
    """The text of these puzzles, part by part, as `suffix` determines its form.

    Args:
        puzzles: the puzzles, all of the same shape.
        shape: their shape.
        suffix: ``.toml`` and ``.json`` for records, anything else for lines.
        header: lines about the file, for comments.
    """
    if suffix == ".json":
        return _json(puzzles, header)
    if suffix == ".toml":
        return _toml(puzzles, header)
    return _lines(puzzles, shape, header)


def _lines(puzzles: Iterable[Generated], shape: Shape, header: Iterable[str]) -> Iterator[str]:
    for line in header:
        yield f"# {line}\n"
    described = False
    for generated in puzzles:
        line = generated.puzzle.line
        if not described and (
            shape.size > 9 or may_be_row(shape) or not _is_read_back(line, shape)
        ):
            yield directives(shape, named=True)
        described = True
        yield f"{line}\n"


def _is_read_back(line: str, shape: Shape) -> bool:
    """Whether a line gives its shape by its length."""
    try:
        return parse_puzzle(line).shape == shape
    except PuzzleError:
        return False


def _toml(puzzles: Iterable[Generated], header: Iterable[str]) -> Iterator[str]:
    for line in header:
        yield f"# {line}\n"
    for generated in puzzles:
        yield "\n[[puzzle]]\n"
        for key, value in _record(generated).items():
            # A string of JSON without characters beyond ASCII is one of TOML.
            yield f"{key} = {json.dumps(value)}\n"


def _json(puzzles: Iterable[Generated], header: Iterable[str]) -> Iterator[str]:
    yield f'{{\n  "comment": {json.dumps(list(header))},\n  "puzzle": ['
    between = "\n    "
    for generated in puzzles:
        yield between + json.dumps(_record(generated))
        between = ",\n    "
    yield "\n  ]\n}\n"


def _record(generated: Generated) -> dict[str, str | int]:
    puzzle, expected = generated.puzzle, generated.expected_count
    record: dict[str, str | int] = {
        "id": generated.number,
        "puzzle": puzzle.line,
        "shape": puzzle.shape.definition,
    }
    if expected is not None:
        record["solutions"] = expected.count if expected.exact else f">={expected.count}"
        if expected.solution is not None:
            record["solution"] = expected.solution
    return record
