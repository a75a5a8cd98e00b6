"""Numbers beyond 64 bits are exact from the backend to the store, the tables and the exports."""

import io
import json
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import harness as package
from harness.analysis.run import load
from harness.base.text import LARGEST
from harness.contract import Answer, Backend, Count, Options
from harness.puzzles import Puzzle, Shape
from harness.records.folder.files import RunFile
from harness.records.folder.frames import integers, with_dtypes, within_64_bits
from harness.records.folder.merging import merge
from harness.records.folder.store import in_64_bits
from harness.records.trial import Measurements, shares_of_batch

Harness = Callable[..., tuple[int, str, str]]

GRIDS = 6670903752021072936960
"""The number of 9x9 grids (Felgenhauer and Jarvis, 2005), beyond 64 bits."""
EMPTY = "." * 81


@pytest.fixture
def empty(tmp_path: Path) -> Path:
    """A dataset with the empty 9x9, which has `GRIDS` solutions."""
    path = tmp_path / "empty.toml"
    path.write_text(f'[[puzzle]]\nid = "empty"\npuzzle = "{EMPTY}"\nsolutions = {GRIDS}\n')
    return path


def counter(a_backend: Callable[..., str], number: int, name: str, *, exact: bool = True) -> str:
    stats = f"{{'nodes': {number}, 'guesses': 3}}"
    body = f"return Count(min({number}, limit), {number} < limit and {exact}, None, {stats})"
    return a_backend(count=body, name=name)


@pytest.mark.long
def test_the_number_of_grids_is_stored_reported_exported_and_compared(
    harness: Harness, a_backend: Callable[..., str], empty: Path, tmp_path: Path
) -> None:
    right = counter(a_backend, GRIDS, "right")
    less = counter(a_backend, GRIDS - 1, "less")
    words = ["--dataset", empty, "--backend", right, less, "--task", "count"]
    words += ["--max-solutions", 10**22, "--start", "cold", "batch", "--out", tmp_path / "run"]
    code, out, err = harness("run", *words)
    assert code == 1, err
    wrong = f"claims exactly {GRIDS - 1:,} solutions, but the puzzle has exactly {GRIDS:,}"
    assert wrong in " ".join(out.split())
    assert harness("run", *words)[2] == "4 of 4 trials were complete before\n"

    trials = load(tmp_path / "run").trials
    of_backend = {"right": GRIDS, "less": GRIDS - 1}
    assert trials["count"].tolist() == [of_backend[name] for name in trials["backend"]]
    assert set(trials["limit"]) == {10**22}
    assert trials["count"].nunique() == 2
    assert set(trials["expected_count"]) == {f"{GRIDS} solutions"}
    of_right = trials[trials["count"] == GRIDS]
    assert set(of_right["verdict"]) == {"counted"}
    assert {json.loads(stats)["nodes"] for stats in of_right["stats"]} == {GRIDS}

    _, out, _ = harness("export", tmp_path / "run")
    frame = pd.read_csv(io.StringIO(out), dtype={"count": str, "limit": str})
    assert sorted(frame["count"]) == sorted(map(str, trials["count"]))
    assert set(frame["limit"]) == {str(10**22)}

    for form in ("text", "markdown", "latex", "csv", "html"):
        code, _, err = harness("report", tmp_path / "run", "--format", form)
        assert code == 0, err
    page = (tmp_path / "run" / "report.html").read_text()
    assert f'"{GRIDS}"' in page
    assert harness("compare", tmp_path / "run", tmp_path / "run")[0] == 0

    copies = [tmp_path / "run", tmp_path / "public"]
    assert harness("export", copies[0], "--anonymize", "--out", copies[1])[0] == 0
    assert merge(copies, tmp_path / "both") == 8
    assert sorted(load(tmp_path / "both").trials["count"]) == sorted([*trials["count"]] * 2)


def test_a_reply_has_the_number_and_json_its_digits(
    harness: Harness, a_backend: Callable[..., str]
) -> None:
    backend = counter(a_backend, GRIDS, "right")
    reply = package.count(EMPTY, backend, max_solutions=10**30)
    assert (reply.verdict, reply.count, reply.exact) == ("counted", GRIDS, True)
    assert "6,670,903,752,021,072,936,960 solutions" in str(reply)
    assert package.count(EMPTY, backend, max_solutions=GRIDS).exact is False
    _, out, _ = harness("count", EMPTY, "--backend", backend, "--max-solutions", 10**30, "--json")
    data = json.loads(out)
    assert (data["limit"], data["results"][0]["count"]) == (10**30, GRIDS)
    assert str(GRIDS) in out


def test_a_limit_beyond_64_bits_leaves_small_counts_exact(harness: Harness) -> None:
    for backend in ("native", "cnf"):
        words = ["1234............", "--backend", backend, "--max-solutions", 10**19, "--json"]
        code, out, err = harness("count", *words)
        assert code == 0, err
        (result,) = json.loads(out)["results"]
        assert (result["count"], result["exact"]) == (12, True), backend


