"""No command crashes, hangs or shows other values, whatever happened to the folder of a run."""

import csv
import io
import os
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from harness.records.folder.store_file import unseal
from tests.command_server import CommandServer, Ended
from tests.records.damage import damage, number_of_trials, raw_rows

STORES = 300
DERIVED = {"backend", "verdict", "reason"}
"""Columns of an export that other rows have a part in."""
STORED_AS = {"verdict": "answer_verdict", "reason": "answer_reason"}
LONGEST_S = 60


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[CommandServer]:
    with CommandServer(tmp_path_factory.mktemp("commands")) as server:
        yield server


@pytest.fixture(scope="module")
def intact(server: CommandServer, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run of two backends, six puzzles and two tasks."""
    folder = tmp_path_factory.mktemp("intact")
    lines = ("12..............", "1...............", "11..............", "1234............")
    (folder / "p.txt").write_text("\n".join(lines) + "\n")
    result = server.run("run", *_run(folder), "--out", folder / "run")
    assert result.code == 0, result.err
    assert server.run("export", folder / "run", "--out", folder / "export.csv").code == 0
    return folder


def _run(folder: Path) -> list[str]:
    words = ["--dataset", str(folder / "p.txt"), "--backend", "native", "cnf"]
    return [*words, "--task", "solve", "count", "--max-solutions", "3", "--repeat", "2"]


def _commands(intact: Path, run: Path, *, with_page: bool) -> list[list[str]]:
    aside = run.parent
    return [
        ["report", str(run), *(["--format", "html"] if with_page else [])],
        ["export", str(run)],
        ["export", str(run), "--anonymize", "--out", str(aside / "anonymous")],
        ["compare", str(intact / "run"), str(run)],
        ["merge", str(intact / "run"), str(run), "--out", str(aside / "merged")],
        ["run", *_run(intact), "--out", str(run)],
    ]


def _is_well_behaved(result: Ended) -> bool:
    return (
        result.code in (0, 1, 2, 3)
        and result.seconds < LONGEST_S
        and "Traceback" not in result.out + result.err
        and (result.code < 2 or len(result.err.strip().splitlines()) == 1)
    )


def _rows_of(text: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(text)))


def _check(server: CommandServer, intact: Path, place: Path, seed: int, *, is_sealed: bool) -> None:
    """Damage a copy of the run and try every command on a copy of that."""
    intact_export = (intact / "export.csv").read_text()
    run = place / "run"
    shutil.copytree(intact / "run", run)
    if not is_sealed:
        unseal(run / "trials.sqlite")  # as in a run that was killed
    before = (run / "trials.sqlite").read_bytes()
    damage_text = f"seed {seed}, {'with' if is_sealed else 'without'} checksum, {damage(run, seed)}"
    after = (run / "trials.sqlite").read_bytes()
    has_checksum = (run / "trials.sqlite.sha256").is_file()
    for words in _commands(intact, run, with_page=seed % 5 == 0):
        copy = place / "copy"
        shutil.copytree(place, copy, symlinks=True)
        words = [word.replace(str(place), str(copy)) for word in words]
        result = server.run(*words)
        place_of_problem = f"{damage_text}: {' '.join(words[:1])}: {result}"[:3000]
        assert _is_well_behaved(result), place_of_problem
        if has_checksum and before != after and not (run / "trials.sqlite-wal").exists():
            assert result.code == 2, place_of_problem
        if words[0] == "export" and len(words) == 2 and result.code == 0:
            _compare(run, intact / "run", result.out, intact_export, place_of_problem)
        if words[0] == "run" and result.code in (0, 1):
            assert server.run("export", copy / "run").code == 0, place_of_problem
        shutil.rmtree(copy)
    elsewhere = place / "elsewhere-report.html"
    assert not elsewhere.exists() or elsewhere.read_text() == "precious"


def _compare(run: Path, intact: Path, out: str, expected_out: str, damage_text: str) -> None:
    """Every cell that is not damaged has the value of the undamaged run."""
    raw, expected_raw = raw_rows(run), raw_rows(intact)
    assert raw is not None, damage_text
    assert expected_raw is not None
    rows, expected_rows = _rows_of(out), _rows_of(expected_out)
    assert len(rows) == len(raw) == number_of_trials(run), damage_text
    expected_of = dict(zip(sorted(expected_raw), expected_rows, strict=True))
    for key, row in zip(sorted(raw), rows, strict=True):
        if key not in expected_raw:
            continue
        for name, value in row.items():
            column = STORED_AS.get(name, name)
            if raw[key][column] == expected_raw[key][column] and name not in DERIVED:
                assert value == expected_of[key][name], f"{damage_text}: {name} of trial {key}"


@pytest.mark.long
@pytest.mark.timeout(7200)
def test_no_command_crashes_on_300_damaged_runs(
    server: CommandServer, intact: Path, tmp_path: Path
) -> None:
    first = int(os.environ.get("SEED", "1000"))
    problems: list[str] = []
    for seed in range(first, first + STORES):
        try:
            _check(server, intact, tmp_path / str(seed), seed, is_sealed=bool(seed % 2))
        except AssertionError as error:
            problems.append(str(error)[:1500])
            print(error, flush=True)  # noqa: T201  a long test
        shutil.rmtree(tmp_path / str(seed))
    assert not problems, f"{len(problems)} problems:\n" + "\n\n".join(problems)
