"""Options: typed fields read from the text of a spec."""

from dataclasses import dataclass

import pytest

from harness.contract.options import Options, describe_options, option, parse_options
from harness.errors import InputError


@dataclass(frozen=True)
class Many(Options):
    solver: str = option("fast", help="which one", choices=("fast", "slow"))
    depth: int = option(3, help="how deep", minimum=1)
    share: float = option(0.5, help="how much")
    keep: bool = option(False, help="whether")
    path: str = option("", help="any text")


def test_each_type_is_read_from_text() -> None:
    settings = [
        ("solver", "slow"),
        ("depth", "7"),
        ("share", "1e-3"),
        ("keep", "TRUE"),
        ("path", "x"),
    ]
    assert parse_options(Many, settings, "many") == Many("slow", 7, 0.001, True, "x")


def test_what_is_not_said_has_its_default() -> None:
    assert parse_options(Many, [], "many") == Many()


@pytest.mark.parametrize(
    ("setting", "message"),
    [
        (
            ("sover", "fast"),
            "backend many has no option 'sover'; expected one of solver, depth, share, keep, path",
        ),
        (("solver", "best"), "many option solver: no value 'best'; expected one of fast, slow"),
        (("depth", "x"), "many option depth: no value 'x'; expected a value of type int"),
        (("depth", "0"), "many option depth: 0 is too small; expected at least 1"),
        (("share", "?"), "many option share: no value '?'; expected a value of type float"),
        (("keep", "maybe"), "many option keep: no value 'maybe'; expected true or false"),
    ],
)
def test_a_bad_option_is_told_with_what_there_is(setting: tuple[str, str], message: str) -> None:
    with pytest.raises(InputError) as error:
        parse_options(Many, [setting], "many")
    assert str(error.value) == message


def test_a_backend_without_options_says_that_there_is_none() -> None:
    with pytest.raises(InputError, match="expected nothing: there is none"):
        parse_options(Options, [("a", "b")], "plain")


def test_options_describe_themselves() -> None:
    first, second, *_ = describe_options(Many)
    assert (first.name, first.type, first.default) == ("solver", "str", "fast")
    assert (first.help, first.choices) == ("which one", ("fast", "slow"))
    assert (second.name, second.type, second.default) == ("depth", "int", 3)
