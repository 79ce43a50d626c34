"""One self-contained page of all experiments: what each shows, its command, its tables and its pictures."""

from __future__ import annotations

import base64
import json
import os
import re
import subprocess
from collections import Counter
from collections.abc import Sequence
from datetime import datetime
from html import escape
from importlib import metadata
from pathlib import Path
from typing import NamedTuple

from experiments.harness import RUNS, TABLE, facts, write_text

__all__ = ["PRINTED", "Section", "write_report"]

PRINTED = "printed.txt"
"""What an experiment printed, in its folder: the page shows it where there is no table."""
_KINDS = {".png": "image/png", ".svg": "image/svg+xml"}
_STYLE = """
body { font: 16px/1.5 system-ui, sans-serif; margin: 2rem auto; max-width: 76rem; padding: 0 1rem; color: #1a1a1a; }
h1, h2 { line-height: 1.2; } h2 { margin-top: 3rem; border-top: 1px solid #ccc; padding-top: 1rem; }
pre { font: 12px/1.35 ui-monospace, monospace; background: #f6f6f6; padding: .8rem; overflow-x: auto; }
table { border-collapse: collapse; } td, th { padding: .2rem .8rem .2rem 0; text-align: left; vertical-align: top; }
img { max-width: 100%; margin: 1rem 0; display: block; } .bad { color: #b00000; font-weight: bold; }
"""


class Section(NamedTuple):
    """An experiment that has run.

    Attributes
    ----------
    name, about : str
        Its name, and the docstring of its module.
    command : str
        What one would type.
    minutes : float
    code : int or None
        The exit code; None if it was stopped.
    folder : Path
        What it left.
    """

    name: str
    about: str
    command: str
    minutes: float
    code: int | None
    folder: Path

    @property
    def outcome(self) -> str:
        """How it ended."""
        if self.code is None:
            return "stopped"
        return "done" if self.code == 0 else f"ended with {self.code}"


def write_report(path: Path, sections: Sequence[Section], command: str) -> None:
    """Write the page; pictures are part of it, so that it can be sent as one file."""
    made = datetime.now().astimezone().isoformat(" ", "minutes")
    rows = "".join(_row(section) for section in sections)
    total = sum(section.minutes for section in sections)
    body = f"""<h1>All experiments of mines_dd</h1>
<p>Made by <code>{escape(command)}</code> on {made}, in {total:.1f} minutes.</p>
<pre>{escape(_where())}</pre>
<table><tr><th>experiment</th><th>what it shows</th><th>minutes</th><th>outcome</th></tr>
{rows}</table>
{"".join(map(_section, sections))}"""
    head = '<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8"><title>Experiments of mines_dd</title>'
    write_text(path, f"{head}<style>{_STYLE}</style></head><body>\n{body}\n</body></html>\n")


def _where() -> str:
    """The machine and the versions, those of the plots and of this package too."""
    gib = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30
    lines = [facts(), f"memory: {gib:.0f} GiB"]
    for package in ("matplotlib", "highspy", "mines-dd"):
        try:
            lines.append(f"{package}: {metadata.version(package)}")
        except metadata.PackageNotFoundError:
            lines.append(f"{package}: not installed")
    return "\n".join([*lines, f"commit: {_commit()}"])


def _commit() -> str:
    """The commit of this clone, and whether its files have been changed since."""
    root = Path(__file__).parent.parent
    try:
        said = [
            subprocess.run(["git", *what], cwd=root, capture_output=True, text=True, check=True).stdout.strip()
            for what in (["rev-parse", "HEAD"], ["status", "--porcelain", "--untracked-files=no"])
        ]
    except (OSError, subprocess.CalledProcessError):
        return "unknown"
    return said[0] + (", with changes" if said[1] else "")


def _row(section: Section) -> str:
    line, name = section.about.partition("\n")[0], escape(section.name)
    style = "" if section.code == 0 else ' class="bad"'
    return (
        f'<tr><td><a href="#{name}">{name}</a></td><td>{escape(line)}</td><td>{section.minutes:.1f}</td>'
        f"<td{style}>{section.outcome}</td></tr>\n"
    )


def _section(section: Section) -> str:
    parts = section.about.replace("\b\n", "").split("\n\n")
    paragraphs = "".join(f"<pre>{escape(part)}</pre>\n" if part.startswith("- ") else _prose(part) for part in parts)
    pictures = sorted(path for path in section.folder.glob("*") if path.suffix in _KINDS)
    ended = f"{section.outcome} after {section.minutes:.1f} minutes{_runs(section)}"
    return f"""<h2 id="{escape(section.name)}">{escape(section.name)}</h2>
{paragraphs}<p><code>{escape(section.command)}</code>: {ended}.</p>
<pre>{escape(_said(section.folder))}</pre>
{"".join(map(_picture, pictures))}"""


def _prose(text: str) -> str:
    """A paragraph, with what stands between backticks as code."""
    return "<p>" + re.sub("`([^`]*)`", r"<code>\1</code>", escape(text)) + "</p>\n"


def _said(folder: Path) -> str:
    """The table without the facts, which the page has once; or else what was printed."""
    table, printed = folder / TABLE, folder / PRINTED
    if table.exists():
        return table.read_text(encoding="utf-8").removesuffix(f"\n\n{facts()}\n")
    return printed.read_text(encoding="utf-8", errors="replace") if printed.exists() else ""


def _runs(section: Section) -> str:
    """How many runs came to which end."""
    path = section.folder / RUNS
    if not path.exists():
        return ""
    ends = Counter(json.loads(line)["status"] for line in path.read_text().splitlines())
    return "; runs: " + ", ".join(f"{number} {status}" for status, number in ends.items())


def _picture(path: Path) -> str:
    data = base64.b64encode(path.read_bytes()).decode()
    return f'<img alt="{escape(path.name)}" src="data:{_KINDS[path.suffix]};base64,{data}">\n'
