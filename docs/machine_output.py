"""Writes docs/machine-output.md, the documents of ``--json``: ``make docs-tables``."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from inspect import getdoc
from pathlib import Path
from typing import Any, Final, get_args, get_origin, get_type_hints

from msgspec import Meta, Struct

from harness.report import documents

PAGE: Final = Path(__file__).with_name("machine-output.md")

_INTRODUCTION: Final = """\
# Machine output

This page describes what programs read: the JSON documents of the commands, exports as CSV and
Parquet, JUnit XML, and annotations of GitHub Actions. `docs/machine_output.py` generates it from
the classes in `harness/documents/`, where each key is declared once.

## JSON

With `--json` a command prints one JSON document on standard output and nothing else there.
Messages go to standard error, and exit codes are [the same](sweeps.md#exit-codes) as without it.
Numbers are numbers, and integers have any size. A missing value is null; NaN and infinity never
occur. Every key listed below is always present. A *row* is an object with the columns of its
table, which [Measures](measures.md) describes.
"""

_AFTER: Final = """\
## CSV and Parquet

```console
$ harness export results/first --out trials.csv
$ harness export results/first --out trials.parquet
$ harness report results/first --format csv --table summary
```

`harness export` writes one row for each trial with [these columns](columns.md). The name of
`--out` chooses the format, unless `--format` does. Parquet keeps the types of the columns:
`pandas.read_parquet` gives exactly the frame `harness.load("results/first").trials`. It needs
pyarrow: `pip install "pyarrow>=16"`.

CSV is safe to open in a spreadsheet: a text that a spreadsheet would read as a formula begins
with an apostrophe. Parquet has the texts unchanged.

## JUnit XML

```console
$ harness check --dataset seeds --backend native cnf --junit check.xml
$ harness compare results/first results/first --junit compare.xml
```

`--junit FILE` of `harness check` and `harness compare` writes the findings in the format that
systems for continuous integration show. A backend is a test suite.

| test case | failure | error | skipped |
|---|---|---|---|
| of `check`: each question | wrong answer, disagreement | crash | no answer: timeout |
| of `check`: `answers` | no answer to any question | | |
| of `check`: `all trials ended` | interrupted | | |
| of `check`: `answers were compared` | no puzzle could be compared | | |
| of `compare`: `covers both runs` | a partial comparison without `--partial` | | |
| of `compare`: times of a comparison group | slower | | slower, unequal machine |
| of `compare`: failures at a limit of a comparison group | more failures at the limit | | \
more failures at the limit, unequal machine |
| of `compare`: each result whose status changed | new failure, now wrong, more failures at the \
limit | | near the limit; gave up; new timeout, unequal machine |

With `--strict` of `harness compare`, what an unequal machine may have caused is a failure. A
file has a failure or an error if and only if the exit code is not 0. XML has no form for control
characters; they are written as escapes such as `\\x1b`.

## GitHub Actions

```console
$ harness check --dataset seeds --backend native cnf --github
$ harness compare results/first results/first --github
```

`--github` prints each kind of finding as a line that begins with `::error` on standard error.
GitHub shows it at the line of the puzzle, or at the file if that is TOML or JSON. A step of a
workflow:

```yaml
- run: harness check --dataset puzzles.txt --backend native mine.py:Mine --github --junit check.xml
```
"""


@dataclass(frozen=True)
class _Section:
    title: str
    command: str
    kind: type[Struct]
    code: int = 0


_SECTIONS: Final = (
    _Section(
        "harness run",
        "harness run --dataset seeds --backend native cnf --out results/first --json",
        documents.Finished,
    ),
    _Section(
        "harness run --dry-run",
        "harness run --dataset seeds/1-3 --backend native --out results/first --dry-run --json",
        documents.Planned,
    ),
    _Section("harness report", "harness report results/first --json", documents.Reported),
    _Section(
        "harness compare",
        "harness compare results/first results/first --json",
        documents.Compared,
    ),
    _Section(
        "harness trend",
        "harness run --dataset seeds --backend native cnf --out results/second --quiet\n"
        "$ harness run --dataset seeds --backend native cnf --out results/third --quiet\n"
        "$ harness trend results/first results/second results/third --json",
        documents.Trended,
    ),
    _Section(
        "harness check",
        "harness check --dataset seeds --backend native cnf --json",
        documents.Checked,
    ),
    _Section(
        "harness check --fuzz",
        "harness check --fuzz 500 --backend native cnf --json",
        documents.Fuzzed,
    ),
    _Section(
        "harness solve and count", "harness count named/1-3 --limit 10 --json", documents.Solved
    ),
    _Section(
        "harness solve and count --trace",
        "harness count seeds/seed002 --limit 2 --trace --json",
        documents.Traced,
    ),
    _Section(
        "harness verify",
        "harness count named/1-3 --limit 10 --certify some.cert --quiet\n"
        "$ harness verify some.cert --json",
        documents.Verified,
    ),
    _Section(
        "harness read-image",
        "harness datasets show hard/1 --svg board.svg\n"
        '$ python -c "import vl_convert as v; from pathlib import Path as P; '
        "P('board.png').write_bytes(v.svg_to_png(P('board.svg').read_text(), scale=2))\"\n"
        "$ harness read-image board.png --json",
        documents.ImageRead,
    ),
    _Section("harness hint", "harness hint seeds/seed000 --json", documents.Hinted),
    _Section("harness inspect", "harness inspect named:dup_row --json", documents.Inspected, 1),
    _Section("harness doctor", "harness doctor --json", documents.Diagnosis),
    _Section(
        "harness doctor --noise", "harness doctor --noise --runs 2 --json", documents.NoiseData
    ),
    _Section("harness backends", "harness backends --json", documents.BackendData),
    _Section("harness datasets", "harness datasets --json", documents.DatasetData),
    _Section("harness datasets raters", "harness datasets raters --json", documents.RaterData),
    _Section(
        "harness datasets stats",
        "harness datasets stats named hard --json",
        documents.StatisticsData,
    ),
    _Section(
        "harness datasets stats --each",
        "harness datasets stats named/1-3 --each --json",
        documents.PuzzleFacts,
    ),
)

_NAMES: Final = {str: "text", int: "integer", float: "number", bool: "boolean"}


def page() -> str:
    """The page as Markdown."""
    return "\n".join(_lines())


def _lines() -> Iterator[str]:
    yield _INTRODUCTION
    described: set[type[Struct]] = set()
    for section in _SECTIONS:
        yield f"### {section.title}\n"
        yield f"```console\n$ {section.command}"
        if section.code:
            yield f"[exit code {section.code}: a finding]"
        yield "```\n"
        yield f"{getdoc(section.kind)}\n"
        yield from _tables(section.kind, described, first=True)
    yield _AFTER.rstrip("\n") + "\n"


def _tables(kind: type[Struct], described: set[type[Struct]], *, first: bool) -> Iterator[str]:
    """The keys of an object, then those of the objects in it that were not described before."""
    described.add(kind)
    if not first:
        yield f"`{kind.__name__}`: {_lowered(getdoc(kind) or '')}\n"
    yield "| key | type | meaning |"
    yield "|---|---|---|"
    parts: list[type[Struct]] = []
    for name, hint in get_type_hints(kind, include_extras=True).items():
        declared, meta = get_args(hint)
        assert isinstance(meta, Meta)
        yield f"| `{name}` | {_type(declared, parts)} | {meta.description} |"
    yield ""
    for part in dict.fromkeys(parts):
        if part not in described and issubclass(part, documents.Document):
            yield from _tables(part, described, first=False)


def _type(hint: Any, parts: list[type[Struct]]) -> str:
    """A type in words; the objects in it are added to `parts`."""
    origin, arguments = get_origin(hint), get_args(hint)
    if hint in _NAMES:
        return _NAMES[hint]
    if isinstance(hint, type) and issubclass(hint, Struct):
        parts.append(hint)
        return f"`{hint.__name__}`" if issubclass(hint, documents.Document) else "object"
    if hint == documents.Row:
        return "row"
    if origin is list:
        return f"list of {_type(arguments[0], parts)}"
    if origin is dict:
        return f"object of {_type(arguments[1], parts)}"
    shown = [_type(part, parts) for part in arguments if part is not type(None)]
    if {"integer", "number"} <= set(shown):
        shown.remove("integer")
    return " or ".join([*shown, *["null"] * (type(None) in arguments)])


def _lowered(sentence: str) -> str:
    return re.sub(r"^[A-Z](?=[a-z ])", lambda match: match[0].lower(), sentence)


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
