"""The documents that `harness prove` and `harness verify` print as JSON."""

from harness.extensions.certificates.proven import Proven
from harness.report import Document


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
