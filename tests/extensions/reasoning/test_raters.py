"""Raters: the built-in ones, programs, those of other packages, and the command."""

import json
import re
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest

from harness.base.errors import InputError
from harness.base.plugins import plugins
from harness.extensions.reasoning.raters import (
    CommandRater,
    Rater,
    listed,
    names,
    rater_named,
    rating_of,
    text_of_rating,
)
from harness.puzzles import Puzzle, Shape, parse_puzzle
from harness.puzzles.formats.reading import read_file
from tests.conftest import Harness
from tests.puzzles.example import LINE, SOLUTION
from tests.tables import cases

BUILT_IN = ("backdoor", "guesses", "hardest-rule", "level", "nodes-hidden", "nodes-naked")
PUZZLE = parse_puzzle(LINE)
PROGRAM = """import sys
line = sys.argv[1] if len(sys.argv) > 1 else input()
print("checked 81 cells")
print("skipped" if line.startswith("1") else f"ER={len(line) / 10} EP=1.2")
"""
STRANGERS = {
    "huge": "def rate(self, puzzle): return 10**5000",
    "failing": "def rate(self, puzzle): raise RuntimeError('oops')",
    "text": "def rate(self, puzzle): return 'hard'",
    "ends": "def rate(self, puzzle): raise SystemExit(3)",
    "blanks": "def rate(self, puzzle): return puzzle.givens.count(0)",
    "lacking": "distributions = ('no-such-package',)",
    "made": "def __init__(self): raise RuntimeError('no room')",
}
"""Raters of another package, with what each has besides a name."""
STRANGER = """from harness.extensions.reasoning.raters import Rater
class Stranger(Rater):
    meaning = "the work of strangers"
    def rate(self, puzzle): return 1
"""


class Returning(Rater):
    name = "returning"
    meaning = "any value"

    def __init__(self, value: object) -> None:
        self.value = value

    def rate(self, puzzle: Puzzle) -> float | None:
        return self.value  # type: ignore[return-value]


@pytest.mark.parametrize("name", BUILT_IN)
def test_a_built_in_rater_rates_any_shape(name: str) -> None:
    rater = rater_named(name)
    assert rater.name == name
    assert isinstance(rating_of(rater, PUZZLE), int | float)
    latin = Puzzle(Shape.parse("latin4"), (1, 2, 3, 4, *(0,) * 12))
    assert (rating_of(rater, latin) is None) is (name in ("backdoor", "hardest-rule", "level"))


def test_all_raters_are_listed_with_their_meaning() -> None:
    raters = list(listed())
    assert [rater.name for rater in raters] == names()
    assert set(BUILT_IN) <= set(names())
    assert all(rater.meaning for rater in raters)


@pytest.mark.parametrize(
    ("value", "text"),
    [(3, "3"), (2.5, "2.5"), (np.int64(4), "4"), (np.float64(0.1) * 3, "0.3"), (-1.0, "-1.0")],
)
def test_ratings_are_numbers(value: object, text: str) -> None:
    rating = rating_of(Returning(value), PUZZLE)
    assert rating is not None
    assert text_of_rating(rating) == text


@pytest.mark.parametrize("value", ["hard", True, float("nan"), float("inf"), [1], object()])
def test_what_is_no_number_is_an_error(value: object) -> None:
    with pytest.raises(InputError, match=r"returning returns .*; expected a finite number"):
        rating_of(Returning(value), PUZZLE)


@pytest.mark.parametrize(
    ("name", "library", "least", "most"),
    [("pencilmark", "pencilmark", 1, 4), ("hodoku", "hodoku", 100, 400)],
)
def test_packages_rate_9x9_with_one_solution(
    name: str, library: str, least: float, most: float
) -> None:
    pytest.importorskip(library, reason=f"{library} is not installed")
    rater = rater_named(name)
    rating = rating_of(rater, PUZZLE)
    assert rating is not None
    assert least <= rating <= most
    for other in (Puzzle(Shape.parse("4x4"), (0,) * 16), Puzzle(PUZZLE.shape, (0,) * 81)):
        assert rating_of(rater, other) is None


def command(folder: Path, text: str) -> CommandRater:
    (folder / "rate.py").write_text(PROGRAM)
    file = folder / "serate.toml"
    file.write_text(text.replace("PYTHON", sys.executable))
    return CommandRater(file)


