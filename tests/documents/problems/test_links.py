"""Links of documents: which lead to a file, to what a site generator makes of one, or to a title."""

from pathlib import Path

import pytest

from howsure.documents.problems.known_files import KnownFiles
from howsure.documents.problems.links import Links
from howsure.documents.problems.project import Project


@pytest.fixture
def links(tmp_path: Path) -> Links:
    """Return the links of a tree with a page, a script and a picture below a folder of a site."""
    for name in ("docs/guide.md", "src/cart.py", "public/assets/a.png"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("x")
    files = KnownFiles(tmp_path, {"docs/guide.md", "public/assets/a.png"}, ())
    return Links(files, Project(files.read_text))


@pytest.mark.parametrize(
    ("link", "leads"),
    [
        ("../src/cart.py", True),
        ("../src/gone.py", False),
        ("guide.html", True),
        ("../guide/", True),
        ("../assets/a.png", True),
        ("../../elsewhere.md", True),
        ("generated/api.md", True),
        ("a%20b.md", False),
    ],
)
def test_a_link_leads_to_a_file_or_to_what_a_site_makes_of_one(links: Links, link: str, leads: bool) -> None:
    assert links.leads("docs/guide.md", link) is leads


@pytest.mark.parametrize("link", ["#top", "#readme", "##", "#"])
def test_every_page_has_a_top(links: Links, link: str) -> None:
    assert links.has_anchor("docs/guide.md", link)


def test_places_of_pages_that_cannot_be_read_are_not_missed(links: Links, tmp_path: Path) -> None:
    assert not links.has_anchor("docs/guide.md", "#somewhere")
    (tmp_path / "docs" / "binary.md").write_bytes(b"# A\x00")
    for link in ("gone.md#somewhere", "binary.md#somewhere", "../../outside.md#somewhere"):
        assert links.has_anchor("docs/guide.md", link)


@pytest.mark.parametrize(
    ("link", "leads"),
    [
        ("/docs/guide.md", True),
        ("/guide.md", True),  # if the site begins in docs
        ("/src/cart.py", True),
        ("/assets/a.png", True),
        ("/logo.png", True),
        ("/none.md", False),
        ("/docs/none.png", False),
        ("/a%20b.md", False),
        ("/api/", True),
        ("/api.html", True),
    ],
)
def test_a_link_from_the_root_leads_to_a_file_of_the_tree(
    links: Links, tmp_path: Path, link: str, *, leads: bool
) -> None:
    (tmp_path / "static").mkdir()
    (tmp_path / "static" / "logo.png").touch()
    assert links.leads("docs/guide.md", link) is leads


def test_a_place_may_be_in_a_page_that_is_named_from_the_root(links: Links, tmp_path: Path) -> None:
    (tmp_path / "README.md").write_text("# Start\n")
    assert links.has_anchor("docs/guide.md", "/README.md#start")
    assert not links.has_anchor("docs/guide.md", "/README.md#nowhere")
    (tmp_path / "mkdocs.yml").write_text("nav:\n  - README.md\n")
    files = KnownFiles(tmp_path, set(), ())
    site = Links(files, Project(files.read_text))
    assert site.has_anchor("docs/guide.md", "/README.md#nowhere"), "the root of the site may be docs"
