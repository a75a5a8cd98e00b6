"""Sweeps that the workbench starts, follows, stops and continues, over HTTP."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from harness.engine.system.processes import descendants
from harness.records.folder.store import read_rows
from tests.extensions.workbench.server import PUZZLE, Workbench, a_sweep, board, wait_for
from tests.extensions.workbench.test_boards import JIGSAW

CORES = sorted(os.sched_getaffinity(0))
pytestmark = pytest.mark.long
several = pytest.mark.skipif(len(CORES) < 2, reason="the machine is not one of several cores")


def harness_run(*words: str | Path, **options: Any) -> subprocess.CompletedProcess[str]:
    """Run `harness run` in a process of its own."""
    command = [sys.executable, "-m", "harness", "run", *map(str, words)]
    return subprocess.run(command, capture_output=True, text=True, **options)


def trials(server: Workbench, run: str) -> set[tuple[Any, ...]]:
    """Backend, puzzle and repetition of each trial on disk."""
    columns, rows = read_rows(server.results / run)
    trials = [dict(zip(columns, row, strict=True)) for row in rows]
    keys = [(trial["backend"], trial["puzzle_id"], trial["repetition"]) for trial in trials]
    assert len(keys) == len(set(keys))
    return set(keys)


def test_a_preview_shows_the_plan_and_a_file_that_the_command_line_runs(
    free: Workbench, tmp_path: Path
) -> None:
    backends = ["native", "cnf[solver=[minicard,cadical153]]"]
    sweep = a_sweep("", 2, datasets=["seeds/1-3"], text="", backends=backends)
    preview = free.got("/api/sweeps/preview", sweep)
    assert preview["plan"]["trials"] == 18
    assert len(preview["plan"]["plan"]) == 3
    file = tmp_path / "sweep.toml"
    file.write_text(preview["toml"])
    result = harness_run(file, "--dry-run", cwd=tmp_path, check=True)
    assert "18 trials to run" in result.stdout


def test_the_puzzle_of_the_board_and_pasted_puzzles_are_in_the_folder_of_the_run(
    free: Workbench,
) -> None:
    marks = [16, 511, 511, 6, *[511] * 77]
    board = {"shape": JIGSAW, "givens": [5, *[0] * 80], "marks": marks}
    assert free.run_sweep("own", puzzle=board)["code"] == 0
    assert len(trials(free, "own")) == 2
    folder = free.results / "own"
    assert {"puzzles.txt", "board.jsonl", "sweep.toml"} <= {file.name for file in folder.iterdir()}
    _, headers, data = free.request("GET", "/runs/own/sweep.toml")
    assert data == (folder / "sweep.toml").read_bytes()
    assert "attachment" in headers["content-disposition"]
    assert "own exists" in free.refusal("/api/sweeps", a_sweep("own"))


def test_a_sweep_is_stopped_and_continued_and_no_trial_is_lost(free: Workbench) -> None:
    free.got("/api/sweeps", a_sweep("stopped", 1500))
    wait_for(lambda: free.done("stopped") > 20)
    free.got("/api/sweeps", a_sweep("next"))
    assert free.sweep("next")["state"] == "waiting"
    assert free.got("/api/sweeps/stop", {"run": "next"})["state"] == "ended"
    assert free.got("/api/sweeps/stop", {"run": "stopped"})["state"] == "stopping"
    assert free.ended_sweep("stopped")["code"] == 130
    before = trials(free, "stopped")
    assert 20 < len(before) < 1500
    assert free.facts("stopped")["facts"]["state"] == "interrupted"
    assert free.sweep("next")["code"] is None
    free.got("/api/sweeps/continue", {"run": "stopped"})
    assert free.ended_sweep("stopped")["code"] == 0
    after = trials(free, "stopped")
    assert len(after) == 1500
    assert before < after


def test_a_sweep_that_ignores_everything_but_the_end_is_ended(
    free: Workbench, a_backend: Callable[..., str]
) -> None:
    spec = a_backend("time.sleep(3600)", name="sleeper")
    free.got("/api/sweeps", a_sweep("asleep", backends=[spec], options={"timeout": 4000}))
    wait_for(lambda: free.sweep("asleep")["state"] == "running")
    wait_for(lambda: free.facts("asleep")["progress"]["planned"] == 1)
    began = time.monotonic()
    free.stop_sweep("asleep")
    assert time.monotonic() - began < 25


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGKILL])
def test_the_end_of_the_workbench_ends_the_sweep_and_loses_no_trial(
    tmp_path: Path, number: signal.Signals, has_ended: Callable[[int], bool]
) -> None:
    with Workbench(tmp_path) as server:
        server.got("/api/sweeps", a_sweep("run", 3000))
        wait_for(lambda: server.done("run") > 30)
        processes = descendants(server.process.pid)
        done = server.done("run")
        server.stop(number)
        wait_for(lambda: all(map(has_ended, processes)))
        records = trials(server, "run")
        assert done <= len(records) < 3000
    with Workbench(tmp_path) as again:
        facts = again.facts("run")
        assert facts["facts"]["state"] == "interrupted"
        assert facts["refusal"] == ""
        again.got("/api/sweeps/continue", {"run": "run"})
        wait_for(lambda: again.done("run") > len(records))
        again.stop_sweep("run")
        assert records < trials(again, "run")


def test_a_run_of_a_terminal_is_followed_and_cannot_be_stopped_here(free: Workbench) -> None:
    folder = free.results / "terminal"
    command = [sys.executable, "-m", "harness", "run", "--dataset", "seeds", "--backend", "native"]
    options = ["--repeat", "20000", "--out", str(folder)]
    with free.events() as events:
        process = subprocess.Popen([*command, *options], stderr=subprocess.DEVNULL)
        try:
            progress = events.next("progress", lambda data: data["name"] == "terminal")
            assert progress["planned"] == 120_000
            more = events.next("progress", lambda data: data["done"] > progress["done"])
            assert more["configurations"][0]["label"] == "native"
            measuring = free.got("/api/measuring")
            assert [run["is_own"] for run in measuring["runs"]] == [False]
            assert measuring["cores"] == CORES[-1:]
            text = free.refusal("/api/sweeps/stop", {"run": "terminal"})
            assert "stop others where they were started" in text
            assert "still in progress" in free.refusal("/api/sweeps/continue", {"run": "terminal"})
        finally:
            process.send_signal(signal.SIGINT)
            process.wait(30)
        events.next("measuring", lambda data: not data["runs"])
    assert free.facts("terminal")["facts"]["state"] == "interrupted"


def question(**changes: Any) -> dict[str, Any]:
    return {"puzzle": board(), "configurations": ["native"], **changes}


@several
def test_questions_and_the_server_keep_off_the_measured_cores(
    tmp_path: Path, a_backend: Callable[..., str]
) -> None:
    specs = [a_backend("time.sleep(100)", name=name) for name in ("first", "second")]
    with Workbench(tmp_path, "--allow-files") as server, server.events() as events:
        hard = [question(configurations=[spec], timeout_s=300) for spec in specs]
        names = [server.question(body) for body in hard]
        wait_for(lambda: states(server, names) == ["running", "running"])
        server.got("/api/sweeps", a_sweep("run", 3000))
        cores = events.next("measuring", lambda data: data["runs"])["cores"]
        assert cores == CORES[-1:]
        wait_for(lambda: server.done("run") > 10)
        assert sorted(states(server, names)) == ["cancelled", "running"]
        assert set(cores).isdisjoint(os.sched_getaffinity(server.process.pid))
        for name in names:
            server.delete(f"/api/questions/{name}")
        assert (
            server.answers(server.question(question()))["native"]["answer"]["verdict"] == "solved"
        )
        assert server.sweep("run")["state"] == "running"
        (process,) = server.processes("run/sweep.toml")
        assert sorted(os.sched_getaffinity(process)) == CORES
        for pid in set(descendants(server.process.pid)) - {process, *descendants(process)}:
            assert set(cores).isdisjoint(os.sched_getaffinity(pid))
        server.stop_sweep("run")
        wait_for(lambda: sorted(os.sched_getaffinity(server.process.pid)) == CORES)


def test_questions_are_refused_while_every_core_measures(free: Workbench) -> None:
    free.got("/api/sweeps", a_sweep("all", 3000, options={"jobs": len(CORES)}))
    wait_for(lambda: free.done("all") > 10)
    assert "measures on every core" in free.refusal("/api/questions", question())
    assert free.got("/api/measuring")["is_everywhere"]
    free.stop_sweep("all")
    assert free.answers(free.question(question()))["native"]["answer"]["verdict"] == "solved"


def states(server: Workbench, names: list[str]) -> list[str]:
    return [server.got(f"/api/questions/{name}")["answers"][0]["state"] for name in names]


def test_a_page_is_served_in_a_sandbox_and_made_again_after_a_change(free: Workbench) -> None:
    free.run_sweep("page", 3)
    code, headers, data = free.request("GET", "/runs/page/page")
    assert code == 200
    assert b"3 trials" in data
    policy = headers["content-security-policy"]
    assert policy.startswith("sandbox allow-scripts")
    assert "default-src 'none'" in policy
    assert not {"allow-same-origin", "connect-src"} & set(policy.split())
    _, again, again_data = free.request("GET", "/runs/page/page")
    assert again_data == data
    assert again["etag"] == headers["etag"]  # the same file, which nothing has written again
    folder = free.results / "page"
    harness_run(folder / "sweep.toml", "--repeat", "5", "--out", folder, check=True)
    assert b"5 trials" in free.request("GET", "/runs/page/page")[2]
    for name in ("..%2Fpage", "page%2F..%2Fpage", "%2Fetc", "nowhere"):
        assert free.request("GET", f"/runs/{name}/page")[0] in (400, 404)


def test_a_run_with_files_is_continued_only_where_files_are_allowed(
    workbench: Workbench, a_backend: Callable[..., str], a_file: Callable[..., Path]
) -> None:
    slow = a_backend("time.sleep(0.3); return Answer.unsatisfiable()", name="slow")
    file = a_file([PUZZLE])
    for name, dataset, backend in (("code", "seeds/1", slow), ("puzzles", str(file), "native")):
        folder = workbench.results / name
        words = ("--dataset", dataset, "--backend", backend, "--repeat", "2", "--out", folder)
        harness_run(*words, check=False)
        text = workbench.refusal("/api/sweeps/continue", {"run": name})
        assert "--allow-files" in text
        assert workbench.facts(name)["refusal"] == text


def test_of_simultaneous_sweeps_with_one_name_one_is_written(free: Workbench) -> None:
    def start(seed: int) -> int:
        sweep = a_sweep("race", text=f"{seed + 1}{'0' * 15}", options={"seed": seed})
        return free.answer("/api/sweeps", sweep)[0]

    free.got("/api/sweeps", a_sweep("long", 10**6))
    wait_for(lambda: free.sweep("long")["state"] == "running")
    with ThreadPoolExecutor(8) as pool:
        codes = list(pool.map(start, range(8)))
    assert sorted(codes) == [200, *[400] * 7]
    seed = codes.index(200)
    assert (free.results / "race" / "puzzles.txt").read_text() == f"{seed + 1}{'0' * 15}"
    toml = (free.results / "race" / "sweep.toml").read_text()
    assert f"seed = {seed}\n" in toml
    free.got("/api/sweeps/stop", {"run": "race"})
    free.stop_sweep("long")