@pytest.mark.parametrize("argument", [', "{line}"', ""])
def test_a_program_rates_a_line(tmp_path: Path, argument: str) -> None:
    text = f'rate = ["PYTHON", "{{folder}}/rate.py"{argument}]\nnumber = "ER=([0-9.]+)"\n'
    rater = command(tmp_path, text + 'unknown = ["skipped"]')
    assert rater.name == "serate"
    assert rating_of(rater, PUZZLE) == 8.1
    assert rating_of(rater, parse_puzzle("1" + "." * 80)) is None
    assert rating_of(rater, Puzzle(Shape.parse("4x4"), (0,) * 16)) is None


@pytest.mark.parametrize(("printed", "number"), cases(__file__, "the_last_number_is_the_rating"))
def test_the_last_number_is_the_rating(tmp_path: Path, printed: str, number: float) -> None:
    rater = command(tmp_path, f"""rate = ["PYTHON", "-c", "print('{printed}')"]""")
    rating = rating_of(rater, PUZZLE)
    assert rating == number
    assert type(rating) is type(number)


@pytest.mark.parametrize(
    ("code", "message"), cases(__file__, "a_program_that_fails_gives_no_rating")
)
def test_a_program_that_fails_gives_no_rating(tmp_path: Path, code: str, message: str) -> None:
    rater = command(tmp_path, f'rate = ["PYTHON", "-X", "utf8", "-c", {json.dumps(code)}]')
    with pytest.raises(InputError, match=message):
        rating_of(rater, PUZZLE)


def test_a_program_that_ends_at_its_timeout_takes_its_children_along(
    tmp_path: Path, has_ended: Callable[[int], bool]
) -> None:
    file = tmp_path / "child"
    line = f"""rate = ["sh", "-c", "sleep 60 & echo $! > {file}; wait"]"""
    for timeout_s in (0.5, 5, 30):  # a busy machine may not have started it
        rater = command(tmp_path, f"{line}\ntimeout = {timeout_s}")
        assert rating_of(rater, PUZZLE) is None
        if file.exists() and file.read_text():
            break
    assert has_ended(int(file.read_text()))


@pytest.mark.parametrize(("text", "message"), cases(__file__, "a_wrong_command_file_is_an_error"))
def test_a_wrong_command_file_is_an_error(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(InputError, match=f"serate.toml.*{message}"):
        command(tmp_path, text)


def a_package(folder: Path, name: str, entry_points: str) -> None:
    info = folder / f"{name}-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text(entry_points)


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """The current folder, with a package whose raters are broken in several ways."""
    classes = (
        f"class {name.title()}(Stranger):\n    name = '{name}'\n    {line}\n"
        for name, line in STRANGERS.items()
    )
    (tmp_path / "strangers.py").write_text(STRANGER + "".join(classes))
    entries = "".join(f"{name} = strangers:{name.title()}\n" for name in STRANGERS)
    more = "nothing = strangers:Nothing\nnumber = strangers:__name__\nguesses = strangers:Text\n"
    a_package(tmp_path, "strange-raters", f"[harness.raters]\n{entries}{more}exits = exits:Rater\n")
    (tmp_path / "exits.py").write_text("import sys\nsys.exit(3)\n")
    (tmp_path / "p.txt").write_text(f"{LINE}\n")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "200")
    monkeypatch.syspath_prepend(str(tmp_path))
    plugins.cache_clear()
    yield tmp_path
    plugins.cache_clear()
    for name in ("strangers", "exits", "loud"):
        sys.modules.pop(name, None)


def test_a_rater_of_another_package_is_used_and_listed(harness: Harness, package: Path) -> None:
    done = harness("datasets", "rate", "p.txt", "--by", "blanks", "--out", "-", "--to", "csv")
    assert done.code == 0, done.err
    assert done.out.splitlines()[1].endswith(f",{LINE.count('.')}")
    out = harness("datasets", "raters").out
    assert "blanks: the work of strangers\n" in out
    assert "unavailable: pip install no-such-package" in out
    assert "guesses: mean number of guesses" in out


@pytest.mark.parametrize(
    ("name", "message"), cases(__file__, "a_broken_rater_is_an_error_of_one_line")
)
def test_a_broken_rater_is_an_error_of_one_line(
    harness: Harness, package: Path, name: str, message: str
) -> None:
    done = harness("datasets", "rate", "p.txt", "--by", name, "--out", "r.csv")
    assert done.code == 2
    assert message in done.err
    assert "Traceback" not in done.err
    assert not (package / "r.csv").exists()


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("odd = :::", "its entry point is ':::', not module:Class"),
        ("odd = strangers:two words", "entry point is 'strangers:two words', not module:Class"),
        ("q", ""),
    ],
    ids=["colons", "words", "unreadable"],
)
def test_a_malformed_entry_point_leaves_all_others_in_use(
    harness: Harness, package: Path, line: str, reason: str
) -> None:
    a_package(package, "odd_package", f"[harness.raters]\n{line}\n[harness.backends]\n{line}\n")
    listing = harness("datasets", "raters")
    assert listing.code == 0, listing.err
    assert reason in listing.out
    assert "blanks: the work of strangers\n" in listing.out
    odd, blanks = (
        harness("datasets", "rate", "p.txt", "--by", name, "--out", "r.csv")
        for name in ("odd", "blanks")
    )
    assert (odd.code, blanks.code) == (2, 0)
    assert ("from the package odd_package" in odd.err) is bool(reason)


