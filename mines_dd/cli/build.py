"""`mines-dd build`: problems as short texts, built from the top down into decision diagrams."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import click

from mines_dd.base.errors import MinesError
from mines_dd.base.writing import write_file
from mines_dd.cli.cheapest import shown_number
from mines_dd.cli.common import (
    Choice,
    InputFile,
    OutputFile,
    Subcommand,
    Whole,
    budget_advice,
    budget_options,
    emit,
    examples,
    first,
    output_options,
    refuse_options,
)
from mines_dd.cli.draw import kind_of, picture

if TYPE_CHECKING:
    from mines_dd.base.budget import Budget
    from mines_dd.diagrams.assignments import Assignments
    from mines_dd.frontier.spec import Spec
    from mines_dd.frontier.topdown import TopDownDiagram

__all__ = ["build"]


@click.command(
    cls=Subcommand,
    notice=True,
    epilog=examples(
        "mines-dd example snacks | mines-dd build knapsack - --cheapest 3",
        "mines-dd example degrees | mines-dd build degrees - --all-degrees --list",
        "mines-dd example degrees | mines-dd build degrees - --all-degrees --no-share --no-prune",
        "mines-dd example streets | mines-dd build paths - --cheapest 2 -o streets.svg",
        "mines-dd example streets | mines-dd build paths - --order auto --plan",
    ),
)
@click.argument("problem", type=Choice(("knapsack", "degrees", "paths")))
@click.argument("file", type=InputFile())
@click.option("--count", "question", flag_value="count", help="Print the number alone; no diagram is kept.")
@click.option("--plan", "question", flag_value="plan", help="Print how many nodes it would have; nothing is built.")
@click.option("--list", "question", flag_value="list", help="List the solutions, one on each line.")
@click.option("--prob", "question", flag_value="prob", help="Print the share of the solutions that each item is in.")
@click.option("--cheapest", "cheapest", type=Whole(1), metavar="N", help="Print the N best solutions.")
@click.option("-n", "--limit", type=Whole(0), metavar="N", help="With --list, at most N solutions.")
@click.option("--order", type=Choice(("file", "auto")), default="file", show_default=True, help="The order of edges.")
@click.option("--all-degrees", is_flag=True, help="For degrees: keep all degrees in a node, not the frontier's alone.")
@click.option("--no-share", is_flag=True, help="Keep nodes with equal states apart, to compare.")
@click.option("--no-prune", is_flag=True, help="Let arcs end as late as can be, to compare.")
@click.option("--reduced", is_flag=True, help="With -o, draw the reduced ZDD.")
@click.option("-o", "--output", type=OutputFile(), metavar="FILE", help="Draw it: a .svg, .dot, .png or .pdf file.")
@budget_options(max_nodes=10_000_000)
@output_options(rows="for each solution, or each item")
def build(problem: str, file: str, form: str, question: str | None, cheapest: int | None, **how: Any) -> None:
    """Build all solutions of a small problem from the top down.

    Without a question it prints the number of solutions and the nodes.  Lines of FILE:

    \b
    knapsack   capacity 300            paths   from a
               chocolate 120 9                 to d
               NAME WEIGHT [VALUE]             edge a b [COST]
    \b
    degrees    vertex u1 1             the degrees it may have;
               vertex v1 0 all         "all" is all of its edges
               edge v1 u1 [COST]       a cost or value left out is 0

    A line that begins with # is a comment; words stand between blanks or commas.  Items are decided in the order of the
    lines.  --cheapest prints the solutions of least cost, for a knapsack those of the highest value.  With
    --json, --list and --cheapest print JSON Lines, a solution each.
    """  # noqa: D301 (click reads the character \b as "leave these lines alone")
    if how["limit"] is not None and question != "list":
        raise click.UsageError("-n limits what --list prints; give --list, too")
    if how["reduced"] and how["output"] is None:
        raise click.UsageError("--reduced is about the drawing; give -o FILE, too")
    if cheapest is not None and question is not None:
        raise click.UsageError(f"ask for --cheapest or --{question}, not for both")
    if how["all_degrees"] and problem != "degrees":
        raise click.UsageError("--all-degrees is for degrees only")
    if problem == "knapsack" and how["order"] != "file":
        raise click.UsageError("--order is for graphs only")
    if question in ("count", "plan") and (how["output"] is not None or how["no_share"]):
        raise click.UsageError(f"--{question} keeps no diagram: leave out -o and --no-share, or leave out --{question}")
    if question == "plan":
        refuse_options("what is built; a plan makes the first million nodes only", "max_nodes")
    _answer(problem, file, form, "cheapest" if cheapest is not None else question, cheapest, how)


def _answer(problem: str, file: str, form: str, question: str | None, number: int | None, how: dict[str, Any]) -> None:
    """Read, build, draw and print."""
    from mines_dd.base.budget import Budget
    from mines_dd.base.reading import of_file
    from mines_dd.boardgames.move_files import read_text
    from mines_dd.frontier.builder import count
    from mines_dd.frontier.text import read_problem
    from mines_dd.frontier.topdown import build as build_diagram

    budget = Budget(how["max_nodes"], how["timeout"])
    text = read_text(file)
    kind = None if how["output"] is None else kind_of(how["output"])
    order = None if how["order"] == "file" else str(how["order"])
    with of_file(file):
        given = read_problem(problem, text, order=order, all_degrees=how["all_degrees"])
        _require_names(given.spec.items)
    spec = given.spec.unpruned() if how["no_prune"] else given.spec
    with budget_advice("try another --order" if problem != "knapsack" else "take a smaller problem"):
        if question == "plan":
            _print_plan(form, spec, budget)
            return
        if question == "count":
            number = count(spec, budget)
            emit(form, {"count": number}, str(number))
            _end_if_none(number)
            return
        diagram = build_diagram(given.spec, budget, share=not how["no_share"], prune=not how["no_prune"])
        family = diagram.to_assignments(budget)
    with budget_advice("ask for fewer" if question else "take a smaller problem"):
        if question is None:
            _print_sizes(form, diagram, family, budget)
        elif question == "prob":
            _print_shares(form, family, budget)
        elif question == "list":
            listed = budget.each(first(family, how["limit"]), every=1)
            _print_solutions(form, family, ((None, found) for found in listed))
        else:
            best = family.cheapest(given.costs, number or 1, budget=budget)
            sign, worth = (-1, "value") if problem == "knapsack" else (1, "cost")
            _print_solutions(form, family, [(shown_number(sign * cost), found) for cost, found in best], worth)
    if kind is not None:  # after the answer, as a large diagram takes long to draw
        write_file(how["output"], picture(family if how["reduced"] else diagram, kind, budget))
    _end_if_none(bool(family))


def _end_if_none(solutions: int) -> None:
    if not solutions:
        click.echo("mines-dd: the problem has no solution", err=True)
        sys.exit(1)


def _print_plan(form: str, spec: Spec, budget: Budget) -> None:
    from mines_dd.frontier.topdown import plan

    found = plan(spec, budget=budget)
    sizes: dict[str, Any] = {"items": len(spec.items)}
    widths = spec.frontier_widths()
    if widths is not None:
        sizes["frontier"] = max(widths, default=0)
    rough: tuple[str, ...] = ("nodes", "widest")
    if found is None:
        sizes["nodes"] = None
        notes = {"nodes": "cannot be predicted"}
    else:
        exact = found.made == len(spec.items)
        rough = () if exact else rough
        sizes |= {"nodes": found.states, "widest": found.widest, "exact": exact}
        notes = {"nodes": "exact" if exact else "predicted, mostly within a factor of 5; on trees far too large"}
    notes |= {"frontier": "vertices at once, at most", "widest": "nodes of the widest layer"}
    lines = [
        f"{name}: {_rounded(value) if name in rough else value}" + (f" ({notes[name]})" if name in notes else "")
        for name, value in sizes.items()
        if name != "exact"
    ]
    emit(form, sizes, "\n".join(lines))


def _rounded(value: int | None) -> str:
    return "?" if value is None else f"{value:.2g}"


def _print_sizes(form: str, diagram: TopDownDiagram, family: Assignments, budget: Budget) -> None:
    sizes = {
        "solutions": family.count(budget=budget),
        "items": len(diagram.spec.items),
        "nodes": diagram.node_count,
        "reduced": family.node_count,
    }
    notes = {"nodes": "as built, without terminals", "reduced": "nodes of the reduced ZDD"}
    lines = [f"{name}: {value}" + (f" ({notes[name]})" if name in notes else "") for name, value in sizes.items()]
    emit(form, {**sizes, "layers": diagram.layer_sizes} if form == "json" else sizes, "\n".join(lines))


def _print_shares(form: str, family: Assignments, budget: Budget) -> None:
    if not family:
        return
    shares = family.probabilities(budget=budget)
    header = ("item", "share", "exact")
    rows = [dict(zip(header, (_name(item), float(p), str(p)), strict=True)) for item, p in shares.items()]
    emit(form, rows, "\n".join(f"{row['item']}: {row['exact']} = {row['share']:.3f}" for row in rows), rows, header)


def _print_solutions(form: str, family: Assignments, found: Any, worth: str = "") -> None:
    """Print (value, solution) pairs, each as soon as it is there; `worth` is the name of the value, if there is one."""
    import json

    from mines_dd.cli.common import print_csv

    place = {item: i for i, item in enumerate(family.cells)}
    names = [_name(item) for item in family.cells]
    named = ((value, [_name(item) for item in sorted(solution, key=place.__getitem__)]) for value, solution in found)
    if form == "csv":
        head = [worth] if worth else []
        print_csv(
            ({**dict.fromkeys(head, value), **{n: int(n in solution) for n in names}} for value, solution in named),
            [*head, *names],
        )
        return
    for value, solution in named:
        if form == "json":
            click.echo(json.dumps({worth: value, "solution": solution} if worth else solution))
        else:
            click.echo((f"{value}: " if worth else "") + (" ".join(solution) or "-"))


def _require_names(items: Iterable[Any]) -> None:
    """Refuse two items that would look the same in the output."""
    known: dict[str, Any] = {}
    for item in items:
        other = known.setdefault(_name(item), item)
        if other is not item:
            edges = " and ".join(f"from {u!r} to {v!r}" for u, v in (other, item))
            raise MinesError(f"the edges {edges} would both be printed as {_name(item)}; rename a vertex")


def _name(item: Any) -> str:
    """An item's name in the output: that of an edge has no blanks."""
    return "-".join(item) if isinstance(item, tuple) else str(item)
