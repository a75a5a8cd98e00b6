"""Small wheels, and a folder of them from which uv and pip install without a network."""

import base64
import hashlib
import io
import os
import tarfile
from collections.abc import Mapping, Sequence
from importlib import metadata
from pathlib import Path
from zipfile import ZipFile

SOLVER = """
from itertools import product
import time
def solve(givens, houses):
    time.sleep({sleep})
    values = range(1, len(houses[0]) + 1)
    def extend(grid):
        if 0 not in grid:
            return grid
        cell = grid.index(0)
        for value in values:
            if all(value not in (grid[c] for c in h) for h in houses if cell in h):
                if found := extend([*grid[:cell], value, *grid[cell + 1:]]):
                    return found
    return extend(list(givens))
"""
"""The module of the package ``fakesolver``."""

BACKEND = """
from harness.contract import Answer, Backend, Options
from harness.puzzles import Puzzle, Shape

class Fake(Backend):
    name = "fake"
    paradigm = "test"
    distributions = ("fakesolver",)

    @classmethod
    def load(cls, options):
        import fakesolver

    def __init__(self, shape: Shape, options: Options) -> None:
        self.houses = [house.cells for house in shape.houses]

    def solve(self, puzzle: Puzzle) -> Answer:
        import fakesolver
        found = fakesolver.solve(puzzle.givens, self.houses)
        return Answer.solved(tuple(found)) if found else Answer.unsatisfiable()
"""
"""The file of the backend that calls ``fakesolver``."""


def write_wheel(
    folder: Path,
    name: str,
    version: str,
    files: Mapping[str, str],
    requires: Sequence[str] = (),
) -> None:
    """Write a pure wheel with these files."""
    info = f"{name}-{version}.dist-info"
    needs = "".join(f"Requires-Dist: {text}\n" for text in requires)
    contents = dict(files) | {
        f"{info}/METADATA": f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n{needs}",
        f"{info}/WHEEL": "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
    }
    rows = []
    with ZipFile(folder / f"{name}-{version}-py3-none-any.whl", "w") as wheel:
        for path, text in contents.items():
            wheel.writestr(path, text)
            digest = base64.urlsafe_b64encode(hashlib.sha256(text.encode()).digest())
            rows.append(f"{path},sha256={digest.decode().rstrip('=')},{len(text)}\n")
        wheel.writestr(f"{info}/RECORD", "".join([*rows, f"{info}/RECORD,,\n"]))


def repack(folder: Path, name: str) -> None:
    """Write the wheel from which an installed distribution came."""
    distribution = metadata.distribution(name)
    tags = [
        line.removeprefix("Tag: ")
        for line in (distribution.read_text("WHEEL") or "").splitlines()
        if line.startswith("Tag: ")
    ]
    with ZipFile(folder / f"{name}-{distribution.version}-{tags[0]}.whl", "w") as wheel:
        for file in distribution.files or ():
            if "__pycache__" not in file.parts and file.name not in ("INSTALLER", "REQUESTED"):
                wheel.write(file.locate(), str(file))


def write_failing_sdist(folder: Path, name: str, version: str) -> None:
    """Write a source distribution whose build fails for want of a compiler."""
    build = "raise RuntimeError('no compiler here')\n"
    project = (
        '[build-system]\nrequires = []\nbuild-backend = "build"\nbackend-path = ["."]\n'
        f'[project]\nname = "{name}"\nversion = "{version}"\n'
    )
    base = f"{name}-{version}"
    with tarfile.open(folder / f"{base}.tar.gz", "w:gz") as archive:
        for path, text in (
            ("pyproject.toml", project),
            ("build.py", build),
            ("PKG-INFO", f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n"),
        ):
            info = tarfile.TarInfo(f"{base}/{path}")
            info.size = len(text)
            archive.addfile(info, io.BytesIO(text.encode()))


def write_index(folder: Path) -> None:
    """Write the wheels of the tests, and the backend ``fake.py``."""
    for version, sleep in (("1.0", 0), ("1.1", 0), ("1.1.5", 0), ("1.2", 0), ("1.3", 0.03)):
        files = {"fakesolver.py": SOLVER.format(sleep=sleep)}
        write_wheel(folder, "fakesolver", version, files)
    write_wheel(folder, "fakesolver", "2.0", {"fakesolver.py": "raise ImportError('no licence')"})
    write_wheel(
        folder, "fakesolver", "2.1", {"fakesolver.py": ""}, requires=["nothing-like-this>=3"]
    )
    write_failing_sdist(folder, "fakesolver", "2.2")
    write_wheel(folder, "numpy", "9.9", {"numpy.py": ""})  # workers import it for batches only
    repack(folder, "msgspec")
    (folder / "fake.py").write_text(BACKEND)


def offline(index: Path, environments: Path) -> dict[str, str]:
    """Variables with which uv and pip install from the folder `index` only."""
    return {
        "PIP_NO_INDEX": "1",
        "PIP_FIND_LINKS": str(index),
        "PIP_CONFIG_FILE": os.devnull,
        "UV_DEFAULT_INDEX": index.as_uri(),  # an index without packages
        "UV_FIND_LINKS": str(index),
        "UV_NO_CONFIG": "1",
        "HARNESS_ENVIRONMENTS": str(environments),
    }
