"""The conformance suite as pytest tests.

    from harness.extensions.conformance.testing import conformance_of
    from my_package import MyBackend

    test_the_contract = conformance_of(MyBackend)

Each part of the suite is a test: ``test_the_contract[9x9: a count of two]``. Tests of
unsupported shapes and tasks are skipped with the reason. `pytest -m conformance` selects
these tests.
"""

from collections.abc import Callable, Sequence
from typing import Any

from harness.base.text import number_of
from harness.contract import Backend, Options
from harness.extensions.conformance.calls import TIMEOUT
from harness.extensions.conformance.examination import Examination, Part
from harness.puzzles.formats import grid_text

_open: list[Examination] = []


def conformance_of(
    backend: type[Backend[Any]],
    options: Options | None = None,
    shapes: Sequence[str] | None = None,
    *,
    timeout: float = TIMEOUT,
    thorough: bool = False,
) -> Callable[..., None]:
    """A parametrised test with one case per part of the suite.

    The backend runs in pytest's process, where a debugger can follow it. For a backend
    that hangs or crashes, use `harness backends test`, which runs it in its own process.

    Args:
        backend: the class of the backend.
        options: its options; the defaults if None.
        shapes: names of the shapes to test; by default those of `harness backends test`.
        timeout: seconds per question.
        thorough: whether to put all questions, however long they take, and more of them.

    Raises:
        PuzzleError: a shape does not exist.
    """
    import pytest

    examination = Examination(backend, options, shapes, timeout=timeout, thorough=thorough)
    parts = list(examination.parts())

    @pytest.mark.conformance
    @pytest.mark.parametrize("part", parts, ids=[part.title for part in parts])
    def test(part: Part) -> None:
        if examination not in _open:
            _open.append(examination.__enter__())
        finding = examination.examine(part)
        if finding.breaches:
            lines = []
            for breach in finding.breaches:
                lines += [breach.clause.value, f"  {breach.message}"]
            if case := finding.breaches[0].case:
                drawing = grid_text(case.puzzle.givens, case.puzzle.shape)
                lines += ["", f"{case.call}: {case}", drawing]
            pytest.fail("\n".join(lines), pytrace=False)
        if finding.is_late or finding.left_out:
            left_out = f"{number_of(finding.left_out, 'question')} left out"
            reason = finding.passed_over or left_out
            pytest.fail(f"not examined: {reason}; thorough=True and timeout=... give more time")
        if finding.passed_over:
            pytest.skip(finding.passed_over)

    test.__doc__ = f"{backend.__name__} keeps the contract."
    checked: Any = test
    return checked  # type: ignore[no-any-return]


def close() -> None:
    """Remove the temporary folders of all examinations; called when pytest ends."""
    while _open:
        _open.pop().__exit__()
