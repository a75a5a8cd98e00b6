"""Runs as results of BenchExec and scenarios of ASlib, and results of BenchExec as runs."""

import bz2
import csv
import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Final

import pandas as pd
import pytest

import harness as harness_api
from harness.base.text import printable
from harness.records import DTYPES, Verdict
from tests.conftest import Ended, Harness

ENDINGS: Final = Path(__file__).with_name("endings.py")
PUZZLES: Final = ("1234341221434...", "12..............", "11..............", "1234341221434321")
FOREIGN: Final = """<?xml version="1.0" encoding="utf-8"?>
<!DOCTYPE result
  PUBLIC '+//IDN sosy-lab.org//DTD BenchExec result 3.12//EN'
  'https://www.sosy-lab.org/benchexec/result-3.12.dtd'>
<result benchmarkname="b" date="2026-11-29 13:26:11 UTC" tool="Kissat" version="sc2021"
    generator="BenchExec 3.35" timelimit="10s" memlimit="104857600B" options="--quiet" name="t.p">
  <columns><column title="status"/><column title="cputime"/><column title="walltime"/></columns>
  <systeminfo hostname="node-7"><os name="Linux"/><cpu model="x"/><ram size="1B"/></systeminfo>
  {runs}
  <column title="cputime" value="0.019648s"/>
</result>
"""


def foreign(status: str = "true", name: str = "../seed000.cnf", **columns: str) -> str:
    """A result of another tool with one run."""
    values = {"status": status, "cputime": "0.25s", "walltime": "0.5s", "memory": "1302528B"}
    texts = (
        f'<column title="{title}" value="{value}"/>'
        for title, value in (values | columns).items()
        if value
    )
    return FOREIGN.format(runs=f'<run name="{name}" files="[{name}]">{"".join(texts)}</run>')


@pytest.fixture(scope="module")
def run(build_once: Callable[..., Path]) -> Path:
    """A run with every verdict, repetitions, scrambles, counts and batches."""

    def build(folder: Path) -> None:
        (folder / "four.txt").write_text("".join(f"{line}\n" for line in PUZZLES))
        puzzles = str(folder / "four.txt")
        ends = ("unknown", "exits", "raises", "late", "memory", "unsupported", "wrong")
        specs = [f"{ENDINGS}:Endings[end={end}]" for end in ends]
        out = folder / "run"
        harness_api.run(puzzles, specs, out=out, timeout=0.5)
        harness_api.run(
            puzzles, ["native", "cnf"], out=out, repeat=2, scramble=[0, 3], starts=["cold", "batch"]
        )
        harness_api.run(puzzles, ["native", specs[0]], out=out, tasks="count", max_solutions=3)

    return build_once("exchange", build) / "run"


def exported(run: Path, form: str, out: Path, harness: Harness, *words: str) -> Ended:
    ended = harness("export", run, "--format", form, "--out", out, *words)
    assert (ended.code, ended.err) == (0, "")
    return ended


def imported(out: Path, harness: Harness, *words: str | Path) -> harness_api.Run:
    ended = harness("import", *words, "--out", out)
    assert (ended.code, ended.err) == (0, "")
    return harness_api.load(out)


def test_what_was_exported_to_benchexec_comes_back_equal(
    run: Path, tmp_path: Path, harness: Harness
) -> None:
    exported(run, "benchexec", tmp_path / "xml", harness)
    files = sorted((tmp_path / "xml").iterdir())
    again = imported(
        tmp_path / "again", harness, *files, "--dataset", str(run.parent / "four.txt")
    ).trials
    trials = harness_api.load(run).trials
    assert {*trials["verdict"]} == {*Verdict}
    key = ["backend", "task", "start", "dataset", "scramble", "puzzle_id", "repetition"]
    first, second = (frame.sort_values(key).reset_index(drop=True) for frame in (trials, again))
    for frame in (first, second):
        frame["stats"] = [json.dumps(json.loads(text)) for text in frame["stats"]]
    different = {
        name
        for name in DTYPES
        if not first[name].astype(object).equals(second[name].astype(object))
    }
    assert different == {"reason", "ended_at"}
    assert [*map(printable, first["reason"])] == [*second["reason"]]


