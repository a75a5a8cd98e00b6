"""Lists of cells, values and houses in the words of reasons."""

from collections.abc import Iterable, Sequence

from harness.puzzles.house import House
from harness.puzzles.shape import Shape
from harness.puzzles.symbols import symbol_of


def listed(parts: Sequence[str]) -> str:
    """The parts as a list in English: ``a``, ``a and b``, ``a, b and c``."""
    return " and ".join([", ".join(parts[:-1]), parts[-1]] if len(parts) > 1 else parts)


def cell_names(cells: Iterable[int], shape: Shape) -> str:
    """The names of `cells`: ``R1C1 and R1C2``."""
    return listed([shape.cell_name(cell) for cell in cells])


def symbols(values: Iterable[int]) -> str:
    """The symbols of `values`: ``1, 2 and A``."""
    return listed([symbol_of(value) for value in values])


def lines(houses: Sequence[House]) -> str:
    """Several houses: ``rows 2 and 5``, or ``row 2 and house 5`` if their kinds differ."""
    kinds = {house.kind for house in houses}
    if len(kinds) > 1:
        return listed(list(map(str, houses)))
    return f"{kinds.pop()}s {listed([str(house.number) for house in houses])}"
