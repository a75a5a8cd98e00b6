"""The search on the puzzles of a shape: solutions, counts, guesses and backdoors."""

from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache
from threading import get_ident
from typing import Final, NamedTuple

from harness.base.errors import PuzzleError
from harness.puzzles.constraints import (
    Distinct,
    Line,
    Primitive,
    Relation,
    Sum,
    ValueCount,
    bits_of,
    transpose,
)
from harness.puzzles.puzzle import Grid, Puzzle
from harness.puzzles.search import kernel
from harness.puzzles.search.candidates import by_singles
from harness.puzzles.search.kernel import (
    AT_HOUSES_OF,
    BRANCH,
    CELLS,
    CONSTRAINTS,
    Integers,
    Prng,
    begin,
    compiled,
    integers,
    plain,
    propagate,
    zeros,
)
from harness.puzzles.search.propagation import Sets, sets_of, strengthen
from harness.puzzles.shape import Shape

# Sets of cells whose values let naked and hidden singles finish a puzzle.


@compiled
def _fewest_open(
    tables: Integers,
    start: Integers,
    solution: Integers,
    number: int,
    states: Integers,
    choice: Integers,
    work: Integers,
) -> int:
    """The fewest cells that singles leave open after `number` cells have their values.

    All sets of cells are tried until one leaves none open. A cell that is decided by those
    chosen before it is in no set, because a smaller set does the same.

    Args:
        tables: the shape; see `harness.puzzles.search.kernel`.
        start: the candidates of each cell, of a puzzle with a solution.
        solution: the values of the solution.
        number: the number of cells of a set.
        states: room for a state for each cell and one more.
        choice: room for the cells of a set.
        work: two numbers for each cell, and the room of constraints.
    """
    cells = tables[CELLS]
    width = cells + BRANCH + tables[CONSTRAINTS]
    begin(tables, start, states, work)
    fewest: int = cells
    depth = 0
    choice[0] = -1
    while depth >= 0:
        at = depth * width
        if depth == number:
            open_cells = 0
            for cell in range(cells):
                if states[at + cell] & (states[at + cell] - 1):
                    open_cells += 1
            if open_cells < fewest:
                fewest = open_cells
            if not open_cells:
                break
            depth -= 1
            continue
        cell = choice[depth] + 1
        while cell < cells and not states[at + cell] & (states[at + cell] - 1):
            cell += 1
        if cell == cells:
            depth -= 1
            continue
        choice[depth] = cell
        following = at + width
        for other in range(width):
            states[following + other] = states[at + other]
        states[following + cell] = 1 << (solution[cell] - 1)
        work[0] = cell
        propagate(tables, states, following, work, 1, tables[tables[AT_HOUSES_OF] + cell])
        depth += 1
        choice[depth] = cell
    return fewest


# The search on the puzzles of a shape.


NO_LIMIT: Final = 2**60


class SearchResult(NamedTuple):
    """What a search found."""

    number: int
    """The number of solutions, up to the limit."""
    exact: bool
    """Whether the search ended on its own, so that there are no further solutions."""
    solution: Grid | None
    """The first solution, or a random one of those found; None if none was found."""
    guesses: int
    """The number of states that needed a guess."""
    by_rules: bool
    """Whether the rules, naked and hidden singles, decide alone: one solution or none."""


