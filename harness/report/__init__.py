"""Presentation of runs: tables, charts, the HTML page, and the formats they are written in."""

from harness.base.plugins import lazily

__getattr__, __dir__ = lazily(__name__, __file__)
