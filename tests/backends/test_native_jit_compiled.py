"""The cache of compiled kernels, and kernels for different CPUs."""

import os
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

import pytest

import harness
from backends.native_jit import NativeJit, compiled
from harness.contract import Unavailable, registry
from harness.contract.registry import describe, load_backend

COUNT = """
from harness.contract.registry import load_backend
from harness.puzzles import Shape, parse_puzzle
from backends.native_jit.compiled import LATER, cache_folder, is_cached, kernel

backend, options = load_backend("native-jit", [("kernel", "KERNEL")])
puzzle = parse_puzzle(PUZZLE)
counts = [backend(puzzle.shape, options).count(puzzle, limit).number for limit in (3, 100)]
name = "houses" if "KERNEL" == "houses" else "vectors"
hits = sum(kernel(name).stats.cache_hits.values())
print(*counts, hits, is_cached([name, LATER]))
"""
SIX = "295743..14318659..8761925433874592166123874955492167387635......................."
ELSEWHERE = Path(os.devnull) / "elsewhere"  # not writable even for root


@pytest.fixture
def run(tmp_path: Path) -> Callable[..., list[str]]:
    """Count the six solutions of a puzzle in a new process; returns the words of its output."""

    def run_counting(kernel: str = "houses", **environment: str | Path) -> list[str]:
        variables = {
            name: value for name, value in os.environ.items() if not name.startswith("NUMBA")
        }
        variables |= {"XDG_CACHE_HOME": str(tmp_path / "cache"), "PYTHONWARNINGS": "error"}
        variables |= {name: str(value) for name, value in environment.items()}
        code = COUNT.replace("KERNEL", kernel).replace("PUZZLE", repr(SIX))
        return output_of(code, variables).split()

    return run_counting


def output_of(code: str, variables: Mapping[str, str]) -> str:
    """The output of a Python program that ends without an error."""
    command = [sys.executable, "-c", code]
    process = subprocess.run(command, env=variables, capture_output=True, text=True)
    assert (process.returncode, process.stderr) == (0, "")
    return process.stdout


@pytest.fixture
def cache_folder() -> Iterator[Callable[[], Path | None]]:
    """The folder as a new process finds it."""

    def cache() -> Path | None:
        compiled.cache_folder.cache_clear()
        return compiled.cache_folder()

    yield cache
    compiled.cache_folder.cache_clear()


@pytest.mark.long
def test_compiled_code_is_cached_for_each_cpu(
    run: Callable[..., list[str]], tmp_path: Path
) -> None:
    assert run() == ["3", "6", "0", "True"]
    assert [path.name for path in tmp_path.iterdir()] == ["cache"]
    assert run() == ["3", "6", "1", "True"]
    other = {"NUMBA_CPU_NAME": "generic", "NUMBA_CPU_FEATURES": ""}
    assert run(**other) == ["3", "6", "0", "True"]
    assert run(**other) == ["3", "6", "1", "True"]
    assert run() == ["3", "6", "1", "True"]
    # An interrupted compilation goes on at the next start.
    marks = list(tmp_path.rglob(f"{compiled.LATER}-*"))
    for path in marks:
        path.unlink()
    assert run() == ["3", "6", "1", "True"]
    assert any(path.exists() for path in marks)
    for path in tmp_path.rglob("*.nb*"):
        path.write_bytes(b"damaged")
    assert run()[:3] == ["3", "6", "0"]


@pytest.mark.long
def test_kernels_compile_without_a_writable_cache(
    run: Callable[..., list[str]], tmp_path: Path
) -> None:
    assert run(XDG_CACHE_HOME=ELSEWHERE) == ["3", "6", "0", "False"]
    assert not list(tmp_path.iterdir())


def test_the_cache_folder_of_numba_is_used(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, cache_folder: Callable[[], Path | None]
) -> None:
    import numba

    monkeypatch.setattr(numba.config, "CACHE_DIR", str(tmp_path))
    folder = cache_folder()
    assert folder is not None
    assert folder.parent == tmp_path / "sudoku-harness"


def test_a_change_in_any_source_changes_the_cache_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, cache_folder: Callable[[], Path | None]
) -> None:
    sources = Path(compiled.__file__).parent
    for path in sources.glob("*.py"):
        (tmp_path / path.name).write_bytes(path.read_bytes())
    import numba

    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setattr(numba.config, "CACHE_DIR", "")
    here = cache_folder()
    monkeypatch.setattr(compiled, "__file__", str(tmp_path / "compiled.py"))
    assert cache_folder() == here
    folders = {here}
    for name in ("layer.py", "vectors.py", "houses.py", "progress.py"):
        with (tmp_path / name).open("a") as source:
            source.write("\n")
        folders.add(cache_folder())
    assert len(folders) == 5


def test_compilation_is_announced_unless_it_is_cached(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, cache_folder: Callable[[], Path | None]
) -> None:
    import numba

    backend, options = load_backend("native-jit")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setattr(numba.config, "CACHE_DIR", "")
    folder = cache_folder()
    assert folder is not None
    assert "native-jit" in backend.preparation(options)
    for name in compiled.KERNELS:
        (folder / compiled._mark(name)).touch()
    assert "native-jit" in backend.preparation(options)
    (folder / compiled._mark(compiled.LATER)).touch()
    assert backend.preparation(options) == ""


def test_without_numba_it_is_unavailable_with_its_install_command(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(registry, "version_of", lambda name: None)
    with pytest.raises(Unavailable) as error:
        load_backend("native-jit")
    assert "numba" in error.value.reason
    assert error.value.remedy == "harness backends install native-jit"
    assert describe(NativeJit).distributions == {"numba": None}


def test_it_can_be_listed_without_numba() -> None:
    code = (
        "import sys; sys.modules['numba'] = None\n"
        "from harness.contract.registry import describe, load_class\n"
        "print(describe(load_class('native-jit')).name)"
    )
    assert output_of(code, os.environ) == "native-jit\n"


def test_with_the_compiler_disabled_it_is_unavailable() -> None:
    code = (
        "from harness.contract.registry import load_backend\n"
        "from harness.contract import Unavailable\n"
        "try: load_backend('native-jit')\n"
        "except Unavailable as error: print(error.remedy)"
    )
    assert output_of(code, os.environ | {"NUMBA_DISABLE_JIT": "1"}) == "unset NUMBA_DISABLE_JIT\n"


def test_workers_find_the_cached_kernel_of_constraints(tmp_path: Path) -> None:
    puzzles = tmp_path / "killer.toml"
    puzzles.write_text(
        f'[[puzzle]]\npuzzle = "{SIX}"\nshape = "9x9; killer 11: R1C1 R1C2"\n', encoding="utf-8"
    )
    load_backend("native-jit")
    # Compiling it takes longer.
    run = harness.run([puzzles], ["native-jit"], tasks=["count"], timeout=3, out=tmp_path / "run")
    assert run.trials["verdict"].tolist() == ["counted"]
