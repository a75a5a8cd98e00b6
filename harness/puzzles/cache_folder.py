"""The folder for compiled code.

Numba caches compiled code in files and compares only the time stamp of the function's own
source file, so a change in an imported module would leave stale code in use. Therefore the
name of the folder contains a digest of all sources.
"""

import hashlib
import os
import sys
import tempfile
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from typing import Final

_PROJECT: Final = "sudoku-harness"


def cache_folder(name: str, sources: Iterable[Path], parent: str = "") -> Path | None:
    """The folder for the compiled code of some sources, None if it is not writable.

    Its contents can be deleted at any time.

    Args:
        name: the beginning of its name.
        sources: the files; another file, or other text in one, means another folder.
        parent: the folder in which it is; by default the user's cache folder.
    """
    digest = hashlib.sha256(f"{name}\0".encode())
    for path in sorted(sources):
        digest.update(path.name.encode() + b"\0" + path.read_bytes() + b"\0")
    shared = Path(parent) / _PROJECT if parent else user_cache()
    if shared is None:
        return None
    folder = shared / f"{name}-{digest.hexdigest()[:16]}"
    with suppress(OSError):
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            return folder
    return None


def user_cache() -> Path | None:
    """The folder of this project for files that it can make again; None for a user without a home.

    A relative ``XDG_CACHE_HOME`` is ignored, as its specification demands.
    """
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA") or tempfile.gettempdir()) / _PROJECT
    named = Path(os.environ.get("XDG_CACHE_HOME") or "")
    if sys.platform != "darwin" and named.is_absolute():
        return named / _PROJECT
    try:
        home = Path.home()
    except RuntimeError:  # neither HOME nor an entry for the user
        return None
    return home / ("Library/Caches" if sys.platform == "darwin" else ".cache") / _PROJECT
