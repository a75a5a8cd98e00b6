"""The documents that `harness prove` and `harness verify` print as JSON."""

from harness.report.documents import Document, PuzzleDocument


class Proved(PuzzleDocument):
    """The proof for one puzzle; for a range of puzzles a list of such objects."""

    limit: int
    """Number of solutions at which the proof stops."""
    file: str
    """The file of certificates."""
    claim: str | None
    """The proven number: `exactly 1`, `at least 7`; null without a proof."""
    prover: str
    """The backend that wrote the proof; empty without a proof."""
    steps: int
    """Steps of the proof."""
    clauses: int
    """Clauses of the formula that the proof refutes."""
    failure: str
    """Why there is no proof; empty if there is one."""


class RefutedData(Document):
    """An answer that a proof refutes."""

    backend: str
    """Backend with its options."""
    dataset: str
    """Dataset of the puzzle."""
    name: str
    """Name of the puzzle in it."""
    puzzle_id: str
    """Digest of houses and givens."""
    stated: int
    """Number of solutions that the answer states."""
    proven: str
    """The proven number: `exactly 1`, `at least 7`."""


class UnprovenData(Document):
    """A puzzle whose number of solutions could not be proven."""

    dataset: str
    """Dataset of the puzzle."""
    name: str
    """Name of the puzzle in it."""
    puzzle_id: str
    """Digest of houses and givens."""
    reason: str
    """Why it could not."""


class ProvedRun(Document):
    """The certificates of the answers of a run that state an exact number of solutions."""

    folder: str
    """Folder of the certificates."""
    puzzles: int
    """Puzzles with such answers."""
    proven: int
    """Puzzles with a certificate."""
    refuted: list[RefutedData]
    """Answers that a certificate refutes."""
    unproven: list[UnprovenData]
    """Puzzles without a certificate."""
    interrupted: bool
    """Whether Ctrl-C ended it."""


class CertificateData(Document):
    """A certificate, and whether its claim is proven."""

    place: str
    """File and line of the certificate."""
    puzzle: str
    """The puzzle as a line."""
    shape: str
    """Name of the shape."""
    claim: str
    """The claim: `exactly 1`, `at least 7`."""
    prover: str
    """What made the proof, as the file states; empty if unknown."""
    proven: bool
    """Whether the claim is proven."""
    refuted: bool
    """Whether the listed solutions show that the claim is false."""
    reason: str
    """Why the claim is not proven; empty if it is."""
    solutions: int
    """Solutions in the certificate."""
    clauses: int
    """Clauses of the formula; 0 if no proof was checked."""
    steps: int
    """Steps of the proof."""
    checker: bool | None
    """Whether the checker of the harness accepts the proof; null unchecked."""
    second_opinion: bool | None
    """Whether dratify accepts the proof; null if it was not consulted."""
    trusted: list[str]
    """What the verdict relies on."""


class Verified(Document):
    """The claims of files of certificates."""

    proven: bool
    """Whether every claim is proven."""
    claims: list[CertificateData]
    """The certificates, in their order."""
