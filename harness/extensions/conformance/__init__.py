"""The contract as a test suite for any backend.

    from harness.extensions.conformance import examine
    assert not examine(MyBackend)

The suite has parts: questions with known answers, and checks of the other clauses of
the contract. Each part lists the breaches that it finds.
"""

from typing import TYPE_CHECKING

from harness.base.plugins import lazily

if TYPE_CHECKING:
    from harness.extensions.conformance.calls import TIMEOUT
    from harness.extensions.conformance.clauses import Breach, Case, Clause, Fault
    from harness.extensions.conformance.examination import Examination, Finding, Part, examine
    from harness.extensions.conformance.questions import cases
    from harness.extensions.conformance.shapes import SHAPES, shape_named

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

if not TYPE_CHECKING:
    # pytest loads the plugin of this package in every run.
    __getattr__, __dir__ = lazily(__name__, __file__)
