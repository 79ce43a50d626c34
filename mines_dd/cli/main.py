"""The command line: `mines-dd COMMAND BOARD`.

Exit codes: 0 success, 1 no assignment to print or methods disagree, 2 bad input, 3 over budget, 130 interrupted.
"""

from __future__ import annotations

import codecs
import io
import os
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any

import click

from mines_dd import __version__
from mines_dd.base.compiling import interrupt
from mines_dd.base.errors import BudgetExceededError, MinesError, reason
from mines_dd.cli.analyse import analyse, explain
from mines_dd.cli.assignments import count, list_assignments, prob, sample
from mines_dd.cli.build import build
from mines_dd.cli.cheapest import cheapest
from mines_dd.cli.coach import coach
from mines_dd.cli.common import examples
from mines_dd.cli.compare import compare
from mines_dd.cli.completion import completion
from mines_dd.cli.draw import draw
from mines_dd.cli.example import example
from mines_dd.cli.export import export
from mines_dd.cli.generate import generate
from mines_dd.cli.play import play
from mines_dd.cli.retrograde import retrograde
from mines_dd.cli.serve import serve
from mines_dd.cli.shiritori import shiritori
from mines_dd.cli.strings import strings
from mines_dd.cli.umigame import umigame
from mines_dd.cli.warm_up import warm_up

__all__ = ["main"]

SECTIONS = {
    "A position": (analyse, explain, play, coach),
    "All its mine assignments": (count, prob, list_assignments, sample, cheapest, draw, compare),
    "Boards": (example, generate, export),
    "Other problems": (build,),
    "Other games": (strings, retrograde, shiritori, umigame),
    "Tools": (serve, warm_up, completion),
}
OTHER_NAMES = {"analyze": "analyse", "probabilities": "prob", "probability": "prob"}
MEANT = {
    "version": "mines-dd --version prints it",
    "help": "mines-dd --help lists the commands, mines-dd COMMAND --help explains one",
    "advise": "play BOARD prints the best move, and why",
    "simulate": "play --games N plays random games",
    "solve": "analyse asks about a position; count, prob, list and sample ask about all its mine assignments",
}


