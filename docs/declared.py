"""The parts of the documentation that are not written by hand.

Parts that follow from declarations: they are in their pages, between the comments ``<!-- declared:
NAME -->`` and ``<!-- end -->``, and ``python -m docs.declared`` rewrites them. Tables that
benchmarks have measured: a link alone in a line to a file in results/records is their place, and
the site has them built in.
"""

import ast
import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from inspect import getdoc, getsource
from itertools import pairwise
from pathlib import Path
from textwrap import dedent
from typing import Any, Final, get_args, get_origin, get_type_hints

from harness.analysis import cactus, performance_profile
from harness.analysis.changes import (
    LIMITS,
    PUZZLES,
    STATUS,
    TIMES,
    limit_changes,
    puzzle_changes,
    status_changes,
    time_changes,
)
from harness.analysis.comparison import PAIRS, pair_results
from harness.analysis.conditions import ENVIRONMENT, environment_changes
from harness.analysis.curves import CACTUS, PROFILE
from harness.analysis.measures import MEASURES, FrameLayout, Measure, answers, results_of
from harness.analysis.measures.columns import GROUP_COLUMNS
from harness.analysis.measures.results import ANSWERS, RESULTS
from harness.analysis.ranking import POOLED, RANKS
from harness.cli.options import SweepTotals
from harness.extensions.certificates import documents as proofs
from harness.extensions.certificates.proven import Proven
from harness.extensions.fuzz.fuzz import FuzzReport
from harness.extensions.images.documents import ImageRead
from harness.extensions.noise.copies import Noise
from harness.extensions.page.trend_of_report import Trended
from harness.extensions.page.trend_of_runs import trend
from harness.extensions.page.trend_tables import RUNS, STEPS, TREND_MEASURES, VALUES, trends_layout
from harness.extensions.reasoning.cli.hint import Hinted
from harness.extensions.reasoning.cli.trace_views import Traced
from harness.extensions.reasoning.raters import ListedRater
from harness.puzzles.constraints import KINDS
from harness.puzzles.datasets import FEATURES, Facts, Listing, Statistics
from harness.puzzles.formats import format_named, format_names
from harness.puzzles.formats.format import EVERYTHING
from harness.records import FIELDS, Measurements
from harness.records.folder import Activity, SystemInfo
from harness.report import documents, run_documents
from harness.report.jsonable import keys_of
from harness.runs import Preview

PROJECT: Final = Path(__file__).parents[1]
_RECORD: Final = re.compile(r"^\[[^]]+\]\((?:\.\./)+(results/records/[\w-]+\.md)\)$", re.MULTILINE)
_PLACE: Final = re.compile(
    r"^<!-- declared: ([\w-]+) -->$.*?^<!-- end -->$", re.MULTILINE | re.DOTALL
)


def rewritten(text: str) -> str:
    """The text of a page with each declared part as it follows from its declarations."""
    return _PLACE.sub(
        lambda place: f"<!-- declared: {place[1]} -->\n\n{part(place[1]).strip()}\n\n<!-- end -->",
        text,
    )


def filled(text: str) -> str:
    """The text of a page with each measured table in its place."""
    return _RECORD.sub(lambda link: (PROJECT / link[1]).read_text(encoding="utf-8"), text)


def part(name: str) -> str:
    """A part as Markdown."""
    return "\n".join(PARTS[name]())


def _columns() -> Iterator[str]:
    yield "| column | type | unit | table | meaning |"
    yield "|---|---|---|---|---|"
    measured = documented_fields(Measurements)
    for field in FIELDS:
        meaning = field.meaning or measured[field.name]
        kind = f"{field.type.__name__}{', may be missing' if field.optional else ''}"
        yield f"| `{field.name}` | {kind} | {field.unit} | `{field.table}` | {meaning} |"


