"""The contract as a suite that any backend can be held to.

    from harness.conformance import examine
    assert not examine(MyBackend)

Each part asks a question whose answer is known, or looks at something else that the
contract says, and lists what breaks it.
"""

from collections.abc import Sequence

from harness.conformance.clauses import Breach, Case, Clause, Fault
from harness.conformance.examination import TIMEOUT, Examination, Finding, Part
from harness.conformance.questions import SHAPES, cases, shape_named
from harness.contract.backend import Backend
from harness.contract.options import Options

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


def examine(
    backend: type[Backend],
    options: Options | None = None,
    shapes: Sequence[str] = SHAPES,
    *,
    timeout: float = TIMEOUT,
) -> list[Breach]:
    """What `backend` breaks, asked in this process; an empty list where it keeps the contract.

    A shape that the backend calls unsupported is passed over. A backend that never
    answers is waited for: `harness backends test` ends it.

    Raises:
        InputError: there is no such shape.
    """
    with Examination(backend, options, shapes, timeout=timeout) as examination:
        findings = [examination.examine(part) for part in examination.parts()]
    return [breach for finding in findings for breach in finding.breaches]
