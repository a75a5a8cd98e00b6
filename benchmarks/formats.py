"""Speed and memory of reading puzzle lines and CSV, compared with pandas.

A file has LINES different 9x9 puzzles of 81 symbols, by default a million; the CSV file has
an id, the solution and a rating beside each puzzle, as on Kaggle. Each reader runs in a process
of its own, REPETITIONS times in turn; the fastest counts.

    python -m benchmarks.formats [LINES REPETITIONS]
"""

import random
import resource
import subprocess
import sys
import tempfile
from pathlib import Path
from time import perf_counter, process_time


def write(path: Path, lines: int) -> None:
    """Write a file of random puzzles; its puzzles need not have a solution."""
    rng = random.Random(0)  # noqa: S311  no secret
    with path.open("w") as file:
        for _ in range(lines):
            file.write("".join(rng.choices("....123456789", k=81)) + "\n")


def write_csv(path: Path, lines: int) -> None:
    """Write a file of random puzzles with ids, solutions and ratings."""
    rng = random.Random(0)  # noqa: S311  no secret
    digits = [*"123456789"]
    with path.open("w") as file:
        file.write("id,puzzle,solution,clues,difficulty\n")
        for number in range(1, lines + 1):
            rng.shuffle(digits)
            solved = SOLUTION.translate(str.maketrans("123456789", "".join(digits)))
            chosen = rng.getrandbits(81)
            cells = (c if chosen >> at & 1 else "." for at, c in enumerate(solved))
            file.write(f"{number},{''.join(cells)},{solved},{chosen.bit_count()},2.2\n")


def harness_reader(path: str) -> int:
    """Read the puzzles of the file as a stream; returns their number."""
    from harness.puzzles.formats import stream_file

    return sum(1 for _ in stream_file(path))


def pandas_reader(path: str) -> int:
    """Read the lines of the file as texts; returns their number."""
    import pandas as pd

    return len(pd.read_csv(path, header=0 if path.endswith(".csv") else None, dtype=str))


SOLUTION = "483921657967345821251876493548132976729564138136798245372689514814253769695417382"
READERS = {"harness": harness_reader, "pandas": pandas_reader}
FILES = {"puzzles.txt": write, "puzzles.csv": write_csv}


def measure(name: str, path: str) -> None:
    """Print the number of lines, the wall time, the CPU time in s and the memory in MB."""
    began, cpu = perf_counter(), process_time()
    number = READERS[name](path)
    times = perf_counter() - began, process_time() - cpu
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(number, *times, memory)


def main(lines: int = 1_000_000, repetitions: int = 3) -> None:
    """Print lines per second and memory of each reader and file, and their ratio."""
    with tempfile.TemporaryDirectory() as folder:
        for file, make in FILES.items():
            path = Path(folder) / file
            make(path, lines)
            compare(path, lines, repetitions)


def compare(path: Path, lines: int, repetitions: int) -> None:
    """Print the speeds of both readers of a file with this number of puzzles."""
    best: dict[str, tuple[float, float, float]] = {}
    for _ in range(repetitions):
        for name in READERS:
            command = [sys.executable, "-m", "benchmarks.formats", "--measure", name, str(path)]
            done = subprocess.run(command, check=True, capture_output=True, text=True)
            number, wall, cpu, memory = map(float, done.stdout.split())
            assert number == lines
            best[name] = min(best.get(name, (wall, cpu, memory)), (wall, cpu, memory))
    for name, (wall, cpu, memory) in best.items():
        print(
            f"{path.suffix} {name:8} {lines / wall:10,.0f} lines/s of wall time, "
            f"{lines / cpu:10,.0f} of CPU time, {memory:4,.0f} MB"
        )
    print(f"wall time of harness : pandas = {best['harness'][0] / best['pandas'][0]:.2f}")


if __name__ == "__main__":
    if sys.argv[1:2] == ["--measure"]:
        measure(*sys.argv[2:])
    else:
        main(*map(int, sys.argv[1:]))
