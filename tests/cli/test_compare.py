"""The command compare."""

from commands import FIGURE_10, run

from mines_dd.cli import compare as compare_module


def test_compare_prints_one_table_and_says_when_a_method_is_stopped():
    table = run("compare", FIGURE_10, "--methods", "bdd,dc", "--orders", "row,auto")
    assert [line.split()[-1] for line in table.splitlines()[2:]] == ["66"] * 4
    assert "dc" in table
    board = run("generate", "30", "30", "--mines", "30%", "--hints", "50%", "--seed", "1")
    stopped = run("compare", "-", "--methods", "dc,tree", "--max-nodes", "4000", text=board)
    assert "over budget" in stopped


def test_methods_that_disagree_are_exit_code_1(monkeypatch):
    records = iter([{"count": 1}, {"count": 2}])
    monkeypatch.setattr(
        compare_module, "_run", lambda *_: {"build_seconds": 0, "count_seconds": 0, "nodes": 1} | next(records)
    )
    monkeypatch.setattr(compare_module, "_table", lambda records: "")
    assert "disagree" in run("compare", "#1#", "--methods", "dc,tree", code=1)
