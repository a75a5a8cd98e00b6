"""Options: typed fields read from the text of a spec."""

from dataclasses import dataclass

import pytest

from harness.contract.options import Options, describe_options, option, parse_options
from harness.errors import OptionError


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


def test_options_without_a_setting_have_their_defaults() -> None:
    assert parse_options(Many, [], "many") == Many()


@pytest.mark.parametrize(
    ("setting", "where", "what", "expected"),
    [
        (("sover", "fast"), "", "'sover'", "solver, depth, share, keep, path"),
        (("solver", "best"), "many option solver", "'best'", "fast, slow"),
        (("depth", "x"), "many option depth", "'x'", "int"),
        (("depth", "0"), "many option depth", "0", "1"),
        (("share", "?"), "many option share", "'?'", "float"),
        (("keep", "maybe"), "many option keep", "'maybe'", "true or false"),
    ],
)
def test_a_bad_option_is_an_error_that_lists_the_valid_ones(
    setting: tuple[str, str], where: str, what: str, expected: str
) -> None:
    with pytest.raises(OptionError) as error:
        parse_options(Many, [setting], "many")
    assert error.value.where == where
    assert what in error.value.what
    assert error.value.expected.endswith(expected)


def test_a_backend_without_options_takes_none() -> None:
    with pytest.raises(OptionError) as error:
        parse_options(Options, [("a", "b")], "plain")
    assert "'a'" in error.value.what


def test_options_describe_themselves() -> None:
    first, second, *_ = describe_options(Many)
    assert (first.name, first.type, first.default) == ("solver", "str", "fast")
    assert (first.help, first.choices) == ("which one", ("fast", "slow"))
    assert (second.name, second.type, second.default) == ("depth", "int", 3)


@pytest.mark.parametrize(
    ("text", "value"),
    [(text, True) for text in ("true", "yes", "on", "1")]
    + [(text, False) for text in ("false", "no", "off", "0")],
)
def test_words_for_true_and_false(text: str, value: bool) -> None:
    for word in (text, text.upper()):
        assert parse_options(Many, [("keep", word)], "many") == Many(keep=value)
