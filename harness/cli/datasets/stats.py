"""`harness datasets stats`: facts about the puzzles of datasets."""

from collections import Counter
from collections.abc import Iterator, Sequence
from enum import StrEnum
from typing import Annotated, Final

import typer

from harness.base.errors import OptionError
from harness.base.interruption import interruptible
from harness.base.text import encodable, printable
from harness.cli import lazy
from harness.cli.completers import datasets as dataset_names
from harness.cli.datasets.options import NodesOption, ReadingOptions, WhereOption, where_of
from harness.cli.folders import OutOption, put
from harness.cli.options import JsonOption, ShapeOption, choice_option
from harness.cli.terminal import theme_of, width, wrapped
from harness.puzzles.datasets import NODES, address_of, remembering

_MOST_ROWS: Final = 60
"""Maximum number of puzzles that a terminal shows with ``--each``; the other formats have all."""


class StatsFormat(StrEnum):
    """Formats of the facts."""

    TEXT = "text"
    CSV = "csv"


def stats(
    datasets: Annotated[
        list[str],
        typer.Argument(
            metavar="DATASET",
            help="Datasets and puzzle files, or puzzles of them such as named/3-7; - for standard "
            "input.",
            autocompletion=dataset_names,
        ),
    ],
    each: Annotated[bool, typer.Option("--each", help="Show a row for each puzzle.")] = False,
    quick: Annotated[
        bool,
        typer.Option(
            "--quick", help="Search nothing: no guesses, minimality, automorphisms, equivalents."
        ),
    ] = False,
    where: WhereOption = None,
    nodes: NodesOption = NODES,
    shape: ShapeOption = None,
    form: Annotated[
        StatsFormat, choice_option(StatsFormat, "--format", "Output format.")
    ] = StatsFormat.TEXT,
    as_json: JsonOption = False,
    out: OutOption = None,
) -> None:
    """Show facts about the puzzles of datasets: clues, expected answers, hardness, duplicates.

    A search finds guesses, minimal puzzles and automorphisms, up to a node limit; what it does
    not decide counts as unknown.
    """
    if as_json and form is StatsFormat.CSV:
        raise OptionError("--format csv and --json", expected="one of them")
    for name, number in Counter(datasets).items():
        if number > 1:
            raise OptionError(f"duplicate dataset {name!r}", expected="each dataset once")
    condition = where_of(where)
    inputs = [ReadingOptions(shape=shape).dataset(name) for name in datasets]
    rows: list[lazy.Facts] = []
    totals = [lazy.Statistics(encodable(name), with_search=not quick) for name in datasets]
    most_canonical = 0 if quick else None
    with (
        interruptible("harness.cli.progress", "harness.puzzles.datasets.canonical"),
        lazy.counting("describing") as watch,
        remembering(most_canonical) as earlier,
    ):
        for name, source, total in zip(datasets, inputs, totals, strict=True):
            address, most = address_of(name), None if quick else nodes
            puzzles, file = address.numbered_puzzles(source, condition), encodable(address.source)
            for facts in lazy.facts_of(encodable(name), puzzles, earlier, most, source=file):
                watch(facts)
                total.add(facts)
                if each:
                    rows.append(facts)
    put(_text_of(rows if each else totals, form, as_json), out)


def _text_of(
    records: "Sequence[lazy.Facts | lazy.Statistics]", form: StatsFormat, as_json: bool
) -> str:
    if as_json:
        return lazy.json(records)
    totals = [record for record in records if isinstance(record, lazy.Statistics)]
    if form is StatsFormat.CSV or not totals:
        rows = [
            {key: _flat(value) for key, value in record.items()} for record in lazy.plain(records)
        ]
        frame = lazy.DataFrame(rows).convert_dtypes()
        if form is StatsFormat.CSV:
            return lazy.csv(frame, exact=("puzzle",))
        return _table(frame)
    return "\n".join("\n".join(_lines(total)) + "\n" for total in totals)


def _flat(value: object) -> object:
    """A value for a cell: lists and objects become text."""
    if isinstance(value, list):
        return " ".join(map(str, value))
    if isinstance(value, dict):
        return " ".join(f"{key}:{number}" for key, number in value.items())
    return value


def _table(frame: "lazy.DataFrame") -> str:
    """The first rows of a frame for a terminal."""
    texts = [k for k in frame if k in ("name", "shape", "expected", "symmetries", "same_as")]
    frame = frame.assign(**{key: frame[key].astype("string").fillna("-") for key in texts})

    def column(key: str) -> "lazy.columns.Column":
        helper = lazy.columns.text if key in ("dataset", *texts) else lazy.columns.count
        helper = lazy.columns.flag if key == "minimal" else helper
        return helper(key, "", key.replace("_", " "))

    wide = [key for key in frame.columns if key in ("puzzle", "solution", "equivalent_to")]
    keys = [key for key in frame.columns if key not in wide]
    more = len(frame) - _MOST_ROWS
    notes = (f"... and {more:,} more puzzles: --format csv",) if more > 0 else ()
    table = lazy.ReportTable("each", "", tuple(map(column, keys)), frame.head(_MOST_ROWS), notes)
    return lazy.text.text([lazy.Section("", (table,))], width(), theme_of())


def _lines(total: "lazy.Statistics") -> Iterator[str]:
    """The facts about a dataset for a terminal."""
    shapes = total.shapes.most_common()
    numbers = ", ".join(f"{shape}: {number:,}" for shape, number in shapes[:8])
    more = f" and {len(shapes) - 8} more shapes" if len(shapes) > 8 else ""
    yield printable(f"{total.dataset}: {total.puzzles:,} puzzles")
    yield _fact("shapes", printable(numbers) + more)
    yield _fact("clues", _quantiles(total.clue_numbers))
    yield _fact(
        "answers",
        f"number of solutions known for {total.expected_counts:,}, "
        f"the solution for {total.solutions:,}",
    )
    yield _fact("duplicates", f"{total.duplicates:,}")
    if total.with_search:
        yield _fact("equivalents", f"{total.equivalents:,}")
    yield _fact("symmetric clues", _share(total.symmetric, total.puzzles))
    if total.pencilmarks:
        yield _fact("pencilmarks", _share(total.pencilmarks, total.puzzles))
    if not total.with_search:
        return
    yield _fact("minimal", _share(total.minimal or 0, total.puzzles, total.minimal_unknown or 0))
    yield _fact(
        "without a guess", _share(total.guesses[0], total.puzzles, total.guesses_unknown or 0)
    )
    if total.guesses:
        yield _fact("guesses", _quantiles(total.guesses))
    yield _fact("automorphisms", f"more than one in {total.automorphic:,} puzzles")


def _fact(name: str, value: str) -> str:
    return wrapped(f"{name:<18}{value}", 20, first=2)


def _share(number: int, total: int, unknown: int = 0) -> str:
    if unknown and unknown == total:
        return "unknown; a greater --nodes may find it"
    text = f"{number:,} ({100 * number / total:.1f} %)" if total else f"{number:,}"
    return f"{text}, unknown for {unknown:,}" if unknown else text


def _quantiles(distribution: "lazy.Distribution") -> str:
    quantile = distribution.quantile
    numbers = {"least": quantile(0), "median": distribution.median, "90 %": quantile(0.9)}
    parts = (numbers | {"most": quantile(1)}).items()
    return ", ".join(f"{name} {n:,}".removesuffix(".0") for name, n in parts if n is not None)
