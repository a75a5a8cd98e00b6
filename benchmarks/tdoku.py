r"""The solver tdoku (Tom Dillon, BSD-2) on a batch of puzzles, from a shared library.

The environment variable TDOKU_LIBRARY names the library, which its sources make:

    clang++ -std=c++17 -O3 -march=native -fPIC -shared -Iinclude \
        src/solver_dpll_triad_simd.cc src/util.cc -o libtdoku.so

Compiled code calls it for one puzzle after the other, so no time of Python is in its rate.
"""

import ctypes
import os
from collections.abc import Callable
from functools import cache
from time import process_time
from typing import Any, Final

import numba
import numpy as np
from numpy.typing import NDArray

VARIABLE: Final = "TDOKU_LIBRARY"
_LINE: Final = 82
"""Bytes of a puzzle: 81 characters and a final 0."""

Batch = NDArray[np.uint8]
Counts = NDArray[np.int64]


def is_there() -> bool:
    """Whether the environment names a library."""
    return bool(os.environ.get(VARIABLE))


def counted(puzzles: Batch, limit: int) -> tuple[float, Counts, int]:
    """Count the solutions of each puzzle.

    Args:
        puzzles: uint8[n, 81], 0 for a blank.
        limit: the largest number of solutions to find.

    Returns:
        The CPU seconds; int64[n], the number of solutions of each puzzle; and all guesses.
    """
    lines = np.zeros((len(puzzles), _LINE), np.uint8)
    lines[:, :81] = np.where(puzzles > 0, puzzles + ord("0"), ord("."))
    text, counts = lines.reshape(-1), np.zeros(len(puzzles), np.int64)
    run = _loop()
    run(text[:_LINE], limit, counts[:1])
    began = process_time()
    guesses = run(text, limit, counts)
    return process_time() - began, counts, guesses


@cache
def _loop() -> Callable[[Batch, int, Counts], int]:
    solve: Any = ctypes.CDLL(os.environ[VARIABLE]).TdokuSolverDpllTriadSimd
    pointer, size = ctypes.c_void_p, ctypes.c_size_t
    solve.argtypes, solve.restype = [pointer, size, ctypes.c_uint32, pointer, pointer], size

    def loop(text: Batch, limit: int, counts: Counts) -> int:
        solution, guesses = np.zeros(_LINE, np.uint8), np.zeros(1, np.uint64)
        total = 0
        for number in range(len(counts)):
            puzzle = text[number * _LINE :]
            counts[number] = solve(
                puzzle.ctypes.data,
                np.uint64(limit),
                np.uint32(0),
                solution.ctypes.data,
                guesses.ctypes.data,
            )
            total += int(guesses[0])
        return total

    compiled: Callable[[Batch, int, Counts], int] = numba.njit(loop)
    return compiled
