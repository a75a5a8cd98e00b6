"""`harness inspect`: contradictions of puzzles."""

import json
from collections.abc import Callable

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
