"""Completion of the command line: what a shell is offered, and a tab in real shells."""

import os
import pty
import select
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from harness.analysis.measures.measure import MEASURES
from harness.puzzles.datasets.catalogue import listings
from harness.report.tables.comparison_tables import TABLES
from tests.installed import needs

DATASETS = {listing.name for listing in listings()}
HOSTILE = "odd $(touch pwned) `touch pwned` 'name.txt"
Offered = Callable[[str], set[str]]


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A working directory with puzzles and runs."""
    monkeypatch.chdir(tmp_path)
    for run in ("results/first", "results/second", f"results/{HOSTILE}"):
        Path(run).mkdir(parents=True)
        Path(run, "trials.sqlite").touch()
    Path("results/no-run").mkdir()
    for name in ("puzzles.txt", HOSTILE):
        Path(name).write_text("1234............\n1243............\n")


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        pytest.param("harness re", {"report", "read-image"}, marks=needs("images")),
        ("harness -q sol", {"solve"}),
        pytest.param(
            "harness backends ",
            {"describe", "install", "new", "prune", "show", "test", "uninstall"},
            marks=needs("conformance", "versions"),
        ),
        ("harness run --dry", {"--dry-run"}),
        ("harness run --seed 1 --se", set()),
        ("harness run --task solve c", {"count"}),
        *(
            pytest.param(line, expected, marks=needs("page"))
            for line, expected in (
                ("harness charts results/first --format ", {"svg", "png", "pdf"}),
                ("harness charts a --chart cactus s", {"scatter", "scaling", "stability"}),
                ("harness trend a --measure ", {"par2", "median", "solved", "throughput"}),
            )
        ),
        ("harness run --dataset ", DATASETS),
        ("harness run --backend native --dataset seeds 6x6 n", {"named", "no-solution"}),
        ("harness run --dataset puzzles.txt/", {"puzzles.txt/1", "puzzles.txt/2"}),
        ("harness run --dataset seeds --backend native cn", {"cnf"}),
        ("harness run --out results/f", {"results/first"}),
        ("harness solve named/fcc", {"named/fcc_48307"}),
        ("harness solve puz", set()),  # the shell offers files
        ("harness solve x ", set()),
        pytest.param("harness datasets fetch se", {"serg"}, marks=needs("formats")),
        ("harness compare results/first ", {"results/first", "results/second"}),
        ("harness report results/first --table ", set(MEASURES)),
        ("harness compare results/first results/second --table ", set(TABLES)),
    ],
)
def test_what_is_offered_fits_its_place(line: str, expected: set[str], offered: Offered) -> None:
    assert offered(line) == expected


def test_a_name_that_a_shell_would_read_as_code_is_not_offered(offered: Offered) -> None:
    Path("named.csv").write_text("name,puzzle\nplain,1234............\n$(x),1243............\n")
    assert offered("harness solve named.csv/") == {"named.csv/plain"}


def test_a_help_is_one_line_in_fish() -> None:
    variables = {
        "_HARNESS_COMPLETE": "complete_fish",
        "_TYPER_COMPLETE_FISH_ACTION": "get-args",
        "_TYPER_COMPLETE_ARGS": "harness run --start cold --s",
    }
    lines = output_of([sys.executable, "-m", "harness"], **variables)
    flags = [line.partition("\t")[0] for line in lines]
    options = "--start --seed --shape --sample --scramble --skip-unavailable"
    assert flags == options.split()


def shell(name: str) -> str:
    path = shutil.which(name)
    if not path:
        pytest.skip(f"{name} is not installed")
    return path


def environment() -> dict[str, str]:
    scripts = str(Path(sys.executable).parent)
    path = f"{scripts}{os.pathsep}{os.environ['PATH']}"
    return os.environ | {"PATH": path, "TERM": "xterm", "HOME": str(Path.cwd()), "LANG": "C.UTF-8"}


def output_of(command: list[str], **variables: str) -> list[str]:
    variables = environment() | variables
    result = subprocess.run(command, capture_output=True, text=True, env=variables, check=True)
    return result.stdout.splitlines()


def type_lines(argv: list[str], setup: list[str], lines: Mapping[str, str]) -> list[str]:
    """The output of a shell after each line and a tab, until its completion appears."""
    pid, terminal = pty.fork()
    if pid == 0:
        os.environ.update(environment() | {"COLUMNS": "200"})
        os.execv(argv[0], argv)
    shown = ""

    def read_until(text: str) -> None:
        nonlocal shown
        deadline = time.monotonic() + 60
        while text not in shown and time.monotonic() < deadline:
            if select.select([terminal], [], [], 0.1)[0]:
                # zsh rings the bell between what was typed and what it adds.
                shown += os.read(terminal, 1 << 16).decode(errors="replace").replace("\a", "")

    try:
        for number, command in enumerate([*setup, ""]):
            os.write(terminal, f"{command}; echo re''ady{number}\r".lstrip("; ").encode())
            read_until(f"ready{number}")
        outputs = []
        for line, completion in lines.items():
            shown = ""
            os.write(terminal, f"{line}\t".encode())
            read_until(completion)
            outputs.append(shown)
            os.write(terminal, b"\x15")  # Ctrl-U clears the line
    finally:
        os.close(terminal)
        os.waitpid(pid, 0)
    return outputs


BASH = ["harness --install-completion", "source ~/.bashrc"]
ZSH = ["autoload -Uz compinit", "compinit -u", 'eval "$(harness --show-completion)"']
LINES = {
    "harness run --backend native cn": "native cnf",
    "harness solve named/fc": "named/fcc_48307",
    "harness solve odd": "\\$\\(touch\\ pwned\\)",
}
"""Lines, and what a tab makes of them; the last one is a file that the shell itself offers."""


@pytest.mark.parametrize(
    ("name", "options", "setup", "lines"),
    [
        ("bash", ["--norc", "-i"], BASH, LINES),
        ("zsh", ["-f", "-i"], ZSH, LINES | {"harness solve named:fc": "named:fcc_48307"}),
    ],
    ids=["bash", "zsh"],
)
def test_a_tab_completes_in_a_shell(
    name: str, options: list[str], setup: list[str], lines: dict[str, str]
) -> None:
    outputs = type_lines([shell(name), *options], setup, lines)
    for output, completion in zip(outputs, lines.values(), strict=True):
        assert completion in output
    assert not Path("pwned").exists()


def test_fish_has_the_candidates_with_their_help() -> None:
    typed = [*LINES, "harness solve named:fc", "harness backends t"]
    script = "harness --show-completion | source\n"
    script += "".join(f"complete -C'{line}'\n" for line in typed)
    lines = output_of([shell("fish"), "--no-config", "-c", script])
    offers = [line.partition("\t") for line in lines]
    values = [value for value, _, _ in offers]
    assert values == ["cnf", "named/fcc_48307", HOSTILE, "named:fcc_48307", "test"]
    assert offers[-1][2].startswith("Test a backend against the contract")
    assert not Path("pwned").exists()
