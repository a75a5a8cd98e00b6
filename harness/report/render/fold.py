"""Layout of a table in a terminal: columns that do not fit stand in further parts.

No column is left out at any width. Each part repeats the columns that label the rows.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from rich.cells import cell_len

_NARROWEST: Final = 8
"""Least width of a column of text that is wrapped."""


@dataclass(frozen=True, slots=True)
class Cells:
    """The texts of a column, and how it may be laid out."""

    title: str
    texts: Sequence[str]
    is_label: bool
    """Whether the column labels the rows, so that every part has it."""
    wraps: bool
    """Whether its texts may be wrapped."""
    block: str = ""
    """Columns of the same block stay in one part if possible."""

    @property
    def width(self) -> int:
        """The width of the longest text."""
        return max(map(cell_len, (self.title, *self.texts)))

    @property
    def least(self) -> int:
        """The least width of the column."""
        return min(self.width, max(_NARROWEST, cell_len(self.title))) if self.wraps else self.width


@dataclass(frozen=True, slots=True)
class Part:
    """A part of a table: positions of columns with their widths."""

    columns: tuple[int, ...]
    widths: tuple[int, ...]


def parts(columns: Sequence[Cells], width: int) -> list[Part]:
    """Divide a table into parts of at most `width` columns of the terminal.

    Columns have a blank between them. Texts wrap if nothing else fits; a number that is wider
    than the terminal keeps its width, and labels never get narrower than their titles.
    """
    everything = tuple(range(len(columns)))
    if _total(columns[n].width for n in everything) <= width:
        return [Part(everything, tuple(columns[n].width for n in everything))]
    last = max((n for n in everything if columns[n].is_label), default=0)
    labels, others = everything[: last + 1], everything[last + 1 :]
    named = [columns[n] for n in labels]
    if others:
        # Labels on two lines are easier to read than a table in two parts.
        own = _widened([columns[n] for n in others], 0)
        widths = _label_widths(named, width - _total(own) - 1)
        halves = all(2 * w >= label.width for w, label in zip(widths, named, strict=True))
        if halves and _total([*widths, *own]) <= width:
            own = _widened([columns[n] for n in others], width - _total(widths) - 1)
            return [Part(everything, (*widths, *own))]
    widest = max((columns[n].least for n in others), default=-1)
    widths = _label_widths(named, min(width // 2 if others else width, width - widest - 1))
    room = width - _total(widths) - 1
    found = []
    for chosen in _divided([columns[n] for n in others], room):
        positions = [others[n] for n in chosen]
        own = _widened([columns[n] for n in positions], room)
        found.append(Part((*labels, *positions), (*widths, *own)))
    return found or [Part(labels, tuple(widths))]


def _total(widths: Iterable[int]) -> int:
    """The width of columns with a blank between them."""
    every = list(widths)
    return sum(every) + len(every) - 1


def _label_widths(labels: Sequence[Cells], most: int) -> list[int]:
    """Widths of labels that take up at most `most` in all, if their least widths allow that."""
    widths = [label.width for label in labels]
    while _total(widths) > most:
        shrinkable = [n for n, w in enumerate(widths) if w > labels[n].least]
        if not shrinkable:
            break
        widths[max(shrinkable, key=lambda n: widths[n])] -= 1
    return widths


def _divided(columns: Sequence[Cells], room: int) -> list[tuple[int, ...]]:
    """The positions of the columns of each part.

    Of all divisions into parts of at most `room` it is one with the fewest parts, then with the
    fewest blocks cut, then with the narrowest widest part. A column wider than `room` is alone.
    """
    # For each number of columns the cost of their best division, and where its last part begins.
    best: list[tuple[tuple[int, int, int], int]] = [((0, 0, 0), 0)]
    for end in range(1, len(columns) + 1):
        found = []
        for begin in range(end - 1, -1, -1):
            width = _total(column.least for column in columns[begin:end])
            if width > room and end - begin > 1:
                break
            (count, cut, widest), _ = best[begin]
            cuts_block = begin > 0 and columns[begin - 1].block == columns[begin].block
            found.append(((count + 1, cut + cuts_block, max(widest, width)), begin))
        best.append(min(found))
    chosen: list[tuple[int, ...]] = []
    end = len(columns)
    while end:
        begin = best[end][1]
        chosen.insert(0, tuple(range(begin, end)))
        end = begin
    return chosen


def _widened(columns: Sequence[Cells], room: int) -> list[int]:
    """The widths of the columns of a part: wrapped texts get the room that is left."""
    widths = [column.least for column in columns]
    while _total(widths) < room:
        short = [n for n, w in enumerate(widths) if w < columns[n].width]
        if not short:
            break
        widths[min(short, key=lambda n: widths[n])] += 1
    return widths
