"""Tables and numbers of the documentation against the declarations that they repeat."""

import re
import subprocess
import sys
import tomllib
from dataclasses import fields
from enum import StrEnum
from importlib import import_module
from inspect import isclass
from pathlib import Path
from pkgutil import resolve_name

import pytest

import harness
from harness.analysis.comparison import Comparison
from harness.analysis.measures.inference import Criterion
from harness.analysis.measures.measure import MEASURES
from harness.base.errors import HarnessError
from harness.contract import registry
from harness.contract.command import CommandFile
from harness.contract.library import LibraryFile
from harness.extensions.conformance import SHAPES, cases
from harness.extensions.conformance.series import VARIED, few_questions, series_of
from harness.extensions.conformance.shapes import BRIEF_SHAPES
from harness.extensions.page import trend_of_report as trend_tables
from harness.extensions.page.charts.catalogue import CHARTS
from harness.extensions.page.trend_tables import TREND_MEASURES
from harness.puzzles.datasets.catalogue import listings
from harness.puzzles.shape import VARIANTS, Shape
from harness.records.folder.record import INSTALL
from harness.records.question import Start, Task, Verdict
from harness.runs.sweep import Sweep, options_of

PROJECT = Path(__file__).resolve().parents[2]
CORE = ["native", "cpsat", "milp", "cnf"]


def page(name: str) -> str:
    """The text of a page of docs/ in one line."""
    return " ".join((PROJECT / "docs" / f"{name}.md").read_text().split())


def table(path: str, heading: str) -> list[list[str]]:
    """The rows of the first table that has `heading` as its first column title."""
    lines = (PROJECT / path).read_text().splitlines()
    starts = [n for n, line in enumerate(lines) if line.startswith(f"| {heading} |")]
    assert starts, f"{path}: no table of {heading}"
    rows = []
    for line in lines[starts[0] + 2 :]:
        if not line.startswith("|"):
            break
        rows.append([cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]])
    return rows


def code_words(cells: list[str]) -> list[str]:
    """The words in back quotes of these cells."""
    return [word for cell in cells for word in re.findall(r"`([^`]+)`", cell)]


def first(path: str, heading: str) -> list[str]:
    """The words in back quotes of the first column of a table."""
    return code_words([row[0] for row in table(path, heading)])


def values(kind: type[StrEnum]) -> set[str]:
    return {str(value) for value in kind}


DATASETS = {listing.path.name for listing in listings()}
EXTRAS = tomllib.loads((PROJECT / "pyproject.toml").read_text())["project"]["optional-dependencies"]


@pytest.mark.parametrize(
    ("path", "heading", "names"),
    [
        ("docs/measurement.md", "verdict", values(Verdict)),
        ("docs/tables.md", "`--table`", list(MEASURES)),
        ("docs/comparisons.md", "table", [layout.name for layout in Comparison.LAYOUTS]),
        ("docs/html-report.md", "name", [kind.name for kind in CHARTS]),
        ("docs/comparisons.md", "`--measure`", list(TREND_MEASURES)),
        ("docs/comparisons.md", "trend table", list(trend_tables.TABLES)),
        ("docs/puzzle-formats.md", "variant", list(VARIANTS)),
        ("docs/programs.md", "key", {field.name for field in fields(CommandFile)}),
        ("docs/programs.md", "key of a library file", list(LibraryFile.__annotations__)),
        ("datasets/README.md", "file", {"catalogue.toml", "public.toml", *DATASETS}),
        ("docs/performance.md", "extra", {f"[{name}]" for name in EXTRAS}),
    ],
)
def test_a_table_is_complete(path: str, heading: str, names: list[str] | set[str]) -> None:
    """In the order of the declarations, where they have one."""
    column = first(path, heading)
    assert (set(column) if isinstance(names, set) else column) == names


def test_there_are_nine_verdicts() -> None:
    assert len(Verdict) == 9
    assert "a closed set of verdicts | nine;" in page("measurement")


def test_the_table_of_options_has_all_options_of_a_sweep() -> None:
    rows = table("docs/sweeps.md", "option")
    flags = [code_words([row[0]])[0] for row in rows]
    options = {str(option.flag) for option in options_of(Sweep).values()}
    assert options <= set(flags)
    defaults = {flag: row[2].strip("`") for flag, row in zip(flags, rows, strict=True)}
    expected = {"max_solutions": "2", "repeat": "1", "timeout": "10", "seed": "0"}
    for name, default in expected.items():
        assert defaults[f"--{name.replace('_', '-')}"] == default
        assert f"{getattr(Sweep, name):g}" == default
    for kind, flag in ((Task, "--task"), (Start, "--start")):
        meaning = next(row[1] for row in rows if f"`{flag}`" in row[0])
        assert values(kind) <= set(code_words([meaning]))


