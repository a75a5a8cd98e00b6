"""Kernels: functions of integers and arrays of integers, compiled if Numba is there.

A kernel is plain Python that Numba can compile. It sees only integers of at most 62 bits
and arrays of them, so it computes the same with Numba, on arrays, and without, on lists.
All the code that depends on Numba is in this module.

Numba caches compiled code in files and compares only the time stamp of the function's own
source file, so a change in an imported module would leave stale code in use. Therefore the
name of the cache folder contains a digest of all sources of the packages with kernels.
"""

import hashlib
import os
import sys
import tempfile
from collections.abc import Callable, Iterable
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any, Final, TypeVar

try:
    import numba
    import numpy as np
    from llvmlite import ir
    from numba.extending import intrinsic, overload

    COMPILES: Final = not numba.config.DISABLE_JIT
    """Whether kernels are compiled."""
except ImportError:
    COMPILES = False  # type: ignore[misc]

Integers = Any
"""An array of 64-bit integers if kernels are compiled, otherwise a list."""

_Kernel = TypeVar("_Kernel", bound=Callable[..., Any])
_PACKAGES: Final = ("search", "generate", "identity")
"""The packages with kernels."""


def compiled(function: _Kernel) -> _Kernel:
    """`function` compiled at its first call, or `function` itself without Numba."""
    if not COMPILES:
        return function
    before = numba.config.CACHE_DIR
    folder = _cache_folder()
    try:
        numba.config.CACHE_DIR = str(folder or "")
        made: _Kernel = numba.njit(error_model="numpy", nogil=True, cache=folder is not None)(
            function
        )
    finally:
        numba.config.CACHE_DIR = before
    return made


def integers(values: Iterable[int]) -> Integers:
    """These integers as kernels take them."""
    return np.fromiter(values, np.int64) if COMPILES else list(values)


def zeros(number: int) -> Integers:
    """This number of zeros as kernels take them."""
    return np.zeros(number, np.int64) if COMPILES else [0] * number


def plain(values: Integers) -> list[int]:
    """The integers of a kernel as Python has them."""
    return values.tolist() if COMPILES else list(values)


def size_of(bits: int) -> int:
    """The number of bits that are set."""
    return bits.bit_count()


def index_of(bit: int) -> int:
    """The index of a single bit, from 0."""
    return bit.bit_length() - 1


def _define_bit_operations() -> None:
    """Give Numba the instructions for `size_of` and `index_of`."""

    def ctpop(_: Any, bits: Any) -> Any:
        def generate(context: Any, builder: Any, sig: Any, args: Any) -> Any:
            return builder.ctpop(args[0])

        return numba.types.int64(numba.types.int64), generate

    def cttz(_: Any, bit: Any) -> Any:
        def generate(context: Any, builder: Any, sig: Any, args: Any) -> Any:
            return builder.cttz(args[0], ir.IntType(1)(0))

        return numba.types.int64(numba.types.int64), generate

    ctpop_, cttz_ = intrinsic(ctpop), intrinsic(cttz)
    overload(size_of)(lambda bits: lambda bits: ctpop_(bits))
    overload(index_of)(lambda bit: lambda bit: cttz_(bit))


if COMPILES:
    _define_bit_operations()


@cache
def _cache_folder() -> Path | None:
    """The folder for compiled code of these sources, None if it is not writable.

    It is inside NUMBA_CACHE_DIR, or else the user's cache folder. Its contents can be
    deleted at any time.
    """
    folder = _user_cache() / "sudoku-harness" / f"puzzles-{_digest()}"
    with suppress(OSError):
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            return folder
    return None


def _user_cache() -> Path:
    if numba.config.CACHE_DIR:
        return Path(numba.config.CACHE_DIR)
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA") or tempfile.gettempdir())
    if sys.platform == "darwin":
        return Path("~/Library/Caches").expanduser()
    return Path(os.environ.get("XDG_CACHE_HOME") or "~/.cache").expanduser()


def _digest() -> str:
    digest = hashlib.sha256()
    for package in _PACKAGES:
        for path in sorted((Path(__file__).parents[1] / package).glob("*.py")):
            digest.update(path.name.encode() + b"\0" + path.read_bytes() + b"\0")
    return digest.hexdigest()[:16]