def _features() -> Iterator[str]:
    yield "| name | type | export | meaning |"
    yield "|---|---|---|---|"
    for feature in FEATURES.values():
        kind = f"{feature.kind}{', may be missing' if feature.optional else ''}"
        column = "yes" if feature.column else ""
        yield f"| `{feature.name}` | {kind} | {column} | {feature.meaning} |"


def _kinds() -> Iterator[str]:
    values = {True: "needed", None: "optional", False: ""}
    yield "| kind | meaning | value | example |"
    yield "|---|---|---|---|"
    for name, kind in KINDS.items():
        yield f"| `{name}` | {kind.title} | {values[kind.has_value]} | `{kind.example}` |"


def _formats() -> Iterator[str]:
    yield "| format | contents | puzzles | keeps | suffix |"
    yield "|---|---|---|---|---|"
    for format_ in map(format_named, format_names()):
        keeps = ["everything"] if format_.keeps == EVERYTHING else sorted(format_.keeps)
        held = format_.holds + ("; one per file" if format_.single else "")
        suffixes = " ".join(
            f"`{suffix}`" for suffix in (*format_.suffixes, *format_.shared_suffixes)
        )
        yield f"| `{format_.name}` | {format_.title} | {held} | {', '.join(keeps)} | {suffixes} |"


_COMPARISON: Final[tuple[tuple[FrameLayout, Callable[..., Any]], ...]] = (
    (STATUS, status_changes),
    (LIMITS, limit_changes),
    (TIMES, time_changes),
    (PUZZLES, puzzle_changes),
    (ENVIRONMENT, environment_changes),
    (PAIRS, pair_results),
)
_TREND: Final = (trends_layout(TREND_MEASURES["par2"]), STEPS, RUNS, VALUES)
_OTHERS: Final[tuple[tuple[FrameLayout, Callable[..., Any]], ...]] = (
    (PROFILE, performance_profile),
    (CACTUS, cactus),
    (ANSWERS, answers),
)
_SAME_COLUMNS: Final = {POOLED.name: RANKS.name}

_GROUP_NAMES: Final = {column.name for column in GROUP_COLUMNS}


def _measures() -> Iterator[str]:
    yield "## Comparison group\n"
    yield "The columns of a comparison group, which other tables list as one.\n"
    group = FrameLayout(name="", title="", columns=GROUP_COLUMNS)
    yield from _layout(group, whole=True)
    yield "## Results\n"
    yield from _measure(RESULTS, results_of, heading=False)
    yield "## Measures\n"
    for measure in MEASURES.values():
        yield from _measure(measure, measure.compute)
    yield "## Comparison of two runs\n"
    for layout, function in _COMPARISON:
        yield from _measure(layout, function)
    yield "## Trends\n"
    yield f"{_definition(trend)}\n"
    for layout in _TREND:
        yield f"### `{layout.name}`\n"
        yield from _layout(layout)
    yield "## Curves and answers\n"
    for layout, function in _OTHERS:
        yield from _measure(layout, function)


def _measure(
    layout: FrameLayout, function: Callable[..., Any], *, heading: bool = True
) -> Iterator[str]:
    if heading:
        yield f"### `{layout.name}`\n"
    yield f"{_definition(function)}\n"
    if isinstance(layout, Measure):
        *others, last = [f"`{name}`" for name in layout.takes]
        inputs = f"{', '.join(others)} and {last}" if others else last
        yield f"Computed from {inputs} of the run; {layout.scope.value}.\n"
    if layout.name in _SAME_COLUMNS:
        yield f"The columns are those of `{_SAME_COLUMNS[layout.name]}`.\n"
    else:
        yield from _layout(layout)


def _definition(function: Callable[..., Any]) -> str:
    """The docstring without its sections of arguments, results and errors."""
    text = re.split(r"\n\n(?:Args|Returns|Raises):\n", getdoc(function) or "")[0]
    return text.replace("``", "`")


