"""What a request contains, up to a size, and as an object of a type."""

import asyncio
import re
from typing import Final, TypeVar

import msgspec
from starlette.requests import ClientDisconnect, Request

from harness.errors import InputError
from harness.workbench.sentences import sentence

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
