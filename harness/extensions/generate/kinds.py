"""Other kinds of puzzles: with constraints, hard, unsolvable, with pencilmarks, and from models.

The search for hard puzzles maximizes the number of guesses that a search with naked and hidden
singles needs to prove a single solution. The numbers for several random orders are added,
so that the luck of one order counts little.

Model A, *holes*: random cells of a shuffled pattern grid are kept (Lewis,
"Metaheuristics can solve sudoku puzzles", Journal of Heuristics 13, 2007). Such a puzzle has
a solution. Shapes without a pattern grid start from a random grid.

Model B, *qcp*: random cells with random values that no peer has (as in quasigroup
completion: Gomes and Selman, "Problem structure in the presence of perturbations", AAAI
1997). Such a puzzle may have no solution.

A pencilmark puzzle begins with one candidate in each cell, those of a complete grid. Candidates
return in random order as long as the solution stays the only one, so at the end no other can
return: the puzzle is minimal.

An unsolvable puzzle is a puzzle with one solution that gets a wrong value in a blank cell. If the
rules find no contradiction, only search refutes the puzzle; removing clues does not change that.
"""

from bisect import bisect_right
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Sequence
from typing import Final

from harness.base.errors import PuzzleError
from harness.extensions.generate.clues import NODES, Digger, clues_of, orbits, puzzle_of
from harness.extensions.generate.constraints import RULES, UNMARKED, Drawing, draw_constraints
from harness.extensions.generate.grids import random_grid, scrambled_grid
from harness.extensions.generate.options import Constraints, GenerationRequest
from harness.puzzles import Grid, Puzzle, Shape
from harness.puzzles.constraints import KINDS, Constraint
from harness.puzzles.datasets import is_minimal
from harness.puzzles.search import Prng, SearchResult, Solver, by_singles, solver_of

# A search for hard puzzles: change a puzzle, and keep what costs more guesses.


_ORDERS: Final = 8
_HARD_NODES: Final = 100_000


def hard_puzzle(request: GenerationRequest, random: Prng) -> Puzzle:
    """A puzzle with one solution, as requested, that costs many guesses.

    Raises:
        PuzzleError: no puzzle is found to begin with.
    """
    shape = request.shape
    digger = Digger(shape)
    groups = orbits(shape.size, request.symmetry)
    best = puzzle_of(request, random)
    cost = guesses_of(best)
    for _ in range(request.hard):
        givens = _change(shape, digger, best.givens, groups, random)
        if givens is None or request.bounds.distance(clues_of(givens)):
            continue
        other = Puzzle(shape, givens)
        other_cost = guesses_of(other)
        by_groups = request.symmetry is not None and request.minimal  # digging left whole groups
        if other_cost >= cost and (not by_groups or is_minimal(other, _HARD_NODES) is True):
            best, cost = other, other_cost
    return best


def guesses_of(puzzle: Puzzle) -> int:
    """The guesses of a search for two solutions, summed over eight random orders."""
    solver = solver_of(puzzle.shape)
    start = solver.start(puzzle.allowed)
    return sum(
        solver.search(start, 2, _HARD_NODES, Prng("order", order)).guesses
        for order in range(_ORDERS)
    )


def _change(
    shape: Shape, digger: Digger, givens: Grid, groups: list[list[int]], random: Prng
) -> Grid | None:
    """A puzzle with other clues and one solution, perhaps a new one; None at a node limit."""
    solver = solver_of(shape)
    groups_of_clues = [group for group in groups if givens[group[0]]]
    random.shuffle(groups_of_clues)
    fewer = list(givens)
    for group in groups_of_clues[: 1 + random.below(3)]:
        for cell in group:
            fewer[cell] = 0
    start = solver.start_of(fewer)
    grid = solver.search(start, 50, _HARD_NODES, random).solution
    if grid is None:
        return None
    order = list(groups)
    random.shuffle(order)
    for group in order:  # clues of that solution that exclude others
        cell = group[0]
        if fewer[cell]:
            continue
        value = 1 << grid[cell] - 1
        start[cell] = solver.every ^ value
        number = solver.count(start, 1, _HARD_NODES)
        start[cell] = solver.every
        if number is None:
            return None
        if number:
            for cell in group:
                fewer[cell] = grid[cell]
                start[cell] = 1 << grid[cell] - 1
    random.shuffle(order)
    return digger.dig(fewer, order)


