"""The contract as tests of your own repository.

    from harness.conformance.testing import conformance_of
    from my_package import MyBackend

    test_the_contract = conformance_of(MyBackend)

Each part of the examination is a test: ``test_the_contract[9x9: a count of two]``. What
a backend does not support is skipped, with its reason. `pytest -m conformance` runs these
tests alone.
"""

from collections.abc import Callable, Sequence
from typing import Any

from harness.conformance.examination import TIMEOUT, Examination, Finding, Part
from harness.conformance.questions import SHAPES
from harness.contract.backend import Backend
from harness.contract.options import Options
from harness.puzzles.formats import boxed

_open: list[Examination] = []


def conformance_of(
    backend: type[Backend],
    options: Options | None = None,
    shapes: Sequence[str] = SHAPES,
    *,
    timeout: float = TIMEOUT,
) -> Callable[..., None]:
    """A test for each part of the examination of `backend` with these options.

    The backend runs in pytest's own process, so that a debugger can follow it; what
    hangs or dies is better shown to `harness backends test`, which ends it.

    Args:
        backend: its class.
        options: its options, the default ones if left out.
        shapes: names of the shapes that it is asked about.
        timeout: seconds that a question may take.

    Raises:
        InputError: there is no such shape.
    """
    import pytest

    examination = Examination(backend, options, shapes, timeout=timeout)
    parts = list(examination.parts())

    @pytest.mark.conformance
    @pytest.mark.parametrize("part", parts, ids=[part.title for part in parts])
    def test(part: Part) -> None:
        if examination not in _open:
            _open.append(examination.__enter__())
        finding = examination.examine(part)
        if finding.breaches:
            pytest.fail(_told(finding), pytrace=False)
        if finding.passed_over:
            pytest.skip(finding.passed_over)

    test.__doc__ = f"{backend.__name__} keeps the contract."
    checked: Any = test
    return checked  # type: ignore[no-any-return]


def close() -> None:
    """Remove what examinations have left; called when pytest ends."""
    while _open:
        _open.pop().__exit__()


def _told(finding: Finding) -> str:
    lines = []
    for breach in finding.breaches:
        lines += [breach.clause.value, f"  {breach.what}"]
    case = finding.breaches[0].case
    if case:
        lines += ["", f"{case.call}: {case}", boxed(case.puzzle.givens, case.puzzle.shape)]
    return "\n".join(lines)
