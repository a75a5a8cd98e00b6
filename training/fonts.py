"""The packages of fonts that samples are rendered with.

    python -m training.fonts FOLDER

downloads and unpacks them with the clients of Debian and PyPI. No font file is in the project.
The families of `HELD_OUT` are never trained with: the figures of docs/images.md come from them.
"""

import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Final
from zipfile import ZipFile

import numpy as np
from PIL import ImageFont

from training.boards import font_glyphs

DEBIAN: Final = tuple(
    "fonts-" + name
    for name in (
        "adf-gillius adf-universalis averia-sans-gwf breip cantarell crosextra-carlito "
        "dkg-handwriting dosis dustin ecolier-court femkeklaver firacode freefont-ttf gfs-didot "
        "humor-sans inconsolata junction jura lato linuxlibertine "
        "lmodern ocr-b oldstandard open-sans opendin quicksand roboto-unhinted rufscript "
        "sil-gentium stix texgyre tomsontalks urw-base35"
    ).split()
)
PYPI: Final = (
    "trdg",
    *"font-amatic-sc font-intuitive".split(),
    *(
        "fontpkg-" + name
        for name in (
            "caveat delius dm-sans indie-flower montserrat noto-serif oswald permanent-marker "
            "poppins shadows-into-light zeyada"
        ).split()
    ),
)
HELD_OUT_DEBIAN: Final = tuple(
    "fonts-" + name
    for name in (
        "comic-neue crosextra-caladea ebgaramond liberation paratype sil-andika tuffy vollkorn"
    ).split()
)
HELD_OUT_PYPI: Final = tuple(
    "fontpkg-" + name
    for name in (
        "bitter ibm-plex-serif inter kalam merriweather nunito source-sans-3 work-sans"
    ).split()
)
TRAINING: Final = DEBIAN + PYPI
HELD_OUT: Final = HELD_OUT_DEBIAN + HELD_OUT_PYPI
_SUFFIXES: Final = (".ttf", ".otf")
_TEXTS: Final = tuple("0123456789ABCDEFGHIJKLMNOP")


def fetch(folder: Path) -> None:
    """Download and unpack all packages, each into a folder of its name."""
    downloads = folder / "downloads"
    downloads.mkdir(parents=True, exist_ok=True)
    debian = [*DEBIAN, *HELD_OUT_DEBIAN]
    subprocess.run(["apt-get", "download", "-qq", *debian], cwd=downloads, check=True)  # noqa: S607
    pip = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--only-binary", ":all:"]
    subprocess.run([*pip, *PYPI, *HELD_OUT_PYPI], cwd=downloads, check=True)
    for file in sorted(downloads.iterdir()):
        into = folder / file.name.partition("-" if file.suffix == ".whl" else "_")[0]
        if file.suffix == ".whl":
            with ZipFile(file) as wheel:
                fonts = [name for name in wheel.namelist() if name.lower().endswith(_SUFFIXES)]
                wheel.extractall(into, fonts)
        else:
            subprocess.run(["dpkg", "-x", str(file), str(into)], check=True)  # noqa: S607


def families(folder: Path, packages: Sequence[str]) -> list[list[Path]]:
    """The usable font files of each package, in the order of their names.

    Raises:
        FileNotFoundError: a package has no usable font in `folder`.
    """
    found = []
    for package in packages:
        within = folder / package
        if not within.exists():
            within = folder / package.replace("-", "_")
        paths = sorted(p for p in within.rglob("*") if p.suffix.lower() in _SUFFIXES)
        usable = [path for path in paths if _is_usable(path)]
        if not usable:
            raise FileNotFoundError(f"{package}: no usable font in {folder}")
        found.append(usable)
    return found


def _is_usable(path: Path) -> bool:
    """Whether a font has digits and letters, each with a glyph of its own."""
    if any(word in path.name for word in ("Symbol", "Dingbat", "Math", "NonUnicode", "Size")):
        return False
    try:
        font = ImageFont.truetype(str(path), 40)
        glyph = font_glyphs(path)
        images = [np.asarray(glyph(text, 32)) for text in _TEXTS]
        unknown = bytes(font.getmask("\U0010ffff"))
        if any(bytes(font.getmask(text)) == unknown for text in _TEXTS):
            return False
    except (OSError, ValueError):
        return False
    if any(image.max() < 128 or min(image.shape) < 3 for image in images):
        return False
    return len({image.tobytes() for image in images}) == len(images)


if __name__ == "__main__":
    fetch(Path(sys.argv[1]))
