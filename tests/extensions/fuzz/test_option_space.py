"""Walks over the options of a backend."""

from itertools import islice

from harness.contract.backend import Capability
from harness.contract.options import BackendSpec, OptionInfo
from harness.contract.registry import Description
from harness.extensions.fuzz.fuzz import other_values, walk
from harness.records.question import Configuration

OPTIONS = (
    OptionInfo("solver", "str", "a", "solver", ("a", "b", "c", "d")),
    OptionInfo("fast", "bool", False, "speed", ()),
    OptionInfo("depth", "int", 3, "depth", (), minimum=1),
    OptionInfo("path", "str", "", "path", ()),
    OptionInfo("defect", "bool", False, "a known defect", (), keeps_contract=False),
)


def configuration(
    *settings: tuple[str, str], options: tuple[OptionInfo, ...] = OPTIONS
) -> Configuration:
    description = Description("mine", "search", {}, Capability.COMPLETE, frozenset(), options)
    return Configuration(BackendSpec("mine", settings), description, {})


def test_every_value_occurs_alone_and_then_pairs_without_end() -> None:
    specs = list(islice(walk(configuration(), 0), 60))
    alone = {spec.settings[0] for spec in specs if len(spec.settings) == 1}
    every = {("solver", value) for value in "bcd"} | {("fast", "true")}
    assert alone == every | {("depth", value) for value in ("1", "4", "5", "6", "23")}
    pairs = [spec.settings for spec in specs if len(spec.settings) == 2]
    assert len(pairs) > 40
    assert all(first[0] != other[0] for first, other in pairs)
    assert {name for pair in pairs for name, _ in pair} == {"solver", "fast", "depth"}


def test_each_option_comes_before_the_second_value_of_another() -> None:
    first = [s.settings[0][0] for s in islice(walk(configuration(), 1), 4) if len(s.settings) == 1]
    assert sorted(first) == ["depth", "fast", "solver"]


def test_options_that_a_spec_sets_stay() -> None:
    for spec in islice(walk(configuration(("solver", "c")), 0), 30):
        assert spec.settings[0] == ("solver", "c")
        assert len({name for name, _ in spec.settings}) == len(spec.settings) > 1


def test_a_backend_without_options_has_no_walk() -> None:
    assert list(walk(configuration(options=()), 0)) == []
    assert list(walk(Configuration(BackendSpec("mine"), None, {}), 0)) == []


def test_a_single_option_varies_without_end() -> None:
    specs = list(islice(walk(configuration(options=OPTIONS[1:2]), 0), 5))
    assert {spec.settings for spec in specs} == {(("fast", "true"),)}


def test_numbers_stay_within_their_minimum() -> None:
    assert other_values(OPTIONS[2]) == ["4", "5", "6", "23", "1"]
    floats = other_values(OptionInfo("x", "float", 0.5, "x", (), 0.0))
    assert floats == ["1.5", "2.5", "1.0", "20.5", "0.0"]
