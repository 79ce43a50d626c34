"""In which order to decide cells, search edges and eliminate hints, and what each order will cost."""

from mines_dd.orders.cells import cell_order
from mines_dd.orders.cost import Cost, linear_cost
from mines_dd.orders.edges import edge_order, frontier_widths, graph_edge_order, graph_vertex_order
from mines_dd.orders.elimination import Elimination, Steps, best_elimination, elimination_steps

__all__ = [
    "Cost",
    "Elimination",
    "Steps",
    "best_elimination",
    "cell_order",
    "edge_order",
    "elimination_steps",
    "frontier_widths",
    "graph_edge_order",
    "graph_vertex_order",
    "linear_cost",
]
