"""Puzzles per CPU second of the compiled solver and of other fast solvers.

The compiled solver counts to limit 2, which proves that a solution is unique. The rate is the
best of several passes over the same puzzles. Values, rows and columns are permuted at random, so
that no order has an advantage. The solvers take turns within a pass, the other way round in every
second pass, so that other load on the machine affects all alike. tdoku takes part if the
environment variable TDOKU names a library file for it, as docs/adding-a-backend.md shows. Other
solvers run in the same process if they are installed; most of them solve without a proof of
uniqueness.

Two kinds of puzzles are expected in ../shared/puzzles beside the checkout, two are in the file
that `benchmarks.hard_puzzles` makes, and one, grids with 27 of their values, is made here. With
the folder of tdoku's collections (`data.zip` in its repository) its public sets take part too,
unpermuted; for `serg` all solutions are counted as well.

    python -m benchmarks.kernel [FOLDER]
"""

import importlib
import json
import os
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from time import perf_counter, process_time
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from backends.native_jit.search import NEVER, Search
from benchmarks.goals import GOALS
from benchmarks.hard_puzzles import FILE as HARD_FILE
from benchmarks.hard_puzzles import relabelled
from harness.contract import registry
from harness.puzzles import Shape

TDOKU: Final = "TDOKU"
"""The environment variable that names a library file for tdoku."""
SHARED: Final = Path(__file__).resolve().parents[2] / "shared" / "puzzles"
FILES: Final = {"17-clue": "17_clue_sample_3000.txt", "top1465": "magictour_top1465.txt"}
"""The files of kinds in `SHARED`."""
PUBLIC: Final = {
    "public 17-clue": "puzzles2_17_clue",
    "public forum 11+": "puzzles5_forum_hardest_1905_11+",
    "public forum 1106": "puzzles6_forum_hardest_1106",
    "serg": "puzzles7_serg_benchmark",
    "serg, all solutions": "puzzles7_serg_benchmark",
}
"""The files of public sets in tdoku's folder."""
KINDS: Final = {
    "17-clue": 60_000,
    "top1465": 14_650,
    "hard": 2_000,
    "hardest": 1_000,
    "several solutions": 20_000,
}
"""The number of puzzles of each kind; if a kind has fewer, they are repeated, relabelled."""
HARDEST: Final = 60.0
"""The least cost of the hardest puzzles, in guesses."""
CLUES: Final = 27
EVERY: Final = 10**6
"""More solutions than any puzzle of `serg` has."""
PASSES: Final = 8
PEER_PUZZLES: Final = 300
PEER_SECONDS: Final = 5.0
CPUS: Final = {"AVX2 (haswell)": "haswell", "plain x86-64": "x86-64"}

Batch = NDArray[np.uint8]
Numbers = NDArray[np.int64]


def puzzles_of(kind: str, folder: Path = SHARED) -> Batch:
    """The puzzles of a kind, repeated up to its number of puzzles and permuted.

    The puzzles of a public set stay as they are.

    Args:
        kind: a key of `KINDS` or `PUBLIC`.
        folder: where the files of `PUBLIC` are.

    Raises:
        FileNotFoundError: its file is missing.
    """
    if kind in PUBLIC:
        return _read(folder / PUBLIC[kind])
    rng = np.random.default_rng(1)
    puzzles = _several_solutions(rng) if kind == "several solutions" else _in_file(kind)
    return np.array([relabelled(puzzles[i % len(puzzles)], rng) for i in range(KINDS[kind])])


def _in_file(kind: str) -> Batch:
    return _read(
        SHARED / FILES[kind] if kind in FILES else HARD_FILE, HARDEST if kind == "hardest" else 0
    )


def _read(path: Path, guesses: float = 0) -> Batch:
    """The puzzles in a file; with `guesses`, only those whose cost is at least that."""
    lines = [line for line in path.read_text().splitlines() if line[:1] not in ("#", "")]
    if guesses:
        lines = [line for line in lines if float(line[82:]) >= guesses]
    return np.array([[int(c) if c.isdigit() else 0 for c in line[:81]] for line in lines], np.uint8)


def _several_solutions(rng: np.random.Generator) -> Batch:
    """Grids with some of their values, which have two or more solutions."""
    shape = Shape.parse("9x9")
    starts = np.zeros((2000, 81), np.uint8)
    for start in starts:
        start[:9] = rng.permutation(9) + 1
        start[rng.integers(27, 81)] = rng.integers(1, 10)
    search = Search(shape, "vectors")
    answer = search.answer(starts, 1, NEVER, None, 1)
    grids = np.array([relabelled(grid, rng) for grid in answer.witnesses[answer.numbers == 1]])
    puzzles = np.zeros((KINDS["several solutions"], 81), np.uint8)
    for number, puzzle in enumerate(puzzles):
        kept = rng.permutation(81)[:CLUES]
        puzzle[kept] = grids[number % len(grids)][kept]
    several: Batch = puzzles[search.answer(puzzles, 2, NEVER, None, 1).numbers == 2]
    return several


