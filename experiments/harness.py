"""What the experiments share: runs in processes of their own under limits, results kept one by one, and resumed.

A sweep is a list of *jobs*, JSON objects, and a *worker*, a function from a job to a JSON object.  Each job runs in a
process of its own, so that a run that dies takes nothing with it.  Its result is appended to a file of JSON lines as
soon as it is there; a sweep started again skips what the file holds.
"""

from __future__ import annotations

import contextlib
import fcntl
import json
import os
import platform
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Executor, ThreadPoolExecutor, as_completed
from importlib import import_module, metadata
from pathlib import Path
from typing import IO, Any, TypeVar

import click
from tqdm import tqdm

__all__ = ["InterruptedSweepError", "command", "environment", "sweep", "where", "write_text"]

Job = dict[str, Any]
Result = dict[str, Any]
Command = TypeVar("Command", bound=Callable[..., Any])


class InterruptedSweepError(Exception):
    """The user stopped a sweep; what was done is kept."""


def sweep(
    worker: Callable[[Job], Result],
    jobs: Sequence[Job],
    results: Path,
    *,
    timeout: float,
    memory: int,
    workers: int = 1,
    scheduler: str | None = None,
) -> list[Result]:
    """Run the jobs that `results` does not hold yet, and return all results in the order of the jobs.

    Parameters
    ----------
    worker : function
        A module's top-level function from a job to a result.
    jobs : sequence of dict
    results : Path
        A file of JSON lines {"job": ..., "status": ..., ...}; made if missing, appended to.
    timeout : float
        Seconds a job may take, start of the process included.
    memory : int
        Bytes of address space a job may use.
    workers : int
        Processes at a time.  One gives the least noisy times.
    scheduler : str, optional
        The address of a Dask scheduler, to whose workers the jobs go instead; each runs its jobs in processes under the
        same limits.  The workers need this folder and its package.

    Returns
    -------
    list of dict
        For each job what the worker returned with `status` "done", or `status` "timeout", "memory", "budget" or
        "failed" with a `message`; always with the `job`.

    Raises
    ------
    InterruptedSweepError
        On Ctrl-C.
    OSError
        If another run is writing `results`, or there is no scheduler at that address.
    """
    results.parent.mkdir(parents=True, exist_ok=True)
    with _locked(results) as file:
        known = {_key(record["job"]): record for record in _read(file)}
        todo = [job for job in jobs if _key(job) not in known]
        name = f"{_module_name(worker)}:{worker.__name__}"
        with ThreadPoolExecutor(workers) if scheduler is None else _cluster(scheduler) as pool:
            futures = [pool.submit(_run, name, job, timeout, memory) for job in todo]
            try:
                done = tqdm(
                    as_completed(futures),
                    total=len(jobs),
                    initial=len(jobs) - len(todo),
                    unit="run",
                    disable=None,
                )
                for future in done:
                    record = future.result()
                    file.write(json.dumps(record) + "\n")
                    file.flush()
                    os.fsync(file.fileno())
                    known[_key(record["job"])] = record
            except KeyboardInterrupt:
                for future in futures:
                    future.cancel()
                for process in list(_running):
                    process.kill()
                raise InterruptedSweepError(
                    f"stopped; {results} holds {len(known)} of {len(jobs)} results; the same command goes on"
                ) from None
    return [known[_key(job)] for job in jobs]


def where(workers: int) -> Callable[[Command], Command]:
    """Add the options `--workers` (with this default) and `--scheduler` to a command."""

    def add(command: Command) -> Command:
        command = click.option("--scheduler", metavar="ADDRESS", help="Run on the Dask cluster at this address.")(
            command
        )
        return click.option(
            "--workers", default=workers, show_default=True, help="Runs at a time; 1 gives the least noisy times."
        )(command)

    return add


def command(main: Callable[[], None]) -> None:
    """Run an experiment; Ctrl-C ends it with a sentence and exit code 130, an error with 2."""
    from mines_dd.errors import MinesError

    try:
        main()
    except (InterruptedSweepError, KeyboardInterrupt) as error:
        print(f"\n{error or 'stopped'}", file=sys.stderr)
        sys.exit(130)
    except (MinesError, OSError) as error:
        print(f"{Path(sys.argv[0]).stem}: {error}", file=sys.stderr)
        sys.exit(2)


