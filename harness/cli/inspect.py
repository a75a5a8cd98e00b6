"""`harness inspect`: contradictions of puzzles, found without search."""

import typer

from harness.base.text import number_of
from harness.cli import lazy
from harness.cli.options import JsonOption, ShapeOption, SymbolsOption, shape_of
from harness.cli.puzzle_argument import PuzzleArgument, PuzzleSource, headed
from harness.cli.terminal import show, theme_of, wrapped
from harness.puzzles import Instance, Sanity, check
from harness.puzzles.formats import grid_text
from harness.report import Style


def inspect(
    puzzle: PuzzleArgument,
    shape: ShapeOption = None,
    symbols: SymbolsOption = None,
    as_json: JsonOption = False,
) -> None:
    """Show duplicates, candidates and conflicts of a puzzle. Exit code 1: a contradiction.

    inspect examines a puzzle without search and without a backend; solve runs a backend on it.
    It compares digits that a player placed with the givens and with the only solution.
    """
    source = PuzzleSource.parse(puzzle)
    instances = source.read(shape_of(shape), symbols)
    results = [(instance, check(instance.puzzle, instance.fields)) for instance in instances]
    if as_json:
        source.show_json([_document(instance, sanity) for instance, sanity in results])
    else:
        for instance, (_, sanity) in zip(headed(instances), results, strict=True):
            _show(instance, sanity)
    if any(sanity.contradictory for _, sanity in results):
        raise typer.Exit(1)


def _show(instance: Instance, sanity: Sanity) -> None:
    puzzle, theme = instance.puzzle, theme_of()
    problems = set(sanity.problem_cells)

    def style_of(cell: int, symbol: str) -> str:
        return theme.styled(symbol, Style.BAD if cell in problems else Style.GIVEN)

    show(grid_text(puzzle.givens, puzzle.shape, style_of))
    show(f"\n{puzzle.shape}, {number_of(puzzle.clues, 'clue')}, id {puzzle.id}")
    if puzzle.pencilmarks is not None:
        show("pencilmarks restrict its candidates: harness datasets show draws them")
    blanks = [
        values for clue, values in zip(puzzle.givens, sanity.candidates, strict=True) if not clue
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


def _document(instance: Instance, sanity: Sanity) -> object:
    puzzle, name = instance.puzzle, instance.puzzle.shape.cell_name
    return lazy.Inspected.about(
        instance,
        clues=puzzle.clues,
        contradictory=sanity.contradictory,
        duplicates=sanity.duplicates,
        no_candidates=[*map(name, sanity.dead_cells)],
        conflicts=sanity.conflicts,
        unmet=sanity.unmet,
        wrong_digits=sanity.wrong_digits,
        candidates={
            name(cell): puzzle.shape.symbols(values)
            for cell, values in enumerate(sanity.candidates)
            if not puzzle.givens[cell]
        },
    )
