"""Messages between the server and its askers."""

from typing import Annotated

from msgspec import Meta, Struct

from harness.documents.answers import ReplyData


class Query(Struct, frozen=True, kw_only=True):
    """A question to a configuration."""

    spec: str
    """The configuration."""
    core: int | None
    """The core for its worker; None for any."""
    shape: str
    puzzle: str
    """The puzzle as a line of its shape."""
    task: str
    limit: Annotated[int, Meta(ge=1)]
    timeout_s: Annotated[float, Meta(gt=0)]
    memory: Annotated[int, Meta(gt=0)]
    """In MiB."""


class Result(Struct, frozen=True, kw_only=True):
    """The answer to a question."""

    answer: ReplyData | None = None
    error: str = ""
    """Why there is no answer."""
