"""Datasets: the catalogue, imports, facts about puzzles, and conditions that choose them."""

from harness.base.plugins import lazily

__getattr__, __dir__ = lazily(__name__, __file__)
