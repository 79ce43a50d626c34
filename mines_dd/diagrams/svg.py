"""Small layered drawings as SVG, without Graphviz.

The method is that of K. Sugiyama, S. Tagawa, M. Toda: Methods for visual understanding of hierarchical system
structures (IEEE Transactions on Systems, Man, and Cybernetics 11, 1981):

1. An arc that passes ranks gets a bend (an invisible node) on each of them.
2. The nodes of each rank are sorted by the mean place of their neighbours, rank by rank down and up, several times; the
   order with the fewest crossings is kept.
3. Each node moves towards its neighbours as far as the order and the widths of the nodes allow.
"""

from __future__ import annotations

import unicodedata
from bisect import bisect, insort
from collections.abc import Iterator
from html import escape

from mines_dd.base.errors import MinesError
from mines_dd.diagrams.drawing import Drawing, Node

__all__ = ["LARGEST", "SMALL", "layout", "require_small", "to_svg"]

LARGEST, SMALL = 500, 150
"""The most nodes that `to_svg` draws, and the most that a notebook shows without being asked."""

_RANK, _GAP, _HEIGHT, _MARGIN = 54.0, 12.0, 22.0, 12.0
_CHARACTER = 6.7  # width in a monospaced font of 11 pixels; of other fonts the width is unknown
_BOW = 9.0  # how far each of two arcs between the same nodes is bent
_SWEEPS = 24
_HEAD, _LINE, _SAMPLE = 22.0, 26.0, 90.0  # the caption's height, a line of the legend, its sign with a gap
_DASHES = ' stroke-dasharray="4 3"'


def require_small(nodes: int) -> None:
    """Raise `MinesError` if a drawing of this many nodes is too large for `to_svg`.

    Examples
    --------
    >>> try:
    ...     require_small(1000)
    ... except MinesError as error:
    ...     print(error)
    a drawing of 1,000 nodes is too large to be laid out here (at most 500); write DOT and draw it with Graphviz
    """
    if nodes > LARGEST:
        raise MinesError(
            f"a drawing of {nodes:,} nodes is too large to be laid out here (at most {LARGEST}); "
            "write DOT and draw it with Graphviz"
        )


def to_svg(drawing: Drawing) -> str:
    """Return a drawing as an SVG document, with its caption and legend.

    Examples
    --------
    >>> from mines_dd.diagrams.drawing import Node
    >>> to_svg(Drawing("zdd", {"1": Node("1", "box", 0)}))[:38]
    '<svg xmlns="http://www.w3.org/2000/svg'
    """
    ranks = _Ranks(drawing)
    return _svg(drawing, ranks, _places(ranks, _fewest_crossings(ranks)))


def layout(drawing: Drawing) -> dict[str, float]:
    """Return where each node stands in its rank, from left to right, in pixels; for those who draw by other means.

    Examples
    --------
    >>> from mines_dd.diagrams.drawing import Node
    >>> nodes = {"r": Node("r", "oval", 0), "a": Node("a", "oval", 1), "b": Node("b", "oval", 1)}
    >>> layout(Drawing("game", nodes, [("r", "a", False), ("r", "b", False)]))
    {'r': 40.0, 'a': 23.0, 'b': 57.0}
    """
    ranks = _Ranks(drawing)
    return dict(zip(drawing.nodes, _places(ranks, _fewest_crossings(ranks)), strict=False))


