"""Ratings: how difficult a puzzle is, by several measures."""

from collections.abc import Sequence
from math import comb
from typing import Final

from harness.extensions.reasoning.board import Board, Rule
from harness.extensions.reasoning.ladder import (
    BEYOND,
    LEVELS,
    NO_RULE,
    RULES,
    Level,
    ladder_of,
    slug,
)
from harness.extensions.reasoning.rules.singles import HiddenSingle, NakedSingle
from harness.extensions.reasoning.search import Search, Strategy
from harness.extensions.reasoning.solving import propagate
from harness.puzzles import Grid, Puzzle
from harness.puzzles.search import solver_of

# The solution of a puzzle with exactly one; most ratings are for such puzzles only.


def only_solution(puzzle: Puzzle) -> Grid | None:
    """The solution of `puzzle`; None for no or several, or if a million nodes do not decide."""
    result = solver_of(puzzle.shape).search_puzzle(puzzle, 2, 1_000_000)
    return result.solution if result.exact and result.number == 1 else None


# The backdoor size: the fewest cells whose values let singles finish a puzzle.


LARGEST: Final = 3
"""The largest size that is searched for."""
MOST_SETS: Final = 1_000_000
"""Maximum number of sets of cells of one size that are tried."""


def backdoor_size(puzzle: Puzzle, largest: int = LARGEST) -> int | None:
    """The size of a smallest backdoor of `puzzle`; 0 if singles finish it.

    A backdoor is a set of cells such that naked and hidden singles finish the puzzle after these
    cells have the values of its solution. This is the weak backdoor of Williams, Gomes and
    Selman, "Backdoors to typical case complexity" (IJCAI 2003), with the two rules as the
    subsolver. All sets of each size are tried, so the size is exact.

    Args:
        puzzle: a puzzle of any shape.
        largest: the largest size that is searched for.

    Returns:
        None for a puzzle that has no or several solutions, or a larger backdoor; and if there
        are more than `MOST_SETS` sets of a size that is needed, as for size 3 if singles leave
        183 or more cells open.
    """
    solution = only_solution(puzzle)
    if solution is None:
        return None
    solver = solver_of(puzzle.shape)
    start = solver.start(puzzle.allowed)
    open_cells = solver.open_after(start, solution, 0)
    for size in range(min(largest, len(puzzle.givens)) + 1):
        if comb(open_cells, size) > MOST_SETS:
            return None
        if not solver.open_after(start, solution, size):
            return size
    return None


# The hardest rule that a puzzle needs: its rung on the ladder of rules.


def rung_of(puzzle: Puzzle, rules: Sequence[Rule] | None = None) -> int | None:
    """The smallest number n such that the first n of `rules` finish `puzzle`.

    0 stands for a complete grid, and one more than the number of rules for a puzzle that all of
    them together do not finish. The rule n is the hardest that the puzzle needs: the rules
    before it alone do not finish the puzzle.

    Args:
        puzzle: a puzzle of any shape.
        rules: the rules, simplest first; by default the ladder of its shape.

    Returns:
        None for a puzzle that has no or several solutions.
    """
    if only_solution(puzzle) is None:
        return None
    rules = ladder_of(puzzle.shape) if rules is None else rules
    board = Board(puzzle)
    for number in range(len(rules) + 1):
        propagate(board, rules[:number])
        if board.finished:
            return number
    return len(rules) + 1


def hardest_rule(puzzle: Puzzle) -> str | None:
    """The name in `RULE_NAMES` of the hardest rule that `puzzle` needs; see `rung_of`."""
    rung = rung_of(puzzle)
    names = (NO_RULE, *map(slug, ladder_of(puzzle.shape)), BEYOND)
    return None if rung is None else names[rung]


# The level of a puzzle: which of the stop rules of the Tsinghua project it meets.


def level_of(puzzle: Puzzle) -> Level | None:
    """The hardest level whose rules do not finish `puzzle`.

    naive    naked singles finish it
    easy     naked singles do not, naked and hidden singles do
    normal   singles do not, singles and the repetitive cycle rule do
    hard     singles and the repetitive cycle rule do not

    So a puzzle that `harness generate` makes for a level has this level or a harder one: the stop
    rule bounds the difficulty from below. Sometimes Naive, the fifth level, means that each clue
    is needed; a puzzle of any level may have this property.

    Args:
        puzzle: a puzzle of any shape.

    Returns:
        None for a puzzle that has no or several solutions, or constraints, which these rules
        skip.
    """
    rung = None if puzzle.shape.primitives else rung_of(puzzle, RULES[Level.HARD])
    return None if rung is None else LEVELS[max(rung - 1, 0)]


# The nodes of a search: the measure of the Tsinghua project for its levels of inference.


NO_RULES: Final[tuple[Rule, ...]] = ()
"""Direct search: every placement is a node."""
NAKED: Final = (NakedSingle(),)
"""The basic rules."""
HIDDEN: Final = (NakedSingle(), HiddenSingle())
"""The basic rules and exclusion."""


def nodes_of(puzzle: Puzzle, rules: tuple[Rule, ...] = NO_RULES, most: int = 100_000) -> int | None:
    """The nodes up to the first solution, or up to the proof that there is none.

    The search is depth-first. It guesses in the first cell with the fewest candidates, values
    ascending, and applies `rules` between two guesses. The number depends on the order of cells
    and values, so scrambles of a puzzle can have other numbers.

    Args:
        puzzle: a puzzle of any shape, with any number of solutions.
        rules: the rules, simplest first.
        most: the node limit.

    Returns:
        None if the node limit is too low.
    """
    search = Search(puzzle, Strategy(rules, most_nodes=most))
    next(search.solutions(), None)
    return None if search.gave_up else search.nodes
