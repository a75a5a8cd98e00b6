"""Puzzles: shapes, formats, checks and datasets."""

from typing import TYPE_CHECKING

from harness.base.plugins import lazily

if TYPE_CHECKING:
    from harness.puzzles.datasets.catalogue import Dataset, load_dataset
    from harness.puzzles.formats import parse_puzzle
    from harness.puzzles.puzzle import Grid, Instance, Pencilmarks, Puzzle
    from harness.puzzles.sanity import Sanity, check
    from harness.puzzles.shape import House, Shape
    from harness.puzzles.solution_count import SolutionCount

__all__ = [
    "Dataset",
    "Grid",
    "House",
    "Instance",
    "Pencilmarks",
    "Puzzle",
    "Sanity",
    "Shape",
    "SolutionCount",
    "check",
    "load_dataset",
    "parse_puzzle",
]

if not TYPE_CHECKING:
    # Workers start without the formats and the catalogue.
    __getattr__, __dir__ = lazily(__name__, __file__)
