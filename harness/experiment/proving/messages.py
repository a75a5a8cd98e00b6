"""Messages between the harness and the process of a prover."""

from typing import Final

from msgspec import Struct

from harness.engine.wire.messages import Done, LoadBackend, Preparing, Refused

PIECE: Final = 2**20
"""Characters of a text in one message."""


class ProverArguments(Struct, frozen=True, forbid_unknown_fields=True):
    """The argument of the process."""

    backend: LoadBackend
    memory_limit_mib: int
    """0 for no limit."""
    control: int
    """The descriptor of the monitor's connection to the harness."""
    connection: int
    """The descriptor of the worker's connection to the harness."""


class ProofRequest(Struct, frozen=True, tag=True, forbid_unknown_fields=True):
    """Harness to worker: prove the number of solutions of a puzzle."""

    shape: str
    puzzle: str
    limit: int


class ProverLoaded(Struct, frozen=True, tag=True, forbid_unknown_fields=True):
    """Worker to harness: the backend is loaded."""

    versions: str
    """The installed versions of its packages."""


class SolutionsFound(Struct, frozen=True, tag=True, forbid_unknown_fields=True):
    """Worker to harness: some of the solutions, as lines without anything between."""

    lines: str


class StepsWritten(Struct, frozen=True, tag=True, forbid_unknown_fields=True):
    """Worker to harness: a piece of the text of the proof."""

    text: str


class ProofEnded(Struct, frozen=True, tag=True, forbid_unknown_fields=True):
    """Worker to harness: solutions and proof are complete, or there are none."""

    complete: bool
    failure: str = ""
    """Why there is no proof; empty if there is one."""
    unsupported: bool = False
    """Whether the backend writes no proofs for this puzzle or with these options."""


ProverMessage = Preparing | Refused | ProverLoaded | SolutionsFound | StepsWritten | ProofEnded
ProverRequest = ProofRequest | Done