class _Ranks:
    """The vertices of a drawing: its nodes, and a bend on each rank that an arc passes.

    Arcs of one kind to one node share their bends, so they run together.
    """

    def __init__(self, drawing: Drawing) -> None:
        self.nodes = list(drawing.nodes.values())
        number = {name: i for i, name in enumerate(drawing.nodes)}
        self.rank = [node.rank for node in self.nodes]
        self.segments: dict[tuple[int, int, bool], None] = {}
        bends: dict[tuple[int, int, bool], int] = {}
        for above, below, dashed in drawing.arcs:
            vertex, target = number[above], number[below]
            for rank in range(self.rank[vertex] + 1, self.rank[target]):
                if (target, rank, dashed) not in bends:
                    bends[target, rank, dashed] = len(self.rank)
                    self.rank.append(rank)
                bend = bends[target, rank, dashed]
                self.segments[vertex, bend, dashed] = None
                vertex = bend
            self.segments[vertex, target, dashed] = None
        self.above: list[list[int]] = [[] for _ in self.rank]
        self.below: list[list[int]] = [[] for _ in self.rank]
        for upper, lower, _ in self.segments:
            self.below[upper].append(lower)
            self.above[lower].append(upper)

    def width(self, vertex: int) -> float:
        """The width of a vertex."""
        node = self.nodes[vertex] if vertex < len(self.nodes) else None
        return 4.0 if node is None else _node_width(node)

    def crossings(self, rows: list[list[int]]) -> int:
        """Count the pairs of segments that cross."""
        total = 0
        for upper, lower in zip(rows, rows[1:], strict=False):
            place = {vertex: i for i, vertex in enumerate(lower)}
            seen: list[int] = []
            for vertex in upper:
                ends = sorted(place[below] for below in self.below[vertex])
                total += sum(len(seen) - bisect(seen, end) for end in ends)
                for end in ends:
                    insort(seen, end)
        return total


def _fewest_crossings(ranks: _Ranks) -> list[list[int]]:
    """Sort each rank, sweeping down and up; return the order with the fewest crossings."""
    rows: list[list[int]] = [[] for _ in range(max(ranks.rank) + 1)]
    seen: set[int] = set()
    stack = [v for v in reversed(range(len(ranks.rank))) if not ranks.above[v]]
    while stack:  # depth first, so connected vertices begin side by side
        vertex = stack.pop()
        if vertex not in seen:
            seen.add(vertex)
            rows[ranks.rank[vertex]].append(vertex)
            stack += reversed(ranks.below[vertex])
    best, fewest = [row[:] for row in rows], ranks.crossings(rows)
    for sweep in range(_SWEEPS):
        down = sweep % 2 == 0
        near = ranks.above if down else ranks.below
        place = {vertex: float(i) for row in rows for i, vertex in enumerate(row)}
        for row in rows if down else reversed(rows):
            mean = {v: _mean([place[u] for u in near[v]], place[v]) for v in row}
            row.sort(key=mean.__getitem__)
            place.update((vertex, float(i)) for i, vertex in enumerate(row))
        crossings = ranks.crossings(rows)
        if crossings < fewest:
            best, fewest = [row[:] for row in rows], crossings
    return [row for row in best if row]


def _places(ranks: _Ranks, rows: list[list[int]]) -> list[float]:
    """The place of each vertex from left to right: near its neighbours, in the order of its row, without overlaps."""
    x = [0.0] * len(ranks.rank)
    for sweep in range(_SWEEPS):
        near = [ranks.above, ranks.below] if sweep < _SWEEPS - 2 else [ranks.above]
        for row in rows if sweep % 2 == 0 else rows[::-1]:
            wanted = [_mean([x[u] for side in near for u in side[v]], x[v]) for v in row]
            room = [0.0]
            for left, right in zip(row, row[1:], strict=False):
                room.append(room[-1] + (ranks.width(left) + ranks.width(right)) / 2 + _GAP)
            free = _rising([place - offset for place, offset in zip(wanted, room, strict=True)])
            for vertex, place, offset in zip(row, free, room, strict=True):
                x[vertex] = place + offset
    left_edge = min(place - ranks.width(v) / 2 for v, place in enumerate(x))
    return [place - left_edge + _MARGIN for place in x]


def _rising(wanted: list[float]) -> list[float]:
    """The nearest non-decreasing numbers in least squares (isotonic regression, by pooling adjacent violators)."""
    pools: list[tuple[float, int]] = []
    for value in wanted:
        size = 1
        while pools and pools[-1][0] > value:
            other, count = pools.pop()
            value, size = (value * size + other * count) / (size + count), size + count
        pools.append((value, size))
    return [value for value, size in pools for _ in range(size)]


def _mean(values: list[float], default: float) -> float:
    return sum(values) / len(values) if values else default


def _node_width(node: Node) -> float:
    return 4.0 if node.shape == "point" else max(_HEIGHT, _text_width(node.label) + 12)


def _text_width(text: str) -> float:
    """The width of a text: Chinese and Japanese characters count twice, combining accents not at all."""
    full = sum(unicodedata.east_asian_width(character) in "WFA" for character in text)
    none = sum(unicodedata.category(character) in ("Mn", "Me", "Cf") for character in text)
    return _CHARACTER * (len(text) + full - none)


