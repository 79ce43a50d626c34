"""The command line as a whole: help, examples, interrupts, readers and disks that take no more."""

import json
import math
import os
import shlex
import signal
import subprocess
import sys
import time
from pathlib import Path

import click.testing
import pytest
from boards import DATA
from commands import COMMAND, ENVIRONMENT, FIGURE_10, ended_with, run

from mines_dd.cli import common
from mines_dd.cli.main import SECTIONS, cli
from mines_dd.play import games


def test_unknown_commands_and_options_are_bad_input():
    assert "Did you mean" in run("analyes", "#1#", code=2)
    assert "'solve': analyse asks about a position" in run("solve", "#1#", code=2)
    assert "mines-dd COMMAND --help" in run("help", code=2)
    assert run("COUNT", "#1#") == "2\n"
    assert 'first say what to do with it, as in: mines-dd analyse "#1#"' in run("#1#", code=2)
    assert f'mines-dd analyse "{FIGURE_10}"' in run(FIGURE_10, code=2)
    assert "mines-dd --version prints it" in run("version", code=2)
    assert "'--totals' requires an argument: game, puzzle" in run("analyse", "#1#", "--totals", code=2)
    assert "'--mines' requires an argument" in run("analyse", "#1#", "--mines", code=2)
    assert "No such option" in run("count", "#1#", "--cvs", code=2)
    assert "Missing argument 'BOARD'. Give a board file, " in run("count", code=2)
    for command in ("count", "play"):  # a shell takes a board without quotes for a comment
        assert "in quotes" in run(command, code=2)
    assert "Usage" in run(code=2)
    assert "nothing to compare" in run("compare", "#1#", "--methods", ",", code=2)
    assert "not both" in run("play", "#1#", "--level", "expert", code=2)
    assert "not both" not in run("play", code=2)
    assert "either" in run("generate", "9", "9", "--level", "expert", code=2)


def test_every_command_explains_itself_with_an_example():
    for commands in SECTIONS.values():
        for command in commands:
            text = run(str(command.name), "--help")
            assert "Examples:" in text, command.name
            assert not command.get_short_help_str(70).endswith("..."), command.name
            assert all(p.help for p in command.params if p.param_type_name == "option"), command.name
    assert {command.name for commands in SECTIONS.values() for command in commands} == set(cli.commands)


@pytest.mark.ci
@pytest.mark.parametrize("compiles", [False, True])
@pytest.mark.usefixtures("interpreted_unless_asked")
def test_the_examples_work_in_an_empty_folder(compiles, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("mines_dd.cli.compare._NOTICED", math.inf)
    commands = [c for c in cli.commands.values() if c.name not in ("serve", "completion")]
    epilogs = [c.epilog for c in commands if (c.name == "warm-up") == compiles]
    lines = [line.strip() for epilog in epilogs for line in (epilog or "").splitlines()[2:] if "book.dat" not in line]
    lines += [] if compiles else (cli.epilog or "").splitlines()[2:]
    assert len(lines) > (0 if compiles else 30)
    for line in lines:
        line, _, file = line.partition(" > ")
        text: str | None = None
        for part in line.split(" | "):
            name, *args = shlex.split(part)
            assert name == "mines-dd"
            text = run(*args, text=text)
        assert text, line
        if file:
            Path(file).write_text(text, encoding="utf-8")


@pytest.mark.ci
def test_a_reader_that_has_had_enough_ends_it_silently():
    code = f"{shlex.join([*COMMAND, 'list', FIGURE_10])} | head -n 1; echo ${{PIPESTATUS[0]}}"
    done = subprocess.run(["bash", "-c", code], capture_output=True, text=True, env=ENVIRONMENT, check=True)
    assert done.stdout.splitlines()[1:] == ["0"]
    assert done.stderr == ""
    closed = subprocess.run(
        ["bash", "-c", f"{shlex.join([*COMMAND, 'generate', '200', '200'])} | true"],
        capture_output=True,
        text=True,
        env=ENVIRONMENT,
        check=True,
    )
    assert closed.stderr == ""


@pytest.mark.ci
@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="needs a full disk")
@pytest.mark.parametrize("unbuffered", ["", "1"])
def test_a_full_disk_is_one_sentence(unbuffered):
    environment = ENVIRONMENT | {"PYTHONUNBUFFERED": unbuffered}
    with open("/dev/full", "w") as full:
        done = subprocess.run(
            [*COMMAND, "list", FIGURE_10], stdout=full, stderr=subprocess.PIPE, text=True, env=environment, check=False
        )
    assert done.returncode == 2
    assert done.stderr == "mines-dd: cannot write the output: No space left on device\n"