def test_reports_and_comparisons_read_an_imported_run(
    run: Path, tmp_path: Path, harness: Harness
) -> None:
    exported(run, "benchexec", tmp_path / "xml", harness)
    puzzles = str(run.parent / "four.txt")
    files = sorted((tmp_path / "xml").iterdir())
    imported(tmp_path / "again", harness, *files, "--dataset", puzzles)
    first, second = (harness_api.load(folder).summary() for folder in (run, tmp_path / "again"))
    pd.testing.assert_frame_equal(first, second)
    compared = harness("compare", run, tmp_path / "again")
    assert "no regression: no answer changed" in compared.out


def test_table_generator_opens_the_results(run: Path, tmp_path: Path, harness: Harness) -> None:
    pytest.importorskip("benchexec", reason="benchexec is not installed")
    exported(run, "benchexec", tmp_path / "xml", harness, "--features", "guesses")
    program = Path(sys.executable).with_name("table-generator")
    files = [path for path in (tmp_path / "xml").iterdir() if "native" in path.name]
    words = ("--no-diff", "--format", "csv", "--format", "html", "--outputpath", str(tmp_path))
    subprocess.run([program, *words, *files], check=True, capture_output=True)
    (table,) = tmp_path.glob("*.csv")
    *_, names, first = [*csv.reader(table.read_text().splitlines(), delimiter="\t")][:4]
    columns = ["status", "category", "cputime (s)", "walltime (s)", "memory (MB)", "guesses"]
    assert names[1:7] == columns
    assert re.fullmatch(r"(four/)?\d#\w{16}", first[0])  # without the beginning of all names
    assert first[1:3] in (["true", "correct"], ["done", "correct"])
    assert len([*tmp_path.glob("*.html")]) == 1


def test_a_scenario_is_read_by_a_reader_of_aslib(
    run: Path, tmp_path: Path, harness: Harness
) -> None:
    scenario = pytest.importorskip("asf.scenario", reason="asf is not installed")
    exported(run, "aslib", tmp_path / "cases", harness, "--features", "guesses", "symmetries")
    trials = harness_api.load(run).trials
    folders = sorted((tmp_path / "cases").iterdir())
    assert len(folders) == 4  # cold, batch and count, and two time limits
    for folder in folders:
        features, times, _, folds, _, maximize, budget, _ = scenario.read_aslib_scenario(folder)
        assert ([*features], maximize) == (["clues", "guesses"], False)
        assert (features.index == times.index).all()
        assert {*times.columns} <= {*trials["backend"]}
        assert folds["fold"].between(1, 10).all()
        puzzles = folds.index.str.partition("#").get_level_values(0)
        assert (folds["fold"].groupby(puzzles).nunique() == 1).all()
        if "endings[end=late]" in times:
            assert budget == 0.5
            assert (times["endings[end=late]"] == 10 * budget).all()
            assert (times["endings[end=wrong]"] == 10 * budget).all()
        elif "cnf" in times:
            assert (times["cnf"] < budget).all()


def test_run_states_and_folds_of_a_scenario(run: Path, tmp_path: Path, harness: Harness) -> None:
    exported(run, "aslib", tmp_path / "cases", harness)
    exported(run, "aslib", tmp_path / "again", harness)
    texts = [path.read_text() for path in (tmp_path / "cases").glob("*/algorithm_runs.arff")]
    states = dict(re.findall(r",'endings\[end=(\w+)\]',0\.5,(\w+)$", "".join(texts), re.MULTILINE))
    assert states == {
        "unknown": "other",
        "exits": "crash",
        "raises": "crash",
        "late": "timeout",
        "memory": "memout",
        "unsupported": "not_applicable",
        "wrong": "other",
    }
    for path in (tmp_path / "cases").glob("*/cv.arff"):
        other = tmp_path / "again" / path.relative_to(tmp_path / "cases")
        assert path.read_text().replace("cases", "again") == other.read_text()


