"""What a request contains, as an object of a type, and answers as JSON."""

import asyncio
import re
from typing import Any, Final, TypeVar

import msgspec
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response

from harness.contract import registry
from harness.contract.options import BackendSpec, parse_specs
from harness.errors import InputError, invalid, meant
from harness.text import printable, shortened

# Errors as one line of text for a page.


_LONGEST: Final = 600


def sentence(text: object) -> str:
    """A text or an error as one printable line of at most 600 characters."""
    return shortened(printable(" ".join(str(text).split())), _LONGEST)


# Answers as JSON.


def reply(data: Any) -> Response:
    """An answer with this object as JSON."""
    return Response(msgspec.json.encode(data), media_type="application/json")


# What a request contains, up to a size, and as an object of a type.


Body = TypeVar("Body")

MOST_BYTES: Final = 2**20
"""Bytes of the body of an ordinary request."""
_READ_S: Final = 30.0
_TOO_LONG: Final = re.compile(r"Expected `str` of length <= ([0-9]+) - at `\$\.(\w+)`")
"""What msgspec raises for a text beyond its limit."""


async def bytes_of(request: Request, most: int = MOST_BYTES) -> bytes:
    """The body of a request.

    Raises:
        InputError: it has more than `most` bytes, does not arrive in 30 seconds, or is cut off.
    """
    found = bytearray()
    try:
        async with asyncio.timeout(_READ_S):
            async for part in request.stream():
                found += part
                if len(found) > most:
                    raise InputError("the request is too large", expected=f"at most {most:,} bytes")
    except TimeoutError:
        raise InputError(f"the request did not arrive in {_READ_S:g} seconds") from None
    except ClientDisconnect:
        # Nobody gets this answer; it is no failure of the workbench.
        raise InputError("the request was cut off", expected="the rest of it") from None
    return bytes(found)


async def body_of(request: Request, kind: type[Body], most: int = MOST_BYTES) -> Body:
    """The JSON body of a request as an object.

    Raises:
        InputError: it is too large, or is not such an object.
    """
    return decoded(await bytes_of(request, most), kind)


def decoded(data: bytes, kind: type[Body]) -> Body:
    """JSON as an object of a type.

    Raises:
        InputError: it is not such an object.
    """
    try:
        return msgspec.json.decode(data, type=kind)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        if long := _TOO_LONG.fullmatch(str(error)):
            raise InputError(f"The {long[2]} has more than {_length(int(long[1]))}.") from None
        raise InputError(f"malformed request: {sentence(error)}") from None


def _length(characters: int) -> str:
    """A limit of a text in words; the characters of most texts have a byte each."""
    if characters % 2**20:
        return f"{characters:,} characters"
    return f"{characters // 2**20} MiB"


# The specs of backends in requests.


def specs_in(text: str, most: int, *, allows_files: bool) -> list[BackendSpec]:
    """The configurations of a spec.

    Args:
        text: a spec, perhaps with a grid of options.
        most: the largest number of configurations that it may stand for.
        allows_files: whether a backend may be a file.

    Raises:
        InputError: it is malformed, stands for too many configurations, or is not allowed.
    """
    if (number := _combinations(text)) > most:
        raise invalid("configurations of a spec", number, f"at most {most}")
    specs = parse_specs(text)
    names = registry.names()
    for spec in specs:
        if not allows_files and spec.locator not in names:
            raise InputError(
                f"{spec.locator!r:.60} is no installed backend{meant(spec.locator, names)}",
                expected="its name, or a file after harness workbench --allow-files",
            )
    return specs


def _combinations(text: str) -> int:
    """At least as many configurations as a spec stands for, without making them."""
    number, values, depth = 1, 1, 0
    for char in text:
        if char == "[":
            depth += 1
            values = 1
        elif char == "]":
            if depth > 1:
                number *= values
            depth -= 1
        elif char == "," and depth > 1:
            values += 1
    return number
