"""The documents that `harness prove` and `harness verify` print as JSON."""

import msgspec

from harness.puzzles import Puzzle, SolutionCount
from harness.report import Document, PuzzleDocument


class Proven(PuzzleDocument, kw_only=True):
    """A claim on the number of solutions of a puzzle, and whether it is proven."""

    place: str = ""
    """File of the certificate, with its line if the file was read."""
    claim: str | None = None
    """The claim: `exactly 1`, `at least 7`; null without a certificate."""
    prover: str = ""
    """What made the proof, as the certificate states; empty if unknown."""
    proven: bool = False
    """Whether the claim is proven."""
    refuted: bool = False
    """Whether the listed solutions show that the claim is false."""
    reason: str = ""
    """Why nothing is proven; empty if the claim is."""
    solutions: int = 0
    """Solutions in the certificate."""
    clauses: int = 0
    """Clauses of the formula; 0 if no proof was checked."""
    steps: int = 0
    """Steps of the proof."""
    checker: bool | None = None
    """Whether the checker of the harness accepts the proof; null unchecked."""
    second_opinion: bool | None = None
    """Whether dratify accepts the proof; null if it was not consulted."""
    left_out: str = ""
    """Why dratify was not consulted although it is available."""
    trusted: list[str] = msgspec.field(default_factory=list)
    """What must be trusted to trust that the claim is proven."""

    @property
    def number(self) -> SolutionCount:
        """The number of solutions that is claimed, if any is."""
        kind, _, number = (self.claim or "at least 0").rpartition(" ")
        return SolutionCount.from_number(int(number), kind == "exactly")


def unproven(puzzle: Puzzle, reason: str) -> Proven:
    """That nothing is proven of a puzzle, and why."""
    shape = puzzle.shape.definition
    return Proven(puzzle.id, puzzle.line, puzzle.id, shape, reason=reason)


class RefutedAnswer(Document):
    """An answer that a proof refutes."""

    backend: str
    """Backend with its options."""
    stated: int
    """Number of solutions that the answer states."""
    proven: Proven
    """What is proven."""


class ProvedRun(Document):
    """The certificates of the answers of a run that state an exact number of solutions."""

    folder: str
    """Folder of the certificates."""
    puzzles: int
    """Puzzles with such answers."""
    proven: int
    """Puzzles with a certificate."""
    refuted: list[RefutedAnswer]
    """Answers that a certificate refutes."""
    unproven: list[Proven]
    """Puzzles without a certificate."""
    interrupted: bool
    """Whether Ctrl-C ended it."""


class Verified(Document):
    """The claims of files of certificates."""

    proven: bool
    """Whether every claim is proven."""
    claims: list[Proven]
    """The certificates, in their order."""
