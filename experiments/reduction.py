"""One family as a decision tree, a BDD and a ZDD: both rules of reduction one at a time, and the products of each.

決定図を用いたマインスイーパー攻略 (Minesweeper by decision diagrams), Qiita, 16 May 2024, sections BDD and ZDD.  Its
pictures are lost; the family here is that of figure 7 of the JSAI paper.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any, Literal, NamedTuple

from experiments.drawings import draw
from experiments.figures import FAMILY_7, ITEMS_7, reduced
from experiments.harness import Options, Report, experiment, picture
from experiments.shared import table, verdict
from mines_dd.diagrams.cubes import Cube, cubes
from mines_dd.diagrams.drawing import Drawing, Node

Kind = Literal["bdd", "zdd"]
ZERO, ONE = "⊥", "⊤"


class Step(NamedTuple):
    """A diagram on the way from the decision tree.

    Attributes
    ----------
    what : str
        What was done.
    arcs : dict
        Node -> where its 0-arc and its 1-arc end.  A node is named after a way to it in the tree, such as "01".
    root : str
    touched : str
        The node that remains of what was joined or deleted.
    """

    what: str
    arcs: dict[str, tuple[str, str]]
    root: str
    touched: str


def decision_tree(items: Sequence[str]) -> dict[str, tuple[str, str]]:
    """Return the arcs of the complete tree; its leaves are the names as long as there are items."""
    ways = [""]
    for way in ways:
        if len(way) < len(items) - 1:
            ways += [way + "0", way + "1"]
    return {way: (way + "0", way + "1") for way in ways}


def steps(kind: Kind, items: Sequence[str], family: Collection[frozenset[str]]) -> list[Step]:
    """Return the tree, then what each use of a rule makes of it, from the last item to the first."""
    arcs = decision_tree(items)
    found = [Step("decision tree", dict(arcs), "", "")]
    leaf = {
        way: ONE if frozenset(x for x, arc in zip(items, way, strict=True) if arc == "1") in family else ZERO
        for ends in arcs.values()
        for way in ends
        if len(way) == len(items)
    }
    arcs = {node: (leaf.get(low, low), leaf.get(high, high)) for node, (low, high) in arcs.items()}
    found.append(Step("equal leaves shared", dict(arcs), "", ""))
    root = ""
    for length in range(len(items) - 1, -1, -1):
        for rule in (deletable, sharable):
            while (pair := rule(kind, arcs, length)) is not None:
                gone, kept = pair
                del arcs[gone]
                arcs = {n: (kept if a == gone else a, kept if b == gone else b) for n, (a, b) in arcs.items()}
                root = kept if root == gone else root
                verb = "deleted" if rule is deletable else "shared"
                found.append(Step(f"{items[length]} {verb}", dict(arcs), root, kept))
    return found


def deletable(kind: Kind, arcs: dict[str, tuple[str, str]], length: int) -> tuple[str, str] | None:
    """Return a node that the deletion rule removes, and its child that takes its place."""
    for node, (low, high) in arcs.items():
        if len(node) == length and high == (low if kind == "bdd" else ZERO):
            return node, low
    return None


def sharable(kind: Kind, arcs: dict[str, tuple[str, str]], length: int) -> tuple[str, str] | None:
    """Return a node that the sharing rule removes, and the one with the same children that takes its place."""
    first: dict[tuple[str, str], str] = {}
    for node, ends in arcs.items():
        if len(node) == length and first.setdefault(ends, node) != node:
            return node, first[ends]
    return None


def sets_of(kind: Kind, step: Step, items: Sequence[str], family: Collection[frozenset[str]]) -> set[frozenset[str]]:
    """Return the family that a step's diagram describes, set by set; `family` says which leaves of a tree are 1."""
    found = set()
    for number in range(1 << len(items)):
        chosen = frozenset(x for i, x in enumerate(items) if number >> i & 1)
        node, mentioned = step.root, set()
        while node in step.arcs:
            item = items[len(node)]
            mentioned.add(item)
            node = step.arcs[node][item in chosen]
        end = node == ONE if node in (ZERO, ONE) else chosen in family
        if end and (kind == "bdd" or chosen <= mentioned):
            found.add(chosen)
    return found


def drawing(step: Step, items: Sequence[str], family: Collection[frozenset[str]]) -> Drawing:
    """Return the drawing of a step; the leaves of the tree are apart."""
    result = Drawing("steps")
    for node, ends in step.arcs.items():
        result.nodes[f"n{node}"] = Node(items[len(node)], "oval", len(node))
        result.arcs += [(f"n{node}", f"n{end}", dashed) for end, dashed in zip(ends, (True, False), strict=True)]
    for end in dict.fromkeys(end for ends in step.arcs.values() for end in ends if end not in step.arcs):
        inside = frozenset(x for x, arc in zip(items, end, strict=False) if arc == "1") in family
        label = {ZERO: "0", ONE: "1"}.get(end, str(int(inside)))
        result.nodes[f"n{end}"] = Node(label, "box", len(items))
    return result


