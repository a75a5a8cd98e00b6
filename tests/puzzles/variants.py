"""Random variants: constraints of every kind that hold in a grid."""

import random
from collections.abc import Sequence

from harness.base.errors import PuzzleError
from harness.puzzles import Puzzle, Shape
from harness.puzzles.constraints.kinds import KINDS, Constraint
from harness.puzzles.symmetry import Scramble
from harness.records.judging import fault_of_grid

GRIDS = {
    4: "1234341221434321",
    6: "123456456123214365365214531642642531",
    9: "483921657967345821251876493548132976729564138136798245372689514814253769695417382",
}
OUTSIDE = ("sandwich", "x-sum", "skyscraper", "numbered-room")
OF_TWO = ("difference", "ratio", "xv", "greater")
DIFFERENT = (
    *("killer", "renban", "distinct", "contains", "contains-exactly", "counting-circles"),
    *("arrow", "equal-sums", "same-values", "region-sum", "lunchbox"),
)
"""Kinds whose cells are different here."""


def grid_of(shape: Shape, seed: int) -> tuple[int, ...]:
    """A random complete grid of a shape of boxes."""
    return Scramble.from_seed(shape, seed).grid([int(symbol) for symbol in GRIDS[shape.size]])


def variant(shape: Shape, kinds: Sequence[str], seed: int) -> tuple[Shape, tuple[int, ...]]:
    """The shape with a random constraint of each kind if it can hold, and a grid that keeps all."""
    source = random.Random(seed)
    grid = grid_of(shape, seed)
    result = shape
    for kind in kinds:
        for _ in range(40 if KINDS[kind].least_lists else 1):
            candidate = constraint(kind, grid, source)
            try:
                further = result.with_constraints([candidate])
            except PuzzleError:
                continue
            if fault_of_grid(Puzzle(further, (0,) * len(grid)), grid) is None:
                result = further
                break
    return result, grid


def givens(grid: Sequence[int], number: int, seed: int) -> tuple[int, ...]:
    """Some cells of a grid."""
    cells = random.Random(seed).sample(range(len(grid)), number)
    return tuple(value if cell in cells else 0 for cell, value in enumerate(grid))


def kinds_of(shape: Shape) -> list[str]:
    """The kinds that can stand in a shape."""
    without = {"entropic"} if shape.size % 3 else set()
    if not any(shape.region_of):
        without |= {"region-sum", "box-indexer"}
    return [kind for kind in KINDS if kind not in without]


def constraint(
    kind: str, grid: Sequence[int], source: random.Random, cells: Sequence[int] = ()
) -> Constraint:
    """A random constraint of a kind on these cells or any, whose value mostly fits the grid."""
    lists = (
        _lists_of(kind, cells, source) if cells else _lists(kind, round(len(grid) ** 0.5), source)
    )
    return Constraint(
        kind, _value(kind, [[grid[c] for c in cells] for cells in lists], max(grid), source), lists
    )


def _lists(kind: str, size: int, source: random.Random) -> tuple[tuple[int, ...], ...]:
    has = KINDS[kind]
    if not has.least_lists:
        return ()
    if kind in OUTSIDE:
        line = source.randrange(size)
        lines = range(line * size, line * size + size), range(line, size * size, size)
        return (tuple(source.choice(lines))[:: source.choice((1, -1))],)
    if kind in OF_TWO:
        cell, step = source.randrange(size * size - size), source.choice((1, size))
        if step == 1:
            cell += cell // (size - 1)  # not the last one of its row
        return ((cell, cell + step)[:: source.choice((1, -1))],)
    if kind == "quadruple":
        corner = source.randrange(size - 1) * size + source.randrange(size - 1)
        return ((corner, corner + 1, corner + size, corner + size + 1),)
    if kind == "little-killer":
        column = source.randrange(1, size)
        return (tuple(column + at * (size - 1) for at in range(column + 1)),)
    number = source.randint(max(has.least_cells, min(2, has.most_cells or 2)), 5)
    if kind in ("count-distinct", "counting-circles", "contains", "contains-exactly"):
        cells = tuple(source.sample(range(size * size), number))
        is_split = kind == "count-distinct" and len(cells) > 1 and source.random() < 0.5
        return (cells[:1], cells[1:]) if is_split else (cells,)
    walk = _walk(size, 6 if has.least_lists == 2 else number, kind in DIFFERENT, source)
    if kind == "arrow":
        circle = source.choice((1, 1, 1, 2))
        return tuple(sorted(walk[:circle])), walk[circle:number]
    if has.least_lists == 2:
        parts = source.choice((2, 2, 3)) if has.most_lists is None else 2
        return tuple(walk[at::parts] for at in range(parts))
    if has.most_lists is None and source.random() < 0.3:
        return walk, _walk(size, number, False, source)
    return (walk,)


