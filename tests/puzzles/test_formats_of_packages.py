"""Formats of other packages."""

import csv
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.puzzles.example import LINE

# Packages whose formats are broken: other formats work, and messages name the package.


FAILING = """
from harness.puzzles.formats import Format
def read(source, reading):
    raise RuntimeError("oops")
    yield
def detect(head):
    raise RuntimeError("oops, too")
FORMAT = Format("failing", "a failing format", read, lambda _: [], lambda _: None, detect)
def write(puzzles):
    for puzzle in puzzles:
        raise RuntimeError("no paper")
    yield ""
def held(puzzle):
    raise RuntimeError("no hands")
def plain(puzzle):
    return None
PEN = Format("pen", "its write fails", read, write, plain)
HANDS = Format("hands", "its can_hold fails", read, write, held)
BYTES = Format("bytes", "it writes bytes", lambda source, reading: [7], lambda _: [b"x"], plain)
CSV = Format("own", "it names a suffix of CSV", read, write, plain, suffixes=(".csv",))
TRUE = Format("true", "can_hold is no text", read, write, lambda _: True)
"""


@pytest.fixture
def installed(tmp_path: Path) -> Path:
    """A folder with a package whose formats are broken in several ways."""
    (tmp_path / "semi.py").write_text("import nothere\n")
    (tmp_path / "ends.py").write_text("import sys\nsys.exit(3)\n")
    (tmp_path / "failing.py").write_text(FAILING)
    info = tmp_path / "semi_puzzles-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: semi-puzzles\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text(
        "[harness.formats]\nsemi = semi:FORMAT\nfailing = failing:FORMAT\n"
        "pen = failing:PEN\nhands = failing:HANDS\nbytes = failing:BYTES\ntrue = failing:TRUE\n"
        "own = failing:CSV\nends = ends:FORMAT\n"
        "nothing = failing:LATER\nnumber = failing:__name__\n"
    )
    for name in ("p.txt", "p.sdm", "p.semi", "p.number"):
        (tmp_path / name).write_text(f"{LINE}\n")
    return tmp_path


def convert(folder: Path, *words: str) -> tuple[int, str, list[str]]:
    """The exit code, the output and the error lines of a conversion in a new process."""
    done = subprocess.run(
        [sys.executable, "-m", "harness", "datasets", "convert", *words],
        capture_output=True,
        text=True,
        check=False,
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(folder), "COLUMNS": "80"},
    )
    return done.returncode, done.stdout, done.stderr.splitlines()


@pytest.mark.parametrize("name", ["p.txt", "p.sdm"])
def test_other_formats_work_and_one_warning_names_the_package(installed: Path, name: str) -> None:
    code, out, err = convert(installed, name, "copy.sdm")
    assert (code, out) == (0, "")
    assert (installed / "copy.sdm").read_text().replace("0", ".") == f"{LINE}\n"
    warnings = [line for line in err if line.startswith("warning: ")]
    for broken in ("semi", "nothing", "number", "ends"):
        start = f"warning: the format {broken!r} cannot be loaded from the package semi-puzzles: "
        assert len([line for line in warnings if line.startswith(start)]) == 1
    assert len(warnings) == 4


@pytest.mark.parametrize(
    "words",
    [
        ("p.txt", "-", "--to", "semi"),
        ("p.txt", "-", "--from", "semi", "--to", "line"),
        ("p.semi", "-", "--to", "line"),
        ("p.txt", "copy.semi"),
    ],
)
def test_its_name_and_its_suffix_are_errors(installed: Path, words: tuple[str, ...]) -> None:
    code, out, err = convert(installed, *words)
    assert (code, out) == (2, "")
    assert "the format 'semi' cannot be loaded from the package semi-puzzles: Mod" in err[-1]


