"""Random variants: constraints of every kind that hold in a grid."""

import random
from collections.abc import Iterator, Sequence
from itertools import product

from harness.errors import PuzzleError
from harness.puzzles import Puzzle, Shape
from harness.puzzles.kinds import KINDS, Constraint
from harness.puzzles.symmetry import Scramble
from harness.records.judge import fault_of_grid

GRIDS = {
    4: "1234341221434321",
    6: "123456456123214365365214531642642531",
    9: "483921657967345821251876493548132976729564138136798245372689514814253769695417382",
}
OUTSIDE = ("sandwich", "x-sum", "skyscraper", "numbered-room")
OF_TWO = ("difference", "ratio", "xv", "greater")


def grid_of(shape: Shape, seed: int) -> tuple[int, ...]:
    """A random complete grid of a shape of boxes."""
    return Scramble.of(shape, seed).grid([int(symbol) for symbol in GRIDS[shape.size]])


def variant(shape: Shape, kinds: Sequence[str], seed: int) -> tuple[Shape, tuple[int, ...]]:
    """The shape with a random constraint of each kind if it can hold, and a grid that keeps all."""
    source = random.Random(seed)
    grid = grid_of(shape, seed)
    made = shape
    for kind in kinds:
        for _ in range(40):
            of = constraint(kind, grid, source)
            try:
                further = made.constrained([of]) if of else made
            except PuzzleError:
                continue
            if fault_of_grid(Puzzle(further, (0,) * len(grid)), grid) is None:
                made = further
                break
    return made, grid


def givens(grid: Sequence[int], number: int, seed: int) -> tuple[int, ...]:
    """Some cells of a grid."""
    kept = random.Random(seed).sample(range(len(grid)), number)
    return tuple(value if cell in kept else 0 for cell, value in enumerate(grid))


def neighbours(cell: int, size: int) -> Iterator[int]:
    """The cells that touch a cell, at corners too."""
    row, column = divmod(cell, size)
    for down, right in product((-1, 0, 1), repeat=2):
        if (down or right) and 0 <= row + down < size and 0 <= column + right < size:
            yield cell + down * size + right


def walk(size: int, length: int, source: random.Random) -> tuple[int, ...]:
    """Cells along a line, at most this number."""
    cells = [source.randrange(size * size)]
    while len(cells) < length:
        after = [cell for cell in neighbours(cells[-1], size) if cell not in cells]
        if not after:
            break
        cells.append(source.choice(after))
    return tuple(cells)


def constraint(kind: str, grid: Sequence[int], source: random.Random) -> Constraint | None:
    """A random constraint of a kind, whose value mostly fits the grid."""
    size = round(len(grid) ** 0.5)
    of = KINDS[kind]
    if not of.least_lists:
        return Constraint(kind)
    lists = _lists(kind, size, source)
    if any(len(cells) < max(1, of.least_cells) for cells in lists):
        return None
    values = [grid[cell] for cells in lists for cell in cells]
    counted = kind == "count-distinct" and len(lists) > 1
    return Constraint(kind, "" if counted else _value(kind, values, size, source), lists)


def _lists(kind: str, size: int, source: random.Random) -> tuple[tuple[int, ...], ...]:
    if kind in OUTSIDE:
        line = source.randrange(size)
        cells = range(line * size, line * size + size)
        if source.random() < 0.5:
            cells = range(line, size * size, size)
        return (tuple(cells)[:: source.choice((1, -1))],)
    if kind in OF_TWO:
        cell = source.choice([c for c in range(size * size) if (c + 1) % size])
        return ((cell, cell + 1)[:: source.choice((1, -1))],)
    if kind == "quadruple":
        row, column = source.randrange(size - 1), source.randrange(size - 1)
        corner = row * size + column
        return ((corner, corner + 1, corner + size, corner + size + 1),)
    if kind == "little-killer":
        column = source.randrange(1, size)
        return (tuple(column + at * (size - 1) for at in range(column + 1)),)
    line_of_cells = walk(size, source.randrange(2, 6), source)
    if kind == "arrow" or (kind == "count-distinct" and source.random() < 0.5):
        return line_of_cells[:1], line_of_cells[1:]
    if KINDS[kind].least_lists == 2:
        half = len(line_of_cells) // 2
        return line_of_cells[:half], line_of_cells[half : 2 * half]
    return (line_of_cells,)


def _value(kind: str, values: Sequence[int], size: int, source: random.Random) -> str:
    total, first = sum(values), values[0]
    every = f"{(1 << size) - 1:x}"
    known = {
        "killer": [str(total), f"{total},{total + 1}", ""],
        "sum": [str(total), f"{2 * first - total}*1,{','.join(['-1'] * (len(values) - 1))}"],
        "little-killer": [str(total)],
        "difference": [str(abs(first - values[-1]))],
        "ratio": ["", "2", "3"],
        "xv": ["x", "v"],
        "whisper": ["", "1", "2"],
        "modular": ["", "2"],
        "lockout": ["1", "2", "3"],
        "sum-line": [str(total)],
        "count-distinct": [str(len(set(values)))],
        "lunchbox": [str(number) for number in range(size * 2)],
        "skyscraper": [str(number) for number in range(1, size + 1)],
        "sandwich": [str(number) for number in range(size * size // 2)],
        "x-sum": [str(sum(values[:first]))],
        "numbered-room": [str(values[min(first, len(values)) - 1])],
        "automaton": [f"{every}>1,{every}>0!", f"{every}>0!"],
        "pair": [",".join(f"{source.randrange(1, 1 << size):x}" for _ in range(size))],
    }
    known["pairs"] = known["pair"]
    if kind in ("quadruple", "contains"):
        return ",".join(map(str, sorted(source.sample(list(values), 2))))
    if kind == "contains-exactly":
        return ",".join([str(first)] * values.count(first))
    return source.choice(known.get(kind, [""]))
