"""`harness datasets rate` and `raters`: ratings of the difficulty of puzzles."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Annotated, Final

from harness.base.errors import InputError, OptionError, PuzzleError
from harness.base.interruption import interruptible
from harness.base.text import number_of, printable
from harness.cli import lazy
from harness.cli.completers import Value
from harness.cli.datasets.files import report
from harness.cli.datasets.options import (
    NodesOption,
    OnError,
    OnErrorOption,
    PuzzlesArgument,
    ReadingOptions,
    ToOption,
    format_to_write,
    warn,
)
from harness.cli.options import (
    WRITTEN,
    JsonOption,
    ShapeOption,
    number_option,
    show_json,
    value_option,
)
from harness.cli.terminal import show, theme_of, wrapped
from harness.extensions.reasoning.raters import (
    Rater,
    listed,
    rater_named,
    rating_of,
    text_of_rating,
)
from harness.puzzles.datasets import address_of
from harness.puzzles.formats import FIELDS, Conversion, Format, ParsedPuzzle, convert, loadable
from harness.report import Style

_GUESSES: Final = "guesses"
_SCRAMBLES: Final = 10
_NODES: Final = 1_000_000


def rater_names() -> Iterator[Value]:
    """Raters by name."""
    return ((rater.name, rater.meaning) for rater in listed())


def rate(
    dataset: PuzzlesArgument,
    out: Annotated[
        str,
        value_option(
            "--out",
            "FILE",
            "The file to write, or - for standard output; .gz, .zip or .zst compresses it.",
        ),
        WRITTEN,
    ],
    by: Annotated[
        str,
        value_option(
            "--by",
            "NAME",
            "The rater: a name of harness datasets raters, or a command file FILE.toml.",
            completer=rater_names,
        ),
    ] = _GUESSES,
    to: ToOption = None,
    scrambles: Annotated[
        int,
        number_option(
            "--scrambles", "Number of scrambles of each puzzle, for guesses.", 1, 100_000
        ),
    ] = _SCRAMBLES,
    seed: Annotated[
        int, number_option("--seed", "Random seed of the scrambles for guesses.", 0)
    ] = 0,
    nodes: NodesOption = _NODES,
    field: Annotated[
        str, value_option("--field", "NAME", "Field of the record with the rating.")
    ] = "rating",
    shape: ShapeOption = None,
    on_error: OnErrorOption = OnError.STOP,
) -> None:
    """Rate puzzles, by default by the guesses of a search, on average over scrambles.

    The search applies naked and hidden singles and looks for two solutions. The rating is the
    same on every machine; the rest of each record stays as it is. harness datasets raters lists
    other raters.
    """
    target_format = format_to_write(out, to)
    _require_field(target_format, field)
    read = address_of(dataset).restrict(ReadingOptions(shape=shape).dataset(dataset))
    rater = _rater(by, scrambles, seed, nodes)
    skips, done = on_error is OnError.SKIP, Conversion()
    unknown: list[str] = []
    with interruptible("harness.cli.progress"), lazy.counting("rating") as watch:

        def change(puzzles: Iterator[ParsedPuzzle]) -> Iterator[ParsedPuzzle]:
            skip = done.skip if skips else None
            for parsed in _rated(read.change(puzzles), rater, field, skip, unknown):
                watch(parsed)
                yield parsed

        convert(replace(read, change=change), out, target_format, skips, done)
    report(done, target_format)
    if unknown:
        limit = f" within {nodes:,} nodes" if by == _GUESSES else f" by {by}"
        more = len(unknown) - 5
        names = ", ".join(map(printable, unknown[:5])) + (f" and {more:,} more" if more > 0 else "")
        warn(f"rating unknown{limit}: {number_of(len(unknown), 'puzzle')} ({names})")


def raters(as_json: JsonOption = False) -> None:
    """List the raters of harness datasets rate --by, with what their numbers mean."""
    if as_json:
        show_json([*listed()])
        return
    for rater in listed():
        show(wrapped(printable(f"{rater.name}: {rater.meaning or 'unknown'}"), 2, first=0))
        if rater.problem:
            problem = printable(f"unavailable: {rater.problem}")
            show(theme_of().styled(wrapped(problem, 2), Style.BAD))
        for package in rater.others:
            text = f"not used: the rater of this name in the package {package}"
            show(wrapped(printable(text), 2))


def _rater(by: str, scrambles: int, seed: int, nodes: int) -> Rater:
    """The rater called `by`, with the options of `guesses`.

    Raises:
        OptionError: an option of `guesses` is set for another rater.
        InputError: there is no such rater, or it cannot be used.
    """
    if by == _GUESSES:
        from harness.extensions.reasoning.built_in_raters import GuessesRater

        return GuessesRater(scrambles, seed, nodes)
    for flag, value, default in (
        ("--scrambles", scrambles, _SCRAMBLES),
        ("--seed", seed, 0),
        ("--nodes", nodes, _NODES),
    ):
        if value != default:
            fault = f"the rater {by} has no such option"
            raise OptionError(fault, where=flag, expected=f"--by {_GUESSES}")
    return rater_named(by)


def _rated(
    puzzles: Iterator[ParsedPuzzle],
    rater: Rater,
    field: str,
    skip: Callable[[PuzzleError], None] | None,
    unknown: list[str],
) -> Iterator[ParsedPuzzle]:
    """The puzzles with their ratings; a puzzle of unknown rating gets none.

    Args:
        puzzles: the puzzles.
        rater: rates them.
        field: the field of a record that gets the rating.
        skip: receives the error of each puzzle that cannot be rated, which is left out; if None,
            the error is raised.
        unknown: gets the names of the puzzles of unknown rating.

    Raises:
        PuzzleError: a puzzle has the field of the rating already, or cannot be rated.
    """
    for parsed in puzzles:
        if field in parsed.fields:
            raise PuzzleError(
                f"the puzzle already has a field {field!r}",
                where=parsed.place,
                expected="another name for the rating: --field NAME",
            )
        try:
            rating = rating_of(rater, parsed.puzzle)
        except InputError as error:
            problem = PuzzleError(error.what, where=parsed.place, expected=error.expected)
            if skip is None:
                raise problem from error
            skip(problem)
            continue
        if rating is None:
            unknown.append(parsed.name)
            yield parsed
        else:
            yield replace(parsed, fields={**parsed.fields, field: text_of_rating(rating)})


def _require_field(target_format: Format, field: str) -> None:
    """Check that a format keeps the field of the rating.

    Raises:
        OptionError: the format does not keep it, or its name is reserved or not a word.
    """
    if not field.isidentifier() or field.lower() in (*FIELDS, "name", "count", "symbols"):
        raise OptionError(
            f"{field!r} is not a valid name for a rating",
            where="--field",
            expected="a word of letters and digits, such as rating or guesses",
        )
    if field not in target_format.keeps and "fields" not in target_format.keeps:
        able = [format_.name for format_ in loadable() if {"fields", field} & format_.keeps]
        raise OptionError(
            f"the format {target_format.name} does not hold the field {field!r}",
            where="--to",
            expected=f"one of {', '.join(able)}",
        )
