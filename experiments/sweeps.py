"""Runs in processes of their own under limits, results kept one by one, and resumed.

A sweep is a list of *jobs*, JSON objects, and a *worker*, a function from a job to a JSON object.  Each job runs in a
process of its own, so that a run that dies takes nothing with it.  Its result is appended to a file of JSON lines as
soon as it is there; a sweep started again skips what the file holds.  However a sweep ends, the file holds whole lines
(a torn one, of a power cut, is cut off by the next start), and no run outlives it.
"""

from __future__ import annotations

import contextlib
import fcntl
import json
import logging
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import CancelledError, Executor, Future, ThreadPoolExecutor
from importlib import import_module
from pathlib import Path
from queue import SimpleQueue
from threading import Event
from typing import Any, BinaryIO

from tqdm import tqdm

__all__ = ["InterruptedSweepError", "Job", "Result", "cluster_trouble", "die_with", "module_name", "reason", "sweep"]

Job = dict[str, Any]
Result = dict[str, Any]


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
        same limits.  The scheduler and its workers are started in this folder, with its packages.

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
        If `results` cannot be written or read, another run is writing it, or there is no scheduler at that address.
    """
    wanted = {_key(job): job for job in jobs}
    with _locked(results) as file:
        known = {_key(record["job"]): record for record in _read(file, results)}
        todo = [job for key, job in wanted.items() if key not in known]
        name = f"{module_name(worker)}:{worker.__name__}"
        _stopping.clear()
        with ThreadPoolExecutor(workers) if scheduler is None else _cluster(scheduler) as pool:
            futures = [pool.submit(_run, name, job, timeout, memory) for job in todo]
            try:
                done = tqdm(
                    _as_they_end(futures),
                    total=len(wanted),
                    initial=len(wanted) - len(todo),
                    unit="run",
                    disable=None,
                )
                for future in done:
                    record = future.result()
                    _append(file, results, record)
                    known[_key(record["job"])] = record
            except BaseException as error:
                _stop(futures)
                held = len(wanted.keys() & known.keys())
                kept = f"{results} holds {held} of {len(wanted)} results; the same command goes on"
                if isinstance(error, KeyboardInterrupt):
                    raise InterruptedSweepError(f"stopped; {kept}") from None
                trouble = scheduler and cluster_trouble(error)
                if trouble:
                    raise OSError(f"the Dask cluster at {scheduler} {trouble}; {kept}") from None
                raise
    return [known[_key(job)] for job in jobs]


def _as_they_end(futures: Sequence[Future[Result]]) -> Iterator[Future[Result]]:
    """Yield each as it ends, in that order; of several that have ended `as_completed` takes any first."""
    ended: SimpleQueue[Future[Result]] = SimpleQueue()
    for future in futures:
        future.add_done_callback(ended.put)
    for _ in futures:
        yield ended.get()


def die_with(parent: int) -> None:
    """Have the kernel kill this process when its parent, which started it, is gone, however it went (Linux: prctl)."""
    if sys.platform == "linux":
        import ctypes

        set_parent_death_signal = 1
        ctypes.CDLL(None).prctl(set_parent_death_signal, signal.SIGKILL)
        if os.getppid() != parent:  # it was gone before
            sys.exit(1)


def module_name(worker: Callable[..., Any]) -> str:
    """Return the module that defines a function, by the name under which another process can import it."""
    module = worker.__module__
    if module == "__main__":
        spec = sys.modules["__main__"].__spec__
        if spec is not None:
            return spec.name
    return module


@contextlib.contextmanager
def _locked(path: Path) -> Iterator[BinaryIO]:
    """Open a results file for this process alone."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        file = open(path, "a+b", buffering=0)  # noqa: SIM115 (closed below, where an error is another one)
    except OSError as error:
        raise OSError(f"cannot write {path}: {reason(error)}; choose another --output") from None
    with file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise OSError(f"another run is writing {path}; wait for it, or choose another --output") from None
        yield file  # type: ignore[misc]


def _read(file: BinaryIO, path: Path) -> list[Result]:
    """All whole records; a line torn by a kill is cut off."""
    file.seek(0)
    data = file.read()
    whole = data[: data.rfind(b"\n") + 1]
    if len(whole) < len(data):
        file.truncate(len(whole))
    records = []
    for number, line in enumerate(whole.splitlines(), 1):
        if line.strip():
            try:
                record = json.loads(line)
                records.append({"job": record["job"], "status": record["status"], **record})
            except (ValueError, KeyError, TypeError, RecursionError):
                raise OSError(f"line {number} of {path} is no result; delete that line and start again") from None
    return records


