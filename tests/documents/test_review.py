"""Reviews: who has validated what is written into the file, and nothing else in it changes."""

import json
from datetime import date
from pathlib import Path

import pytest
import yaml

from howsure.documents.content.front_matter import front_matter
from howsure.documents.review import list_due, write_validation
from howsure.errors import InputError
from tests.documents.factory import document
from tests.documents.scans import git

DAY = date(2026, 11, 15)
TOLD = {"validated": DAY, "next_review": date(2027, 5, 15), "confidence": 1.0, "reviewed_by": "ann"}


def data_file(tmp_path: Path, name: str, content: str) -> Path:
    folder = tmp_path / "_data"
    folder.mkdir(exist_ok=True)
    path = folder / name
    path.write_bytes(content.encode())
    return path


@pytest.mark.parametrize(
    "content",
    [
        "rows:\n  - a\n",
        "# comment\n---\nrows: [a]\n",
        "rows:\n  - a\ndata_metadata:\n  created: 2025-01-01 # the first\n  validated: 2025-01-01\nmore: 1\n",
        "data_metadata:\n    validated: 2025-01-01",
        "data_metadata:\r\n  created: 2025-01-01\r\n\r\nrows: [a]\r\n",
        "data_metadata:\n  reviewed_by: bob\n  # why\n  created: 2025-01-01\nrows: |\n  validated: not this one\n",
    ],
)
def test_yaml_says_who_has_validated_it(tmp_path: Path, content: str) -> None:
    path = data_file(tmp_path, "a.yml", content)
    assert write_validation(path, "ann", DAY) == path
    before, after = yaml.safe_load(content), yaml.safe_load(path.read_bytes())
    assert TOLD.items() <= after["data_metadata"].items()
    created = (before.get("data_metadata") or {}).get("created")
    assert after["data_metadata"].get("created") in (created, DAY)
    assert {k: v for k, v in after.items() if k != "data_metadata"} == {
        k: v for k, v in before.items() if k != "data_metadata"
    }
    kept = [line for line in content.splitlines() if "validated: 2025" not in line and "reviewed_by: bob" not in line]
    assert [line for line in path.read_text().splitlines() if line in kept] == kept
    assert ("\r\n" in path.read_bytes().decode()) == ("\r\n" in content)
    text = path.read_bytes()
    write_validation(path, "ann", DAY)
    assert path.read_bytes() == text


@pytest.mark.parametrize("name", ['o\'brien "x"', "yes", "a: b", "# x", "日本"])
def test_odd_names_are_quoted(tmp_path: Path, name: str) -> None:
    path = data_file(tmp_path, "a.yml", "rows: []\n")
    write_validation(path, name, DAY)
    assert yaml.safe_load(path.read_text())["data_metadata"]["reviewed_by"] == name


def test_json_says_who_has_validated_it(tmp_path: Path) -> None:
    path = data_file(
        tmp_path, "a.json", '{\n  "rows": [1.0e3, "x"],\n  "data_metadata": {"created": "2025-01-01"}\n}\n'
    )
    write_validation(path, "ann", DAY)
    assert '"rows": [1.0e3, "x"]' in path.read_text()
    assert json.loads(path.read_text())["data_metadata"] == {
        "created": "2025-01-01", "validated": "2026-11-15", "next_review": "2027-05-15", "confidence": 1.0,
        "reviewed_by": "ann",
    }  # fmt: skip


@pytest.mark.parametrize(("name", "content"), [("a.csv", "a,b\n"), ("a.json", "[1, 2]\n"), ("a.yml", "- a\n- b\n")])
def test_files_without_room_get_a_sidecar(tmp_path: Path, name: str, content: str) -> None:
    path = data_file(tmp_path, name, content)
    beside = write_validation(path, "ann", DAY)
    assert beside.name == f"{name}.confidence.json"
    assert json.loads(beside.read_text())["data_metadata"]["reviewed_by"] == "ann"
    assert path.read_text() == content


def test_a_page_says_it_in_its_front_matter(tmp_path: Path) -> None:
    path = tmp_path / "a.md"
    path.write_text("---\ntitle: Home\nvalidated: 2025-01-01\n---\n# Home\nvalidated: not here\n")
    write_validation(path, "ann", DAY)
    assert front_matter(path.read_text())[0] == {"title": "Home", "validated": DAY, "reviewed_by": "ann"}
    assert path.read_text().endswith("---\n# Home\nvalidated: not here\n")


