"""Commands, Python blocks, links and paths in the documentation work as written."""

import os
import re
import shlex
import subprocess
import sys
import tomllib
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import pytest

from docs import declared
from tests.command_server import CommandServer, Ended

PROJECT = Path(__file__).resolve().parents[2]
DOCS = sorted(PROJECT.glob("docs/**/*.md"))
PAGES = [
    *(PROJECT / name for name in ("README.md", "CONTRIBUTING.md", "CHANGELOG.md")),
    PROJECT / "datasets" / "README.md",
    *DOCS,
]
BLOCK = re.compile(r"^```([\w{}-]*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
FILE = re.compile(r"# ([\w./-]+\.(?:py|toml))\n")
LINK = re.compile(r"\]\(([^()\s]+)\)")
DECLARED = re.compile(r"<!-- declared: ([\w-]+) -->")
MAKE = re.compile(r"^make ([\w-]+)", re.MULTILINE)
PATH = re.compile(r"`((?:\.ci|backends|benchmarks|datasets|docs|harness|tests)/[\w./-]*)`")

of_each_page = pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)


@dataclass(frozen=True)
class Command:
    """A command of a page, and its exit code."""

    line: str
    code: int


@dataclass(frozen=True)
class SavedFile:
    """A file that a page writes: a block whose first line is a comment with its path."""

    path: str
    text: str


@cache
def text(page: Path) -> str:
    """The text of a page as the site shows it, with the tables that were measured."""
    return declared.filled(page.read_text())


def blocks(page: Path, language: str) -> list[str]:
    return [block for kind, block in BLOCK.findall(text(page)) if kind == language]


def prose(page: Path) -> str:
    """The text of a page without its blocks, in one line."""
    return " ".join(BLOCK.sub("", text(page)).split())


def commands_in(block: str) -> list[Command]:
    commands: list[Command] = []
    for line in block.splitlines():
        if line.startswith("$ "):
            commands.append(Command(line[2:], 0))
        elif match := re.match(r"\[exit code (\d+)", line):
            commands[-1] = Command(commands[-1].line, int(match[1]))
    return commands


def steps(markdown: str) -> list[Command | SavedFile]:
    """The commands and files of a page or a section, in order."""
    parts: list[Command | SavedFile] = []
    for language, block in BLOCK.findall(markdown):
        if language == "console":
            parts += commands_in(block)
        elif language in ("python", "toml") and (path := FILE.match(block)):
            parts.append(SavedFile(path[1], block))
    return parts


def environment(folder: Path) -> dict[str, str]:
    """The environment of the commands of a page, with a folder for the datasets they import."""
    scripts = str(Path(sys.executable).parent)
    return os.environ | {
        "PATH": f"{scripts}{os.pathsep}{os.environ['PATH']}",
        "HARNESS_DATASETS": str(folder / "datasets-of-the-user"),
    }


