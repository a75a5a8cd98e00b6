"""The values that an option or an argument can have.

They come from names, folders and the record of a run: no backend is imported, and no
trial is read.
"""

import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any, Final

_MOST: Final = 1000
"""Entries of a folder, and puzzles of a dataset, that are looked at."""
_RUNS: Final = "results"
_PUZZLES: Final = (".txt", ".sdm", ".csv", ".toml", ".json")
"""Suffixes of puzzle files; after the first letters of a name all files are offered."""
_STORE: Final = "trials.sqlite"


@dataclass(frozen=True, slots=True)
class Candidate:
    """A word that can stand next."""

    value: str
    help: str = ""
    whole: bool = True
    """Whether the word is complete; a folder is only the beginning of one."""


Values = Callable[[str], Iterator[Candidate]]
"""The values that begin with a text, possibly among others."""


def values_of(
    path: tuple[str, ...], parameter: Any, begun: str, words: Sequence[str] = ()
) -> Iterator[Candidate]:
    """The values of an option or argument of the command at `path`, after these words of it."""
    name = parameter.name if parameter.param_type_name == "argument" else max(parameter.opts)
    if path == ("charts",) and name == "--backend" and (of_runs := _backends_of_runs(words)):
        yield from of_runs
        return
    find = _VALUES.get((path[-1] if path else "", name)) or _VALUES.get(("", name))
    if find:
        yield from find(begun)
    elif parameter.metavar and "|" in parameter.metavar:
        yield from (Candidate(choice) for choice in parameter.metavar.split("|"))


def _backends(begun: str) -> Iterator[Candidate]:
    from harness.contract import registry

    yield from (Candidate(name) for name in registry.names())
    yield from _files(begun, (".toml", ".py"))


def _backends_of_runs(words: Sequence[str]) -> list[Candidate]:
    """The configurations of the runs among `words`, as their records name them."""
    from harness.errors import HarnessError
    from harness.records.environment import read_invocations

    names: dict[str, None] = {}
    for folder in map(Path, words):
        if (folder / _STORE).is_file():
            with suppress(HarnessError):  # a damaged record has no names to offer
                for invocation in read_invocations(folder):
                    names |= dict.fromkeys(invocation.backends)
    return [Candidate(name) for name in names]


def _tables(_: str) -> Iterator[Candidate]:
    from harness.analysis.measures import MEASURES

    return (Candidate(name, measure.title) for name, measure in MEASURES.items())


def _tables_of_a_comparison(_: str) -> Iterator[Candidate]:
    from harness.report.tables.comparison import TABLES

    return map(Candidate, TABLES)


def _tables_of_a_trend(_: str) -> Iterator[Candidate]:
    from harness.report.tables.trend import TABLES

    return map(Candidate, TABLES)


def _measures_of_a_trend(_: str) -> Iterator[Candidate]:
    from harness.analysis.trend_tables import TREND_MEASURES

    return map(Candidate, TREND_MEASURES)


def _features(_: str) -> Iterator[Candidate]:
    from harness.analysis.features import COLUMNS, EVERY

    yield from (Candidate(name, feature.meaning) for name, feature in COLUMNS.items())
    yield Candidate(EVERY)


def _charts(_: str) -> Iterator[Candidate]:
    from harness.report.charts.catalogue import CHARTS

    return (Candidate(kind.name, kind.title) for kind in CHARTS)


def _datasets(begun: str) -> Iterator[Candidate]:
    """Datasets and files; after ``named/`` or ``named:`` the puzzles of the dataset."""
    from harness.errors import HarnessError
    from harness.puzzles.catalogue import address_of, find, read_instances
    from harness.puzzles.listing import listings

    for at, char in enumerate(begun):
        if char in "/:":
            source = begun[:at]
            shipped = source in {listing.name for listing in listings()}
            if shipped or Path(source).is_file():
                with suppress(HarnessError):  # a malformed file has no puzzles to offer
                    found = read_instances(find(address_of(source).source))
                    for instance in islice(found, _MOST):
                        yield Candidate(f"{source}{char}{instance.name}")
    yield from (Candidate(listing.name, listing.title) for listing in listings())
    yield from _files(begun, None if begun.rpartition("/")[2] else _PUZZLES)


def _runs(begun: str) -> Iterator[Candidate]:
    """Folders of runs, those in ``results/`` first."""
    for entry in _entries(Path(_RUNS)):
        if (entry / _STORE).is_file():
            yield Candidate(str(entry))
    for candidate in _files(begun, ()):
        is_run = (Path(candidate.value) / _STORE).is_file()
        yield Candidate(candidate.value.rstrip("/")) if is_run else candidate


def _formats(_: str) -> Iterator[Candidate]:
    from harness.puzzles.formats.registry import names

    return map(Candidate, names())


def _model_formats(_: str) -> Iterator[Candidate]:
    from harness.puzzles.models.format import FORMATS

    return (Candidate(name, of.title) for name, of in FORMATS.items())


def _any_file(begun: str) -> Iterator[Candidate]:
    return _files(begun)


def _sweeps(begun: str) -> Iterator[Candidate]:
    return _files(begun, (".toml",))


def _files(begun: str, suffixes: tuple[str, ...] | None = None) -> Iterator[Candidate]:
    """Folders, and files with one of the suffixes; None stands for all files."""
    stem = begun.rpartition("/")[2]
    prefix = begun[: len(begun) - len(stem)]
    for entry in _entries(Path(prefix or ".")):
        if entry.name.startswith(".") and not stem.startswith("."):
            continue
        if entry.is_dir():
            yield Candidate(f"{prefix}{entry.name}/", whole=False)
        elif suffixes is None or entry.suffix in suffixes:
            yield Candidate(f"{prefix}{entry.name}")


def _entries(folder: Path) -> list[Path]:
    """The entries of a folder in order; none if it cannot be read."""
    with suppress(OSError), os.scandir(folder.expanduser()) as entries:
        return sorted(Path(folder, entry.name) for entry in islice(entries, _MOST))
    return []


_SHELLS: Final = ("bash", "zsh", "fish")


_VALUES: Final[dict[tuple[str, str], Values]] = {
    ("", "--backend"): _backends,
    ("test", "backend"): _backends,
    ("", "--dataset"): _datasets,
    ("", "puzzle"): _datasets,
    ("", "dataset"): _datasets,
    ("", "datasets"): _datasets,
    ("convert", "source"): _datasets,
    ("import", "source"): _any_file,
    ("", "target"): _any_file,
    ("", "--svg"): _any_file,
    ("", "--certify"): _any_file,
    ("", "--prover"): _backends,
    ("verify", "files"): _any_file,
    ("read-image", "file"): _any_file,
    ("", "--to"): _formats,
    ("model", "--to"): _model_formats,
    ("", "--from"): _formats,
    ("", "folder"): _runs,
    ("", "folders"): _runs,
    ("", "--baseline"): _runs,
    ("report", "--table"): _tables,
    ("compare", "--table"): _tables_of_a_comparison,
    ("trend", "--table"): _tables_of_a_trend,
    ("trend", "--measure"): _measures_of_a_trend,
    ("charts", "--chart"): _charts,
    ("export", "--features"): _features,
    ("run", "sweep_file"): _sweeps,
    ("run", "--out"): _runs,
    ("", "--out"): _any_file,
    ("", "--junit"): _any_file,
    ("", "--path"): _any_file,
    ("", "shell"): lambda _: (Candidate(shell) for shell in _SHELLS),
}
"""By the name of the command, empty for all others, and the option or argument."""
