"""Help that is whole at any width, and names for what was misspelt."""

import os
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from importlib.metadata import version
from pathlib import Path
from typing import Any

import pytest
import typer

from harness.cli import app
from tests.conftest import Ended

Harness = Callable[..., Ended]


def all_commands(command: Any, path: tuple[str, ...] = ()) -> Iterator[tuple[str, ...]]:
    yield path
    for name, sub in getattr(command, "commands", {}).items():
        if not sub.hidden:  # one of an extension that is not installed
            yield from all_commands(sub, (*path, name))


ROOT = typer.main.get_command(app)
COMMANDS = list(all_commands(ROOT))


def command_at(path: tuple[str, ...]) -> Any:
    command: Any = ROOT
    for name in path:
        command = command.commands[name]
    return command


@pytest.mark.parametrize("path", COMMANDS, ids=" ".join)
def test_no_word_of_a_help_is_cut_at_any_width(
    path: tuple[str, ...], harness: Harness, monkeypatch: pytest.MonkeyPatch
) -> None:
    words = {}
    for width in (40, 80, 200):
        monkeypatch.setenv("COLUMNS", str(width))
        result = harness(*path, "--help")
        assert result.code == 0
        assert "\u2026" not in result.out
        # Dots behind a name of an argument stand for several.
        assert "..." not in re.sub(r"(\[\w+\]|\{\w+\}|DIR)\.\.\.", "", result.out)
        # An option with its values stays on one line.
        texts = [x for x in result.out.splitlines() if not re.fullmatch(r"  --\S+ \S+", x)]
        assert max(map(len, texts)) <= width
        words[width] = re.sub(r"\s+", "", result.out)
    assert words[40] == words[80] == words[200]
    for parameter in command_at(path).params:
        help_text = re.sub(r"\s+", "", parameter.help or "")
        assert help_text
        assert help_text in words[80]


@pytest.mark.parametrize("path", COMMANDS, ids=" ".join)
def test_every_option_of_a_type_has_a_parser_with_its_own_message(path: tuple[str, ...]) -> None:
    for parameter in command_at(path).params:
        kind = parameter.type_descriptor
        plain = str(kind.annotation) in (
            *("<class 'bool'>", "<class 'str'>", "list[str]"),
            *("<class 'pathlib.Path'>", "<class 'pathlib._local.Path'>", "list[pathlib.Path]"),
            "list[pathlib._local.Path]",
        )
        assert plain or kind.parameter_info.parser, parameter.name


def test_the_summary_of_a_command_is_its_first_sentence(harness: Harness) -> None:
    out = harness("--help").out
    assert re.search(
        r"^  export +Export the trials of a run, or an anonymized copy of it\.$", out, re.M
    )


def test_an_argument_has_no_type_of_python(harness: Harness) -> None:
    for command in ("report", "compare", "trend", "solve"):
        assert not re.search(r"<(list|path|str)", harness(command, "--help").out), command


def test_nothing_is_suggested_for_a_name_like_no_other(harness: Harness) -> None:
    for line in ("solve 1234............ --backend xyz", "run --dataset 123456", "frobnicate"):
        result = harness(*line.split())
        assert result.code == 2
        assert "did you mean" not in result.err.lower()


def test_help_is_a_word_too(harness: Harness) -> None:
    assert harness("help", "run") == harness("run", "--help")
    assert harness("help") == harness("--help")


def test_the_version_is_that_of_the_distribution(harness: Harness) -> None:
    for word in ("-V", "--version"):
        assert harness(word).out == f"harness {version('sudoku-harness')}\n"


def test_quiet_commands_print_results_and_errors_only(
    harness: Harness, a_file: Callable[..., Path], tmp_path: Path
) -> None:
    puzzles = a_file(["1234............", "1234............"])
    words = ["run", "--dataset", puzzles, "--backend", "native", "--out", tmp_path / "run"]
    assert harness(*words).err == "puzzles: 1 duplicate puzzle left out\n"
    result = harness(*words, "--quiet")
    assert (result.code, result.err) == (0, "")
    assert result.out.startswith("native answered 1 of 1 instance")
    assert harness(*words).err.count("\n") == 2, "the next command is not quiet"
    assert harness("solve", "missing.txt", "-q").err.startswith("harness: missing.txt")


def test_help_and_completion_import_nothing_heavy() -> None:
    words = "harness\nrun\n--backend\nn"
    completes = {"_HARNESS_COMPLETE": "complete_bash", "COMP_WORDS": words, "COMP_CWORD": "3"}
    heavy = {*HEAVY, "altair", "jinja2", "numba", "vl_convert", "pyarrow", "pydantic", "rich.table"}
    for variables, needed in (({}, set()), (completes, {"pydantic"})):  # Typer reads values with it
        names = imported("--help", **variables)
        assert names & heavy == needed
        assert not any(name.startswith(("backends.", "harness.engine.")) for name in names)


def test_an_answer_to_one_puzzle_comes_without_heavy_imports() -> None:
    assert not imported("solve", "1234............") & HEAVY


HEAVY = {"numpy", "ortools", "pandas", "pulp", "pysat"}


def imported(*words: str, **variables: str) -> set[str]:
    """The modules that a command imports."""
    command = [sys.executable, "-X", "importtime", "-m", "harness", *words]
    environment = os.environ | variables
    result = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    names = {line.rpartition("|")[2].strip() for line in result.stderr.splitlines()}
    assert "harness.cli" in names
    return names