def test_a_name_that_two_packages_declare_is_listed_with_both(
    harness: Harness, package: Path
) -> None:
    a_package(package, "another", "[harness.raters]\nblanks = json:loads\n")
    out = harness("datasets", "raters").out
    assert "guesses" in out
    assert "not used: the rater of this name in the package strange-raters" in out
    section = re.search(r"^blanks:(.*\n(?: .*\n)*)", out, re.MULTILINE)
    assert section is not None
    assert "not used: the rater of this name in the package" in section[1]


def test_what_a_rater_prints_stays_out_of_the_puzzles(harness: Harness, package: Path) -> None:
    loud = "class Loud(Stranger):\n    def rate(self, puzzle): return print('noise') or 1\n"
    (package / "loud.py").write_text(f"print('import noise')\n{STRANGER}    name = 'loud'\n{loud}")
    a_package(package, "loud_package", "[harness.raters]\nloud = loud:Loud\n")
    done = harness("datasets", "rate", "p.txt", "--by", "loud", "--out", "-", "--to", "csv")
    assert done.code == 0, done.err
    assert "noise" not in done.out
    assert "noise" in done.err


PARTLY = """import sys
line = input()
clues = sum(c != "." for c in line)
print("?" if clues == 0 else clues)
sys.exit(clues == 1)
"""


def test_puzzles_that_a_rater_cannot_rate_are_named_or_skipped(
    harness: Harness, package: Path
) -> None:
    lines = [LINE, "1" + "." * 80, "." * 81]
    (package / "several.txt").write_text("".join(f"{line}\n" for line in lines))
    (package / "partly.py").write_text(PARTLY)
    text = f'rate = ["{sys.executable}", "{{folder}}/partly.py"]\nunknown = ["?"]\n'
    (package / "partly.toml").write_text(text)
    words = ("rate", "several.txt", "--by", "partly.toml", "--out", "r.csv")
    done = harness("datasets", *words)
    assert done.code == 2
    expected = "several.txt:2: the program of partly exited with code 1: 1"
    assert expected in done.err
    assert not (package / "r.csv").exists()
    done = harness("datasets", *words, "--on-error", "skip")
    assert done.code == 0, done.err
    assert expected in done.err
    assert "2 puzzles written" in done.err
    assert "rating unknown by partly.toml: 1 puzzle (3)" in done.err
    rows = (package / "r.csv").read_text().splitlines()
    assert [row.rpartition(",")[2] for row in rows[1:]] == [str(81 - LINE.count(".")), ""]


def test_options_of_guesses_belong_to_guesses(harness: Harness, package: Path) -> None:
    words = ("rate", "p.txt", "--by", "level", "--seed", "1", "--out", "r.csv")
    done = harness("datasets", *words)
    assert done.code == 2
    assert "--seed: the rater level has no such option; expected --by guesses" in done.err


def test_ratings_are_written(harness: Harness, package: Path) -> None:
    words = ["rate", "hard/1-2", "--scrambles", "3", "--seed", "4"]
    rows = harness("datasets", *words, "--out", "-", "--to", "csv").out.splitlines()
    assert [float(row.rpartition(",")[2]) > 0 for row in rows[1:]] == [True] * 2
    relabelled = LINE.translate(str.maketrans("123456789", "234567891"))
    lines = package / "mine.csv"
    lines.write_text(f"id,puzzle,solution,level\na,{LINE},{SOLUTION},2\nb,{relabelled},,3\n")
    assert harness("datasets", "rate", lines, "--out", "r.jsonl", "--field", "guesses").code == 0
    puzzles = read_file("r.jsonl")
    assert [dict(instance.fields) for instance in puzzles] == [
        {"level": "2", "guesses": "0.0"},
        {"level": "3", "guesses": "0.0"},
    ]
    assert puzzles[0].expected_count == read_file(lines)[0].expected_count
    result = harness("datasets", "rate", "hard/1", "--out", "-", "--to", "csv", "--nodes", "1")
    assert result.code == 0
    assert "rating unknown within 1 nodes: 1 puzzle" in result.err