# Random puzzles of the literature on phase transitions, for any shape.


_MODELS_ATTEMPTS: Final = 100


def holes_puzzle(request: GenerationRequest, random: Prng) -> Puzzle:
    """A puzzle of model A with the requested symmetry and number of clues.

    Raises:
        PuzzleError: no pattern with this symmetry and number of clues is found.
    """
    shape, symmetry = request.shape, request.symmetry
    clues = request.bounds.random_number(random)
    grid = scrambled_grid(shape, random)
    for _ in range(_MODELS_ATTEMPTS):
        groups = orbits(shape.size, symmetry)
        random.shuffle(groups)
        clue_cells: set[int] = set()
        for group in groups:
            if len(clue_cells) + len(group) <= clues:
                clue_cells.update(group)
        if len(clue_cells) == clues:
            return _with_clues(shape, grid, clue_cells)
    raise PuzzleError(
        f"no pattern of {clues} clues with the symmetry {symmetry}", expected="an even number"
    )


def _with_clues(shape: Shape, grid: Grid, cells: Collection[int]) -> Puzzle:
    """The puzzle with the values of a grid in these cells."""
    return Puzzle(shape, tuple(v if cell in cells else 0 for cell, v in enumerate(grid)))


def qcp_puzzle(request: GenerationRequest, random: Prng) -> Puzzle:
    """A puzzle of model B with the requested number of clues.

    Raises:
        PuzzleError: each attempt ends with fewer clues.
    """
    shape, clues = request.shape, request.bounds.random_number(random)
    for _ in range(_MODELS_ATTEMPTS):
        if puzzle := fill_pattern(shape, clues, random.order(shape.size**2), random.choice):
            return puzzle
    problem = f"no random values for {clues} clues of {shape} in {_MODELS_ATTEMPTS} attempts"
    raise PuzzleError(problem, expected="fewer clues")


def fill_pattern(
    shape: Shape, clues: int, cells: Iterable[int], choose: Callable[[list[int]], int]
) -> Puzzle | None:
    """A puzzle with `clues` givens in the first of these cells that have a value left.

    Args:
        shape: its shape.
        clues: the number of givens.
        cells: cells in the order in which they are filled.
        choose: chooses among the values that no peer of a cell has.

    Returns:
        None if too few cells have a value left.
    """
    givens = [0] * shape.size**2
    remaining = clues
    for cell in cells:
        if not remaining:
            break
        peer_values = {givens[peer] for peer in shape.peers[cell]}
        free = [value for value in range(1, shape.size + 1) if value not in peer_values]
        if free:
            givens[cell] = choose(free)
            remaining -= 1
    return None if remaining else Puzzle(shape, tuple(givens))


# Pencilmark puzzles (sukaku): restricted candidates in place of givens.


_NODES_OF_PROOF: Final = 200_000
"""Node limit of the search for each candidate and each constraint of a minimal puzzle."""
_PENCILMARKS_ATTEMPTS: Final = 3


