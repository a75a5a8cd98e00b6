"""`harness datasets`: import, list, show, convert and stats, as a user types them."""

import json
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from harness.puzzles.datasets.catalogue import FOLDER_VARIABLE, Listing
from harness.puzzles.datasets.facts import Facts, Statistics
from harness.puzzles.formats.reading import read_file
from tests.conftest import Ended
from tests.documents import documents
from tests.installed import needs
from tests.puzzles.example import LINE, SOLUTION

Harness = Callable[..., Ended]
RELABELLED = LINE.translate(str.maketrans("123456789", "234567891"))


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of the user's datasets; the working folder is another one."""
    monkeypatch.setenv(FOLDER_VARIABLE, str(tmp_path / "sets"))
    (tmp_path / "here").mkdir()
    monkeypatch.chdir(tmp_path / "here")
    return tmp_path / "sets"


@pytest.fixture
def lines(tmp_path: Path) -> Path:
    path = tmp_path / "mine.csv"
    path.write_text(f"id,puzzle,solution,level\na,{LINE},{SOLUTION},2\nb,{RELABELLED},,3\n")
    return path


@pytest.fixture
def mine(harness: Harness, lines: Path) -> str:
    result = harness("datasets", "import", lines, "--within-file", "--licence", "CC0")
    assert result.code == 0, result.err
    return "mine"


def datasets(harness: Harness, *words: str | Path) -> Ended:
    return harness("datasets", *words)


def test_an_imported_dataset_is_a_dataset_in_every_folder(
    harness: Harness, mine: str, tmp_path: Path
) -> None:
    arguments = ["--dataset", "mine/a", "--backend", "native", "--out", tmp_path / "run"]
    assert harness("run", *arguments, "--quiet").code == 0
    assert "a" in harness("solve", "mine:a").out
    assert harness("inspect", "mine/2").code == 0


def test_an_import_says_how_it_understood_the_header(harness: Harness, folder: Path) -> None:
    Path("kaggle.csv").write_text(f"quizzes,solution,level,note\n{LINE},,3,\n")
    result = datasets(harness, "import", "kaggle.csv", "--within-file")
    assert "header: puzzle = quizzes, solution = solution; other fields: level, note" in result.err


def test_an_imported_dataset_is_removed(harness: Harness, mine: str, folder: Path) -> None:
    assert {path.name for path in folder.iterdir()} >= {"mine.toml"}
    result = datasets(harness, "remove", "mine")
    assert (result.code, result.err) == (0, "mine: 2 puzzles removed\n")
    assert not [*folder.iterdir()]
    assert "mine" not in datasets(harness).out
    assert "no imported dataset 'mine'" in datasets(harness, "remove", "mine").err


def test_an_imported_dataset_is_replaced_only_on_request(
    harness: Harness, mine: str, lines: Path
) -> None:
    words = ["import", str(lines), "--within-file"]
    assert "the dataset 'mine' exists; expected --replace" in datasets(harness, *words).err
    assert datasets(harness, *words, "--replace").code == 0


def test_import_reports_what_it_found(harness: Harness, lines: Path) -> None:
    result = datasets(harness, "import", lines, "--name", "other", "--origin", "a list")
    assert (result.code, result.out) == (0, "")
    assert "other: 2 puzzles imported (9x9)" in result.err
    assert "number of solutions: known for 1 of 2 puzzles" in result.err
    assert "origin: a list; SHA-256 " in result.err
    assert f"{lines}:2 is the same as seeds/1" in result.err
    assert "1 puzzle is equivalent to puzzles of seeds (kept)" in result.err


@needs("reasoning")
@pytest.mark.parametrize(
    ("words", "number", "code"),
    [
        pytest.param(["import", "-", "--name", "x"], signal.SIGINT, 130, marks=pytest.mark.long),
        (["convert", "-", "x.sdm"], signal.SIGTERM, 143),
    ],
)
def test_an_end_by_a_signal_leaves_no_file(
    folder: Path, words: list[str], number: signal.Signals, code: int
) -> None:
    process = subprocess.Popen(
        [sys.executable, "-m", "harness", "datasets", *words],
        stdin=subprocess.PIPE,
        stderr=subprocess.PIPE,
        preexec_fn=lambda: signal.signal(number, signal.SIG_DFL),
    )
    assert process.stdin is not None
    process.stdin.write(f"{LINE}\n".encode() * 2000)
    process.stdin.flush()
    here = Path.cwd() if words[0] == "convert" else folder
    while not (here.is_dir() and list(here.iterdir())) and process.poll() is None:
        time.sleep(0.01)
    process.send_signal(number)
    _, err = process.communicate()
    assert (process.returncode, b"Traceback" in err) == (code, False), err
    assert list(here.iterdir()) == []


