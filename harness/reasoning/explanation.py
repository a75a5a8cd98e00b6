"""Conclusions as sentences."""

from collections.abc import Iterable, Sequence

from harness.puzzles.shape import Shape
from harness.puzzles.symbols import symbol_of
from harness.reasoning.conclusion import Conclusion, Placement


def sentence(conclusion: Conclusion, shape: Shape) -> str:
    """A conclusion with its reason: ``R7C2 is 4: no other cell of row 7 can be 4``."""
    return f"{statement(conclusion, shape)}: {conclusion.reason.words(shape)}"


def statement(conclusion: Conclusion, shape: Shape) -> str:
    """A conclusion without its reason: ``R7C2 is 4``, ``R1C3 is not 7; R2C1 is not 8``."""
    if isinstance(conclusion, Placement):
        return f"{shape.cell_name(conclusion.cell)} is {symbol_of(conclusion.value)}"
    return "; ".join(
        f"{all_of(map(shape.cell_name, cells))} {'is' if len(cells) == 1 else 'are'} "
        f"not {any_of(map(symbol_of, values))}"
        for values, cells in _grouped(conclusion.candidates).items()
    )


def all_of(names: Iterable[str]) -> str:
    """Names in a row: ``R1C1, R1C2 and R1C3``."""
    return _joined(list(names), "and")


def any_of(names: Iterable[str]) -> str:
    """Alternatives in a row: ``3, 7 or 8``."""
    return _joined(list(names), "or")


def _joined(names: Sequence[str], word: str) -> str:
    return f" {word} ".join(filter(None, [", ".join(names[:-1]), names[-1]]))


def _grouped(candidates: Iterable[tuple[int, int]]) -> dict[tuple[int, ...], list[int]]:
    """The cells that lose the same values, by these values."""
    values: dict[int, list[int]] = {}
    for cell, value in candidates:
        values.setdefault(cell, []).append(value)
    cells: dict[tuple[int, ...], list[int]] = {}
    for cell, of in values.items():
        cells.setdefault(tuple(of), []).append(cell)
    return cells
