"""Frontier-based search: any problem as a spec, built from the top down into a decision diagram."""

from mines_dd.frontier.builder import TopDownDiagram, build
from mines_dd.frontier.degrees import DegreeConstrained
from mines_dd.frontier.knapsack import Knapsack
from mines_dd.frontier.paths import Paths
from mines_dd.frontier.spec import End, Problem

__all__ = ["DegreeConstrained", "End", "Knapsack", "Paths", "Problem", "TopDownDiagram", "build"]
