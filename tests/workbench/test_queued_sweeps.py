"""Sweeps that wait keep their files, whatever else is requested."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from tests.workbench.running import PUZZLE, Workbench, wait_for

FIRST, SECOND = "1" + "0" * 15, "2" + "0" * 15


@pytest.fixture
def busy(tmp_path: Path) -> Iterator[Workbench]:
    """A server in which a sweep runs that takes longer than the test."""
    with Workbench(tmp_path) as server:
        server.got("/api/sweeps", {**of_text(PUZZLE), "name": "long", "options": {"repeat": 10**6}})
        wait_for(lambda: server.job("long")["state"] == "running")
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
