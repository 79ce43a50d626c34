"""The page of the public interface is made from the docstrings: `python tests/test_interface.py` writes it."""

import ast
import inspect
import re
from dataclasses import is_dataclass
from enum import Enum
from functools import cached_property
from importlib import import_module
from pathlib import Path

import pytest

import mines_dd
from mines_dd.base.budget import Budget
from mines_dd.cli.main import SECTIONS

PACKAGE = Path(mines_dd.__file__).parent
PAGE = PACKAGE.parent / "data" / "INTERFACE.md"
MODULES = {
    "mines_dd": (),
    "mines_dd.frontier": (),
    "mines_dd.constraints.shapes": (),
    "mines_dd.constraints.cnf_opb": (),
    "mines_dd.answers.interop": (),
    "mines_dd.board.examples": (),
    "mines_dd.board.files": (),
    "mines_dd.board.replays": (),
    "mines_dd.board.picture": ("draw_board", "save_board", "save_totals"),
    "mines_dd.base.budget": ("Budget",),
    "mines_dd.play.games": ("LEVELS", "RULES", "Level", "Tally", "deal", "play_games"),
    "mines_dd.play.player": ("POLICIES", "Policy"),
    "mines_dd.play.coach": (),
    "mines_dd.play.coach_report": ("html_report", "text_report"),
    "mines_dd.play.no_guess": (),
}
"""For each module the names that are for users; all that it exports, if none are said."""


def test_the_page_of_the_public_interface_is_up_to_date():
    assert PAGE.read_text(encoding="utf-8") == page(), "python tests/test_interface.py writes it again"


def test_every_public_name_says_what_it_is():
    assert not [line for line in page().splitlines() if line.endswith("|  |")]


@pytest.mark.parametrize("name", [name for name in mines_dd.__all__ if not name.endswith("Error")])
def test_the_help_of_every_public_name_has_an_example(name):
    assert ">>>" in inspect.getdoc(getattr(mines_dd, name))


def test_whatever_the_readmes_import_is_on_the_page():
    text = page()
    for readme in (PACKAGE.parent / "README.md", PACKAGE / "README.md"):
        use = readme.read_text(encoding="utf-8").partition("\n## Counting")
        for module, names in re.findall(r">>> from (mines_dd\S*) import ([^#\n]+)", use[2] or use[0]):
            section = text.partition(f"\n## {module}\n")[2].partition("\n## ")[0]
            for name in names.split(","):
                assert f"| [`{name.strip()}" in section, f"{module}.{name.strip()}"


# Making the page


def page():
    """The whole page."""
    parts = [
        "# The public interface\n\nEach line is the first of a docstring; `help()` has the rest. "
        "[The tour](../mines_dd/README.md) has examples, [another page](../mines_dd/boardgames/README.md) "
        "the other games.\n\n"
        "This page is made from the docstrings, by `python tests/test_interface.py`."
    ]
    parts += [section(name) for name in MODULES]
    parts += ["## In the shell\n\n`mines-dd COMMAND --help` has the rest.\n\n" + table(map(command_row, commands()))]
    return "\n\n".join(parts) + "\n"


def commands():
    return [command for commands in SECTIONS.values() for command in commands]


def command_row(command):
    file = Path(inspect.getsourcefile(inspect.unwrap(command.callback))).relative_to(PACKAGE).as_posix()
    return f"[`mines-dd {command.name}`](../mines_dd/{file})", command.get_short_help_str(200)


def section(module_name):
    """A module's names, and the members of its classes."""
    module = import_module(module_name)
    names = sorted(MODULES[module_name] or module.__all__, key=str.casefold)
    about = "The package." if module_name == "mines_dd" else first_sentence(inspect.getdoc(module))
    rows = {}
    for name in names:
        link, text = name_row(module, name)
        rows.setdefault(text if name.isupper() else name, ([], text))[0].append(link)
    parts = [f"## {module_name}\n\n{about}\n\n{table((', '.join(links), text) for links, text in rows.values())}"]
    for name in names:
        rows = list(members(getattr(module, name)))
        if rows:
            parts.append(f"### {name}\n\n{table(rows)}")
    return "\n\n".join(parts)


