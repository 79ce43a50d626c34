"""`mines-dd serve`: the analyser as a web page."""

from __future__ import annotations

import contextlib
import re

import click

from mines_dd.base.errors import MinesError
from mines_dd.cli.common import Number, Subcommand, Whole, examples, timeout_option

__all__ = ["serve"]


def _prefix(value: str) -> str:
    """The path with a slash before it and none after it."""
    path = "/" + value.strip("/") if value.strip("/") else ""
    if re.fullmatch(r"[-\w./~]*", path, re.ASCII) is None or {".", "..", ""} & {*path.split("/")[1:]}:
        raise click.BadParameter(f"{value!r} is no path; write letters, digits, - and /, such as /mines")
    return path


@click.command(
    cls=Subcommand,
    more="write a port as --port 8080; boards are entered on the page",
    epilog=examples("mines-dd serve --port 8080"),
)
@click.option("--host", default="127.0.0.1", show_default=True, metavar="ADDRESS", help="The address to listen on.")
@click.option(
    "--port",
    type=Whole(0, 65535),
    default=8000,
    show_default=True,
    metavar="PORT",
    help="The port to listen on; 0 is any free one.",
)
@click.option(
    "--allow-host", multiple=True, metavar="NAME", help="A name or address by which browsers may call this machine."
)
@click.option(
    "--prefix",
    default="",
    metavar="PATH",
    callback=lambda ctx, param, value: _prefix(value),
    help="The path under which a proxy shows the page, such as /mines.",
)
@timeout_option(10, "The limit of time for a position, up to 600.", most=600)
@click.option(
    "--max-nodes",
    type=Whole(1),
    default=5_000_000,
    show_default=True,
    metavar="NODES",
    help="The limit of table entries for a position.",
)
@click.option(
    "--memory",
    type=Number(0.1, 1_000_000),
    default=2,
    show_default=True,
    metavar="GIB",
    help="The limit of memory for a worker.",
)
@click.option(
    "--workers",
    type=Whole(1, 64),
    default=2,
    show_default=True,
    metavar="N",
    help="Worker processes: how many positions are solved at a time, up to 64.",
)
def serve(
    host: str,
    port: int,
    allow_host: tuple[str, ...],
    prefix: str,
    timeout: float,
    max_nodes: int,
    memory: float,
    workers: int,
) -> None:
    """Run a local web server with a page that analyses positions.

    The server runs until Ctrl-C, which is no error.  It refuses a position that exceeds the limits of time, table
    entries or memory.  Only this machine can reach it, unless --host is another address; there is no password and no
    encryption.
    """
    with contextlib.suppress(KeyboardInterrupt):  # not raised where the shell has a background job ignore Ctrl-C
        try:
            from mines_dd.serve.answers import Limits
            from mines_dd.serve.server import run
        except ModuleNotFoundError as error:
            raise MinesError(f'the server needs {error.name}: pip install "mines-dd[serve]"') from None

        limits = Limits(nodes=max_nodes, seconds=timeout, memory=int(memory * 2**30), workers=workers)
        run(host, port, limits, allow_host, prefix, lambda address: click.echo(f"{address} (end with Ctrl-C)"))
    click.echo("ended", err=True)
