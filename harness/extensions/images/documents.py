"""The puzzle of an image, which `harness read-image` prints as text or JSON."""

from harness.puzzles import Puzzle, Shape
from harness.report import Document


class LikelyValue(Document):
    """A value that a cell of an image may have."""

    value: str
    """The symbol, `.` for a blank."""
    probability: float
    """Its probability, 0 to 1."""


class DoubtfulCell(Document):
    """A cell of an image whose value is not certain."""

    cell: str
    """Name of the cell, for example `R1C2`."""
    value: str
    """The symbol that was chosen, `.` for a blank."""
    changed: bool
    """Whether the chosen symbol is not the likeliest one."""
    uncertain: bool
    """Whether another value is nearly as likely, or a clear value was changed."""
    likely: list[LikelyValue]
    """At most three values, likeliest first."""


class ImageRead(Document):
    """The puzzle of an image."""

    image: str
    """The file; `-` for standard input."""
    puzzle: str
    """Givens as a line, `.` for a blank."""
    puzzle_id: str
    """Digest of houses and givens."""
    shape: str
    """Name of the shape."""
    shape_is_clear: bool
    """Whether thick lines or `--shape` determine the shape."""
    unique: bool
    """Whether the puzzle has exactly one solution."""
    certain: bool
    """Whether the puzzle is unique, no cell is uncertain, the shape is clear or has 9 rows, the
    search left out no likely reading, and at most 3 readings were counted to find the puzzle."""
    reason: str
    """Why no reading with exactly one solution was found; empty if one was."""
    first_solutions: int | None
    """Solutions of the likeliest reading, 2 for two or more; null if not known."""
    questions: int
    """Number of readings whose solutions were counted."""
    letters: bool
    """Whether values of 10 or more are letters in the image."""
    corners: list[tuple[float, float]]
    """x and y of the corners as shares of width and height, clockwise from the upper left."""
    probabilities: list[float]
    """The probability of the chosen value of each cell, row by row."""
    doubtful: list[DoubtfulCell]
    """Cells whose value is uncertain, has a probability below 0.95, or was changed."""
    entries: list[str]
    """Cells of a half-solved puzzle whose values are handwritten; `puzzle` has these values too."""

    @property
    def board(self) -> Puzzle:
        """The puzzle."""
        return Puzzle.of_line(self.puzzle, Shape.parse(self.shape))

    @property
    def printed(self) -> Puzzle:
        """The puzzle without the handwritten entries."""
        board, entries = self.board, {*self.entries}
        cells = enumerate(board.givens)
        return Puzzle(
            board.shape,
            tuple(0 if board.shape.cell_name(cell) in entries else value for cell, value in cells),
        )