def _svg(drawing: Drawing, ranks: _Ranks, places: list[float]) -> str:
    labels = drawing.ranks
    left = max(_text_width(label) for label in labels) + 2 * _GAP if labels else 0.0
    x = [left + place for place in places]
    y = [_level(rank) for rank in ranks.rank]
    below = _level(max(*ranks.rank, len(labels) - 1)) + _HEIGHT / 2 + _GAP
    texts = [_text_width(drawing.caption), *(_SAMPLE + _text_width(meaning) for _, meaning in drawing.legend)]
    width = max(*(place + ranks.width(v) / 2 for v, place in enumerate(x)), _MARGIN + max(texts)) + _MARGIN
    height = below + _LINE * len(drawing.legend) + _MARGIN
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width:.0f}" height="{height:.0f}" '
        f'viewBox="0 0 {width:.0f} {height:.0f}" font-family="monospace" font-size="11" text-anchor="middle">',
        '<rect width="100%" height="100%" fill="white"/>',
        '<g fill="none" stroke="#333">',
        *_curves(ranks, x, y),
        "</g>",
        *(_shape(node, ranks.width(i), x[i], y[i]) for i, node in enumerate(ranks.nodes)),
        '<g text-anchor="end" fill="#666">',
        *(_text(label, left + _MARGIN - 2 * _GAP, _level(rank)) for rank, label in enumerate(labels)),
        "</g>",
        '<g class="legend" fill="#666">',
        f'<text x="{_MARGIN:.1f}" y="{_MARGIN + 8:.1f}" text-anchor="start" font-weight="bold">'
        f"{escape(drawing.caption)}</text>",
        *(
            _legend_line(sample, meaning, below + (i + 0.5) * _LINE)
            for i, (sample, meaning) in enumerate(drawing.legend)
        ),
        "</g>",
        "</svg>",
    ]
    return "\n".join(parts) + "\n"


def _level(rank: int) -> float:
    return _MARGIN + _HEAD + _HEIGHT / 2 + _RANK * rank


def _legend_line(sample: Node | bool, meaning: str, y: float) -> str:
    middle = _MARGIN + (_SAMPLE - _GAP) / 2
    if isinstance(sample, Node):
        sign = _shape(sample, _node_width(sample), middle, y)
    else:
        dashes = _DASHES if sample else ""
        end = _MARGIN + _SAMPLE - _GAP
        sign = f'<line x1="{_MARGIN:.1f}" y1="{y:.1f}" x2="{end:.1f}" y2="{y:.1f}" stroke="#333"{dashes}/>'
    return f'{sign}<text x="{_MARGIN + _SAMPLE:.1f}" y="{y + 4:.1f}" text-anchor="start">{escape(meaning)}</text>'


def _curves(ranks: _Ranks, x: list[float], y: list[float]) -> Iterator[str]:
    for a, b, dashed in ranks.segments:
        bow = 0.0 if (a, b, not dashed) not in ranks.segments else -_BOW if dashed else _BOW
        top, middle, bottom = y[a] + _HEIGHT / 2, (y[a] + y[b]) / 2, y[b] - _HEIGHT / 2
        dashes = _DASHES if dashed else ""
        yield (  # upright where there are nodes beside it
            f'<path d="M{x[a]:.1f} {y[a]:.1f}V{top:.1f}C{x[a] + bow:.1f} {middle:.1f} '
            f'{x[b] + bow:.1f} {middle:.1f} {x[b]:.1f} {bottom:.1f}V{y[b]:.1f}"{dashes}/>'
        )


def _shape(node: Node, width: float, x: float, y: float) -> str:
    if node.shape == "point":
        return f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3" fill="#333"/>'
    round_corners = f' rx="{_HEIGHT / 2:.0f}"' if node.shape == "oval" else ""
    return (
        f'<rect x="{x - width / 2:.1f}" y="{y - _HEIGHT / 2:.1f}" width="{width:.1f}" height="{_HEIGHT:.0f}"'
        f'{round_corners} fill="{"#f0f0f0" if node.shape == "box" else "white"}" stroke="#333"/>'
        + _text(node.label, x, y)
    )


def _text(label: str, x: float, y: float) -> str:
    return f'<text x="{x:.1f}" y="{y + 4:.1f}">{escape(label)}</text>'
