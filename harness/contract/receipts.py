"""Receipts of programs and libraries: what identifies the files that a run has used."""

import re
import shutil
from functools import cache
from pathlib import Path
from typing import Final

from harness.base.child import output_of
from harness.base.files import sha256_of

_SECONDS: Final = 10.0
"""Seconds in which a program names its version, or the loader the libraries."""
_MOST_BYTES: Final = 2**16
"""Maximum size of these outputs."""
_NUMBERS: Final = r"(\d+(?:\.\d+)+)"
_VERSIONS: Final = (re.compile(rf"\bversion:?\s+v?{_NUMBERS}", re.IGNORECASE), re.compile(_NUMBERS))
"""Where a version stands, in order of preference."""
_NOT_STARTED: Final = 127
"""The exit code of the loader if a library is missing."""
_digest = cache(sha256_of)
"""The digest of a library of the system, which many programs load."""
_LINKED: Final = re.compile(r"^\s*\S+ => (/.+) \(0x[0-9a-f]+\)$", re.MULTILINE)


def receipt_of(part: str, file: Path, version: str = "") -> dict[str, str]:
    """The version, size and digest of a file, and the digests of the libraries that it loads.

    Args:
        part: what the file is: program, script or library.
        file: the file; if it cannot be read, the receipt is empty.
        version: the version that it names.
    """
    try:
        digest, size = sha256_of(file), f"{file.stat().st_size:,} bytes"
    except OSError:
        return {}
    receipt = {f"{part} {file.name}": ", ".join(filter(None, (version, size, f"sha256:{digest}")))}
    if part != "script":
        output = _output_of("ldd", str(file))
        for library in map(Path, _LINKED.findall(output)):
            receipt |= {f"{file.name} loads {library.name}": f"sha256:{_digest(library)[:16]}"}
    return receipt


@cache
def version_named_by(program: str) -> str:
    """The version that a program prints; empty if it prints none in time."""
    output = _output_of(program, "--version")
    return next((match[1] for form in _VERSIONS if (match := form.search(output))), "")


def _output_of(program: str, argument: str) -> str:
    """What a program prints and reports; empty if it cannot be started or does not end."""
    path = shutil.which(program)
    try:
        end = output_of([path or program, argument], most_bytes=_MOST_BYTES, seconds=_SECONDS)
    except (OSError, TimeoutError):
        return ""
    output = f"{end.output.decode(errors='replace')}\n{end.errors}"
    return "" if end.code == _NOT_STARTED else output
