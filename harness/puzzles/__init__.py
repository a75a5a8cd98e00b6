"""What is solved: shapes, puzzles, their formats, their checks, the datasets."""

from harness.puzzles.catalog import Dataset, Entry, load_dataset
from harness.puzzles.check import Sanity, check
from harness.puzzles.puzzle import Grid, Puzzle
from harness.puzzles.shape import House, Shape
from harness.puzzles.truth import Truth

__all__ = [
    "Dataset",
    "Entry",
    "Grid",
    "House",
    "Puzzle",
    "Sanity",
    "Shape",
    "Truth",
    "check",
    "load_dataset",
]
