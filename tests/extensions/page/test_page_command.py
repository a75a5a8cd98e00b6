"""`harness report --format html`, `charts` and `export --anonymize`, as a user types them."""

import re
from pathlib import Path

import pytest

from harness.analysis.run import load
from harness.api import run
from tests.conftest import Harness

PROJECT = Path(__file__).resolve().parents[3]


@pytest.fixture(scope="module")
def a_run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("made")
    puzzles = folder / "puzzles.txt"
    puzzles.write_text("1234............\n.............123\n1...............\n")
    run([str(puzzles)], ["native", "cnf"], out=folder / "run", repeat=2)
    return folder / "run"


@pytest.mark.long
def test_the_page_is_in_the_folder_of_the_run_or_where_it_is_wanted(
    harness: Harness, a_run: Path, tmp_path: Path
) -> None:
    code, out, err = harness("report", a_run, "--format", "html")
    assert (code, out, err) == (0, f"report: {a_run / 'report.html'}\n", "")
    assert (a_run / "report.html").read_text().startswith("<!DOCTYPE html>")
    target = tmp_path / "mine.html"
    assert harness("report", a_run, "--format", "html", "--out", target)[1] == f"report: {target}\n"
    assert "native answered all 3" in target.read_text()


@pytest.mark.long
def test_kinds_datasets_and_backends_of_charts_are_chosen(
    harness: Harness, a_run: Path, tmp_path: Path
) -> None:
    options = ["--chart", "cactus", "times", "--dataset", "puzzles", "--backend", "cnf", "native"]
    code, out, err = harness("charts", a_run, "--out", tmp_path, *options, "--chart", "phases")
    assert (code, err) == (0, "")
    assert [Path(line).name for line in out.splitlines()] == [
        f"{kind}-puzzles-solve-cold.svg" for kind in ("cactus", "times", "phases")
    ]
    size = ("--format", "png", "--dpi", "150", "--width", "4")
    code, out, _ = harness("charts", a_run, "--out", tmp_path, *size, "--chart", "cactus")
    assert code == 0
    width = int.from_bytes(Path(out.strip()).read_bytes()[16:20], "big")
    assert width == pytest.approx(600, abs=10)


@pytest.mark.long
def test_an_anonymized_run_is_reported_like_any_other(
    harness: Harness, a_run: Path, tmp_path: Path
) -> None:
    copy = tmp_path / "anonymized"
    code, out, _ = harness("export", a_run, "--anonymize", "--out", copy)
    assert code == 0
    assert str(copy) in out
    assert load(copy).hosts == ("machine 1",)
    assert harness("report", copy, "--format", "html")[0] == 0


def test_the_reference_run_is_small_and_anonymized(harness: Harness) -> None:
    folder = PROJECT / "results" / "reference"
    names = {path.name for path in folder.iterdir()}
    assert names == {"environment.json", "sweep.toml", "trials.sqlite", "trials.sqlite.sha256"}
    assert sum(path.stat().st_size for path in folder.iterdir()) < 1_500_000
    text = "".join(path.read_bytes().decode("latin-1") for path in folder.iterdir())
    # An absolute path: a slash that does not follow a word, a folder and another slash.
    assert not re.findall(r"(?<![\w.:/-])/[A-Za-z]\w+/", text)
    run = load(folder)
    assert run.hosts == ("machine 1",)
    assert all(i.system.host == "machine 1" and i.replaced for i in run.invocations)
    assert not run.agreement().disagreements
