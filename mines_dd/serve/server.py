"""The server: it takes one request on each connection, and closes connections that last too long."""

from __future__ import annotations

import asyncio
import contextlib
import ipaddress
import re
import signal
import socket
import threading
from collections.abc import Callable, Sequence

import h11
import uvicorn
from uvicorn.protocols.http.h11_impl import H11Protocol

from mines_dd.base.errors import MinesError, reason
from mines_dd.base.wording import shown
from mines_dd.serve.answers import Limits
from mines_dd.serve.app import LOOPBACK, make_app
from mines_dd.serve.workers import Workers

__all__ = ["run"]

_MOST_CONNECTIONS = 2048
_SPARE = 100  # file descriptors for other things


def run(
    host: str,
    port: int,
    limits: Limits,
    hosts: Sequence[str] = (),
    prefix: str = "",
    announce: Callable[[str], object] = print,
) -> None:
    """Serve the analyser until interrupted; the page is there at once, answers when a worker is ready.

    Parameters
    ----------
    host, port
        Where to listen; port 0 is any free one.
    limits : Limits
    hosts : sequence of str
        Names of this machine that a browser may use in addition to the loopback names.
    prefix : str
        A path such as "/mines" under which a proxy shows the page to browsers.
    announce : callable
        Called with the page's address before the first request is served.

    Raises
    ------
    MinesError
        If it cannot listen there, one of `hosts` is no name or address, or it is to listen on all addresses but
        `hosts` is empty.
    """
    names = _names(host, hosts)
    listener = _listener(host, port)
    most = _connections_possible()
    workers = Workers(limits)
    with listener:
        announce(f"http://{_in_url(host)}:{listener.getsockname()[1]}/")
        config = uvicorn.Config(
            make_app(workers, names, prefix),
            http=_connection(limits, most // 2),
            ws="none",
            lifespan="on",
            headers=[("Connection", "close")],
            server_header=False,
            access_log=False,
            log_level="warning",
            limit_concurrency=most,
            timeout_graceful_shutdown=2,
        )
        _Server(config, workers).run(sockets=[listener])


class _Server(uvicorn.Server):
    """A server that leaves nobody waiting when it is ended."""

    def __init__(self, config: uvicorn.Config, workers: Workers) -> None:
        super().__init__(config)
        self._workers = workers

    def run(self, sockets: list[socket.socket] | None = None) -> None:
        """Serve until interrupted, be it while asyncio's loop is made, which leaves a traceback otherwise."""
        if threading.current_thread() is not threading.main_thread():
            return super().run(sockets)
        before = signal.signal(signal.SIGINT, self.handle_exit)
        try:
            super().run(sockets)
        finally:
            signal.signal(signal.SIGINT, before)

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        self._workers.end()  # requests under way are answered now
        await super().shutdown(sockets)
        if self.force_exit:  # a second Ctrl-C: the application still has to end in order
            await self.lifespan.shutdown()


def _names(host: str, others: Sequence[str]) -> list[str]:
    """The Host headers to accept."""
    names = [*LOOPBACK, *map(_name, others)]
    try:
        address = ipaddress.ip_address(host)
    except ValueError:
        return [*names, host]
    if address.is_unspecified and not others:
        raise MinesError(
            f"{host} is every address of this machine; say with --allow-host by which names or addresses it may be "
            "called (anything else could be another site's page)"
        )
    return [*names, _in_url(str(address))]


def _name(given: str) -> str:
    """A name or address as browsers send it.

    >>> _name("Club.example"), _name("münchen.example"), _name("::1"), _name("[0:0::1]")
    ('club.example', 'xn--mnchen-3ya.example', '[::1]', '[::1]')
    """
    with contextlib.suppress(ValueError):
        return _in_url(str(ipaddress.ip_address(given.removeprefix("[").removesuffix("]"))))
    with contextlib.suppress(UnicodeError):
        name = given.encode("idna").decode().lower()
        if re.fullmatch(r"[-\w]+(\.[-\w]+)*\.?", name, re.ASCII):
            return name
    raise MinesError(
        f"--allow-host {shown(given)} is no name or address; write what stands between http:// and the port in "
        "browsers, such as club.example or 192.168.1.20, and the option once for each"
    )


def _in_url(host: str) -> str:
    return f"[{host}]" if ":" in host else host


def _listener(host: str, port: int) -> socket.socket:
    try:
        family = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0][0]
        return socket.create_server((host, port), family=family, backlog=_MOST_CONNECTIONS)
    except (OSError, UnicodeError) as error:
        why = reason(error).partition(" (while ")[0]  # what Python adds
        said = f"cannot listen on {host} port {port}: {why}; choose another with --port or --host"
        raise MinesError(said) from None


def _connections_possible() -> int:
    """How many connections the system allows, with as many open files as it lets a process have."""
    try:
        import resource

        files, most = resource.getrlimit(resource.RLIMIT_NOFILE)
        wanted = _MOST_CONNECTIONS + _SPARE
        if files != resource.RLIM_INFINITY and files < wanted:
            files = wanted if most == resource.RLIM_INFINITY else min(most, wanted)
            resource.setrlimit(resource.RLIMIT_NOFILE, (files, most))
    except (ImportError, OSError, ValueError):
        files = 512
    return _MOST_CONNECTIONS if files < 0 else max(64, min(_MOST_CONNECTIONS, files - _SPARE))


def _connection(limits: Limits, most_incomplete: int) -> type[asyncio.Protocol]:
    """A class of connections that are closed if the request does not arrive in time, or if they last too long.

    Only some may be without their whole request at a time: one more closes the one that began first, so that
    connections on which nothing comes keep nobody out.

    The longest useful connection sends its head and its body, waits for a worker up to three times, as two of them may
    end, and reads the answer.
    """
    most = 5 * limits.patience + 2 * limits.seconds + 10
    incomplete: dict[Connection, None] = {}

    class Connection(H11Protocol):
        def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
            super().connection_made(transport)
            self._ends = [
                self.loop.call_later(limits.patience, self._abort_without_request),
                self.loop.call_later(most, transport.abort),
            ]
            incomplete[self] = None
            if len(incomplete) > most_incomplete:
                oldest = next(iter(incomplete))
                del incomplete[oldest]
                oldest.transport.abort()

        def data_received(self, data: bytes) -> None:
            super().data_received(data)
            if self.conn.their_state not in (h11.IDLE, h11.SEND_BODY):
                incomplete.pop(self, None)

        def connection_lost(self, exc: Exception | None) -> None:
            incomplete.pop(self, None)
            for end in self._ends:
                end.cancel()
            super().connection_lost(exc)

        def _abort_without_request(self) -> None:
            if self.conn.their_state is h11.IDLE:
                self.transport.abort()

    return Connection
