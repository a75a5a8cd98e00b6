"""How many puzzles are read correctly from photographs: the tables of docs/images.md.

    python -m benchmarks.photographs FOLDER

FOLDER is a checkout of https://github.com/wichtounet/sudoku_dataset, or any folder with photographs
in folders of their own, each with its label beside it: `image7.jpg` and `image7.dat`, whose last
nine lines are the rows of the puzzle, 0 for a blank. The split of that repository (the files
``datasets/v2_*.desc``) is kept: training, tests, and photographs that it lists in neither.
"""

import argparse
from collections import defaultdict
from pathlib import Path
from typing import Final

from benchmarks.images import Measured, measure_image, native_count
from benchmarks.records import put_record
from harness.extensions.images.scanning import use_one_thread
from harness.puzzles import Puzzle, Shape

HEAD: Final = "| part | split " + Measured.HEAD
PARTS: Final = ("images", "mixed", "mixed_natural", "original")
_SPLITS: Final = ("test", "train")
_ALL: Final = "all"


def split_of(folder: Path) -> dict[str, str]:
    """The split of each photograph that the repository lists, by its path in the folder.

    A photograph has the same number in every part. If it is a test in one part, it is one in all.
    """
    splits = {
        Path(line.strip()).stem: split
        for split in reversed(_SPLITS)
        for file in (folder / "datasets").glob(f"v2_*{split}.desc")
        for line in file.read_text(encoding="utf-8").splitlines()
    }
    return {path: splits.get(path.partition(".")[0], "neither") for path in _stems(folder)}


def _stems(folder: Path) -> set[str]:
    return {path.stem for path in folder.glob("*/*.jpg")}


def label_of(photograph: Path) -> Puzzle | None:
    """The puzzle of a photograph; a larger version of it has the label of the smaller one."""
    name = photograph.stem.partition(".")[0]
    for folder in (photograph.parent, *(photograph.parent.parent / part for part in PARTS)):
        file = folder / f"{name}.dat"
        if file.is_file():
            lines = file.read_text(encoding="utf-8").split("\n")
            rows = [line for line in lines if line.strip()][-9:]
            cells = [int(symbol) for symbol in "".join(rows) if symbol.isdigit()]
            return Puzzle(Shape.parse("9x9"), tuple(cells))
    return None


def written_cells(photograph: Path, puzzle: Puzzle) -> set[int]:
    """The cells of a half-solved puzzle that are blank in the photograph before it was solved."""
    before = label_of(photograph.parent.parent / PARTS[0] / photograph.name)
    if before is None or before == puzzle:
        return set()
    return {cell for cell, value in enumerate(before.givens) if not value}


def photographs(folder: Path) -> list[Path]:
    """The photographs that have a label, by part."""
    parts = [folder / part for part in PARTS if (folder / part).is_dir()]
    paths = [path for part in parts or [folder] for path in sorted(part.rglob("*.jpg"))]
    return [path for path in paths if label_of(path)]


def main() -> None:
    """Measure all parts, and print their tables and what failed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path, help="a checkout of the photographs")
    parser.add_argument("--only", default="", help="part or split")
    parser.add_argument("--every", type=int, default=1, help="read every n-th photograph")
    parser.add_argument("--record", action="store_true", help="put the table into results/records")
    given = parser.parse_args()
    use_one_thread()
    splits = split_of(given.folder)
    measured: dict[tuple[str, str], Measured] = defaultdict(Measured)
    separated: dict[tuple[str, str], list[int]] = defaultdict(list)
    with native_count() as count:
        for photograph in photographs(given.folder)[:: given.every]:
            part, split = photograph.parent.name, splits.get(photograph.stem, "neither")
            if given.only not in ("", part, split):
                continue
            puzzle = label_of(photograph)
            assert puzzle is not None
            single = Measured()
            name = f"{part}/{photograph.stem}"
            reading = measure_image(photograph.read_bytes(), puzzle, count, single, name)
            written = written_cells(photograph, puzzle) if reading else set()
            print(*single.failures, sep="\n", end="\n" * bool(single.failures), flush=True)
            for row in (split, _ALL):
                measured[part, row].add(single)
                if reading and written:
                    separated[part, row].append(81 - len(written ^ set(reading.entries)))
    table = "\n".join(
        [HEAD, "|---" * (HEAD.count("|") - 1) + "|"]
        + [f"| {part} | {split} {board.row()}" for (part, split), board in sorted(measured.items())]
    )
    table += "\n\n| part | split | boards with entries | cells separated | boards with all |\n"
    table += "|---" * 5 + "|\n"
    table += "\n".join(
        f"| {part} | {split} | {len(cells)} | {100 * sum(cells) / len(cells) / 81:.1f} % "
        f"| {cells.count(81)} |"
        for (part, split), cells in sorted(separated.items())
    )
    print(table)
    if given.record:
        put_record("image-photographs", table)


if __name__ == "__main__":
    main()
