"""The analyser as an ASGI application: a few files, and a few questions with limits."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from importlib.resources import files
from typing import Any

from starlette.applications import Starlette
from starlette.datastructures import MutableHeaders
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.middleware.trustedhost import TrustedHostMiddleware
from starlette.requests import ClientDisconnect, Request
from starlette.responses import JSONResponse, RedirectResponse, Response
from starlette.routing import BaseRoute, Mount, Route
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from mines_dd.board.look import css_variables
from mines_dd.serve.answers import QUESTIONS
from mines_dd.serve.workers import Workers

__all__ = ["LOOPBACK", "make_app"]

LOOPBACK = ("localhost", "127.0.0.1", "[::1]")
"""The names of the server for a browser on the same machine."""

_TYPES = {".html": "text/html", ".js": "text/javascript", ".css": "text/css"}
_PALETTE = "/palette.css"
_HEADERS = {
    "Content-Security-Policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src data:; "
        "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    ),
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
    "Cache-Control": "no-store",
}


def make_app(workers: Workers, hosts: Sequence[str] = LOOPBACK, prefix: str = "") -> ASGIApp:
    """Return the analyser as an ASGI application.

    Parameters
    ----------
    workers : Workers
        They are started and ended with the application.
    hosts : sequence of str
        The names that a request's Host header may have, without port.  If another site makes its own name point to
        this machine (DNS rebinding), its page sends that name and is refused.
    prefix : str
        A path such as "/mines" under which everything is served as well, for a proxy that leaves it in.
    """

    @contextlib.asynccontextmanager
    async def lifespan(_: Starlette) -> AsyncIterator[None]:
        async with workers.running():
            yield

    routes: list[BaseRoute] = [Route(path, handle, methods=["GET"]) for path, handle in _files().items()]
    routes.append(Route(_PALETTE, _content(css_variables().encode(), "text/css"), methods=["GET"]))
    routes += [Route(f"/api/{name}", _question(name, workers), methods=["POST"]) for name in QUESTIONS]
    if prefix:
        routes += [Route(prefix, _redirect(f"{prefix}/"), methods=["GET"]), Mount(prefix, routes=[*routes])]
    app = Starlette(
        routes=routes,
        middleware=[Middleware(TrustedHostMiddleware, allowed_hosts=list(hosts), www_redirect=False)],
        exception_handlers={HTTPException: _refusal},
        lifespan=lifespan,
    )
    for router in (app.router, *(route.app for route in routes if isinstance(route, Mount))):
        router.redirect_slashes = False  # type: ignore[attr-defined]
    return _SafeHeaders(app)


class _SafeHeaders:
    """Adds to every response, errors included, the headers that keep other sites out."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                MutableHeaders(scope=message).update(_HEADERS)
            await send(message)

        await self._app(scope, receive, send_with_headers)


_UNREAD = (404, 405, 415)
"""Said before the body of a request is read.  It is, then: where it is broken, the server has answered by itself."""
_DRAINING = 1.0  # seconds, at most

Handler = Callable[[Request], Awaitable[Response]]


def _files() -> dict[str, Handler]:
    """For each path of the page a handler with the file, read now: no request touches the file system."""
    page = files("mines_dd.serve").joinpath("page")
    return {
        "/" if file.name == "index.html" else f"/{file.name}": _content(file.read_bytes(), _TYPES[suffix])
        for file in page.iterdir()
        if (suffix := os.path.splitext(file.name)[1]) in _TYPES
    }


def _content(content: bytes, media_type: str) -> Handler:
    async def handle(_: Request) -> Response:
        return Response(content, media_type=media_type)

    return handle


def _redirect(path: str) -> Handler:
    async def handle(_: Request) -> Response:
        return RedirectResponse(path)

    return handle


def _question(name: str, workers: Workers) -> Handler:
    limits = workers.limits

    async def handle(request: Request) -> Response:
        most = limits.file if name in ("read", "export") else limits.body
        values = await _values(request, most, workers)
        client = request.client.host if request.client else "", request.headers.get("x-page", "")[:40]
        status, content = await workers.ask(name, values, client, request.headers.get("x-topic", "")[:40])
        headers = {"Retry-After": str(workers.seconds_to_wait)} if status == 503 else None
        return Response(content, status, headers, "application/json")

    return handle


async def _values(request: Request, most: int, workers: Workers) -> dict[str, Any]:
    """The JSON object in the body of a request: plain values, and lists of them."""
    # A form on another site cannot send this type, and a script there needs permission (CORS), which is never given.
    if request.headers.get("content-type", "").partition(";")[0].strip().lower() != "application/json":
        raise HTTPException(415, "Send application/json.")
    body = bytearray()
    try:
        async with workers.patience():
            async for part in request.stream():
                body += part
                if len(body) > most:
                    raise HTTPException(413, f"A request has at most {most:,} bytes.")
    except TimeoutError:
        raise HTTPException(408, "The request did not arrive in time.") from None
    except ClientDisconnect:
        raise HTTPException(400, "The request ended early.") from None
    try:
        value = json.loads(body)
    except (ValueError, RecursionError):
        value = None
    if not isinstance(value, dict):
        raise HTTPException(400, "Send a JSON object.")
    parts = [part for one in value.values() for part in (one if isinstance(one, list) else [one])]
    if any(isinstance(part, list | dict) for part in parts):
        raise HTTPException(400, "A value is nested too deeply: send plain values and lists of them.")
    return value


async def _refusal(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    if error.status_code in _UNREAD:
        with contextlib.suppress(ClientDisconnect, TimeoutError):
            async with asyncio.timeout(_DRAINING):
                async for _ in request.stream():
                    pass
    return JSONResponse({"error": error.detail, "kind": "request"}, error.status_code, error.headers)