def table(rows):
    return "\n".join(["| name | what it is |", "|---|---|", *(f"| {name} | {text} |" for name, text in rows)])


def name_row(module, name):
    value = getattr(module, name)
    home = import_module(value.__module__) if inspect.isclass(value) or inspect.isfunction(value) else module
    if inspect.isclass(value) or inspect.isfunction(value):
        text = first_sentence(inspect.getdoc(value))
    else:
        home, text = constant(module, name)
    file = Path(home.__file__).relative_to(PACKAGE).as_posix()
    return f"[`{name}{parameters(value)}`](../mines_dd/{file})", text


def constant(module, name):
    """The module that defines a constant, and the text below it there."""
    tree = ast.parse(inspect.getsource(module))
    for node in tree.body:
        if isinstance(node, ast.ImportFrom) and name in [alias.name for alias in node.names]:
            return constant(import_module(node.module), name)
    for node, after in zip(tree.body, tree.body[1:], strict=False):
        named = [x.id for x in ast.walk(node) if isinstance(x, ast.Name) and isinstance(x.ctx, ast.Store)]
        if isinstance(node, ast.Assign) and name in named and isinstance(after, ast.Expr):
            return module, first_sentence(inspect.cleandoc(ast.literal_eval(after.value)))
    return module, ""


def members(cls):
    """Attributes, properties and methods that a public class itself documents."""
    if not inspect.isclass(cls):
        return
    yield from ((f"`.{name}`", text) for name, text in attributes(cls))
    for name, member in vars(cls).items():
        function = member.func if isinstance(member, cached_property) else member
        function = member.fget if isinstance(member, property) else getattr(function, "__func__", function)
        if name.startswith("_") or not inspect.isfunction(function) or not function.__doc__:
            continue
        call = "" if isinstance(member, property | cached_property) else parameters(function) or "()"
        yield f"`.{name}{call}`", first_sentence(inspect.cleandoc(function.__doc__))


def attributes(cls):
    """The section Attributes of a class's docstring, as names and first sentences."""
    text = inspect.cleandoc(cls.__doc__)
    found = re.search(r"^Attributes\n-+\n(.*?)(?=\n\n\w+\n-+\n|\Z)", text, re.DOTALL | re.MULTILINE)
    entries = re.findall(r"^(\w[\w, ]*) : .*\n((?:    .*\n?|\n)+)", found[1] + "\n" if found else "", re.MULTILINE)
    return [(names, first_sentence(inspect.cleandoc(text))) for names, text in entries]


def parameters(value):
    """The parameters as one would write them; nothing of what is not called."""
    if inspect.isclass(value):
        own = any("__init__" in vars(base) or "__new__" in vars(base) for base in own_bases(value))
        if not own or issubclass(value, Enum) or (is_dataclass(value) and value not in (mines_dd.Board, Budget)):
            return ""  # nothing that a user calls
    elif not callable(value):
        return ""
    found = inspect.signature(value)
    plain = [p.replace(annotation=p.empty) for p in found.parameters.values() if p.name not in ("self", "cls")]
    return str(found.replace(parameters=plain, return_annotation=found.empty))


def own_bases(cls):
    """The classes of this package that a class is made of."""
    return [base for base in cls.__mro__ if base.__module__.startswith("mines_dd")]


def first_sentence(text):
    """What a docstring says first, in one line of a table."""
    line = " ".join((text or "").partition("\n\n")[0].split())
    sentence = re.match(r".*?[.:](?= [A-Z]|$)", line)
    return (sentence[0] if sentence else line).replace("|", "\\|").removesuffix(":")


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
