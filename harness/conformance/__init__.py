"""The contract as a test suite for any backend.

    from harness.conformance import examine
    assert not examine(MyBackend)

The suite has parts: questions with known answers, and checks of the other clauses of
the contract. Each part lists the breaches that it finds.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from harness.conformance.calls import TIMEOUT
    from harness.conformance.clauses import Breach, Case, Clause, Fault
    from harness.conformance.examination import Examination, Finding, Part, examine
    from harness.conformance.questions import cases
    from harness.conformance.shapes import SHAPES, shape_named

_HOME = {
    "SHAPES": "shapes",
    "TIMEOUT": "calls",
    "Breach": "clauses",
    "Case": "clauses",
    "Clause": "clauses",
    "Examination": "examination",
    "Fault": "clauses",
    "Finding": "examination",
    "Part": "examination",
    "cases": "questions",
    "examine": "examination",
    "shape_named": "shapes",
}

__all__ = [
    "SHAPES",
    "TIMEOUT",
    "Breach",
    "Case",
    "Clause",
    "Examination",
    "Fault",
    "Finding",
    "Part",
    "cases",
    "examine",
    "shape_named",
]


def __getattr__(name: str) -> Any:
    # Imported on first use: pytest loads the plugin of this package in every run.
    if name not in _HOME:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_HOME[name]}"), name)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
