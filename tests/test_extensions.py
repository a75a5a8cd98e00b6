"""Extensions of other packages, and a harness without some of its own."""

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

PROJECT = Path(__file__).resolve().parents[1]

PACKAGE = '''
"""A package with a command, a feature and a format."""

from typing import Annotated

import typer

from harness.puzzles.datasets import FeatureType, search_feature
from harness.puzzles.formats import Format


def greet(
    names: Annotated[list[str], typer.Option("--name", help="Whom to greet. One or more.")],
) -> None:
    """Greet people."""
    typer.echo(" and ".join(names))


def count_twos(puzzle):
    return sum(value == 2 for value in puzzle.givens)


def write(puzzles):
    yield "".join(f"{record.puzzle.line.replace('.', '_')}\\n" for record in puzzles)


def annotated(name: "Missing") -> None:
    """Has a parameter of a type that does not exist."""


def fail(*values, **options):
    raise RuntimeError("of the package")


NUMBER = 3
FAILING = search_feature("failing", FeatureType.NUMBER, "Fails.", fail)
WORDY = search_feature("wordy", FeatureType.NUMBER, "Is a text.", str)
TWOS = search_feature("twos", FeatureType.NUMBER, "Number of givens with the value 2.", count_twos)
BLANKS = Format("blanks", "blank cells as _", lambda source, reading: [], write, lambda _: None)
'''
ENTRY_POINTS = """
[harness.commands]
greet = strange:greet
datasets.greet = strange:greet
gone = strange.gone:command
number = strange:NUMBER
annotated = strange:annotated
datasets.number = strange:NUMBER
datasets.show = strange:greet
[harness.views]
report.failing = strange:fail
report.number = strange:NUMBER
[harness.features]
number = strange:NUMBER
failing = strange:FAILING
wordy = strange:WORDY
twos = strange:TWOS
[harness.formats]
blanks = strange:BLANKS
"""
Harness = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture
def harness(tmp_path: Path) -> Harness:
    """Run the command in a folder that has a third-party package on its path."""
    (tmp_path / "strange.py").write_text(PACKAGE)
    info = tmp_path / "strange-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: strange\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text(ENTRY_POINTS)

    def run(*words: str) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-m", "harness", *words]
        environment = os.environ | {"PYTHONPATH": str(tmp_path)}
        return subprocess.run(
            command, capture_output=True, text=True, cwd=tmp_path, env=environment, check=False
        )

    return run


def test_the_command_of_a_package(harness: Harness) -> None:
    assert "greet" in harness("--help").stdout
    assert harness("greet", "--name", "Ada", "Emmy").stdout == "Ada and Emmy\n"
    assert harness("datasets", "greet", "--name", "Ada").stdout == "Ada\n"


def test_a_command_that_cannot_be_imported_says_whose_it_is(harness: Harness) -> None:
    process = harness("gone", "--fast")
    assert process.returncode == 2
    assert "the command 'gone' cannot be loaded from the package strange" in process.stderr
    assert "gone" not in harness("--help").stdout


def test_the_feature_of_a_package(harness: Harness, tmp_path: Path) -> None:
    (tmp_path / "two.txt").write_text("12..............\n1...............\n")
    words = ("datasets", "convert", "two.txt", "-", "--to", "line", "--where", "twos == 1")
    assert harness(*words).stdout.splitlines()[1:] == ["12.............."]


def test_the_format_of_a_package(harness: Harness, tmp_path: Path) -> None:
    (tmp_path / "two.txt").write_text("12..............\n")
    process = harness("datasets", "convert", "two.txt", "-", "--to", "blanks")
    assert process.stdout == "12______________\n"