def test_a_result_of_another_tool_answers_whether_a_solution_exists(
    tmp_path: Path, harness: Harness
) -> None:
    statuses = ("true", "false", "unknown", "TIMEOUT (true)", "OUT OF MEMORY", "SEGMENTATION FAULT")
    names = [instance.name for instance in harness_api.load_dataset("seeds").instances]
    texts = [
        foreign(status, f"../{name}.cnf") for status, name in zip(statuses, names, strict=True)
    ]
    runs = "".join(re.findall(r"<run .*</run>", "\n".join(texts)))
    path = tmp_path / "k.xml.bz2"
    path.write_bytes(bz2.compress(FOREIGN.format(runs=runs).encode()))
    trials = imported(tmp_path / "run", harness, path, "--dataset", "seeds").trials
    assert [*trials["verdict"]] == [
        *("counted", "wrong", "unknown", "timeout", "out_of_memory", "crashed")
    ]
    assert "claims no solution, but the puzzle has" in trials["reason"][1]
    assert trials["reason"][5] == "SEGMENTATION FAULT"
    first = trials.iloc[0]
    assert [first[name] for name in ("backend", "host", "name", "count", "limit")] == [
        *("Kissat", "node-7", names[0], 1, 1)
    ]
    assert [first[name] for name in ("wall_s", "cpu_s", "memory_bytes")] == [0.5, 0.25, 1302528]
    limits = [first[name] for name in ("timeout_s", "cpu_limit_s", "memory_limit_mib")]
    assert limits == [40, 10, 100]


def test_a_result_that_benchexec_measured(tmp_path: Path, harness: Harness) -> None:
    pytest.importorskip("benchexec", reason="benchexec is not installed")
    cadical = shutil.which("cadical")
    if cadical is None:
        pytest.skip("cadical is not installed")
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / "kissat").symlink_to(cadical)  # BenchExec has a module for this name
    names = [instance.name for instance in harness_api.load_dataset("seeds").instances][:2]
    for name in names:
        assert harness("model", f"seeds:{name}", "--out", tmp_path / f"{name}.cnf").code == 0
    (tmp_path / "b.xml").write_text(
        '<benchmark tool="kissat" timelimit="10s"><rundefinition/>'
        "<tasks><include>*.cnf</include></tasks></benchmark>"
    )
    program = Path(sys.executable).with_name("benchexec")
    ended = subprocess.run(
        [program, "--no-container", "b.xml"],
        cwd=tmp_path,
        env=os.environ | {"PATH": f"{tmp_path / 'bin'}:{os.environ['PATH']}"},
        capture_output=True,
        text=True,
    )
    files = [*(tmp_path / "results").glob("*.xml.bz2")]
    if ended.returncode or not files:
        pytest.skip("BenchExec cannot measure here")
    trials = imported(tmp_path / "run", harness, *files, "--dataset", "seeds").trials
    assert [*trials["name"]] == names
    assert {*trials["verdict"]} == {"counted"}
    assert (trials["wall_s"] > 0).all()


ENTITY: Final = '<!DOCTYPE result [<!ENTITY a "aaaa">]><result><run name="&a;"/></result>'
REFUSED: Final = {
    "a puzzle that is not ours": (
        foreign(name="../other.cnf"),
        "x.xml:9:3: 0 puzzles with the name 'other'; expected one, in the datasets of --dataset",
    ),
    "no status": (foreign(""), "x.xml:9:3: the column status is missing; expected a text"),
    "no wall time": (
        foreign(walltime=""),
        "the column walltime is missing; expected a number with the unit s",
    ),
    "milliseconds": (
        foreign(walltime="500ms"),
        "the column walltime is 500ms; expected a number with the unit s",
    ),
    "no unit": (foreign(cputime="0.5"), "the column cputime is 0.5; expected a number with the"),
    "kilobytes": (foreign(memory="5kB"), "the column memory is 5kB; expected a number with the"),
    "negative": (foreign(walltime="-1s"), "the column walltime is -1s"),
    "no limit": (
        foreign().replace(' timelimit="10s"', ""),
        "the column timelimit is missing; expected a number with the unit s",
    ),
    "no tool": (foreign().replace(' tool="Kissat"', ""), "'../seed000.cnf' is malformed: KeyError"),
    "a malformed field": (
        foreign(core="many"),
        "is malformed: ValidationError: Expected `int | null`",
    ),
    "another document": ("<html><p/></html>", "x.xml:1:1: the element 'html'; expected a result"),
    "no document": ("status,walltime\n", "x.xml:1:1: invalid XML: syntax error"),
    "half a document": (foreign()[:-12], "invalid XML: unclosed token"),
    "entities": (ENTITY, "a document type or an entity; expected XML without declarations"),
    "an entity of the document type": (foreign(name="&a;"), "invalid XML: undefined entity"),
}


