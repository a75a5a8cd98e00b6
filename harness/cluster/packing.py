"""Packing: the job of a shard, with the puzzles and the backends that a machine may lack."""

import ast
import json
import re
from collections.abc import Iterator, Sequence
from pathlib import Path, PurePosixPath
from typing import Any, Final

import msgspec
import tomli_w

from harness.cluster.engine import Files, ShardJob
from harness.cluster.shards import NumberedInstance, ShardPlan, file_name, without_none
from harness.errors import InputError
from harness.puzzles.formats.records import record_of
from harness.puzzles.formats.stream import ParsedPuzzle
from harness.records.run_files import SHARD, with_paths
from harness.text import encodable

# The files of a backend that have to be on a machine that runs it.


_SPEC: Final = re.compile(r"(?P<path>.*?\.(?:py|toml))(?P<rest>(?::[^\[]*)?(?:\[.*)?)", re.DOTALL)
_IN_FOLDER: Final = re.compile(r"\{folder\}/([^\s\"'{}]+)")
"""What the file of a command names in its folder."""


def split_spec(spec: str) -> tuple[Path, str]:
    """The file of a spec, and what follows: a class and options."""
    found = _SPEC.fullmatch(spec)
    return (Path(found["path"]), found["rest"]) if found else (Path(spec), "")


def files_of(path: Path) -> dict[str, bytes]:
    """The contents of a backend's file and of the files beside it that it names.

    A Python file names modules that it imports, and a command file what follows ``{folder}/``.
    A name may be that of a folder; then all files below it belong to it.

    Args:
        path: the file.

    Returns:
        The contents by their paths from the folder of the file.

    Raises:
        InputError: a file cannot be read.
    """
    folder = path.parent
    found: dict[str, bytes] = {}
    waiting = [path]
    while waiting:
        file = waiting.pop()
        name = file.relative_to(folder).as_posix()
        if name in found:
            continue
        try:
            found[name] = file.read_bytes()
        except OSError as error:
            raise InputError(f"cannot be read: {error.strerror}", where=str(file)) from None
        text = found[name].decode(errors="replace")
        names = _imported(text) if file.suffix == ".py" else _in_folder(text, file)
        for other in names:
            waiting += _below(folder, other)
    return found


def _imported(text: str) -> Iterator[str]:
    """The names of the files that a module may import."""
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError):
        return  # the error shows when the backend is loaded
    for node in ast.walk(tree):
        names = [node.module or ""] if isinstance(node, ast.ImportFrom) and not node.level else []
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        for name in filter(None, (name.partition(".")[0] for name in names)):
            yield f"{name}.py"
            yield name


def _in_folder(text: str, file: Path) -> Iterator[str]:
    if file.suffix == ".toml":
        yield from _IN_FOLDER.findall(text)


def _below(folder: Path, name: str) -> list[Path]:
    """The file with this name in a folder, or the files below the folder with this name."""
    path = folder / name
    if ".." in Path(name).parts:
        return []
    if path.is_dir():
        return [file for file in sorted(path.rglob("*")) if _is_code(file)]
    return [path] if path.is_file() else []


def _is_code(file: Path) -> bool:
    return file.is_file() and "__pycache__" not in file.parts


# Packing: the job of a shard, with the puzzles and the backends that a machine may lack.


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
            "puzzles": shard.puzzles,
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
