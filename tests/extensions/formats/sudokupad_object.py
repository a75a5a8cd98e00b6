"""Objects of SudokuPad, and their shortened JSON, for tests."""

import json
import re
from typing import Any

from harness.extensions.formats.fpuzzles import compress
from harness.puzzles import Puzzle


def shorten(value: Any) -> str:
    """The shortened JSON of `value`, by the description of SudokuPad's puzzle zipper."""
    text = json.dumps(value, separators=(",", ":"))
    # A text of its own marks each string, so that the patterns below see none of them.
    strings: list[str] = []

    def mark(match: re.Match[str]) -> str:
        strings.append(match[0])
        return f"\0{len(strings) - 1}\0"

    text = re.sub(r'"(?:[^"\\]|\\.)*"', mark, text)
    text = re.sub(r"([,\[])\{\}(?=[,\]])", r"\1", text)
    text = re.sub(r":false(?=[,}])", ":f", text)
    text = re.sub(r":true(?=[,}])", ":t", text)

    def restore(match: re.Match[str]) -> str:
        string = strings[int(match[1])]
        is_name = text[match.end() : match.end() + 1] == ":"
        if is_name and re.fullmatch('"[A-Za-z0-9]+"', string):
            return string[1:-1]
        content = string[1:-1].replace('\\"', '"')
        return "'" + content.replace("'", "\\'").replace('"', "\\'") + "'"

    return re.sub("\0([0-9]+)\0", restore, text)


def object_of(puzzle: Puzzle, **further: Any) -> dict[str, Any]:
    """An object of SudokuPad with the givens and boxes of a puzzle, and `further` properties."""
    size = puzzle.shape.size
    boxes = [house.cells for house in puzzle.shape.houses if house.kind in ("box", "region")]
    cells = [{"v": value} if value else {} for value in puzzle.givens]
    return {
        "id": "x",
        "cs": 50,
        "ce": [cells[at : at + size] for at in range(0, size**2, size)],
        "re": [[list(divmod(cell, size)) for cell in box] for box in boxes],
        **further,
    }


def link_of(data: dict[str, Any]) -> str:
    """A link with the whole object."""
    return f"https://sudokupad.app/scl{compress(shorten(data))}"
