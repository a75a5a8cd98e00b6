"""The puzzles of five articles, and what the articles state about them.

The items, such as C0.6, are those of article_items.toml.
"""

from harness.contract import Count
from harness.puzzles import Puzzle, parse_puzzle
from tests.backends.oracle import backend_of

P0 = "..3.2.6..9..3.5..1..18.64....81.29..7.......8..67.82....26.95..8..2.3..9..5.1.3.."
P0_SOLUTION = "483921657967345821251876493548132976729564138136798245372689514814253769695417382"
P2 = "...8......3..92..1.9.......7.....8....57..9..2..........352.1...5....4.2..6..4..."
P2_FIRST = "514837269637492581892156743741269835365781924289345617473528196958613472126974358"
P2_SOLUTIONS = 38122
P3A = "53..76.2912639.57..7952..63263.5.9477..2.93569457632813.4685792697432..5.5291763."
P3B = "..318679559647231818795364297.321.64.1.86..3736.5.7.216.17.528.7..61845.85.23.176"
P3C = "316..5.94.87..4563.4563.1.86215.83.9479362815853..16..1.2453.8.5.8...43.734..6.51"
P3D = "..14..6.9.49..6.5.6.2..58437.86..5..49358..61...174.3.325..........5.2.69.72413.."
FIGURE_6 = ".9..5342..134928...4..67.39..1524...92.318..4.5.9763121.924576...573.2...7.68...."
FIGURE_11 = "5....1..8......6......6257..9.2.51....4.1.3....83.9.2..7698......5......8..1....3"
"""Puzzles of Eppstein's article, in which P3A has number 5 and P3B number 7."""
NEAR = "98.7..6....5.4...........3.7..8..9...4...2..5.3.....2.1...8...6...1...9.....671.."
"""A puzzle whose numbers of nodes are close to those of the course project (N3)."""


def solution_of(text: str, puzzle: str | Puzzle) -> str | None:
    """The solution of a backend as a line; None if it proves that there is none."""
    parsed = parse_puzzle(puzzle) if isinstance(puzzle, str) else puzzle
    grid = backend_of(text, parsed.shape).solve(parsed).grid
    return Puzzle(parsed.shape, grid).line if grid else None


def count_of(text: str, line: str, limit: int) -> Count:
    """The count of a backend."""
    puzzle = parse_puzzle(line)
    return backend_of(text, puzzle.shape).count(puzzle, limit)