@pytest.mark.ci
@pytest.mark.skipif(sys.platform == "win32", reason="the size of files is limited by the shell")
@pytest.mark.parametrize("unbuffered", ["", "1"])
def test_a_disk_that_fills_up_in_the_middle_of_a_write_is_one_sentence(unbuffered, tmp_path):
    command = f"ulimit -f 10; {shlex.join([*COMMAND, 'generate', '300', '300'])} > board.txt"
    environment = ENVIRONMENT | {"PYTHONUNBUFFERED": unbuffered}
    done = subprocess.run(
        ["bash", "-c", command], stderr=subprocess.PIPE, text=True, env=environment, cwd=tmp_path, check=False
    )
    assert (done.returncode, done.stderr) == (2, "mines-dd: cannot write the output: File too large\n")


@pytest.mark.ci
@pytest.mark.usefixtures("interrupts")
def test_an_interrupt_is_exit_code_130():
    board = run("generate", "30", "30", "--mines", "30%", "--hints", "30%", "--seed", "4")
    with subprocess.Popen(
        [*COMMAND, "list", "-"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=ENVIRONMENT,
    ) as running:
        assert running.stdin is not None
        assert running.stdout is not None
        running.stdin.write(board)
        running.stdin.close()
        running.stdin = None
        running.stdout.readline()
        running.send_signal(signal.SIGINT)
        _, errors = running.communicate(timeout=60)
    assert running.returncode == 130
    assert errors.strip().splitlines()[-1] == "mines-dd: interrupted"


@pytest.mark.ci
@pytest.mark.usefixtures("interrupts")
def test_more_interrupts_are_no_traceback(tmp_path):
    hard = tmp_path / "hard.txt"
    hard.write_text(run("generate", "30", "30", "--mines", "30%", "--hints", "30%", "--seed", "2"))
    asked = [*COMMAND, "count", str(hard), "--method", "bdd", "--order", "row"]
    with subprocess.Popen(asked, stderr=subprocess.PIPE, text=True, env=ENVIRONMENT) as running:
        time.sleep(1)
        while running.poll() is None:
            running.send_signal(signal.SIGINT)
            time.sleep(0.03)
        _, errors = running.communicate()
    assert "Traceback" not in errors
    assert running.returncode in (130, -signal.SIGINT)  # the last, while Python itself is ending


@pytest.mark.parametrize("raised", ["KeyboardInterrupt", "RuntimeError from KeyboardInterrupt()"])
@pytest.mark.parametrize("module", ["mines_dd.cli.main", "mines_dd.base.budget"])
def test_an_interrupt_while_the_commands_are_loaded_is_no_traceback(module, raised):
    code = f"""
import sys
import time
class Interrupted:
    def find_spec(self, name, *_):
        if name == "{module}":
            raise {raised}
sys.meta_path.insert(0, Interrupted())
from mines_dd.__main__ import main
main()
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=ENVIRONMENT, check=False)
    assert (done.returncode, done.stderr.strip()) == (130, "mines-dd: interrupted")


SWALLOWED = """
import signal, sys, time
from mines_dd.base import compiling
signal.signal(signal.SIGINT, compiling.interrupt)
try:
    import swallows
    time.sleep(60)
except KeyboardInterrupt:
    print("stopped")
time.sleep(0.2)  # it comes once only
"""


def test_an_interrupt_that_an_import_would_swallow_comes_after_it(tmp_path):
    (tmp_path / "swallows.py").write_text(
        "import signal\ntry: signal.raise_signal(signal.SIGINT)\nexcept KeyboardInterrupt: print('swallowed')\n"
    )
    (tmp_path / "program.py").write_text(SWALLOWED)
    done = subprocess.run(
        [sys.executable, str(tmp_path / "program.py")],
        capture_output=True,
        text=True,
        env=ENVIRONMENT | {"PYTHONPATH": str(DATA.parent)},
        timeout=30,
        check=False,
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "stopped\n", "")


def test_interrupted_games_are_summed_up_with_the_code_of_an_interrupt(monkeypatch):
    def two_games(*_, **__):
        yield from [(True, 1), (False, 3)]
        raise KeyboardInterrupt

    monkeypatch.setattr(games, "outcomes", two_games)
    code, out, notes = ended_with("play", "--level", "beginner", "--games", "9", "--json")
    assert (code, json.loads(out)["games"], json.loads(out)["won"]) == (130, 2, 1)
    assert "stopped after 2 games" in notes


def test_help_is_there_at_once_because_it_needs_no_heavy_package():
    code = (
        "import sys; sys.argv = ['mines-dd', '--help']; from mines_dd.cli.main import main\n"
        "try: main()\n"
        "except SystemExit as end: print(end.code or 0)\n"
        "print([m for m in ('numba', 'matplotlib', 'networkx', 'numpy', 'dd') if m in sys.modules])\n"
        "print([m for m in sys.modules if m.startswith('mines_dd.') and m.split('.')[1] not in ('cli', 'base')])\n"
        "print(len(sys.modules))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=DATA.parent, check=True)
    *_, code, heavy, ours, modules = done.stdout.splitlines()
    assert (code, heavy, ours) == ("0", "[]", "[]")
    assert int(modules) < 300  # 135 today: a tenth of a second


def test_two_options_that_answer_one_question_are_refused():
    for words in (["analyse", "#1#", "--json", "--csv"], ["build", "knapsack", "-", "--count", "--list"]):
        assert f"give {words[-2]} or {words[-1]}, not both" in run(*words, code=2)


@pytest.mark.ci
@pytest.mark.parametrize(("encoding", "shown"), [("latin-1", "\\u3042"), ("utf-8", "あ")])
def test_letters_that_the_output_cannot_hold_are_escaped_and_that_is_said_once(encoding, shown):
    environment = {**ENVIRONMENT, "PYTHONIOENCODING": encoding}
    retrograde = [*COMMAND, "retrograde", "-", "--csv"]
    done = subprocess.run(retrograde, input="あ,い\n".encode(), capture_output=True, env=environment)
    assert done.returncode == 0
    assert f"{shown},win,1," in done.stdout.decode(encoding)
    notes = [line for line in done.stderr.decode(encoding).splitlines() if "PYTHONIOENCODING=utf-8" in line]
    assert len(notes) == (encoding != "utf-8")


@pytest.mark.ci
def test_pictures_need_no_backend_of_a_notebook(tmp_path):
    environment = {**ENVIRONMENT, "MPLBACKEND": "module://no_such.backend"}
    subprocess.run([*COMMAND, "analyse", "#1#", "-o", tmp_path / "a.png"], env=environment, check=True)
    assert (tmp_path / "a.png").exists()


def test_no_command_says_it_is_at_work_while_it_waits_for_what_is_typed(monkeypatch):
    monkeypatch.setattr(common, "_SILENT", 0)
    monkeypatch.setattr(click.testing._NamedTextIOWrapper, "isatty", lambda self: True)
    for command, typing in [(["shiritori", "-"], True), (["compare", "#1#"], False)]:
        code, _, notes = ended_with(*command, text="あいう\nあいう\n")
        assert (code, "still at work" in notes, "then Ctrl-D" in notes) == (0, not typing, typing)


@pytest.mark.ci
def test_a_full_standard_error_leaves_the_exit_code():
    for words, code in ((["count", "#x"], 2), (["count", "--nope"], 2), (["count", "####/#22#", "--timeout", "0"], 3)):
        with open("/dev/full", "w") as full:
            assert subprocess.run([sys.executable, "-m", "mines_dd", *words], stderr=full).returncode == code


def test_a_dash_is_no_file_to_write():
    assert "give its name" in run("export", "#1#", "-f", "cnf", "-o", "-", code=2)


def test_what_a_message_quotes_stays_on_its_line(tmp_path):
    path = tmp_path / "game.sgf"
    path.write_text("(;SZ[19]AB[q\033[31mq\nr])")
    said = run("strings", str(path), code=2)
    assert said.count("\n") <= 1
    assert "\033" not in said


def test_a_file_named_like_a_command_does_not_hide_it(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name in ("count", "play", "solve"):
        (tmp_path / name).write_text("#1#")
    assert run("count", "count") == "2\n"
    assert "mines-dd play" in run("play", "--help")
    (tmp_path / "mine.txt").write_text("#1#")
    assert "'mine.txt' is no command; first say what to do" in run("mine.txt", code=2)
