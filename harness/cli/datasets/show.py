"""`harness datasets` and `harness datasets show`: the catalogue, and puzzles drawn with facts."""

from collections.abc import Callable, Iterator
from itertools import zip_longest
from pathlib import Path
from typing import Annotated, Final

import typer

from harness.base.errors import OptionError
from harness.base.plugins import load_view
from harness.base.text import encodable, number_of, printable
from harness.cli import lazy
from harness.cli.folders import put_drawing
from harness.cli.options import WRITTEN, JsonOption, ShapeOption, shape_of, show_json, value_option
from harness.cli.puzzle_argument import PuzzleArgument, PuzzleSource
from harness.cli.terminal import aligned, show, theme_of, width, wrapped
from harness.puzzles import (
    Grid,
    Instance,
    Shape,
    constraints_in_words,
    draw,
    features_in_words,
    values_of_line,
    width_of,
)
from harness.puzzles.datasets import Listing, PublicSet, find, listings, public_sets, read_instances
from harness.puzzles.formats import ReadSettings
from harness.report import Style

# `harness datasets`: the datasets of the catalogue.


AllOption = Annotated[
    bool, typer.Option("--all", help="Describe every dataset: shapes, origin, licence, counts.")
]


def list_(everything: AllOption = False, as_json: JsonOption = False) -> None:
    """List the shipped datasets and those you imported. Any puzzle file is a dataset too."""
    if as_json:
        show_json(listings())
        return
    if everything:
        for listing in listings():
            show_listing(listing)
        return
    every = listings()
    number = number_of(len(every), "dataset")
    next_steps = "draws its first puzzle; harness datasets fetch lists public sets"
    show(wrapped(f"{number}; harness datasets NAME describes one and {next_steps}", 0))
    rows = [
        (listing.name, f"{listing.puzzles:7,}", printable(listing.problem or listing.title))
        for listing in every
    ]
    show(aligned([("dataset", "puzzles", "content"), *rows]))


def show_listing(listing: Listing) -> None:
    """Print the entry of a dataset."""
    if listing.fault:
        show(wrapped(f"{listing.name}:", 2, first=0))
    else:
        facts = [f"{listing.puzzles:,} puzzles, {', '.join(listing.shapes)}"]
        facts.append(f"origin: {listing.origin}")
        if listing.licence:
            facts.append(f"licence: {listing.licence}")
        public_set = public_sets().get(listing.name)
        if public_set is None or listing.expected_count != "unknown":
            facts.append(f"number of solutions: {listing.expected_count}")
        _show_entry(listing.name, listing.title, facts, public_set)
    if problem := listing.problem:
        show(theme_of().styled(wrapped(printable(problem), 2), Style.BAD))


def show_public(entry: PublicSet) -> None:
    """Print the entry of a public set that is not fetched."""
    number = f"{entry.puzzles:,} puzzles" if entry.puzzles else "an unknown number of puzzles"
    facts = [f"{number}, {', '.join(entry.shapes)}", f"address: {entry.address}"]
    _show_entry(entry.name, entry.title, [*facts, f"licence: {entry.licence}"], entry)
    show(wrapped(f"not fetched: harness datasets fetch {entry.name}", 2))


def _show_entry(name: str, title: str, facts: list[str], public_set: PublicSet | None) -> None:
    """Print the title and facts of a dataset, and what is known about it as a public set."""
    show(wrapped(printable(f"{name}: {title}"), 2, first=0))
    for fact in facts:
        show(wrapped(printable(fact), 2))
    if public_set is not None:
        for fact in (*public_set.facts, f"files: {public_set.verified}"):
            show(wrapped(fact, 4, first=2))


# `harness datasets show`: a puzzle drawn in the terminal or as SVG, with its facts.


_NODES: Final = 1_000_000
"""The node limit of the search for a solution and for facts."""


