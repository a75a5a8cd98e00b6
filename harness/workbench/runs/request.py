"""A sweep as a page sets it up, and its files.

The folder of a run has everything that the run needs: its sweep, and the puzzles that were pasted
or uploaded. The same command, ``harness run results/NAME/sweep.toml --out results/NAME``, starts
it and continues it, here and in a terminal.
"""

import re
import shutil
from collections.abc import Collection, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Annotated, Any, Final

import msgspec
from msgspec import Meta, Struct

from harness.arguments import invalid
from harness.errors import InputError, OptionError, PuzzleError, meant, one_of, unwritable
from harness.experiment.sweep import Sweep
from harness.experiment.sweep_file import add_sweep, read_sweeps
from harness.puzzles.catalogue import address_of
from harness.puzzles.listing import listings
from harness.records.lock import is_held
from harness.records.run_files import refuse_special_file
from harness.records.settings import FILE as SWEEP
from harness.records.settings import read_settings
from harness.records.shard import FILE as SHARD
from harness.records.store import Store
from harness.records.store_file import FILE as STORE
from harness.records.store_file import NEW as UNFINISHED_STORE
from harness.records.store_file import glancing
from harness.text import encodable, printable
from harness.workbench import boards
from harness.workbench.boards import PuzzleData
from harness.workbench.specs import specs_in

MOST_CONFIGURATIONS: Final = 200
"""Configurations of a sweep."""
MOST_TEXT: Final = 16 * 2**20
"""Characters of puzzles that are pasted or uploaded."""
TEXT: Final = "puzzles.txt"
"""The file of puzzles that were pasted or uploaded."""
BOARD: Final = "board.jsonl"
"""The file of the puzzle of the board."""
_LONGEST_NAME: Final = 100
"""Characters of the name of a puzzle in a file."""
_NAME: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9_+.-]{0,79}")
_LISTS: Final = ("datasets", "backends")

Name = Annotated[str, Meta(max_length=500)]


class NewSweep(Struct, forbid_unknown_fields=True, kw_only=True):
    """A sweep that a page sets up."""

    name: Annotated[str, Meta(max_length=100)] = ""
    """The name of its folder; empty for a name that follows from its options."""
    datasets: Annotated[list[Name], Meta(max_length=200)] = []
    """Datasets of the catalogue, each perhaps with a selection: ``named/1-5``."""
    text: Annotated[str, Meta(max_length=MOST_TEXT)] = ""
    """Puzzles of any format."""
    puzzle: PuzzleData | None = None
    """The puzzle of the board."""
    backends: Annotated[list[Name], Meta(max_length=200)] = []
    options: dict[str, Any] = {}
    """Further options of `Sweep` by name."""


def sweep_in(new: NewSweep, folder: Path, *, allows_files: bool) -> Sweep:
    """The sweep, with its files in this folder.

    Raises:
        InputError: an option, a dataset or a backend is malformed or not allowed.
    """
    for name in new.options:
        if name in _LISTS:
            raise OptionError(f"the option {name} has a field of its own")
    own = [TEXT] * bool(new.text.strip()) + [BOARD] * (new.puzzle is not None)
    datasets = [*map(_dataset, new.datasets), *(str(folder / file) for file in own)]
    if not datasets:
        raise InputError("no puzzles", expected="a dataset, pasted puzzles or that of the board")
    if not new.backends:
        raise InputError("no backends", expected="one or more")
    backends = _labels(new.backends, allows_files=allows_files)
    options = {name: value for name, value in new.options.items() if value not in (None, "")}
    return Sweep.of({**options, "datasets": datasets, "backends": backends})


def write_files(new: NewSweep, folder: Path, *, allows_files: bool) -> Sweep:
    """Write the sweep and its puzzles into a folder; returns the sweep.

    Raises:
        InputError: an option is malformed, or the folder cannot be written to.
    """
    sweep = sweep_in(new, folder, allows_files=allows_files)
    files = _puzzles(new)
    for name in (*files, SWEEP):
        refuse_special_file(folder / name)
    try:
        for name, text in files.items():
            (folder / name).write_text(encodable(text), encoding="utf-8")
    except OSError as error:
        raise unwritable(folder, error) from None
    add_sweep(sweep, folder / SWEEP)
    return sweep


def _puzzles(new: NewSweep) -> dict[str, str]:
    """The files of puzzles by name.

    Raises:
        PuzzleError: the puzzle of the board is malformed.
    """
    files = {TEXT: new.text} if new.text.strip() else {}
    if new.puzzle is not None:
        name = printable(encodable(new.puzzle.name))[:_LONGEST_NAME] or "board"
        files[BOARD] = boards.write(msgspec.structs.replace(new.puzzle, name=name), "jsonl")
    return files


def check_name(name: str) -> None:
    """Check the name of a new run; an empty one follows from its options.

    Raises:
        InputError: it is malformed.
    """
    if name and not _NAME.fullmatch(name):
        raise invalid("name", name, "a letter or digit, then up to 79 letters, digits, or _ + . -")


