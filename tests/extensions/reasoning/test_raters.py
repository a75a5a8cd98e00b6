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
from tests.conftest import Ended
from tests.puzzles.example import LINE
from tests.tables import cases

Harness = Callable[..., Ended]
BUILT_IN = ("backdoor", "guesses", "hardest-rule", "level", "nodes-hidden", "nodes-naked")
PUZZLE = parse_puzzle(LINE)
PROGRAM = """import sys
line = sys.argv[1] if len(sys.argv) > 1 else input()
print("checked 81 cells")
print("skipped" if line.startswith("1") else f"ER={len(line) / 10} EP=1.2")
"""
STRANGERS = """
from harness.extensions.reasoning.raters import Rater
class Huge(Rater):
    name = "huge"
    meaning = "a huge number"
    def rate(self, puzzle): return 10**5000
class Failing(Rater):
    name = "failing"
    meaning = "nothing"
    def rate(self, puzzle): raise RuntimeError("oops")
class Text(Rater):
    name = "text"
    meaning = "a text"
    def rate(self, puzzle): return "hard"
class Lacking(Rater):
    name = "lacking"
    meaning = "a package is missing"
    distributions = ("no-such-package",)
    def rate(self, puzzle): return 1
class Made(Rater):
    name = "made"
    meaning = "cannot be made"
    def __init__(self): raise RuntimeError("no room")
    def rate(self, puzzle): return 1
class Ends(Rater):
    name = "ends"
    meaning = "ends the process"
    def rate(self, puzzle): raise SystemExit(3)
class Clues(Rater):
    name = "blanks"
    meaning = "number of blank cells"
    def rate(self, puzzle): return puzzle.givens.count(0)
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


# Programs.


def command(folder: Path, text: str) -> CommandRater:
    (folder / "rate.py").write_text(PROGRAM)
    file = folder / "serate.toml"
    file.write_text(text.replace("PYTHON", sys.executable))
    return CommandRater(file)


@pytest.mark.parametrize("argument", [', "{puzzle}"', ""])
def test_a_program_rates_a_line(tmp_path: Path, argument: str) -> None:
    text = f'rate = ["PYTHON", "{{folder}}/rate.py"{argument}]\nnumber = "ER=([0-9.]+)"\n'
    rater = command(tmp_path, text + 'unknown = ["skipped"]')
    assert rater.name == "serate"
    assert rating_of(rater, PUZZLE) == 8.1
    assert rating_of(rater, parse_puzzle("1" + "." * 80)) is None
    assert rating_of(rater, Puzzle(Shape.parse("4x4"), (0,) * 16)) is None


@pytest.mark.parametrize(
    ("printed", "number"),
    cases(__file__, "the_last_number_is_the_rating"),
)
def test_the_last_number_is_the_rating(tmp_path: Path, printed: str, number: float) -> None:
    rater = command(tmp_path, f"""rate = ["PYTHON", "-c", "print('{printed}')"]""")
    rating = rating_of(rater, PUZZLE)
    assert rating == number
    assert type(rating) is type(number)


def test_a_program_without_a_number_is_an_error(tmp_path: Path) -> None:
    rater = command(tmp_path, 'rate = ["PYTHON", "-c", "print(\'none\')"]')
    with pytest.raises(InputError, match="the program of serate prints no number: none"):
        rating_of(rater, PUZZLE)


@pytest.mark.parametrize(
    ("code", "message"),
    cases(__file__, "a_program_that_fails_gives_no_rating"),
)
def test_a_program_that_fails_gives_no_rating(tmp_path: Path, code: str, message: str) -> None:
    rater = command(tmp_path, f'rate = ["PYTHON", "-X", "utf8", "-c", {json.dumps(code)}]')
    with pytest.raises(InputError, match=message):
        rating_of(rater, PUZZLE)


def test_a_program_that_ends_at_its_timeout_takes_its_children_along(
    tmp_path: Path, has_ended: Callable[[int], bool]
) -> None:
    file = tmp_path / "child"
    rater = command(
        tmp_path,
        f"""rate = ["sh", "-c", "sleep 60 & echo $! > {file}; wait"]\ntimeout = 0.5""",
    )
    assert rating_of(rater, PUZZLE) is None
    assert has_ended(int(file.read_text()))


@pytest.mark.parametrize(
    ("text", "message"),
    cases(__file__, "a_wrong_command_file_is_an_error"),
)
def test_a_wrong_command_file_is_an_error(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(InputError, match=f"serate.toml.*{message}"):
        command(tmp_path, text)


# Raters of other packages, and the command.


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """The current folder, with a package whose raters are broken in several ways."""
    (tmp_path / "strangers.py").write_text(STRANGERS)
    info = tmp_path / "strange_raters-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: strange-raters\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text(
        "[harness.raters]\nfailing = strangers:Failing\ntext = strangers:Text\n"
        "lacking = strangers:Lacking\nblanks = strangers:Clues\nmade = strangers:Made\n"
        "nothing = strangers:Nothing\nnumber = strangers:__name__\nguesses = strangers:Text\n"
        "ends = strangers:Ends\nexits = exits:Rater\nhuge = strangers:Huge\n"
    )
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
    assert "blanks: number of blank cells\n" in out
    assert "unavailable: pip install no-such-package" in out
    assert "guesses: mean number of guesses" in out


@pytest.mark.parametrize(
    ("name", "message"),
    cases(__file__, "a_broken_rater_is_an_error_of_one_line"),
)
def test_a_broken_rater_is_an_error_of_one_line(
    harness: Harness, package: Path, name: str, message: str
) -> None:
    done = harness("datasets", "rate", "p.txt", "--by", name, "--out", "r.csv")
    assert done.code == 2
    assert message in done.err
    assert "Traceback" not in done.err
    assert not (package / "r.csv").exists()


def a_package(folder: Path, name: str, entry_points: str) -> None:
    info = folder / f"{name}-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text(entry_points)


@pytest.mark.parametrize(
    ("value", "reason"),
    [
        (":::", "its entry point is ':::', not module:Class"),
        ("strangers:two words", "its entry point is 'strangers:two words', not module:Class"),
    ],
)
def test_a_malformed_entry_point_leaves_all_others_in_use(
    harness: Harness, package: Path, value: str, reason: str
) -> None:
    lines = "".join(f"[harness.{group}]\nodd = {value}\n" for group in ("raters", "backends"))
    a_package(package, "odd_package", lines)
    listing = harness("datasets", "raters")
    assert listing.code == 0
    assert reason in listing.out
    assert "blanks: number of blank cells\n" in listing.out
    done = harness("datasets", "rate", "p.txt", "--by", "odd", "--out", "r.csv")
    assert done.code == 2
    assert "from the package odd_package" in done.err
    done = harness("datasets", "rate", "p.txt", "--by", "blanks", "--out", "r.csv")
    assert done.code == 0


def test_a_package_whose_entry_points_cannot_be_read_is_left_out(
    harness: Harness, package: Path
) -> None:
    a_package(package, "unreadable", "[harness.raters]\nq\n")
    listing = harness("datasets", "raters")
    assert listing.code == 0, listing.err
    assert "blanks: number of blank cells\n" in listing.out
    done = harness("datasets", "rate", "p.txt", "--by", "blanks", "--out", "r.csv")
    assert done.code == 0


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
    (package / "loud.py").write_text(
        "from harness.extensions.reasoning.raters import Rater\nprint('import noise')\n"
        "class Loud(Rater):\n    name = 'loud'\n    meaning = 'one'\n"
        "    def rate(self, puzzle):\n        print('noise')\n        return 1\n"
    )
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
