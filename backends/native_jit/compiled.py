"""Compilation of the kernels, with a cache per user.

The cache is in a folder for these sources, see `harness.files`. Numba
itself distinguishes CPUs and its own versions, so different machines can share a
home directory.
"""

import importlib
import os
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import cache
from pathlib import Path
from typing import Any, Final

import numba

from harness import files as shared
from harness.contract import Unavailable

KERNELS: Final = ("vectors", "houses")

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
            return _compiled(module, cached=True)
    return _compiled(module, cached=False)


def machine_code(name: str) -> Kernel:
    """The kernel `name` for arguments of exactly the types in its signature.

    Its calls cost two microseconds less, because nothing looks at the types.

    Raises:
        Unavailable: NUMBA_DISABLE_JIT is set.
    """
    compiled: Any = kernel(name)
    code: Kernel = compiled.get_overload(compiled.signatures[0])
    return code


def compile_all(names: Sequence[str], later: Sequence[str] = ()) -> None:
    """Compile these kernels; in parallel if the cache is empty.

    Those that shapes may need later come into an empty cache, too: compiling them takes longer
    than the time limit of many a trial.

    Raises:
        Unavailable: NUMBA_DISABLE_JIT is set.
    """
    # Forking a process with threads is unsafe.
    forks = hasattr(os, "fork") and threading.active_count() == 1 and not is_cached()
    helpers = [_compiling([name]) for name in names[1:]] if forks else []
    kernel(names[0])
    for helper in helpers:
        os.waitpid(helper, 0)
    if forks and later:
        # Afterwards, as kernels of one function share an index in the cache.
        os.waitpid(_compiling(later), 0)
    for name in names:
        kernel(name)


def _compiling(names: Sequence[str]) -> int:
    """A fork that compiles kernels into the cache."""
    helper = os.fork()
    if not helper:
        with suppress(BaseException):  # the parent meets the same error
            for name in names:
                kernel(name)
        os._exit(0)
    return helper


def _compiled(module: Any, *, cached: bool) -> Kernel:
    compile_ = numba.njit(
        module.SIGNATURE, nogil=True, error_model="numpy", cache=cached, no_cfunc_wrapper=True
    )
    compiled: Kernel = compile_(module.run)
    return compiled


def is_cached() -> bool:
    """Whether the cache holds compiled code of these sources, possibly for another CPU."""
    folder = cache_folder()
    return folder is not None and any(folder.rglob("*.nbi"))


def cache_folder() -> Path | None:
    """The folder for compiled code of these sources, None if it is not writable.

    It is inside NUMBA_CACHE_DIR, or else the user's cache folder. Its contents can be
    deleted at any time.
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
