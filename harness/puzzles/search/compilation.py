"""Compilation of kernels by Numba where it is installed, with a cache of compiled code.

The generator and the checker of proofs use Numba only through `compile_kernel`.
"""

from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any, Final, TypeVar

from harness.base.child import signals_held

try:
    import numba

    COMPILES: Final = not numba.config.DISABLE_JIT
    """Whether kernels are compiled."""
except ImportError:
    COMPILES = False  # type: ignore[misc]

_Kernel = TypeVar("_Kernel", bound=Callable[..., Any])


def cache_parent() -> str:
    """The folder that NUMBA_CACHE_DIR names; empty if it names none."""
    return numba.config.CACHE_DIR if COMPILES else ""


def compile_kernel(function: _Kernel, folder: Path | None) -> _Kernel:
    """`function` compiled at its first call, or `function` itself without Numba.

    Args:
        function: the kernel.
        folder: the folder of the compiled code, see `harness.base.files`; None to
            compile in every process.
    """
    if not COMPILES:
        return function
    before = numba.config.CACHE_DIR
    try:
        numba.config.CACHE_DIR = str(folder or "")
        dispatcher = numba.njit(error_model="numpy", nogil=True, cache=folder is not None)(function)
    finally:
        numba.config.CACHE_DIR = before
    dispatcher._cache = _ForgivingCache(dispatcher._cache)
    dispatcher.compile = signals_held()(
        dispatcher.compile
    )  # LLVM would swallow the exception of a handler
    kernel: _Kernel = dispatcher
    return kernel


class _ForgivingCache:
    """A cache of Numba that ignores errors: damaged code is compiled again.

    Args:
        cache: the cache of a dispatcher.
    """

    def __init__(self, cache: Any) -> None:
        self._cache = cache

    def __getattr__(self, name: str) -> Any:
        return getattr(self._cache, name)

    def load_overload(self, *key: Any) -> Any:
        """The compiled code; None if the files lack it or are damaged."""
        with suppress(Exception):
            return self._cache.load_overload(*key)
        self._cache.flush()
        return None

    def save_overload(self, *entry: Any) -> None:
        """Write the compiled code if possible; a full disk is not an error."""
        with suppress(OSError):
            self._cache.save_overload(*entry)
