"""Backend specs: the text that names a backend with its options."""

from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.contract.options import BackendSpec, parse_specs
from harness.errors import InputError, OptionError, UnknownBackendError

WORDS = st.from_regex(r"[A-Za-z][A-Za-z0-9_.-]{0,8}", fullmatch=True)


def test_a_name_alone_has_all_defaults() -> None:
    assert parse_specs("cnf") == [BackendSpec("cnf")]


def test_a_name_may_have_a_hyphen() -> None:
    (spec,) = parse_specs("native-jit[threads=2]")
    assert (spec.locator, spec.label) == ("native-jit", "native-jit[threads=2]")


def test_options_keep_their_order() -> None:
    (spec,) = parse_specs("cnf[solver=glucose4,encoding=extended]")
    assert spec.settings == (("solver", "glucose4"), ("encoding", "extended"))
    assert spec.label == "cnf[solver=glucose4,encoding=extended]"


def test_a_list_of_values_is_a_grid() -> None:
    specs = parse_specs("cnf[solver=[a, b],encoding=[x,y],reuse=true]")
    assert [s.label for s in specs] == [
        "cnf[solver=a,encoding=x,reuse=true]",
        "cnf[solver=a,encoding=y,reuse=true]",
        "cnf[solver=b,encoding=x,reuse=true]",
        "cnf[solver=b,encoding=y,reuse=true]",
    ]


def test_a_file_is_named_with_its_class() -> None:
    assert parse_specs("path/to/file.py:Class[depth=3]") == [
        BackendSpec("path/to/file.py:Class", (("depth", "3"),))
    ]


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
