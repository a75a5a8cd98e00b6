"""The candidates of a puzzle, as an exact-cover problem.

    candidate     a blank cell and a value that no given among its peers has
    group         candidates; exactly one holds: all of a blank cell, or all
                  of a value missing in a house
    slack         stands for "none of them": the last of a group with at most one that
                  holds, such as a value in two cells that differ (`Shape.pairs`)
    auxiliary     a further variable for the constraints of a shape, which also have
                  clauses or rows; see `harness.puzzles.search.encoding`

A solution is a set of candidates with exactly one per group; slacks and auxiliaries follow
from the others, so there are as many of these sets as solutions. Exact cover (Knuth,
"Dancing Links", 2000), SAT (Lynce and Ouaknine, "Sudoku as a SAT problem", 2006) and
integer programming share this view of Sudoku.
"""

from collections.abc import Iterable, Iterator
from itertools import combinations

from harness.puzzles.puzzle import Grid, Puzzle
from harness.puzzles.search.encoding import Encoder, Encoding
from harness.puzzles.search.propagation import propagate_puzzle


class Candidates:
    """The candidates of a puzzle, numbered from 0, and their groups.

    Args:
        puzzle: the puzzle.
        linear: whether constraints of its shape become rows rather than clauses.
        combine: whether sums of cells that differ get a literal for each combination of values.
    """

    def __init__(self, puzzle: Puzzle, *, linear: bool = False, combine: bool = True) -> None:
        size, houses_of = puzzle.shape.size, puzzle.shape.houses_of
        partners_of, bits_of = puzzle.shape.partners_of, puzzle.allowed
        self.puzzle = puzzle
        self.meaning: list[tuple[int, int]] = []
        """The cell and the value of each candidate; value 0 for an auxiliary or a slack."""
        self.cells: list[list[int]] = []
        """The candidates of each blank cell, values ascending."""

        # A set of values is a bit mask: bit v stands for value v.
        clue_bits = [0] * len(puzzle.shape.houses)
        has_repeat = False
        for cell, value in enumerate(puzzle.givens):
            if value:
                for house in houses_of[cell]:
                    has_repeat = has_repeat or bool(clue_bits[house] >> value & 1)
                    clue_bits[house] |= 1 << value

        domains, possible = propagate_puzzle(puzzle) if puzzle.shape.primitives else (None, True)
        places: list[list[list[int]]] = [[[] for _ in range(size + 1)] for _ in clue_bits]
        for cell, clue in enumerate(puzzle.givens):
            if clue:
                continue
            exclusion = ~((bits_of if domains is None else domains)[cell] << 1)
            for house in houses_of[cell]:
                exclusion |= clue_bits[house]
            for partner in partners_of[cell]:
                exclusion |= 1 << puzzle.givens[partner]
            group = []
            for value in range(1, size + 1):
                if not exclusion >> value & 1:
                    group.append(len(self.meaning))
                    for house in houses_of[cell]:
                        places[house][value].append(len(self.meaning))
                    self.meaning.append((cell, value))
            self.cells.append(group)
        self.groups = self.cells + [
            places[house][value]
            for house, values in enumerate(clue_bits)
            for value in range(1, size + 1)
            if not values >> value & 1
        ]
        """All groups, those of the cells first."""
        self.refuted = has_repeat or not possible or not all(self.groups)
        """Whether a contradiction is evident: a duplicate, or a group or constraint left empty."""
        self.encoding = Encoding(len(self.meaning))
        """The clauses or rows of the constraints of the shape; candidate c is literal c + 1."""
        if domains is not None and not self.refuted:
            self._encode(domains, linear, combine)
        self._add_pairs()

    def _encode(self, domains: list[int], linear: bool, combine: bool) -> None:
        """Add the auxiliaries and groups of the constraints of the shape."""
        shape = self.puzzle.shape
        numbers = {meaning: number for number, meaning in enumerate(self.meaning, 1)}
        encoder = Encoder(numbers, domains, shape.peers, linear=linear, combine=combine)
        encoding = encoder.encode(shape.primitives)
        self.meaning += [(0, 0)] * (encoding.literals - len(self.meaning))
        for group in encoding.groups:
            self.groups.append([literal - 1 for literal in group])
        for group in encoding.at_most:
            self.groups.append([*(literal - 1 for literal in group), len(self.meaning)])
            self.meaning.append((0, 0))
        self.refuted = not all(self.groups) or not all(encoding.clauses)
        self.encoding = encoding

    def _add_pairs(self) -> None:
        """Add a group for each value that two cells of a pair may both have."""
        numbers = {meaning: candidate for candidate, meaning in enumerate(self.meaning)}
        givens = self.puzzle.givens
        for first, second in self.puzzle.shape.pairs:
            if givens[first] and givens[first] == givens[second]:
                self.refuted = True
            for value in range(1, self.puzzle.shape.size + 1):
                pair = (first, value), (second, value)
                if pair[0] in numbers and pair[1] in numbers:
                    self.groups.append([numbers[pair[0]], numbers[pair[1]], len(self.meaning)])
                    self.meaning.append((first, 0))

    def __len__(self) -> int:
        return len(self.meaning)

    def grid(self, candidates: Iterable[int]) -> Grid:
        """The grid of the givens and the chosen candidates."""
        grid = list(self.puzzle.givens)
        for candidate in candidates:
            cell, value = self.meaning[candidate]
            if value:
                grid[cell] = value
        return tuple(grid)

    def candidates_of(self, values: Iterable[int]) -> list[int]:
        """The candidates that give the blank cells these values, in order."""
        return [
            next(candidate for candidate in group if self.meaning[candidate][1] == value)
            for group, value in zip(self.cells, values, strict=True)
        ]

    def domains(self) -> list[list[int]]:
        """The possible values of each blank cell, ascending."""
        return [[self.meaning[candidate][1] for candidate in group] for group in self.cells]

    @property
    def place_of(self) -> dict[int, int]:
        """The index in `cells` of each blank cell."""
        return {self.meaning[group[0]][0]: number for number, group in enumerate(self.cells)}

    def different(self) -> list[list[int]]:
        """The blank cells of each house or pair with at least two, as indices into `cells`."""
        place = self.place_of
        shape = self.puzzle.shape
        sets = (*(house.cells for house in shape.houses), *shape.pairs)
        blanks = ([place[cell] for cell in cells if cell in place] for cells in sets)
        return [blank for blank in blanks if len(blank) > 1]

    def members(self) -> list[list[int]]:
        """The groups of each candidate, as indices into `groups`."""
        groups_of: list[list[int]] = [[] for _ in self.meaning]
        for number, group in enumerate(self.groups):
            for candidate in group:
                groups_of[candidate].append(number)
        return groups_of

    def clauses(self) -> Iterator[list[int]]:
        """The problem as clauses, with variable c + 1 for candidate c.

        This is the extended encoding of Lynce and Ouaknine: at least one candidate of
        each group, and at most one of any two in it.
        """
        for group in self.groups:
            yield [candidate + 1 for candidate in group]
            for first, second in combinations(group, 2):
                yield [-1 - first, -1 - second]
        yield from self.encoding.clauses


