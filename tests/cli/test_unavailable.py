"""Missing and broken solver libraries: reported with reason and remedy, and left out."""

import json
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from harness.base.plugins import plugins
from harness.contract import registry

Harness = Callable[..., tuple[int, str, str]]

# The body of `load` of a backend, and the reported reason.
EXPIRED = "the licence expired on 2026-01-31"
BROKEN = {
    "import_error": ("import a_library_that_nobody_has", "No module named 'a_library_that_nobody"),
    "wrong_version": ("import json; json.SolverOfNextYear", "no attribute 'SolverOfNextYear'"),
    "missing_object": ("import ctypes; ctypes.CDLL('libsolver.so.9')", "libsolver.so.9: cannot"),
    "expired": (f"raise Unavailable({EXPIRED!r}, 'renew the licence')", EXPIRED),
    "dies": ("import os; os._exit(7)", "its process exited with code 7"),
}


@pytest.fixture(autouse=True)
def broken(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Install a distribution of backends that fail to load, each for another reason."""
    site = tmp_path / "site"
    info = site / "broken_solver-1.2.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: broken-solver\nVersion: 1.2\n")
    points = [f"{kind} = broken_one:{kind}\n" for kind in BROKEN]
    (info / "entry_points.txt").write_text(f"[harness.backends]\n{''.join(points)}")
    classes = [
        f"class {kind}(Backend):\n"
        f"    name, paradigm = {kind!r}, 'made for a test'\n"
        "    distributions = ('broken-solver',)\n"
        "    def __init__(self, shape, options): pass\n"
        "    def solve(self, puzzle): raise AssertionError\n"
        "    @classmethod\n"
        f"    def load(cls, options): {load}\n"
        for kind, (load, _) in BROKEN.items()
    ]
    text = "from harness.contract import Backend, Unavailable\n" + "".join(classes)
    (site / "broken_one.py").write_text(text)
    monkeypatch.syspath_prepend(str(site))
    monkeypatch.setenv("PYTHONPATH", str(site))
    monkeypatch.setattr(registry, "_backends", plugins.__wrapped__(registry.GROUP))


@pytest.mark.long
def test_a_broken_library_is_listed_with_its_reason_and_remedy(harness: Harness) -> None:
    backends = {b["name"]: b for b in json.loads(harness("backends", "--json")[1])}
    assert backends["native"]["available"]
    for kind, (_, reason) in BROKEN.items():
        assert backends[kind]["available"] is False
        assert reason in backends[kind]["reason"]
    assert backends["expired"]["remedy"] == "renew the licence"
    for kind in ("import_error", "wrong_version", "missing_object"):
        assert "(with broken-solver 1.2)" in backends[kind]["reason"]
        remedy = "pip install --upgrade --force-reinstall broken-solver"
        assert backends[kind]["remedy"] == remedy


def test_a_run_stops_or_leaves_it_out(
    harness: Harness, a_file: Callable[..., Path], tmp_path: Path
) -> None:
    arguments = ["--dataset", a_file(["1234............"]), "--backend", "native", "missing_object"]
    code, _, err = harness("run", *arguments, "--out", tmp_path / "run")
    assert (code, err.count("\n")) == (2, 1)
    assert "missing_object" in err
    assert "libsolver.so.9" in err
    assert not (tmp_path / "run").exists()

    code, out, err = harness("run", *arguments, "--skip-unavailable", "--out", tmp_path / "run")
    assert code == 0
    assert "missing_object" in err
    assert "left out: missing_object" in out
    record = json.loads((tmp_path / "run" / "environment.json").read_text())["invocations"][-1]
    assert list(record["backends"]) == ["native"]
    assert "libsolver.so.9" in record["left_out"]["missing_object"]


def test_a_run_without_an_available_backend_is_an_error(
    harness: Harness, a_file: Callable[..., Path], tmp_path: Path
) -> None:
    arguments = ["--dataset", a_file(["1234............"]), "--backend", "dies"]
    code, _, err = harness("run", *arguments, "--skip-unavailable", "--out", tmp_path / "run")
    assert code == 2
    assert "dies" in err
    assert not (tmp_path / "run").exists()


def test_a_sweep_without_an_available_backend_does_not_end_the_others(
    harness: Harness, a_file: Callable[..., Path], tmp_path: Path
) -> None:
    puzzles = a_file(["1234............"])
    backends = ("native", "dies", "cnf")
    sweeps = (f"[[sweep]]\ndatasets = ['{puzzles}']\nbackends = ['{b}']\n" for b in backends)
    (tmp_path / "sweep.toml").write_text("".join(sweeps))
    arguments = [tmp_path / "sweep.toml", "--skip-unavailable", "--out", tmp_path / "run"]
    assert harness("run", *arguments, "--dry-run")[0] == 0
    code, out, err = harness("run", *arguments)
    assert code == 0
    assert "sweep 2 of 3 is left out" in err
    assert "native" in out
    assert "cnf" in out


def test_workers_that_do_not_start_keep_nobody_waiting(
    harness: Harness,
    a_backend: Callable[..., str],
    a_file: Callable[..., Path],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A library may register a fork handler that never ends, by accident."""
    monkeypatch.setattr("harness.engine.supervisor._START_LIMIT_S", 0.5)
    handler = "os.register_at_fork(after_in_child=lambda: time.sleep(1000))"
    stalls = a_backend("return Answer.unknown()", name="stalls", top=handler)
    puzzles = ["1234............", "12..............", "1..............."]
    arguments = ["--dataset", a_file(puzzles), "--backend", stalls, "native"]
    began = time.monotonic()
    code, out, err = harness("run", *arguments, "--out", tmp_path / "run")
    assert time.monotonic() - began < 20
    reason = "3 starts of its worker failed: a fork handler may block them"
    assert code == 0
    assert f"left out: stalls is not available: {reason}" in err
    assert "3 of 6 planned trials" in out
    record = json.loads((tmp_path / "run" / "environment.json").read_text())["invocations"][-1]
    assert record["left_out"] == {"stalls": reason}

    code, out, _ = harness("check", *arguments, "--json")
    check = json.loads(out)
    assert (code, check["agreed"]) == (1, False)
    assert (check["backends"], check["unavailable"]) == (["native"], {"stalls": reason})
    code, _, err = harness("solve", puzzles[0], "--shape", "4x4", "--backend", stalls)
    assert (code, reason in err) == (2, True)
