"""Selection of backends."""

import pytest

from harness.base.errors import BackendUnavailableError
from harness.contract import registry
from harness.contract.backend import Capability
from harness.contract.options import BackendSpec
from harness.contract.registry import Description
from harness.records.question import Configuration
from harness.runs.execution import Observer
from harness.runs.selection import available_only, expand_specs, require_available, without_special


def configuration(
    name: str,
    unavailable: str = "",
    capabilities: Capability = Capability.SOLVES | Capability.COMPLETE,
) -> Configuration:
    description = Description(name, "made", {}, capabilities, frozenset(), ())
    return Configuration(BackendSpec(name), description, {}, unavailable, "install it")


READY = configuration("native")
ABSENT = configuration("absent", "no library")


class LeftOut(Observer):
    def __init__(self) -> None:
        self.backends: list[str] = []

    def left_out(self, backend: str, reason: str) -> None:
        self.backends.append(backend)


def test_grids_are_expanded_and_duplicates_removed() -> None:
    specs = expand_specs(["native", "cnf[solver=[glucose4,cadical153]]", "native"])
    assert [spec.label for spec in specs] == [
        "native",
        "cnf[solver=glucose4]",
        "cnf[solver=cadical153]",
    ]
    assert [spec.label for spec in expand_specs(["*"])] == registry.names()


def test_an_unavailable_backend_is_an_error_with_its_remedy() -> None:
    require_available([READY])
    with pytest.raises(BackendUnavailableError, match="; install it"):
        require_available([READY, ABSENT])


def test_unavailable_backends_are_left_out_and_reported() -> None:
    observer = LeftOut()
    assert available_only([READY, ABSENT], observer) == [READY]
    assert observer.backends == ["absent"]
    with pytest.raises(BackendUnavailableError):
        available_only([ABSENT], observer)


@pytest.mark.parametrize(
    "capabilities",
    [Capability.SOLVES, Capability.SOLVES | Capability.COMPLETE | Capability.NAMED_ONLY],
    ids=["may give up", "must be named"],
)
def test_the_spec_for_all_leaves_out_special_backends_that_are_not_named(
    capabilities: Capability,
) -> None:
    special = configuration("annealing", capabilities=capabilities)
    assert without_special([READY, special], ["*"]) == [READY]
    assert without_special([READY, special], ["*", "annealing"]) == [READY, special]
    assert without_special([special], ["annealing"]) == [special]