def rates(
    kind: str, folder: Path = SHARED, kernels: Sequence[str] = ("vectors", "houses")
) -> dict[str, dict[str, float]]:
    """The rates of each kernel and of tdoku, with their statistics per puzzle.

    Args:
        kind: a key of `KINDS` or `PUBLIC`.
        folder: where the files of `PUBLIC` are.
        kernels: names of kernels.

    Raises:
        FileNotFoundError: the file of the puzzles is missing.
    """
    puzzles, shape = puzzles_of(kind, folder), Shape.parse("9x9")
    limit = EVERY if kind == "serg, all solutions" else 2
    expected = Search(shape, "houses").answer(puzzles, limit, NEVER, None, 1).numbers
    solvers = {name: _kernel(Search(shape, name), puzzles, limit, expected) for name in kernels}
    if os.environ.get(TDOKU):
        solvers["tdoku"] = _tdoku(puzzles, limit, expected)
    best: dict[str, dict[str, float]] = {}
    for number in range(PASSES):
        for name in list(solvers)[:: -1 if number % 2 else 1]:
            measured = solvers[name]()
            if name not in best or measured["rate"] > best[name]["rate"]:
                best[name] = measured
    return best


def _kernel(
    search: Search, puzzles: Batch, limit: int, expected: Numbers
) -> Callable[[], dict[str, float]]:
    def measure() -> dict[str, float]:
        began = process_time()
        answer = search.answer(puzzles, limit, NEVER, None, 1)
        rate = len(puzzles) / (process_time() - began)
        assert (answer.numbers == expected).all()
        return {"rate": rate} | {name: total / len(puzzles) for name, total in answer.stats.items()}

    return measure


def _tdoku(puzzles: Batch, limit: int, expected: Numbers) -> Callable[[], dict[str, float]]:
    backend, options = registry.load_backend(registry.resolve(os.environ[TDOKU]))
    solver = backend(Shape.parse("9x9"), options)

    def measure() -> dict[str, float]:
        began = process_time()
        answer = solver.count_many(puzzles, limit)
        rate = len(puzzles) / (process_time() - began)
        assert (answer.numbers == expected).all()
        return {"rate": rate, "guesses": answer.stats["guesses"] / len(puzzles)}

    return measure


def restricted(cpu: str, arguments: Sequence[str]) -> dict[str, Any]:
    """The rates of the vector kernel with code for another CPU, by kind.

    A child process runs it, because Numba selects the CPU at import.
    """
    environment = os.environ | {
        "NUMBA_CPU_NAME": cpu,
        "NUMBA_CPU_FEATURES": "",
        TDOKU: "",
    }
    ended = subprocess.run(
        [sys.executable, "-m", "benchmarks.kernel", *arguments, "vectors"],
        env=environment,
        capture_output=True,
        text=True,
        check=True,
    )
    rates_of: dict[str, Any] = json.loads(ended.stdout)
    return rates_of


def threads(kind: str) -> float:
    """The speedup of two threads over one, in wall time."""
    search, puzzles = Search(Shape.parse("9x9"), "vectors"), np.repeat(puzzles_of(kind), 4, axis=0)
    seconds: dict[int, float] = {}
    for number in (1, 2, 1, 2, 1, 2, 1, 2):
        began = perf_counter()
        search.answer(puzzles, 2, NEVER, None, number)
        took = perf_counter() - began
        seconds[number] = min(took, seconds.get(number, took))
    return seconds[1] / seconds[2]


# Other solvers: each function returns a function of the 81 values of a puzzle


def lib_sudoku() -> Callable[[list[int]], Any]:
    """The Rust solver lib-sudoku."""
    module = importlib.import_module("lib_sudoku")
    return lambda givens: module.solve(bytearray(givens))


def pencilmark() -> Callable[[list[int]], Any]:
    """The C++ grader pencilmark; it proves uniqueness."""
    module = importlib.import_module("pencilmark")
    return lambda givens: module.solve(module.from_string("".join(map(str, givens))))


def dlxsudoku() -> Callable[[list[int]], Any]:
    """Dancing links in Python, dlxsudoku."""
    module = importlib.import_module("dlxsudoku")
    return lambda givens: module.Sudoku("".join(map(str, givens))).solve()


