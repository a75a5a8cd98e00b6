"""Exact cover by dancing cells, compiled: the `xcover` package.

Dancing cells store options in sparse sets instead of linked lists (Knuth, The Art of
Computer Programming 4, section 7.2.2.1). Numba compiles the package at its first import
and caches the code beside it.
"""

import importlib
import warnings
from importlib.util import find_spec
from pathlib import Path

import numpy as np

from harness.contract import Choices, CoverBackend, CoverQuestion, Options, Restriction


class XCover(CoverBackend):
    """An option for each candidate, an item for each group."""

    name = "xcover"
    paradigm = "exact cover"
    distributions = ("xcover",)
    takes = CoverBackend.takes | {Restriction.RELATIONS}

    @classmethod
    def load(cls, options: Options) -> None:
        """Import the package; Numba compiles it unless the compiled code is cached."""
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of Numba, about casts in the package
            importlib.import_module("xcover")

    @classmethod
    def preparation(cls, options: Options) -> str:
        """The compilation by Numba, unless the compiled code is cached."""
        spec = find_spec("xcover")
        cache_files = spec and spec.origin and Path(spec.origin).parent.glob("__pycache__/*.nbi")
        return (
            ""
            if cache_files and any(cache_files)
            else "compiling xcover with Numba, once: about 20 s"
        )

    def choices(self, question: CoverQuestion) -> Choices:
        """The covers, one after another."""
        from xcover import algorithm_c

        members = question.candidates.members()
        flat = np.array([group for groups in members for group in groups], np.uint32)
        starts = np.cumsum([0, *map(len, members)], dtype=np.uint32)
        items = np.uint32(len(question.candidates.groups))
        question.search()
        yield from algorithm_c(flat, starts, np.zeros_like(flat), items, np.uint32(0))
