"""What pytest loads where this package is installed: a marker, and tidying up at the end.

Nothing is imported here: a run without tests of the contract pays for nothing.
"""

import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pytest


def pytest_configure(config: "pytest.Config") -> None:
    """Make the marker known, for those who run with --strict-markers."""
    config.addinivalue_line(
        "markers", "conformance: a part of the contract of sudoku-harness that a backend keeps"
    )


def pytest_unconfigure() -> None:
    """Remove what examinations have left."""
    if testing := sys.modules.get("harness.conformance.testing"):
        testing.close()
