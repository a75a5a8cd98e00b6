"""What a request contains, up to a size, and as an object of a type."""

import asyncio
from typing import Final, TypeVar

import msgspec
from starlette.requests import ClientDisconnect, Request

from harness.errors import InputError
from harness.workbench.sentences import sentence

Body = TypeVar("Body")

MOST_BYTES: Final = 2**20
"""Bytes of the body of an ordinary request."""
_READ_S: Final = 30.0


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
        raise InputError(f"malformed request: {sentence(error)}") from None