@pytest.mark.parametrize(("text", "message"), REFUSED.values(), ids=REFUSED.keys())
def test_other_files_are_refused_in_one_line(
    text: str, message: str, tmp_path: Path, harness: Harness
) -> None:
    (tmp_path / "x.xml").write_text(text)
    ended = harness("import", tmp_path / "x.xml", "--dataset", "seeds", "--out", tmp_path / "run")
    assert (ended.code, ended.out, ended.err.count("\n")) == (2, "", 1)
    assert message in ended.err
    assert [path.name for path in tmp_path.iterdir()] == ["x.xml"]


@pytest.mark.parametrize("data", [b"BZh91AY&SY", bz2.compress(foreign().encode())[:-20], b"\xff\0"])
def test_damaged_files_are_refused_in_one_line(
    data: bytes, tmp_path: Path, harness: Harness
) -> None:
    (tmp_path / "x.xml").write_bytes(data)
    ended = harness("import", tmp_path / "x.xml", "--out", tmp_path / "run")
    assert (ended.code, ended.err.count("\n")) == (2, 1)
    assert "x.xml" in ended.err


def test_a_changed_solution_is_wrong_and_a_changed_puzzle_is_refused(
    run: Path, tmp_path: Path, harness: Harness
) -> None:
    exported(run, "benchexec", tmp_path / "xml", harness)
    puzzles = str(run.parent / "four.txt")
    file = next(path for path in (tmp_path / "xml").iterdir() if "cnf-solve-cold" in path.name)
    text = file.read_text()
    file.write_text(text.replace('value="1234341221434321"', 'value="1234341221434312"'))
    trials = imported(tmp_path / "changed", harness, file, "--dataset", puzzles).trials
    assert "wrong" in [*trials["verdict"]]
    file.write_text(re.sub(r"#\w{16}", "#0000000000000000", text))
    ended = harness("import", file, "--dataset", puzzles, "--out", tmp_path / "other")
    assert (ended.code, ended.err.count("\n")) == (2, 1)
    assert "0 puzzles with the name 'four/1#0000000000000000'" in ended.err


def test_the_same_result_twice_is_refused(run: Path, tmp_path: Path, harness: Harness) -> None:
    exported(run, "benchexec", tmp_path / "xml", harness)
    (first, *_) = (tmp_path / "xml").iterdir()
    words = ("--dataset", str(run.parent / "four.txt"), "--out", str(tmp_path / "run"))
    ended = harness("import", first, first, *words)
    assert (ended.code, ended.err.count("\n")) == (2, 1)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("--format benchexec", "--out: missing; expected"),
        ("--format aslib --out {run}", "{run}: already exists; expected a new folder"),
        ("--format aslib --out new --features nothing", "unknown feature 'nothing'"),
        ("--format aslib --anonymize --out new", "--format aslib: not with --anonymize"),
        ("--format bench --out new", "unknown format 'bench'"),
    ],
)
def test_exports_are_refused_in_one_line(
    words: str, message: str, run: Path, harness: Harness
) -> None:
    ended = harness("export", run, *words.format(run=run).split())
    assert (ended.code, ended.out, ended.err.count("\n")) == (2, "", 1)
    assert message.format(run=run) in ended.err
