"""Errors as answers: bad input gets its message, and anything else a line in the log."""

import logging
from typing import Final

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from harness.errors import HarnessError
from harness.workbench.sentences import sentence

_LOG: Final = logging.getLogger(__name__)


async def refused(_: Request, error: Exception) -> Response:
    """The answer to bad input, with one line of text."""
    return JSONResponse({"error": sentence(error)}, 400)


async def missing(_: Request, error: Exception) -> Response:
    """The answer to an unknown address, or to a method that it does not take."""
    assert isinstance(error, HTTPException)
    return JSONResponse({"error": error.detail}, error.status_code, headers=error.headers)


async def failed(request: Request, error: Exception) -> Response:
    """The answer to an error of the workbench itself."""
    _LOG.error("%s %s failed", request.method, request.url.path, exc_info=error)
    return JSONResponse({"error": "the workbench failed; its terminal shows why"}, 500)


HANDLERS: Final = {HarnessError: refused, HTTPException: missing, Exception: failed}
"""The answers by the class of the error."""
