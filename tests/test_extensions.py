"""Extensions of other packages, and a harness without some of its own."""

import os
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from tests.conftest import Ended

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
RUN_EACH = """
import shlex, sys
from harness.cli import main
for line in sys.stdin.read().splitlines():
    try:
        main(shlex.split(line))
    except SystemExit as end:
        for stream in sys.stdout, sys.stderr:
            print(f"\\0{end.code}\\0", end="", file=stream, flush=True)
"""


def run_each(folder: Path, lines: Sequence[str]) -> list[Ended]:
    """Run commands one after the other in a process with `folder` on its path."""
    process = subprocess.run(
        [sys.executable, "-c", RUN_EACH],
        input="\n".join(lines),
        capture_output=True,
        text=True,
        cwd=folder,
        env=os.environ | {"PYTHONPATH": str(folder)},
        check=True,
    )
    *out, out_after = process.stdout.split("\0")
    *err, err_after = process.stderr.split("\0")
    assert (out_after, err_after, out[1::2]) == ("", "", err[1::2])
    ends = zip(out[1::2], out[::2], err[::2], strict=True)
    return [Ended(int(code), *texts) for code, *texts in ends]


Harness = Callable[..., list[Ended]]


@pytest.fixture
def harness(tmp_path: Path) -> Harness:
    """Run commands in a folder that has a third-party package on its path, and two puzzles."""
    (tmp_path / "strange.py").write_text(PACKAGE)
    info = tmp_path / "strange-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: strange\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text(ENTRY_POINTS)
    (tmp_path / "two.txt").write_text("12..............\n1...............\n")
    return lambda *lines: run_each(tmp_path, lines)


def test_the_command_of_a_package(harness: Harness) -> None:
    top, greeting, other = harness("--help", "greet --name Ada Emmy", "datasets greet --name Ada")
    assert "greet" in top.out
    assert (greeting.out, other.out) == ("Ada and Emmy\n", "Ada\n")


def test_a_command_that_cannot_be_imported_says_whose_it_is(harness: Harness) -> None:
    gone, top = harness("gone --fast", "--help")
    assert gone.code == 2
    assert "the command 'gone' cannot be loaded from the package strange" in gone.err
    assert "gone" not in top.out


def test_the_feature_and_the_format_of_a_package(harness: Harness) -> None:
    convert = "datasets convert two.txt - --to"
    chosen, written = harness(f"{convert} line --where 'twos == 1'", f"{convert} blanks")
    assert chosen.out.splitlines()[1:] == ["12.............."]
    assert written.out == "12______________\n1_______________\n"


def test_commands_of_a_package_that_cannot_be_made_harm_no_other(harness: Harness) -> None:
    *others, number, annotated = harness(
        "--help", "datasets --help", "datasets show seeds/1", "number", "annotated a"
    )
    assert [end.code for end in others] == [0] * 3
    for end, problem in (
        (number, "'number' cannot be loaded from the package strange: strange:NUMBER is not"),
        (annotated, "'annotated' of the package strange cannot be made: NameError"),
    ):
        assert (end.code, len(end.err.splitlines())) == (2, 1)
        assert f"the command {problem}" in end.err


def test_features_and_views_of_a_package_that_fail_are_named(harness: Harness) -> None:
    problems = {
        "number": "strange:NUMBER is not a feature",
        "failing": "RuntimeError: of the package",
        "wordy": "; expected a number",
    }
    ends = harness(
        *(f"datasets convert two.txt - --to line --where '{name} > 1'" for name in problems),
        "run --dataset two.txt --shape 4x4 --backend native --out r",
        "report r --difficulty clues",
        "report r --format failing",
        "report r --format number",
    )
    assert [end.code for end in ends] == [2, 2, 2, 0, 0, 2, 2]
    package = "the package strange"
    views = (
        f"the view 'report.failing' of {package} failed: RuntimeError: of the package",
        f"the view 'report.number' cannot be loaded from {package}: strange:NUMBER is not a view",
    )
    for end, problem in zip((*ends[:3], *ends[5:]), (*problems.values(), *views), strict=True):
        assert len(end.err.splitlines()) == 1
        assert problem in end.err


COMMANDS = {
    "certificates": ("prove", "verify"),
    "cluster": ("cluster",),
    "conformance": ("backends test", "backends new"),
    "drawings": (),
    "exchange": ("import",),
    "formats": ("datasets fetch",),
    "fuzz": ("fuzz",),
    "generate": ("generate",),
    "images": ("read-image",),
    "models": ("model",),
    "noise": ("noise",),
    "page": ("charts", "trend"),
    "reasoning": ("hint", "trace", "datasets rate"),
    "site": ("site",),
    "versions": ("backends install",),
    "workbench": ("workbench",),
}
"""Commands of each extension."""
VIEWS = {
    "drawings": {"datasets show seeds/1 --svg x.svg": "the view puzzle svg"},
    "exchange": {"export run --format aslib --out x": "the view export aslib"},
}
"""Commands of the core that need a view of an extension, with the view."""


def test_every_extension_is_listed() -> None:
    folders = (PROJECT / "harness/extensions").iterdir()
    assert sorted(COMMANDS) == sorted(f.name for f in folders if (f / "__init__.py").is_file())


@pytest.mark.parametrize("extension", COMMANDS)
def test_without_an_extension_its_commands_and_views_say_what_they_belong_to(
    extension: str, tmp_path: Path
) -> None:
    (tmp_path / "harness" / "extensions").mkdir(parents=True)
    present = [*(PROJECT / "harness").iterdir(), *(PROJECT / "harness/extensions").iterdir()]
    for path in (*present, PROJECT / "backends", PROJECT / "datasets"):
        link = tmp_path / path.relative_to(PROJECT)
        if path.name not in ("extensions", extension, "__pycache__"):
            link.symlink_to(path)
    parts = {f"{command} --any thing": f"the command {command}" for command in COMMANDS[extension]}
    parts |= VIEWS.get(extension, {})
    rest = ["--help", "solve 1234............"]
    ends = run_each(tmp_path, [*parts, *rest])
    assert [(end.code, end.err) for end in ends[len(parts) :]] == [(0, "")] * len(rest)
    for part, end in zip(parts.values(), ends[: len(parts)], strict=True):
        assert end.code == 2
        assert f"{part} belongs to harness.extensions.{extension}, which is not" in end.err
        assert len(end.err.splitlines()) == 1
