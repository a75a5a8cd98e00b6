"""The records behind a site: each is read from the very files that the site offers."""

import shutil
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import cache
from pathlib import Path
from typing import Final

from harness.analysis import Run, load
from harness.base.errors import InputError
from harness.base.files import replace_file
from harness.base.text import printable, shortened
from harness.extensions.page.trend_of_runs import start_of
from harness.puzzles.datasets import digest_of, load_dataset, shipped_listings
from harness.records.folder import RunFile, anonymize, read_run_file
from harness.report import file_name

DATA: Final = "data"
"""The folder of the site with the files of its records."""
_FILES: Final = (RunFile.RECORD, RunFile.ENVIRONMENT, RunFile.SETTINGS)


@dataclass(frozen=True, eq=False)
class SiteRecord:
    """A record that passed every check."""

    name: str
    """The name of its folder."""
    slug: str
    """The name of the folder with the copy of the record, and of the page of the record."""
    date: str
    """The day on which its run started: ``2026-11-26``; empty if no time is recorded."""
    run: Run
    """Its trials, as the copy has them."""

    @property
    def files(self) -> list[tuple[str, int]]:
        """The addresses of its files in the site, with their sizes in bytes."""
        paths = [self.run.folder / name for name in _FILES]
        return [(f"{DATA}/{self.slug}/{p.name}", p.stat().st_size) for p in paths if p.exists()]


@dataclass(frozen=True, slots=True)
class RefusedRecord:
    """A folder that is not a record, or a record that failed a check."""

    name: str
    reason: str


def read_records(
    folders: Sequence[Path], site: Path
) -> tuple[list[SiteRecord], list[RefusedRecord]]:
    """Copy the records in `folders` to a site and read the copies, newest first.

    Args:
        folders: folders of records, or of runs; a finished run becomes a record.
        site: the folder of the site.

    Raises:
        InputError: a folder does not exist, or there is no record to read.
    """
    slugs: set[str] = set()
    records, refusals = [], []
    names: dict[str, str] = {}
    for folder in _record_folders(folders):
        name = printable(shortened(folder.name))
        slug = file_name(("record", folder.name), slugs)
        copy = site / DATA / slug
        try:
            run = _copy(folder, copy)
            earlier = names.setdefault(digest_of(copy / RunFile.RECORD), name)
            if earlier is not name:
                raise InputError(f"has the same trials as {earlier}")
            start = start_of(run)
            if start and start > datetime.now(UTC) + timedelta(days=1):
                raise InputError(f"started on {start:%Y-%m-%d}, a day in the future")
        except InputError as error:
            shutil.rmtree(copy, ignore_errors=True)
            reason = f"{error.what}; expected {error.expected}" if error.expected else error.what
            places = {str(copy): name, str(folder): name}
            for path, place in places.items():
                reason = reason.replace(path, place)
            refusals.append(RefusedRecord(name, printable(shortened(reason, 300))))
            continue
        records.append(SiteRecord(name, slug, start.date().isoformat() if start else "", run))
    if not records:
        where = ", ".join(map(str, folders))
        reasons = f": {refusals[0].name}: {refusals[0].reason}" if refusals else ""
        expected = "folders of records or runs"
        raise InputError(f"no valid record{reasons}", where=where, expected=expected)
    return sorted(records, key=lambda record: record.date, reverse=True), refusals


def _record_folders(folders: Sequence[Path]) -> Iterator[Path]:
    """The folders of runs and records among `folders` and directly in them, each once."""
    resolved_folders: set[Path] = set()
    for folder in folders:
        if not folder.is_dir():
            raise InputError("no such folder", where=str(folder), expected="a folder of records")
        is_one = any((folder / name).exists() for name in (RunFile.RECORD, RunFile.STORE))
        inside = [] if is_one else [p for p in folder.iterdir() if p.is_dir()]
        for path in sorted(inside) or [folder] * is_one:
            target = path.resolve()
            if target not in resolved_folders and not path.name.startswith("."):
                resolved_folders.add(target)
                yield path


def _copy(folder: Path, copy: Path) -> Run:
    """The run of a record after a check of everything that pages show of it."""
    if (folder / RunFile.STORE).exists():
        copy.parent.mkdir(exist_ok=True)
        anonymize(folder, copy, as_record=True)
    else:
        copy.mkdir(parents=True)
        for name in _FILES:
            content = read_run_file(folder / name)
            if content is not None:
                replace_file(copy / name, content)
    run = load(copy)
    if run.trials.empty:
        raise InputError("has no trials")
    _ = run.invocations, run.sweeps  # reading them checks them
    _require_names(run)
    return run


def _require_names(run: Run) -> None:
    """Require that the name of a shipped dataset means its puzzles.

    Raises:
        InputError: a record gives the name to another puzzle.
    """
    columns = ["dataset", "shape", "puzzle", "original"]
    of_record = run.trials[columns].drop_duplicates().astype(object)
    for listing in shipped_listings():
        of_name = of_record[of_record["dataset"] == listing.name]
        if of_name.empty:
            continue
        puzzles = _puzzles_of(listing.name)
        lines = of_name["original"].fillna(of_name["puzzle"])
        for shape, line in zip(of_name["shape"], lines, strict=True):
            if (shape, line) not in puzzles:
                problem = (
                    f"the dataset {listing.name} does not have its puzzle {shortened(line, 100)}"
                )
                raise InputError(problem, expected="a different name for other puzzles")


@cache
def _puzzles_of(name: str) -> frozenset[tuple[str, str]]:
    """The shape and the line of each puzzle of a shipped dataset, kept for further records."""
    puzzles = (instance.puzzle for instance in load_dataset(name).instances)
    return frozenset((puzzle.shape.definition, puzzle.line) for puzzle in puzzles)
