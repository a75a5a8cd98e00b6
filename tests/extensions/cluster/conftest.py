"""Plans of small sweeps, and the results of their shards."""

from collections.abc import Callable
from pathlib import Path

import msgspec
import pytest
from msgspec import structs

from harness.extensions.cluster import carrying
from harness.extensions.cluster.engine import JobEnd, JobResult, ShardJob
from harness.extensions.cluster.packing import Packer
from harness.extensions.cluster.shards import ShardPlan
from harness.extensions.generate.grids import random_grid
from harness.puzzles import Puzzle, Shape
from harness.puzzles.search.kernel import Prng
from harness.records.folder.files import RunFile
from harness.records.folder.shard import Attempt
from harness.runs.sweep import Sweep

MakePlan = Callable[..., ShardPlan]


def puzzle_lines(number: int) -> list[str]:
    """Different puzzles of 4x4 with 8 clues."""
    shape = Shape.parse("4x4")
    lines: dict[str, None] = {}
    for seed in range(1_000):
        random = Prng("cluster", seed)
        grid = list(random_grid(shape, random))
        for cell in random.sample(8, 16):
            grid[cell] = 0
        lines.setdefault(Puzzle(shape, tuple(grid)).line, None)
    return list(lines)[:number]


@pytest.fixture(scope="session")
def make_plan(tmp_path_factory: pytest.TempPathFactory) -> MakePlan:
    """Makes the plan of a sweep over puzzles of 4x4."""

    def make(shards: int = 4, puzzles: int = 12, **options: object) -> ShardPlan:
        folder = tmp_path_factory.mktemp("plan")
        (folder / "small.txt").write_text("".join(f"{line}\n" for line in puzzle_lines(puzzles)))
        changes = {"datasets": [str(folder / "small.txt")], "backends": ["native"]} | options
        return ShardPlan(Sweep.from_options(changes), folder, shards)

    return make


def four_shards(folder: Path) -> ShardPlan:
    """The plan of a sweep in this folder: four shards of three puzzles each."""
    puzzles = folder / "small.txt"
    if not puzzles.exists():
        puzzles.write_text("".join(f"{line}\n" for line in puzzle_lines(12)))
    return ShardPlan(Sweep((str(puzzles),), ("native",)), folder, 4)


@pytest.fixture(scope="session")
def carried_runs(build_once: Callable[..., Path]) -> Path:
    """A folder with the result of each of the four shards, carried out once for all workers.

    The first has a process of its own; the others are carried out in this one.
    """

    def build(folder: Path) -> None:
        plan = four_shards(folder)
        with pytest.MonkeyPatch.context() as patch:
            for number in range(1, plan.number + 1):
                result = carrying.carry_out(Packer(plan).job(number), folder / "scratch")
                assert result.end is JobEnd.COMPLETE, result
                (folder / str(number)).write_bytes(result.encoded())
                patch.setattr(carrying, "_end_with_parent", lambda: None)
                patch.setattr(carrying, "_run", in_this_process)

    def in_this_process(job: ShardJob, folder: Path, *_: object) -> object:
        return carrying.run_shard(str(folder / job.shard_file), str(folder / "run"))

    return build_once("carried", build)


@pytest.fixture(scope="session")
def plan(carried_runs: Path) -> ShardPlan:
    """Four shards of three puzzles each."""
    return four_shards(carried_runs)


@pytest.fixture(scope="session")
def results(carried_runs: Path) -> dict[int, list[JobResult]]:
    """Two complete attempts at each shard; the second has the trials of the first."""
    results = {n: JobResult.decoded((carried_runs / str(n)).read_bytes()) for n in range(1, 5)}
    return {number: [result, again(result)] for number, result in results.items()}


def again(result: JobResult) -> JobResult:
    """The result of another attempt."""
    attempt = msgspec.json.decode(result.files[RunFile.SHARD], type=Attempt)
    other = structs.replace(attempt, attempt="f" * 12)
    return structs.replace(result, files=result.files | {RunFile.SHARD: msgspec.json.encode(other)})


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """The folder of a run."""
    folder = tmp_path / "run"
    folder.mkdir()
    return folder
