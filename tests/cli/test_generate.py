"""The command generate."""

from commands import run


def test_generated_boards_can_be_read_and_repeat():
    board = run("generate", "9", "9", "--mines", "10", "--hints", "20", "--seed", "7")
    assert board == run("generate", "9", "9", "--mines", "10", "--hints", "20", "--seed", "7")
    assert board.startswith("mines: 10\n")
    assert int(run("count", "-", text=board)) >= 1
    assert "impossible" in run("generate", "3", "3", "--mines", "10", code=2)
    assert "neither a number" in run("generate", "3", "3", "--mines", "many", code=2)
