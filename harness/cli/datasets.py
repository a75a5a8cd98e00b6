"""`harness datasets`: shipped datasets."""

import json
from typing import Any

import typer

from harness.cli.options import JsonOption, wrapped
from harness.puzzles.catalogue import Listing, listings, load_dataset

app = typer.Typer(help="List the shipped datasets.")


@app.callback(invoke_without_command=True)
def datasets(context: typer.Context, as_json: JsonOption = False) -> None:
    """List the shipped datasets. A puzzle file is a dataset too."""
    if context.invoked_subcommand:
        return
    described = [_data(listing) for listing in listings()]
    if as_json:
        typer.echo(json.dumps(described, indent=2))
        return
    for dataset in described:
        typer.echo(f"{dataset['name']}: {dataset['title']}")
        typer.echo(f"  {dataset['puzzles']} puzzles, {', '.join(dataset['shapes'])}")
        typer.echo(wrapped(f"origin: {dataset['origin']}", 2))
        typer.echo(wrapped(f"expected counts: {dataset['expected_count']}", 2))


def _data(listing: Listing) -> dict[str, Any]:
    instances = load_dataset(listing.name).instances
    return {
        "name": listing.name,
        "title": listing.title,
        "puzzles": len(instances),
        "shapes": list(dict.fromkeys(instance.puzzle.shape.spec for instance in instances)),
        "origin": listing.origin,
        "expected_count": listing.expected_count,
    }
