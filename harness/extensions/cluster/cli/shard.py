"""`harness shard`: a sweep in parts for several machines; and the options of `harness run --on`."""

import re
import shlex
import sys
from pathlib import Path
from typing import Annotated, Final

from harness.base.errors import OptionError, unwritable
from harness.base.interruption import interruptible
from harness.base.text import number_of
from harness.cli import lazy
from harness.cli.options import (
    SWEEP_OPTIONS,
    JsonOption,
    SweepFileArgument,
    flags_in_errors,
    show_json,
    sweeps_of,
    value_option,
    whole_number,
    with_sweep_options,
)
from harness.cli.terminal import console_of, show, wrapped
from harness.runs.sweep import RESULTS, SweepChanges

# Shards in `harness run` and `harness merge`.


_FREE = ("jobs",)
"""Options of a sweep that a command may change for a shard."""


def shard_of(file: Path, changes: SweepChanges) -> "lazy.Shard | None":
    """The shard in a sweep file; None if it is a sweep of its own.

    Raises:
        InputError: the shard is malformed.
        OptionError: an option is set that all shards of a plan share.
    """
    shard = lazy.shards.read_shard(file)
    if shard is not None:
        for name in changes:
            if name not in _FREE:
                raise OptionError(
                    f"cannot be set for {shard} of a plan",
                    where=SWEEP_OPTIONS[name].flag,
                    expected="the options with which harness shard made it",
                )
    return shard


def folder_of(shard: "lazy.Shard") -> Path:
    """The folder of the run of a shard, relative to the folder of all results."""
    return Path(f"shards-{shard.plan}") / lazy.shards.file_name(shard).removesuffix(".toml")


# `harness shard`: divide a sweep into parts for several machines.


_SHARD: Final = re.compile(r"shard-\d{4,}\.toml")
_SWEEP: Final = re.compile(r"sweep-\d{2,}")


ShardsOption = Annotated[
    int | None,
    value_option(
        "--shards",
        "N",
        "Number of shards. [default: one for every 10 puzzles, at most 100]",
        whole_number("--shards", 1, 10**6),
    ),
]


@with_sweep_options()
def shard(
    sweep_file: SweepFileArgument = None,
    *,
    changes: SweepChanges,
    shards: ShardsOption = None,
    out: Annotated[
        Path,
        value_option("--out", "DIR", "Folder for the files of the shards."),
    ] = Path("shards"),
    as_json: JsonOption = False,
) -> None:
    """Divide a sweep into shards: parts that different machines carry out.

    A shard has some of the puzzles, with all backends and all repetitions, so that what is
    compared is measured on one machine. Each is a sweep file for `harness run`, and
    `harness merge` puts their runs together. A file with several sweeps has a folder of shards
    for each.
    """
    sweeps = sweeps_of(changes, sweep_file)
    _require_free(out)
    plans = []
    for number, sweep in enumerate(sweeps, 1):
        folder = out if len(sweeps) == 1 else out / f"sweep-{number:02}"
        progress = lazy.LiveProgress(console_of(sys.stderr))
        with interruptible("numpy"), flags_in_errors(), progress:
            plan = lazy.shards.ShardPlan(sweep, folder, shards, observer=progress)
        plans.append((folder, plan))
    documents = []
    for folder, plan in plans:
        _make(folder)
        written = [
            lazy.shards.write_shard(plan.shard(number), folder)
            for number in range(1, plan.number + 1)
        ]
        documents.append(
            lazy.documents.ShardPlanData(folder=str(folder), plan=plan.name, shards=plan.number)
        )
        if not as_json:
            merged = RESULTS / "merged" / folder.relative_to(out)
            _show(plan, folder, written[0], shards, merged)
    if len(plans) > 1 and not as_json:
        show("to merge the sweeps: harness merge results/merged/* --out results/all")
    if as_json:
        show_json(lazy.documents.Sharded(plans=documents))


def _show(
    plan: "lazy.shards.ShardPlan", out: Path, first: Path, wanted: int | None, merged: Path
) -> None:
    line = f"{number_of(plan.number, 'shard')} in {out}"
    if wanted and wanted > plan.number:
        line += f", not {wanted:,}: each has a puzzle of its own"
    show(wrapped(line, indent=2, first=0))
    show(f"to run the first: harness run {shlex.quote(str(first))}")
    show(f"to merge the runs: harness merge results/shards-{plan.name}/* --out {merged}")


def _require_free(folder: Path) -> None:
    """Require a folder without shards.

    Raises:
        OptionError: the folder has shards, or it is a file or cannot be read.
    """
    if folder.exists() and not folder.is_dir():
        raise OptionError("is a file", where=f"--out {folder}", expected="a folder")
    try:
        names = [path.name for path in folder.iterdir()] if folder.exists() else []
    except OSError as error:
        raise OptionError(
            f"cannot be read: {error.strerror}", where=f"--out {folder}", expected="a folder"
        ) from None
    if any(_SHARD.fullmatch(name) or _SWEEP.fullmatch(name) for name in names):
        raise OptionError("has shards", where=f"--out {folder}", expected="a folder without shards")


def _make(folder: Path) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise unwritable(folder, error) from None


# Options of `harness run --on`.


OnOption = Annotated[
    str | None,
    value_option(
        "--on",
        "ENGINE",
        "Carry out shards on an engine: local, local:N, dask://HOST:PORT, slurm or "
        "slurm:PARTITION.",
    ),
]