@pytest.mark.long
def test_a_statistic_of_4001_digits_is_kept_and_of_5001_left_out(
    harness: Harness, a_backend: Callable[..., str], a_file: Callable[..., Path], tmp_path: Path
) -> None:
    stats = "{'nodes': 10**4000, 'guesses': 10**4000, 'conflicts': 10**5000, 'x': 1}"
    backend = a_backend(f"return Answer.unknown(stats={stats})")
    words = ["--dataset", a_file(["1..............."]), "--backend", backend, "native"]
    code, _, err = harness("run", *words, "--start", "cold", "batch", "--out", tmp_path / "run")
    assert (code, err) == (0, "")
    run = load(tmp_path / "run")
    of_made = run.trials[run.trials["backend"] != "native"]
    for start, text in zip(of_made["start"], of_made["stats"], strict=True):
        statistics = json.loads(text)
        assert statistics["nodes"] == statistics["guesses"] == 10**4000, start
        assert set(statistics) == {"nodes", "guesses", "x"}
    assert harness("report", tmp_path / "run", "--format", "html")[0] == 0


def test_a_count_of_5001_digits_is_wrong(
    harness: Harness, a_backend: Callable[..., str], tmp_path: Path
) -> None:
    backend = a_backend(count="return Count(10**5000, True)")
    reply = package.count("1...............", backend, max_solutions=LARGEST)
    assert (reply.verdict, reply.count) == ("wrong", None)
    assert "an integer of more than 4,300 digits" in reply.reason


def test_the_store_holds_digits_beyond_64_bits_and_integers_within(
    harness: Harness, a_backend: Callable[..., str], empty: Path, tmp_path: Path
) -> None:
    numbers = {"within": 2**63 - 1, "beyond": 2**63}
    backends = [counter(a_backend, number, name) for name, number in numbers.items()]
    words = ["--dataset", empty, "--task", "count", "--max-solutions", 10**22]
    harness("run", *words, "--backend", *backends, "--out", tmp_path / "run")
    with closing(sqlite3.connect(tmp_path / "run" / RunFile.STORE)) as db:
        rows = {*db.execute("SELECT count, typeof(count) FROM trials")}
        limits = {*db.execute('SELECT "limit", typeof("limit") FROM questions')}
    assert rows == {(2**63 - 1, "integer"), (str(2**63), "text")}
    assert limits == {(str(10**22), "text")}
    trials = load(tmp_path / "run").trials
    assert dict(zip(trials["backend"], trials["count"], strict=True)) == numbers


Large = st.integers(min_value=-(10**40), max_value=10**40)


@given(st.lists(st.none() | Large | st.integers(-(2**63) - 2, 2**63 + 2)))
def test_a_column_of_integers_is_exact_and_missing_where_they_are(
    numbers: list[int | None],
) -> None:
    column = integers(map(in_64_bits, numbers))
    assert [None if pd.isna(value) else int(value) for value in column] == numbers
    fit = all(n is None or -(2**63) <= n < 2**63 for n in numbers)
    assert column.dtype == ("Int64" if fit else "object")
    again = with_dtypes(pd.DataFrame({"n": column}), {"n": "Int64"})["n"]
    assert again.dtype == column.dtype
    assert again.equals(column)
    values = within_64_bits(column)
    assert values.dtype == "Int64"
    for value, number in zip(values, numbers, strict=True):
        if number is None:
            assert value is pd.NA
        elif abs(number) < 2**63:
            assert value == number
        else:
            assert (value > 0) == (number > 0)


@given(st.lists(Large, min_size=1, max_size=5), st.integers(1, 9))
def test_the_share_of_a_batch_is_a_float_or_whole(numbers: list[int], trials: int) -> None:
    stats: dict[str, int | float] = {f"s{n}": number for n, number in enumerate(numbers)}
    stats["huge"] = 10**400
    (first, *_) = shares_of_batch(Measurements(stats=stats), trials)
    assert first.stats["huge"] == 10**400 // trials
    for n, number in enumerate(numbers):
        assert first.stats[f"s{n}"] == number / trials


class Many(Backend):
    """Counts what its name says."""

    name = paradigm = "made"

    def __init__(self, shape: Shape, options: Options) -> None:
        self.numbers = iter((3, GRIDS, 5))

    def solve(self, puzzle: Puzzle) -> Answer:
        raise NotImplementedError

    def count(self, puzzle: Puzzle, limit: int) -> Count:
        return Count(next(self.numbers), True)


def test_a_batch_of_counts_has_integers_of_python_if_one_is_beyond_64_bits() -> None:
    puzzles = np.zeros((3, 16), np.uint8)
    many = Many(Shape.parse("4x4"), Options()).count_many(puzzles, 10**30)
    assert many.numbers.tolist() == [3, GRIDS, 5]
    few = Many(Shape.parse("4x4"), Options()).count_many(puzzles[:1], 10**30)
    assert few.numbers.dtype == np.int64