def environment() -> dict[str, str]:
    """Return what results depend on: machine, Python, versions of the packages that compute."""
    packages = ("dd", "networkx", "numba", "numpy", "oxidd")
    return {
        "machine": _processor(),
        "cores": str(os.cpu_count()),
        "system": f"{platform.system()} {platform.machine()}",
        "python": platform.python_version(),
        **{package: metadata.version(package) for package in packages},
    }


def write_text(path: Path, text: str) -> None:
    """Write a file so that it is either whole or not there."""
    partial = path.with_name(path.name + ".part")
    partial.write_text(text, encoding="utf-8")
    partial.replace(path)


def _processor() -> str:
    with contextlib.suppress(OSError):
        for line in Path("/proc/cpuinfo").read_text().splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    return platform.processor() or "unknown"


def _module_name(worker: Callable[..., Any]) -> str:
    module = worker.__module__
    if module == "__main__":
        spec = sys.modules["__main__"].__spec__
        if spec is not None:
            return spec.name
    return module


@contextlib.contextmanager
def _locked(path: Path) -> Iterator[IO[str]]:
    """Open a results file for this process alone."""
    with open(path, "a+", encoding="utf-8") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise OSError(f"another run is writing {path}; wait for it, or choose another --output") from None
        yield file


def _read(file: IO[str]) -> list[Result]:
    """All whole records; a line torn by a kill is cut off."""
    file.seek(0)
    text = file.read()
    whole = text[: text.rfind("\n") + 1]
    if len(whole) < len(text):
        file.truncate(len(whole.encode()))
    return [json.loads(line) for line in whole.splitlines() if line]


@contextlib.contextmanager
def _cluster(address: str) -> Iterator[Executor]:
    """The workers of a Dask cluster as a pool."""
    try:
        from distributed import Client
    except ImportError:
        raise OSError("a Dask cluster needs the package distributed; install mines-dd[cluster]") from None
    try:
        client: Any = Client(address, timeout="10s")  # type: ignore[no-untyped-call]
    except (OSError, ValueError) as error:
        raise OSError(f"no Dask scheduler answers at {address}: {error}") from None
    with client:
        yield client.get_executor(pure=False)


def _key(job: Job) -> str:
    return json.dumps(job, sort_keys=True)


_running: set[subprocess.Popen[str]] = set()


def _run(name: str, job: Job, timeout: float, memory: int) -> Result:
    process = subprocess.Popen(
        [sys.executable, "-m", "experiments.harness", name, str(memory), json.dumps(job)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "MINES_DD_JIT": "always"},  # measure compiled kernels, on small boards too
        start_new_session=True,
    )
    _running.add(process)
    started = time.monotonic()
    try:
        output, errors = process.communicate(timeout=timeout)
    except subprocess.TimeoutExpired:
        process.kill()
        process.communicate()
        return {"job": job, "status": "timeout", "message": f"not done after {timeout:g} s"}
    finally:
        _running.discard(process)
    if process.returncode == 0:
        return {"job": job, **json.loads(output.splitlines()[-1])}
    last = errors.strip().splitlines()[-1] if errors.strip() else ""
    if process.returncode < 0:
        last = f"killed by {signal.Signals(-process.returncode).name} after {time.monotonic() - started:.1f} s"
    return {"job": job, "status": "failed", "message": last}


def _serve(name: str, memory: str, job: str) -> None:
    """Run one job in this process and print its result."""
    import resource

    from mines_dd.errors import BudgetExceededError

    # The program that started this one answers Ctrl-C for both.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_AS, (int(memory), int(memory)))
    sys.set_int_max_str_digits(0)
    module, _, function = name.partition(":")
    try:
        result = {"status": "done", **getattr(import_module(module), function)(json.loads(job))}
    except BudgetExceededError as error:
        result = {"status": "budget", "message": str(error)}
    except MemoryError:
        result = {"status": "memory", "message": f"needs more than {int(memory) / 2**30:.1f} GiB"}
    print(json.dumps(result))


if __name__ == "__main__":
    _serve(*sys.argv[1:])
