"""`harness inspect`: contradictions of a puzzle, found without search."""

import json

import typer

from harness.cli.options import JsonOption, shape_of
from harness.cli.puzzle_argument import PuzzleArgument, read_puzzle
from harness.cli.sweep_options import ShapeOption
from harness.puzzles.check import Sanity, check
from harness.puzzles.formats import boxed
from harness.puzzles.puzzle import Puzzle
from harness.puzzles.symbols import symbol_of


def inspect(puzzle: PuzzleArgument, shape: ShapeOption = None, as_json: JsonOption = False) -> None:
    """Show duplicates, candidates and conflicts of a puzzle. Exit code 1: a contradiction."""
    instance = read_puzzle(puzzle, shape_of(shape))
    sanity = check(instance.puzzle)
    if as_json:
        typer.echo(json.dumps(_data(instance.puzzle, sanity), indent=2))
    else:
        _show(instance.puzzle, sanity)
    if sanity.contradictory:
        raise typer.Exit(1)


def _show(puzzle: Puzzle, sanity: Sanity) -> None:
    typer.echo(boxed(puzzle.givens, puzzle.shape))
    typer.echo(f"\n{puzzle.shape}, {puzzle.clues} givens, id {puzzle.id}")
    blanks = [
        values for given, values in zip(puzzle.givens, sanity.candidates, strict=True) if not given
    ]
    singles = sum(1 for values in blanks if len(values) == 1)
    if blanks:
        mean = sum(map(len, blanks)) / len(blanks)
        typer.echo(f"{len(blanks)} blanks, {mean:.1f} candidates on average, {singles} with one")
    for finding in sanity.findings():
        typer.echo(finding)
    if not sanity.contradictory:
        typer.echo("no contradiction found without search")


def _data(puzzle: Puzzle, sanity: Sanity) -> dict[str, object]:
    name = puzzle.shape.cell_name
    return {
        "puzzle": puzzle.line,
        "puzzle_id": puzzle.id,
        "shape": puzzle.shape.spec,
        "clues": puzzle.clues,
        "contradictory": sanity.contradictory,
        "duplicates": [
            {"house": str(d.house), "value": symbol_of(d.value), "cells": [*map(name, d.cells)]}
            for d in sanity.duplicates
        ],
        "no_candidates": [name(cell) for cell in sanity.dead_cells],
        "conflicts": [
            {"house": str(c.house), "value": symbol_of(c.value), "cells": [*map(name, c.cells)]}
            for c in sanity.conflicts
        ],
        "candidates": {
            name(cell): "".join(map(symbol_of, values))
            for cell, values in enumerate(sanity.candidates)
            if not puzzle.givens[cell]
        },
    }
