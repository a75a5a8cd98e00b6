"""Options of backends, and the specs that name them."""

from contextlib import suppress
from dataclasses import dataclass

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from harness.base.errors import InputError, OptionError, UnknownBackendError
from harness.contract.options import (
    BackendSpec,
    Options,
    describe_options,
    option,
    parse_options,
    parse_specs,
)

# Options: typed fields read from the text of a spec.


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
        ("keep", "YES"),
        ("path", "x"),
    ]
    assert parse_options(Many, settings, "many") == Many("slow", 7, 0.001, True, "x")


@pytest.mark.parametrize(
    ("setting", "where", "problem", "expected"),
    [
        (("no-such", "fast"), "", "'no-such'", "solver, depth, share, keep, path"),
        (("solver", "best"), "many option solver", "'best'", "fast, slow"),
        (("depth", "x"), "many option depth", "'x'", "int"),
        (("depth", "0"), "many option depth", "0", "1"),
        (("share", "?"), "many option share", "'?'", "float"),
        (("keep", "maybe"), "many option keep", "'maybe'", "true or false"),
    ],
)
def test_a_bad_option_is_an_error_that_lists_the_valid_ones(
    setting: tuple[str, str], where: str, problem: str, expected: str
) -> None:
    with pytest.raises(OptionError) as error:
        parse_options(Many, [setting], "many")
    assert error.value.where == where
    assert problem in error.value.what
    assert error.value.expected.endswith(expected)


@pytest.mark.parametrize(
    ("text", "value"),
    [(text, True) for text in ("true", "yes", "on", "1")]
    + [(text, False) for text in ("false", "no", "off", "0")],
)
def test_words_for_true_and_false(text: str, value: bool) -> None:
    for word in (text, text.upper()):
        assert parse_options(Many, [("keep", word)], "many") == Many(keep=value)


def test_options_describe_themselves() -> None:
    first, second, *_ = describe_options(Many)
    assert (first.name, first.type, first.default) == ("solver", "str", "fast")
    assert (first.help, first.choices) == ("which one", ("fast", "slow"))
    assert (second.name, second.type, second.default) == ("depth", "int", 3)


# Backend specs: the text that names a backend with its options.


WORDS = st.from_regex(r"[A-Za-z][A-Za-z0-9_.-]{0,8}", fullmatch=True)


def test_a_list_of_values_is_a_grid() -> None:
    specs = parse_specs("cnf[solver=[a, b],encoding=[x,y],reuse=true]")
    assert [s.label for s in specs] == [
        "cnf[solver=a,encoding=x,reuse=true]",
        "cnf[solver=a,encoding=y,reuse=true]",
        "cnf[solver=b,encoding=x,reuse=true]",
        "cnf[solver=b,encoding=y,reuse=true]",
    ]


@settings(max_examples=40)
@given(WORDS, st.dictionaries(WORDS, WORDS, max_size=4))
def test_parsing_a_label_gives_the_spec(name: str, settings: dict[str, str]) -> None:
    spec = BackendSpec(name, tuple(settings.items()))
    assert parse_specs(spec.label) == [spec]


@given(st.text(alphabet="ab=[],: .", max_size=20))
def test_any_text_is_a_spec_or_an_input_error(text: str) -> None:
    with suppress(InputError):
        assert parse_specs(text)


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("", UnknownBackendError),
        ("[a=1]", UnknownBackendError),
        ("cnf[solver=glucose4", OptionError),
        ("cnf[solver]", OptionError),
        ("cnf[=3]", OptionError),
        ("cnf[solver=]", OptionError),
        ("cnf[]", OptionError),
        ("cnf[solver=[a,]]", OptionError),
        ("cnf[solver=[a,[b]]]", OptionError),
        ("cnf[a=1]]", OptionError),
        ("cnf[a=1,a=2]", OptionError),
    ],
)
def test_a_malformed_spec_is_an_error_that_quotes_it(text: str, kind: type[InputError]) -> None:
    with pytest.raises(kind) as error:
        parse_specs(text)
    assert repr(text) in error.value.what
    assert error.value.expected


# Versions: a spec names an environment.


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("cpsat@9.14", [BackendSpec("cpsat", version="9.14")]),
        ("cnf@1.8.dev13[solver=x]", [BackendSpec("cnf", (("solver", "x"),), "1.8.dev13")]),
        ("z3@4.13[python=3.13,a=1]", [BackendSpec("z3", (("a", "1"),), "4.13", "3.13")]),
        ("z3@[4.8, 4.13]", [BackendSpec("z3", version=v) for v in ("4.8", "4.13")]),
        (
            "z3@4.8[python=[3.11,3.13]]",
            [BackendSpec("z3", version="4.8", python=p) for p in ("3.11", "3.13")],
        ),
        ("/at@1/mine.py@2.0:rc", [BackendSpec("/at@1/mine.py@2.0:rc")]),
        ("/at@1/mine.py:Class@2.0", [BackendSpec("/at@1/mine.py:Class", version="2.0")]),
        ("mine@2.py", [BackendSpec("mine@2.py")]),
        ("me@host.toml[a=1]", [BackendSpec("me@host.toml", (("a", "1"),))]),
        ("z3[python=3.13]", [BackendSpec("z3", (("python", "3.13"),))]),
    ],
)
def test_a_version_follows_the_name(text: str, expected: list[BackendSpec]) -> None:
    assert parse_specs(text) == expected
    assert [parse_specs(spec.label) for spec in expected] == [[spec] for spec in expected]


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("z3@", "no version after @ in 'z3@'.*such as z3@9.14"),
        ("z3@latest", "invalid version 'latest'.*such as z3@9.14"),
        ("z3@@", "no version after @"),
        ("z3@4.12]", "missing opening bracket in 'z3@4.12]'"),
        ("z3@4.12@5", "two versions in 'z3@4.12@5'"),
        ("z3@>=1", "invalid version '>=1'.*harness backends z3 lists"),
        ("z3@1.8dev30", r"invalid version '1.8dev30'.*z3@1\.8\.dev13"),
        ("z3@\u0661", "invalid version"),
        (f"z3@{'9' * 5000}", r"invalid version '9+\.\.\.9+'"),
        ("z3@4.8[python=3.011]", "python of z3: invalid value '3.011'"),
        ("z3@[4.8,]", "empty value"),
        ("z3@[4.8", "missing closing bracket"),
        ("z3@4..8", "invalid version"),
        ("z3@4.8[python=2.7]", "python of z3: invalid value '2.7'"),
        ("z3@4.8[python=3.13,python=3.12]", "duplicate option"),
    ],
)
def test_a_malformed_version_is_an_error(text: str, problem: str) -> None:
    with pytest.raises(InputError, match=problem):
        parse_specs(text)


def test_an_option_python_without_a_version_is_explained() -> None:
    with pytest.raises(OptionError, match=r"needs a version.*z3@VERSION\[python=3\.13\]"):
        parse_options(Options, [("python", "3.13")], "z3")
