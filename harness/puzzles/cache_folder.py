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
    folder = Path(parent or user_cache()) / "sudoku-harness" / f"{name}-{digest.hexdigest()[:16]}"
    with suppress(OSError):
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            return folder
    return None


def user_cache() -> Path:
    """The folder of this user for files that programs can make again."""
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA") or tempfile.gettempdir())
    if sys.platform == "darwin":
        return Path("~/Library/Caches").expanduser()
    return Path(os.environ.get("XDG_CACHE_HOME") or "~/.cache").expanduser()