def dokusan() -> Callable[[list[int]], Any]:
    """Backtracking in Python, dokusan."""
    solvers, boards = (importlib.import_module(f"dokusan.{part}") for part in ("solvers", "boards"))
    box = boards.BoxSize(3, 3)
    return lambda givens: solvers.backtrack(
        boards.Sudoku.from_string("".join(map(str, givens)), box_size=box)
    )


def _cover(givens: list[int]) -> Batch:
    """The puzzle as an exact cover problem: one row per candidate, 324 columns."""
    rows = []
    for cell, given in enumerate(givens):
        r, c = divmod(cell, 9)
        for value in [given - 1] if given else range(9):
            row = np.zeros(324, np.int32)
            row[[cell, 81 + 9 * r + value, 162 + 9 * c + value]] = 1
            row[243 + 9 * (r // 3 * 3 + c // 3) + value] = 1
            rows.append(row)
    return np.array(rows)


def exact_cover() -> Callable[[list[int]], Any]:
    """Dancing links in C, exact-cover; it finds all solutions."""
    module = importlib.import_module("exact_cover")
    return lambda givens: module.get_solution_count(_cover(givens))


def xcover() -> Callable[[list[int]], Any]:
    """Knuth's Algorithm C, compiled, xcover; it finds all solutions."""
    module = importlib.import_module("xcover")
    return lambda givens: list(module.covers_bool(_cover(givens).astype(bool)))


PEERS: Final = (lib_sudoku, pencilmark, dlxsudoku, dokusan, exact_cover, xcover)


def peer_rate(solve: Callable[[list[int]], Any], puzzles: Batch) -> float:
    """Puzzles per CPU second, over at most `PEER_PUZZLES` puzzles and `PEER_SECONDS`."""
    solve(puzzles[0].tolist())
    began, number = process_time(), 0
    for givens in puzzles[:PEER_PUZZLES].tolist():
        solve(givens)
        number += 1
        if process_time() - began > PEER_SECONDS:
            break
    return number / (process_time() - began)


def main() -> None:
    """Run the benchmark and print a table for each kind of puzzles."""
    there = [kind for kind in KINDS if SHARED.is_dir() or kind not in FILES]
    arguments = sys.argv[1:]
    is_child = arguments[-1:] == ["vectors"]
    folders = [Path(argument) for argument in arguments[: -1 if is_child else None]]
    kinds = dict.fromkeys(there, SHARED) | {k: folder for folder in folders for k in PUBLIC}
    if is_child:
        measured = {kind: rates(kind, folder, ["vectors"]) for kind, folder in kinds.items()}
        print(json.dumps(measured))
        return
    if len(there) < len(KINDS):
        print("no puzzle collections in ../shared/puzzles; 17-clue and top1465 are not measured")
    if not os.environ.get(TDOKU):
        print(f"{TDOKU} names no library file; tdoku is not measured")
    restrictions = {label: restricted(cpu, arguments) for label, cpu in CPUS.items()}
    for kind, folder in kinds.items():
        print(f"\n{kind}: puzzles per CPU second" + ", limit 2" * ("all" not in kind))
        own = rates(kind, folder)
        base = own["tdoku" if "tdoku" in own else "houses"]["rate"]
        rows = {"vectors": own["vectors"]}
        for label, measured in restrictions.items():
            rows[f"vectors, {label}"] = measured[kind]["vectors"]
        rows |= {"any shape": own["houses"]}
        if "tdoku" in own:
            rows["tdoku"] = own["tdoku"]
        for label, row in rows.items():
            work = "".join(
                f"{number:8.2f} {unit}" for unit, number in row.items() if unit != "rate"
            )
            print(f"  {label:28}{row['rate']:12,.0f} {row['rate'] / base:8.2f}x {work}")
        if "tdoku" in own and kind in GOALS:
            print(f"  {GOALS[kind].judged(own['vectors']['rate'] / base)}")
        if kind in PUBLIC:
            continue
        print(f"  {'two threads, over one':28}{threads(kind):22.2f}x")
        for peer in PEERS:
            try:
                rate = peer_rate(peer(), puzzles_of(kind))
            except ImportError:
                print(f"  {peer.__name__:28} is not installed")
            except Exception as error:  # noqa: BLE001  third-party code may raise anything
                print(f"  {peer.__name__:28} raises {type(error).__name__}: {str(error)[:60]}")
            else:
                print(f"  {peer.__name__:28}{rate:12,.0f} {rate / base:8.4f}x")


if __name__ == "__main__":
    main()
