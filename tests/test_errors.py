"""Errors name options as Python or as the command line does, depending on where the user is."""

import pickle

import pytest

from harness.base.errors import InputError, OptionError, command_line, not_among


@pytest.mark.parametrize(
    ("expected", "in_python"),
    [
        ("the name, for example --shape latin5", "the name, for example shape='latin5'"),
        ("runs of one machine, or --across-machines", "runs of one machine, or across_machines"),
        ("--jobs 2 or fewer, or --oversubscribe", "jobs=2 or fewer, or oversubscribe"),
        ("another name: --name NAME", "another name: name=NAME"),
        ("--from csv or --from line", "from='csv' or from='line'"),
        ("pip install --upgrade z3-solver", "pip install --upgrade z3-solver"),
        ("harness run --dataset FILE", "harness run --dataset FILE"),
    ],
)
def test_options_have_the_names_of_python_or_of_the_command_line(
    expected: str, in_python: str
) -> None:
    error = InputError("wrong", where="--time", expected=expected)
    for _ in range(2):
        assert str(error) == f"time: wrong; expected {in_python}"
        with command_line():
            assert str(error) == f"--time: wrong; expected {expected}"
    assert str(pickle.loads(pickle.dumps(error))) == str(error)


def test_a_similar_name_stands_in_place_of_all() -> None:
    similar = not_among(OptionError, "unknown x 'sumary'", "sumary", ["summary", "ranks"])
    assert str(similar) == "unknown x 'sumary' (did you mean 'summary'?)"
    unlike = not_among(OptionError, "unknown x 'q'", "q", ["summary", "ranks"], where="y")
    assert str(unlike) == "y: unknown x 'q'; expected one of summary, ranks"
