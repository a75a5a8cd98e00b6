"""Who may use the workbench: the user who started it, and no page of another site.

The address that the workbench prints has a token. A request with the token gets a cookie, which
every other request needs. A name in ``Host`` other than that of this machine is refused (a page
of another site can point its own name to this address), and so is another ``Origin``. A request
that changes something also needs a header that a page of another site can set only with permission.
"""

import hashlib
import hmac
import logging
import os
import secrets
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Final
from urllib.parse import parse_qs

from starlette.datastructures import Headers, MutableHeaders
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, RedirectResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from harness.base.errors import HarnessError
from harness.extensions.workbench.messages import sentence

HEADER: Final = "x-workbench"
"""The header of requests that change something."""
_POLICIES: Final = {
    "content-security-policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob: data:; "
        "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    ),
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "cache-control": "no-store",
}
"""Headers of every answer; an answer with its own value of a header keeps it."""
_SAFE: Final = ("GET", "HEAD")


def kept_secret(folder: Path | None) -> bytes:
    """The secret in a folder, made if it is missing; only the user can read it.

    A page keeps working after a restart of the server, because its cookie stays valid.
    """
    new = secrets.token_bytes(hashlib.sha256().digest_size)
    if folder is None:
        return new
    path = folder / "workbench-secret"
    with suppress(OSError):
        key = path.read_bytes()
        if len(key) == hashlib.sha256().digest_size:
            return key
    with suppress(OSError):
        folder.mkdir(parents=True, exist_ok=True)
        path.unlink(missing_ok=True)
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(descriptor, "wb") as file:
            file.write(new)
    return new


class Guarded:
    """An application that only requests with the cookie reach.

    Args:
        app: the application.
        port: the port of the server, which listens on loopback.
        secret: the key of cookies; with the key of an earlier server, its cookies stay valid.
    """

    def __init__(self, app: ASGIApp, port: int, secret: bytes) -> None:
        self._app = app
        self._hosts = (f"127.0.0.1:{port}", f"localhost:{port}")
        self._token = secrets.token_urlsafe(24)
        self._cookie = f"workbench-{port}"
        """The name of the cookie, which has the port, as ports share cookies."""
        value = hmac.new(secret, f"workbench:{port}".encode(), hashlib.sha256)
        self._cookie_value = value.hexdigest()
        self.address = f"http://127.0.0.1:{port}/?token={self._token}"
        """The address for the user."""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request, or refuse it."""
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
            return

        async def send_with_policy(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in _POLICIES.items():
                    headers.setdefault(name, value)
            await send(message)

        answer: ASGIApp = self._refusal(scope) or self._app
        await answer(scope, receive, send_with_policy)

    def _refusal(self, scope: Scope) -> Response | None:
        """The answer to a request that is kept from the application; None if it may pass."""
        headers = Headers(scope=scope)
        if not _only(headers, "host", "", self._hosts):
            return PlainTextResponse("unknown host\n", 403)
        origins = tuple(f"http://{host}" for host in self._hosts)
        other_site = PlainTextResponse("requests from other sites are refused\n", 403)
        if not _only(headers, "origin", origins[0], origins):
            return other_site
        if scope["path"] == "/" and scope["method"] in _SAFE:
            tokens = parse_qs(scope["query_string"].decode("ascii", "replace")).get("token")
            if tokens and _same(tokens[-1], self._token):
                # The cookie takes the place of the token in the address.
                answer = RedirectResponse("/", 303)
                answer.set_cookie(
                    self._cookie, self._cookie_value, httponly=True, samesite="strict", path="/"
                )
                return answer
        elif not _only(headers, "sec-fetch-site", "same-origin", ("same-origin", "none")):
            return other_site
        cookies = _cookies(headers, self._cookie)
        if not any(_same(cookie, self._cookie_value) for cookie in cookies):
            text = "Open the address that harness workbench printed; it has a token."
            if scope["path"].startswith("/api/"):
                return JSONResponse({"error": text}, 403)
            return PlainTextResponse(f"{text}\n", 403)
        if scope["method"] not in _SAFE and HEADER not in headers:
            return JSONResponse({"error": f"the header {HEADER} is missing"}, 403)
        return None


def _cookies(headers: Headers, name: str) -> Iterator[str]:
    """The values of all cookies with this name.

    Ports of one machine share cookies, so a malformed one of another application may come before
    ours, and `http.cookies` would drop them all.
    """
    for line in headers.getlist("cookie"):
        for pair in line.split(";"):
            key, _, value = pair.partition("=")
            if key.strip() == name:
                yield value.strip()


def _only(headers: Headers, name: str, default: str, values: Sequence[str]) -> bool:
    """Whether all lines of a header have an allowed value; without a line, it is the default."""
    return all(value in values for value in headers.getlist(name) or [default])


def _same(text: str, expected: str) -> bool:
    """Whether two texts are equal, in a time that does not depend on them."""
    return hmac.compare_digest(text.encode(errors="replace"), expected.encode())


# Errors as answers: bad input gets its message, and anything else a line in the log.


_LOG: Final = logging.getLogger(__name__)


async def refused(_: Request, error: Exception) -> Response:
    """The answer to bad input, with one line of text."""
    return JSONResponse({"error": sentence(error)}, 400)


async def missing(_: Request, error: Exception) -> Response:
    """The answer to an unknown address, or to a method that the address does not take."""
    assert isinstance(error, HTTPException)
    return JSONResponse({"error": error.detail}, error.status_code, headers=error.headers)


async def failed(request: Request, error: Exception) -> Response:
    """The answer to an error of the workbench itself."""
    _LOG.error("%s %s failed", request.method, request.url.path, exc_info=error)
    return JSONResponse({"error": "the workbench failed; its terminal shows why"}, 500)


HANDLERS: Final = {HarnessError: refused, HTTPException: missing, Exception: failed}
"""The answers by the class of the error."""
