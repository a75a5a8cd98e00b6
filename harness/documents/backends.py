"""Backends and their options."""

from typing import Annotated

from harness.documents.document import Document, says


class BackendOptionData(Document):
    """An option of a backend."""

    name: Annotated[str, says("Name in a spec.")]
    type: Annotated[str, says("`bool`, `int`, `float` or `str`.")]
    default: Annotated[bool | int | float | str | None, says("Default value.")]
    help: Annotated[str, says("Meaning.")]
    choices: Annotated[list[str], says("Allowed values; empty for any.")]
    minimum: Annotated[int | float | None, says("Smallest allowed number; null for no limit.")]
    keeps_contract: Annotated[
        bool, says("Whether the backend keeps the contract with every value.")
    ]


class BackendData(Document):
    """A list of such objects, one for each backend."""

    name: Annotated[str, says("Name for `--backend`.")]
    paradigm: Annotated[str | None, says("How the backend solves.")]
    available: Annotated[bool, says("Whether it works on this machine.")]
    reason: Annotated[str | None, says("Why it is unavailable.")]
    remedy: Annotated[str | None, says("How to make it available, if known.")]
    distributions: Annotated[
        dict[str, str | None], says("Required packages with their installed versions.")
    ]
    capabilities: Annotated[list[str], says("What it can do, in words.")]
    options: Annotated[list[BackendOptionData], says("Options for its spec.")]