def _layout(layout: FrameLayout, *, whole: bool = False) -> Iterator[str]:
    yield "| column | type | unit | meaning |"
    yield "|---|---|---|---|"
    group = [column.name for column in layout.columns if column.name in _GROUP_NAMES]
    left_out = _GROUP_NAMES - set(group)
    folded = not whole and len(group) > 1
    is_written = False
    for column in layout.columns:
        if folded and column.name in _GROUP_NAMES:
            if not is_written:
                but = f" without {', '.join(f'`{name}`' for name in sorted(left_out))}"
                yield f"| comparison group | | | See above{but if left_out else ''}. |"
            is_written = True
        else:
            meaning = column.meaning.replace("|", "\\|")
            yield f"| `{column.name}` | `{column.dtype}` | {column.unit} | {meaning} |"
    yield ""


@dataclass(frozen=True)
class _Document:
    title: str
    command: str
    kind: type
    code: int = 0
    each: str = ""
    """What a list has such an object for; empty for one object."""


_DOCUMENTS: Final = (
    _Document(
        "harness run",
        "harness run --dataset seeds --backend native cnf --out results/first --json",
        SweepTotals,
    ),
    _Document(
        "harness run --dry-run",
        "harness run --dataset seeds/1-3 --backend native --out results/first --dry-run --json",
        Preview,
    ),
    _Document("harness report", "harness report results/first --json", run_documents.Reported),
    _Document(
        "harness compare",
        "harness compare results/first results/first --json",
        run_documents.Compared,
    ),
    _Document(
        "harness trend",
        "harness run --dataset seeds --backend native cnf --out results/second --quiet\n"
        "$ harness run --dataset seeds --backend native cnf --out results/third --quiet\n"
        "$ harness trend results/first results/second results/third --json",
        Trended,
    ),
    _Document(
        "harness check",
        "harness check --dataset seeds --backend native cnf --json",
        run_documents.Checked,
    ),
    _Document(
        "harness fuzz",
        "harness fuzz 100 --backend native cnf --json",
        FuzzReport,
    ),
    _Document(
        "harness solve and count",
        "harness count named/1-3 --max-solutions 10 --json",
        documents.SolveDocument,
    ),
    _Document(
        "harness trace",
        "harness trace seeds/seed002 --max-solutions 2 --json",
        Traced,
    ),
    _Document("harness prove", "harness prove named/wikipedia --out some.cert --json", Proven),
    _Document("harness prove RUN", "harness prove results/first --json", proofs.ProvedRun),
    _Document("harness verify", "harness verify some.cert --json", proofs.Verified),
    _Document(
        "harness read-image",
        "harness datasets show hard/1 --svg board.svg\n"
        '$ python -c "import vl_convert as v; from pathlib import Path as P; '
        "P('board.png').write_bytes(v.svg_to_png(P('board.svg').read_text(), scale=2))\"\n"
        "$ harness read-image board.png --json",
        ImageRead,
    ),
    _Document("harness hint", "harness hint seeds/seed000 --json", Hinted),
    _Document("harness inspect", "harness inspect named:dup_row --json", documents.Inspected, 1),
    _Document("harness doctor", "harness doctor --json", documents.Diagnosis),
    _Document("harness noise", "harness noise --runs 2 --json", Noise),
    _Document(
        "harness backends", "harness backends --json", documents.BackendData, each="each backend"
    ),
    _Document("harness datasets", "harness datasets --json", Listing, each="each dataset"),
    _Document(
        "harness datasets raters", "harness datasets raters --json", ListedRater, each="each rater"
    ),
    _Document(
        "harness datasets stats",
        "harness datasets stats named hard --json",
        Statistics,
        each="each dataset; with `--each`, it has the next object for each puzzle",
    ),
    _Document(
        "harness datasets stats --each",
        "harness datasets stats named/1-3 --each --json",
        Facts,
        each="each puzzle",
    ),
)

_NAMES: Final = {str: "text", int: "integer", float: "number", bool: "boolean"}


