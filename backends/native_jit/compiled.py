"""Compilation of the kernels, with a cache per user.

Numba caches compiled code in files and compares only the time stamp of the function's
own source file, so a change in an imported module would leave stale code in use.
Therefore the name of the cache folder contains a digest of all sources in this package.
Numba itself distinguishes CPUs and its own versions, so different machines can share a
home directory.
"""

import hashlib
import importlib
import os
import sys
import tempfile
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import cache
from pathlib import Path
from typing import Any, Final

import numba

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


def compile_all(names: Sequence[str]) -> None:
    """Compile these kernels; in parallel if the cache is empty.

    Raises:
        Unavailable: NUMBA_DISABLE_JIT is set.
    """
    helpers = []
    # Forking a process with threads is unsafe.
    if hasattr(os, "fork") and threading.active_count() == 1 and not is_cached():
        for name in names[1:]:
            helper = os.fork()
            if not helper:
                with suppress(BaseException):  # the parent meets the same error
                    kernel(name)
                os._exit(0)
            helpers.append(helper)
    kernel(names[0])
    for helper in helpers:
        os.waitpid(helper, 0)
    for name in names:
        kernel(name)


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
    folder = _user_cache() / "sudoku-harness" / f"native-jit-{_digest()}"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            return folder
    except OSError:
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
    """16 hexadecimal digits, a digest of the name and of all sources of this package."""
    digest = hashlib.sha256(f"{__package__}\0".encode())
    for path in sorted(Path(__file__).parent.glob("*.py")):
        digest.update(path.name.encode() + b"\0" + path.read_bytes() + b"\0")
    return digest.hexdigest()[:16]


@contextmanager
def _numba_caches_in(folder: Path) -> Iterator[None]:
    """Make Numba cache compiled functions in `folder`."""
    before = numba.config.CACHE_DIR
    numba.config.CACHE_DIR = str(folder)
    try:
        yield
    finally:
        numba.config.CACHE_DIR = before
