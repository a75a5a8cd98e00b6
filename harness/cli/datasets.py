"""`harness datasets`: shipped datasets."""

from typing import TYPE_CHECKING

import typer

from harness.cli.help import Group
from harness.cli.options import JsonOption
from harness.cli.terminal import show, wrapped
from harness.puzzles.catalogue import listings, load_dataset

if TYPE_CHECKING:
    from harness.cli.documents import DatasetData

app = typer.Typer(cls=Group, help="List the shipped datasets.")


@app.callback(invoke_without_command=True)
def datasets(context: typer.Context, as_json: JsonOption = False) -> None:
    """List the shipped datasets. Any puzzle file is a dataset too."""
    if context.invoked_subcommand:
        return
    found = _datasets()
    if as_json:
        from harness.report.render.json import json

        show(json(found), end="")
        return
    for dataset in found:
        show(wrapped(f"{dataset.name}: {dataset.title}", 2, first=0))
        show(wrapped(f"{dataset.puzzles} puzzles, {', '.join(dataset.shapes)}", 2))
        show(wrapped(f"origin: {dataset.origin}", 2))
        show(wrapped(f"expected counts: {dataset.expected_count}", 2))


def _datasets() -> "list[DatasetData]":
    from harness.cli.documents import DatasetData

    found = []
    for listing in listings():
        instances = load_dataset(listing.name).instances
        found.append(
            DatasetData(
                name=listing.name,
                title=listing.title,
                puzzles=len(instances),
                shapes=[*dict.fromkeys(instance.puzzle.shape.spec for instance in instances)],
                origin=listing.origin,
                expected_count=listing.expected_count,
            )
        )
    return found
