"""The rules of all kinds of constraints, by their definitions, and random puzzles with them.

The rules stand here a second time: they case at a complete grid and know no primitives. Puzzles
are small enough for all their grids to be listed.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cache
from itertools import combinations, groupby, pairwise, product
from random import Random
from typing import NamedTuple

from harness.puzzles import Grid, Puzzle, Shape
from harness.puzzles.constraints.kinds import KINDS, Constraint
from tests.plain_search import solutions
from tests.puzzles.variants import constraint, kinds_of

# The rules.


class Case(NamedTuple):
    """A constraint and a complete grid."""

    constraint: Constraint
    grid: Grid
    plain: Shape
    among: Sequence[Constraint]
    """All constraints of the puzzle."""

    @property
    def size(self) -> int:
        return self.plain.size

    @property
    def lists(self) -> list[list[int]]:
        """The values of each list of cells."""
        return [[self.grid[cell] for cell in cells] for cells in self.constraint.lists]

    @property
    def x(self) -> list[int]:
        """The values of all cells."""
        return [self.grid[cell] for cell in self.constraint.cells]

    def number(self, default: int = 0) -> int:
        return int(self.constraint.value or default)

    @property
    def numbers(self) -> list[int]:
        return [int(word) for word in self.constraint.value.split(",")]

    def pairs_without(self, *kinds: str) -> Iterator[tuple[int, int]]:
        """The values of neighbours without a constraint of these kinds."""
        marks = [other.cells for other in self.among if other.kind in kinds]
        marked_pairs = [{*pair} for cells in marks for pair in pairwise(cells)]
        for first, second in neighbours(self.size):
            if {first, second} not in marked_pairs:
                yield self.grid[first], self.grid[second]


Rule = Callable[[Case], bool]


@cache
def neighbours(size: int) -> list[tuple[int, int]]:
    """All pairs of cells with a common side."""
    cells = range(size * size)
    return [(a, b) for a, b in combinations(cells, 2) if steps(size, a, b) == 1]


def steps(size: int, first: int, second: int) -> int:
    return abs(first // size - second // size) + abs(first % size - second % size)


def _along(allows: Callable[[int, int, Case], bool]) -> Rule:
    return lambda case: all(allows(a, b, case) for a, b in pairwise(case.x))


def _differ(values: Sequence[int]) -> bool:
    return all(a != b for a, b in combinations(values, 2))


def _ratio(a: int, b: int) -> float:
    return max(a, b) / min(a, b)


def _sum(case: Case) -> bool:
    totals, _, coefficients = case.constraint.value.partition("*")
    factors = [int(word) for word in coefficients.split(",")] if coefficients else [1] * len(case.x)
    total = sum(factor * value for factor, value in zip(factors, case.x, strict=True))
    return str(total) in totals.split(",")


def _region_sum(case: Case) -> bool:
    regions = [house.cells for house in case.plain.houses if house.kind in ("box", "region")]
    parts = groupby(case.constraint.cells, lambda cell: [cell in cells for cells in regions])
    return len({sum(case.grid[cell] for cell in part) for _, part in parts}) == 1


def _zipper(case: Case) -> bool:
    half, x = len(case.x) // 2, case.x
    sums = {a + b for a, b in zip(x[:half], reversed(x), strict=False)}
    return len(sums | set(x[half : len(x) - half])) <= 1


def _windows(number: int, class_of: Callable[[int], int]) -> Rule:
    def keeps(case: Case) -> bool:
        classes = [class_of(value) for value in case.x]
        return all(_differ(classes[at : at + number]) for at in range(len(classes)))

    return keeps


def _modular(case: Case) -> bool:
    modulus = case.number(3)
    return _windows(modulus, lambda value: value % modulus)(case)


def _entropic(case: Case) -> bool:
    return _windows(3, lambda value: -(-3 * value // case.size))(case)


def _extreme(is_beyond: Callable[[int, int], bool]) -> Rule:
    def keeps(case: Case) -> bool:
        marked_cells = {
            c for other in case.among if other.kind == case.constraint.kind for c in other.cells
        }
        around = ((a, b) for pair in neighbours(case.size) for a, b in (pair, pair[::-1]))
        return all(
            is_beyond(case.grid[a], case.grid[b])
            for a, b in around
            if a in case.constraint.cells and b not in marked_cells
        )

    return keeps


def _indexer(place: Callable[[Case, int], tuple[Sequence[int], int]]) -> Rule:
    """`place` gives the cells that a cell points into, and the value it points with."""

    def keeps(case: Case) -> bool:
        places = [(*place(case, cell), case.grid[cell]) for cell in case.constraint.cells]
        return all(case.grid[line[value - 1]] == goal for line, goal, value in places)

    return keeps


def _row(case: Case, cell: int) -> tuple[Sequence[int], int]:
    first = cell - cell % case.size
    return range(first, first + case.size), cell % case.size + 1


def _column(case: Case, cell: int) -> tuple[Sequence[int], int]:
    return range(cell % case.size, case.size**2, case.size), cell // case.size + 1


def _box(case: Case, cell: int) -> tuple[Sequence[int], int]:
    kinds = ("box", "region")
    (box,) = [h.cells for h in case.plain.houses if h.kind in kinds and cell in h.cells]
    return box, box.index(cell) + 1


def _between(case: Case) -> bool:
    first, *inner, last = case.x
    return all(min(first, last) < value < max(first, last) for value in inner)


def _lockout(case: Case) -> bool:
    low, high = sorted((case.x[0], case.x[-1]))
    return high - low >= case.number(4) and not any(low <= v <= high for v in case.x[1:-1])


def _sandwich(case: Case) -> bool:
    if case.x.count(1) != 1 or case.x.count(case.size) != 1:
        return False
    first, last = sorted((case.x.index(1), case.x.index(case.size)))
    return sum(case.x[first + 1 : last]) == case.number()


def _skyscraper(case: Case) -> bool:
    visible = [value for at, value in enumerate(case.x) if value > max(case.x[:at], default=0)]
    return len(visible) == case.number()


def _sum_line(case: Case) -> bool:
    total, so_far = case.number(10), 0
    for value in case.x:
        so_far = value if so_far == total else so_far + value
        if so_far > total:
            return False
    return so_far == total


def _lunchbox(case: Case) -> bool:
    first, last = sorted((case.x.index(min(case.x)), case.x.index(max(case.x))))
    return _differ(case.x) and sum(case.x[first + 1 : last]) == case.number()


def _count_distinct(case: Case) -> bool:
    number = case.number() if case.constraint.value else case.lists[0][0]
    return len(set(case.lists[-1])) == number


def _automaton(case: Case) -> bool:
    states = case.constraint.value.split(",")

    def accepts(state: int, values: Sequence[int]) -> bool:
        if not values:
            return states[state].endswith("!")
        moves = [move.split(">") for move in states[state].rstrip("!").split(".") if move]
        after = [int(to) for bits, to in moves if int(bits, 16) >> values[0] - 1 & 1]
        return any(accepts(to, values[1:]) for to in after)

    return all(accepts(0, values) for values in case.lists)


def _table(pairs: Callable[[Sequence[int]], Iterable[tuple[int, int]]]) -> Rule:
    def keeps(case: Case) -> bool:
        rows = [int(row, 16) for row in case.constraint.value.split(",")]
        of_lists = (pair for values in case.lists for pair in pairs(values))
        return all(rows[a - 1] >> b - 1 & 1 for a, b in of_lists)

    return keeps


def _all_ratios(case: Case) -> bool:
    ratios = {int(dot.value or 2) for dot in case.among if dot.kind == "ratio"} or {2}
    pairs = case.pairs_without("difference", "ratio")
    return not any(_ratio(a, b) in ratios for a, b in pairs)


def _self_taxicab(case: Case) -> bool:
    cells = combinations(range(case.size**2), 2)
    equal = ((a, b) for a, b in cells if case.grid[a] == case.grid[b])
    return all(steps(case.size, a, b) != case.grid[a] for a, b in equal)


RULES: dict[str, Rule] = {
    "killer": lambda k: _differ(k.x) and (not k.constraint.value or sum(k.x) in k.numbers),
    "sum": _sum,
    "arrow": lambda k: int("".join(map(str, k.lists[0]))) == sum(k.lists[1]),
    "double-arrow": lambda k: k.x[0] + k.x[-1] == sum(k.x[1:-1]),
    "little-killer": lambda k: sum(k.x) == k.number(),
    "region-sum": _region_sum,
    "equal-sums": lambda k: len(set(map(sum, k.lists))) == 1,
    "zipper": _zipper,
    "thermometer": _along(lambda a, b, _: a < b),
    "slow-thermometer": _along(lambda a, b, _: a <= b),
    "greater": _along(lambda a, b, _: a > b),
    "difference": _along(lambda a, b, k: abs(a - b) == k.number(1)),
    "ratio": _along(lambda a, b, k: _ratio(a, b) == k.number(2)),
    "xv": _along(lambda a, b, k: a + b == {"v": 5, "x": 10}[k.constraint.value]),
    "whisper": _along(lambda a, b, k: abs(a - b) >= k.number((k.size + 1) // 2)),
    "renban": lambda k: sorted(k.x) == list(range(min(k.x), min(k.x) + len(k.x))),
    "nabner": lambda k: all(abs(a - b) > 1 for a, b in combinations(k.x, 2)),
    "palindrome": lambda k: k.x == k.x[::-1],
    "clone": lambda k: k.lists[0] == k.lists[1],
    "same-values": lambda k: len({tuple(sorted(values)) for values in k.lists}) == 1,
    "modular": _modular,
    "entropic": _entropic,
    "distinct": lambda k: _differ(k.x),
    "odd": lambda k: all(value % 2 for value in k.x),
    "even": lambda k: not any(value % 2 for value in k.x),
    "minimum": _extreme(lambda a, b: a < b),
    "maximum": _extreme(lambda a, b: a > b),
    "quadruple": lambda k: all(k.x.count(v) >= k.numbers.count(v) for v in k.numbers),
    "contains": lambda k: all(k.x.count(v) >= k.numbers.count(v) for v in k.numbers),
    "contains-exactly": lambda k: all(k.x.count(v) == k.numbers.count(v) for v in k.numbers),
    "count-distinct": _count_distinct,
    "counting-circles": lambda k: all(k.x.count(value) == value for value in k.x),
    "row-indexer": _indexer(_column),
    "column-indexer": _indexer(_row),
    "box-indexer": _indexer(_box),
    "between": _between,
    "lockout": _lockout,
    "sandwich": _sandwich,
    "lunchbox": _lunchbox,
    "x-sum": lambda k: k.x[0] <= len(k.x) and sum(k.x[: k.x[0]]) == k.number(),
    "skyscraper": _skyscraper,
    "numbered-room": lambda k: k.x[0] <= len(k.x) and k.x[k.x[0] - 1] == k.number(),
    "sum-line": _sum_line,
    "automaton": _automaton,
    "pair": _table(pairwise),
    "pairs": _table(lambda values: combinations(values, 2)),
    "nonconsecutive": lambda k: all(abs(a - b) != 1 for a, b in k.pairs_without()),
    "all-differences": lambda k: all(
        abs(a - b) != 1 for a, b in k.pairs_without("difference", "ratio")
    ),
    "all-ratios": _all_ratios,
    "all-dots": lambda k: all(
        abs(a - b) != 1 and _ratio(a, b) != 2 for a, b in k.pairs_without("difference", "ratio")
    ),
    "all-xv": lambda k: all(a + b not in (5, 10) for a, b in k.pairs_without("xv")),
    "self-taxicab": _self_taxicab,
}


def keeps(grid: Grid, plain: Shape, constraints: Sequence[Constraint]) -> bool:
    """Whether a complete grid of a shape keeps constraints."""
    return all(
        RULES[constraint.kind](Case(constraint, grid, plain, constraints))
        for constraint in constraints
    )


# Random puzzles.


class Variant(NamedTuple):
    """A puzzle with constraints."""

    puzzle: Puzzle
    plain: Shape
    grids: Sequence[Grid]
    """The complete grids of its shape without constraints that keep the givens."""
    solutions: set[Grid]
    """Those of the grids that keep the constraints."""


PLAIN = (
    "4x4",
    "4x4",
    "4x4",
    "6x6",
    "box3x2",
    "latin5",
    "jigsaw:1112122233434443",
    "4x4+antiknight",
)
_FEWEST_CLUES = {4: 0, 5: 6, 6: 13}
_MOST_GRIDS = 300
_TRIES = 40


def variants(number: int, seed: int = 0) -> Iterator[Variant]:
    """Random puzzles, always the same: each kind in turn, alone or with one to three others."""
    random = Random(seed)
    kinds = [*KINDS] * (number // len(KINDS) + 1)
    for kind in kinds[:number]:
        plain = random.choice(
            [shape for shape in map(Shape.parse, PLAIN) if kind in kinds_of(shape)]
        )
        first, grid = _with_grid(random, kind, plain)
        constraints = [first]
        for other in random.sample(kinds_of(plain), random.choice((0, 1, 1, 2, 3))):
            tries = (constraint(other, grid, random) for _ in range(_TRIES))
            constraints += [
                candidate for candidate in tries if keeps(grid, plain, [*constraints, candidate])
            ][:1]
        if random.random() < 0.1:
            constraints += [_with_grid(random, random.choice(kinds_of(plain)), plain)[0]]
        yield _with_clues(random, plain, constraints, grid)


def _with_grid(random: Random, kind: str, plain: Shape) -> tuple[Constraint, Grid]:
    """A random constraint, and a grid that keeps it if one is found soon."""
    for _ in range(10 * _TRIES):
        grid = random.choice(complete_grids(plain))
        candidate = constraint(kind, grid, random)
        if keeps(grid, plain, [candidate]):
            break
    return candidate, grid


PLACINGS = ("same", "part", "overlap", "twice", "contradiction")
"""Where a second constraint stands, by the cells of the first: on the same cells, on some of them,
on some and others, on the same beside the first one again, or on the same for another grid."""
_SHARING = (*PLAIN[2:], "latin4", "houses4:11121314.21222324.31323334.41424344")
_MOST_SHARED = 5
"""Cells of a constraint that shares them with another one."""


def mixes(seed: int, step: int = 1) -> Iterator[Variant]:
    """Puzzles with two constraints that share cells, always the same for a seed.

    Every kind with every kind in every placing, or one in `step` of these.
    """
    every = [*product(KINDS, KINDS, PLACINGS)]
    Random(seed).shuffle(every)
    for first, second, placing in every[::step]:
        yield mix(first, second, placing, Random(f"{seed} {first} {second} {placing}"))


def mix(first: str, second: str, placing: str, random: Random) -> Variant:
    """A puzzle with a constraint of each kind, the second on cells of the first.

    A grid keeps both if one is found soon, but for contradictions.
    """
    shapes = [Shape.parse(name) for name in _SHARING]
    shapes = [shape for shape in shapes if {first, second} <= {*kinds_of(shape)}]
    for _ in range(10 * _TRIES):
        plain = random.choice(shapes)
        grid = random.choice(complete_grids(plain))
        cells, common = _sharing(_fewest(first), _fewest(second), placing, plain.size**2, random)
        other_grid = random.choice(complete_grids(plain)) if placing == "contradiction" else grid
        constraints = [constraint(first, grid, random, cells)] * (2 if placing == "twice" else 1)
        constraints.append(constraint(second, other_grid, random, common))
        if keeps(grid, plain, constraints[:-1] if placing == "contradiction" else constraints):
            break
    return _with_clues(random, plain, constraints, grid)


def _fewest(kind: str) -> int:
    """The fewest cells that a kind takes."""
    return max(1, KINDS[kind].least_lists * KINDS[kind].least_cells)


def _sharing(
    first: int, second: int, placing: str, cells: int, random: Random
) -> tuple[list[int], list[int]]:
    """The cells of two constraints that need at least these numbers."""
    number = random.randint(max(first, second + (placing == "part")), _MOST_SHARED)
    free = random.sample(range(cells), 2 * number)
    own, others = free[:number], free[number:]
    if placing == "part":
        return own, own[: random.randint(second, number - 1)]
    if placing == "overlap" and number > 1:
        amount = random.randint(1, number - 1)
        return own, own[:amount] + others[: number - amount]
    return own, own


def _with_clues(
    random: Random, plain: Shape, constraints: Sequence[Constraint], grid: Grid
) -> Variant:
    clues = _FEWEST_CLUES[plain.size] + random.choice((0, 0, 1, 3))
    order = random.sample(range(len(grid)), len(grid))
    while True:
        cells = set(order[:clues])
        givens = tuple(value if cell in cells else 0 for cell, value in enumerate(grid))
        grids = solutions(Puzzle(plain, givens), _MOST_GRIDS + 1)
        if len(grids) <= _MOST_GRIDS:
            kept_by = {solution for solution in grids if keeps(solution, plain, constraints)}
            return Variant(
                Puzzle(plain.with_constraints(constraints), givens), plain, grids, kept_by
            )
        clues += 2


@cache
def complete_grids(plain: Shape) -> list[Grid]:
    """Complete grids of a shape, all of a small one."""
    if plain.spec == "latin5":  # some of these keep rules for all neighbours
        factors = product(range(1, 5), range(1, 5), range(5))
        return [
            tuple((a * (cell // 5) + b * cell + c) % 5 + 1 for cell in range(25))
            for a, b, c in factors
        ]
    grids = solutions(Puzzle(plain, (0,) * plain.size**2), 600)
    random = Random(plain.spec)
    labels = [random.sample(range(1, plain.size + 1), plain.size) for _ in grids]
    return [
        tuple(values[value - 1] for value in grid)
        for values, grid in zip(labels, grids, strict=True)
    ]
