"""Where a run took place, for those who read its results later."""

import os
import platform
import sys
from collections.abc import Sequence
from datetime import UTC, datetime
from importlib import metadata
from typing import Any, Final

_DISTRIBUTION: Final = "sudoku-harness"


def harness_version() -> str:
    """The version of the installed harness."""
    return metadata.version(_DISTRIBUTION)


def environment(command: Sequence[str]) -> dict[str, Any]:
    """Host, system, Python and the time, as plain data."""
    return {
        "started_at": datetime.now(UTC).isoformat(timespec="seconds"),
        "command": list(command),
        "harness": harness_version(),
        "python": sys.version,
        "implementation": platform.python_implementation(),
        "system": platform.platform(),
        "machine": platform.machine(),
        "host": platform.node(),
        "cpus": os.cpu_count(),
        "load_average": os.getloadavg() if hasattr(os, "getloadavg") else None,
    }