def test_an_exception_of_a_reader_is_a_message(installed: Path) -> None:
    code, out, err = convert(installed, "p.txt", "-", "--from", "failing", "--to", "line")
    assert (code, out) == (2, "")
    assert err[-1] == (
        "harness: p.txt: the format 'failing' of the package semi-puzzles failed: RuntimeError: "
        "oops; expected puzzles, or a PuzzleError with file, line and column"
    )


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("p.txt", "c", "--to", "pen"), "'pen' of the package semi-puzzles failed: RuntimeError"),
        (("p.txt", "c", "--to", "hands"), "p.txt:1: the format 'hands' of the package"),
        (("p.txt", "c", "--to", "true"), "failed: can_hold returned True; expected None, or a"),
        (("p.txt", "c", "--to", "bytes"), "failed: it wrote b'x'; expected pieces of text"),
        (("p.txt", "c", "--from", "bytes", "--to", "line"), "p.txt: the format 'bytes' of the"),
    ],
)
def test_an_exception_and_a_wrong_type_are_messages(
    installed: Path, words: tuple[str, ...], message: str
) -> None:
    code, out, err = convert(installed, *words)
    assert (code, out) == (2, "")
    assert message in " ".join(err)
    assert "Traceback" not in " ".join(err)
    assert not (installed / "c").exists()


def test_csv_is_detected_although_another_format_has_its_suffix(installed: Path) -> None:
    (installed / "p.csv").write_text(f"puzzle\n{LINE}\n")
    code, out, _ = convert(installed, "p.csv", "-", "--to", "line")
    assert (code, out) == (0, f"{LINE}\n")


# The format package of the documentation works once it is installed.


PAGE = Path(__file__).resolve().parents[2] / "docs" / "puzzle-formats.md"
PUZZLE = "1...4...7.82..7..3.3..91....7..5..3....8.9....54...8....1..4.........5......2..46"


@pytest.fixture
def page_module(tmp_path: Path) -> dict[str, str]:
    """The environment in which the module of the page has its entry point."""
    module = re.search(r"^```python\n(# semicolon\.py\n.*?)^```$", PAGE.read_text(), re.M | re.S)
    point = re.search(r'^semicolon = "(.*)"$', PAGE.read_text(), re.M)
    assert module
    assert point
    (tmp_path / "semicolon.py").write_text(module[1])
    info = tmp_path / "sudoku_semicolon-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: sudoku-semicolon\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text(f"[harness.formats]\nsemicolon = {point[1]}\n")
    return os.environ | {"PYTHONPATH": str(tmp_path)}


def converted(folder: Path, environment: dict[str, str], *arguments: str) -> tuple[int, str, str]:
    command = [sys.executable, "-P", "-m", "harness", "datasets", "convert", *arguments]
    ended = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True)
    return ended.returncode, ended.stdout, ended.stderr


def test_a_file_is_read_by_its_suffix_and_written_back(
    page_module: dict[str, str], tmp_path: Path
) -> None:
    line = f"first;{PUZZLE};7.1\n"
    (tmp_path / "a.semi").write_text(line)
    code, out, err = converted(tmp_path, page_module, "a.semi", "a.csv")
    assert (code, out) == (0, ""), err
    (row,) = csv.DictReader((tmp_path / "a.csv").read_text().splitlines())
    assert (row["puzzle"], row["id"], row["rating"]) == (PUZZLE, "first", "7.1")
    assert converted(tmp_path, page_module, "a.csv", "-", "--to", "semicolon")[:2] == (0, line)


def test_a_malformed_line_is_an_error_with_its_place_or_skipped(
    page_module: dict[str, str], tmp_path: Path
) -> None:
    (tmp_path / "a.semi").write_text(f"first;{PUZZLE}\nsecond;{PUZZLE};2\n")
    code, _, err = converted(tmp_path, page_module, "a.semi", "-", "--to", "semicolon")
    assert (code, err.strip()) == (
        2,
        "harness: a.semi:1:1: 2 fields; expected name;puzzle;rating",
    )
    options = ["--to", "semicolon", "--on-error", "skip"]
    assert converted(tmp_path, page_module, "a.semi", "-", *options)[1] == f"second;{PUZZLE};2\n"
