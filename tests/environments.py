"""New environments with the wheel, which share the libraries of the current environment."""

import subprocess
import sys
from pathlib import Path

import pytest


def install(dist: Path, folder: Path, *, without: tuple[str, ...] = ()) -> None:
    """Make an environment in `folder` with the wheel in `dist`.

    Args:
        dist: the folder of the wheel.
        folder: an existing folder.
        without: prefixes of names in the folder of libraries that are left out.
    """
    (wheel,) = dist.glob("*.whl")
    venv = folder / "venv"
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", venv], check=True)
    pip = [sys.executable, "-m", "pip", "--python", str(python_in(folder)), "install"]
    options = ["--quiet", "--no-deps", "--no-index", "--no-compile", "--ignore-installed"]
    subprocess.run([*pip, *options, str(wheel)], check=True)
    libraries = Path(pytest.__file__).parents[1]
    if without:
        present, libraries = libraries, folder / "libraries"
        libraries.mkdir()
        for path in present.iterdir():
            if not path.name.startswith((*without, "sudoku_harness")):
                (libraries / path.name).symlink_to(path)
    site = venv / "lib" / f"python3.{sys.version_info.minor}" / "site-packages"
    (site / "libraries.pth").write_text(f"{libraries}\n")


def python_in(folder: Path) -> Path:
    """The Python of the environment that `install` has made in `folder`."""
    return folder / "venv" / "bin" / "python"