def test_commands_of_a_package_that_cannot_be_made_harm_no_other(harness: Harness) -> None:
    for words in (("--help",), ("datasets", "--help"), ("datasets", "show", "seeds/1")):
        assert harness(*words).returncode == 0, words
    for words, problem in (
        (("number",), "'number' cannot be loaded from the package strange: strange:NUMBER is not"),
        (("annotated", "a"), "'annotated' of the package strange cannot be made: NameError"),
    ):
        process = harness(*words)
        assert (process.returncode, len(process.stderr.splitlines())) == (2, 1)
        assert f"the command {problem}" in process.stderr


@pytest.mark.parametrize(
    ("name", "problem"),
    [
        ("number", "strange:NUMBER is not a feature"),
        ("failing", "RuntimeError: of the package"),
        ("wordy", "; expected a number"),
    ],
)
def test_a_feature_of_a_package_that_fails_is_named(
    harness: Harness, tmp_path: Path, name: str, problem: str
) -> None:
    (tmp_path / "two.txt").write_text("12..............\n")
    process = harness(
        "datasets", "convert", "two.txt", "-", "--to", "line", "--where", f"{name} > 1"
    )
    assert (process.returncode, len(process.stderr.splitlines())) == (2, 1)
    assert problem in process.stderr
    run = ("run", "--dataset", "two.txt", "--shape", "4x4", "--backend", "native", "--out", "r")
    assert harness(*run).returncode == 0
    assert harness("report", "r", "--difficulty", "clues").returncode == 0
    for view, problem in (
        ("failing", "of the package strange failed: RuntimeError: of the package"),
        ("number", "cannot be loaded from the package strange: strange:NUMBER is not a view"),
    ):
        process = harness("report", "r", "--format", view)
        assert (process.returncode, len(process.stderr.splitlines())) == (2, 1)
        assert f"the view 'report.{view}' {problem}" in process.stderr


COMMANDS = {
    "certificates": ("prove", "verify"),
    "cluster": ("cluster",),
    "conformance": ("backends test", "backends new"),
    "formats": ("datasets fetch",),
    "fuzz": ("fuzz",),
    "generate": ("generate", "model"),
    "images": ("read-image",),
    "page": ("charts", "trend"),
    "reasoning": ("hint", "trace", "datasets rate"),
    "site": ("site",),
    "versions": ("backends install",),
    "workbench": ("workbench",),
}
"""Commands of each extension."""


def test_every_extension_is_listed() -> None:
    folders = (PROJECT / "harness/extensions").iterdir()
    assert sorted(COMMANDS) == sorted(f.name for f in folders if (f / "__init__.py").is_file())


RUN_EACH = """
import sys
from harness.cli import main
for line in sys.stdin.read().splitlines():
    try:
        main(line.split())
    except SystemExit as end:
        print(f"{line} ended with {end.code}", file=sys.stderr)
"""


@pytest.mark.parametrize("extension", COMMANDS)
def test_without_an_extension_its_commands_say_what_they_belong_to(
    extension: str, tmp_path: Path
) -> None:
    (tmp_path / "harness" / "extensions").mkdir(parents=True)
    present = [*(PROJECT / "harness").iterdir(), *(PROJECT / "harness/extensions").iterdir()]
    for path in (*present, PROJECT / "backends", PROJECT / "datasets"):
        link = tmp_path / path.relative_to(PROJECT)
        if path.name not in ("extensions", extension, "__pycache__"):
            link.symlink_to(path)
    commands = [f"{command} --any thing" for command in COMMANDS[extension]]
    process = subprocess.run(
        [sys.executable, "-c", RUN_EACH],
        input="\n".join([*commands, "--help", "solve 1234............"]),
        capture_output=True,
        text=True,
        cwd=tmp_path,
        env=os.environ | {"PYTHONPATH": str(tmp_path)},
        check=True,
    )
    lines = process.stderr.splitlines()
    for command in commands:
        name = command.removesuffix(" --any thing")
        belongs = f"the command {name} belongs to harness.extensions.{extension}, which is not"
        assert belongs in lines.pop(0)
        assert lines.pop(0) == f"{command} ended with 2"
    assert lines == ["--help ended with 0", "solve 1234............ ended with 0"]