def _lists_of(
    kind: str, cells: Sequence[int], source: random.Random
) -> tuple[tuple[int, ...], ...]:
    """These cells, often in another order, as the lists that a kind has; as many as it takes."""
    has = KINDS[kind]
    order = list(cells)
    if source.random() < 0.5:
        source.shuffle(order)
    order = order[: has.most_cells]
    if not has.least_lists:
        return ()
    if kind == "arrow":
        circle = source.choice((1, 1, 2)) if len(order) > 2 else 1
        return tuple(sorted(order[:circle])), tuple(order[circle:])
    if has.least_lists == 2:
        half = len(order) // 2
        return tuple(order[:half]), tuple(order[half : 2 * half])
    if kind == "count-distinct" and len(order) > 1 and source.random() < 0.5:
        return tuple(order[:1]), tuple(order[1:])
    return (tuple(order),)


def _walk(size: int, number: int, different: bool, source: random.Random) -> tuple[int, ...]:
    """Cells each beside the one before it, or touching it at a corner."""
    again = not different and source.random() < 0.2
    cells = [source.randrange(size * size)]
    while len(cells) < number:
        row, column = (part + source.choice((-1, 0, 1)) for part in divmod(cells[-1], size))
        following = row * size + column
        if 0 <= row < size > column >= 0:
            if again or following not in cells:
                cells.append(following)
            elif source.random() < 0.1:
                cells = cells[:1]
    return tuple(cells)


def _value(kind: str, lists: Sequence[Sequence[int]], size: int, source: random.Random) -> str:
    """A value with which a constraint often allows the values of its lists."""
    x, choose, total = (
        [value for values in lists for value in values],
        source.choice,
        sum(map(sum, lists)),
    )
    match kind:
        case "killer":
            return choose((f"{total}", f"{total}", "", f"{total},{total + 1}", "55"))
        case "sum":
            factors = [choose((1, -1, 2, 3)) for _ in x]
            middle = sum(factor * value for factor, value in zip(factors, x, strict=True))
            totals = f"{middle}" if source.random() < 0.7 else f"{middle},{middle - 2}"
            return choose((f"{total}", f"{totals}*{','.join(map(str, factors))}"))
        case "little-killer":
            return f"{total}"
        case "difference":
            return choose((f"{abs(x[0] - x[1])}", ""))
        case "ratio":
            return choose(("", "2", "3"))
        case "xv":
            return choose("vvx")
        case "whisper":
            return choose(("", "1", "2"))
        case "modular":
            return choose(("", "2", "3"))
        case "quadruple" | "contains" | "contains-exactly":
            some = source.sample(x, min(len(x), source.randint(1, 3)))
            return ",".join(map(str, some))
        case "count-distinct":
            return f"{len(set(x))}" if len(lists) == 1 else ""
        case "lockout":
            return choose(("", "1", "2", "3"))
        case "sandwich" | "lunchbox":
            first, last = sorted((x.index(min(x)), x.index(max(x))))
            return f"{choose((sum(x[first + 1 : last]), source.randint(1, sum(x))))}"
        case "x-sum":
            return f"{choose((sum(x[: x[0]]), source.randint(1, sum(x))))}"
        case "skyscraper" | "numbered-room":
            return f"{source.randint(1, size)}"
        case "sum-line":
            return choose(("", "5", f"{total}"))
        case "automaton":
            number = source.randint(1, 3)
            return ",".join(_state(number, size, source) for _ in range(number))
        case "pair" | "pairs":
            return ",".join(f"{source.randrange(1, 1 << size):x}" for _ in range(size))
    return ""


def _state(number: int, size: int, source: random.Random) -> str:
    moves: dict[int, int] = {}
    for value in range(size):
        if source.random() < 0.9:
            after = source.randrange(number)
            moves[after] = moves.get(after, 0) | 1 << value
    text = ".".join(f"{values:x}>{after}" for after, values in moves.items())
    return text + "!" * (source.random() < 0.7)
