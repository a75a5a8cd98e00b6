"""Backtracking with propagation in pure Python: the reference implementation.

    cell          0, 1, 2, ... row by row
    house         the cells that hold every value once
    peers         the other cells of a cell's houses
    candidates    the possible values of a cell, as bits: 0b100 is "only 3"
    state         the candidates of every cell

Propagation applies two rules to a fixpoint: the value of a cell with a single candidate
leaves its peers (naked single), and a value with a single place in a house goes there
(hidden single). In between, the constraints of a shape remove the candidates that they exclude
(`harness.puzzles.search.propagation`). Then the search branches on the fewest alternatives. The
design follows Norvig, "Solving Every Sudoku Puzzle", with bit masks, for any shape and for
all solutions.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

from harness.contract import (
    EVERYTHING,
    Options,
    Proof,
    SearchBackend,
    Stats,
    Unsupported,
)
from harness.puzzles import Grid, Puzzle, Shape
from harness.puzzles.search import filters_of, strengthen

State = list[int]
Alternatives = list[tuple[int, int]]
"""Pairs of a cell and a value; one of them must hold."""


class Native(SearchBackend):
    """Depth-first search on bitmasks with naked and hidden singles."""

    name = "native"
    paradigm = "backtracking with propagation"
    proves = True
    takes = EVERYTHING

    def __init__(self, shape: Shape, options: Options) -> None:
        self.shape = shape
        self.filters = Filters(shape)

    def search(self, puzzle: Puzzle) -> "Search":
        """A depth-first search."""
        return Search(puzzle, self.filters)

    def grid(self, solution: State) -> Grid:
        """The values of a solution."""
        return values_of(solution)

    def prove(self, puzzle: Puzzle, limit: int) -> Proof:
        """The solutions, up to `limit`, and the decision tree of the search as a proof.

        Raises:
            Unsupported: the shape has constraints, which the proof does not derive.
        """
        if puzzle.shape.primitives:
            raise Unsupported("native writes no proofs for puzzles with constraints")
        tree = DecisionTree(Search(puzzle, self.filters), limit)
        steps = "".join(tree.steps())
        return Proof(tuple(map(values_of, tree.solutions)), tree.complete, steps * tree.complete)


class Filters:
    """The constraints of a shape as filters, and the numbers of the filters of each cell."""

    def __init__(self, shape: Shape) -> None:
        shape, constraints = strengthen(shape)
        self.all = filters_of(constraints, shape.size, shape.peers)
        self.peers = shape.peers
        self.of_cell: list[list[int]] = [[] for _ in range(shape.size**2 if self.all else 0)]
        for number, primitive in enumerate(self.all):
            for cell in primitive.cells:
                self.of_cell[cell].append(number)


class Search:
    """A depth-first search for the solutions of one puzzle."""

    def __init__(self, puzzle: Puzzle, filters: Filters | None = None) -> None:
        self.filters = filters or Filters(puzzle.shape)
        shape = puzzle.shape
        self.size = shape.size
        self.every_value = (1 << shape.size) - 1
        self.houses = [house.cells for house in shape.houses]
        self.peers = self.filters.peers
        self.start = list(puzzle.allowed)
        self.failures = [0] * len(puzzle.givens)
        self.nodes = 0
        self.guesses = 0

    @property
    def stats(self) -> Stats:
        """The number of states visited, and of states that needed a guess."""
        return {"nodes": self.nodes, "guesses": self.guesses}

    def solutions(self) -> Iterator[State]:
        """Each solution once, as a state of single candidates."""
        if not all(self.start):
            return  # the pencilmarks leave a cell no value
        state = self.start
        singles = [cell for cell, candidates in enumerate(state) if is_single(candidates)]
        waiting = set(range(len(self.filters.all)))
        open_guesses: list[tuple[State, Alternatives]] = []
        """States that needed a guess, with the alternatives that are left, the next one last."""
        while True:
            self.nodes += 1
            if self.is_possible(state, singles, waiting):
                alternatives = self.fewest_alternatives(state)
                if alternatives:
                    self.guesses += 1
                    open_guesses.append((state, alternatives[::-1]))
                else:
                    yield state
            if not open_guesses:
                return
            state, options = open_guesses[-1]
            cell, value = options.pop()
            # A grid of 100x100 takes 80 kB: a state is copied only if it is needed again.
            if options:
                state = state.copy()
            else:
                open_guesses.pop()
            state[cell] = value
            singles, waiting = [cell], set()

    def is_possible(self, state: State, singles: list[int], waiting: set[int]) -> bool:
        """Apply both rules and all constraints; False if a cell or value has no candidate left."""
        if self.filters.all:
            return self.propagate_with_filters(state, singles, waiting)
        return self.propagate(state, singles)

    def propagate(self, state: State, singles: list[int]) -> bool:
        """Apply both rules to a fixpoint; False if a cell or a value has no candidate left.

        Args:
            state: the candidates of every cell; modified.
            singles: cells with a single candidate that their peers may still have.
        """
        while True:
            # Naked single: remove the value of a decided cell from its peers.
            while singles:
                cell = singles.pop()
                value = state[cell]
                for peer in self.peers[cell]:
                    if state[peer] & value:
                        remaining = state[peer] ^ value
                        if not remaining:
                            return self.fail([peer])
                        state[peer] = remaining
                        if not remaining & (remaining - 1):
                            singles.append(peer)
            # Hidden single: place a value that has one place left in a house.
            for house in self.houses:
                once = more = 0
                for cell in house:
                    more |= once & state[cell]
                    once |= state[cell]
                if once != self.every_value:
                    return self.fail(house)
                once &= ~more
                if not once:
                    continue
                for cell in house:
                    value = state[cell] & once
                    if value and value != state[cell]:
                        if value & (value - 1):
                            return self.fail(house)
                        state[cell] = value
                        singles.append(cell)
            if not singles:
                return True

    def propagate_with_filters(self, state: State, singles: list[int], waiting: set[int]) -> bool:
        """Like `propagate`, but with all constraints in the fixpoint.

        Args:
            state: the candidates of every cell; modified.
            singles: cells with a single candidate that has not been propagated yet.
            waiting: the numbers of further constraints to apply.
        """
        of_cell, filters = self.filters.of_cell, self.filters.all
        for cell in singles:
            waiting.update(of_cell[cell])
        while True:
            before = state.copy()
            if not self.propagate(state, singles):
                return False
            for cell, (old, new) in enumerate(zip(before, state, strict=True)):
                if old != new:
                    waiting.update(of_cell[cell])
            if not waiting:
                return True
            while waiting and not singles:
                cells, allowed_by = filters[waiting.pop()]
                for cell, marks in zip(cells, allowed_by(state), strict=False):
                    remaining = state[cell] & marks
                    if remaining == state[cell]:
                        continue
                    state[cell] = remaining
                    if not remaining:
                        return self.fail(cells)
                    waiting.update(of_cell[cell])
                    if not remaining & (remaining - 1):
                        singles.append(cell)

    def fail(self, cells: Iterable[int]) -> bool:
        """Record a failure at these cells; always False."""
        for cell in cells:
            self.failures[cell] += 1
        return False

    def fewest_alternatives(self, state: State) -> Alternatives:
        """The alternatives to branch on: the candidates of a cell, or two places of a value.

        Selects the fewest alternatives, and among equals the cell or house with the
        most failures (Boussemart et al., "Boosting systematic search by weighting
        constraints", ECAI 2004). Empty if every cell is decided.
        """
        best, fewest, most_failures = -1, self.size + 1, -1
        for cell, candidates in enumerate(state):
            if candidates & (candidates - 1):
                number = candidates.bit_count()
                if number < fewest or (number == fewest and self.failures[cell] > most_failures):
                    best, fewest, most_failures = cell, number, self.failures[cell]
        if best < 0:
            return []
        two_places = [] if fewest == 2 else self.two_places(state)
        return two_places or [(best, value) for value in bits(state[best])]

    def two_places(self, state: State) -> Alternatives:
        """The two places of a value in the house with the most failures; empty if none exist."""
        places: Alternatives = []
        most_failures = -1
        for house in self.houses:
            once = twice = more = 0
            for cell in house:
                more |= twice & state[cell]
                twice |= once & state[cell]
                once |= state[cell]
            twice &= ~more
            if twice:
                failures = sum(self.failures[cell] for cell in house)
                if failures > most_failures:
                    value = twice & -twice
                    places = [(cell, value) for cell in house if state[cell] & value]
                    most_failures = failures
        return places


class DecisionTree:
    """A search for all solutions that writes its decision tree as a proof.

    Unit propagation finds what both rules find, so it leads from the decisions of a leaf to a
    conflict: with the rules, or with the clause that forbids the solution. So the lemma follows
    that these decisions do not all hold. Once all alternatives of a decision but the last have
    such a lemma, the lemma of the decisions before it follows, too. Each lemma replaces those
    below it, which are deleted.

    Args:
        search: the search, which must not have begun.
        limit: the number of solutions at which the search ends.
    """

    def __init__(self, search: Search, limit: int) -> None:
        self.search = search
        self.limit = limit
        self.size = search.every_value.bit_length()
        self.solutions: list[State] = []
        self.complete = False
        """Whether the search has ended without reaching the limit."""

    def steps(self) -> Iterator[str]:
        """The steps of the proof, as the search goes on."""
        search = self.search
        decisions: list[str] = []
        """The negated literals of the decisions that lead to the current state."""
        lemmas: list[str] = []
        """The lemmas that are not deleted."""
        if not all(search.start):
            yield "0\n"  # the pencilmarks leave a cell no value
            self.complete = True
            return
        givens = [cell for cell, values in enumerate(search.start) if is_single(values)]
        open_nodes = [Node(search.start, givens, 0, "", is_last=False)]
        while open_nodes:
            node = open_nodes.pop()
            del decisions[max(0, node.depth - 1) :]
            if node.depth:
                decisions.append(node.literal)
            if node.state is not None:
                alternatives = self.alternatives(node.state, node.singles)
                if len(self.solutions) == self.limit:
                    return
                if alternatives:
                    open_nodes.append(replace(node, state=None, lemmas_before=len(lemmas)))
                    for cell, value in reversed(alternatives):
                        guess = node.state.copy()
                        guess[cell] = value
                        literal = str(-(cell * self.size + value.bit_length()))
                        is_last = (cell, value) == alternatives[-1]
                        child = Node(guess, [cell], node.depth + 1, literal, is_last=is_last)
                        open_nodes.append(child)
                    continue
                node = replace(node, lemmas_before=len(lemmas))
            if node.is_last:
                continue
            lemma = f"{' '.join([*decisions, '0'])}\n"
            yield lemma
            if not node.depth:
                break  # the empty clause
            yield from (f"d {below}" for below in lemmas[node.lemmas_before :])
            lemmas[node.lemmas_before :] = [lemma]
        self.complete = True

    def alternatives(self, state: State, singles: list[int]) -> Alternatives:
        """The alternatives of a state; none at a failure or at a solution, which it records."""
        self.search.nodes += 1
        if not self.search.propagate(state, singles):
            return []
        alternatives = self.search.fewest_alternatives(state)
        if not alternatives:
            self.solutions.append(state)
        return alternatives


@dataclass(frozen=True, slots=True)
class Node:
    """A node of a decision tree that is not finished."""

    state: State | None
    """The candidates after its decision; None once its alternatives are open."""
    singles: list[int]
    """Cells with a single candidate that their peers may still have."""
    depth: int
    """The number of decisions."""
    literal: str
    """The negated literal of its decision; empty at the root."""
    is_last: bool
    """Whether it is the last alternative of a decision, whose lemma nothing needs."""
    lemmas_before: int = 0
    """The number of lemmas kept when the nodes below it began."""


def is_single(candidates: int) -> bool:
    """Whether at most one candidate is left."""
    return not candidates & (candidates - 1)


def bits(candidates: int) -> Iterator[int]:
    """Each candidate as a bit mask, smallest value first."""
    while candidates:
        lowest = candidates & -candidates
        yield lowest
        candidates ^= lowest


def values_of(state: State) -> Grid:
    """The grid of a fully decided state."""
    return tuple(candidates.bit_length() for candidates in state)
