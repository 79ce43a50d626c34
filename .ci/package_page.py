"""What a package index shows of this package: the README, with links that work there.

An index has the README alone; the files beside it are in the clone and in the source distribution.  So `[text](file)`
becomes `[text](ADDRESS/file)`, with the addresses given in pyproject.toml below `[tool.hatch.metadata.hooks.custom]`:
`files` for links, `pictures` for what is shown in the page.  As long as there are none, a link becomes its text and the
name of the file, a picture becomes its description, and a sentence says where the files are.  The first command
installs the package by its name, as whoever reads the page has no clone.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from hatchling.metadata.plugin.interface import MetadataHookInterface

_LINK = re.compile(r"(!?)\[([^\]]*)\]\((?!\w+:|#)([^)\s]+)\)")
_INSTALL = re.compile(r'^pip install "\.\[(\w+)\]" +# in a clone; (.*)$', re.MULTILINE)
_WHERE = "Files named on this page are in the source distribution; those below `mines_dd/` are installed too.\n\n"
_CODE = re.compile(r"(^```.*?^```$)", re.MULTILINE | re.DOTALL)


class PackagePage(MetadataHookInterface):
    """Makes the README of the metadata."""

    def update(self, metadata: dict[str, Any]) -> None:
        """Add the README."""
        readme = Path(self.root, "README.md").read_text(encoding="utf-8")
        text = page(readme, self.config.get("files", ""), self.config.get("pictures", ""))
        metadata["readme"] = {"content-type": "text/markdown", "text": text}


def page(readme: str, files: str = "", pictures: str = "") -> str:
    """Return a README whose links need no files beside it; code stays as it is.

    Examples
    --------
    >>> page("![A board](data/a.png), [more](b.md#c), [the paper](https://example.org)")
    '*Picture: A board*, more (`b.md`), [the paper](https://example.org)'
    >>> page("![A board](data/a.png), [more](b.md#c)", "https://example.org/blob/", "https://example.org/raw/")
    '![A board](https://example.org/raw/data/a.png), [more](https://example.org/blob/b.md#c)'
    """

    def link(found: re.Match[str]) -> str:
        is_picture, text, target = found.groups()
        address = pictures if is_picture else files
        if address:
            return f"{is_picture}[{text}]({address.rstrip('/')}/{target})"
        name = target.partition("#")[0]
        return f"*Picture: {text}*" if is_picture else text if name in text else f"{text} (`{name}`)"

    parts = _CODE.split(readme)
    parts[::2] = [_LINK.sub(link, part) for part in parts[::2]]
    text = _INSTALL.sub(r'pip install "mines-dd[\1]"        # \2', "".join(parts))
    return text if files and pictures else text.replace("## ", f"{_WHERE}## ", 1)
