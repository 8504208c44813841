"""The examples of docs/integrations.md run with the real frameworks."""

import re
from pathlib import Path

import pytest

PAGE = Path(__file__).parent.parent.parent / "docs" / "integrations.md"
SECTIONS = re.split(r"^## ", PAGE.read_text(), flags=re.MULTILINE)[1:]
BLOCKS = {
    section.partition("\n")[0]: "\n".join(re.findall(r"^```py\n(.*?)^```$", section, re.MULTILINE | re.DOTALL))
    for section in SECTIONS
}


@pytest.mark.parametrize("title", [title for title, block in BLOCKS.items() if block])
def test_the_example_runs(title: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("HOWSURE_STORE", str(tmp_path / "decisions.db"))
    monkeypatch.chdir(tmp_path)
    exec(compile(BLOCKS[title], f"{PAGE} {title}", "exec"), {"__name__": "example"})  # noqa: S102 - our own examples


def test_every_adapter_has_an_example() -> None:
    assert sum(bool(block) for block in BLOCKS.values()) >= 9
