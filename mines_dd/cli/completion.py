"""`mines-dd completion SHELL`: the script with which a shell completes commands, options and file names."""

from __future__ import annotations

import click

from mines_dd.cli.common import Choice, Subcommand, examples

__all__ = ["completion"]

SHELLS = ("bash", "zsh", "fish")


@click.command(
    cls=Subcommand,
    epilog=examples(
        "source <(mines-dd completion bash)                  # or this line in ~/.bashrc",
        "mines-dd completion fish > ~/.config/fish/completions/mines-dd.fish",
    ),
)
@click.argument("shell", type=Choice(SHELLS))
@click.pass_context
def completion(context: click.Context, shell: str) -> None:
    """Print a script that completes commands and options in a shell."""
    from click.shell_completion import get_completion_class

    kind = get_completion_class(shell)
    assert kind is not None
    click.echo(kind(context.find_root().command, {}, "mines-dd", "_MINES_DD_COMPLETE").source())
