"""Traces of searches, and hints."""

from typing import Annotated

from harness.documents.document import Document, says


class CandidateData(Document):
    """A candidate of a cell."""

    cell: Annotated[str, says("Name of the cell, for instance `R1C2`.")]
    value: Annotated[str, says("The symbol.")]


class EventData(Document):
    """An event of a search. Keys that the kind of event does not have are null or empty."""

    kind: Annotated[
        str, says("`assigned`, `eliminated`, `options`, `dead end`, `reset` or `solved`.")
    ]
    branch: Annotated[
        str, says("Name of the node: `total` for the puzzle, `total12` after two guesses.")
    ]
    cells: Annotated[
        list[str], says("Cells that are assigned, branched at, without a candidate or reset.")
    ]
    value: Annotated[str | None, says("Value that is assigned.")]
    options: Annotated[
        list[str], says("Values of a cell at which the search branches, in their order.")
    ]
    number: Annotated[
        int | None, says("Number of values that an assigned cell could have; 1 by a rule.")
    ]
    rule: Annotated[
        str | None,
        says("Rule of a conclusion, or of one that ends in a dead end; otherwise null."),
    ]
    removed: Annotated[list[CandidateData], says("Candidates that a rule removes.")]
    solution: Annotated[str | None, says("Solution as a line.")]
    words: Annotated[str, says("The event in words, with the reason of a conclusion.")]


class Traced(Document):
    """The trace of a search; for a range of puzzles a list of such objects."""

    name: Annotated[str, says("Name of the puzzle in its file; otherwise its id.")]
    puzzle: Annotated[str, says("Givens as a line, `.` for a blank.")]
    puzzle_id: Annotated[str, says("Digest of houses and givens.")]
    shape: Annotated[str, says("Name of the shape.")]
    task: Annotated[str, says("`solve` or `count`.")]
    limit: Annotated[int | None, says("Number of solutions at which `count` stops.")]
    backend: Annotated[str, says("Backend with its options.")]
    verdict: Annotated[str, says("`solved`, `unsatisfiable`, `counted`, `unknown` or `timeout`.")]
    solution: Annotated[str | None, says("First solution as a line.")]
    count: Annotated[int, says("Number of solutions found.")]
    exact: Annotated[bool, says("Whether `count` is the number of all solutions.")]
    nodes: Annotated[int, says("Boards visited.")]
    guesses: Annotated[int, says("Boards at which the search branched.")]
    dead_ends: Annotated[int, says("Boards without a solution.")]
    conclusions: Annotated[dict[str, int], says("Number of conclusions of each rule.")]
    events: Annotated[list[EventData], says("The events, in their order.")]
    left_out: Annotated[int, says("Number of further events, beyond `--trace-limit`.")]


class HintData(Document):
    """A conclusion of a rule."""

    rule: Annotated[str, says("Name of the rule.")]
    cell: Annotated[str | None, says("Cell that has a value; null if candidates are removed.")]
    value: Annotated[str | None, says("That value.")]
    removed: Annotated[list[CandidateData], says("Candidates that are part of no solution.")]
    cells: Annotated[list[str], says("Cells whose candidates make the conclusion hold.")]
    words: Annotated[str, says("The conclusion with its reason.")]


class Hinted(Document):
    """The next step for one puzzle; for a range of puzzles a list of such objects."""

    name: Annotated[str, says("Name of the puzzle in its file; otherwise its id.")]
    puzzle: Annotated[str, says("Givens as a line, `.` for a blank.")]
    puzzle_id: Annotated[str, says("Digest of houses and givens.")]
    shape: Annotated[str, says("Name of the shape.")]
    state: Annotated[str, says("`hint`, `solved`, `contradictory` or `no rule applies`.")]
    rules: Annotated[list[str], says("The rules that were tried, the simplest first.")]
    hints: Annotated[
        list[HintData], says("One hint, or with `--all` those of the same rule; else empty.")
    ]
