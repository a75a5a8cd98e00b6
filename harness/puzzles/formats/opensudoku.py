"""The files of OpenSudoku: games in XML, perhaps in folders."""

import re
from collections.abc import Iterable, Iterator
from typing import Final
from xml.sax.saxutils import escape, quoteattr

from harness.errors import PuzzleError
from harness.puzzles.formats.format import Format, Head, Reading, only_plain
from harness.puzzles.formats.line import read_cells
from harness.puzzles.formats.source import Line, ParsedPuzzle
from harness.puzzles.formats.stream import Source
from harness.puzzles.formats.xml import Element, elements
from harness.puzzles.shape import Shape

_NAME: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_.-]*")
_ABOUT: Final = (
    *("name", "author", "description", "comment", "created", "source", "level", "sourceURL"),
)


def _games(source: Source) -> Iterator[tuple[int, Element, dict[str, str]]]:
    number = 0
    about: dict[str, str] = {}
    for element in elements(source):
        if element.name == "game":
            number += 1
            yield number, element, dict(about)
        elif element.name in _ABOUT and len(element.parents) == 1 and element.text.strip():
            about[f"file_{element.name}"] = element.text.strip()
        if not element.parents and element.name != "opensudoku":
            raise PuzzleError(
                f"the element {element.name[:40]!r}", where=element.where, expected="opensudoku"
            )


def _parse(item: tuple[int, Element, dict[str, str]], reading: Reading) -> ParsedPuzzle:
    number, element, fields = item
    data = element.attributes.get("data", "").strip()
    if len(data) != 81:
        raise PuzzleError(
            f"a game of {len(data)} cells", where=element.where, expected='data="..." of 81 digits'
        )
    try:
        chosen = Reading(reading.shape or Shape.parse("9x9"))
        puzzle = read_cells(Line(data, 1, 0, ""), chosen)
    except PuzzleError as error:
        raise error.at(element.where) from None
    folders = [parent.attributes.get("name", "") for parent in element.parents]
    if folder := "/".join(filter(None, folders)):
        fields["folder"] = folder
    others = {
        key: value for key, value in element.attributes.items() if key not in ("data", "name")
    }
    name = element.attributes.get("name", "").strip() or str(number)
    return ParsedPuzzle(puzzle, element.where, name, fields=fields | others)


def _read(source: Source, reading: Reading) -> Iterator[ParsedPuzzle]:
    return reading.each(_games(source), lambda item: _parse(item, reading))


def _write(puzzles: Iterable[ParsedPuzzle]) -> Iterator[str]:
    yield '<?xml version="1.0" encoding="UTF-8"?>\n<opensudoku>\n'
    about: dict[str, str] | None = None
    for parsed in puzzles:
        given = {k: v for k, v in parsed.fields.items() if k.startswith("file_")}
        if about is None:
            about = given
            for key, value in about.items():
                name = key.removeprefix("file_")
                yield f"<{name}>{escape(value)}</{name}>\n"
        if given != about:
            raise PuzzleError(
                "other information on the file", where=parsed.place, expected="that of the first"
            )
        attributes = {"name": parsed.name}
        attributes |= {k: v for k, v in parsed.fields.items() if k not in ("folder", *about)}
        attributes["data"] = parsed.puzzle.line.replace(".", "0")
        game = " ".join(f"{key}={quoteattr(value)}" for key, value in attributes.items())
        folder = parsed.fields.get("folder")
        start, end = (f"<folder name={quoteattr(folder)}>", "</folder>") if folder else ("", "")
        yield f"{start}<game {game}/>{end}\n"
    yield "</opensudoku>\n"


def _can_hold(parsed: ParsedPuzzle) -> str | None:
    for key, value in parsed.fields.items():
        bare = key.removeprefix("file_")
        if (
            not _NAME.fullmatch(key)
            or key in ("name", "data")
            or (key != bare and bare not in _ABOUT)
        ):
            return f"holds no field {key[:40]!r}"
        if not value.isprintable() or not value or value != value.strip():
            return "holds printable texts without blanks around them only"
    if not parsed.name.isprintable() or not parsed.name or parsed.name != parsed.name.strip():
        return "holds printable names without blanks around them only"
    return only_plain("9x9", parsed)


def _detect(head: Head) -> bool:
    return any("<opensudoku" in line.text for line in head.rows)


FORMAT: Final = Format(
    name="opensudoku",
    title="OpenSudoku: games in XML",
    read=_read,
    write=_write,
    can_hold=_can_hold,
    detect=_detect,
    suffixes=(".opensudoku",),
    keeps=frozenset({"name", "fields"}),
    holds="9x9",
)
