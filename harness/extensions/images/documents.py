"""The puzzle of an image, as `harness read-image` prints it, as JSON too."""

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
    """Whether it is not the likeliest value."""
    uncertain: bool
    """Whether another value is nearly as likely, or a clear value was changed."""
    likely: list[LikelyValue]
    """The likeliest values, the likeliest first."""


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
    """Whether thick lines or `--shape` determine it."""
    unique: bool
    """Whether the puzzle has exactly one solution."""
    certain: bool
    """Whether it is unique, no cell is uncertain, and all likely readings were looked at."""
    reason: str
    """Why no reading has exactly one solution, or why the search ended early; else empty."""
    first_solutions: int | None
    """Solutions of the likeliest reading, 2 for two or more; null if not known."""
    questions: int
    """Number of readings whose solutions were counted."""
    letters: bool
    """Whether values from 10 are letters in the image."""
    corners: list[tuple[float, float]]
    """x and y of the corners as shares of width and height, from the upper left on."""
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
