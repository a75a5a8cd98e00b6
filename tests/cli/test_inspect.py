"""`harness inspect`: contradictions of puzzles."""

import json
from collections.abc import Callable
from pathlib import Path

from tests.installed import needs

Harness = Callable[..., tuple[int, str, str]]
SEED_0 = "..3.2.6..9..3.5..1..18.64....81.29..7.......8..67.82....26.95..8..2.3..9..5.1.3.."


def test_inspect_shows_contradictions(harness: Harness) -> None:
    code, out, _ = harness("inspect", SEED_0)
    assert code == 0
    assert "9x9, 32 clues" in out
    code, out, _ = harness("inspect", SEED_0, "--json")
    assert (code, json.loads(out)["contradictory"]) == (0, False)
    assert harness("inspect", "22..............")[0] == 1
    code, out, _ = harness("inspect", "22..............", "--json")
    (duplicate, *_) = json.loads(out)["duplicates"]
    assert code == 1
    assert duplicate == {"house": "row 1", "value": "2", "cells": ["R1C1", "R1C2"]}
    code, out, _ = harness("inspect", "123.4.......4...", "--json")
    data = json.loads(out)
    assert code == 1
    assert data["contradictory"] is True
    assert data["candidates"]["R1C4"] == "4"


@needs("formats")
def test_inspect_names_a_wrong_digit_of_a_player(harness: Harness, tmp_path: Path) -> None:
    position = tmp_path / "position.txt"
    for digit, code in (("4", 0), ("5", 1)):
        position.write_text(f":0000:x:+{digit}{SEED_0[1:]}:::\n")
        ended = harness("inspect", position)
        assert ended[0] == code
        wrong = f"placed: {digit} at R1C1, but the solution has 4"
        assert [wrong in ended[1], "no contradiction" in ended[1]] == [code == 1, code == 0]
