r"""What owns an experiment's options, limits, saving and printing, so that its script holds the idea alone.

An experiment is three functions.  `jobs(options)` lists what to run; `run(job)` runs one of them in a process of its
own and returns a JSON object; the report, decorated, takes all results and yields texts and files:

    # counts.py; above all stands a docstring whose first line says what it shows
    from experiments.harness import Limits, experiment, option, picture
    from experiments.shared import done, table
    from mines_dd import Board, solve

    def run(job):
        board = Board.random(job["size"], job["size"], 0.2, 0.3, job["seed"])
        return {"count": solve(board).count()}

    @experiment(
        option("--size", 10, "Rows and columns."),
        jobs=lambda options: [{"size": options.size, "seed": seed} for seed in range(10)],
        run=run,
        limits=Limits(timeout=60, memory=8, workers=2),
        minutes=1,
        quick="--size 5",
    )
    def main(results, options):
        runs = done(results)
        yield table([[r["job"]["seed"], r["count"]] for r in runs], ["seed", "count"])
        yield picture("counts.png", (8, 5), lambda figure: figure.subplots().plot([r["count"] for r in runs]))

    if __name__ == "__main__":
        main.start()

A result is what `run` returned, with `job` and `status`: "done", "budget" if `run` raised `BudgetExceededError`,
"timeout" or "memory" if it took too much, "failed" if it raised anything else.  Every run has a new process, so one
that measures seconds runs something of the same shape first, which loads the kernels.

The command `main` has the options `--timeout`, `--memory`, `--workers`, `--scheduler`, `--output` and `--quick` too.
It goes on where it was stopped, prints the texts, keeps them with the machine and the versions in `table.txt`, and then
writes the files.  An experiment without jobs has a report that takes the options alone.

`python -m experiments` lists every module here with such a `main`, by the first line of its docstring.
"""

from __future__ import annotations

import contextlib
import os
import platform
import shlex
import sys
import traceback
from collections.abc import Callable, Collection, Iterator, Sequence
from importlib import metadata
from inspect import cleandoc
from math import inf
from pathlib import Path
from types import SimpleNamespace
from typing import Any, NamedTuple

import click

from experiments.sweeps import InterruptedSweepError, Job, Result, module_name, reason, sweep

__all__ = [
    "Experiment",
    "File",
    "Job",
    "Limits",
    "Options",
    "Report",
    "Result",
    "Results",
    "chosen",
    "command",
    "experiment",
    "facts",
    "names_of",
    "numbers",
    "numbers_of",
    "option",
    "picture",
    "text_file",
    "without_failed",
    "write_text",
]

Options = SimpleNamespace
"""The values of an experiment's options, by their names."""
TABLE, RUNS = "table.txt", "runs.jsonl"


Results = Sequence[Result]


class File(NamedTuple):
    """What a report leaves beside its table: a name, and a function that writes the file."""

    name: str
    write: Callable[[Path], object]


Report = Iterator[str | File]
"""What a report yields: texts, which are printed and kept, and files."""


class Limits(NamedTuple):
    """The usual limits of a run; the options of the same names change them.

    Attributes
    ----------
    timeout : float
        Seconds.
    memory : float
        GiB of address space.
    workers : int
        Runs at a time.
    times, more : float
        A process is ended after `times` times `timeout` and `more` seconds: it may build several times, and has to
        start first.
    """

    timeout: float
    memory: float
    workers: int = 1
    times: float = 1.0
    more: float = 0.0


class Experiment(click.Command):
    """An experiment's command, and what the list of all experiments says of it.

    Attributes
    ----------
    line : str
        What it shows.
    minutes : float
        How long it takes as it is, on two cores.
    quick : str
        Options that make it short.
    """

    def __init__(self, name: str, about: str, callback: Callable[..., None], minutes: float, quick: str) -> None:
        super().__init__(name, help=about, callback=callback)
        self.params.append(click.Option(["--quick"], is_flag=True, expose_value=False, help=f"The same as {quick}"))
        self.line = about.partition("\n")[0]
        self.minutes = minutes
        self.quick = quick

    def parse_args(self, context: click.Context, args: list[str]) -> list[str]:
        """Put the options that make it short for `--quick`; those that are typed beside it count more."""
        if "--quick" in args:
            args = [*shlex.split(self.quick), *(arg for arg in args if arg != "--quick")]
        return super().parse_args(context, args)

    def start(self) -> None:
        """Run it with the options of this process."""
        command(lambda: self.main(standalone_mode=False))