def sizes() -> str:
    """Return the nodes after each step, and whether the family is still the same."""
    rows = []
    for kind in ("bdd", "zdd"):
        for number, step in enumerate(steps(kind, ITEMS_7, FAMILY_7)):  # type: ignore[arg-type]
            same = sets_of(kind, step, ITEMS_7, FAMILY_7) == FAMILY_7  # type: ignore[arg-type]
            rows.append([f"to the {kind.upper()}" * (number == 0), step.what, len(step.arcs), verdict(same)])
    return table(rows, ["", "step", "nodes", "the same family"], "llrl")


def listed() -> str:
    """Return the products of the BDD and the ZDD, and the sets they stand for."""
    rows = []
    for kind in ("bdd", "zdd"):
        found = list(cubes(reduced(kind, ITEMS_7, FAMILY_7)))  # type: ignore[arg-type]
        for cube in found:
            rows.append([kind.upper(), product(cube), " ".join(map(braces, cube.sets()))])
        together = [one for cube in found for one in cube.sets()]
        rows.append(["", f"{len(found)} products", verdict(len(together) == 4 and set(together) == FAMILY_7)])
    return table(rows, ["", "product along a path", "sets"])


def product(cube: Cube) -> str:
    """Return a cube with what becomes of the items that it does not mention."""
    literals = {**dict.fromkeys(cube.inside, ""), **dict.fromkeys(cube.outside, "¬")}
    text = " ".join(f"{sign}{item}" for item, sign in sorted(literals.items(), key=lambda pair: str(pair[0])))
    rest = [f"{', '.join(map(str, cube.free))} free"] * bool(cube.free)
    rest += [f"{', '.join(map(str, cube.absent))} absent"] * bool(cube.absent)
    return "; ".join([text or "1", *rest])


def braces(items: Collection[Any]) -> str:
    """Return a set as it is written."""
    return "{" + ", ".join(sorted(map(str, items))) + "}"


def draw_steps(figure: Any) -> None:
    """Draw the steps to the BDD above those to the ZDD."""
    both = [steps(kind, ITEMS_7, FAMILY_7) for kind in ("bdd", "zdd")]  # type: ignore[arg-type]
    panels = figure.subplots(2, max(map(len, both)), width_ratios=[1.7, *[1] * (max(map(len, both)) - 1)])
    for row, name, way in zip(panels, ("BDD", "ZDD"), both, strict=True):
        for number, axes in enumerate(row):
            axes.set_axis_off()
            if number < len(way):
                step = way[number]
                draw(axes, drawing(step, ITEMS_7, FAMILY_7), marked=[f"n{step.touched}"] if number > 1 else [])
                end = f": the {name}" if number == len(way) - 1 else ""
                axes.set_title(f"{step.what}{end}", fontsize=10)


def draw_cubes(figure: Any) -> None:
    """Draw the same family in two forms, each with its products, one a line."""
    panels = figure.subplots(1, 4, width_ratios=(1.2, 1, 1.2, 1))
    for kind, left, right in (("bdd", *panels[:2]), ("zdd", *panels[2:])):
        diagram = reduced(kind, ITEMS_7, FAMILY_7)
        draw(left, diagram.drawing(), size=11)
        left.set_title(f"{kind.upper()}: {diagram.node_count} nodes", fontsize=11)
        found = list(cubes(diagram))
        for y, cube in enumerate(found):
            for x, item in enumerate(ITEMS_7):
                sign = (
                    "1" if item in cube.inside else "0" if item in cube.outside else "*" if item in cube.free else "–"
                )
                right.text(x, -y, sign, ha="center", va="center", fontsize=13)
            right.text(len(ITEMS_7), -y, " ".join(map(braces, cube.sets())), va="center", fontsize=9)
        for x, item in enumerate(ITEMS_7):
            right.text(x, 1, item, ha="center", va="center", fontsize=11, color="#777777")
        right.set_title("1 in, 0 out, " + ("* free" if kind == "bdd" else "– absent"), fontsize=10)
        right.set(xlim=(-0.7, len(ITEMS_7) + 2.2), ylim=(-4.5, 1.6))
        right.set_axis_off()


@experiment(minutes=0.1)
def main(options: Options) -> Report:
    """The steps, the products, and both as pictures."""
    yield f"The family {{{', '.join(sorted(map(braces, FAMILY_7)))}}}, from its decision tree\n\n{sizes()}"
    yield f"The same family, two forms\n\n{listed()}"
    yield picture("steps.png", (17, 6.5), draw_steps)
    yield picture("cubes.png", (13, 4), draw_cubes)


if __name__ == "__main__":
    main.start()