def pencilmark_puzzle(request: GenerationRequest, random: Prng) -> Puzzle:
    """A random puzzle with one solution to which no removed candidate can return.

    In a minimal puzzle, each removed candidate is proven necessary: if it returned, there would be
    more solutions. Otherwise a candidate about which a short search does not decide stays removed.

    Raises:
        PuzzleError: in each attempt at a minimal puzzle, a search reaches its node limit.
    """
    shape = request.shape
    if not request.minimal:
        return _with_most_candidates(shape, 200, random)[0]
    for _ in range(_PENCILMARKS_ATTEMPTS):
        puzzle, proven = _with_most_candidates(shape, _NODES_OF_PROOF, random, minimal=True)
        if proven:
            return puzzle
    raise PuzzleError(
        f"no minimal pencilmark puzzle of {shape} in {_PENCILMARKS_ATTEMPTS} attempts; "
        f"in each a search took {_NODES_OF_PROOF:,} nodes",
        expected="a smaller shape, or puzzles that are not minimal",
    )


def _with_most_candidates(
    shape: Shape, nodes: int, random: Prng, minimal: bool = False
) -> tuple[Puzzle, bool]:
    """A puzzle, and whether each search decided; with `minimal`, the first failure ends it."""
    solver = solver_of(shape)
    grid = random_grid(shape, random)
    marks = [1 << value - 1 for value in grid]
    start = solver.start(marks)
    proven = True
    for candidate in random.order(shape.size**3):
        cell, value = divmod(candidate, shape.size)
        if grid[cell] == value + 1:
            continue
        start[cell] = 1 << value  # the solutions that it would add
        number = solver.count(start, 1, nodes)
        if number == 0:
            marks[cell] |= 1 << value
        start[cell] = marks[cell]
        if number is None:
            proven = False
            if minimal:
                break
    return Puzzle(shape, (0,) * shape.size**2, tuple(marks)), proven


# Large puzzles with one solution, which naked and hidden singles find: no search is needed.


_FIRST: Final = 75
"""The fewest first clues, in percent of all clues; fewer would hardly reduce the total."""


def singles_puzzle(request: GenerationRequest, random: Prng) -> Puzzle:
    """A puzzle that singles solve, with the requested number of clues.

    The first clues come in random order, and one more wherever singles are stuck. With few enough
    first clues the total is at most the requested number, and further clues do no harm.

    Raises:
        PuzzleError: no complete grid is found, or singles need more clues.
    """
    shape, clues = request.shape, request.bounds.random_number(random)
    grid = scrambled_grid(shape, random)
    order = random.order(shape.size**2)

    def clues_from(number: int) -> list[int]:
        puzzle = _with_clues(shape, grid, {*order[:number]})
        _, hint_cells = by_singles(puzzle, ((cell, grid[cell]) for cell in order[number:]))
        return [*order[:number], *hint_cells]

    few = _FIRST * clues // 100
    numbers = range(few, clues + 1)
    at = bisect_right(numbers, clues, key=lambda number: len(clues_from(number))) - 1
    clue_cells = clues_from(numbers[max(at, 0)])
    if len(clue_cells) > clues:
        problem = f"singles do not solve a random puzzle of {shape} with {clues} clues"
        raise PuzzleError(problem, expected=f"about {len(clue_cells)} clues, or the model holes")
    all_kept = {*clue_cells}
    more = [cell for cell in order if cell not in all_kept][: clues - len(clue_cells)]
    return _with_clues(shape, grid, all_kept.union(more))


# Puzzles without a solution that naked and hidden singles do not refute.


_UNSOLVABLE_ATTEMPTS: Final = 300


def unsolvable_puzzle(request: GenerationRequest, random: Prng) -> Puzzle:
    """A random puzzle without a solution that the rules alone do not refute.

    Raises:
        PuzzleError: no such puzzle is found in a number of attempts.
    """
    shape, bounds, minimal = request.shape, request.bounds, request.minimal
    every = orbits(shape.size, None)
    unique, unsolvable = Digger(shape, 1), Digger(shape, 0)
    for _ in range(_UNSOLVABLE_ATTEMPTS):
        grid = random_grid(shape, random)
        random.shuffle(every)
        givens = _with_wrong_value(shape, unique.dig(grid, every), grid, random)
        if givens is None:
            continue
        random.shuffle(every)
        if minimal or clues_of(givens) > bounds.most:
            goal = 0 if minimal else bounds.random_number(random)
            givens = unsolvable.dig(givens, every, goal)
        givens = _with_more_clues(shape, givens, grid, 0 if minimal else bounds.fewest, random)
        if bounds.distance(clues_of(givens)):
            continue
        puzzle = Puzzle(shape, givens)
        if not minimal or is_minimal(puzzle, 10 * shape.size**4) is True:
            return puzzle
    problem = f"no puzzle of {shape} without a solution in {_UNSOLVABLE_ATTEMPTS} attempts"
    raise PuzzleError(problem, expected="another number of clues, or a larger shape")


