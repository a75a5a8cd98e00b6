"""A process that generates puzzles.

    python -m harness.workbench.generator

It reads what is wanted from standard input, one line of JSON, and writes each puzzle to standard
output as soon as it is found, or one line with an error.
"""

import sys
from typing import Annotated

import msgspec
from msgspec import Meta, Struct

from harness.errors import HarnessError
from harness.puzzles.generate.options import Clues, GenerationRequest, Model
from harness.puzzles.generate.request import generate
from harness.puzzles.symmetry import Symmetry
from harness.reasoning.ladder import Level, with_level
from harness.workbench.boards import PuzzleData, puzzle_data, shape_of


class Wanted(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The puzzles that a page requests; the names are those of `harness generate`."""

    shape: str
    count: Annotated[int, Meta(ge=1, le=1_000)] = 1
    seed: Annotated[int, Meta(ge=0, le=2**53)] = 0
    clues: Annotated[str, Meta(max_length=20)] = ""
    minimal: bool = False
    level: Level | None = None
    solutions: Annotated[int, Meta(ge=0, le=1_000)] = 1
    symmetry: Symmetry | None = None
    model: Model | None = None
    hard: Annotated[int, Meta(ge=0, le=10_000)] = 0
    pencilmarks: bool = False

    def request(self) -> GenerationRequest:
        """The request for the generator.

        Raises:
            InputError: options are malformed, or exclude each other.
        """
        shape = shape_of(self.shape)
        made = GenerationRequest(
            shape=shape,
            count=self.count,
            seed=self.seed,
            clues=Clues.parse(self.clues, shape) if self.clues else None,
            minimal=self.minimal,
            solutions=self.solutions,
            symmetry=self.symmetry,
            model=self.model,
            hard=self.hard,
            pencilmarks=self.pencilmarks,
        )
        return with_level(made, self.level) if self.level else made


class Made(Struct, frozen=True):
    """A puzzle of the generator."""

    number: int = 0
    puzzle: PuzzleData | None = None
    solutions: str = ""
    """What is known of the number of its solutions, in words; empty if nothing is."""
    error: str = ""
    """Why there are no further puzzles."""


def main() -> None:
    """Generate what standard input wants."""
    wanted = msgspec.json.decode(sys.stdin.buffer.readline(), type=Wanted)
    try:
        for found in generate(wanted.request()):
            known = str(found.expected_count) if found.expected_count else ""
            name = f"{wanted.shape} seed {wanted.seed} number {found.number}"
            _put(Made(found.number, puzzle_data(found.puzzle, name), known))
    except HarnessError as error:
        _put(Made(error=str(error)))


def _put(made: Made) -> None:
    sys.stdout.buffer.write(msgspec.json.encode(made) + b"\n")
    sys.stdout.buffer.flush()


if __name__ == "__main__":
    main()