class Commands(click.Group):
    """The commands, listed by section; a closed output pipe ends the program silently."""

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Find a command by its name or another spelling of it."""
        name = cmd_name.lower()
        return super().get_command(ctx, OTHER_NAMES.get(name, name))

    def resolve_command(self, ctx: click.Context, args: list[str]) -> Any:
        """Find the command that is called; say where to find what some look for by another name."""
        if args[0] in MEANT:
            ctx.fail(f"No such command {args[0]!r}: {MEANT[args[0]]}.")
        if self.get_command(ctx, args[0]) is None and ("#" in args[0] or os.path.isfile(args[0])):
            ctx.fail(f'{args[0]!r} is no command; first say what to do with it, as in: mines-dd analyse "{args[0]}"')
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """List the commands by section, in columns of one width."""
        width = max(map(len, self.commands))
        for title, commands in SECTIONS.items():
            with formatter.section(title):
                formatter.write_dl([(f"{c.name:<{width}}", c.get_short_help_str(70)) for c in commands])

    def invoke(self, ctx: click.Context) -> Any:
        """Run a command; end silently when the reader closes the pipe, as in `mines-dd list ... | head`."""
        try:
            result = super().invoke(ctx)
            sys.stdout.flush()
            return result
        except BrokenPipeError:
            _drop_output()
            ctx.exit(0)


@click.group(
    cls=Commands,
    context_settings={"help_option_names": ["-h", "--help"]},
    epilog=examples(
        'mines-dd analyse "###/#2#/###"',
        "mines-dd example expert | mines-dd analyse -",
        "mines-dd generate 9 9 --mines 10 --hints 20 --seed 1 | mines-dd compare -",
    ),
)
@click.version_option(__version__, prog_name="mines-dd")
def cli() -> None:
    """All mine assignments of a Minesweeper board: counted, listed, sampled, drawn.

    \b
    BOARD is one of
      a file          one line for each row, after a line such as mines: 99;
                      also JSON, and .mbf, .mine and replays of other programs
      -               standard input
      the board       its rows, separated by /, in quotes: "##1/221/000",
                      or JSON (if there is a file of that name, it is read)
    Cells are # (closed), 0-8 (a count), F (a flag), * (a known mine).

    Exit codes: 0 success; 1 no assignment (list, cheapest), no solution (build) or methods disagree (compare); 2 bad
    input, also numbers that contradict each other; 3 over budget; 130 interrupted.
    """  # noqa: D301 (click reads the character \b as "leave these lines alone")


for commands in SECTIONS.values():
    for command in commands:
        cli.add_command(command)


def main() -> None:
    """Run the command line."""
    for name in ("stdout", "stderr"):  # None if the shell has closed it, as in `mines-dd ... >&-`
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, "w"))  # noqa: SIM115 (until the end)
    if isinstance(getattr(sys.stdout, "buffer", None), io.RawIOBase):
        # By PYTHONUNBUFFERED; Python then drops in silence what a disk that fills up did not take.
        out = sys.stdout
        sys.stdout = open(out.fileno(), "w", 1, out.encoding, out.errors, closefd=False)  # noqa: SIM115 (until the end)
    _escape_what_cannot_be_written()
    # Pictures are files: what draws those of a notebook may not be installed here, and matplotlib refuses its name.
    os.environ.pop("MPLBACKEND", None)
    sys.set_int_max_str_digits(0)
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, interrupt)  # at once, which kernels being compiled would otherwise put off
    with _exit_codes():
        from mines_dd.base.budget import memory_errors

        with memory_errors():
            code = cli.main(standalone_mode=False)
            sys.exit(code if isinstance(code, int) else 0)


def _escape_what_cannot_be_written() -> None:
    """Have letters that the encoding of the output lacks written as escapes, and say so once."""
    out = sys.stdout
    if not isinstance(out, io.TextIOWrapper) or out.errors != "strict":
        return
    said = False

    def escape(error: UnicodeError) -> tuple[str | bytes, int]:
        nonlocal said
        if not said and isinstance(error, UnicodeEncodeError):
            said = True
            letter = ascii(error.object[error.start])
            how = "" if out.encoding == "utf-8" else "; set PYTHONIOENCODING=utf-8 to have it as it is"
            _say(f"the output is in {out.encoding}, which lacks a letter: it is written as {letter}{how}")
        return codecs.backslashreplace_errors(error)

    codecs.register_error("mines_dd.escape", escape)
    out.reconfigure(errors="mines_dd.escape")


@contextmanager
def _exit_codes() -> Iterator[None]:
    """Turn errors into one line on standard error and an exit code."""
    try:
        yield
    except click.ClickException as error:
        with suppress(OSError):
            error.show()
        _exit(2)
    except BudgetExceededError as error:
        _fail(error, 3)
    except MinesError as error:
        _fail(error, 2)
    except OSError as error:
        _drop_output()
        _fail(f"cannot write the output: {reason(error)}", 2)
    except (click.Abort, KeyboardInterrupt):
        if signal.getsignal(signal.SIGINT) is interrupt:
            signal.signal(signal.SIGINT, signal.SIG_DFL)  # another Ctrl-C ends what is left to tidy up
        _fail("interrupted", 130)


def _drop_output() -> None:
    """Let what could not be written go to nowhere: Python tries again at its end."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


_LONGEST = 2_000  # characters of a message


def _fail(message: object, code: int) -> None:
    _say(message)
    _exit(code)


def _say(message: object) -> None:
    # What a message quotes of a file may hold anything, and a lot of it.
    text = "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in str(message)[:_LONGEST])
    with suppress(OSError):
        click.echo(f"mines-dd: {text}", err=True)


def _exit(code: int) -> None:
    """End with a code, which Python itself changes if its standard error is full."""
    try:
        sys.stderr.flush()
    except OSError:
        sys.stderr = None
    sys.exit(code)
