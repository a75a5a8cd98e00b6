"""Plans of small sweeps, and the results of their shards."""

from collections.abc import Callable
from pathlib import Path

import msgspec
import pytest
from msgspec import structs

from harness.cluster.carrying import carry_out
from harness.cluster.engine import JobEnd, JobResult
from harness.cluster.packing import Packer
from harness.cluster.shards import ShardPlan, ShardSizes, shard_plan
from harness.puzzles import Puzzle, Shape
from harness.puzzles.generate.grids import random_grid
from harness.puzzles.kernel import Prng
from harness.records.shard import FILE as SHARD
from harness.records.shard import decode_attempt
from harness.runs.sweep import Sweep

MakePlan = Callable[..., ShardPlan]


def puzzle_lines(number: int) -> list[str]:
    """Different puzzles of 4x4 with 8 clues."""
    shape = Shape.parse("4x4")
    found: dict[str, None] = {}
    for seed in range(1_000):
        random = Prng("cluster", seed)
        grid = list(random_grid(shape, random))
        for cell in random.sample(8, 16):
            grid[cell] = 0
        found.setdefault(Puzzle(shape, tuple(grid)).line, None)
    return list(found)[:number]


@pytest.fixture(scope="session")
def make_plan(tmp_path_factory: pytest.TempPathFactory) -> MakePlan:
    """Makes the plan of a sweep over puzzles of 4x4."""

    def make(shards: int = 4, puzzles: int = 12, **options: object) -> ShardPlan:
        folder = tmp_path_factory.mktemp("plan")
        (folder / "small.txt").write_text("".join(f"{line}\n" for line in puzzle_lines(puzzles)))
        changes = {"datasets": [str(folder / "small.txt")], "backends": ["native"]} | options
        return shard_plan(Sweep.of(changes), folder, ShardSizes(shards))

    return make


@pytest.fixture(scope="session")
def plan(make_plan: MakePlan) -> ShardPlan:
    """Four shards of three puzzles each."""
    return make_plan()


@pytest.fixture(scope="session")
def results(
    plan: ShardPlan, tmp_path_factory: pytest.TempPathFactory
) -> dict[int, list[JobResult]]:
    """Two complete attempts at each shard; the second has the trials of the first."""
    scratch = tmp_path_factory.mktemp("scratch")
    found: dict[int, list[JobResult]] = {}
    for number in range(1, plan.number + 1):
        result = carry_out(Packer(plan).job(number, 1), scratch)
        assert result.end is JobEnd.COMPLETE, result
        found[number] = [result, again(result)]
    return found


def again(result: JobResult) -> JobResult:
    """The result of another attempt."""
    attempt = decode_attempt(result.files[SHARD], Path(SHARD))
    other = structs.replace(attempt, attempt="f" * 12)
    return structs.replace(result, files=result.files | {SHARD: msgspec.json.encode(other)})


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """The folder of a run."""
    made = tmp_path / "run"
    made.mkdir()
    return made