def test_every_option_of_the_command_is_in_the_table() -> None:
    command = [sys.executable, "-m", "harness", "run", "--help"]
    text = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    flags = set(re.findall(r"^ +(?:-\w, )?(--[a-z-]+)", text, re.MULTILINE)) - {"--help"}
    options = set(first("docs/sweeps.md", "option"))
    assert flags <= options, sorted(flags - options)


def test_the_table_of_errors_has_every_error() -> None:
    rows = [word for word in first("docs/python-api.md", "error") if word.endswith("Error")]
    public = [getattr(harness, name) for name in harness.__all__]
    errors = {e.__name__ for e in public if isclass(e) and issubclass(e, HarnessError)}
    assert set(rows) == errors - {"HarnessError"}


def test_the_tables_of_backends_have_every_built_in_backend() -> None:
    text = (PROJECT / "docs" / "backends.md").read_text()
    further = text[text.index("## Further backends") :].partition("\n\n*Cold*")[0]
    names = first("docs/backends.md", "backend")
    for line in further.splitlines():
        names += re.findall(r"`([\w-]+)`", line.split("|")[1]) if line.startswith("| `") else []
    assert sorted(names) == sorted(registry.names())
    assert set(CORE) <= set(names)
    # "Two dozen more come with an extra": all but the core backends, native-jit and the articles.
    articles = [name for name in names if name.startswith("article-")]
    assert 22 <= len(names) - len(articles) - len(CORE) - 1 <= 26


def test_the_table_of_keys_of_a_command_file_has_the_defaults() -> None:
    defaults = {field.name: field.default for field in fields(CommandFile)}
    column = {row[0].strip("`"): row[2].strip("`") for row in table("docs/programs.md", "key")}
    assert column["blank"] == f'"{defaults["blank"]}"'
    assert column["batch"] == str(defaults["batch"]).lower()
    assert column["complete"] == str(defaults["complete"]).lower()


@pytest.mark.parametrize("name", first("docs/puzzle-formats.md", "name"))
def test_the_named_shapes_exist(name: str) -> None:
    shape = Shape.parse(name)
    assert name in (shape.spec, shape.definition)


def test_sizes_and_boxes_are_as_stated() -> None:
    assert "every other non-prime size up to 100" in page("puzzle-formats")
    for size in range(4, 101):
        if all(size % n for n in range(2, size)):
            with pytest.raises(HarnessError):
                Shape.parse(f"{size}x{size}")
        else:
            assert Shape.parse(f"{size}x{size}").box is not None
    assert "2 rows and 3 columns for `6x6`, 3 and 4 for `12x12`" in page("puzzle-formats")
    assert Shape.parse("6x6").box == (2, 3)
    assert Shape.parse("12x12").box == (3, 4)


def test_the_suite_has_twenty_thousand_questions() -> None:
    assert "twenty thousand questions" in page("adding-a-backend")
    single = sum(len(list(cases(Shape.parse(shape)))) for shape in SHAPES)
    series = sum(len(list(s.cases)) for shape in SHAPES for s in series_of(shape))
    brief = sum(len(list(few_questions((s,), pencilmarks=True).cases)) for s in BRIEF_SHAPES)
    again = len(list(few_questions((*SHAPES, *BRIEF_SHAPES), VARIED).cases))
    assert 19_500 <= single + series + brief + again <= 21_000


NUMBERS = (
    ("sweeps", "up to {:,} puzzles of one dataset and shape in one call", "runs.plan.BATCH"),
    ("html-report", "Up to {:,} trials are listed one by one", "extensions.page.data.MOST"),
    ("html-report", "More than {:,} failures are thinned", "extensions.page.data._MOST_FAILURES"),
    ("html-report", "one of the {} slowest answers", "extensions.page.data._SLOWEST"),
    ("html-report", "at most {:,} table rows", "extensions.page.document._ROWS"),
    ("html-report", "at most {} per table", "extensions.page.document._MOST_ROWS_EACH"),
    ("html-report", "at least four densities", "extensions.page.charts.density.FEWEST_BINS"),
    ("html-report", "more than {:g} times its CPU", "extensions.page.run_page.WAITING_RATIO"),
    ("html-report", "each pair of up to six backends", "extensions.page.charts.scatter._ALL_PAIRS"),
    ("tables", "the first {} rows of a table", "report.render.text.MOST_LINES"),
    ("tables", "with {:,} resamples", "analysis.measures.inference.Criterion.RESAMPLES"),
    ("comparisons", "the five instances with the largest", "analysis.changes.MOST_CHANGED"),
    ("tables", "names of more than {} characters", "base.text.LONGEST"),
    ("statistics", "weight of three runs", "extensions.page.trend_tables.RUN_NOISE_WEIGHT"),
)