def experiment(
    *options: Callable[[Any], Any],
    jobs: Callable[[Options], Sequence[Job]] | None = None,
    run: Callable[[Job], Result] | None = None,
    limits: Limits | None = None,
    minutes: float,
    quick: str = "",
    output: str = "",
) -> Callable[[Callable[..., Report]], Experiment]:
    """Make a report an experiment.

    Parameters
    ----------
    *options
        What `option` returns.
    jobs, run : function, optional
        See the module; without them the report takes the options alone.
    limits : Limits, optional
        Of the runs.
    minutes : float
        How long it takes with its usual options on two cores.
    quick : str
        Options, as one would type them, with which it is short.
    output : str
        Another folder than `results/NAME`.  Nothing is written there but what the report writes itself.

    Returns
    -------
    function
        A decorator.
    """

    def decorate(report: Callable[..., Report]) -> Experiment:
        def callback(**values: Any) -> None:
            chosen = Options(**values)
            if jobs is None or run is None or limits is None:
                parts = report(chosen)
            else:
                swept = _swept(jobs(chosen), run, limits, chosen)
                parts = _of_results(report(swept, chosen), chosen.output / RUNS)
            if output:
                _print_only(parts)
            else:
                _present(parts, chosen.output)

        name = module_name(report).rpartition(".")[2]
        made = Experiment(name, cleandoc(report.__globals__["__doc__"]), callback, minutes, quick)
        folder = click.Path(file_okay=False, path_type=Path)
        usual = Path(output) if output else Path("results", name)
        for add in (*options, *_limit_options(limits), option("--output", usual, "The folder to write into.", folder)):
            add(made)
        return made

    return decorate


def option(name: str, default: Any, text: str = "", kind: Any = None, **more: Any) -> Callable[[Any], Any]:
    """An option of an experiment: its name, default and help, and its type where the default does not say it."""
    return click.option(name, default=default, help=text or None, type=kind, **{"show_default": True, **more})


def _limit_options(limits: Limits | None) -> list[Callable[[Any], Any]]:
    if limits is None:
        return []
    return [
        option("--timeout", float(limits.timeout), "Seconds a run may take."),
        option("--memory", float(limits.memory), "GiB a run may use."),
        option("--workers", limits.workers, "Runs at a time; 1 gives the least noisy times."),
        option("--scheduler", None, "Run on the Dask cluster at this address.", metavar="ADDRESS"),
    ]


def _swept(jobs: Sequence[Job], run: Callable[[Job], Result], limits: Limits, options: Options) -> list[Result]:
    return sweep(
        run,
        jobs,
        options.output / RUNS,
        timeout=limits.times * options.timeout + limits.more,
        memory=int(options.memory * 2**30),
        workers=options.workers,
        scheduler=options.scheduler,
    )


def _of_results(parts: Report, path: Path) -> Report:
    """The parts of a report on what a file holds; if it cannot be made, say of which file, and where that showed."""
    from mines_dd.base.errors import MinesError

    try:
        yield from parts
    except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError, MinesError) as error:
        place = traceback.extract_tb(error.__traceback__)[-1]
        raise OSError(
            f"the report cannot use {path}: {type(error).__name__}: {error} ({Path(place.filename).name}, line "
            f"{place.lineno}); if a line there was changed, or comes from another version, delete it and start again"
        ) from error


# What a report leaves


def _present(parts: Report, folder: Path) -> None:
    """Save and print the texts, then write the files; also of a report that ends with SystemExit."""
    texts: list[str] = []
    files: list[File] = []
    failure = None
    try:
        for part in parts:
            if isinstance(part, str):
                texts.append(part)
            else:
                files.append(part)
    except SystemExit as error:
        failure = error
    if texts:
        folder.mkdir(parents=True, exist_ok=True)
        text = "\n\n".join([*texts, facts()])
        write_text(folder / TABLE, text + "\n")
        print(text)
        for file in files:
            file.write(folder / file.name)
        runs = [RUNS] if (folder / RUNS).exists() else []
        print("\n" + ", ".join(str(folder / name) for name in (TABLE, *(file.name for file in files), *runs)))
    if failure is not None:
        raise failure


def _print_only(parts: Report) -> None:
    for part in parts:
        print(part, flush=True)


def picture(name: str, size: tuple[float, float], draw: Callable[[Any], object]) -> File:
    """A picture of so many inches; `draw` gets its matplotlib figure."""

    def write(path: Path) -> None:
        from matplotlib.figure import Figure

        figure = Figure(figsize=size, layout="constrained")
        draw(figure)
        figure.savefig(path, dpi=120)

    return File(name, write)


