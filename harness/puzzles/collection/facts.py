"""Facts about each puzzle of a file, found with bounded effort."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from harness.puzzles.collection.options import NODES
from harness.puzzles.collection.same import Match, Seen
from harness.puzzles.expected_count import ExpectedCount
from harness.puzzles.formats.source import ParsedPuzzle
from harness.puzzles.identity.features import Features, features_of
from harness.puzzles.identity.minimal import is_minimal, searches_for
from harness.puzzles.identity.symmetry import symmetries_of
from harness.puzzles.puzzle import Puzzle


@dataclass(frozen=True, slots=True)
class Facts:
    """What is known of a puzzle of a dataset."""

    dataset: str
    number: int
    """Its number in the dataset or file, from 1."""
    name: str
    puzzle: Puzzle
    expected_count: ExpectedCount | None
    symmetries: tuple[str, ...]
    """Symmetries of the pattern of clues."""
    features: Features | None
    """None if nothing was searched."""
    minimal: bool | None
    """Whether each clue is needed; None if the node limit is too low, or nothing was searched."""
    match: Match | None
    """An earlier puzzle that is the same or equivalent."""


def facts_of(
    dataset: str,
    puzzles: Iterable[tuple[int, ParsedPuzzle]],
    seen: Seen,
    nodes: int | None = NODES,
    *,
    source: str = "",
) -> Iterator[Facts]:
    """The facts about each puzzle, in their order.

    Args:
        dataset: the name of the dataset or file.
        puzzles: its puzzles with their numbers.
        seen: the puzzles of the datasets before.
        nodes: the node limit of the search for each puzzle, and of all searches for its
            minimality; with pencilmarks, which need a search for each one that is missing, of
            each of these. None to search nothing.
        source: the dataset or file that `dataset` is a part of; by default `dataset`.
    """
    seen.begin(dataset)
    for number, parsed in puzzles:
        puzzle = parsed.puzzle
        features = None if nodes is None else features_of(puzzle, nodes)
        minimal = None
        if nodes is not None:
            parts = searches_for(puzzle) if puzzle.pencilmarks is None else 1
            minimal = is_minimal(puzzle, max(1, nodes // max(1, parts)))
        yield Facts(
            dataset=dataset,
            number=number,
            name=parsed.name,
            puzzle=puzzle,
            expected_count=parsed.expected_count,
            symmetries=tuple(symmetries_of(puzzle) if features is None else features.symmetries),
            features=features,
            minimal=minimal,
            match=seen.match(puzzle, f"{source or dataset}/{number}"),
        )
