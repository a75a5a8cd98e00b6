"""Whatever a backend does costs that backend its trial, and nobody anything else.

`python -m tests.hostile` runs all cases; these are a sample.
"""

from pathlib import Path

import pytest

from tests.hostile.cases import MOMENTS, Case, cases, sample
from tests.hostile.ward import breaches, has_namespaces

needs_namespaces = pytest.mark.skipif(
    not has_namespaces(), reason="PID namespaces are not available"
)


def test_the_sample_has_every_action_every_answer_and_every_moment() -> None:
    def parts(cases: list[Case]) -> set[str]:
        return {part for case in cases for part in case.name.split(" - ")}

    assert parts(sample()) == parts(cases())
    assert set(MOMENTS) <= parts(sample())
    assert 150 <= len(sample()) < len(cases())


@needs_namespaces
@pytest.mark.long
@pytest.mark.timeout(500)
@pytest.mark.parametrize("case", sample(), ids=lambda case: case.name)
def test_a_hostile_backend_costs_only_its_own_trials(case: Case, tmp_path: Path) -> None:
    assert breaches(case, tmp_path) == []
