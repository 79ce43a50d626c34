"""Frontier-based search: any problem as a spec, built from the top down into a decision diagram."""

from mines_dd.frontier.all_degrees import AllDegrees
from mines_dd.frontier.builder import count
from mines_dd.frontier.degrees import DegreeConstrained
from mines_dd.frontier.linear import Exactly, Knapsack, Linear
from mines_dd.frontier.paths import Cycles, HamiltonianCycles, HamiltonianPaths, Paths
from mines_dd.frontier.sets import IndependentSets, Matchings
from mines_dd.frontier.spec import DEAD, DONE, FREE, GO, End, Spec
from mines_dd.frontier.topdown import TopDownDiagram, build, plan
from mines_dd.frontier.trees import ConnectedSubgraphs, Forests, SpanningTrees, SteinerTrees
from mines_dd.frontier.widths import Plan

__all__ = [
    "DEAD",
    "DONE",
    "FREE",
    "GO",
    "AllDegrees",
    "ConnectedSubgraphs",
    "Cycles",
    "DegreeConstrained",
    "End",
    "Exactly",
    "Forests",
    "HamiltonianCycles",
    "HamiltonianPaths",
    "IndependentSets",
    "Knapsack",
    "Linear",
    "Matchings",
    "Paths",
    "Plan",
    "SpanningTrees",
    "Spec",
    "SteinerTrees",
    "TopDownDiagram",
    "build",
    "count",
    "plan",
]
