"""Answers as JSON."""

from typing import Any

import msgspec
from starlette.responses import Response


def reply(data: Any) -> Response:
    """An answer with this object as JSON."""
    return Response(msgspec.json.encode(data), media_type="application/json")
