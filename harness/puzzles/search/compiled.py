"""Kernels: functions of integers and arrays of integers, compiled if Numba is there.

A kernel is plain Python that Numba can compile. It sees only integers of at most 62 bits
and arrays of them, so it computes the same with Numba, on arrays, and without, on lists.
All the code that depends on Numba is in this module and in `harness.puzzles.compilation`.
"""

from collections.abc import Callable, Iterable
from functools import cache
from pathlib import Path
from typing import Any, Final, TypeVar

from harness.puzzles.cache_folder import cache_folder
from harness.puzzles.compilation import COMPILES, cache_parent, compile_kernel

if COMPILES:
    import numba
    import numpy as np
    from llvmlite import ir
    from numba.extending import intrinsic, overload

Integers = Any
"""An array of 64-bit integers if kernels are compiled, otherwise a list."""

_Kernel = TypeVar("_Kernel", bound=Callable[..., Any])
_PACKAGES: Final = ("search", "generate", "identity")
"""The packages with kernels."""


def compiled(function: _Kernel) -> _Kernel:
    """`function` compiled at its first call, or `function` itself without Numba."""
    return compile_kernel(function, _cache_folder() if COMPILES else None)


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
    return cache_folder("puzzles", sources, cache_parent())
