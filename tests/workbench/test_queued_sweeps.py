"""Sweeps that wait keep their files, whatever else is requested."""

import shutil
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from tests.workbench.server import PUZZLE, Workbench, wait_for

FIRST, SECOND = "1" + "0" * 15, "2" + "0" * 15


@pytest.fixture
def busy(tmp_path: Path) -> Iterator[Workbench]:
    """A server in which a sweep runs that takes longer than the test."""
    with Workbench(tmp_path) as server:
        server.got("/api/sweeps", {**of_text(PUZZLE), "name": "long", "options": {"repeat": 10**6}})
        wait_for(lambda: server.sweep("long")["state"] == "running")
        yield server


def of_text(text: str, **changes: Any) -> dict[str, Any]:
    return {"text": text, "backends": ["native"], "options": {"tasks": "solve"}, **changes}


@pytest.mark.long
def test_another_sweep_without_a_name_does_not_touch_one_that_waits(busy: Workbench) -> None:
    first = busy.got("/api/sweeps", of_text(FIRST))
    second = busy.got("/api/sweeps", of_text(SECOND))
    assert first["state"] == second["state"] == "waiting"
    assert second["run"] == f"{first['run']}-2"
    for run, text in ((first, FIRST), (second, SECOND)):
        assert (busy.results / run["run"] / "puzzles.txt").read_text() == text


@pytest.mark.long
def test_of_simultaneous_sweeps_with_one_name_one_is_written(busy: Workbench) -> None:
    def start(seed: int) -> int:
        options = {"tasks": "solve", "seed": seed}
        sweep = of_text(f"{seed + 1}{'0' * 15}", name="race", options=options)
        return busy.answer("/api/sweeps", sweep)[0]

    with ThreadPoolExecutor(8) as pool:
        codes = list(pool.map(start, range(8)))
    assert sorted(codes) == [200, *[400] * 7]
    seed = codes.index(200)
    assert (busy.results / "race" / "puzzles.txt").read_text() == f"{seed + 1}{'0' * 15}"
    toml = (busy.results / "race" / "sweep.toml").read_text()
    assert f"seed = {seed}\n" in toml


@pytest.mark.long
def test_simultaneous_sweeps_without_a_name_have_folders_of_their_own(busy: Workbench) -> None:
    texts = [f"{digit}{'0' * 15}" for digit in (1, 2, 3, 4)] * 2
    with ThreadPoolExecutor(8) as pool:
        runs = list(pool.map(lambda text: busy.got("/api/sweeps", of_text(text))["run"], texts))
    assert len(set(runs)) == 8
    for run, text in zip(runs, texts, strict=True):
        assert (busy.results / run / "puzzles.txt").read_text() == text


FULL = """
from pathlib import Path
from harness.errors import HarnessError
from harness.workbench.sweeps import NewSweep, make_run
results = Path("small/results")
new = NewSweep(name="run", datasets=["seeds/1"], backends=["native"])
filler = Path("small/filler")
filler.write_bytes(bytes(550_000))
try:
    make_run(new, results, (), allows_files=False)
except HarnessError as error:
    print(error)
print([path.name for path in results.iterdir()])
filler.unlink()
(results / "run").mkdir()
(results / "run" / "trials.sqlite.new-journal").touch()
print(make_run(new, results, (), allows_files=False)[0])
"""


def can_mount() -> bool:
    unshare = shutil.which("unshare")
    return unshare is not None and subprocess.run([unshare, "-rm", "true"]).returncode == 0


@pytest.mark.skipif(not can_mount(), reason="a file system of its own needs a user namespace")
def test_a_full_disk_leaves_no_folder_of_a_sweep(tmp_path: Path) -> None:
    (tmp_path / "small").mkdir()
    program = tmp_path / "program.py"
    program.write_text(FULL)
    script = f"mount -t tmpfs -o size=600k none small && {sys.executable} {program}"
    words = ["unshare", "-rm", "sh", "-c", script]
    found = subprocess.run(words, check=True, cwd=tmp_path, capture_output=True, text=True)
    message, left, name = found.stdout.splitlines()
    assert message == "small/results/run/trials.sqlite: cannot be written: database or disk is full"
    assert left == "[]"
    assert name == "run"


def test_a_file_in_place_of_the_folder_of_results_is_refused_by_the_preview(
    tmp_path: Path,
) -> None:
    (tmp_path / "results").write_text("no folder")
    with Workbench(tmp_path) as server:
        for path in ("/api/sweeps/preview", "/api/sweeps"):
            text = server.refusal(path, of_text(FIRST))
            assert text == "results: is no folder; expected a folder for runs"
