"""The package's imports: no circle of files, and no arrow up the list of rooms; lazy imports count."""

import ast
import functools
from pathlib import Path

import mines_dd

PACKAGE = Path(mines_dd.__file__).parent
ROOMS = [
    *("base", "board", "constraints", "orders", "diagrams", "frontier", "compilers"),
    *("answers", "play", "boardgames", "serve", "cli"),
]
"""From what every room stands on to what users see."""


def modules() -> dict[str, Path]:
    return {
        ".".join(("mines_dd", *path.relative_to(PACKAGE).with_suffix("").parts)).removesuffix(".__init__"): path
        for path in PACKAGE.rglob("*.py")
    }


def imports(path: Path, known: set[str]) -> set[str]:
    """The modules that a file imports, inside functions too; for the type checker alone they do not count."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    unread = {
        id(inner)
        for node in ast.walk(tree)
        if isinstance(node, ast.If) and getattr(node.test, "id", "") == "TYPE_CHECKING"
        for inner in ast.walk(node)
    }
    found = set()
    for node in ast.walk(tree):
        if id(node) in unread:
            continue
        if isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path.name} imports relatively"
            names = {f"{node.module}.{alias.name}" for alias in node.names}
            found |= {name if name in known else str(node.module) for name in names}
        elif isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
    return found & known


@functools.cache
def arrows() -> dict[str, set[str]]:
    files = modules()
    return {name: imports(path, set(files)) - {name} for name, path in files.items()}


def circle(graph: dict[str, set[str]]) -> list[str]:
    """Some modules that import each other in a circle, if there are any."""
    done: set[str] = set()

    def walk(name: str, way: list[str]) -> list[str]:
        if name in way:
            return way[way.index(name) :]
        if name not in done:
            for other in sorted(graph[name]):
                found = walk(other, [*way, name])
                if found:
                    return found
            done.add(name)
        return []

    return next(filter(None, (walk(name, []) for name in sorted(graph))), [])


def test_no_two_files_import_each_other_by_whatever_route():
    assert circle({"a": {"b"}, "b": {"c"}, "c": {"b"}}) == ["b", "c"]
    assert circle(arrows()) == []


def test_arrows_point_down_the_list_of_rooms():
    room = {name: name.split(".")[1] for name in modules() if name.count(".") > 0 and not name.endswith("__main__")}
    assert set(room.values()) == set(ROOMS)
    up = [
        f"{name} imports {other}"
        for name, others in arrows().items()
        for other in others
        if name in room and other in room and ROOMS.index(room[other]) > ROOMS.index(room[name])
    ]
    assert up == []


def test_rooms_import_modules_and_not_faces():
    faces = {name for name, path in modules().items() if path.name == "__init__.py"} - {"mines_dd"}
    assert [f"{name} imports {other}" for name, others in arrows().items() for other in others & faces] == []


def test_the_public_names_are_all_that_is_listed():
    assert dir(mines_dd) == sorted(mines_dd.__all__)
    for name in mines_dd.__all__:
        assert getattr(mines_dd, name).__name__ == name
