"""Metadata that depends on where the repository is: project URLs, and a README whose links work on a package index.

The repository is taken from GITHUB_REPOSITORY, as set in workflows. Elsewhere the README stays as it is.
"""

import os
import re
from pathlib import Path
from typing import Any

from hatchling.metadata.plugin.interface import MetadataHookInterface

_LINK = re.compile(r"(!?)\[((?:[^\[\]]|\[[^\[\]]*\]\([^()]*\))*)\]\(([^()\s]+)\)")


class RepositoryMetadata(MetadataHookInterface):
    """Fill in `readme` and `urls`."""

    PLUGIN_NAME = "custom"

    def update(self, metadata: dict[str, Any]) -> None:
        """Add the dynamic fields."""
        text = (Path(self.root) / "README.md").read_text(encoding="utf-8")
        repository = os.environ.get("GITHUB_REPOSITORY", "")
        if repository:
            home = f"https://github.com/{repository}"
            text = with_absolute_links(text, home, os.environ.get("GITHUB_REF_NAME") or "main")
            metadata["urls"] = {
                "Homepage": home,
                "Documentation": f"{home}/tree/main/docs",
                "Changelog": f"{home}/blob/main/CHANGELOG.md",
                "Issues": f"{home}/issues",
                "Security": f"{home}/blob/main/SECURITY.md",
            }
        metadata["readme"] = {"content-type": "text/markdown", "text": text}


def with_absolute_links(text: str, home: str, ref: str) -> str:
    """Return Markdown whose relative links and images point into a repository at a branch or tag.

    >>> with_absolute_links("![a](docs/a.svg) [b](docs/b.md)", "https://github.com/x/y", "v1")
    '![a](https://raw.githubusercontent.com/x/y/v1/docs/a.svg) [b](https://github.com/x/y/blob/v1/docs/b.md)'
    """
    raw = home.replace("https://github.com/", "https://raw.githubusercontent.com/")

    def absolute(match: re.Match[str]) -> str:
        image, label, target = match.groups()
        label = _LINK.sub(absolute, label)  # a badge is an image inside a link
        if re.match(r"[a-z]+:|#", target):
            return f"{image}[{label}]({target})"
        if target.startswith("../../"):  # a page of the repository itself, such as its workflows
            return f"{image}[{label}]({home}/{target[6:]})"
        place = f"{raw}/{ref}" if image else f"{home}/blob/{ref}"
        return f"{image}[{label}]({place}/{target})"

    return _LINK.sub(absolute, text)
