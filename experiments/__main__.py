"""All experiments: `python -m experiments` lists them, `python -m experiments all` runs them.

`python -m experiments all --quick` runs each in a small size, in about a quarter of an hour on two cores.  At the end
stands one page with all tables and pictures, report.html.
"""

from __future__ import annotations

import contextlib
import os
import pkgutil
import signal
import subprocess
import sys
import time
from importlib import import_module
from pathlib import Path

import click

import experiments
from experiments.harness import Experiment, command, names_of
from experiments.report import PRINTED, Section, write_report
from experiments.shared import table
from mines_dd.base.checks import require_choice

ROOT = Path(__file__).parent.parent
QUICK_SECONDS = 600.0
"""After which a quick experiment is ended."""


def all_experiments() -> dict[str, Experiment]:
    """Return the experiments of this folder by name: the modules that have a `main` of that kind."""
    names = [module.name for module in pkgutil.iter_modules(experiments.__path__) if module.name != "__main__"]
    mains = {name: getattr(import_module(f"experiments.{name}"), "main", None) for name in names}
    return {name: main for name, main in mains.items() if isinstance(main, Experiment)}


class Experiments(click.Group):
    """The command `all`, and every experiment under its name."""

    def get_command(self, context: click.Context, name: str) -> click.Command | None:
        """Return the command of this name; refuse what is none."""
        found = super().get_command(context, name)
        if found is None:
            known = all_experiments()
            found = known[require_choice(name, known, "experiment", otherwise="; all runs all of them")]
        return found


@click.group(cls=Experiments, invoke_without_command=True, help=__doc__)
@click.pass_context
def main(context: click.Context) -> None:
    if context.invoked_subcommand is None:
        rows = [[name, f"{one.minutes:g}", one.line] for name, one in all_experiments().items()]
        print(table(rows, ["experiment", "minutes", "what it shows"], "lrl"))
        print("\npython -m experiments.NAME runs one; python -m experiments all --quick all of them, in a small size")


@main.command("all")
@click.option("--quick", is_flag=True, help="In a small size.")
@click.option("--only", help="Names, with commas between.")
@click.option(
    "--output", type=click.Path(file_okay=False, path_type=Path), help="By default results, or results/quick."
)
def run_all(quick: bool, only: str | None, output: Path | None) -> None:
    """Run all experiments and write report.html."""
    known = all_experiments()
    names = names_of(known)(only) if only else list(known)
    folder = output or Path("results", "quick" if quick else "")
    sections = []
    for name in names:
        print(f"{name} ...", end=" ", flush=True)
        sections.append(run_one(name, known[name], quick, folder / name))
        print(f"{sections[-1].outcome} after {sections[-1].minutes:.1f} minutes", flush=True)
    typed = "python -m experiments all" + (" --quick" if quick else "") + (f" --only {only}" if only else "")
    write_report(folder / "report.html", sections, typed)
    print(folder / "report.html")
    if any(section.code != 0 for section in sections):
        sys.exit(1)


def run_one(name: str, one: Experiment, quick: bool, folder: Path) -> Section:
    """Run an experiment in a process of its own; what it prints goes to a file."""
    folder.mkdir(parents=True, exist_ok=True)
    options = ["--quick"] if quick else []
    started = time.monotonic()
    with open(folder / PRINTED, "wb") as printed:
        process = subprocess.Popen(
            [sys.executable, "-m", f"experiments.{name}", *options, "--output", str(folder.absolute())],
            cwd=ROOT,
            stdout=printed,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
        try:
            code: int | None = process.wait(QUICK_SECONDS if quick else None)
        except subprocess.TimeoutExpired:
            code = None
        finally:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()
    minutes = (time.monotonic() - started) / 60
    typed = f"python -m experiments.{name} {'--quick' if quick else ''}".rstrip()
    return Section(name, one.help or "", typed, minutes, code, folder)


if __name__ == "__main__":
    command(lambda: main(standalone_mode=False))