def text_file(name: str, text: str) -> File:
    """A file with this text."""
    return File(name, lambda path: write_text(path, text))


def write_text(path: Path, text: str) -> None:
    """Write a file so that it is either whole or not there."""
    partial = path.with_name(path.name + ".part")
    try:
        partial.write_text(text, encoding="utf-8")
    except OSError as error:
        partial.unlink(missing_ok=True)
        raise OSError(f"cannot write {path}: {reason(error)}") from None
    partial.replace(path)


def without_failed(results: Sequence[Result]) -> tuple[list[Result], str]:
    """Return the results of runs that did not fail, and lines that name the others.

    A run that failed, unlike one that was stopped at a limit, says nothing of how long it would have taken.
    """
    failed = "".join(f"\nfailed, left out: {r['job']}: {r['message']}" for r in results if r["status"] == "failed")
    return [r for r in results if r["status"] != "failed"], failed


def facts() -> str:
    """Return what results depend on, a line each: machine, Python, versions of the packages that compute."""
    packages = ("dd", "networkx", "numba", "numpy", "oxidd")
    known = {
        "machine": _processor(),
        "cores": str(os.cpu_count()),
        "system": f"{platform.system()} {platform.machine()}",
        "python": platform.python_version(),
        **{package: metadata.version(package) for package in packages},
    }
    return "\n".join(f"{key}: {value}" for key, value in known.items())


def _processor() -> str:
    with contextlib.suppress(OSError):
        for line in Path("/proc/cpuinfo").read_text().splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    return platform.processor() or "unknown"


# Options that are lists


def names_of(known: Collection[str], between: str = ",") -> Callable[[str], list[str]]:
    """The type of an option that lists known names; see `chosen`."""

    def names(text: str) -> list[str]:
        return chosen(text, known, between)

    return names


def numbers_of(kind: type[int] | type[float] = int, zero: bool = False) -> Callable[[str], list[Any]]:
    """The type of an option that lists positive numbers; see `numbers`."""

    def numbers_in(text: str) -> list[Any]:
        return numbers(text, kind=kind, zero=zero)

    numbers_in.__name__ = "numbers"  # what the help calls it
    return numbers_in


def chosen(names: str, known: Collection[str], between: str = ",") -> list[str]:
    """Split a list of names.

    Raises
    ------
    click.UsageError
        If one of them is not known.
    """
    result = [name.strip() for name in names.split(between)]
    for name in result:
        if name not in known:
            raise click.UsageError(f"{name!r} is none of {f'{between} '.join(known)}")
    return result


def numbers(text: str, between: str = ",", kind: type[int] | type[float] = int, zero: bool = False) -> list[Any]:
    """Split a list of positive numbers; `zero`: 0 will do too.

    Raises
    ------
    click.UsageError
        If one of them is not such a number.
    """
    result = []
    for number in text.split(between):
        try:
            result.append(kind(number))
        except ValueError:
            raise click.UsageError(f"{number!r} in {text!r} is not a number") from None
        if not 0 <= result[-1] < inf or (result[-1] == 0 and not zero):
            raise click.UsageError(f"{number} in {text!r} is not a positive number{' or 0' if zero else ''}")
    return result


# How a process ends


def command(main: Callable[[], None]) -> None:
    """Run an experiment; Ctrl-C ends it with a sentence and exit code 130, an error with 2.

    So does a picture where matplotlib is not installed; experiments print and keep their tables before they draw.
    """
    from mines_dd.base.errors import MinesError
    from mines_dd.board.picture import NO_MATPLOTLIB

    try:
        main()
        sys.stdout.flush()
    except (InterruptedSweepError, KeyboardInterrupt, click.Abort) as error:
        print(f"\n{error if str(error) else 'stopped; the same command goes on'}", file=sys.stderr)
        sys.exit(130)
    except click.ClickException as error:
        error.show()
        sys.exit(2)
    except (MinesError, OSError, ModuleNotFoundError) as error:
        text = str(error)
        if isinstance(error, OSError) and error.strerror:  # the system's own words, not ours
            text = f"{error.filename or 'output'}: {reason(error)}"
        if isinstance(error, ModuleNotFoundError):
            if (error.name or "").partition(".")[0] != "matplotlib":
                raise
            text = NO_MATPLOTLIB
        program = Path(sys.argv[0])
        print(f"{program.parent.name if program.stem == '__main__' else program.stem}: {text}", file=sys.stderr)
        with contextlib.suppress(OSError):
            sys.stdout.close()  # what could not be written must not be tried again at the exit
        sys.exit(2)
