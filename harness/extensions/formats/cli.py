"""`harness datasets fetch`: makes a public set a dataset of the catalogue."""

import sys
from pathlib import Path
from typing import Annotated

import typer

from harness.base.errors import PuzzleError, not_among
from harness.base.interruption import interruptible
from harness.base.text import number_of
from harness.cli import lazy
from harness.cli.datasets.files import report_import
from harness.cli.datasets.options import warn
from harness.cli.options import value_option
from harness.cli.terminal import aligned, console_of, show, wrapped
from harness.puzzles.datasets import OnDuplicate, imported_listings, public_sets


def fetch(
    name: Annotated[
        str | None,
        typer.Argument(
            metavar="NAME",
            help="A public set; without a name, the sets are listed.",
            autocompletion=lambda: ((e.name, e.title) for e in public_sets().values()),
        ),
    ] = None,
    source: Annotated[
        Path | None,
        value_option(
            "--from",
            "PATH",
            "A clone, folder, archive or file with the puzzles, instead of a download.",
        ),
    ] = None,
    replace: Annotated[
        bool, typer.Option("--replace", help="Replace the dataset of this name.")
    ] = False,
) -> None:
    """Fetch a public puzzle set, so that --dataset NAME works; without a name, list the sets.

    If the catalogue has a checksum of the files, they must match it.
    """
    sets = public_sets()
    if name is None:
        names = {listing.name for listing in imported_listings()}
        rows = [
            (
                entry.name,
                f"{entry.puzzles:9,}" if entry.puzzles else f"{'?':>9}",
                entry.licence,
                "fetched" if entry.name in names else "",
                entry.title,
            )
            for entry in sets.values()
        ]
        show(wrapped("public sets; harness datasets show NAME shows what is known about a set", 0))
        show(aligned([("set", "  puzzles", "licence", "", "content"), *rows]))
        return
    if name not in sets:
        raise not_among(PuzzleError, f"unknown public set {name!r}", name, sets)
    from harness.extensions.formats.fetching import fetch as fetch_set

    modules = "harness.cli.progress", "harness.puzzles.datasets.canonical"
    with interruptible(*modules), lazy.StatusLine(console_of(sys.stderr), name) as status:
        done = fetch_set(sets[name], source, replace, status.say)
    done.summary.not_searched = 0  # fetch never searches for equivalents
    report_import(done, OnDuplicate.KEEP)
    if sets[name].puzzles not in (0, done.listing.puzzles):
        warn(f"the catalogue has {number_of(sets[name].puzzles, 'puzzle')}")
