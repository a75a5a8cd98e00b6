"""`harness backends new` and `test`: new backends, and reports of breaches of the contract."""

import json
import os
import re
import shlex
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from harness.contract import BackendSpec
from harness.extensions.conformance import Breach, Clause, cases, report
from harness.extensions.conformance.shapes import JIGSAW
from harness.puzzles import Shape
from tests.cli.signalled import require_end_by

BAD = Path(__file__).with_name("bad_answers.py")
Harness = Callable[..., Any]


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_ends_all_processes(number: signal.Signals, tmp_path: Path) -> None:
    require_end_by(number, ["backends", "test", "native"], tmp_path)


STANDS_STILL = """
import time
from pathlib import Path
from harness.contract import Answer, Backend

class StandsStill(Backend):
    name = "stands-still"
    paradigm = "none"

    def __init__(self, shape, options):
        self.size = shape.size

    def solve(self, puzzle):
        if self.size > 4:
            (Path(__file__).parent / "reached").touch()
            time.sleep(60)
        return Answer.solved((1,) * self.size**2)
"""


def test_an_interrupted_examination_shows_the_breaches_so_far(tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text(STANDS_STILL)
    words = ["backends", "test", "mine.py", "--shape", "4x4", "--shape", "6x6", "--timeout", "60"]
    with subprocess.Popen(
        [sys.executable, "-m", "harness", *words],
        cwd=tmp_path,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
    ) as process:
        while not (tmp_path / "reached").exists():
            time.sleep(0.05)
        process.send_signal(signal.SIGINT)
        out, err = process.communicate()
    assert process.returncode == 130
    assert "BREACH" in out
    assert "keeps the contract" not in out
    assert "interrupted after" in err


@pytest.mark.parametrize(
    ("kind", "file", "shape"),
    [
        # The search of the skeleton is plain: it takes long for some 9x9.
        ("search", "my_own.py", "4x4"),
        ("model", "my_own.py", "4x4"),
        ("command", "my-own.toml", "4x4"),
        ("command", "my-own.toml", "9x9"),
    ],
)
@pytest.mark.long
def test_what_is_written_keeps_the_contract_as_it_stands(
    kind: str, file: str, shape: str, harness: Harness, tmp_path: Path
) -> None:
    result = harness("backends", "new", "my-own", "--path", tmp_path, "--kind", kind)
    assert result.code == 0
    path = tmp_path / file
    text = path.read_text()
    assert f"--backend native {path}\n" in result.out
    assert "Fill in" in text
    assert max(map(len, text.splitlines())) <= 100
    result = harness("backends", "test", path, "--json", "--shape", shape)
    assert result.code == 0, result.out
    report = json.loads(result.out)
    assert report["kept"]
    assert not report["not_examined"]
    assert bool(report["gave_up"]) is (kind != "search")
    if kind == "command":
        keys = {line.lstrip("# ").partition(" = ")[0] for line in text.splitlines()}
        assert keys >= {"solve", "count", "none", "unknown", "complete", "shapes", "remedy"}


@pytest.mark.long
def test_what_is_written_is_tidy(harness: Harness, tmp_path: Path) -> None:
    project = Path(__file__).parents[3]
    for kind in ("search", "model"):
        assert harness("backends", "new", kind, "--path", tmp_path, "--kind", kind).code == 0
        result = harness("backends", "new", f"p-{kind}", "--path", tmp_path, "--package")
        assert result.code == 0
    for command in (
        ["ruff", "check", "--ignore", "ARG"],
        ["ruff", "format", "--check"],
        ["mypy", "--strict"],
    ):
        settings = ["--config", "pyproject.toml"] if command[0] == "ruff" else []
        files = sorted(tmp_path.glob("*.py"))
        result = subprocess.run(
            [sys.executable, "-m", *command, *settings, *files],
            cwd=project,
            capture_output=True,
            text=True,
        )
        assert result.returncode == 0, result.stdout


def test_a_model_that_is_not_filled_in_says_unknown(harness: Harness, tmp_path: Path) -> None:
    harness("backends", "new", "my-own", "--path", tmp_path, "--kind", "model")
    result = harness("solve", "." * 16, "--backend", f"{tmp_path}/my_own.py:MyOwn", "--json")
    assert json.loads(result.out)["results"][0]["verdict"] == "unknown"


@pytest.mark.parametrize("kind", ["search", "model"])
def test_a_new_package_names_what_to_fill_in(kind: str, harness: Harness, tmp_path: Path) -> None:
    words = ("--package", "--path", tmp_path, "--kind", kind)
    lines = harness("backends", "new", "my-own", *words).out.split()
    files = [path for path in tmp_path.rglob("*") if path.is_file()]
    texts = {str(path): path.read_text() for path in files}
    paths = {path for path, text in texts.items() if "Fill in" in text}
    assert paths == {path for path in texts if path in lines}
    assert not [path for path, text in texts.items() if "example.org" in text]
    workflow = next(text for path, text in texts.items() if path.endswith("entry.yml"))
    (step,) = re.findall(r"- run: (pip install .*git\+.*)", workflow)
    result = subprocess.run(
        ["bash", "-c", f'pip() {{ echo "$@"; }}; {step}'],
        env={**os.environ, "HARNESS": ""},
        capture_output=True,
        text=True,
    )
    assert result.returncode != 0
    assert "HARNESS: fill it in above" in result.stderr


@pytest.mark.parametrize("name", ["native", "json", "class", "7up", "../other"])
def test_an_invalid_name_writes_nothing(name: str, harness: Harness, tmp_path: Path) -> None:
    result = harness("backends", "new", name, "--path", tmp_path)
    assert result.code == 2
    assert repr(name) in result.err
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("more", [(), ("--package",)])
def test_nothing_is_overwritten(more: tuple[str, ...], harness: Harness, tmp_path: Path) -> None:
    arguments = ("backends", "new", "my-own", "--path", tmp_path, *more)
    assert harness(*arguments).code == 0
    files = {path: path.read_text() for path in tmp_path.rglob("*") if path.is_file()}
    for path in files:
        path.write_text("mine")
    result = harness(*arguments)
    assert result.code == 2
    assert str(tmp_path) in result.err
    assert {path.read_text() for path in files} == {"mine"}


def test_a_breach_is_reported_with_all_that_repeats_it(harness: Harness) -> None:
    words = ("--shape", "4x4+diagonal", "--only", "two equal values in a row")
    result = harness("backends", "test", f"{BAD}:OneTooMany", *words)
    assert result.code == 1
    lines = result.out.splitlines()
    assert lines[0].startswith("BREACH      A count is the number of solutions, or the limit")
    question = "count, limit 2: 4x4+diagonal: two equal values in a row, counted"
    assert any(line.startswith(f"  question  {question}") for line in lines)
    assert any(line.startswith("  finding ") for line in lines)
    (again,) = [line for line in lines if line.startswith("  command")]
    arguments = shlex.split(again)
    assert arguments[1:4] == ["harness", "count", "1.1............."]
    assert {"--max-solutions", "--shape", "--backend"} < set(arguments)
    assert "            1 . | 1 ." in lines
    assert max(len(line) for line in lines if "harness " not in line) <= 80


@pytest.mark.long
def test_a_breach_about_pencilmarks_shows_them_and_repeats_its_part(harness: Harness) -> None:
    bad = BAD.with_name("bad_restrictions.py")
    bad_backend = f"{bad}:IgnoresMarksOfOneCell"
    result = harness("backends", "test", bad_backend, "--shape", "4x4")
    assert result.code == 1
    assert re.search(r"^  marks     R2C2 [1-4]+$", result.out, re.MULTILINE), result.out
    (again,) = re.findall(r"^  command (.*)$", result.out, re.MULTILINE)[:1]
    arguments = shlex.split(again)
    assert arguments[:3] == ["harness", "backends", "test"]
    assert harness(*arguments[1:]).code == 1


def test_a_breach_of_a_jigsaw_gives_a_command_with_its_regions(harness: Harness) -> None:
    case = next(c for c in cases(Shape.parse(JIGSAW)) if c.title == "two equal values in a region")
    breach = Breach(Clause.PROOF, "a solution", f"{JIGSAW}: {case.title}", case)
    again = shlex.split(report.command(BackendSpec(f"{BAD}:IgnoresRegions"), breach))
    assert again[again.index("--shape") + 1] == JIGSAW
    assert harness(*again[1:]).code == 1


@pytest.mark.long
def test_a_backend_is_examined_on_shapes_that_it_takes(harness: Harness, tmp_path: Path) -> None:
    path = tmp_path / "plain.py"
    path.write_text(
        "from backends.native import Native\nfrom harness.contract import Restriction\n\n\n"
        "class Plain(Native):\n"
        "    takes = Native.takes - {Restriction.PENCILMARKS, Restriction.PAIRS}\n"
    )
    shapes = ("--shape", "4x4", "--shape", "6x6+antiking")
    result = harness("backends", "test", path, *shapes, "--json")
    report = json.loads(result.out)
    assert (result.code, report["kept"], report["breaches"]) == (0, True, [])
    assert {part["shape"] for part in report["not_examined"]} == {"6x6+antiking"}
    reasons = {part["reason"] for part in report["not_examined"]}
    assert all("native does not take pairs" in reason for reason in reasons)
    assert not any("pencilmarks" in part["part"] for part in report["not_examined"])


@pytest.mark.long
def test_unsupported_shapes_are_listed_as_not_examined(
    harness: Harness, a_backend: Callable[..., str], tmp_path: Path
) -> None:
    a_backend("raise Unsupported('only on Sundays')", count="raise Unsupported('never')")
    # A file with one backend needs no name of its class.
    result = harness("backends", "test", tmp_path / "made.py", "--shape", "4x4", "--json")
    report = json.loads(result.out)
    assert (result.code, report["kept"], report["breaches"]) == (1, False, [])
    assert any("only on Sundays" in part["reason"] for part in report["not_examined"])


def test_a_file_with_several_backends_needs_a_class_name(harness: Harness) -> None:
    result = harness("backends", "test", BAD)
    assert result.code == 2
    assert f"{BAD}:StatsOfText" in result.err
