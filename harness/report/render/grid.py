"""Lines of a table for a terminal, from the texts and widths of its columns."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import zip_longest

from rich.cells import cell_len
from rich.console import Console
from rich.text import Text

from harness.report.style import Style, Theme


@dataclass(frozen=True, slots=True)
class GridColumn:
    """A column: its title, the texts of its cells and how they look."""

    title: str
    texts: Sequence[str]
    styles: Sequence[Style]
    width: int
    """In columns of the terminal; a longer text goes on in further lines."""
    is_number: bool
    """Whether its texts are aligned to the right and have one line each."""

    def aligned(self, text: str) -> str:
        """The text with blanks up to the width."""
        blanks = " " * (self.width - cell_len(text))
        return blanks + text if self.is_number else text + blanks

    def lines(self, text: str) -> list[str]:
        """The text in lines of at most the width."""
        if self.is_number or cell_len(text) <= self.width:
            return [text]
        found = Text(text).wrap(Console(), self.width, overflow="fold")
        return [line.plain for line in found]


def lines(columns: Sequence[GridColumn], theme: Theme) -> Iterator[str]:
    """The titles, a rule and the rows, with a blank between columns."""
    yield " ".join(theme.styled(column.aligned(column.title), Style.GIVEN) for column in columns)
    width = sum(column.width for column in columns) + len(columns) - 1
    yield ("\u2500" if theme.unicode else "-") * width
    texts = zip(*(column.texts for column in columns), strict=True)
    styles = zip(*(column.styles for column in columns), strict=True)
    for row, looks in zip(texts, styles, strict=True):
        cells = [column.lines(text) for column, text in zip(columns, row, strict=True)]
        for parts in zip_longest(*cells, fillvalue=""):
            yield " ".join(
                theme.styled(column.aligned(part), look)
                for column, part, look in zip(columns, parts, looks, strict=True)
            )
