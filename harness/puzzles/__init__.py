"""Puzzles: shapes, formats, checks and datasets."""

from harness.puzzles.catalogue import Dataset, Instance, load_dataset
from harness.puzzles.check import Sanity, check
from harness.puzzles.expected_count import ExpectedCount
from harness.puzzles.formats import parse_puzzle
from harness.puzzles.puzzle import Grid, Puzzle
from harness.puzzles.shape import House, Shape

__all__ = [
    "Dataset",
    "ExpectedCount",
    "Grid",
    "House",
    "Instance",
    "Puzzle",
    "Sanity",
    "Shape",
    "check",
    "load_dataset",
    "parse_puzzle",
]
