"""Puzzle formats: reading with the position of every error, and writing.

Each module handles one format. `read_file` and `stream_file` detect it; `read_text` reads
lines and grids.
"""

from harness.base.plugins import lazily

__getattr__, __dir__ = lazily(__name__, __file__)
