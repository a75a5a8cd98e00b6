"""The puzzles of a seed are the same in every version.

If a change of the generator makes others, users read about it in the changelog.
"""

from typing import Any

import pytest

from harness.puzzles import Shape
from harness.puzzles.generate import Clues, GenerationRequest, Model, generate


@pytest.mark.parametrize(
    ("spec", "wanted", "ids"),
    [
        ("9x9", {"clues": Clues(19, 19)}, ["5be243cb73f4bf65"]),
        ("9x9", {"solutions": 3}, ["4c2fe602b00fcc55", "410dac3aeab51893"]),
        ("6x6", {"hard": 20}, ["b9e2ed0885c36197", "8435314d7fb704e7"]),
        (
            *("25x25", {"clues": Clues(300, 300), "model": Model.HOLES}),
            ["9e3263de5151fed8", "4a6f8e6229f5c9ad"],
        ),
    ],
    ids=["few clues", "solutions", "hard", "holes"],
)
def test_a_seed_gives_the_same_puzzles(spec: str, wanted: dict[str, Any], ids: list[str]) -> None:
    found = generate(GenerationRequest(Shape.parse(spec), len(ids), 1, **wanted))
    assert [generated.puzzle.id for generated in found] == ids
