"""Packing: the job of a shard, with the puzzles and the backends that a machine may lack."""

import json
from collections.abc import Sequence
from pathlib import PurePosixPath
from typing import Any

import msgspec
import tomli_w

from harness.errors import InputError
from harness.experiment.cluster.backend_files import files_of, split_spec
from harness.experiment.cluster.job import Files, ShardJob
from harness.experiment.sharding.numbering import NumberedInstance
from harness.experiment.sharding.plan import ShardPlan
from harness.experiment.sharding.shard_file import file_name, without_none
from harness.puzzles.formats.records import record_of
from harness.puzzles.formats.source import ParsedPuzzle
from harness.records.settings import SHARD, with_paths
from harness.text import encodable

_COPIES = "copies"


class Packer:
    """Makes the jobs of a plan.

    Each dataset becomes a file with the puzzles of the shard alone, and each backend in a file
    becomes a copy of it. So a machine needs the installed harness and its solvers, and no file
    of this machine. Backends are read once, so all jobs have the same ones.

    Args:
        plan: the plan.

    Raises:
        InputError: the file of a backend cannot be read.
    """

    def __init__(self, plan: ShardPlan) -> None:
        self._plan = plan
        self._backends: Files = {}
        first = plan.shard(1)
        settings: dict[str, Any] = msgspec.to_builtins(first.whole)
        del settings["datasets"], settings["where"]
        values = with_paths(without_none(settings), self._copied)
        self._options = _toml(values)
        """What all sweep files begin with, after their datasets."""
        common = {"backends": first.shard.backends, "sweep": first.shard.sweep}
        self._requirements = _toml({SHARD: without_none(msgspec.to_builtins(common))})
        """The tables that all sweep files end with."""

    def _copied(self, spec: str) -> str:
        """The spec of a backend in a file with the name of its copy."""
        path, rest = split_spec(spec)
        folder = f"{_COPIES}/{len(self._backends)}"
        for name, content in files_of(path).items():
            self._backends[f"{folder}/{name}"] = content
        return f"{folder}/{path.name}{rest}"

    def job(self, number: int, submission: int, merged: Sequence[int] = ()) -> ShardJob:
        """The job of a shard.

        Args:
            number: the number of the shard, from 1.
            submission: how often the shard has been handed out, this time included.
            merged: numbers of shards that need no folder any longer.

        Raises:
            InputError: two datasets have the same file name.
        """
        planned = self._plan.shard(number)
        shard = planned.shard
        files: Files = {}
        for name, instances in _by_dataset(planned.instances).items():
            file = f"{name}.jsonl"
            if PurePosixPath(file).name != file:
                raise InputError(
                    "two datasets have the same file name",
                    where=name,
                    expected="files with different names, for a sweep on several machines",
                )
            files[file] = "".join(map(_line, instances)).encode()
        place = {
            "plan": shard.plan,
            "number": number,
            "of": shard.of,
            "trials": shard.trials,
            "expected_s": shard.expected_s,
            "datasets": shard.datasets,
        }
        parts = (
            _toml({"datasets": list(files)}),
            self._options,
            _toml({SHARD: without_none(msgspec.to_builtins(place))}),
            self._requirements,
        )
        sweep_file = file_name(shard)
        return ShardJob(
            run=self._plan.run,
            number=number,
            submission=submission,
            shard_file=sweep_file,
            files={**self._backends, **files, sweep_file: "\n".join(parts).encode()},
            expected_s=shard.expected_s,
            cores=planned.whole.jobs,
            merged=tuple(merged),
        )


def _toml(values: dict[str, Any]) -> str:
    return encodable(tomli_w.dumps(values))


def _by_dataset(
    instances: Sequence[NumberedInstance],
) -> dict[str, list[NumberedInstance]]:
    found: dict[str, list[NumberedInstance]] = {}
    for of in instances:
        found.setdefault(of.dataset, []).append(of)
    return found


def _line(of: NumberedInstance) -> str:
    instance = of.instance
    parsed = ParsedPuzzle(
        *(instance.puzzle, "", instance.name, instance.expected_count, instance.source),
        instance.fields,
    )
    return json.dumps(record_of(parsed), ensure_ascii=False) + "\n"
