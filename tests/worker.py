"""A worker that does as its job says, and as a program a sweep of such jobs; it loads little, so it starts quickly."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

GIB = 2**30


def work(job):
    """Do as `job["do"]` says; `job["mark"]` is a file to leave the process id in."""
    mark = Path(job["mark"]) if "mark" in job else None
    first = mark is not None and not mark.exists()
    if mark is not None:
        mark.write_text(str(os.getpid()))
    what = job["do"]
    if what == "die" or (what == "die once" and first):
        os.kill(os.getpid(), signal.SIGKILL)
    if what == "leave a child":
        subprocess.Popen(["sleep", "30"])
    if what == "say nothing":
        os._exit(0)
    if what == "eat":
        return {"x": len(bytearray(64 * GIB))}
    if what == "raise":
        raise ValueError("no such thing")
    if what in ("sleep", "leave a child"):
        time.sleep(30)
    return {"x": job["x"], "text": "y" * job.get("length", 0)}


def sweep(jobs, path, **options):
    from experiments import sweeps

    return sweeps.sweep(work, jobs, path, **{"timeout": 30, "memory": 8 * GIB, **options})


def main(path, *jobs):
    print(len(sweep([json.loads(job) for job in jobs], Path(path))), "results")


if __name__ == "__main__":
    from experiments import harness

    harness.command(lambda: main(*sys.argv[1:]))
