"""Formats of other packages."""

import csv
import os
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from harness.base.plugins import plugins
from harness.puzzles.formats import reading
from harness.puzzles.formats.format import warn
from tests.conftest import Ended
from tests.puzzles.example import LINE

Convert = Callable[..., Ended]


@pytest.fixture
def convert(
    harness: Callable[..., Ended], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Convert]:
    """Run `harness datasets convert` in a folder whose packages are installed."""
    caches = (plugins, reading.format_named, warn)
    modules = set(sys.modules)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.syspath_prepend(str(tmp_path))
    for cache in caches:
        cache.cache_clear()
    yield lambda *words: harness("datasets", "convert", *words)
    for cache in caches:
        cache.cache_clear()
    for name in {"semi", "ends", "failing", "semicolon"} - modules:
        sys.modules.pop(name, None)


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
        "own = failing:CSV\nends = ends:FORMAT\nline = failing:PEN\n"
        "nothing = failing:LATER\nnumber = failing:__name__\n"
    )
    for name in ("p.txt", "p.sdm", "p.semi", "p.number"):
        (tmp_path / name).write_text(f"{LINE}\n")
    return tmp_path


def test_other_formats_work_and_one_warning_names_the_package(installed: Path) -> None:
    """In a process of its own, whose warnings go to the standard error output."""
    process = subprocess.run(
        [sys.executable, "-m", "harness", "datasets", "convert", "p.txt", "copy.sdm"],
        capture_output=True,
        text=True,
        check=False,
        cwd=installed,
        env={**os.environ, "PYTHONPATH": str(installed), "COLUMNS": "80"},
    )
    assert (process.returncode, process.stdout) == (0, "")
    assert (installed / "copy.sdm").read_text().replace("0", ".") == f"{LINE}\n"
    warnings = [line for line in process.stderr.splitlines() if line.startswith("warning: ")]
    for name in ("semi", "nothing", "number", "ends"):
        start = f"warning: the format {name!r} cannot be loaded from the package semi-puzzles: "
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
@pytest.mark.usefixtures("installed")
def test_its_name_and_its_suffix_are_errors(convert: Convert, words: tuple[str, ...]) -> None:
    code, out, err = convert(*words)
    assert (code, out) == (2, "")
    assert (
        "the format 'semi' cannot be loaded from the package semi-puzzles: Mod"
        in err.splitlines()[-1]
    )


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("p.txt", "c", "--to", "pen"), "'pen' of the package semi-puzzles failed: RuntimeError"),
        (("p.txt", "c", "--to", "hands"), "p.txt:1: the format 'hands' of the package"),
        (("p.txt", "c", "--to", "true"), "failed: can_hold returned True; expected None, or a"),
        (("p.txt", "c", "--to", "bytes"), "failed: it wrote b'x'; expected pieces of text"),
        (("p.txt", "c", "--from", "bytes", "--to", "line"), "p.txt: the format 'bytes' of the"),
        (
            ("p.txt", "c", "--from", "failing", "--to", "line"),
            "'failing' of the package semi-puzzles failed: RuntimeError: oops; expected puzzles, ",
        ),
    ],
)
def test_an_exception_and_a_wrong_type_are_messages(
    installed: Path, convert: Convert, words: tuple[str, ...], message: str
) -> None:
    code, out, err = convert(*words)
    assert (code, out) == (2, "")
    assert message in " ".join(err.splitlines())
    assert "Traceback" not in err
    assert not (installed / "c").exists()


def test_csv_is_detected_although_another_format_has_its_suffix(
    installed: Path, convert: Convert
) -> None:
    (installed / "p.csv").write_text(f"puzzle\n{LINE}\n")
    code, out, _ = convert("p.csv", "-", "--to", "line")
    assert (code, out) == (0, f"{LINE}\n")


# The format package of the documentation works once it is installed.


PAGE = Path(__file__).resolve().parents[2] / "docs" / "puzzle-formats.md"
PUZZLE = "1...4...7.82..7..3.3..91....7..5..3....8.9....54...8....1..4.........5......2..46"


@pytest.fixture
def page_module(tmp_path: Path) -> None:
    """Install the module of the page."""
    module = re.search(r"^```python\n(# semicolon\.py\n.*?)^```$", PAGE.read_text(), re.M | re.S)
    point = re.search(r'^semicolon = "(.*)"$', PAGE.read_text(), re.M)
    assert module
    assert point
    (tmp_path / "semicolon.py").write_text(module[1])
    info = tmp_path / "sudoku_semicolon-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: sudoku-semicolon\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text(f"[harness.formats]\nsemicolon = {point[1]}\n")


@pytest.mark.usefixtures("page_module")
def test_a_file_is_read_by_its_suffix_and_written_back(convert: Convert, tmp_path: Path) -> None:
    line = f"first;{PUZZLE};7.1\n"
    (tmp_path / "a.semi").write_text(line)
    code, out, err = convert("a.semi", "a.csv")
    assert (code, out) == (0, ""), err
    (row,) = csv.DictReader((tmp_path / "a.csv").read_text().splitlines())
    assert (row["puzzle"], row["id"], row["rating"]) == (PUZZLE, "first", "7.1")
    assert convert("a.csv", "-", "--to", "semicolon")[:2] == (0, line)


@pytest.mark.usefixtures("page_module")
def test_a_malformed_line_is_an_error_with_its_place_or_skipped(
    convert: Convert, tmp_path: Path
) -> None:
    (tmp_path / "a.semi").write_text(f"first;{PUZZLE}\nsecond;{PUZZLE};2\n")
    code, _, err = convert("a.semi", "-", "--to", "semicolon")
    assert (code, err.strip()) == (
        2,
        "harness: a.semi:1:1: 2 fields; expected name;puzzle;rating",
    )
    options = ["--to", "semicolon", "--on-error", "skip"]
    assert convert("a.semi", "-", *options)[1] == f"second;{PUZZLE};2\n"
