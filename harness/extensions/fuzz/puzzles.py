"""Random puzzles of every kind, the shapes of the stream, and numbers of solutions for reference.

The numbers come from the internal solver. The generator uses it, and no backend does, so that it
is evidence independent of them. For evidence it applies each constraint alone: what follows from
several constraints is the reasoning of backends.

Each puzzle follows from the random seed and its numbers alone.
"""

from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from itertools import combinations
from typing import Final, TypeVar

from harness.base.errors import PuzzleError
from harness.extensions.generate.clues import Digger
from harness.extensions.generate.constraints import DRAWN, Drawing, draw_constraints
from harness.extensions.generate.grids import random_grid
from harness.puzzles import Grid, Puzzle, Scramble, Shape, SolutionCount
from harness.puzzles.constraints import (
    KINDS,
    Automaton,
    Constraint,
    automaton_text,
    check_constraint,
    table_text,
)
from harness.puzzles.datasets import Dataset, load_datasets
from harness.puzzles.search import Prng, SearchResult, solver_of

_Item = TypeVar("_Item")

# The number of solutions of a puzzle by the internal solver.


QUICK_NODES: Final = 4_000
"""Node limit for each puzzle of the stream, which takes milliseconds."""


def search_of(puzzle: Puzzle, limit: int, nodes: int = QUICK_NODES) -> SearchResult:
    """What the internal solver finds.

    Args:
        puzzle: any puzzle.
        limit: solutions after which the search ends.
        nodes: branches after which the search ends.
    """
    if not all(puzzle.allowed):  # pencilmarks leave a cell no value
        return SearchResult(0, exact=True, solution=None, guesses=0, by_rules=True)
    return solver_of(puzzle.shape, with_implied=False).search_puzzle(puzzle, limit, nodes)


def enumerate_solutions(puzzle: Puzzle, limit: int, nodes: int = QUICK_NODES) -> SolutionCount:
    """The bounds of the number of solutions; exact below `limit` if the nodes suffice."""
    result = search_of(puzzle, limit, nodes)
    return SolutionCount.from_number(result.number, result.exact)


@lru_cache(maxsize=4_096)
def enumerate_patiently(puzzle: Puzzle) -> SolutionCount:
    """Like `enumerate_solutions`, but for about a second, if backends disagree on the puzzle."""
    nodes = 400_000 if puzzle.shape.size > 9 else 1_000_000
    return enumerate_solutions(puzzle, 500_000, nodes)


def a_solution(puzzle: Puzzle) -> Grid | None:
    """A solution of the puzzle; None if there is none, or none is found within `QUICK_NODES`."""
    return search_of(puzzle, 1).solution


# The shapes of the stream, and how often each occurs.


WEIGHTS: Final[Mapping[str, int]] = {
    "9x9": 24,
    "4x4": 12,
    "6x6": 10,
    "box3x2": 5,
    "latin4": 4,
    "latin5": 5,
    "latin7": 5,
    "latin9": 3,
    "latin2": 1,
    "latin3": 2,
    "8x8": 4,
    "box4x2": 3,
    "10x10": 2,
    "box5x2": 2,
    "12x12": 3,
    "box4x3": 2,
    "16x16": 2,
    "latin20": 1,
    "25x25": 1,
    "4x4+diagonal": 4,
    "6x6+diagonal": 3,
    "9x9+diagonal": 4,
    "latin5+diagonal": 3,
    "9x9+windoku": 4,
    "9x9+disjoint": 2,
    "6x6+antiking": 4,
    "8x8+antiknight": 3,
    "9x9+antiknight": 3,
    "9x9+antiking": 2,
    "4x4+antiknight": 2,
    "latin6+antiking": 2,
    "jigsaw:1112122233343444": 5,
    "jigsaw:111222113322143352443355446655466665": 4,
    "jigsaw:111111222133332242153633242153666442553664444556674777558677779858879999888889999": 3,
    "jigsaw:112222233122124335111124335144444335674774535677775555677899999688888999666668889": 3,
    "houses4:11121314.21222324.31323334.41424344": 1,  # rows alone
    "houses4:11121314.21222324.11122122/3344.3443": 1,  # cells without a house
}
"""Shapes of the stream by definition, each with its weight. Small and plain ones are frequent:
their trials are fast, and a fault that shows on many shapes shows there first."""


