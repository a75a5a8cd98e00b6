"""`harness datasets`: shipped datasets."""

import json
from dataclasses import asdict, dataclass

import typer

from harness.cli.help import Group
from harness.cli.options import JsonOption
from harness.cli.terminal import wrapped
from harness.puzzles.catalogue import listings, load_dataset

app = typer.Typer(cls=Group, help="List the shipped datasets.")


@dataclass(frozen=True, slots=True)
class _Row:
    """A dataset in the list; the fields are the keys of the JSON output."""

    name: str
    title: str
    puzzles: int
    shapes: list[str]
    origin: str
    expected_count: str


@app.callback(invoke_without_command=True)
def datasets(context: typer.Context, as_json: JsonOption = False) -> None:
    """List the shipped datasets. Any puzzle file is a dataset too."""
    if context.invoked_subcommand:
        return
    rows = _rows()
    if as_json:
        typer.echo(json.dumps([asdict(row) for row in rows], indent=2))
        return
    for row in rows:
        typer.echo(f"{row.name}: {row.title}")
        typer.echo(f"  {row.puzzles} puzzles, {', '.join(row.shapes)}")
        typer.echo(wrapped(f"origin: {row.origin}", 2))
        typer.echo(wrapped(f"expected counts: {row.expected_count}", 2))


def _rows() -> list[_Row]:
    rows = []
    for listing in listings():
        instances = load_dataset(listing.name).instances
        shapes = list(dict.fromkeys(instance.puzzle.shape.spec for instance in instances))
        rows.append(
            _Row(
                listing.name,
                listing.title,
                len(instances),
                shapes,
                listing.origin,
                listing.expected_count,
            )
        )
    return rows
