"""The command completion."""

import subprocess
import sys

import pytest
from commands import ENVIRONMENT, run


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion_prints_a_script_that_asks_the_command(shell):
    assert "_MINES_DD_COMPLETE" in run("completion", shell)


def test_completion_knows_commands_options_and_values():
    def completed(line: str) -> str:
        words = {"_MINES_DD_COMPLETE": "bash_complete", "COMP_WORDS": line, "COMP_CWORD": str(line.count(" "))}
        code = "import sys; sys.argv = ['mines-dd']; from mines_dd.cli.main import main; main()"
        done = subprocess.run(
            [sys.executable, "-c", code], capture_output=True, text=True, env={**ENVIRONMENT, **words}, check=False
        )
        return done.stdout

    assert "plain,compare" in completed("mines-dd comp")
    assert "plain,tree" in completed("mines-dd count --method t")
    assert completed("mines-dd count fig").startswith("file,")
    assert completed("mines-dd example fif") == "plain,fifty-fifty\n"
    assert "plain,zdd,dc" in completed("mines-dd compare --methods zdd,d").splitlines()
