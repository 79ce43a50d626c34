"""The command build: problems from text files."""

import json

import pytest
from boards import DATA
from commands import rows, run

from mines_dd.diagrams import queries

SNACKS, DEGREES, STREETS = (str(DATA / name) for name in ("snacks.txt", "degrees.txt", "streets.txt"))


def test_it_counts_solutions_and_nodes():
    assert run("build", "knapsack", SNACKS, "--count") == "399\n"
    assert json.loads(run("build", "degrees", DEGREES, "--all-degrees", "--json"))["nodes"] == 55
    assert rows(run("build", "degrees", DEGREES, "--csv")) == [
        {"solutions": "6", "items": "13", "nodes": "35", "reduced": "21"}
    ]
    assert "solutions: 12\n" in run("build", "paths", STREETS)


def test_switches_take_sharing_and_pruning_away_and_leave_the_solutions():
    nodes = []
    for switches in ([], ["--no-share"], ["--no-prune"], ["--no-share", "--no-prune"]):
        found = json.loads(run("build", "degrees", DEGREES, "--all-degrees", "--json", *switches))
        assert found["solutions"] == 6
        nodes.append(found["nodes"])
    assert nodes == [55, 55, 6277, 8191]


def test_it_lists_and_weighs_solutions():
    lines = run("build", "degrees", DEGREES, "--list").splitlines()
    assert len(set(lines)) == 6
    assert run("build", "degrees", DEGREES, "--list", "-n", "2").splitlines() == lines[:2]
    assert rows(run("build", "degrees", DEGREES, "--list", "--csv"))[0]["v1-u1"] == str(int("v1-u1" in lines[0]))
    assert run("build", "knapsack", SNACKS, "--cheapest", "1").startswith("22: ")
    assert run("build", "paths", STREETS, "--cheapest", "2", "--order", "auto").count("7: ") == 2
    best = [json.loads(line) for line in run("build", "paths", STREETS, "--cheapest", "12", "--json").splitlines()]
    assert [one["cost"] for one in best] == sorted(one["cost"] for one in best)
    assert len(best) == 12
    shares = {row["item"]: row["exact"] for row in rows(run("build", "degrees", DEGREES, "--prob", "--csv"))}
    assert [shares[f"v{i}-u4"] for i in range(1, 6)] == ["1/2", "2/3", "1/2", "2/3", "2/3"]


def test_it_draws_what_it_built_and_the_reduced_diagram(tmp_path):
    for more, nodes in ([], 55), (["--reduced"], 21):
        target = tmp_path / "degrees.svg"
        run("build", "degrees", DEGREES, "--all-degrees", "-o", str(target), *more)
        assert f"{nodes} nodes" in target.read_text()
    assert "its name ends in" in run("build", "paths", STREETS, "-o", "streets.xyz", code=2)


def test_costs_are_read_as_python_and_csv_write_them():
    assert run("build", "paths", "-", "--cheapest", "1", text="from a\nto b\nedge a b 1e-05") == "1e-05: a-b\n"


def test_edges_that_would_look_the_same_are_refused():
    text = "from a-b\nto c\nedge a-b c\nedge a b-c\nedge a c\nedge a-b a"
    said = run("build", "paths", "-", text=text, code=2)
    assert "the edges from 'a-b' to 'c' and from 'a' to 'b-c' would both be printed as a-b-c; rename a vertex" in said


def test_bad_input_is_one_sentence():
    assert "line 2, character 1" in run("build", "knapsack", "-", text="capacity 3\ngum", code=2)
    assert "not for both" in run("build", "paths", STREETS, "--list", "--cheapest", "2", code=2)
    assert "for degrees only" in run("build", "paths", STREETS, "--all-degrees", code=2)
    assert "for graphs only" in run("build", "knapsack", SNACKS, "--order", "auto", code=2)
    assert "leave out" in run("build", "paths", STREETS, "--count", "--no-share", code=2)
    assert "--max-nodes" in run("build", "degrees", DEGREES, "--max-nodes", "10", code=3)
    assert "no solution" in run("build", "paths", "-", text="from a\nto d\nedge a b\nedge c d", code=1)
    for question in ("--prob", "--count"):
        assert "no solution" in run("build", "paths", "-", question, text="from a\nto d\nedge a b\nedge c d", code=1)


def test_options_that_would_do_nothing_are_refused():
    assert "give --list, too" in run("build", "knapsack", "-", "-n", "2", code=2)
    assert "give -o FILE, too" in run("build", "knapsack", "-", "--reduced", code=2)


@pytest.mark.ci
def test_a_plan_says_how_many_nodes_there_would_be():
    found = json.loads(run("build", "paths", STREETS, "--plan", "--json"))
    assert found["nodes"] == json.loads(run("build", "paths", STREETS, "--json"))["nodes"]
    assert (found["items"], found["exact"]) == (12, True)
    assert "nodes: 35 (exact)\n" in run("build", "degrees", DEGREES, "--plan")
    assert "leave out --plan" in run("build", "paths", STREETS, "--plan", "--no-share", code=2)
    assert "--max-nodes is for what is built" in run("build", "paths", STREETS, "--plan", "--max-nodes", "9", code=2)
    assert "not done after 0 seconds" in run("build", "paths", STREETS, "--plan", "--timeout", "0", code=3)
    steps = {12 * i + j: (12 * i + j + 1, 12 * i + j + 12) for i in range(11) for j in range(11)}  # a grid of 12 x 12
    lines = ["from 0", "to 132", *(f"edge {a} {b}" for a, next_ones in steps.items() for b in next_ones)]
    large = run("build", "paths", "-", "--plan", text="\n".join(lines))
    assert "vertices at once, at most)\nnodes: " in large
    assert "(predicted" in large


@pytest.mark.ci
def test_a_list_without_end_stops_with_its_time():
    text = "\n".join(["capacity 2000", *(f"i{i} {50 + 3 * i} {i}" for i in range(40))])
    asked = ["build", "knapsack", "-", "--list", "--timeout", "2"]
    assert "not done after 2 seconds" in run(*asked, text=text, code=3)


def test_the_limit_of_seconds_holds_for_the_count_too(monkeypatch):
    counted = []
    count = queries.count
    monkeypatch.setattr(queries, "count", lambda circuit, budget=None: counted.append(budget) or count(circuit, budget))
    run("build", "knapsack", "-", "--timeout", "100", text="capacity 2\na 1\nb 2")
    assert [budget.timeout for budget in counted] == [100]
