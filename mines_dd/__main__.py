"""The command `mines-dd`, and `python -m mines_dd`."""

import sys

__all__ = ["main"]


def main() -> None:
    """Run the command line; Ctrl-C while it, or what a command needs, is loaded is no traceback either."""
    try:
        from mines_dd.cli.main import main as run

        run()
    except (KeyboardInterrupt, RuntimeError) as error:
        # Python 3.11 makes a RuntimeError of one that comes where a class is made.
        if not isinstance(error, KeyboardInterrupt) and not isinstance(error.__cause__, KeyboardInterrupt):
            raise
        print("\nmines-dd: interrupted", file=sys.stderr)  # to nowhere if standard error is closed
        sys.exit(130)


if __name__ == "__main__":
    main()