def check_results(results: Path) -> None:
    """Check that there is a folder of results, or that it can be made.

    Raises:
        InputError: something else has its name.
    """
    if results.exists() and not results.is_dir():
        raise InputError("is no folder", where=str(results), expected="a folder for runs")


def make_run(
    new: NewSweep, results: Path, queued: Collection[str], *, allows_files: bool
) -> tuple[str, Sweep]:
    """Make the folder of a run that has not begun; returns its name and the sweep.

    Args:
        new: the sweep.
        results: the folder of runs.
        queued: the names of runs that wait or run. Their folders have files but perhaps no trial.
        allows_files: whether a backend may be a file.

    Raises:
        InputError: an option is malformed, or there is a run with trials of this name, or one
            that waits or runs.
    """
    check_name(new.name)
    sweep = sweep_in(new, results, allows_files=allows_files)  # before anything is written
    name = new.name or _free_name(sweep, results, queued)
    if name in queued:
        raise InputError(f"the sweep {name} waits or runs already", expected="another name")
    _puzzles(new)
    check_results(results)
    folder = results / name
    is_made = not folder.exists()
    if folder.is_symlink() or (folder.exists() and not _is_new(folder)):
        raise InputError(f"{name} exists in the folder of results", expected="another name")
    try:
        folder.mkdir(parents=True, exist_ok=True)
        refuse_special_file(folder / SWEEP)
        (folder / SWEEP).unlink(missing_ok=True)  # of an attempt without a trial
    except OSError as error:
        raise unwritable(folder, error) from None
    with ExitStack() as on_failure:
        if is_made:
            on_failure.callback(shutil.rmtree, folder, ignore_errors=True)
        # The run starts in a folder with files only if the folder has a store.
        Store(folder).close()
        sweep = write_files(new, folder, allows_files=allows_files)
        on_failure.pop_all()
    return name, sweep


def require_continuable(folder: Path, *, allows_files: bool) -> Sequence[Sweep]:
    """The sweeps of a run that can be continued here.

    Raises:
        InputError: the run cannot be continued here.
    """
    if is_held(folder):
        raise InputError("the run is going on", expected="its end")
    if (folder / SHARD).exists():
        raise InputError("the run is that of a shard", expected="harness run SHARD.toml")
    settings = read_settings(folder)
    if not settings:
        raise InputError("the run does not record its sweep", expected="harness run in a terminal")
    shipped = {listing.name for listing in listings()}
    for sweep in settings:
        _labels(_texts(sweep.get("backends")), allows_files=allows_files)
        for dataset in _texts(sweep.get("datasets")):
            own = dataset in (TEXT, BOARD)
            if own:
                refuse_special_file(folder / dataset)
            if not (own or allows_files or re.split("[/:]", dataset)[0] in shipped):
                raise InputError(
                    f"the run reads the file {dataset!r:.80}",
                    expected="harness run in a terminal, or harness workbench --allow-files",
                )
    return read_sweeps(folder / SWEEP, {})


def _labels(texts: Sequence[str], *, allows_files: bool) -> list[str]:
    """The configurations of these specs, each once.

    Raises:
        InputError: one is malformed or not allowed, or they are too many.
    """
    labels: dict[str, None] = {}
    for text in texts:
        for spec in specs_in(text, MOST_CONFIGURATIONS, allows_files=allows_files):
            labels[spec.label] = None
        if len(labels) > MOST_CONFIGURATIONS:
            raise invalid("configurations", len(labels), f"at most {MOST_CONFIGURATIONS}")
    return [*labels]


def _texts(value: object) -> list[str]:
    values = value if isinstance(value, list) else [value]
    return [of for of in values if isinstance(of, str)]


def _dataset(name: str) -> str:
    """A dataset of the catalogue, checked.

    Raises:
        PuzzleError: the catalogue has none of this name.
    """
    names = [listing.name for listing in listings()]
    address = address_of(name)
    if address.source not in names:
        raise PuzzleError(
            f"unknown dataset {address.source!r:.60}{meant(address.source, names)}",
            expected=one_of(names[:30]),
        )
    return name


def _free_name(sweep: Sweep, results: Path, queued: Collection[str]) -> str:
    """The name of the sweep, with a number if a run has it already."""
    name = sweep.folder_name
    for number in range(1, 10_000):
        numbered = name if number == 1 else f"{name}-{number}"
        folder = results / numbered
        if numbered in queued:
            continue
        if not folder.is_symlink() and (not folder.exists() or _is_new(folder)):
            return numbered
    raise InputError(f"{name} exists in the folder of results", expected="another name")


def _is_new(folder: Path) -> bool:
    """Whether a folder is that of a run without a trial, or empty."""
    if not folder.is_dir() or is_held(folder):
        return False
    if not (folder / STORE).exists():
        return all(file.name.startswith(UNFINISHED_STORE) for file in folder.iterdir())
    try:
        with glancing(folder) as db:
            return db.execute("SELECT 1 FROM trials LIMIT 1").fetchone() is None
    except InputError:
        return False
