"""Puzzles, datasets and raters."""

from typing import Annotated

from harness.documents.document import Document, says


class Problem(Document):
    """Equal givens in a house, or cells with the same only candidate."""

    house: Annotated[str, says("The house, for instance `row 1`.")]
    value: Annotated[str, says("The symbol.")]
    cells: Annotated[list[str], says("Names of the cells, for instance `R1C2`.")]


class Inspected(Document):
    """The contradictions of one puzzle; for a range of puzzles a list of such objects."""

    name: Annotated[str, says("Name of the puzzle in its file; otherwise its id.")]
    puzzle: Annotated[str, says("Givens as a line, `.` for a blank.")]
    puzzle_id: Annotated[str, says("Digest of houses and givens.")]
    shape: Annotated[str, says("Name of the shape.")]
    clues: Annotated[int, says("Number of givens.")]
    contradictory: Annotated[bool, says("Whether a check proves that no solution exists.")]
    duplicates: Annotated[list[Problem], says("Values given more than once in a house.")]
    no_candidates: Annotated[list[str], says("Blank cells without a candidate.")]
    conflicts: Annotated[list[Problem], says("Two blanks with the same only candidate.")]
    candidates: Annotated[dict[str, str], says("The candidates of each blank cell.")]


class RaterData(Document):
    """A list has one such object for each rater."""

    name: Annotated[str, says("Name for `--by`.")]
    meaning: Annotated[str, says("What its number means; empty if unknown.")]
    problem: Annotated[str, says("Why it cannot be used, or how to install it; empty if it can.")]
    others: Annotated[
        list[str], says("Further packages with a rater of this name, which is not used.")
    ]


class DatasetData(Document):
    """A list of such objects, one for each dataset."""

    name: Annotated[str, says("Name for `--dataset`.")]
    title: Annotated[str, says("Content in a few words.")]
    puzzles: Annotated[int, says("Number of different puzzles.")]
    shapes: Annotated[list[str], says("Names of their shapes.")]
    origin: Annotated[str, says("Origin of the puzzles.")]
    licence: Annotated[str | None, says("Terms of use that the import gave.")]
    expected_count: Annotated[str, says("What is known about their numbers of solutions.")]
    commands: Annotated[list[str], says("Commands that generate it; empty if none.")]
    imported: Annotated[bool, says("Whether you imported it.")]
    source: Annotated[str | None, says("Name of the imported file.")]
    source_sha256: Annotated[str | None, says("SHA-256 digest of the imported file.")]
    problem: Annotated[str, says("Why it cannot be used; empty if it can.")]


class StatisticsData(Document):
    """A list of such objects, one for each dataset; with `--each` of those below.

    Numbers of puzzles, except for clues and guesses. With `--quick` the keys that need a search
    are null.
    """

    dataset: Annotated[str, says("The dataset or file.")]
    puzzles: Annotated[int, says("All puzzles.")]
    shapes: Annotated[dict[str, int], says("Puzzles of each shape.")]
    clues_min: Annotated[int | None, says("Least number of clues.")]
    clues_median: Annotated[int | None, says("Median number of clues.")]
    clues_max: Annotated[int | None, says("Largest number of clues.")]
    clues: Annotated[dict[str, int], says("Puzzles with each number of clues.")]
    expected_counts: Annotated[int, says("With an expected number of solutions.")]
    solutions: Annotated[int, says("With an expected solution.")]
    pencilmarks: Annotated[int, says("With pencilmarks.")]
    duplicates: Annotated[int, says("The same as an earlier one of these datasets.")]
    equivalents: Annotated[int | None, says("Equivalent to an earlier one, not the same.")]
    symmetric: Annotated[int, says("Whose pattern of clues has a symmetry.")]
    minimal: Annotated[int | None, says("In which each clue is needed.")]
    minimal_unknown: Annotated[int | None, says("Whose minimality needs more nodes.")]
    without_guess: Annotated[int | None, says("That naked and hidden singles decide.")]
    guesses_median: Annotated[int | None, says("Median number of guesses.")]
    guesses_p90: Annotated[int | None, says("Guesses that 90 % do not exceed.")]
    guesses_max: Annotated[int | None, says("Largest number of guesses.")]
    guesses_unknown: Annotated[int | None, says("Whose guesses need more nodes.")]
    automorphic: Annotated[int | None, says("9x9 with more than one automorphism.")]


class PuzzleFacts(Document):
    """A list of such objects, one for each puzzle."""

    dataset: Annotated[str, says("The dataset or file.")]
    number: Annotated[int, says("Number in the dataset or file, from 1.")]
    name: Annotated[str, says("Name in the file; otherwise its number.")]
    shape: Annotated[str, says("Name of the shape.")]
    puzzle: Annotated[str, says("Givens as a line, `.` for a blank.")]
    clues: Annotated[int, says("Number of givens.")]
    candidates: Annotated[int | None, says("Candidates of all blank cells.")]
    pencilmarks: Annotated[bool, says("Whether pencilmarks restrict its candidates.")]
    expected: Annotated[str | None, says("Expected number of solutions, in words.")]
    solution: Annotated[str | None, says("Expected solution as a line.")]
    minimal: Annotated[bool | None, says("Whether each clue is needed; null if unknown.")]
    symmetries: Annotated[list[str], says("Symmetries of the pattern of clues.")]
    guesses: Annotated[int | None, says("Guesses of a search for two solutions.")]
    automorphisms: Annotated[int | None, says("Automorphisms of a 9x9.")]
    same_as: Annotated[str | None, says("The first puzzle that is the same.")]
    equivalent_to: Annotated[str | None, says("The first equivalent puzzle, if none is the same.")]