def _documents() -> Iterator[str]:
    described: set[type] = set()
    for document in _DOCUMENTS:
        yield f"### {document.title}\n"
        yield f"```console\n$ {document.command}"
        if document.code:
            yield f"[exit code {document.code}: a finding]"
        yield "```\n"
        several = f"A list has such an object for {document.each}. " if document.each else ""
        yield f"{several}{_in_json(getdoc(document.kind) or '')}\n"
        yield from _keys(document.kind, described, first=True)


def _keys(kind: type, described: set[type], *, first: bool) -> Iterator[str]:
    """The keys of an object, then those of the objects in it that were not described before."""
    described.add(kind)
    if not first:
        yield f"`{kind.__name__}`: {_lowered(getdoc(kind) or '')}\n"
    yield "| key | type | meaning |"
    yield "|---|---|---|"
    parts: list[type] = []
    meanings: dict[str, str] = {}
    for base in reversed(kind.__mro__):
        if base.__module__.startswith("harness."):
            meanings |= documented_fields(base)
    hints = get_type_hints(kind)
    for key in keys_of(kind):
        own = getattr(kind, key, None)
        hint = get_type_hints(own.fget)["return"] if isinstance(own, property) else hints[key]
        yield f"| `{key}` | {_type(hint, parts)} | {_in_json(meanings[key])} |"
    yield ""
    for part in dict.fromkeys(parts):
        if part not in described:
            yield from _keys(part, described, first=False)


def _in_json(meaning: str) -> str:
    """The meaning of a field in the words of JSON."""
    constants = {"None": "null", "True": "true", "False": "false"}
    words = "|".join(constants)
    return re.sub(rf"\b({words})\b", lambda word: constants[word[0]], meaning.replace("``", "`"))


def documented_fields(kind: type) -> dict[str, str]:
    """The docstrings of the fields and properties of a class, each as one line."""
    (tree,) = ast.parse(dedent(getsource(kind))).body
    assert isinstance(tree, ast.ClassDef)
    texts = {
        node.target.id: str(after.value.value)
        for node, after in pairwise(tree.body)
        if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name)
        if isinstance(after, ast.Expr) and isinstance(after.value, ast.Constant)
    }
    functions = [node for node in tree.body if isinstance(node, ast.FunctionDef)]
    texts |= {function.name: ast.get_docstring(function) or "" for function in functions}
    return {name: " ".join(text.split()) for name, text in texts.items()}


def _type(hint: Any, parts: list[type]) -> str:
    """A type in words; the objects in it are added to `parts`."""
    origin, arguments = get_origin(hint), get_args(hint)
    if hint in _NAMES:
        return _NAMES[hint]
    if hint == run_documents.RowData:
        return "row"
    if origin in (list, tuple, set):
        return f"list of {_type(arguments[0], parts)}"
    if origin in (dict, Mapping):
        return f"object of {_type(arguments[1], parts)}"
    if hint is Counter or origin is Counter:
        return "object of integer"
    if isinstance(hint, type):
        if hint in (Activity, SystemInfo):
            return "object"
        if not keys_of(hint):
            return "text"
        parts.append(hint)
        return f"`{hint.__name__}`"
    names = [_type(part, parts) for part in arguments if part is not type(None)]
    if {"integer", "number"} <= set(names):
        names.remove("integer")
    if type(None) in arguments:
        names.append("null")
    return " or ".join(names)


def _lowered(sentence: str) -> str:
    return re.sub(r"^[A-Z](?=[a-z ])", lambda match: match[0].lower(), sentence)


PARTS: Final[dict[str, Callable[[], Iterator[str]]]] = {
    "columns": _columns,
    "features": _features,
    "formats": _formats,
    "kinds": _kinds,
    "measures": _measures,
    "documents": _documents,
}
"""The parts by name."""


if __name__ == "__main__":
    for page in (PROJECT / "docs").rglob("*.md"):
        page.write_text(rewritten(page.read_text("utf-8")), "utf-8")
