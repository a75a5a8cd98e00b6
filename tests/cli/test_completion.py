"""Completion of the command line: the candidates, and the scripts in real shells."""

import os
import pty
import select
import shutil
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import typer
from hypothesis import example, given
from hypothesis import strategies as st

from harness.analysis.measure import MEASURES
from harness.cli import app
from harness.cli.completion import Candidate, candidates, for_bash, split
from harness.contract import registry
from harness.puzzles.catalogue import listings
from harness.report.tables.comparison import TABLES
from tests.conftest import Ended

ROOT = typer.main.get_command(app)
DATASETS = [listing.name for listing in listings()]
HOSTILE = "odd $(touch pwned) `touch pwned` 'name.txt"


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A working directory with puzzles, a backend, a sweep and runs."""
    monkeypatch.chdir(tmp_path)
    for run in ("results/first", "results/second", "elsewhere/run"):
        Path(run).mkdir(parents=True)
        Path(run, "trials.sqlite").touch()
    Path("results/no-run").mkdir()
    for name in ("puzzles.txt", "mine.py", "sweep.toml", "notes.md", HOSTILE):
        Path(name).write_text("1234............\n1243............\n")
    return tmp_path


def found(line: str) -> set[str]:
    words, begun = split(line)
    return {candidate.value for candidate in candidates(ROOT, words[1:], begun)}


COMMANDS = set(ROOT.commands)  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("harness ", COMMANDS),
        ("harness -q ", COMMANDS),
        ("harness re", {"report", "read-image"}),
        ("harness backends ", {"install", "new", "prune", "show", "test", "uninstall"}),
        ("harness run --dry", {"--dry-run"}),
        ("harness run --seed 1 --se", set()),
        ("harness run --task solve c", {"count"}),
        ("harness run --task=c", {"--task=count"}),
        ("harness charts results/first --format ", {"svg", "png", "pdf"}),
        ("harness charts results/first --chart s", {"scatter", "scaling", "stability"}),
        ("harness trend a b c --measure ", {"par2", "median", "solved", "throughput"}),
        ("harness run --dataset ", {*DATASETS, "puzzles.txt", "sweep.toml",
                                    "results/", "elsewhere/", HOSTILE}),
        ("harness run --dataset seeds n", {"named", "no-solution", "notes.md"}),
        ("harness run --dataset puzzles.txt/", {"puzzles.txt/1", "puzzles.txt/2"}),
        ("harness run --backend native m", {"milp", "mine.py"}),
        ("harness run s", {"sweep.toml"}),
        ("harness run --out results/f", {"results/first"}),
        ("harness solve named:fcc", {"named:fcc_48307"}),
        ("harness datasets fetch se", {"serg"}),
        ("harness solve x ", set()),
        ("harness solve x --certify some --prover cn", {"cnf"}),
        ("harness verify puz", {"puzzles.txt"}),
        ("harness verify --second-opinion re", {"required"}),
        ("harness report ", {"results/first", "results/second", "results/", "elsewhere/"}),
        ("harness compare results/first ", {"results/first", "results/second", "results/",
                                            "elsewhere/"}),
        ("harness backends test cn", {"cnf"}),
        ("harness completion ", {"bash", "zsh", "fish"}),
        ("FOO=1; harness re", {"report", "read-image"}),
    ],
)  # fmt: skip
def test_candidates_fit_their_place(line: str, expected: set[str]) -> None:
    assert found(line) == expected


def test_all_tables_of_a_report_and_a_comparison_are_offered() -> None:
    assert found("harness report results/first --table ") == set(MEASURES)
    assert found("harness compare results/first results/second --table ") == set(TABLES)


def test_the_backends_of_a_chart_are_those_of_its_runs(run_once: Callable[..., Path]) -> None:
    specs = ["native", "cnf[solver=glucose4]"]
    Path("results/real").symlink_to(run_once("for-completion", ["1234............"], specs) / "run")
    for line in ("results/real --backend ", "--chart cactus --backend native "):
        offered = found(f"harness charts results/real {line}")
        assert offered == {"native", "cnf[solver=glucose4]"}
    assert found("harness charts --format svg results/real --backend=n") == {"--backend=native"}
    assert set(registry.names()) <= found("harness charts --backend ")
    assert set(registry.names()) <= found("harness charts results/first --backend ")


def test_all_backends_and_options_are_offered() -> None:
    assert set(registry.names()) <= found("harness check --backend ")
    flags = {
        "--dataset",
        "--backend",
        "--max-solutions",
        "--timeout",
        "--dry-run",
        "--json",
        "--quiet",
    }
    assert flags <= found("harness run --")
    assert "--help" in found("harness run -")


def test_open_quotes_and_spaces_belong_to_the_word() -> None:
    assert split("harness solve 'a b") == (["harness", "solve"], "a b")
    assert split('harness solve "a b" ') == (["harness", "solve", "a b"], "")
    assert split("harness solve a\\ b") == (["harness", "solve"], "a b")
    assert split("") == ([], "")


def test_only_what_separates_commands_does() -> None:
    assert split("make; harness solve x") == (["harness", "solve"], "x")
    assert split("a && b | harness so") == (["harness"], "so")
    assert split(r"harness solve a\; b") == (["harness", "solve", "a;"], "b")
    assert split(r"""harness solve \; ';' ";|\"&" """) == (
        ["harness", "solve", ";", ";", ';|"&'],
        "",
    )
    assert split("harness solve 'a; b") == (["harness", "solve"], "a; b")
    assert split('harness solve "a; b') == (["harness", "solve"], "a; b")


@example(";")
@given(st.text(st.characters(exclude_categories=("Cs", "Cc")), min_size=1))
def test_bash_reads_an_inserted_word_as_the_candidate(text: str) -> None:
    (line,) = for_bash([Candidate(text)], "")
    word = line if text.endswith("/") else line.removesuffix(" ")
    assert split(f"x {word}")[1] == text or text[-1].isspace()


def shell(name: str) -> str:
    path = shutil.which(name)
    if not path:
        pytest.skip(f"{name} is not installed")
    return path


def environment() -> dict[str, str]:
    scripts = str(Path(sys.executable).parent)
    path = f"{scripts}{os.pathsep}{os.environ['PATH']}"
    return os.environ | {"PATH": path, "TERM": "xterm", "HOME": str(Path.cwd()), "LANG": "C.UTF-8"}


def typed(argv: list[str], setup: list[str], line: str, wanted: str) -> str:
    """The output of an interactive shell after `line` and a tab, until `wanted` appears."""
    pid, terminal = pty.fork()
    if pid == 0:
        os.environ.update(environment() | {"COLUMNS": "200"})
        os.execv(argv[0], argv)
    shown = ""

    def read_until(text: str) -> None:
        nonlocal shown
        deadline = time.monotonic() + 20
        while text not in shown and time.monotonic() < deadline:
            if select.select([terminal], [], [], 0.1)[0]:
                # zsh rings the bell between what was typed and what it adds.
                shown += os.read(terminal, 1 << 16).decode(errors="replace").replace("\a", "")

    try:
        for number, command in enumerate([*setup, ""]):
            os.write(terminal, f"{command}; echo re''ady{number}\r".lstrip("; ").encode())
            read_until(f"ready{number}")
        shown = ""
        os.write(terminal, f"{line}\t".encode())
        read_until(wanted)
    finally:
        os.close(terminal)
        os.waitpid(pid, 0)
    return shown


BASH = ['eval "$(harness completion bash)"']
ZSH = ["autoload -Uz compinit", "compinit -u", 'eval "$(harness completion zsh)"']


@pytest.mark.parametrize(
    ("line", "wanted"),
    [
        ("harness solve named:fc", "named:fcc_48307"),
        ("harness solve odd", "\\$\\(touch\\ pwned\\)"),
    ],
    ids=["colon", "hostile"],
)
def test_a_tab_completes_in_bash(line: str, wanted: str) -> None:
    shown = typed([shell("bash"), "--norc", "-i"], BASH, line, wanted)
    assert wanted in shown
    assert not Path("pwned").exists()


@pytest.mark.parametrize(
    ("line", "wanted"),
    [
        ("harness run --dataset seeds na", "seeds named"),
        ("harness solve named:fc", "named:fcc_48307"),
        ("harness solve odd", "touch\\ pwned"),
    ],
    ids=["dataset", "colon", "hostile"],
)
def test_a_tab_completes_in_zsh(line: str, wanted: str) -> None:
    shown = typed([shell("zsh"), "-f", "-i"], ZSH, line, wanted)
    assert wanted in shown
    assert not Path("pwned").exists()


def test_fish_has_the_candidates_with_their_help() -> None:
    lines = [
        *("harness run --dataset seeds nam", "harness solve named:fc"),
        *("harness backends t", "harness solve odd"),
    ]
    script = "harness completion fish | source\n" + "".join(f"complete -C'{x}'\n" for x in lines)
    ended = subprocess.run(
        [shell("fish"), "--no-config", "-c", script],
        capture_output=True,
        text=True,
        env=environment(),
        check=True,
    )
    shown = [line.partition("\t") for line in ended.stdout.splitlines()]
    assert [value for value, _, _ in shown] == ["named", "named:fcc_48307", "test", HOSTILE]
    assert shown[2][2].startswith("Test a backend against the contract")
    assert not Path("pwned").exists()


@pytest.mark.parametrize("name", ["bash", "zsh", "fish"])
def test_a_script_says_where_to_add_it(name: str, harness: Callable[..., Ended]) -> None:
    ended = harness("completion", name)
    assert ended.code == 0
    assert f"harness completion {name}" in ended.out
    assert any(rc in ended.out for rc in ("~/.bashrc", "~/.zshrc", "~/.config/fish/config.fish"))


def test_a_broken_line_completes_nothing(harness: Callable[..., Ended]) -> None:
    arguments: list[tuple[Any, ...]] = [
        ("bash", ""),
        ("bash", "harness '"),
        ("fish", "--"),
        ("zsh",),
        ("bash",),
        (),
    ]
    for words in arguments:
        ended = harness("__complete", *words)
        assert (ended.code, ended.err) == (0, "")
