"""A program that examines a backend in its own process and prints the breaches as JSON.

Some solver libraries cannot share a process.

    python examined.py SPEC SHAPE ...
"""

import json
import sys
from typing import Any

from harness.contract import Backend, Unavailable, Unsupported
from harness.contract.options import parse_specs
from harness.contract.registry import load_backend
from harness.extensions.conformance import Examination
from harness.puzzles import House, Puzzle, Shape


def main(text: str, *shapes: str) -> None:
    (spec,) = parse_specs(text)
    try:
        kind, options = load_backend(spec.locator, spec.settings)
    except Unavailable as error:
        print(json.dumps({"unavailable": error.reason}))
        return
    with Examination(kind, options, shapes) as examination:
        findings = [examination.examine(part) for part in examination.parts()]
    breaches = [str(breach) for finding in findings for breach in finding.breaches]
    diagonals = (House("diagonal", 1, (0, 5, 10, 15)), House("diagonal", 2, (3, 6, 9, 12)))
    shape = Shape("4x4 with diagonals", 4, (*Shape.parse("4x4").houses, *diagonals))
    try:
        print(json.dumps({"breaches": breaches + other_houses(kind(shape, options))}))
    except Unsupported:
        print(json.dumps({"breaches": breaches}))


def other_houses(backend: Backend[Any]) -> list[str]:
    """Faults on 4x4 with diagonals: two solutions begin with 1234, and 1134 has none."""
    two, none = (Puzzle(backend.shape, (*row, *[0] * 12)) for row in ((1, 2, 3, 4), (1, 1, 3, 4)))
    faults = []
    for puzzle, expected in ((two, 2), (none, 0)):
        count = backend.count(puzzle, 9)
        honest = backend.complete or (not count.exact and count.number <= expected)
        if not (count.number == expected and count.exact) and not (honest and not backend.complete):
            faults.append(
                f"{puzzle.line}: {count.number}, exact={count.exact}, expected {expected}"
            )
    return faults


if __name__ == "__main__":
    main(*sys.argv[1:])