def test_the_list_has_imported_datasets_with_their_origin(harness: Harness, mine: str) -> None:
    assert re.search("^mine +2 puzzles of mine.csv$", harness("datasets").out, re.MULTILINE)
    result = datasets(harness, "--all")
    entry = "mine: puzzles of mine.csv\n  2 puzzles, 9x9\n  origin: mine.csv\n  licence: CC0\n"
    assert f"\n{entry}" in result.out
    result = datasets(harness, "--json")
    data = documents(result.out, Listing)
    assert [entry.name for entry in data if entry.imported] == ["mine"]
    assert data[-1].problem == ""


def test_a_changed_file_is_reported_where_it_is_listed_and_used(
    harness: Harness, mine: str, folder: Path
) -> None:
    (path,) = folder.glob("mine-*.jsonl")
    path.write_text(path.read_text() + " \n")
    result = datasets(harness)
    assert result.code == 0
    assert "has changed since its import" in " ".join(result.out.split())
    run = ["run", "--dataset", "mine", "--backend", "native"]
    for words in (run, ["datasets", "stats", "mine"], ["solve", "mine/1"]):
        result = harness(*words)
        assert result.code == 2
        assert result.err.startswith("harness: dataset mine: the file ")
        assert "--replace" in result.err


@pytest.mark.usefixtures("mine")
def test_names_of_imported_datasets_are_completed(offered: Callable[[str], set[str]]) -> None:
    assert offered("harness run --dataset mi") == {"minimal-low-clue", "mixed", "mine"}
    assert offered("harness datasets show mine/") == {"mine/a", "mine/b"}


# Show.