def _with_wrong_value(shape: Shape, givens: Grid, grid: Grid, random: Prng) -> Grid | None:
    """The givens with a wrong value that only search refutes; None if there is none."""
    solver, puzzle = solver_of(shape), Puzzle(shape, givens)
    blanks = [cell for cell, value in enumerate(givens) if not value]
    random.shuffle(blanks)
    for cell in blanks:
        values = [value for value in puzzle.candidates(cell) if value != grid[cell]]
        random.shuffle(values)
        for value in values:
            other = (*givens[:cell], value, *givens[cell + 1 :])
            result = solver.search_puzzle(Puzzle(shape, other), 1, 100_000)
            if result.exact and not result.number and not result.by_rules:
                return other
    return None


def _with_more_clues(shape: Shape, givens: Grid, grid: Grid, fewest: int, random: Prng) -> Grid:
    """The givens with more values of the grid, as long as the rules do not refute them."""
    solver = solver_of(shape)
    clues = clues_of(givens)
    for cell in random.order(shape.size**2):
        if clues >= fewest:
            break
        if givens[cell]:
            continue
        more = (*givens[:cell], grid[cell], *givens[cell + 1 :])
        if not solver.search_puzzle(Puzzle(shape, more), 1, 100_000).by_rules:
            givens = more
            clues += 1
    return givens


# Puzzles with constraints that are true for a random grid.


_CONSTRAINED_ATTEMPTS: Final = 50
_LONGEST: Final = 5
"""Cells to which a cage grows in a large grid at first; later attempts have smaller cages."""


