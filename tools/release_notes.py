"""Print the changelog section of a version; fail unless the tag, the package and the changelog name the same version.

Run as `python tools/release_notes.py v1.2.3`.
"""

import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


def release_notes(tag: str, changelog: str, source: str) -> str:
    """Return the section of the changelog for a tag such as `v1.2.3`.

    Raises:
        ValueError: if the package has another version, or the changelog has no such section.
    """
    version = tag.removeprefix("v")
    declared = re.search(r'^__version__ = "(.+)"$', source, re.MULTILINE)
    if declared is None or declared[1] != version:
        raise ValueError(f"the package is version {declared and declared[1]}, not {version}")
    section = re.search(rf"^## \[{re.escape(version)}\].*?\n(.*?)(?=^## \[|\Z)", changelog, re.MULTILINE | re.DOTALL)
    if section is None or not section[1].strip():
        raise ValueError(f"CHANGELOG.md has no section for {version}")
    return section[1].strip() + "\n"


if __name__ == "__main__":
    changelog = (ROOT / "CHANGELOG.md").read_text()
    source = (ROOT / "src/howsure/version.py").read_text()
    try:
        sys.stdout.write(release_notes(sys.argv[1], changelog, source))
    except ValueError as error:
        sys.exit(f"release_notes: {error}")