class Solver:
    """Searches puzzles of one shape. Not safe for use by several threads.

    Args:
        shape: the shape of all puzzles.
        with_implied: whether it also applies what follows from several constraints, as backends do.
    """

    def __init__(self, shape: Shape, with_implied: bool = True) -> None:
        self.shape = shape
        self.cells = shape.size**2
        self.every = (1 << shape.size) - 1
        """All values as bits."""
        self.searches = shape.size <= kernel.BITS
        """Whether the values fit into a number of the kernel; else `search_puzzle` uses singles."""
        if not self.searches:
            return
        tables = _tables(*(strengthen(shape) if with_implied else (shape, shape.primitives)))
        self._tables = integers(tables)
        width = self.cells + kernel.BRANCH + tables[CONSTRAINTS]
        self._states = zeros((self.cells + 1) * width)
        self._work = zeros(2 * self.cells + _room(tables))
        self._solution = zeros(self.cells)
        self._report = zeros(kernel.REPORT)
        self._tallied = zeros(1)
        self._tally = zeros(1)
        self._request = zeros(kernel.REQUEST)
        self._no_random = Prng().state

    def start(self, domains: Sequence[int]) -> Integers:
        """The candidates of all cells, as bits, as `search` takes them."""
        return integers(domains) if self.searches else list(domains)

    def start_of(self, givens: Sequence[int]) -> Integers:
        """The candidates of the cells of a puzzle with these givens, 0 for a blank."""
        return self.start([1 << value - 1 if value else self.every for value in givens])

    def count(self, start: Integers, limit: int, nodes: int = NO_LIMIT) -> int | None:
        """The number of solutions up to `limit`; None if `nodes` do not suffice.

        Args:
            start: the candidates of all cells.
            limit: solutions after which the search ends.
            nodes: branches after which the search ends.
        """
        number = self._run(start, limit, nodes, None)
        return None if self._report[kernel.UNDECIDED] and number < limit else number

    def search(
        self, start: Integers, limit: int, nodes: int = NO_LIMIT, random: Prng | None = None
    ) -> SearchResult:
        """Search solutions; return their number, one of them and the guesses.

        Args:
            start: the candidates of all cells.
            limit: solutions after which the search ends.
            nodes: branches after which the search ends.
            random: for a random order and a random solution; by default the order is fixed.
        """
        number = self._run(start, limit, nodes, random)
        report = plain(self._report)
        return SearchResult(
            number,
            not report[kernel.UNDECIDED] and (number < limit),
            tuple(plain(self._solution)) if number else None,
            report[kernel.GUESSES],
            bool(report[kernel.REFUTED_AT_ONCE]) or (number == 1 and not report[kernel.GUESSES]),
        )

    def in_one_solution(
        self, start: Integers, pairs: Sequence[tuple[int, int]], limit: int, nodes: int = NO_LIMIT
    ) -> list[tuple[int, int, int]] | None:
        """Which values of pairs of cells occur in exactly one solution.

        Args:
            start: the candidates of all cells.
            pairs: the pairs; both cells may be the same.
            limit: the maximum number of solutions to enumerate.
            nodes: branches after which the search ends.

        Returns:
            The index of the pair and its two values, for each such combination; None if there
            are more solutions than the limit, or the node limit is too low.
        """
        import numpy as np  # other searches need it only if they are compiled

        size = self.shape.size
        self._tallied = integers(cell for pair in pairs for cell in pair)
        self._tally = zeros(len(pairs) * size**2)
        solutions = self._run(start, limit + 1, nodes, None, len(pairs))
        if solutions > limit or self._report[kernel.UNDECIDED]:
            return None
        once = np.flatnonzero(np.asarray(self._tally) == 1).tolist()
        return [(at // size**2, at // size % size + 1, at % size + 1) for at in once]

    def open_after(self, start: Integers, solution: Grid, number: int) -> int:
        """The fewest cells that the rules leave open after `number` cells have their values.

        Args:
            start: the candidates of all cells, of a puzzle with a solution.
            solution: the values of a solution.
            number: the number of cells that get their values, at most all.
        """
        if not self.searches:
            return 0  # singles alone have found the solution
        room = self._states, zeros(number + 1), self._work
        return int(_fewest_open(self._tables, start, integers(solution), number, *room))

    def search_puzzle(self, puzzle: Puzzle, limit: int, nodes: int = NO_LIMIT) -> SearchResult:
        """Search the solutions of `puzzle` in a fixed order.

        Args:
            puzzle: a puzzle of the shape, optionally with pencilmarks.
            limit: solutions after which the search ends.
            nodes: branches after which the search ends.
        """
        if not self.searches:
            grid, _ = by_singles(puzzle)
            return SearchResult(int(grid is not None), grid is not None, grid, 0, grid is not None)
        return self.search(self.start(puzzle.allowed), limit, nodes)

    def _run(
        self, start: Integers, limit: int, nodes: int, random: Prng | None, pairs: int = 0
    ) -> int:
        if not self.searches:
            problem = f"the search of the harness does not take {self.shape}"
            raise PuzzleError(problem, expected=f"at most {kernel.BITS} values")
        self._request[kernel.LIMIT] = limit
        self._request[kernel.NODE_LIMIT] = nodes
        self._request[kernel.RANDOM] = random is not None
        self._request[kernel.TALLY] = pairs
        source = self._no_random if random is None else random.state
        room = self._states, self._work, self._solution, self._tallied, self._tally, self._report
        return int(kernel.search(self._tables, start, self._request, source, *room))


def solver_of(shape: Shape, with_implied: bool = True) -> Solver:
    """The solver of a shape, made once for each thread: compiled searches run side by side."""
    return _solver(shape, with_implied, get_ident())


@lru_cache(maxsize=16)
def _solver(shape: Shape, with_implied: bool, _: int) -> Solver:
    return Solver(shape, with_implied)


def _tables(shape: Shape, primitives: Sequence[Primitive | Sets]) -> list[int]:
    """A shape and its constraints as the kernel takes them; see `harness.puzzles.search.kernel`."""
    houses = [cell for house in shape.houses for cell in house.cells]
    houses_of = [bits_of(house % kernel.BITS for house in indices) for indices in shape.houses_of]
    at_houses_of = kernel.HEADER + len(houses)
    at_first_peer = at_houses_of + len(houses_of)
    ends = [at_first_peer + len(shape.peers) + 1]
    for peers in shape.peers:
        ends.append(ends[-1] + len(peers))
    size, places = shape.size, (kernel.HEADER, at_houses_of, at_first_peer)
    peers_of_all = [peer for peers in shape.peers for peer in peers]
    constraints = [primitive for primitive in primitives if not isinstance(primitive, Distinct)]
    header = [size, size**2, len(shape.houses), *places, len(constraints), ends[-1]]
    tables = [*header, *houses, *houses_of, *ends, *peers_of_all, *([0] * len(constraints))]
    starts: dict[tuple[int, ...], int] = {}

    def place_of(data: Iterable[int]) -> int:
        """Where the tables have these data, which constraints share."""
        key = tuple(data)
        if key not in starts:
            starts[key] = len(tables)
            tables.extend(key)
        return starts[key]

    for number, of_shape in enumerate(constraints, ends[-1]):
        kind, cells, *data = _constraint(of_shape, shape, place_of)
        tables[number] = len(tables)
        tables += [kind, len(cells), *data, *cells]
    return tables


def _constraint(
    primitive: Primitive | Sets, shape: Shape, place_of: Callable[[Iterable[int]], int]
) -> tuple[int, Sequence[int], int, int, int]:
    """A constraint as the kernel takes it: its kind, its cells, and its three numbers."""
    values = range(1, shape.size + 1)
    if isinstance(primitive, Relation):
        tables = place_of(primitive.table), place_of(transpose(primitive.table))
        return kernel.RELATION, (primitive.first, primitive.second), *tables, 0
    if isinstance(primitive, Line):
        moves = place_of(after for row in primitive.automaton.transitions for after in row)
        accepting = primitive.automaton.accepting
        return kernel.LINE, primitive.cells, moves, len(accepting), place_of(map(int, accepting))
    if isinstance(primitive, Sets):
        return kernel.SETS, primitive.cells, place_of(primitive.sets), len(primitive.sets), 0
    if isinstance(primitive, ValueCount):
        amounts = [primitive.values >> v - 1 & 1 for v in values] * len(primitive.cells)
        totals = set(range(primitive.least, primitive.most + 1))
    else:
        assert isinstance(primitive, Sum), primitive
        sets = sets_of(primitive, shape.size, shape.peers)
        if sets is not None:
            return kernel.SETS, primitive.cells, place_of(sets), len(sets), 0
        # Amounts are shifted by the smallest of each cell, so that no partial sum is negative.
        least = [min(k, k * shape.size) for k in primitive.coefficients]
        terms = zip(primitive.coefficients, least, strict=True)
        amounts = [k * v - low for k, low in terms for v in values]
        totals = {total - sum(least) for total in primitive.totals}
    sums = range(max(totals, default=0) + 1)
    accepts = place_of(int(total in totals) for total in sums)
    return kernel.SUM, primitive.cells, place_of(amounts), len(sums), accepts


def _room(tables: Sequence[int]) -> int:
    """The room that constraints need, in numbers: that of the largest one."""
    first = tables[kernel.AT_CONSTRAINTS]
    rooms = [0]
    for entry in tables[first : first + tables[CONSTRAINTS]]:
        number, states = tables[entry + kernel.NUMBER_OF], tables[entry + kernel.MORE]
        walks = tables[entry + kernel.KIND_OF] in (kernel.SUM, kernel.LINE)
        rooms.append(number + (number + 1) * states * walks)
    return max(rooms)
