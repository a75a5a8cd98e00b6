"""`harness inspect`: contradictions of puzzles, found without search."""

import typer

from harness.cli.options import JsonOption, shape_of
from harness.cli.puzzle_argument import PuzzleArgument, is_several, read_puzzles
from harness.cli.sweep_options import ShapeOption
from harness.cli.terminal import show, theme_of, wrapped
from harness.puzzles.catalogue import Instance
from harness.puzzles.formats import boxed
from harness.puzzles.sanity import Sanity, check
from harness.puzzles.symbols import symbol_of
from harness.report.style import Style
from harness.text import number_of


def inspect(puzzle: PuzzleArgument, shape: ShapeOption = None, as_json: JsonOption = False) -> None:
    """Show duplicates, candidates and conflicts of a puzzle. Exit code 1: a contradiction."""
    inspected = [(it, check(it.puzzle)) for it in read_puzzles(puzzle, shape_of(shape))]
    if as_json:
        from harness.report.render.json import json

        documents = [_data(instance, sanity) for instance, sanity in inspected]
        show(json(documents if is_several(puzzle) else documents[0]), end="")
    else:
        for number, (instance, sanity) in enumerate(inspected):
            if len(inspected) > 1:
                show(f"{chr(10) * bool(number)}{instance.name}\n")
            _show(instance, sanity)
    if any(sanity.contradictory for _, sanity in inspected):
        raise typer.Exit(1)


def _show(instance: Instance, sanity: Sanity) -> None:
    puzzle, theme = instance.puzzle, theme_of()
    problems = set(sanity.problem_cells)

    def styled(cell: int, symbol: str) -> str:
        return theme.styled(symbol, Style.BAD if cell in problems else Style.GIVEN)

    show(boxed(puzzle.givens, puzzle.shape, styled))
    show(f"\n{puzzle.shape}, {number_of(puzzle.clues, 'clue')}, id {puzzle.id}")
    if puzzle.pencilmarks is not None:
        show("pencilmarks restrict its candidates: harness datasets show draws them")
    blanks = [
        values for given, values in zip(puzzle.givens, sanity.candidates, strict=True) if not given
    ]
    singles = sum(1 for values in blanks if len(values) == 1)
    if blanks:
        mean = sum(map(len, blanks)) / len(blanks)
        about = f"{len(blanks)} blanks, {mean:.1f} candidates on average, {singles} with one"
        show(wrapped(about, 0))
    for finding in sanity.findings():
        show(theme.styled(finding, Style.BAD))
    if not sanity.contradictory:
        show("no contradiction found without search")


def _data(instance: Instance, sanity: Sanity) -> object:
    from harness.documents.puzzles import Inspected, Problem

    puzzle, name = instance.puzzle, instance.puzzle.shape.cell_name
    return Inspected(
        name=instance.name,
        puzzle=puzzle.line,
        puzzle_id=puzzle.id,
        shape=puzzle.shape.definition,
        clues=puzzle.clues,
        contradictory=sanity.contradictory,
        duplicates=[
            Problem(house=str(d.house), value=symbol_of(d.value), cells=[*map(name, d.cells)])
            for d in sanity.duplicates
        ],
        no_candidates=[name(cell) for cell in sanity.dead_cells],
        conflicts=[
            Problem(house=str(c.house), value=symbol_of(c.value), cells=[*map(name, c.cells)])
            for c in sanity.conflicts
        ],
        candidates={
            name(cell): "".join(map(symbol_of, values))
            for cell, values in enumerate(sanity.candidates)
            if not puzzle.givens[cell]
        },
    )
