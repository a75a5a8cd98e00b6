"""Kernels: functions of integers and arrays of integers, compiled if Numba is there.

A kernel is plain Python that Numba can compile. It sees only integers of at most 62 bits
and arrays of them, so it computes the same with Numba, on arrays, and without, on lists.
All the code that depends on Numba is in this module.
"""

from collections.abc import Callable, Iterable
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any, Final, TypeVar

from harness.puzzles.search.cache_folder import cache_folder

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
        made = numba.njit(error_model="numpy", nogil=True, cache=folder is not None)(function)
    finally:
        numba.config.CACHE_DIR = before
    made._cache = _ForgivingCache(made._cache)
    kernel: _Kernel = made
    return kernel


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
    """The folder for compiled kernels, inside NUMBA_CACHE_DIR if that is set."""
    packages = (Path(__file__).parents[1] / package for package in _PACKAGES)
    sources = (path for package in packages for path in package.glob("*.py"))
    return cache_folder("puzzles", sources, numba.config.CACHE_DIR)


class _ForgivingCache:
    """A cache of Numba that compiles again where it cannot be read, and need not be written.

    Args:
        cache: the cache of a dispatcher.
    """

    def __init__(self, cache: Any) -> None:
        self._cache = cache

    def __getattr__(self, name: str) -> Any:
        return getattr(self._cache, name)

    def load_overload(self, *key: Any) -> Any:
        """The compiled code, None if the files have none or are damaged."""
        with suppress(Exception):
            return self._cache.load_overload(*key)
        self._cache.flush()
        return None

    def save_overload(self, *entry: Any) -> None:
        """Write the compiled code; a full disk is no error."""
        with suppress(OSError):
            self._cache.save_overload(*entry)
