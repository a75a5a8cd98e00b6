"""Packing: the job of a shard, with the puzzles and the backends that a machine may lack."""

import ast
import re
from collections.abc import Iterable, Iterator
from pathlib import Path, PurePosixPath

import msgspec
import tomli_w

from harness.base.errors import InputError
from harness.base.text import encodable
from harness.extensions.cluster.engine import Files, ShardJob
from harness.extensions.cluster.shards import ShardPlan, without_none
from harness.puzzles.formats import JSON_LINES, ParsedPuzzle
from harness.records.folder import Shard, with_paths

# The files of a backend that a machine needs to run it.


def files_of(path: Path) -> dict[str, bytes]:
    """The contents of a backend's file and of the files beside it that it names.

    A Python file names the modules that it imports, a command file the paths that follow
    ``{folder}/``. A name may be that of a folder; then all files below the folder count.

    Args:
        path: the file.

    Returns:
        The contents by their paths from the folder of the file.

    Raises:
        InputError: a file cannot be read.
    """
    folder = path.parent
    contents: dict[str, bytes] = {}
    waiting = [path]
    while waiting:
        file = waiting.pop()
        name = file.relative_to(folder).as_posix()
        if name in contents:
            continue
        try:
            contents[name] = file.read_bytes()
        except OSError as error:
            raise InputError(f"cannot be read: {error.strerror}", where=str(file)) from None
        text = contents[name].decode(errors="replace")
        names: Iterable[str] = ()
        if file.suffix == ".py":
            names = _imports(text)
        elif file.suffix == ".toml":
            names = re.findall(r"\{folder\}/([^\s\"'{}]+)", text)
        for other in names:
            waiting += _below(folder, other)
    return contents


def _imports(text: str) -> Iterator[str]:
    """The names of the files that a module may import."""
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError):
        return  # the error appears when the backend is loaded
    for node in ast.walk(tree):
        names = [node.module or ""] if isinstance(node, ast.ImportFrom) and not node.level else []
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        for name in filter(None, (name.partition(".")[0] for name in names)):
            yield f"{name}.py"
            yield name


def _below(folder: Path, name: str) -> list[Path]:
    """The file with this name in a folder, or the files below the folder with this name."""
    path = folder / name
    if ".." in Path(name).parts:
        return []
    if path.is_dir():
        files = (file for file in sorted(path.rglob("*")) if file.is_file())
        return [file for file in files if "__pycache__" not in file.parts]
    return [path] if path.is_file() else []


# Packing: the job of a shard, with the puzzles and the backends that a machine may lack.


class Packer:
    """Makes the jobs of a plan.

    Each dataset becomes a file with the puzzles of the shard alone, and each backend in a file
    becomes a copy of that file. So a machine needs the installed harness and its solvers, but no
    file of this machine. Backends are read once, so all jobs have the same copies.

    Args:
        plan: the plan.

    Raises:
        InputError: the file of a backend cannot be read.
    """

    def __init__(self, plan: ShardPlan) -> None:
        self._plan = plan
        self._backends: Files = {}
        settings = msgspec.to_builtins(plan.sweep)
        del settings["datasets"], settings["where"]
        self._options = with_paths(without_none(settings), self._copy)

    def _copy(self, spec: str) -> str:
        """Copy the files of a backend; return its spec with the path of the copy."""
        # The spec is a path, then perhaps a class and options.
        match = re.fullmatch(r"(.*?\.(?:py|toml))((?::[^\[]*)?(?:\[.*)?)", spec, re.DOTALL)
        path, suffix = (Path(match[1]), match[2]) if match else (Path(spec), "")
        folder = f"copies/{len(self._backends)}"
        for name, content in files_of(path).items():
            self._backends[f"{folder}/{name}"] = content
        return f"{folder}/{path.name}{suffix}"

    def job(self, number: int) -> ShardJob:
        """The job of the shard with this number, from 1.

        Raises:
            InputError: two datasets have the same file name.
        """
        shard = self._plan.shard(number)
        datasets: dict[str, list[ParsedPuzzle]] = {}
        for item in self._plan.instances(number):
            instance = item.instance
            puzzle = ParsedPuzzle(
                instance.puzzle,
                "",
                instance.name,
                instance.expected_count,
                instance.source,
                instance.fields,
            )
            datasets.setdefault(f"{item.dataset}.jsonl", []).append(puzzle)
        for file in datasets:
            if PurePosixPath(file).name != file:
                raise InputError(
                    "two datasets have the same file name",
                    where=file.removesuffix(".jsonl"),
                    expected="files with different names, for a sweep on several machines",
                )
        files = {file: "".join(JSON_LINES.write(puzzles)) for file, puzzles in datasets.items()}
        table = without_none(msgspec.to_builtins(shard))
        values = {"datasets": list(files), **self._options, Shard.TABLE: table}
        shard_file = f"{shard.name}.toml"
        files[shard_file] = encodable(tomli_w.dumps(values))
        return ShardJob(
            run=self._plan.run,
            number=number,
            shard_file=shard_file,
            files=self._backends | {name: text.encode() for name, text in files.items()},
        )
