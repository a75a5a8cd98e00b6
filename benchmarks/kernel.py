"""Puzzles per CPU second of the compiled solver and of other fast solvers.

The compiled solver counts to limit 2, which proves that a solution is unique. The rate is the
best of several passes over the same puzzles. Values, rows and columns are permuted at random, so
that no order has an advantage. The kernels take turns within a pass, so that other load on the
machine affects all of them. Other solvers run in the same process if they are installed; most of
them solve without a proof of uniqueness.

The puzzle collections are expected in ../shared/puzzles beside the checkout.
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

from backends.native_jit.search import NEVER, Found, Search
from harness.puzzles import Shape

FOLDER: Final = Path(__file__).resolve().parents[2] / "shared" / "puzzles"
COLLECTIONS: Final = {
    "17-clue": ("17_clue_sample_3000.txt", 60_000),
    "top1465": ("magictour_top1465.txt", 14_650),
}
"""File and number of puzzles for each collection."""
PASSES: Final = 7
PEER_PUZZLES: Final = 300
PEER_SECONDS: Final = 5.0
CPUS: Final = {"AVX2 (haswell)": "haswell", "plain x86-64": "x86-64"}

Batch = NDArray[np.uint8]


def collection(name: str) -> Batch:
    """The puzzles of a collection, repeated up to the number of puzzles and permuted."""
    file, number = COLLECTIONS[name]
    lines = [line[:81] for line in (FOLDER / file).read_text().splitlines() if line[:1] != "#"]
    puzzles = np.array([[int(c) if c.isdigit() else 0 for c in line] for line in lines], np.uint8)
    rng = np.random.default_rng(1)
    return np.array([relabelled(puzzles[i % len(puzzles)], rng) for i in range(number)])


def relabelled(puzzle: Batch, rng: np.random.Generator) -> Batch:
    """An equivalent puzzle: values, rows and columns permuted, perhaps transposed."""

    def order() -> NDArray[np.int64]:
        return np.concatenate([3 * band + rng.permutation(3) for band in rng.permutation(3)])

    values = np.concatenate([[0], rng.permutation(9) + 1]).astype(np.uint8)
    grid = puzzle.reshape(9, 9)[order()][:, order()]
    return values[grid.T if rng.random() < 0.5 else grid].reshape(81)


def best_of(
    searches: dict[str, Search], puzzles: dict[str, Batch]
) -> dict[str, tuple[float, Found]]:
    """The puzzles per CPU second of each kernel, and its result."""
    best: dict[str, tuple[float, Found]] = {}
    for _ in range(PASSES):
        for name, search in searches.items():
            began = process_time()
            found = search.answer(puzzles[name], 2, NEVER, None, 1)
            rate = len(puzzles[name]) / (process_time() - began)
            assert (found.numbers == 1).all()
            assert found.exact.all()
            if name not in best or rate > best[name][0]:
                best[name] = rate, found
    return best


def kernels(name: str, only: Sequence[str] = ("vectors", "houses")) -> dict[str, Any]:
    """The rate of each kernel on a collection, and its statistics per puzzle."""
    shape, all_puzzles = Shape.parse("9x9"), collection(name)
    searches = {kernel: Search(shape, kernel) for kernel in only}
    puzzles = dict.fromkeys(only, all_puzzles)
    return {
        kernel: {
            "rate": rate,
            **{what: found.stats[what] / len(puzzles[kernel]) for what in found.stats},
        }
        for kernel, (rate, found) in best_of(searches, puzzles).items()
    }


def restricted(cpu: str) -> dict[str, Any]:
    """The result of `kernels` for the vector kernel with code for another CPU.

    A child process runs it, because Numba selects the CPU at import.
    """
    environment = os.environ | {"NUMBA_CPU_NAME": cpu, "NUMBA_CPU_FEATURES": ""}
    ended = subprocess.run(
        [sys.executable, __file__, "vectors"],
        env=environment,
        capture_output=True,
        text=True,
        check=True,
    )
    found: dict[str, Any] = json.loads(ended.stdout)
    return found


def threads(name: str) -> float:
    """The speedup of two threads over one, in wall time."""
    search, puzzles = Search(Shape.parse("9x9"), "vectors"), np.repeat(collection(name), 4, axis=0)
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
    """Run the benchmark and print a table for each collection."""
    if not FOLDER.is_dir():
        print("no puzzle collections in ../shared/puzzles; nothing measured")
        return
    if sys.argv[1:] == ["vectors"]:
        print(json.dumps({name: kernels(name, ["vectors"]) for name in COLLECTIONS}))
        return
    restrictions = {label: restricted(cpu) for label, cpu in CPUS.items()}
    for name in COLLECTIONS:
        print(f"\n{name}: puzzles per CPU second, limit 2")
        own = kernels(name)
        base = own["houses"]["rate"]
        rows = {"vectors": own["vectors"]}
        for label, found in restrictions.items():
            rows[f"vectors, {label}"] = found[name]["vectors"]
        rows |= {"any shape": own["houses"]}
        for label, row in rows.items():
            work = "".join(f"{row[what]:8.2f} {what}" for what in ("guesses", "nodes", "rounds"))
            print(f"  {label:28}{row['rate']:12,.0f} {row['rate'] / base:8.2f}x {work}")
        print(f"  {'two threads, over one':28}{threads(name):22.2f}x")
        for peer in PEERS:
            try:
                rate = peer_rate(peer(), collection(name))
            except ImportError:
                print(f"  {peer.__name__:28} is not installed")
            except Exception as error:  # noqa: BLE001  third-party code may raise anything
                print(f"  {peer.__name__:28} raises {type(error).__name__}: {str(error)[:60]}")
            else:
                print(f"  {peer.__name__:28}{rate:12,.0f} {rate / base:8.4f}x")


if __name__ == "__main__":
    main()
