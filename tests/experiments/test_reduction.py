"""The steps from a decision tree to a BDD and a ZDD."""

from hypothesis import given
from hypothesis import strategies as st

from experiments import reduction
from experiments.figures import FAMILY_7, ITEMS_7, reduced


@given(st.sampled_from(["bdd", "zdd"]), st.sets(st.frozensets(st.sampled_from("abcd"))))
def test_every_step_keeps_the_family_and_the_last_one_is_canonical(kind, family):
    way = reduction.steps(kind, "abcd", family)
    assert all(reduction.sets_of(kind, step, "abcd", family) == family for step in way)
    assert len(way[0].arcs) == len(way[1].arcs) == 15
    assert [len(step.arcs) for step in way[1:]] == list(range(15, 15 - len(way) + 1, -1))
    assert len(way[-1].arcs) == reduced(kind, "abcd", family).node_count


def test_figure_7_takes_three_steps_to_either_form():
    for kind in ("bdd", "zdd"):
        way = reduction.steps(kind, ITEMS_7, FAMILY_7)
        assert [len(step.arcs) for step in way] == [7, 7, 6, 5, 4]
        drawn = reduction.drawing(way[-1], ITEMS_7, FAMILY_7)
        assert {node.label for node in drawn.nodes.values()} == {"a", "b", "c", "0", "1"}


def test_the_tables_agree():
    assert "DISAGREES" not in reduction.sizes() + reduction.listed()
    assert "¬a b; c free" in reduction.listed()
    assert "a c; b absent" in reduction.listed()
