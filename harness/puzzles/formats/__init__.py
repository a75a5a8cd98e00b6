"""Puzzle formats: reading with the position of every error, and writing.

Each module handles one format. `read_file` and `stream_file` detect it; `read_text` reads
lines and grids.
"""

from typing import TYPE_CHECKING

from harness.base.plugins import lazily

if TYPE_CHECKING:
    from harness.puzzles.formats.format import (
        Format,
        Head,
        ReadSettings,
        Symbols,
        is_printable,
        letters_only,
        no_pencilmarks,
        only_of,
        only_plain,
        parts_of,
        warn,
        with_candidates,
    )
    from harness.puzzles.formats.grids import (
        grid_text,
        number_in_cell,
        parse_puzzle,
        read_grid,
        read_grids,
    )
    from harness.puzzles.formats.lines import (
        SHAPE,
        by_length,
        directives,
        may_be_row,
        placed_field,
        placed_problem,
        read_cells,
        read_each_line,
        read_lines,
        read_solution,
        solution_line,
        write_each_line,
    )
    from harness.puzzles.formats.reading import (
        Conversion,
        Input,
        convert,
        detect_format,
        format_named,
        loadable,
        names,
        read_file,
        stream_file,
    )
    from harness.puzzles.formats.records import FIELDS, JSON_LINES
    from harness.puzzles.formats.stream import (
        ParsedPuzzle,
        TextLine,
        TextSource,
        located,
    )

__all__ = [
    "FIELDS",
    "JSON_LINES",
    "SHAPE",
    "Conversion",
    "Format",
    "Head",
    "Input",
    "ParsedPuzzle",
    "ReadSettings",
    "Symbols",
    "TextLine",
    "TextSource",
    "by_length",
    "convert",
    "detect_format",
    "directives",
    "format_named",
    "grid_text",
    "is_printable",
    "letters_only",
    "loadable",
    "located",
    "may_be_row",
    "names",
    "no_pencilmarks",
    "number_in_cell",
    "only_of",
    "only_plain",
    "parse_puzzle",
    "parts_of",
    "placed_field",
    "placed_problem",
    "read_cells",
    "read_each_line",
    "read_file",
    "read_grid",
    "read_grids",
    "read_lines",
    "read_solution",
    "solution_line",
    "stream_file",
    "warn",
    "with_candidates",
    "write_each_line",
]

if not TYPE_CHECKING:
    __getattr__, __dir__ = lazily(__name__, __file__)