def _append(file: BinaryIO, path: Path, record: Result) -> None:
    """Write a record, whole or not at all."""
    line = json.dumps(record).encode() + b"\n"
    end = os.fstat(file.fileno()).st_size
    try:
        while line:
            line = line[file.write(line) :]
        os.fsync(file.fileno())
    except OSError as error:
        with contextlib.suppress(OSError):
            file.truncate(end)
        raise OSError(
            f"cannot write {path}: {reason(error)}; what it holds is kept; make room, and the same command goes on"
        ) from None


def reason(error: OSError) -> str:
    """Return the system's own words for an error, to stand within a sentence."""
    return error.strerror[:1].lower() + error.strerror[1:] if error.strerror else str(error)


@contextlib.contextmanager
def _cluster(address: str) -> Iterator[Executor]:
    """The workers of a Dask cluster as a pool."""
    try:
        from distributed import Client
    except ImportError:
        raise OSError('a Dask cluster needs the package distributed: pip install "mines-dd[cluster]"') from None
    try:
        client: Any = Client(address, timeout="10s")  # type: ignore[no-untyped-call]
    except (OSError, ValueError) as error:
        raise OSError(f"no Dask scheduler answers at {address}: {error}") from None
    with client:
        try:
            yield client.get_executor(pure=False)
        except BaseException:
            for name in ("distributed.client", "distributed.utils"):  # it would log how it fails to reconnect
                logging.getLogger(name).setLevel(logging.CRITICAL)
            raise


def cluster_trouble(error: BaseException) -> str:
    """Say what an error in the result of a cluster says of it; "" if it says nothing."""
    cause: BaseException | None = error
    while cause is not None:
        if isinstance(cause, ImportError):
            return f"cannot import {cause.name}: start its scheduler and its workers in this folder, with its packages"
        cause = cause.__cause__ or cause.__context__
    if type(error).__name__ == "KilledWorker":  # of distributed, which need not be installed
        return "gave up a run at which its workers ended several times, perhaps for lack of memory"
    return "is gone" if isinstance(error, CancelledError | OSError) else ""


def _key(job: Job) -> str:
    return json.dumps(job, sort_keys=True)


_running: set[subprocess.Popen[str]] = set()
_stopping = Event()

_FROM_OUTSIDE = (signal.SIGKILL, signal.SIGTERM, signal.SIGHUP)
"""Signals that say nothing of a run: perhaps the whole machine was going down, or another process ate its memory."""


def _stop(futures: Sequence[Future[Result]]) -> None:
    """Start no other run, and end those that are under way."""
    _stopping.set()
    for future in futures:
        future.cancel()
    for process in list(_running):
        _end(process)


def _end(process: subprocess.Popen[str]) -> None:
    """Kill a run with all that it started; it leads a group of its own."""
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)


def _run(name: str, job: Job, timeout: float, memory: int) -> Result:
    """Do a job in a process; once more if something else ended that process."""
    result, code = _attempt(name, job, timeout, memory)
    if -code in _FROM_OUTSIDE and not _stopping.is_set():
        result, code = _attempt(name, job, timeout, memory)
    return result


def _attempt(name: str, job: Job, timeout: float, memory: int) -> tuple[Result, int]:
    process = subprocess.Popen(
        [sys.executable, "-m", "experiments.sweeps", name, str(memory), json.dumps(job), str(os.getpid())],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        errors="replace",
        env={**os.environ, "MINES_DD_JIT": "always"},  # measure compiled kernels, on small boards too
        start_new_session=True,
    )
    _running.add(process)
    if _stopping.is_set():
        _end(process)
    started = time.monotonic()
    try:
        output, errors = process.communicate(timeout=timeout)
    except subprocess.TimeoutExpired:
        _end(process)
        process.communicate()
        return {"job": job, "status": "timeout", "message": f"not done after {timeout:g} s"}, 0
    finally:
        _running.discard(process)
    if process.returncode == 0 and output.strip():
        return {"job": job, **json.loads(output.splitlines()[-1])}, 0
    last = errors.strip().splitlines()[-1] if errors.strip() else "ended without a result"
    if process.returncode < 0:
        last = f"killed by {signal.Signals(-process.returncode).name} after {time.monotonic() - started:.1f} s"
    return {"job": job, "status": "failed", "message": last}, process.returncode


def _serve(name: str, memory: str, job: str, parent: str) -> None:
    """Run one job in this process and print its result."""
    import resource

    from mines_dd.base.errors import BudgetExceededError

    # The program that started this one answers Ctrl-C for both.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    die_with(int(parent))
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
