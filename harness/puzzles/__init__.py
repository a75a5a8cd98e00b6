"""Puzzles: shapes, formats, checks and datasets."""

from harness.base.plugins import lazily

__getattr__, __dir__ = lazily(__name__, __file__)