def show_(
    puzzle: PuzzleArgument,
    shape: ShapeOption = None,
    solution: Annotated[
        bool, typer.Option("--solution", help="Draw the solution beside or below the puzzle.")
    ] = False,
    drawing: Annotated[
        Path | None,
        value_option("--svg", "FILE", "Draw one puzzle into this file as SVG."),
        WRITTEN,
    ] = None,
) -> None:
    """Draw a puzzle and show its properties. For a dataset, show its entry and first puzzle."""
    source = PuzzleSource.parse(puzzle)
    instances = list(_instances(source, shape_of(shape)))
    if drawing is not None and len(instances) != 1:
        name = source.address.source if source.address else puzzle
        expected = f"one puzzle, such as {name}/1"
        raise OptionError(f"{len(instances)} puzzles", where="--svg", expected=expected)
    for number, instance in enumerate(instances):
        grid, remark = _solution_of(instance) if solution else (None, "")
        if drawing is not None:
            image = load_view("puzzle.svg")(instance.puzzle, grid, encodable(instance.name))
            put_drawing(image, drawing, instance.name)
        show("\n" if number else "", end="")
        _draw(instance, grid, remark)


def _instances(source: PuzzleSource, shape: Shape | None) -> Iterator[Instance]:
    """The puzzles to draw, after the entry of a whole dataset."""
    text, address = source.text, source.address
    if text == "-" or address is None or address.selection:
        yield from source.read(shape)
        return
    entries = [listing for listing in listings() if listing.name == text]
    if not entries and text in public_sets():
        show_public(public_sets()[text])
        return
    instances = read_instances(find(text), ReadSettings(shape))
    first = next(instances)
    rest = sum(1 for _ in instances) if not entries else 0
    for listing in entries:
        show_listing(listing)
        for command in listing.commands:
            show(wrapped(f"command: {command}", 4, first=2))
        show(f"\n{text}/1:\n")
    if rest:
        show(f"{text}: {rest + 1:,} puzzles\n\n{text}/1:\n")
    yield first


def _solution_of(instance: Instance) -> tuple[Grid | None, str]:
    """The solution that the file gives or a search finds, if any, and how it is known."""
    expected = instance.expected_count
    if expected is not None and expected.solution is not None:
        return values_of_line(expected.solution), "solution: the file gives it"
    result = lazy.solver_of(instance.puzzle.shape).search_puzzle(instance.puzzle, 2, _NODES)
    if result.solution is None:
        remark = "no solution" if result.exact else "no solution found within the node limit"
    elif result.number > 1:
        remark = "solution: one of several"
    else:
        remark = "solution: the only one" if result.exact else "solution: perhaps not the only one"
    return result.solution, remark


def _draw(instance: Instance, solution: Grid | None, remark: str) -> None:
    puzzle, theme = instance.puzzle, theme_of()

    def style_of(blank: Style) -> Callable[[int, str], str]:
        return lambda cell, text: theme.styled(text, Style.GIVEN if puzzle.givens[cell] else blank)

    lines = draw(puzzle, unicode=theme.unicode, style=style_of(Style.QUIET))
    if solution is not None:
        right = draw(puzzle, solution, unicode=theme.unicode, style=style_of(Style.FOUND))
        gap = "    "
        if width_of(puzzle) + len(gap) + width_of(puzzle, solution) <= width():
            rows = zip_longest(lines, right, fillvalue="")
            lines = [f"{line}{gap}{other}".rstrip() for line, other in rows]
        else:
            lines += ["", *right]
    show("\n".join(lines))
    show()
    for fact in _facts(instance, remark):
        show(wrapped(printable(fact), 2, first=0))


def _facts(instance: Instance, remark: str) -> Iterator[str]:
    puzzle = instance.puzzle
    features = lazy.features_of(puzzle, _NODES)
    yield f"{instance.name}: {puzzle.shape}, {number_of(puzzle.clues, 'clue')}, id {puzzle.id}"
    yield from features_in_words(puzzle.shape)
    yield from constraints_in_words(puzzle.shape)
    if puzzle.pencilmarks is not None:
        yield "pencilmarks restrict its candidates"
    if instance.expected_count is not None:
        yield f"expected: {instance.expected_count}"
    if instance.source is not None:
        yield f"source: {instance.source}"
    yield from (f"{name}: {value}" for name, value in instance.fields.items())
    if remark:
        yield remark
    yield f"{features.candidates} candidates in blank cells"
    guesses = features.guesses
    yield f"guesses: {'unknown within the node limit' if guesses is None else f'{guesses:,}'}"
    minimal = {True: "yes", False: "no", None: "unknown within the node limit"}
    yield f"minimal: {minimal[lazy.is_minimal(puzzle, _NODES // max(1, puzzle.clues))]}"
    if features.symmetries:
        yield f"symmetries of the clues: {', '.join(features.symmetries)}"
    if features.automorphisms is not None and features.automorphisms > 1:
        yield f"automorphisms: {features.automorphisms}"