def by_singles(
    puzzle: Puzzle, hints: Iterable[tuple[int, int]] = ()
) -> tuple[Grid | None, list[int]]:
    """The only solution of `puzzle` if naked and hidden singles find it, and the hints used.

    Time and memory are linear in the number of candidates: each is removed at most once, and
    each group gets its candidate once.

    Args:
        puzzle: a puzzle of any size; with constraints nothing is found.
        hints: cells with their values in a solution. Where no single is left, a cell gets its
            value from the next hint that helps.

    Returns:
        The solution, or None; and the cells of the hints used.
    """
    problem = Candidates(puzzle)
    if problem.refuted or puzzle.shape.primitives:
        return None, []
    groups, members, place = problem.groups, problem.members(), problem.place_of
    remaining, is_open = [len(group) for group in groups], [True] * len(problem)
    choice, hint_cells = [], []
    waiting = [number for number, group in enumerate(groups) if len(group) == 1]
    more = ((c, v) for c, v in hints if c in place)
    while True:
        if waiting:
            candidates = [c for c in groups[waiting.pop()] if is_open[c]]
        elif hint := next(more, None):
            of_cell = groups[place[hint[0]]]
            candidates = [c for c in of_cell if is_open[c] and problem.meaning[c] == hint]
            hint_cells += [hint[0]] * len(candidates)
        else:
            break
        for candidate in candidates:
            choice.append(candidate)
            is_open[candidate] = False
            for other in {c for group in members[candidate] for c in groups[group] if is_open[c]}:
                is_open[other] = False
                for group in members[other]:
                    remaining[group] -= 1
                    if remaining[group] == 1:
                        waiting.append(group)
    grid = problem.grid(choice)
    return (grid if all(grid) else None), hint_cells
