"""Elimination and "only choice" on strings, as in the tutorial "AI之矛 数独Agent".

    box       a cell, called by its row and column: "A1" to "I9"
    unit      a house: a row, a column or a square
    peers     the other boxes of a box's units
    values    the candidates of every box as a string: {"A1": "4", "A2": "278", ...}

Two rules alternate until they solve no further box. Then the search copies the values and
tries each candidate of the box with the fewest, depth first. This program follows the tutorial,
but takes any shape and continues to further solutions. The program of the tutorial is the first
project of Udacity's course on artificial intelligence (2017).
"""

from collections.abc import Iterator
from string import ascii_letters

from harness.contract import Options, Restriction, SearchBackend, Stats, require_symbols
from harness.puzzles import VALUES, Grid, Puzzle, Shape, value_of

Values = dict[str, str]


class ArticleEliminate(SearchBackend):
    """The agent of the tutorial: eliminate, only_choice, reduce_puzzle and search."""

    name = "article-eliminate"
    paradigm = "backtracking with propagation on strings"
    named_only = True
    takes = frozenset({Restriction.PENCILMARKS, Restriction.PAIRS})

    def __init__(self, shape: Shape, options: Options) -> None:
        require_symbols(shape, self.name)
        rows = ascii_letters[26:] + ascii_letters[:26]
        self.boxes = cross(rows[: shape.size], map(str, range(1, shape.size + 1)))
        self.unitlist = [[self.boxes[cell] for cell in house.cells] for house in shape.houses]
        self.peers = {
            box: [self.boxes[peer] for peer in shape.peers[cell]]
            for cell, box in enumerate(self.boxes)
        }
        self.digits = VALUES[: shape.size]

    def search(self, puzzle: Puzzle) -> "Agent":
        """An agent that starts from the givens and pencilmarks."""
        return Agent(self, self.grid_values(puzzle))

    def grid_values(self, puzzle: Puzzle) -> Values:
        """The digit of a given, and every possible digit of a blank."""
        return {
            box: "".join(d for bit, d in enumerate(self.digits) if marks >> bit & 1)
            for box, marks in zip(self.boxes, puzzle.allowed, strict=True)
        }

    def grid(self, solution: Values) -> Grid:
        """The grid of values that are all single digits."""
        return tuple(value_of(solution[box]) or 0 for box in self.boxes)


class Agent:
    """A search for the solutions of one puzzle."""

    def __init__(self, backend: ArticleEliminate, values: Values) -> None:
        self.values = values
        self.boxes, self.unitlist, self.peers = backend.boxes, backend.unitlist, backend.peers
        self.digits = backend.digits
        self.nodes = self.guesses = 0

    @property
    def stats(self) -> Stats:
        """The number of boards reduced, and of boards that needed a guess."""
        return {"nodes": self.nodes, "guesses": self.guesses}

    def solutions(self) -> Iterator[Values]:
        """Each solution once, depth first."""
        open_boards = [self.values]
        while open_boards:
            values = open_boards.pop()
            self.nodes += 1
            if not self.reduce_puzzle(values):
                continue
            open_boxes = [(len(values[box]), box) for box in self.boxes if len(values[box]) > 1]
            if not open_boxes:
                yield values
                continue
            self.guesses += 1
            _, box = min(open_boxes)
            for digit in reversed(values[box]):
                attempt = values.copy()
                attempt[box] = digit
                open_boards.append(attempt)

    def reduce_puzzle(self, values: Values) -> bool:
        """Alternate both rules until they solve no further box; False if a box is empty."""
        is_stalled = False
        while not is_stalled:
            solved_before = self.number_solved(values)
            self.eliminate(values)
            self.only_choice(values)
            is_stalled = solved_before == self.number_solved(values)
            if not all(values.values()):
                return False
        return True

    def number_solved(self, values: Values) -> int:
        """The number of boxes with a single digit."""
        return sum(len(digits) == 1 for digits in values.values())

    def eliminate(self, values: Values) -> None:
        """Remove the digit of each solved box from its peers (naked single)."""
        for box in [box for box in self.boxes if len(values[box]) == 1]:
            digit = values[box]
            for peer in self.peers[box]:
                values[peer] = values[peer].replace(digit, "")

    def only_choice(self, values: Values) -> None:
        """Place each digit that a unit has in one box only (hidden single)."""
        for unit in self.unitlist:
            for digit in self.digits:
                places = [box for box in unit if digit in values[box]]
                if len(places) == 1:
                    values[places[0]] = digit


def cross(rows: str, columns: Iterator[str]) -> list[str]:
    """The names of all boxes, row by row."""
    names = list(columns)
    return [row + column for row in rows for column in names]
