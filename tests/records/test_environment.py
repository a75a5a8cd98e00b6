"""The file of calls: a broken one is bad input wherever it is read, and spoils nothing."""

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

Harness = Callable[..., tuple[int, str, str]]


@pytest.fixture
def a_run(harness: Harness, a_file: Callable[..., Path], tmp_path: Path) -> Path:
    words = ("run", "--backend", "native", "--out", tmp_path / "run", "--dataset")
    assert harness(*words, a_file(["1234............"]))[0] == 0
    return tmp_path / "run"


@pytest.mark.parametrize(
    ("content", "told"),
    [
        ("no json", "is no JSON: Expecting value: line 1 column 1 (char 0)"),
        ("\xff", "is no JSON: "),
        *[
            (content, 'has no list of calls; expected {"calls": [{...}]}')
            for content in ("[]", "3", "{}", '{"calls": 3}', '{"calls": [3]}')
        ],
        ('{"calls": [{}, {"load_average": []}]}', "call 2: load_average is []; expected numbers"),
        ('{"calls": [{"load_average": ["<x>"]}]}', "call 1: load_average is ['<x>']"),
        ('{"calls": [{"usable_cores": 5}]}', "call 1: usable_cores is 5; expected list"),
        ('{"calls": [{"checkout": "x"}]}', "call 1: checkout is 'x'; expected dict"),
    ],
)
def test_a_broken_file_of_calls_is_bad_input(
    harness: Harness, a_run: Path, tmp_path: Path, content: str, told: str
) -> None:
    path = a_run / "environment.json"
    path.write_bytes(content.encode("latin-1"))
    other = tmp_path / "other"
    shutil.copytree(a_run, other)
    out = tmp_path / "made"
    for words in (
        ("report", a_run, "--format", "html", "--out", out),
        ("export", a_run, "--share", "--out", out),
        ("merge", a_run, other, "--out", out),
        ("compare", a_run, other),
    ):
        code, printed, err = harness(*words)
        assert (code, printed) == (2, ""), words
        assert err.startswith(f"harness: {path}: {told}"), words
        assert err.count("\n") == 1
        assert not out.exists()


def test_a_run_does_not_go_on_over_a_broken_file_of_calls(
    harness: Harness, a_file: Callable[..., Path], a_run: Path
) -> None:
    path = a_run / "environment.json"
    path.write_text("no json")
    dataset = a_file(["1234............", "." * 16])
    words = ("--backend", "native", "--out", a_run, "--dataset", dataset)
    code, _, err = harness("run", *words)
    assert code == 2
    assert err.startswith(f"harness: {path}: is no JSON")
    assert path.read_text() == "no json"
