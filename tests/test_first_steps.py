"""The first steps of a newcomer: commands after the demo, help, progress of an installation."""

import os
import pty
import re
import subprocess
import sys
import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

PROJECT = Path(__file__).resolve().parents[1]


def next_steps(**variables: str) -> list[str]:
    """The commands that `make demo` prints at its end."""
    words = [f"{name}={value}" for name, value in variables.items()]
    process = subprocess.run(
        ["make", "--no-print-directory", "next-steps", *words],
        cwd=PROJECT,
        capture_output=True,
        text=True,
        check=True,
    )
    _, title, *commands = process.stdout.splitlines()
    assert title == "Next, in this folder:"
    return [command.strip() for command in commands]


@pytest.mark.long
def test_the_commands_after_the_demo_work(
    harness: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    activate, *commands, last = next_steps(VENV=sys.prefix, DEMO="results/reference")
    monkeypatch.chdir(PROJECT)
    assert len(commands) == 2
    for command in commands:
        program, *words = command.split()
        assert (program, harness(*words).code) == ("harness", 0), command
    environment = {k: v for k, v in os.environ.items() if not k.startswith("VIRTUAL")}
    process = subprocess.run(
        ["bash", "-ec", f"{activate}\n{last}"],
        env=environment | {"PATH": "/usr/bin:/bin"},
        capture_output=True,
        text=True,
    )
    assert process.returncode == 0, f"{last}: {process.stderr}"


def test_the_demo_ends_with_the_commands_of_the_readme() -> None:
    readme = (PROJECT / "README.md").read_text()
    assert "\n".join(next_steps()) in readme
    dry = subprocess.run(
        ["make", "--no-print-directory", "-n", "-o", ".venv/.installed-base", "demo"],
        cwd=PROJECT,
        capture_output=True,
        text=True,
        check=True,
    )
    assert dry.stdout.rstrip().endswith('echo "  harness --help"')


def test_the_command_alone_prints_its_help(harness: Callable[..., Any]) -> None:
    alone = harness()
    assert alone == harness("--help")
    assert (alone.code, alone.err) == (0, "")
    assert alone.out.startswith("Usage: harness [OPTIONS] COMMAND")
    assert harness("--no-such-option").code == 2


def test_an_installation_shows_its_progress_in_one_line_of_a_terminal() -> None:
    program = [sys.executable, str(PROJECT / ".ci" / "in_place.py")]
    text = "Collecting one\n  Downloading " + "x" * 300 + "\nInstalled\n"
    process = subprocess.run(program, input=text, capture_output=True, text=True, check=True)
    assert process.stdout == text
    controller, terminal = pty.openpty()
    with open(terminal, "wb") as out:  # noqa: PTH123  a descriptor has no path
        subprocess.run(program, input=text, stdout=out, text=True, check=True)
    output = os.read(controller, 10_000).decode()
    os.close(controller)
    parts = output.split("\r\x1b[K")
    assert "\n" not in output
    assert (parts[1], parts[3], parts[-1]) == ("Collecting one", "Installed", "")
    assert len(parts[2]) == 79
    makefile = (PROJECT / "Makefile").read_text()
    assert re.search(r"echo .Installing .*\n(?:\t.*\n)*\t.*\.ci/in_place\.py", makefile)


def test_the_citation_has_the_version_and_licence_of_the_package() -> None:
    project = tomllib.loads((PROJECT / "pyproject.toml").read_text())["project"]
    lines = (PROJECT / "CITATION.cff").read_text().splitlines()
    entries = dict(re.findall(r"^([\w-]+): *(.*)$", "\n".join(lines), re.MULTILINE))
    keys = {"cff-version", "message", "title", "authors", "version", "license", "type"}
    assert keys <= set(entries)
    assert entries["cff-version"] == "1.2.0"
    assert entries["title"].strip('"') == project["name"]
    assert (entries["version"], entries["license"]) == (project["version"], project["license"])
