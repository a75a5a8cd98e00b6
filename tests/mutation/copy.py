"""Copies of the project in which a file can be changed."""

import os
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory


@contextmanager
def copy_of(project: Path) -> Iterator[Path]:
    """A copy of the files of the project, without what git ignores; deleted afterwards.

    The folder beside the project that tests use where it exists is beside the copy too.
    """
    names = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=project,
        stdout=subprocess.PIPE,
        check=True,
    )
    with TemporaryDirectory(prefix="mutants-") as name:
        folder = Path(name) / "project"
        for path in os.fsdecode(names.stdout).split("\0")[:-1]:
            if (project / path).is_file():
                (folder / path).parent.mkdir(parents=True, exist_ok=True)
                shutil.copy2(project / path, folder / path)
        beside = project.parent / "shared"
        if beside.is_dir():
            (Path(name) / "shared").symlink_to(beside)
        yield folder


def environment(copy: Path) -> dict[str, str]:
    """The environment in which every process imports the copy.

    Without bytecode, which would stay valid for a file that is changed within a second.
    """
    return dict(os.environ) | {"PYTHONPATH": str(copy), "PYTHONDONTWRITEBYTECODE": "1"}
