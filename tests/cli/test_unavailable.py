"""Missing and broken solver libraries: reported with reason and remedy, and left out."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

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


@pytest.mark.long
def test_a_broken_library_is_listed_with_its_reason_and_remedy(harness: Harness) -> None:
    listed = {b["name"]: b for b in json.loads(harness("backends", "--json")[1])}
    assert listed["native"]["available"]
    for kind, (_, reason) in BROKEN.items():
        assert listed[kind]["available"] is False
        assert reason in listed[kind]["reason"]
    assert listed["expired"]["remedy"] == "renew the licence"
    for kind in ("import_error", "wrong_version", "missing_object"):
        assert "(with broken-solver 1.2)" in listed[kind]["reason"]
        remedy = "pip install --upgrade --force-reinstall broken-solver"
        assert listed[kind]["remedy"] == remedy


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