def anchors(page: Path) -> set[str]:
    """The anchors of the headings of a page."""
    headings = re.findall(r"^#+ (.+)$", BLOCK.sub("", text(page)), re.MULTILINE)
    return {re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-") for heading in headings}


FOR_PROGRAMS = ("--json", "--format", "harness model", "read-image", "datasets convert")
"""What commands have whose output is for programs, with lines of any length."""


@pytest.mark.timeout(900)  # a whole page, compilation included
@of_each_page
def test_commands_work_in_order(page: Path, tmp_path: Path) -> None:
    commands = steps(text(page))
    if not commands:
        return
    with CommandServer(tmp_path, environment(tmp_path)) as server:
        for step in commands:
            if isinstance(step, SavedFile):
                (tmp_path / step.path).write_text(step.text)
                continue
            words = words_of(step.line)
            result = server.run(*words) if words else in_shell(step.line, tmp_path)
            assert result.code == step.code, f"{step.line}\n{result.out}{result.err}"
            assert "Traceback" not in result.err
            if not any(word in step.line for word in FOR_PROGRAMS):
                lines = [line for line in result.out.splitlines() if "harness " not in line]
                assert max(map(len, lines), default=0) <= 80


def words_of(line: str) -> list[str]:
    """The words after ``harness`` in a command without the syntax of a shell; else none."""
    words = [] if re.search(r"[|<>;&$*`~\\]", line) else shlex.split(line)
    return words[1:] if words[:1] == ["harness"] else []


def in_shell(line: str, folder: Path) -> Ended:
    process = subprocess.run(
        line, shell=True, cwd=folder, env=environment(folder), capture_output=True, text=True
    )
    return Ended(process.returncode, 0.0, process.stdout, process.stderr)


@of_each_page
def test_python_blocks_work_in_order(page: Path, tmp_path: Path) -> None:
    code = "\n".join(block for block in blocks(page, "python") if not FILE.match(block))
    process = subprocess.run(
        [sys.executable, "-W", "error", "-c", code], cwd=tmp_path, capture_output=True, text=True
    )
    assert process.returncode == 0, process.stderr


@of_each_page
def test_toml_blocks_are_valid(page: Path) -> None:
    for block in blocks(page, "toml"):
        assert tomllib.loads(block)


@of_each_page
def test_links_have_targets(page: Path) -> None:
    for target in LINK.findall(BLOCK.sub("", text(page))):
        if re.match(r"https?:", target):
            continue
        path, _, anchor = target.partition("#")
        target_path = page.parent / path if path else page
        assert target_path.exists(), target
        assert not anchor or anchor in anchors(target_path), target


@of_each_page
def test_paths_in_prose_exist(page: Path) -> None:
    for path in PATH.findall(prose(page)):
        assert (PROJECT / path).exists(), path


@of_each_page
def test_a_page_has_one_title_and_an_introduction(page: Path) -> None:
    first, _, rest = text(page).partition("\n\n")
    assert re.fullmatch(r"# [^\n]*[^\n?]", first)
    assert re.match(r"[\w\[`]", rest), "a paragraph after the title"
    assert not re.search(r"^# ", BLOCK.sub("", rest), re.MULTILINE)


def test_the_index_links_every_page() -> None:
    targets = set(LINK.findall((PROJECT / "docs" / "README.md").read_text()))
    for page in DOCS:
        assert page.relative_to(PROJECT / "docs").as_posix() in targets or page.name == "README.md"


def test_the_readme_is_short_with_six_links_to_pages() -> None:
    text = (PROJECT / "README.md").read_text()
    assert len(text.splitlines()) <= 150
    section = text.partition("## Documentation")[2]
    assert len([link for link in LINK.findall(section) if link.startswith("docs/")]) == 6


def test_each_declared_part_has_its_place_in_one_page() -> None:
    places = [name for page in PAGES for name in DECLARED.findall(page.read_text())]
    assert sorted(places) == sorted(declared.PARTS)


@of_each_page
def test_declared_parts_are_fresh(page: Path) -> None:
    text = page.read_text()
    assert declared.rewritten(text) == text, "python -m docs.declared writes them anew"


def test_a_stale_declared_part_is_written_anew() -> None:
    stale = "# A\n\n<!-- declared: kinds -->\n| old |\n<!-- end -->\n\ntext\n"
    fresh = declared.rewritten(stale)
    assert "| old |" not in fresh
    assert declared.part("kinds") in fresh
    assert fresh.startswith("# A\n")
    assert fresh.endswith("\n\ntext\n")


def test_files_refer_to_existing_pages() -> None:
    for folder in ("backends", "benchmarks", "harness", "results", "tests"):
        for path in (PROJECT / folder).rglob("*"):
            if path.suffix in {".py", ".md", ".j2", ".txt", ".toml"} and path.is_file():
                for page in re.findall(r"\bdocs/[\w/-]+\.md\b", path.read_text(encoding="utf-8")):
                    assert (PROJECT / page).exists(), f"{path}: {page}"


def test_the_first_backend_is_as_short_as_stated() -> None:
    page = PROJECT / "docs" / "adding-a-backend.md"
    first = steps(page.read_text().partition("## Files and names")[0])
    (file,) = [step for step in first if isinstance(step, SavedFile)]
    lines = [line for line in file.text.splitlines()[1:] if line.strip()]
    assert f"{len(first) - 1} commands and {len(lines)} lines of Python" in prose(page)


def test_make_commands_of_the_readme_exist_and_run_in_ci() -> None:
    commands = set(MAKE.findall("".join(blocks(PROJECT / "README.md", ""))))
    assert commands == {"demo", "test"}
    makefile = (PROJECT / "Makefile").read_text()
    for target in commands | {"test-long", "bench", "lint", "docs"}:
        assert re.search(rf"^{target}:", makefile, re.MULTILINE)
    ci = set(MAKE.findall((PROJECT / ".ci" / "run").read_text()))
    assert commands | {"docs", "test-solvers"} <= ci


def test_uv_commands_match_make() -> None:
    readme = (PROJECT / "README.md").read_text()
    makefile = (PROJECT / "Makefile").read_text().replace("$(DEMO)", "results/demo")
    assert "uv run harness demo\n" in readme
    assert "$(BIN)/harness demo --out results/demo\n" in makefile
    assert "uv run --extra dev pytest -n 3\n" in readme
