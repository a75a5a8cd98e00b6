"""The pages of studies follow from their records."""

import json
import re
import shutil
from collections.abc import Callable
from pathlib import Path
from statistics import median
from types import ModuleType

import pandas as pd
import pytest

from benchmarks import inference
from docs import hard_puzzles, large_puzzles, variant_paradigms, versions_study, which_solver
from harness.records.folder.files import RunFile
from harness.records.folder.record import RecordMetadata, write_parquet
from harness.records.schema import SCHEMA_VERSION
from tests.conftest import PROJECT, Ended

RECORDS = PROJECT / "results" / "records"
PAGES = PROJECT / "docs" / "which-solver"
MOST_WORDS = 1500
MOST_BYTES = 20_000_000


def record_of(study: str) -> Path:
    (folder,) = RECORDS.glob(f"*-{study}")
    return folder


@pytest.fixture(scope="module")
def record() -> Path:
    return record_of("study")


@pytest.mark.timeout(900)  # half a million trials
@pytest.mark.parametrize(
    ("study", "program", "page", "charts"),
    [
        ("study", which_solver, "README.md", 8),
        ("variants", variant_paradigms, "variant-paradigms.md", 0),
        ("large", large_puzzles, "large-puzzles.md", 1),
        ("hard", hard_puzzles, "hard-puzzles.md", 0),
        ("versions", versions_study, "versions-study.md", 2),
    ],
)
def test_a_page_and_its_charts_follow_from_the_record(
    study: str, program: ModuleType, page: str, charts: int, tmp_path: Path
) -> None:
    program.main(record_of(study), tmp_path)
    files = {path.name: path.read_text(encoding="utf-8") for path in tmp_path.iterdir()}
    stem = "which-solver" if page == "README.md" else page.removesuffix(".md")
    assert sorted(files) == sorted([page, *(path.name for path in PAGES.glob(f"{stem}-*.svg"))])
    for name, text in files.items():
        assert text == (PAGES / name).read_text(encoding="utf-8"), name
    assert len(files) == 1 + charts
    assert len(files[page].split()) <= MOST_WORDS


def test_a_changed_record_changes_the_page(record: Path, tmp_path: Path) -> None:
    copy = tmp_path / "records" / record.name
    shutil.copytree(record, copy)
    trials = pd.read_parquet(record / RunFile.RECORD)
    trials = trials[(trials["dataset"] != "clues17") | (trials["start"] != "batch")]
    quicker = trials["backend"] == "cnf"
    times = ["wall_s", "cpu_s", "build_s", "encode_s", "search_s", "decode_s"]
    trials.loc[quicker & trials["verdict"].ne("timeout"), times] /= 3
    wrong = trials.index[(trials["backend"] == "z3") & (trials["verdict"] == "counted")][0]
    trials.loc[wrong, ["verdict", "reason"]] = "wrong", "counts 7"
    write_parquet(trials, copy / RunFile.RECORD, RecordMetadata(SCHEMA_VERSION, len(trials), []))
    (tmp_path / "claims.toml").write_bytes((RECORDS.parent / "claims.toml").read_bytes())
    which_solver.main(copy, tmp_path)
    before = (PAGES / "README.md").read_text(encoding="utf-8").splitlines()
    after = (tmp_path / "README.md").read_text(encoding="utf-8").splitlines()
    lines = [line for line in after if line not in before]
    assert any(line.startswith("|cnf|") for line in lines)
    assert any(re.match("Wrong: .*z3 in 1 trial[,.]", line) for line in lines)
    not_measured = [sum("not measured" in line for line in lines) for lines in (before, after)]
    assert not_measured[0] < not_measured[1]


def test_medians_are_between_the_middle_times_and_marked_where_failures_bound_them(
    record: Path,
) -> None:
    study = which_solver.Study(record)
    times = study.times[study.times["dataset"] == "sizes"]
    bounds = {}
    for name, growth in study.growth().items():
        for shape, (seconds, is_bound) in growth["medians"].items():
            part = times[(times["backend"] == name) & (times["shape"] == shape)]
            assert seconds == median(part["time_s"])
            bounds[name, shape] = is_bound
    # Half of the puzzles have no answer, so that the median lies beside a failure.
    assert [study.growth()["xcover"][key]["36x36"] for key in ("answered", "total")] == [4, 8]
    assert bounds["xcover", "36x36"]
    assert not bounds["cnf", "36x36"]


def test_the_median_of_a_record_of_nodes_is_between_the_middle_ones() -> None:
    cells = inference.row("list", "none", [1.0, 2.0, 4.0, 10.0]).split("|")
    assert cells[4].strip() == "3"


def test_the_record_is_small(record: Path) -> None:
    assert sum(path.stat().st_size for path in record.iterdir()) <= MOST_BYTES


def test_the_page_of_versions_has_the_steps_that_trend_shows(harness: Callable[..., Ended]) -> None:
    output = harness("trend", record_of("versions"), "--by", "version", "--time", "cpu", "--json")
    trends = json.loads(output.out)["tables"]["trends"]
    steps = {(trend["backend"], trend["dataset"]): trend["steps"] for trend in trends}
    assert {backend for (backend, _), s in steps.items() if s != "none"} == {"cpsat", "highs", "z3"}
    page = (PAGES / "versions-study.md").read_text(encoding="utf-8")
    assert steps["highs", "multi-solution"] == "slower at highs@1.11: 1.44x (1.34 to 1.55)"
    assert "1.44x (1.34x to 1.55x) on `multi-solution`" in page
