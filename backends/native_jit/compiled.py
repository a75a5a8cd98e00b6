"""Compilation of the kernels, with a cache per user.

The cache is in a folder for these sources, see `harness.base.files`. Numba
itself distinguishes CPUs and its own versions, so different machines can share a
home directory.
"""

import hashlib
import importlib
import os
import sys
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import cache
from pathlib import Path
from typing import Any, Final

import numba
from numba.core.registry import cpu_target

from harness.base import files as shared
from harness.contract import Unavailable

KERNELS: Final = ("vectors", "houses", "learning")
LATER: Final = "constrained"
"""A kernel that only shapes with constraints need. Compiling it takes longer than the time limit
of many trials."""

Kernel = Callable[..., int]


@cache
def kernel(name: str) -> Kernel:
    """The compiled kernel `name`, loaded once per process.

    Compiles for this CPU and caches the code. Compiles without a cache if the cache
    folder is not writable or its contents are damaged.

    Raises:
        Unavailable: NUMBA_DISABLE_JIT is set.
    """
    if numba.config.DISABLE_JIT:
        raise Unavailable("NUMBA_DISABLE_JIT is set", "unset NUMBA_DISABLE_JIT")
    module = importlib.import_module(f".{name}", __package__)
    folder = cache_folder()
    if folder is not None:
        # A full disk or a damaged file does not affect compilation without a cache.
        with suppress(Exception), _numba_caches_in(folder):
            function = _compile(module, cached=True)
            (folder / _mark(name)).touch()
            return function
    return _compile(module, cached=False)


def machine_code(name: str) -> Kernel:
    """The kernel `name` for arguments of exactly the types in its signature.

    Its calls cost two microseconds less, because nothing checks the types.

    Raises:
        Unavailable: NUMBA_DISABLE_JIT is set.
    """
    function: Any = kernel(name)
    code: Kernel = function.get_overload(function.signatures[0])
    return code


def compile_all(names: Sequence[str]) -> None:
    """Load these kernels; compile them, and `LATER`, unless the cache has them.

    Raises:
        Unavailable: NUMBA_DISABLE_JIT is set.
    """
    # Forking a process with threads is unsafe.
    forks = hasattr(os, "fork") and threading.active_count() == 1
    helpers = [_compiling(name) for name in names[1:] if forks and not is_cached([name])]
    kernel(names[0])
    for helper in helpers:
        os.waitpid(helper, 0)
    # Last, because kernels of one function share an index in the cache.
    if forks and not is_cached([LATER]):
        os.waitpid(_compiling(LATER), 0)
    for name in names:
        kernel(name)
    if not is_cached([LATER]):
        kernel(LATER)


def _compiling(name: str) -> int:
    """Fork a process that compiles a kernel into the cache; return its id."""
    helper = os.fork()
    if not helper:
        with suppress(BaseException):  # the parent meets the same error
            kernel(name)
        os._exit(0)
    return helper


def _compile(module: Any, *, cached: bool) -> Kernel:
    compile_ = numba.njit(
        module.SIGNATURE, nogil=True, error_model="numpy", cache=cached, no_cfunc_wrapper=True
    )
    function: Kernel = compile_(module.run)
    return function


def is_cached(names: Iterable[str]) -> bool:
    """Whether the cache holds the code of these kernels for this CPU."""
    folder = cache_folder()
    return folder is not None and all((folder / _mark(name)).exists() for name in names)


def _mark(name: str) -> str:
    """The name of the file that marks a kernel as cached for this CPU and version of Numba."""
    target = cpu_target.target_context.codegen().magic_tuple()
    parts = (__file__, numba.__version__, sys.implementation.cache_tag, *target)
    return f"{name}-{hashlib.sha256(repr(parts).encode()).hexdigest()[:16]}"


@cache
def cache_folder() -> Path | None:
    """The folder for compiled code of these sources, None if it is not writable.

    It is inside NUMBA_CACHE_DIR, or else the user's cache folder. Its contents can be
    deleted at any time. A process keeps its first result, since workers get another home later.
    """
    package = f"native-jit-{__package__}"
    return shared.cache_folder(package, Path(__file__).parent.glob("*.py"), numba.config.CACHE_DIR)


@contextmanager
def _numba_caches_in(folder: Path) -> Iterator[None]:
    """Make Numba cache compiled functions in `folder`."""
    before = numba.config.CACHE_DIR
    numba.config.CACHE_DIR = str(folder)
    try:
        yield
    finally:
        numba.config.CACHE_DIR = before