@pytest.mark.parametrize(("name", "sentence", "path"), NUMBERS)
def test_a_number_of_a_page_is_that_of_the_source(name: str, sentence: str, path: str) -> None:
    words = {"three": 3, "four": 4, "five": 5, "six": 6}
    value = resolve_name(f"harness.{path}")
    numerals = [word for word in words if f" {word} " in f" {sentence} "]
    if numerals:
        assert value == words[numerals[0]]
    assert sentence.format(value) in page(name)


def test_the_conditions_of_a_difference_are_as_stated() -> None:
    least_p, factor = f"{Criterion.ALPHA:g}", f"a factor of {Criterion.MEANINGFUL:g} or more"
    assert f"p (Holm) < {least_p} and {factor}" in page("tables")
    assert f"{factor}, with p < {least_p}" in page("statistics")
    # The least p of Wilcoxon's test over n instances is 2 / 2^n; Holm multiplies the first.
    for pairs, least in ((1, 8), (6, 11)):
        assert pairs * 2 / 2**least < Criterion.ALPHA <= pairs * 2 / 2 ** (least - 1)
    words = "two backends need 8 instances or more, four backends (six pairs) 11 or more"
    assert words in page("tables")


def test_the_reference_run_is_as_stated() -> None:
    run = harness.load(PROJECT / "results" / "reference")
    assert "`seeds`, `named` and `transition` on the four core backends" in page("html-report")
    assert "with cold and warm starts and three repetitions" in page("html-report")
    assert set(run.trials["dataset"]) == {"seeds", "named", "transition"}
    assert set(run.backends) == set(CORE)
    assert set(run.trials["start"]) == {"cold", "warm"}
    assert set(run.trials["repetition"]) == {1, 2, 3}


@pytest.mark.parametrize(
    ("sweep", "page"), [("phase-transition", "generating-puzzles"), ("articles", "backends")]
)
def test_a_sweep_is_that_of_its_page(sweep: str, page: str) -> None:
    text = (PROJECT / "docs" / f"{sweep}.toml").read_text()
    assert f"```toml\n{text}```" in (PROJECT / "docs" / f"{page}.md").read_text()


def test_the_clauses_of_cnf_are_as_many_as_stated() -> None:
    cells, houses, size = 81, 27, 9
    pairs = size * (size - 1) // 2
    minimal = cells + houses * size * pairs  # a value in each cell; no value twice in a house
    larger = minimal + cells * pairs + houses * size  # and the converses
    assert f"{minimal:,} and {larger:,} clauses" in page("backends")
    at_most_one = cells + houses * size
    assert f"{at_most_one} of them replace {at_most_one * pairs:,} clauses" in page("backends")


def test_the_installation_of_parquet_needs_no_registry_that_has_the_harness() -> None:
    assert INSTALL == 'pip install "pyarrow>=16"'
    project = (PROJECT / "pyproject.toml").read_text()
    assert 'parquet = ["pyarrow>=16"]' in project
    for path in ("README.md", "docs/reference/machine-output.md"):
        text = (PROJECT / path).read_text()
        assert f"`{INSTALL}`" in text
        assert "sudoku-harness[" not in text


UNITS = {"ms": 1e-3, "s": 1, "%": 1e-2, "bytes": 1, "KiB": 2**10, "MiB": 2**20, "": 1}


def numbers_in(text: str) -> list[float]:
    """The numbers of a text in seconds, bytes or without a unit: ``5 ms and 1 %``."""
    quantities = re.findall(r"([\d.,]*\d)(?: (ms|s|%|bytes|KiB|MiB)\b| (%))?", text)
    return [float(n.replace(",", "")) * UNITS[unit or percent] for n, unit, percent in quantities]


@pytest.mark.parametrize(
    "row", table("docs/threat-model.md", "constant"), ids=lambda row: row[0].replace(" ", "-")[:40]
)
def test_constants_of_the_threat_model_are_those_of_their_modules(row: list[str]) -> None:
    _, value, module = row
    constants = [
        value
        for value in vars(import_module(module.strip("`"))).values()
        if isinstance(value, int | float) and not isinstance(value, bool)
    ]
    expected = numbers_in(value)
    assert expected
    for number in expected:
        assert any(constant == pytest.approx(number) for constant in constants), number
