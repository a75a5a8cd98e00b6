"""`harness backends`: the list of backends, and descriptions."""

import json
import os
import re
import signal
import subprocess
import sys
from collections.abc import Callable
from importlib import metadata
from pathlib import Path
from typing import Any

import pytest

from harness.contract import registry
from tests.cli.signalled import require_end_by
from tests.installed import needs

Harness = Callable[..., Any]


@pytest.mark.long
def test_the_list_is_objects_with_everything_that_is_known(harness: Harness) -> None:
    result = harness("backends", "--json")
    assert result.code == 0
    backends = {backend["name"]: backend for backend in json.loads(result.out)}
    assert {"native", "cpsat", "milp", "cnf", "native-jit"} <= set(backends)
    for backend in backends.values():
        assert {"paradigm", "available", "reason", "distributions", "capabilities", "options"} <= (
            set(backend)
        )
        assert isinstance(backend["paradigm"], str)
        assert (backend["reason"] is None) == backend["available"]
        counts_only = backend["name"] in {"ganak", "approxmc"}
        assert "count" in backend["capabilities"]
        assert ("solve" in backend["capabilities"]) is not counts_only
    assert all(
        backends[name]["available"] for name in ("native", "cpsat", "milp", "cnf", "native-jit")
    )
    cnf = backends["cnf"]
    assert cnf["distributions"] == {"python-sat": metadata.version("python-sat")}
    (solver,) = [option for option in cnf["options"] if option["name"] == "solver"]
    assert {"type", "default", "help", "choices"} <= set(solver)
    assert solver["default"] in solver["choices"]
    assert {option["name"] for option in cnf["options"]} >= {"solver", "encoding"}
    assert backends["cpsat"]["distributions"] == {"ortools": metadata.version("ortools")}
    assert "may give up" in backends["annealing"]["capabilities"]
    for name, words in (
        *((name, {"pencilmarks", "pairs"}) for name in ("native", "native-jit", "cnf", "dlx")),
        *(("annealing", {"pairs"}), ("py-sudoku", set())),
    ):
        assert {"pencilmarks", "pairs"} & {*backends[name]["capabilities"]} == words


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_ends_all_processes(number: signal.Signals, tmp_path: Path) -> None:
    require_end_by(number, ["backends"], tmp_path)


def test_a_description_compiles_nothing(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "harness", "backends"]
    environment = {**os.environ, "XDG_CACHE_HOME": str(tmp_path), "NUMBA_CACHE_DIR": str(tmp_path)}
    words = ["native-jit", "xcover"]
    result = subprocess.run(
        [*command, *words], env=environment, capture_output=True, text=True, timeout=100
    )
    assert (result.returncode, result.stderr) == (0, "")
    assert re.search(r"^native-jit: +(?!.*not available)", result.stdout, re.MULTILINE)
    caches = [path for path in tmp_path.rglob("*") if path.suffix in {".nbi", ".nbc"}]
    assert caches == []


def test_a_description_says_what_a_backend_takes(harness: Harness) -> None:
    result = harness("backends", "cnf")
    assert result.code == 0
    assert "relations of two cells, sums, numbers of values and automata" in result.out
    assert "candidates) and pairs of cells" in harness("backends", "article-csp").out


@pytest.mark.long
def test_the_list_can_be_read_at_80_columns(harness: Harness) -> None:
    brief = harness("backends").out.splitlines()
    assert re.match(r"\d+ of \d+ backends work here", brief[0])
    assert len(brief) <= 40
    lines = harness("backends", "--all").out.splitlines()
    assert max(map(len, [*brief, *lines])) <= 80
    at = lines.index("annealing: local search")
    assert lines[at + 1 : at + 3] == [
        "  takes pairs of cells that must differ",
        "  may give up: ends some trials without an answer before their time limit",
    ]
    at = lines.index("dlx: exact cover")
    assert lines[at + 1 : at + 3] == [
        "  takes pencilmarks (restricted candidates), pairs of cells that must differ and",
        "  relations of two cells",
    ]
    assert any("minisat-gh" in line for line in lines)
    assert set(harness("backends", "dlx").out.splitlines()) < set(lines)


@needs("models")
def test_a_command_line_is_spelt_out_as_a_command_file(tmp_path: Path, harness: Harness) -> None:
    line = f"mine={sys.executable} -c 'a \"b\" é' --fast {{cnf:encoding=minimal}}"
    reply = harness("backends", "describe", line)
    assert reply.code == 0
    assert reply.out.startswith("# mine.toml\n")
    file = tmp_path / "mine.toml"
    file.write_text(reply.out)
    assert vars(registry.load_class(str(file)))["file"] == vars(registry.load_class(line))["file"]
    assert harness("backends", "describe", file).out == reply.out
    failed = harness("backends", "describe", "native")
    assert (failed.code, "is not a program" in failed.err) == (2, True)
