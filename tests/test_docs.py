"""Every command and every piece of Python in the documents works as it stands there."""

import os
import re
import subprocess
import sys
import tomllib
from dataclasses import dataclass
from pathlib import Path

import pytest

PROJECT = Path(__file__).resolve().parents[1]
PAGES = [PROJECT / "README.md", PROJECT / "CONTRIBUTING.md", *sorted(PROJECT.glob("docs/*.md"))]
BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
FILE = re.compile(r"# ([\w./-]+\.py)\n")
MAKE = re.compile(r"^make ([\w-]+)", re.MULTILINE)


@dataclass(frozen=True)
class Command:
    """A line of a document that is typed, and how it ends."""

    words: str
    code: int


@dataclass(frozen=True)
class Written:
    """A file of a document: a block of Python whose first line is its path."""

    path: str
    text: str


def blocks(page: Path, language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```$", page.read_text(), re.MULTILINE | re.DOTALL)


def commands_in(block: str) -> list[Command]:
    found: list[Command] = []
    for line in block.splitlines():
        if line.startswith("$ "):
            found.append(Command(line[2:], 0))
        elif told := re.match(r"\[exit code (\d+)", line):
            found[-1] = Command(found[-1].words, int(told[1]))
    return found


def steps(page: Path) -> list[Command | Written]:
    """What a page has its reader type and write, in its order."""
    found: list[Command | Written] = []
    for language, block in BLOCK.findall(page.read_text()):
        if language == "console":
            found += commands_in(block)
        elif language == "python" and (path := FILE.match(block)):
            found.append(Written(path[1], block))
    return found


def environment() -> dict[str, str]:
    scripts = str(Path(sys.executable).parent)
    return os.environ | {"PATH": f"{scripts}{os.pathsep}{os.environ['PATH']}"}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_the_commands_of_a_page_work_one_after_another(page: Path, tmp_path: Path) -> None:
    for command in steps(page):
        if isinstance(command, Written):
            (tmp_path / command.path).write_text(command.text)
            continue
        ended = subprocess.run(
            command.words,
            shell=True,
            cwd=tmp_path,
            env=environment(),
            capture_output=True,
            text=True,
        )
        assert ended.returncode == command.code, f"{command.words}\n{ended.stdout}{ended.stderr}"
        assert "Traceback" not in ended.stderr
        if "--json" not in command.words and "--format" not in command.words:
            lines = [line for line in ended.stdout.splitlines() if "harness " not in line]
            assert max(map(len, lines), default=0) <= 80


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_the_python_of_a_page_works_one_after_another(page: Path, tmp_path: Path) -> None:
    code = "\n".join(blocks(page, "python"))
    ended = subprocess.run(
        [sys.executable, "-W", "error", "-c", code], cwd=tmp_path, capture_output=True, text=True
    )
    assert ended.returncode == 0, ended.stderr


def test_the_walk_to_a_new_backend_is_as_short_as_it_says() -> None:
    walked = steps(PROJECT / "docs" / "add-a-backend.md")
    bare = walked[: next(at for at, step in enumerate(walked) if "--package" in str(step))]
    (written,) = [step for step in bare if isinstance(step, Written)]
    lines = [line for line in written.text.splitlines()[1:] if line.strip()]
    told = f"{len(bare) - 1} commands and {len(lines)} lines of Python"
    assert told in (PROJECT / "docs" / "add-a-backend.md").read_text()


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_the_toml_of_a_page_is_toml(page: Path) -> None:
    for block in blocks(page, "toml"):
        assert tomllib.loads(block)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_the_links_of_a_page_lead_somewhere(page: Path) -> None:
    for target in re.findall(r"\]\(([^)#:]+)\)", page.read_text()):
        assert (page.parent / target).exists(), target


def test_what_make_is_told_to_do_it_can_do_and_ci_does() -> None:
    told = set(MAKE.findall("".join(blocks(PROJECT / "README.md", ""))))
    assert told == {"demo", "test"}
    makefile = (PROJECT / "Makefile").read_text()
    for target in told | {"test-long", "bench", "lint"}:
        assert re.search(rf"^{target}:", makefile, re.MULTILINE)
    ci = set(MAKE.findall((PROJECT / ".ci" / "run").read_text()))
    assert told <= ci


def test_the_uv_commands_do_what_make_does() -> None:
    readme = (PROJECT / "README.md").read_text()
    makefile = (PROJECT / "Makefile").read_text().replace("$(CORE)", "native cpsat milp cnf")
    (demo,) = re.findall(r"^uv run (harness run .*)$", readme, re.MULTILINE)
    assert f"$(BIN)/{demo}\n" in makefile
    assert "uv run --extra dev pytest -n 2\n" in readme