@pytest.mark.parametrize(
    ("name", "content", "told"),
    [
        ("a.md", "# no front matter\n", "no front matter"),
        ("a.py", "import os\n", "cannot hold"),
        ("a.md", "---\na: [\n---\n", "cannot be read"),
    ],
)
def test_files_that_cannot_hold_a_review_stay_unchanged(tmp_path: Path, name: str, content: str, told: str) -> None:
    path = tmp_path / name
    path.write_text(content)
    with pytest.raises(InputError, match=told):
        write_validation(path, "ann", DAY)
    assert path.read_text() == content
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize("content", ["data_metadata: {created: 2025-01-01}\n", "a: [\n", "data_metadata: &x\n  a: 1\n"])
def test_yaml_that_is_written_otherwise_is_refused(tmp_path: Path, content: str) -> None:
    path = data_file(tmp_path, "a.yml", content)
    with pytest.raises(InputError):
        write_validation(path, "ann", DAY)
    assert path.read_text() == content


def test_a_review_needs_a_name(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no name is given"):
        write_validation(data_file(tmp_path, "a.csv", "a\n"), " ", DAY)


def test_due_documents_are_listed_the_most_urgent_first() -> None:
    ones = [
        document("a.csv", kind="data", action="review", due=date(2026, 10, 1)),
        document("b.csv", kind="data", action="refresh_or_remove", due=date(2025, 10, 1)),
        document("c.csv", kind="data", action="none", due=date(2026, 12, 1)),
        document("d.md", kind="content", action="review", due=date(2026, 10, 1)),
        document("e.csv", kind="data", action="unknown", due=None),
    ]
    assert [one.path for one in list_due(ones)] == ["b.csv", "e.csv", "a.csv"]
    assert [one.path for one in list_due(ones, until=date(2026, 12, 31))] == ["b.csv", "e.csv", "a.csv", "c.csv"]
    assert "d.md" in [one.path for one in list_due(ones, kinds=("data", "content"))]


def test_data_are_data_wherever_one_stands(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = data_file(tmp_path, "a.yml", "rows: []\n")
    monkeypatch.chdir(path.parent)
    assert write_validation(Path("a.yml"), "ann", DAY) == Path("a.yml")
    assert "reviewed_by: ann" in path.read_text()


def test_data_were_created_when_git_saw_them_first(tmp_path: Path) -> None:
    path = data_file(tmp_path, "a.yml", "rows: []\n")
    git(tmp_path, "init", "-q")
    git(tmp_path, "add", ".")
    git(tmp_path, "commit", "-qm", "first", at="2024-02-03T00:00:00Z")
    git(tmp_path, "mv", "_data/a.yml", "_data/b.yml")
    git(tmp_path, "commit", "-qm", "second")
    write_validation(path.with_name("b.yml"), "ann", DAY)
    assert yaml.safe_load(path.with_name("b.yml").read_text())["data_metadata"]["created"] == date(2024, 2, 3)


def test_other_members_of_the_object_are_not_rewritten(tmp_path: Path) -> None:
    path = data_file(
        tmp_path, "a.json", '{\r\n\t"data_metadata": {\r\n\t\t"n": 1e3,\r\n\t\t"who": "Jürgen"\r\n\t}\r\n}'
    )
    write_validation(path, "Zoë", DAY)
    text = path.read_bytes().decode()
    assert text.startswith('{\r\n\t"data_metadata": {\r\n\t\t"n": 1e3,\r\n\t\t"who": "Jürgen",\r\n\t\t"created": ')
    assert text.endswith('"reviewed_by": "Zoë"\r\n\t}\r\n}')
    before = text
    write_validation(path, "Zoë", DAY)
    assert path.read_bytes().decode() == before


def test_names_stay_readable(tmp_path: Path) -> None:
    path = data_file(tmp_path, "a.yml", "rows: []\n")
    write_validation(path, "Jürgen", DAY)
    assert "reviewed_by: Jürgen\n" in path.read_text()


@pytest.mark.parametrize(
    "content",
    [
        "\ufeffdata_metadata:\n  validated: 2025-01-01\n",
        "data_metadata:\n# when\n  validated: 2025-01-01\n# next\nrows: []\n",
    ],
)
def test_a_byte_order_mark_and_comments_are_kept(tmp_path: Path, content: str) -> None:
    path = data_file(tmp_path, "a.yml", content)
    write_validation(path, "ann", DAY)
    assert yaml.safe_load(path.read_bytes())["data_metadata"] == TOLD
    assert path.read_text().startswith(content.partition("  validated")[0])


@pytest.mark.parametrize("name", ["\udcff", "a\ud800"])
def test_a_name_must_be_a_text(tmp_path: Path, name: str) -> None:
    path = data_file(tmp_path, "a.yml", "rows: []\n")
    with pytest.raises(InputError, match="by: "):
        write_validation(path, name, DAY)
    assert path.read_text() == "rows: []\n"


def test_a_link_is_not_followed(tmp_path: Path) -> None:
    path = data_file(tmp_path, "a.yml", "rows: []\n")
    path.with_name("b.yml").symlink_to(path)
    with pytest.raises(InputError, match="it cannot be read"):
        write_validation(path.with_name("b.yml"), "ann", DAY)
