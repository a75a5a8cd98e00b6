"""`harness generate`."""

import os
import pty
import re
import subprocess
import sys
from contextlib import suppress
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from harness.contract import registry
from harness.puzzles import load_dataset
from harness.puzzles.formats.reading import read_file
from harness.puzzles.solution_count import SolutionCount
from tests.cli.test_solve import Harness


def test_lines_have_a_header_and_are_read_back(harness: Harness, tmp_path: Path) -> None:
    out = tmp_path / "minimal.txt"
    words = ("generate", "--shape", "9x9", "--minimal", "--count", "5", "--seed", "3")
    code, output, err = harness(*words, "--out", str(out))
    assert (code, output) == (0, "")
    assert err == f"{out}: 5 puzzles of 9x9\n"
    lines = out.read_text().splitlines()
    assert lines[0] == "# harness generate --shape 9x9 --minimal --count 5 --seed 3"
    assert lines[1] == f"# harness {version(harness)}, seed 3"
    assert [parsed.puzzle.line for parsed in read_file(out)] == lines[2:]
    assert len(set(lines[2:])) == 5
    assert harness(*words)[1].splitlines() == lines
    assert list(tmp_path.iterdir()) == [out]


def version(harness: Harness) -> str:
    return harness("--version")[1].split()[1]


TWICE = ("--clues", "8-12", "--solutions", "2", "--symmetry", "rotation180", "--seed", "12")
KINDS = ("--kind", "killer", "--kind", "xv", "--minimal", "--clues", "0-3", "--constraints", "2-6")


@pytest.mark.parametrize(
    ("suffix", "spec", "words"),
    [
        (".txt", "6x6+diagonal", ("--count", "3", *TWICE)),
        (".txt", "9x9", ("--pencilmarks", "--count", "2")),
        (".txt", "latin5", ("--pencilmarks", "--count", "2")),
        (".txt", "6x6+diagonal", ("--pencilmarks", "--count", "2")),
        (".txt", "16x16", ("--clues", "60%")),
        (".txt", "6x6", (*KINDS, "--count", "3")),
        (".toml", "6x6", (*KINDS, "--count", "3")),
        (".json", "6x6", (*KINDS, "--count", "3")),
        (".toml", "latin5", ("--count", "3")),
        (".json", "6x6+diagonal", ("--solutions", "3")),
        (".toml", "4x4", ("--model", "holes", "--clues", "30%", "--count", "2")),
        (".json", "4x4", ("--pencilmarks",)),
        (".toml", "4x4", ("--model", "qcp", "--clues", "6", "--count", "4")),
    ],
)
def test_a_file_is_read_back_and_its_header_is_a_command_that_makes_it(
    harness: Harness, tmp_path: Path, suffix: str, spec: str, words: tuple[str, ...]
) -> None:
    out = tmp_path / f"p{suffix}"
    assert harness("generate", "--shape", spec, *words, "--out", str(out))[0] == 0
    instances = load_dataset(out).instances
    options = dict(pairwise(words))
    assert len(instances) == int(options.get("--count", "1"))
    name = "6x6+killer+xv" if "--kind" in words else spec
    assert {instance.puzzle.shape.spec for instance in instances} == {name}
    for instance in instances if suffix != ".txt" else ():
        kind, defaults = registry.load_backend("native")
        reply = kind(instance.puzzle.shape, defaults).count(instance.puzzle, 1001)
        expected = instance.expected_count
        assert expected is not None or "qcp" in words
        number = SolutionCount.from_number(reply.number, reply.exact)
        assert expected is None or not expected.excludes(number)
    command = re.search('harness generate ([^\\n"]*)', out.read_text())
    assert command
    again = tmp_path / f"again{suffix}"
    assert harness("generate", *command[1].split(), "--out", str(again))[0] == 0
    assert again.read_text() == out.read_text()


def test_an_error_writes_no_file(harness: Harness, tmp_path: Path) -> None:
    out = tmp_path / "p.txt"
    words = ("--shape", "4x4", "--clues", "0", "--solutions", "288", "--count", "2")
    code, _, err = harness("generate", *words, "--out", str(out))
    assert code == 2
    assert "only 1 different puzzles of 4x4" in err
    assert list(tmp_path.iterdir()) == []
    out.write_text("earlier")
    assert harness("generate", *words, "--out", str(out))[0] == 2
    assert out.read_text() == "earlier"
    assert list(tmp_path.iterdir()) == [out]


def start(*words: str, **options: Any) -> "subprocess.Popen[bytes]":
    command = [sys.executable, "-m", "harness", "generate", *words]
    return subprocess.Popen(command, env=os.environ | {"TERM": "xterm"}, **options)


def on_a_terminal(*words: str) -> bytes:
    """What a terminal shows as standard error."""
    ours, terminal = pty.openpty()
    with start(*words, stdout=subprocess.DEVNULL, stderr=terminal) as process:
        os.close(terminal)
        output = b""
        with suppress(OSError):  # raised when the other end of the terminal closes
            while part := os.read(ours, 1 << 12):
                output += part
    os.close(ours)
    assert process.returncode == 0
    return output


@pytest.mark.long
def test_a_terminal_shows_the_progress(tmp_path: Path) -> None:
    words = ("--shape", "4x4", "--count", "20", "--out", str(tmp_path / "p.txt"))
    output = on_a_terminal(*words)
    assert b"generating" in output
    assert b"20/20" in output
    assert output.rstrip().endswith(b"p.txt: 20 puzzles of 4x4")
    assert on_a_terminal(*words, "--quiet") == b""


@pytest.mark.long
def test_a_device_can_be_the_output() -> None:
    process = subprocess.run(
        [sys.executable, "-m", "harness", "generate", "--shape", "4x4", "--out", "/dev/stdout"],
        capture_output=True,
        text=True,
        env=os.environ,
    )
    assert process.returncode == 0, process.stderr
    assert process.stdout.startswith("# harness generate --shape 4x4 --count 1 --seed 0\n")
