"""What is proven about the number of solutions of a puzzle, as provers and verifier record it."""

from msgspec import Struct, field

from harness.puzzles import Puzzle, SolutionCount


class Proven(Struct, forbid_unknown_fields=True):
    """A claim on the number of solutions of a puzzle, and whether it is proven."""

    # As in `harness.report.PuzzleDocument`, with which the verifier shares no code.
    name: str
    """Name of the puzzle in its file; otherwise its id."""
    puzzle: str
    """Givens as a line, `.` for a blank."""
    puzzle_id: str
    """Digest of houses and givens."""
    shape: str
    """Name of the shape."""
    place: str = ""
    """File of the certificate, with its line if the file was read."""
    claim: str | None = None
    """The claim: `exactly 1`, `at least 7`; null without a certificate."""
    prover: str = ""
    """The program that made the proof, as the certificate states; empty if unknown."""
    proven: bool = False
    """Whether the claim is proven."""
    refuted: bool = False
    """Whether the listed solutions show that the claim is false."""
    reason: str = ""
    """Why nothing is proven; empty if the claim is proven."""
    solutions: int = 0
    """Number of solutions in the certificate."""
    clauses: int = 0
    """Number of clauses of the formula; 0 if no proof was checked."""
    steps: int = 0
    """Number of steps of the proof; 0 without a proof."""
    checker: bool | None = None
    """Whether the checker of the harness accepts the proof; null if no proof was checked."""
    second_opinion: bool | None = None
    """Whether dratify, or the program of `--checker`, accepts the proof; null without both."""
    left_out: str = ""
    """Why dratify was not consulted although it is available; otherwise empty."""
    trusted: list[str] = field(default_factory=list)
    """What must be trusted to trust that the claim is proven; empty if it is not."""

    @property
    def number(self) -> SolutionCount:
        """The claimed number of solutions; at least 0 without a claim."""
        kind, _, number = (self.claim or "at least 0").rpartition(" ")
        return SolutionCount.from_number(int(number), kind == "exactly")


def unproven(puzzle: Puzzle, reason: str) -> Proven:
    """The record that nothing is proven about a puzzle, and why."""
    shape = puzzle.shape.definition
    return Proven(puzzle.id, puzzle.line, puzzle.id, shape, reason=reason)
