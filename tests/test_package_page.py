"""What a package index shows: the README without links that lead nowhere there."""

import importlib.util
import re
import tomllib
from itertools import chain

import pytest
from boards import ROOT

README = (ROOT / "README.md").read_text(encoding="utf-8")
RELATIVE = re.compile(r"\]\((?!https?://|#)")


@pytest.fixture(scope="module")
def page():
    pytest.importorskip("hatchling")
    spec = importlib.util.spec_from_file_location("package_page", ROOT / ".ci" / "package_page.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.page


def test_without_an_address_links_become_the_names_of_files_and_say_where_those_are(page):
    text = page(README)
    assert RELATIVE.search(README)
    assert not RELATIVE.search(text)
    assert "For players (`mines_dd/README.md`)" in text
    assert "*Picture: An Expert position" in text
    assert text.index("in the source distribution") < text.index("For players")


def test_the_first_command_installs_the_package_by_its_name(page):
    assert '\npip install ".[plot]"  ' in README
    assert '\npip install "mines-dd[plot]"        # Python 3.11 or later\n' in page(README)


def test_with_an_address_links_and_pictures_are_absolute(page):
    text = page(README, "https://example.org/files/", "https://example.org/raw/")
    assert not RELATIVE.search(text)
    assert "](https://example.org/raw/data/expert.png)" in text
    assert "](https://example.org/files/mines_dd/README.md#for-players)" in text
    assert "source distribution" not in text


def test_code_and_links_to_other_sites_stay_as_they_are(page):
    text = "## A\n\n```python\n>>> a[b](c)\n```\n\n[x](https://example.org) [y](#a)"
    assert page(text).endswith(text)


def test_files_that_the_readme_links_to_are_there_and_in_the_source_distribution():
    settings = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    included = re.search(r"\[tool.hatch.build.targets.sdist\]\ninclude = (\[.*\])", settings)
    for name in re.findall(r"\]\((?!https?://|#)([^)#]+)", README):
        assert (ROOT / name).exists(), name
        assert f'"{name.split("/")[0]}"' in included[1], name


def test_the_licence_of_every_package_that_is_asked_for_is_named():
    with open(ROOT / "pyproject.toml", "rb") as file:
        project = tomllib.load(file)["project"]
    asked = chain(project["dependencies"], *project["optional-dependencies"].values())
    tour = (ROOT / "mines_dd" / "README.md").read_text(encoding="utf-8")
    licences = tour.partition("## Licences")[2].partition("\n## ")[0].lower()
    for requirement in asked:
        name = re.match(r"[\w-]+", requirement)[0]
        assert name == "mines-dd" or re.search(rf"[ |]{name}\b", licences), name
