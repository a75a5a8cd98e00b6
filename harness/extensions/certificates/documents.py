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
    """Proofs for the puzzles of a run whose answers state an exact number of solutions."""

    folder: str
    """Folder of the certificates."""
    puzzles: int
    """Number of puzzles with such answers."""
    proven: int
    """Number of puzzles with a certificate."""
    refuted: list[RefutedAnswer]
    """Answers that a certificate refutes."""
    unproven: list[Proven]
    """Puzzles whose number of solutions could not be proven."""
    interrupted: bool
    """Whether Ctrl-C ended the command."""


class Verified(Document):
    """The claims of files of certificates."""

    proven: bool
    """Whether every claim is proven."""
    claims: list[Proven]
    """The claims, in the order of the certificates."""
