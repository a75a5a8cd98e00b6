"""Compiling a kernel, or taking it from the cache of the user.

Numba keeps compiled code in files and knows by the time stamp of the source whether they still
hold, but it looks at the one file alone that the function stands in: a change in a module that
the kernel uses would leave the old code in use. So the name of the folder has a digest of
all sources in this package. What CPU the code is for, and the version of Numba, Numba itself
sees to: machines of several kinds can share a home.
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
    """The compiled kernel `name`, made once in each process.

    It is compiled with code for this CPU and put into the cache; where no folder can be
    written, or what is in it cannot be read, it is compiled without a cache.

    Raises:
        Unavailable: Numba is told not to compile.
    """
    if numba.config.DISABLE_JIT:
        raise Unavailable("NUMBA_DISABLE_JIT is set", "unset NUMBA_DISABLE_JIT")
    module = importlib.import_module(f"backends.native_jit.{name}")
    folder = cache_folder()
    if folder is not None:
        # A full disk, a damaged file: whatever it is, the kernel itself may be well.
        with suppress(Exception), _numba_caches_in(folder):
            return _compiled(module, cached=True)
    return _compiled(module, cached=False)


def compile_all(names: Sequence[str]) -> None:
    """See that these kernels are compiled; where the cache is empty, each on a core of its own.

    Raises:
        Unavailable: Numba is told not to compile.
    """
    helpers = []
    # A process with threads is better not forked.
    if hasattr(os, "fork") and threading.active_count() == 1 and not is_cached():
        for name in names[1:]:
            helper = os.fork()
            if not helper:
                with suppress(BaseException):  # whatever it is, it will befall the parent too
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
    """Whether compiled code of these sources lies in the cache, if perhaps for another CPU."""
    folder = cache_folder()
    return folder is not None and any(folder.rglob("*.nbi"))


def cache_folder() -> Path | None:
    """The folder for compiled code of these sources; None where none can be written.

    It lies in the folder that NUMBA_CACHE_DIR names, or else in the user's cache. All in it can
    be deleted at any time.
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
    """16 hexadecimal digits that change with any source in this package."""
    digest = hashlib.sha256()
    for path in sorted(Path(__file__).parent.glob("*.py")):
        digest.update(path.name.encode() + b"\0" + path.read_bytes() + b"\0")
    return digest.hexdigest()[:16]


@contextmanager
def _numba_caches_in(folder: Path) -> Iterator[None]:
    """Have functions that are compiled meanwhile cached in `folder`."""
    before = numba.config.CACHE_DIR
    numba.config.CACHE_DIR = str(folder)
    try:
        yield
    finally:
        numba.config.CACHE_DIR = before
