"""Puzzles: shapes, formats, checks and datasets."""

from typing import TYPE_CHECKING

from harness.base.plugins import lazily

if TYPE_CHECKING:
    from harness.puzzles.datasets import Dataset, load_dataset
    from harness.puzzles.drawing import (
        Point,
        Sheet,
        candidate_grid,
        constraints_in_words,
        draw,
        features_in_words,
        svg,
        wide_enough,
        width_of,
    )
    from harness.puzzles.formats import parse_puzzle
    from harness.puzzles.marks import marks_of, rooms
    from harness.puzzles.patterns import fill_pattern, fills_houses, pattern_grid, pattern_puzzle
    from harness.puzzles.puzzle import (
        Grid,
        Instance,
        Pencilmarks,
        Puzzle,
        line_of,
        line_of_values,
        values_in,
        values_of_line,
    )
    from harness.puzzles.sanity import Repetition, Sanity, Unmet, check
    from harness.puzzles.shape import (
        LARGEST,
        LETTERED,
        SOLUTION,
        VALUES,
        House,
        Shape,
        box_of,
        describe,
        name_by_kinds,
        plain_of,
        symbol_of,
        usual,
        value_of,
    )
    from harness.puzzles.solution_count import EVERY_NUMBER, NO_SOLUTION, TEXT, SolutionCount
    from harness.puzzles.symmetry import (
        Scramble,
        Symmetry,
        is_plain,
        new_values,
        orbits,
        symmetries_of,
    )

__all__ = [
    "EVERY_NUMBER",
    "LARGEST",
    "LETTERED",
    "NO_SOLUTION",
    "SOLUTION",
    "TEXT",
    "VALUES",
    "Dataset",
    "Grid",
    "House",
    "Instance",
    "Pencilmarks",
    "Point",
    "Puzzle",
    "Repetition",
    "Sanity",
    "Scramble",
    "Shape",
    "Sheet",
    "SolutionCount",
    "Symmetry",
    "Unmet",
    "box_of",
    "candidate_grid",
    "check",
    "constraints_in_words",
    "describe",
    "draw",
    "features_in_words",
    "fill_pattern",
    "fills_houses",
    "is_plain",
    "line_of",
    "line_of_values",
    "load_dataset",
    "marks_of",
    "name_by_kinds",
    "new_values",
    "orbits",
    "parse_puzzle",
    "pattern_grid",
    "pattern_puzzle",
    "plain_of",
    "rooms",
    "svg",
    "symbol_of",
    "symmetries_of",
    "usual",
    "value_of",
    "values_in",
    "values_of_line",
    "wide_enough",
    "width_of",
]

if not TYPE_CHECKING:
    __getattr__, __dir__ = lazily(__name__, __file__)