def constrained_puzzle(request: GenerationRequest, random: Prng) -> Puzzle:
    """A puzzle with one solution and the requested constraints; a minimal one needs each of them.

    Raises:
        PuzzleError: no such puzzle is found in a number of attempts.
    """
    shape = request.shape
    problems: Counter[str] = Counter()
    for attempt in range(_CONSTRAINED_ATTEMPTS):
        longest = max(2, min(_LONGEST, shape.size // 2 + 1) - attempt // 10)
        outcome = _with_constraints(request, longest, random)
        if isinstance(outcome, Puzzle):
            return outcome
        problems[outcome] += 1
    problem, times = problems.most_common(1)[0]
    raise PuzzleError(
        f"no such puzzle of {shape} in {_CONSTRAINED_ATTEMPTS} attempts: {problem} in "
        f"{times} of them",
        expected="other kinds or bounds, or another shape",
    )


def _with_constraints(request: GenerationRequest, longest: int, random: Prng) -> Puzzle | str:
    """The requested puzzle, with cages of up to `longest` cells, or why this attempt has none."""
    shape, constraints, minimal = request.shape, request.constraints, request.minimal
    assert constraints is not None
    rules = [Constraint(kind) for kind in constraints.kinds if kind in RULES]
    base = shape.with_constraints(rules)
    drawing = Drawing(base, random_grid(base, random), random, longest)
    most = constraints.most
    if most is not None:
        most = constraints.fewest + random.below(most - constraints.fewest + 1)
    choice = [*rules, *draw_constraints(constraints.kinds, most, drawing)]
    if missing := constraints.missing(choice):
        return f"too few constraints of the kind {missing}"
    goal = request.goal(random)
    groups = orbits(base.size, request.symmetry)
    random.shuffle(groups)
    nodes = _NODES_OF_PROOF if minimal else NODES
    digger = Digger(shape.with_constraints(choice), nodes=nodes)
    givens = digger.dig(drawing.grid, groups, goal)
    if minimal and digger.undecided:
        return f"a search took {nodes:,} nodes"
    if request.bounds.distance(clues_of(givens)):
        return f"{clues_of(givens)} clues"
    reduction = _Reduction(shape, givens, constraints, drawing)
    choice = reduction.harder(choice, request.hard)
    if minimal:
        choice = reduction.minimal(choice)
    choice.sort(key=lambda constraint: (list(KINDS).index(constraint.kind), constraint.lists))
    puzzle = Puzzle(shape.with_constraints(choice), givens)
    if minimal and not (choice and is_minimal(puzzle, nodes) is True):
        return "a kind or a clue that is not needed"
    return puzzle


class _Reduction:
    """Leaves out constraints of a puzzle as long as its solution stays unique."""

    def __init__(self, shape: Shape, givens: Grid, demand: Constraints, drawing: Drawing) -> None:
        self._shape = shape
        self._givens = givens
        self._properties = demand
        self._drawing = drawing
        marks = {mark for kind in demand.kinds for mark in UNMARKED.get(kind, ())}
        self._marks = marks | {"difference", "ratio"} if marks - {"xv"} else marks
        """Kinds that stay, since rules for neighbours without a mark count them."""

    def harder(self, constraints: list[Constraint], steps: int) -> list[Constraint]:
        """The constraints after random changes that keep one solution and do not reduce guesses."""
        cost = 0
        for _ in range(steps):
            fewer = self._weaker(constraints)
            if self._properties.missing(fewer):
                continue
            result = self._search(fewer, _HARD_NODES)
            if result.exact and result.number == 1 and result.guesses >= cost:
                constraints, cost = fewer, result.guesses
        return constraints

    def minimal(self, constraints: list[Constraint]) -> list[Constraint]:
        """The constraints without those that are not needed; empty if a search does not decide."""
        remaining = list(constraints)
        for place in self._drawing.random.order(len(constraints)):
            fewer = [constraint for constraint in remaining if constraint is not constraints[place]]
            if constraints[place].kind in self._marks:
                continue
            result = self._search(fewer, _NODES_OF_PROOF)
            if result.exact and result.number == 1:
                remaining = fewer
            elif result.number < 2:
                return []
        return [] if self._properties.missing(remaining) else remaining

    def _search(self, constraints: Sequence[Constraint], nodes: int = NODES) -> SearchResult:
        solver = Solver(self._shape.with_constraints(constraints))
        return solver.search(solver.start_of(self._givens), 2, nodes)

    def _weaker(self, constraints: list[Constraint]) -> list[Constraint]:
        """The constraints with one left out, a total removed, or two cages merged."""
        random = self._drawing.random
        choice = random.choice(constraints)
        if choice.kind in self._marks:
            return constraints
        remaining = [constraint for constraint in constraints if constraint is not choice]
        if choice.kind != "killer" or not choice.value or not random.below(4):
            return remaining
        if not random.below(3):
            return [*remaining, Constraint("killer", "", choice.lists)]
        cells = choice.cells
        near = {beside for cell in cells for beside in self._drawing.touching(cell)}
        values = {*self._drawing.values(cells)}
        others = [
            constraint
            for constraint in remaining
            if constraint.kind == "killer"
            and constraint.value
            and not near.isdisjoint(constraint.cells)
            and values.isdisjoint(self._drawing.values(constraint.cells))
        ]
        if not others:
            return remaining
        other = random.choice(others)
        total = str(int(choice.value) + int(other.value))
        union = Constraint("killer", total, (tuple(sorted([*cells, *other.cells])),))
        return [*(constraint for constraint in remaining if constraint is not other), union]