@needs("formats")
def test_show_draws_a_puzzle_beside_its_solution(
    harness: Harness, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LANG", "C.UTF-8")
    result = datasets(harness, "show", LINE, "--solution")
    assert result.code == 0
    assert result.out.splitlines()[1] == "│ . . 3 │ . 2 . │ 6 . . │    │ 4 8 3 │ 9 2 1 │ 6 5 7 │"
    for fact in ("9x9, 32 clues", "solution: the only one", "guesses: 0", "minimal: no"):
        assert fact in result.out
    monkeypatch.setenv("LANG", "C")
    assert datasets(harness, "show", LINE).out.isascii()


def test_show_of_a_dataset_has_its_entry_and_its_first_puzzle(
    harness: Harness, mine: str, lines: Path
) -> None:
    out = datasets(harness, "show", "mine").out
    assert out.startswith("mine: puzzles of mine.csv\n")
    assert "a: 9x9, 32 clues" in out
    assert "expected: exactly 1 solution" in out
    assert "b: 9x9" not in out
    out = datasets(harness, "show", lines).out
    assert out.startswith(f"{lines}: 2 puzzles\n")
    out = datasets(harness, "show", f"{lines}/2").out
    assert "b: 9x9" in out
    assert "command: harness generate" in datasets(harness, "show", "easy").out


def test_show_reports_puzzles_without_and_with_several_solutions(harness: Harness) -> None:
    assert "\nno solution\n" in datasets(harness, "show", "11..............", "--solution").out
    assert "one of several" in datasets(harness, "show", "1...............", "--solution").out


@needs("drawings")
def test_show_writes_an_svg(harness: Harness) -> None:
    result = datasets(harness, "show", "diagonal/1", "--solution", "--svg", "p.svg")
    assert (result.code, result.err) == (0, "p.svg: drawing of puzzle 1\n")
    assert Path("p.svg").read_text().count("<text") == 81


# Puzzles of a dataset as a file, and statistics.


def test_a_selection_is_converted(harness: Harness, mine: str) -> None:
    result = datasets(harness, "convert", "mine/b", "b.csv.gz")
    assert (result.code, result.err) == (0, "1 puzzle written\n")
    (puzzle,) = read_file("b.csv.gz")
    assert (puzzle.name, puzzle.puzzle.line) == ("b", RELABELLED)
    assert dict(puzzle.fields) == {"level": "3"}
    result = datasets(harness, "convert", "mine", "-", "--to", "line")
    assert result.out == f"{LINE}\n{RELABELLED}\n"


@needs("reasoning")
def test_a_message_names_the_puzzle_of_a_dataset(harness: Harness, mine: str) -> None:
    result = datasets(harness, "convert", "mine", "p.sdk")
    assert (result.code, result.out) == (2, "")
    assert result.err.endswith("mine/2: the format sdk holds one puzzle per file\n")
    result = datasets(harness, "convert", "sukaku/4-5", "p.sdm")
    assert (result.code, result.out) == (2, "")
    assert "harness: sukaku/4: the format sdm holds " in result.err


@needs("reasoning")
def test_a_condition_chooses_puzzles(harness: Harness, mine: str) -> None:
    assert datasets(harness, "convert", "mine", "m.json", "--where", "solutions == 1").code == 0
    assert [puzzle.name for puzzle in read_file("m.json")] == ["a"]
    result = datasets(harness, "rate", "mine/2", "--out", "-", "--to", "csv")
    assert [row[0] for row in result.out.splitlines()[1:]] == ["b"]
    words = ["stats", "mine", "named", "--where", "dataset == 'mine' or clues < 5", "--json"]
    data = json.loads(datasets(harness, *words).out)
    assert data[0]["puzzles"] == 2
    assert 0 < data[1]["puzzles"] < 10


@needs("reasoning")
def test_a_sample_is_chosen_at_random(harness: Harness, mine: str) -> None:
    def names(*words: str) -> list[str]:
        assert datasets(harness, "convert", "named", "some.json", "--replace", *words).code == 0
        return [puzzle.name for puzzle in read_file("some.json")]

    every = names()
    samples = {seed: names("--sample", "5", "--seed", seed) for seed in ("0", "1")}
    for sample in samples.values():
        assert sample == [name for name in every if name in sample]
        assert len(sample) == 5
    assert samples["0"] != samples["1"]
    assert names("--sample", "5") == samples["0"]
    assert names("--sample", "1000") == every
    few = names("--where", "clues < 20")
    assert set(names("--where", "clues < 20", "--sample", "2")) < set(few)


@needs("formats")
def test_an_existing_file_is_replaced_only_on_request(harness: Harness, mine: str) -> None:
    for words in (["convert", "mine", "x.csv"], ["rate", "mine", "--out", "x.csv"]):
        Path("x.csv").write_text("before")
        result = datasets(harness, *words)
        assert result.code == 2
        assert "x.csv: the file exists; expected --replace" in result.err
        assert Path("x.csv").read_text() == "before"
        assert datasets(harness, *words, "--replace").code == 0
        assert len(read_file("x.csv")) == 2


def test_statistics_as_text_csv_and_json(harness: Harness, mine: str) -> None:
    out = datasets(harness, "stats", "mine").out
    assert "mine: 2 puzzles" in out
    assert "answers           number of solutions known for 1, the solution for 1" in out
    assert "equivalents       1" in out
    assert "without a guess   2 (100.0 %)" in out
    rows = datasets(harness, "stats", "mine", "seeds", "--format", "csv").out.splitlines()
    assert rows[0].startswith("dataset,puzzles,shapes,clues_min,")
    assert rows[1].startswith("mine,2,9x9:2,32,32,32,32:2,1,1,0,0,1,")
    assert len(rows) == 3
    result = datasets(harness, "stats", "mine", "--json")
    (statistics,) = documents(result.out, Statistics)
    assert (statistics.puzzles, statistics.equivalents, statistics.without_guess) == (2, 1, 2)
    assert datasets(harness, "stats", "mine", "--json", "--out", "s.json").out == ""
    assert json.loads(Path("s.json").read_text()) == json.loads(result.out)


def test_the_number_of_a_puzzle_is_its_address(harness: Harness) -> None:
    def numbers(*words: str) -> dict[str, int]:
        rows = json.loads(harness("datasets", "stats", *words, "--each", "--quick", "--json").out)
        return {row["name"]: row["number"] for row in rows}

    every = numbers("named")
    names = list(every)
    assert numbers("named/3-7") == {name: every[name] for name in names[2:7]}
    assert numbers(f"named:{names[4]}") == {names[4]: 5}
    some = numbers("named/2-9", "--where", "clues > 22")
    assert 0 < len(some) < 8
    assert some.items() <= every.items()


def test_an_earlier_puzzle_of_a_selection_has_its_address(harness: Harness, mine: str) -> None:
    result = harness("datasets", "stats", "mine/2", "mine", "--each", "--json")
    pairs = [(row["same_as"], row["equivalent_to"]) for row in json.loads(result.out)]
    assert pairs == [(None, None), (None, "mine/2"), ("mine/2", None)]


def test_statistics_of_each_puzzle(harness: Harness, mine: str) -> None:
    result = datasets(harness, "stats", "mine", "--each", "--json")
    found = documents(result.out, Facts)
    rows = [(facts.name, facts.clues, facts.guesses, facts.minimal) for facts in found]
    assert rows == [("a", 32, 0, False), ("b", 32, 0, False)]
    assert (found[0].equivalent_to, found[1].equivalent_to) == (None, "mine/1")
    csv = datasets(harness, "stats", "mine", "--each", "--format", "csv").out
    assert len(csv.splitlines()) == 3
    assert "rotation180" in datasets(harness, "stats", "mine", "--each").out
    out = datasets(harness, "stats", "mine", "--quick").out
    assert "guess" not in out
    assert "minimal" not in out


def test_a_closed_pipe_ends_without_a_traceback() -> None:
    reading, writing = os.pipe()
    os.close(reading)
    command = [sys.executable, "-m", "harness", "datasets", "convert", "named", "-", "--to", "json"]
    result = subprocess.run(command, stdout=writing, stderr=subprocess.PIPE)
    os.close(writing)
    assert result.returncode == 1
    assert b"Traceback" not in result.stderr
