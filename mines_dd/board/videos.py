"""Replays of other programs, turned into RAWVF by the package ms-toollib.

It reads .avf (Arbiter), .evf (Metasweeper), .mvf (Clone 0.97) and .rmv (Vienna MineSweeper).  On a damaged file it may
end the whole process, so it runs in one of its own: `python -m mines_dd.board.videos SUFFIX`.

Two of its events have no name in RAWVF: `pf`, a flag from before the game began, is a click of the right button; `cc`,
the second button of a chord, is the press of the button that is up.
"""

from __future__ import annotations

import importlib.util
import sys
from collections.abc import Iterable, Iterator

from mines_dd.base.apart import answer, apart
from mines_dd.base.errors import BoardFormatError, MinesError

__all__ = ["VIDEOS", "mouse_lines", "rawvf_of_video"]

VIDEOS = (".avf", ".evf", ".mvf", ".rmv")
"""The suffixes of the files that can be read."""

_SECONDS = 60  # for one file


def rawvf_of_video(data: bytes, suffix: str) -> str:
    """Return the text in RAWVF of a replay in a binary form.

    Parameters
    ----------
    data : bytes
        What is in the file.
    suffix : str
        One of `VIDEOS`.

    Raises
    ------
    MinesError
        If ms-toollib is not installed.
    BoardFormatError
        If it cannot read the file.

    Examples
    --------
    >>> try:
    ...     rawvf_of_video(b"no video", ".avf")
    ... except MinesError as error:
    ...     print("ms-toollib" in str(error))
    True
    """
    if importlib.util.find_spec("ms_toollib") is None:
        raise MinesError(f'reading a {suffix} file takes the package ms-toollib: pip install "mines-dd[replays]"')
    try:
        (found,) = apart("mines_dd.board.videos", suffix, given=data, seconds=_SECONDS)
    except TimeoutError:
        raise BoardFormatError(f"ms-toollib takes more than {_SECONDS} s to read this {suffix} file") from None
    except ChildProcessError:
        raise BoardFormatError(
            f"ms-toollib cannot read this as a {suffix} file; it is damaged, or of another program"
        ) from None
    if not found:
        known = "; of .mvf files it reads those of Clone 0.97" if suffix == ".mvf" else ""
        raise BoardFormatError(f"ms-toollib finds no game in this {suffix} file{known}")
    return found.decode("utf-8")


def mouse_lines(events: Iterable[tuple[float, str, int, int]]) -> Iterator[str]:
    """Yield events of ms-toollib, (seconds, kind, x, y) in pixels, as lines of RAWVF.

    Examples
    --------
    >>> list(mouse_lines([(0.0, "pf", 5, 20), (1.5, "rc", 5, 20), (1.6, "cc", 5, 20)]))
    ['0.000 rc (5 20)', '0.000 rr (5 20)', '1.500 rc (5 20)', '1.600 lc (5 20)']
    """
    left = False
    for seconds, kind, x, y in events:
        kinds = {"pf": ("rc", "rr"), "cc": ("rc" if left else "lc",)}.get(kind, (kind,))
        for name in kinds:
            left = name == "lc" or (left and name != "lr")
            yield f"{seconds:.3f} {name} ({x} {y})"


def _rawvf(data: bytes, suffix: str) -> str:
    """The work of the other process; empty if there is no game in the file."""
    import ms_toollib

    video = getattr(ms_toollib, f"{suffix[1:].capitalize()}Video")(f"replay{suffix}", list(data))
    video.parse()
    if not video.row or not video.column:
        return ""
    about = {
        "RawVF_Version": "Rev5",
        "Program": video.software,
        "Player": video.player_identifier,
        "Width": video.column,
        "Height": video.row,
        "Mines": video.mine_num,
        "SquareSize": video.pix_size,
    }
    lines = [f"{key}: {' '.join(str(value).split())}" for key, value in about.items()]
    lines += ["Board:", *("".join("*" if cell == -1 else "0" for cell in row) for row in video.board), "Events:"]
    mouse = ((event.time, event.event.unwrap_mouse()) for event in video.events if event.event.is_mouse())
    lines += mouse_lines((seconds, event.mouse, event.x, event.y) for seconds, event in mouse)
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    answer(lambda data, tell: tell(_rawvf(data, sys.argv[1]).encode("utf-8")))
