"""What the harness computes and writes for some puzzles stays as it is.

Each line of `pinned/outputs.json` has digests of drawings, models and facts of a puzzle, or what
becomes of the name of a shape. ``python -m tests.extensions.formats.test_pinned_outputs`` writes
the file again: a change that users notice belongs into the changelog.
"""

import hashlib
import json
import random
from collections.abc import Iterator
from pathlib import Path

from harness.base.errors import PuzzleError
from harness.contract import model_named, model_names
from harness.extensions.drawings.svg import svg
from harness.extensions.generate import Clues, GenerationRequest, Model, generate
from harness.puzzles import Puzzle, Shape
from harness.puzzles.datasets.canonical import canonical_form, has_canonical_form
from harness.puzzles.datasets.facts import features_of, is_minimal
from harness.puzzles.drawing import draw
from harness.puzzles.sanity import check
from harness.puzzles.symmetry import Scramble, Symmetry, symmetries_of
from tests.extensions.formats.test_mutated_files import parsed_puzzle

PINNED = Path(__file__).with_name("pinned") / "outputs.json"
PUZZLES = 10
NODES = 2_000
NAMES = (
    *("9x9", "16x16", "36x36", "37x37", "9", "box2x4", "box4x2", "box5x8", "latin1", "latin36"),
    *("latin37", "9x9+diagonal", "9x9+diagonal+diagonal", "9x9+windoku", "6x6+windoku", "9x9+odd"),
    *("9x9+antiknight+antiking", "4x4+disjoint", "latin5+disjoint", "latin7+diagonal", "1x1", ""),
    *("jigsaw:1122112233443344", "jigsaw:112211223344334", "jigsaw:1112122233343444", "8x9"),
    *("jigsaw:1122112233443345", "houses4:1-4", "houses4:1 2 3 4", "9X9", " 9x9", "box0x3", "7x7"),
)
REQUESTS = (
    *(
        GenerationRequest(Shape.parse(spec), 2, 3)
        for spec in ("9x9", "6x6", "latin6", "4x4+diagonal")
    ),
    GenerationRequest(
        Shape.parse("9x9"), 2, 4, clues=Clues(24, 26), symmetry=Symmetry.ROTATION_180
    ),
    GenerationRequest(Shape.parse("9x9"), 2, 5, solutions=0),
    GenerationRequest(Shape.parse("9x9"), 2, 6, solutions=4),
    GenerationRequest(Shape.parse("9x9"), 1, 7, hard=5),
    GenerationRequest(Shape.parse("6x6"), 2, 8, model=Model.QCP, clues=Clues(10, 14)),
    GenerationRequest(Shape.parse("12x12"), 1, 9, model=Model.HOLES, clues=Clues(60, 60)),
    GenerationRequest(Shape.parse("6x6"), 2, 10, pencilmarks=True, minimal=True),
    GenerationRequest(Shape.parse("9x9"), 1, 1, clues=Clues(19, 19)),
    GenerationRequest(Shape.parse("6x6"), 2, 1, hard=20),
    GenerationRequest(Shape.parse("25x25"), 2, 1, model=Model.HOLES, clues=Clues(300, 300)),
)


def digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:8]


def facts(puzzle: Puzzle) -> dict[str, object]:
    features = features_of(puzzle, NODES)
    shape = puzzle.shape
    outputs: dict[str, object] = {
        "shape": shape.spec,
        "puzzle": puzzle.id,
        "houses": digest(repr((shape.houses, shape.pairs, shape.definition))),
        "drawn": digest("\n".join(draw(puzzle))),
        "ascii": digest("\n".join(draw(puzzle, unicode=False))),
        "svg": digest(svg(puzzle, title="a <title>")),
        "findings": digest("\n".join(check(puzzle).findings())),
        "features": digest(repr(features)),
        "symmetries": list(map(str, symmetries_of(puzzle))),
        "minimal": is_minimal(puzzle, NODES),
        "scrambled": Scramble.from_seed(shape, "pinned").puzzle(puzzle).id,
    }
    if has_canonical_form(puzzle):
        outputs["canonical"] = digest(repr(canonical_form(puzzle)))
    if shape.size <= 9:
        for name in (*model_names(), "cnf:encoding=minimal"):
            outputs[name] = digest("\n".join(model_named(name).lines(puzzle, ())))
    return outputs


def outputs() -> Iterator[tuple[str, object]]:
    """A name and a value for everything that is pinned."""
    rng = random.Random("pinned")
    for number in range(PUZZLES):
        yield f"puzzle {number}", facts(parsed_puzzle(rng).puzzle)
    for name in NAMES:
        try:
            shape = Shape.parse(name)
            yield f"shape {name!r}", f"{shape} {shape.definition} {shape.digest}"
        except PuzzleError as error:
            yield f"shape {name!r}", str(error)
    for number, request in enumerate(REQUESTS):
        ids = [entry.puzzle.id for entry in generate(request)]
        yield f"generated {number}", ids


def test_outputs_are_as_before() -> None:
    expected = json.loads(PINNED.read_text())
    for name, value in outputs():
        assert json.loads(json.dumps(value)) == expected.pop(name), name
    assert not expected


if __name__ == "__main__":
    PINNED.write_text(json.dumps(dict(outputs()), indent=0) + "\n")