def is_constrained(block: int, shapes: Sequence[Shape]) -> bool:
    """Whether the shape of the block with this number has constraints, as one in three has."""
    return not shapes and block % 3 == 1


def shape_of_block(seed: int, block: int, shapes_of_request: Sequence[Shape]) -> Shape:
    """The shape of the block with this number.

    Every other block has the next shape of a random order of all, so that a rare shape comes
    soon; the shapes of the other blocks are random, by their weights. If no shapes are chosen, one
    block in three has a shape with constraints.

    Args:
        seed: the random seed of the stream.
        block: the number of the block, from 0.
        shapes_of_request: the shapes to choose from; all of `WEIGHTS` if empty.
    """
    if is_constrained(block, shapes_of_request):
        return constrained_shape(None, Prng("fuzz constraints", seed, block))
    turn, is_random = divmod(block, 2)
    shapes = shapes_of_request or tuple(map(Shape.parse, WEIGHTS))
    if not is_random:
        order = Prng("fuzz order", seed, turn // len(shapes)).order(len(shapes))
        return shapes[order[turn % len(shapes)]]
    random = Prng("fuzz shape", seed, block)
    if shapes_of_request:
        return random.choice(shapes_of_request)
    return Shape.parse(_weighted_choice(WEIGHTS, random))


def _weighted_choice(weights: Mapping[_Item, int], random: Prng) -> _Item:
    """A random key; its weight says how often it comes."""
    return random.choice([item for item, weight in weights.items() for _ in range(weight)])


# Shapes with random constraints.


_CONSTRAINED: Final = (
    *("4x4",) * 6,
    *("6x6", "6x6", "6x6", "box3x2", "latin5", "latin5", "9x9", "9x9"),
    *("jigsaw:1112122233343444", "4x4+diagonal", "6x6+antiking"),
)
"""The shapes that get constraints; each entry is as likely as any other."""
_LONGEST: Final = 4
"""Maximum number of cells of a drawn cage; a line may have two more."""


def constrained_shape(
    base: Shape | None, random: Prng, kinds: Sequence[str] | None = None
) -> Shape:
    """A shape with a few random constraints, mostly such that one grid satisfies all of them.

    In most shapes some constraints share cells with others.

    Args:
        base: the shape without constraints; a random one if None.
        random: the source of random integers.
        kinds: the kinds of the constraints; random ones if None.
    """
    base = base or Shape.parse(random.choice(_CONSTRAINED))
    if kinds is None:
        # Cages and constraints of any form come more often than others.
        every = [*KINDS, *(*_VALUES, "killer", "contains", "contains-exactly") * 3]
        kinds = list(dict.fromkeys(random.choice(every) for _ in range(1 + random.below(3))))
    kinds = [kind for kind in kinds if kind != "entropic" or base.size % 3 == 0]
    # Each of two grids satisfies some of the constraints, and perhaps no grid satisfies all.
    grids = [_grid(base, random) for _ in range(1 if random.below(5) else 2)]
    while True:
        constraints: list[Constraint] = []
        for grid in grids:
            on = Drawing(base, grid, random, _LONGEST)
            most = 1 + random.below(3)
            constraints += draw_constraints([kind for kind in kinds if kind in DRAWN], most, on)
            for kind in kinds:
                if kind in _VALUES or kind not in DRAWN:
                    constraints += _place(base, kind, _cells(on), on)
        for _ in range(random.below(6) if constraints else 0):
            other = random.choice(constraints)
            kind = random.choice((other.kind, random.choice(kinds)))
            constraints += _sharing(base, kind, other, on)
        if constraints:
            return base.with_constraints(constraints)
        kinds = [random.choice(list(_VALUES))]  # the grid satisfies none of these kinds


def _cells(on: Drawing) -> list[int]:
    """Random cells, or cells that each touch the one before; a cell may occur twice there."""
    random, number = on.random, 2 + on.random.below(4)
    if random.below(2):
        return random.sample(number, on.size**2)
    cells = [random.below(on.size**2)]
    while len(cells) < number:
        cells.append(random.choice(on.touching(cells[-1], corners=True)))
    return cells


def _sharing(base: Shape, kind: str, other: Constraint, on: Drawing) -> list[Constraint]:
    """A constraint that shares cells with `other`, or `other` itself again.

    It is on the same cells, on some of them, or on some of them and further ones. It may hold in
    a different grid from `other`, and contradict `other`.
    """
    random, form = on.random, on.random.below(6)
    if form == 0:
        return [other]
    cells = [*dict.fromkeys(other.cells)][: _LONGEST + 2] or _cells(on)
    others = [cell for cell in random.order(base.size**2) if cell not in cells]
    if form in (1, 2):
        sample = random.sample(1 + random.below(len(cells)), len(cells))
        cells = [cells[at] for at in sample] + others[: (len(cells) - len(sample)) * (form == 1)]
    if form == 3:
        on = Drawing(base, _grid(base, random), random, _LONGEST)
    missing = KINDS[kind].least_lists * KINDS[kind].least_cells - len(cells)
    return _place(base, kind, cells + others[: max(missing, 0)], on)


def _place(base: Shape, kind: str, cells: Sequence[int], on: Drawing) -> list[Constraint]:
    """A constraint of this kind on these cells that the grid satisfies.

    If the grid satisfies none of those tried, one time in eight a constraint that the grid breaks;
    otherwise none.
    """
    has, random = KINDS[kind], on.random
    violations: list[Constraint] = []
    for _ in range(24):
        order = [*cells] if random.below(3) else [cells[at] for at in random.order(len(cells))]
        order = order[: has.most_cells]
        parts = random.choice((has.least_lists, 2 if has.most_lists is None else has.most_lists))
        split = 1 + random.below(len(order))
        lists: tuple[tuple[int, ...], ...] = (tuple(order),)[:parts]
        if parts == 2:
            end = random.choice((2 * split, len(order)))  # some kinds need lists of equal length
            lists = tuple(sorted(order[:split])), tuple(order[split:end])
        value = _VALUES.get(kind, _any_value)(on, order) if has.has_value is not False else ""
        try:
            constraint = check_constraint(Constraint(kind, value, lists), base.size)
            if base.with_constraints([constraint]).broken_by(on.grid) is None:
                return [constraint]
            violations = [constraint]
        except PuzzleError:  # the kind takes no such value or cells
            continue
    return [] if random.below(8) else violations


def _any_value(on: Drawing, cells: Sequence[int]) -> str:
    """A value that may fit the cells, in a form that some kind of constraint has."""
    random, values = on.random, on.values(cells)
    some = [values[at] for at in random.sample(1 + random.below(3), len(values))]
    numbers = sum(values), len({*values}), random.below(sum(values) + 1), random.below(on.size + 1)
    return random.choice(("", "v", "x", ",".join(map(str, some)), *map(str, numbers)))


def _factors(on: Drawing, cells: Sequence[int]) -> str:
    factors = [on.random.choice((1, 1, -1, 2, -3, 10)) for _ in cells]
    total = sum(f * value for f, value in zip(factors, on.values(cells), strict=True))
    totals = [total] if on.random.below(3) else [total, total + 1 + on.random.below(4)]
    return f"{','.join(map(str, totals))}*{','.join(map(str, factors))}"


def _table(on: Drawing, cells: Sequence[int]) -> str:
    rows = [on.random.below(1 << on.size) | on.random.below(1 << on.size) for _ in range(on.size)]
    for first, other in combinations(on.values(cells), 2):
        rows[first - 1] |= 1 << other - 1
    return table_text(rows)


def _automaton(on: Drawing, cells: Sequence[int]) -> str:
    """An automaton with random moves, and moves that accept the values of the grid."""
    random, number = on.random, 2 + on.random.below(3)
    rows = [[random.below(number + 1) - 1 for _ in range(on.size)] for _ in range(number)]
    accepting, state = [not random.below(3) for _ in rows], 0
    for value in on.values(cells):
        if rows[state][value - 1] < 0:
            rows[state][value - 1] = random.below(number)
        state = rows[state][value - 1]
    accepting[state] = True
    return automaton_text(Automaton(tuple(map(tuple, rows)), tuple(accepting)))


_VALUES: Final[Mapping[str, Callable[[Drawing, Sequence[int]], str]]] = {
    "sum": _factors,
    "pair": _table,
    "pairs": _table,
    "automaton": _automaton,
}
"""The general kinds, which solvers see in place of all others, each with a function that draws a
value that the grid satisfies."""


# Random puzzles of a shape, of every kind from full grids to contradictions.


LARGE: Final = 12
"""The size above which most cells are given, so that every backend answers within seconds."""
FEW_CLUES: Final = 4
"""Maximum number of clues of a sparse puzzle."""
HARD: Final = 40
"""The lowest number of guesses of the internal solver with which a puzzle counts as hard."""


class RandomPuzzles:
    """The base puzzles of one shape.

    Args:
        shape: the shape of all puzzles.
        seed: the random seed.
        puzzles: puzzles of this shape to mutate; may be empty.
    """

    def __init__(self, shape: Shape, seed: int, puzzles: Sequence[Puzzle] = ()) -> None:
        self.shape = shape
        self._seed = seed
        self._known = puzzles

    def puzzle(self, *number: int) -> Puzzle:
        """The puzzle with this number, or these numbers; one in six has pencilmarks."""
        random = Prng("fuzz puzzle", self._seed, self.shape.definition, *number)
        if self._known and not random.below(5):
            return _mutate(self._known[random.below(len(self._known))], random)
        puzzle = _of_a_kind(self.shape, random)
        return _with_pencilmarks(puzzle, random) if not random.below(6) else puzzle

    def puzzle_with_marks(self, number: int) -> Puzzle:
        """The puzzle with this number among those with pencilmarks."""
        random = Prng("fuzz marked", self._seed, self.shape.definition, number)
        return _with_pencilmarks(_of_a_kind(self.shape, random), random)

    def sparse(self, number: int) -> Puzzle:
        """The puzzle with this number among those with at most `FEW_CLUES` clues."""
        random = Prng("fuzz sparse", self._seed, self.shape.definition, number)
        clues = min(random.below(FEW_CLUES + 1), self.shape.size**2)
        puzzle = _with_clues(self.shape, _grid(self.shape, random), clues, random)
        if random.below(2) or clues < 2:
            return puzzle
        clue_cells = [cell for cell, value in enumerate(puzzle.givens) if value]
        value = random.below(self.shape.size) + 1
        return with_given(puzzle, random.choice(clue_cells), value)


def puzzles_by_shape(datasets: Sequence[Dataset]) -> Mapping[Shape, list[Puzzle]]:
    """The puzzles of these datasets, grouped by their shapes."""
    puzzles: dict[Shape, list[Puzzle]] = {}
    for dataset in datasets:
        for instance in dataset.instances:
            puzzles.setdefault(instance.puzzle.shape, []).append(instance.puzzle)
    return puzzles


@lru_cache(maxsize=256)
def _grids(shape: Shape) -> tuple[Grid, ...]:
    """Complete grids of a shape; none if the shape has none, or none is found.

    Scrambles make others from each, unless the shape has constraints.
    """
    if not shape.constraints:
        try:
            return tuple(random_grid(shape, Prng("fuzz grid", n)) for n in range(12))
        except PuzzleError:
            return ()
    solver, blank = solver_of(shape), Puzzle(shape, (0,) * shape.size**2)
    grids = {
        solver.search(solver.start(blank.allowed), 1, QUICK_NODES, Prng("fuzz grid", n)).solution
        for n in range(4)
    }
    return tuple(sorted(grid for grid in grids if grid))


def _grid(shape: Shape, random: Prng) -> Grid:
    """A random complete grid, or random values for a shape without one."""
    pool = _grids(shape)
    if shape.constraints:
        return random.choice(pool) if pool else _grid(shape.without_constraints, random)
    if pool:
        return Scramble.random(shape, random).grid(random.choice(pool))
    return tuple(random.below(shape.size) + 1 for _ in range(shape.size**2))


def with_given(puzzle: Puzzle, cell: int, value: int) -> Puzzle:
    """The puzzle with this value in a cell; 0 for a blank."""
    givens = (*puzzle.givens[:cell], value, *puzzle.givens[cell + 1 :])
    return Puzzle(puzzle.shape, givens, puzzle.pencilmarks)


def _with_clues(shape: Shape, grid: Grid, clues: int, random: Prng) -> Puzzle:
    """The grid with this number of givens, at random cells."""
    cells = {*random.sample(clues, len(grid))}
    return Puzzle(shape, tuple(v if cell in cells else 0 for cell, v in enumerate(grid)))


def _number_of_clues(shape: Shape, random: Prng) -> int:
    cells = shape.size**2
    least = cells * 6 // 10 if shape.size > LARGE else 0
    return least + random.below(cells - least + 1)


def _empty(shape: Shape, random: Prng) -> Puzzle:
    """A puzzle with at most two clues; in large grids with many."""
    if shape.size > LARGE:
        return _of_a_grid(shape, random)
    return _with_clues(shape, _grid(shape, random), random.below(3), random)


def _full(shape: Shape, random: Prng) -> Puzzle:
    return Puzzle(shape, _grid(shape, random))


def _nearly_full(shape: Shape, random: Prng) -> Puzzle:
    """A complete grid without a house, without two values, or without some cells."""
    grid = list(_grid(shape, random))
    kind = random.below(3)
    if kind == 0:
        blank = set(random.sample(1 + random.below(3), len(grid)))
    elif kind == 1 and shape.houses:
        blank = set(random.choice(shape.houses).cells)
    else:
        values = set(random.sample(min(2, shape.size), shape.size))
        blank = {cell for cell, value in enumerate(grid) if value - 1 in values}
    return Puzzle(shape, tuple(0 if cell in blank else v for cell, v in enumerate(grid)))


def _full_with_fault(shape: Shape, random: Prng) -> Puzzle:
    """A complete grid with two cells exchanged, or with one cell changed."""
    grid = list(_grid(shape, random))
    first, other = random.below(len(grid)), random.below(len(grid))
    if random.below(2):
        grid[first], grid[other] = grid[other], grid[first]
    else:
        grid[first] = random.below(shape.size) + 1
    return Puzzle(shape, tuple(grid))


def _without_a_kind(shape: Shape, random: Prng) -> Puzzle:
    """A grid that satisfies all houses but those of one kind, or all houses but no pairs.

    A backend that checks the givens in only some of the houses accepts such a grid. Half of the
    grids are full. In shapes with constraints, the grid satisfies all houses and pairs.
    """
    kinds = list(dict.fromkeys(house.kind for house in shape.houses)) + ["pair"] * bool(shape.pairs)
    clues = shape.size**2 if random.below(2) else _number_of_clues(shape, random)
    if shape.constraints:
        return _with_clues(shape, _grid(shape.without_constraints, random), clues, random)
    if not kinds:
        return _full_with_fault(shape, random)
    kind = random.choice(kinds)
    houses = tuple(house for house in shape.houses if house.kind != kind)
    pairs = () if kind == "pair" else shape.pairs
    base = Shape(f"{shape} without {kind}", shape.size, houses, None, pairs)
    return _with_clues(shape, _grid(base, random), clues, random)


def _of_a_grid(shape: Shape, random: Prng) -> Puzzle:
    """Some cells of a complete grid."""
    clues = _number_of_clues(shape, random)
    return _with_clues(shape, _grid(shape, random), clues, random)


def _with_few_solutions(shape: Shape, random: Prng) -> Puzzle:
    """A puzzle with few solutions; without any one of its clues it would have too many.

    Puzzles with more solutions have many candidates.
    """
    most = random.choice((12, 12, 60))
    solutions = 1 if random.below(2) else 2 + random.below(most - 1)
    return _dug(shape, _grid(shape, random), solutions, random)


def _dug(shape: Shape, givens: Grid, solutions: int, random: Prng) -> Puzzle:
    cells = [[cell] for cell in random.order(shape.size**2)]
    # With few nodes for the search of each removed clue, large puzzles keep more clues.
    least, nodes = (len(cells) // 2, 40) if shape.size > LARGE else (0, 400)
    return Puzzle(shape, Digger(shape, solutions, nodes).dig(givens, cells, least))


def guesses_of(puzzle: Puzzle) -> int:
    """The guesses of the internal solver until it has two solutions or has searched everything."""
    return search_of(puzzle, 2).guesses


def _hard(shape: Shape, random: Prng) -> Puzzle:
    """A scramble or mutation of a puzzle that needs many guesses."""
    if shape.size > LARGE:
        return _with_few_solutions(shape, random)
    puzzles = _shipped_hard().get(shape)
    puzzle = random.choice(puzzles) if puzzles else _climb(shape, random.below(6))
    return _scramble(puzzle, random) if random.below(3) else _mutate(puzzle, random)


@lru_cache(maxsize=1)
def _shipped_hard() -> Mapping[Shape, list[Puzzle]]:
    puzzles = puzzles_by_shape(load_datasets(("named", "hard")))
    hard = {shape: [p for p in some if guesses_of(p) >= HARD] for shape, some in puzzles.items()}
    return {shape: some for shape, some in hard.items() if some}


@lru_cache(maxsize=512)
def _climb(shape: Shape, number: int) -> Puzzle:
    """The hardest of some minimal puzzles of one grid, each made from the hardest before it."""
    random = Prng("fuzz hard", shape.definition, number)
    grid = _grid(shape, random)
    hardest = _dug(shape, grid, 1, random)
    for _ in range(12):
        more = {*random.sample(3, len(grid))}
        givens = tuple(grid[c] if c in more else v for c, v in enumerate(hardest.givens))
        other = _dug(shape, givens, 1, random)
        if guesses_of(other) >= guesses_of(hardest):
            hardest = other
    return hardest


def _in_rows(shape: Shape, random: Prng) -> Puzzle:
    """The first or the last rows or columns of a complete grid, or a symmetric pattern of it."""
    grid, size = _grid(shape, random), shape.size
    lines = random.below(size + 1) if size <= LARGE else size - 1 - random.below(3)
    form = random.below(4)

    def is_given(cell: int) -> bool:
        row, column = divmod(cell, size)
        line = (row, size - 1 - row, column, min(row, size - 1 - row))[form]
        return line < (lines if form < 3 else lines // 2)

    return Puzzle(shape, tuple(v if is_given(c) else 0 for c, v in enumerate(grid)))


def _with_wrong_clue(shape: Shape, random: Prng) -> Puzzle:
    """A puzzle with few solutions and one more clue, which contradicts no given directly."""
    return _with_another_clue(_with_few_solutions(shape, random), random)


def _with_another_clue(puzzle: Puzzle, random: Prng) -> Puzzle:
    blank = [cell for cell, value in enumerate(puzzle.givens) if not value]
    if blank and (values := puzzle.candidates(cell := random.choice(blank))):
        return with_given(puzzle, cell, random.choice(values))
    return puzzle


def _contradictory(shape: Shape, random: Prng) -> Puzzle:
    """Two equal givens in a house or a pair, with few or many other givens."""
    grid = _grid(shape, random)
    puzzle = _with_clues(shape, grid, _number_of_clues(shape, random), random)
    sets = [*(house.cells for house in shape.houses), *shape.pairs]
    cells = random.choice(sets)
    first, other = (cells[at] for at in random.sample(2, len(cells))) if len(cells) > 1 else (0, 0)
    return with_given(with_given(puzzle, first, grid[first]), other, grid[first])


def _of_random_values(shape: Shape, random: Prng) -> Puzzle:
    """Random values that differ from their peers: often without a solution."""
    givens = [0] * shape.size**2
    most = len(givens) // 3
    if shape.size > LARGE:  # hard to refute
        return _with_wrong_clue(shape, random)
    for cell in random.sample(random.below(most + 1), len(givens)):
        excluded_values = {givens[peer] for peer in shape.peers[cell]}
        values = [value for value in range(1, shape.size + 1) if value not in excluded_values]
        if values:
            givens[cell] = random.choice(values)
    return Puzzle(shape, tuple(givens))


def _with_pencilmarks(puzzle: Puzzle, random: Prng) -> Puzzle:
    """The puzzle with fewer candidates in some blank cells; those of a solution often stay."""
    shape = puzzle.shape
    grid = a_solution(puzzle) or _grid(shape, random)
    keeps_solution = random.below(3) > 0
    marks = list(puzzle.allowed)
    blank = [cell for cell, value in enumerate(puzzle.givens) if not value]
    for cell in (blank[at] for at in random.sample(random.below(len(blank) + 1), len(blank))):
        mask = marks[cell] & ~random.below(1 << shape.size)
        if (keeps_solution or random.below(8)) and marks[cell] >> grid[cell] - 1 & 1:
            mask |= 1 << grid[cell] - 1
        if mask or not random.below(30):
            marks[cell] = mask
    return Puzzle(shape, puzzle.givens, tuple(marks))


def _scramble(puzzle: Puzzle, random: Prng) -> Puzzle:
    """The puzzle in another form; itself if its shape has constraints, which stay in place."""
    shape = puzzle.shape
    return puzzle if shape.constraints else Scramble.random(shape, random).puzzle(puzzle)


def _mutate(puzzle: Puzzle, random: Prng) -> Puzzle:
    """A known puzzle: scrambled, and perhaps with a clue more, fewer or different."""
    mutant = _scramble(puzzle, random)
    change = random.below(4)
    clues = [cell for cell, value in enumerate(mutant.givens) if value]
    if change == 0 or not clues or mutant.pencilmarks is not None:
        return mutant
    if change == 1:
        return _with_another_clue(mutant, random)
    mutant = with_given(mutant, random.choice(clues), 0)
    return mutant if change == 2 else _with_another_clue(mutant, random)


def _of_a_kind(shape: Shape, random: Prng) -> Puzzle:
    return _weighted_choice(_KINDS, random)(shape, random)


_KINDS: Final[Mapping[Callable[[Shape, Prng], Puzzle], int]] = {
    _with_few_solutions: 5,
    _hard: 5,
    _of_a_grid: 4,
    _with_wrong_clue: 3,
    _nearly_full: 2,
    _in_rows: 2,
    _of_random_values: 2,
    _contradictory: 2,
    _full: 1,
    _full_with_fault: 1,
    _without_a_kind: 1,
    _empty: 1,
}
"""The functions that make puzzles, with their weights."""
