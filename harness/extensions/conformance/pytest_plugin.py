"""The pytest plugin: the marker ``conformance``, and cleanup after a run.

It imports nothing else, so that other test runs stay fast.
"""

import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pytest


def pytest_configure(config: "pytest.Config") -> None:
    """Register the marker, for runs with --strict-markers."""
    config.addinivalue_line(
        "markers", "conformance: conformance of a backend to the contract of sudoku-harness"
    )


def pytest_unconfigure() -> None:
    """Remove the temporary folders of examinations."""
    if testing := sys.modules.get("harness.extensions.conformance.testing"):
        testing.close()
