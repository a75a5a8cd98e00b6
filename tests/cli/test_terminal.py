"""Colours and characters: where they appear, and what they distinguish."""

import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from harness.cli.terminal import theme_of
from harness.report.formatting import Style, Theme
from tests.conftest import Ended, Stream

Harness = Callable[..., Ended]
COLOUR = re.compile(r"\x1b\[[\d;]*m")
PUZZLE = "1234............"
pytestmark = pytest.mark.usefixtures("plain_terminal")


@pytest.mark.parametrize(
    ("terminal", "variables", "colour"),
    [
        (True, {}, True),
        (False, {}, False),
        (True, {"TERM": "dumb"}, False),
        (True, {"NO_COLOR": "1"}, False),
        (True, {"NO_COLOR": ""}, True),
        (False, {"FORCE_COLOR": "1"}, True),
        (False, {"FORCE_COLOR": "0"}, False),
        (False, {"FORCE_COLOR": ""}, False),
        (True, {"FORCE_COLOR": "1", "TERM": "dumb"}, True),
        (True, {"FORCE_COLOR": "1", "NO_COLOR": "1"}, False),
    ],
)
def test_colours_follow_the_stream_and_the_environment(
    terminal: bool, variables: dict[str, str], colour: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    assert theme_of(Stream(terminal)).colour is colour


@pytest.mark.parametrize(
    ("variables", "unicode"),
    [
        ({"LANG": "en_GB.UTF-8"}, True),
        ({"LANG": ""}, True),
        ({"LANG": "C"}, False),
        ({"LANG": "POSIX"}, False),
        ({"LANG": "C", "LC_ALL": "C.UTF-8"}, True),
        ({"LANG": "en_GB.UTF-8", "LC_ALL": "C"}, False),
    ],
)
def test_unicode_follows_the_locale(
    variables: dict[str, str], unicode: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    assert theme_of(Stream(True)).unicode is unicode
    stream = Stream(True)
    stream.encoding = "iso8859-1"
    assert theme_of(stream).unicode is False


def test_a_style_is_a_code_around_the_text_or_nothing() -> None:
    assert Theme(colour=True).styled("x", Style.BAD) == "\x1b[1;31mx\x1b[0m"
    assert Theme(colour=True).styled("x", Style.PLAIN) == "x"
    assert Theme().styled("x", Style.BAD) == "x"


def test_givens_and_found_values_differ(harness: Harness, monkeypatch: pytest.MonkeyPatch) -> None:
    plain = harness("solve", PUZZLE).out
    assert "\x1b" not in plain
    monkeypatch.setenv("FORCE_COLOR", "1")
    output = harness("solve", PUZZLE).out
    first, second = output.splitlines()[:2]
    assert re.findall(r"\x1b\[(\d+)m(\d)", first) == [("1", value) for value in "1234"]
    assert {code for code, _ in re.findall(r"\x1b\[(\d+)m(\d)", second)} == {"36"}
    assert "\x1b[32msolved\x1b[0m" in output
    times = r"[\d.]+(µs|ms|s)\b"
    assert re.sub(times, "", COLOUR.sub("", output)) == re.sub(times, "", plain)


def test_contradictions_of_an_inspected_puzzle_are_red(
    harness: Harness, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FORCE_COLOR", "1")
    lines = harness("inspect", "22.3............").out.splitlines()
    assert lines[0] == ("\x1b[1;31m2\x1b[0m \x1b[1;31m2\x1b[0m | \x1b[1m.\x1b[0m \x1b[1m3\x1b[0m")
    assert any(line.startswith("\x1b[1;31mduplicate: ") for line in lines)


def test_texts_fit_a_narrow_terminal(
    harness: Harness, run_once: Callable[..., Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "40")
    run = run_once("for-streams", ["1..............."], ["native"]) / "run"
    for words in (["datasets"], ["inspect", PUZZLE], ["report", run]):
        lines = harness(*words).out.splitlines()
        assert lines
        # A command is one line, to copy it.
        assert max(len(line) for line in lines if str(run) not in line) <= 40, words


def test_a_stream_that_cannot_encode_a_name_gets_an_escape(a_file: Callable[..., Path]) -> None:
    path = a_file(["22..............", "1234............"], "\u05d0.txt")
    result = subprocess.run(
        [sys.executable, "-m", "harness", "solve", path],
        env=os.environ | {"PYTHONIOENCODING": "ascii"},
        capture_output=True,
        text=True,
    )
    assert result.returncode == 2
    assert "\\u05d0.txt: contains 2 puzzles" in result.stderr
    assert "\\u05d0.txt/1 for one puzzle" in result.stderr
