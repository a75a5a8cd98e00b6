"""The libraries that draw the charts of a page, as one script.

vl-convert bundles Vega, Vega-Lite and Vega-Embed, which takes a second. The script stays in the
user's cache for the next page; it can be deleted at any time.
"""

import hashlib
import json
import os
import subprocess
import sys
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from functools import cache
from importlib.metadata import version
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from harness.puzzles.cache_folder import user_cache
from harness.report.charts import vega

_BUNDLE: Final = ("window.vegaEmbed = vegaEmbed;", vega.VERSION)
_BUNDLING: Final = """
import json, sys
sys.path, file, *bundle = json.loads(sys.argv[1])
import vl_convert
with open(file, "w", encoding="utf-8", newline="") as out:
    out.write(vl_convert.javascript_bundle(*bundle))
"""


@cache
def chart_libraries() -> Future[str]:
    """The script that `script` waits for; empty if it could not be made.

    Each page begins with a call. A process of its own bundles the libraries, on another core,
    while the tables and charts are computed: vl-convert does not release Python's lock.
    """
    waiting = ThreadPoolExecutor(1)
    script = waiting.submit(lambda: _kept() or _keep(_bundled_elsewhere()))
    waiting.shutdown(wait=False)
    return script


@cache
def script() -> str:
    """The script, bundled in this process if the other one could not do it."""
    found = chart_libraries().result()
    if found:
        return found
    import vl_convert

    return _keep(vl_convert.javascript_bundle(*_BUNDLE))


def _bundled_elsewhere() -> str:
    """What the process has bundled; empty if it failed."""
    with TemporaryDirectory() as folder:
        file = Path(folder) / "libraries.js"
        # Without the environment and the startup files of Python, but with the modules of this
        # process: nothing but vl-convert runs or writes.
        arguments = json.dumps([sys.path, str(file), *_BUNDLE])
        command = [sys.executable, "-I", "-S", "-c", _BUNDLING, arguments]
        try:
            subprocess.run(command, check=True, capture_output=True, stdin=subprocess.DEVNULL)
            found = file.read_text(encoding="utf-8")
            return found if "vegaEmbed" in found else ""
        except (OSError, TypeError, ValueError, subprocess.SubprocessError):
            return ""


def _file() -> Path | None:
    """The file of the script in the user's cache, for this version of vl-convert."""
    folder = user_cache()
    made_of = json.dumps([version("vl-convert-python"), *_BUNDLE])
    digest = hashlib.sha256(made_of.encode()).hexdigest()[:16]
    return folder and folder / f"chart-libraries-{digest}.js"


def _kept() -> str:
    """The script of the cache; empty if it is not there or damaged."""
    file = _file()
    with suppress(OSError, UnicodeDecodeError):
        digest, _, text = (file.read_bytes() if file else b"").partition(b"\n")
        if hashlib.sha256(text).hexdigest().encode() == digest:
            return text.decode()
    return ""


def _keep(text: str) -> str:
    """Write a script to the cache, if there is one and the cache is writable."""
    file, content = _file(), text.encode()
    if not text or not file:
        return text
    with suppress(OSError):
        file.parent.mkdir(parents=True, exist_ok=True)
        own = file.with_suffix(f".{os.getpid()}")
        own.write_bytes(hashlib.sha256(content).hexdigest().encode() + b"\n" + content)
        own.replace(file)
    return text
