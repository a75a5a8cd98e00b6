"""`harness datasets list`: the datasets of the catalogue."""

from typing import TYPE_CHECKING

from harness.cli.options import JsonOption
from harness.cli.terminal import show, theme_of, wrapped
from harness.errors import InputError
from harness.puzzles.listing import Listing, listings
from harness.report.style import Style
from harness.text import printable

if TYPE_CHECKING:
    from harness.documents.puzzles import DatasetData


def list_(as_json: JsonOption = False) -> None:
    """List the shipped datasets and those you imported. Any puzzle file is a dataset too."""
    if as_json:
        from harness.report.render.json import json

        show(json([_data(listing) for listing in listings()]), end="")
        return
    for listing in listings():
        show_listing(listing)


def show_listing(listing: Listing) -> None:
    """Print the entry of a dataset."""
    if listing.problem:
        show(wrapped(f"{listing.name}:", 2, first=0))
    else:
        shapes = ", ".join(listing.shapes)
        show(wrapped(printable(f"{listing.name}: {listing.title}"), 2, first=0))
        show(wrapped(f"{listing.puzzles:,} puzzles, {shapes}", 2))
        show(wrapped(printable(f"origin: {listing.origin}"), 2))
        if listing.licence:
            show(wrapped(printable(f"licence: {listing.licence}"), 2))
        show(wrapped(f"expected counts: {listing.expected_count}", 2))
    if problem := problem_of(listing):
        show(theme_of().styled(wrapped(printable(problem), 2), Style.BAD))


def problem_of(listing: Listing) -> str:
    """Why a dataset cannot be used; empty if it can."""
    try:
        listing.check()
    except InputError as error:
        return str(error).removeprefix(f"{error.where}: ")
    return ""


def _data(listing: Listing) -> "DatasetData":
    from harness.documents.puzzles import DatasetData

    return DatasetData(
        name=listing.name,
        title=listing.title,
        puzzles=listing.puzzles,
        shapes=[*listing.shapes],
        origin=listing.origin,
        licence=listing.licence or None,
        expected_count=listing.expected_count,
        commands=[*listing.commands],
        imported=listing.imported,
        source=listing.source or None,
        source_sha256=listing.source_sha256 or None,
        problem=problem_of(listing),
    )
