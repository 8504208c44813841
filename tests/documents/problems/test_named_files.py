"""Problems of documents: links that lead nowhere, files and targets they name, and what changed since."""

import os
from pathlib import Path
from typing import Any

import pytest

from tests.documents.scans import by_path, git, scan


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """Give a repository with a program and a page that names it."""
    root = tmp_path / "shop"
    (root / "src").mkdir(parents=True)
    (root / "src" / "cart.py").write_text("items = []\n")
    (root / "README.md").write_text("The cart is in `src/cart.py`.\n")
    git(root, "init", "-q")
    git(root, "add", ".")
    git(root, "commit", "-qm", "begin", at="2026-01-01T12:00:00Z")
    return root


def problems(root: Path, path: str, text: str) -> Any:
    (root / path).parent.mkdir(parents=True, exist_ok=True)
    (root / path).write_text(text)
    return by_path(scan(root).report())[path].problems


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("See `src/cart.py` and `src/cart.py:12`.", ()),
        ("See `src/basket.py`.", ("names a file that does not exist: src/basket.py",)),
        ("See `src/a.py` and `src/b.py`.", ("names 2 files that do not exist: src/a.py, src/b.py",)),
        ("```sh\ncat `src/basket.py`\n```\n", ()),
        ("A pattern is `src/*.py`, and `elsewhere/basket.py` is of another project.", ()),
        ("Run `make test`.", ()),
        ("Create `src/basket.py`, or add a file such as `src/trolley.py`. See `src/my_cart.py`.", ()),
    ],
)
def test_a_page_that_names_missing_files_has_a_problem(tree: Path, text: str, expected: tuple[str, ...]) -> None:
    assert problems(tree, "docs/guide.md", text) == expected


def test_dead_links_are_found_in_every_form_that_markdown_has(tree: Path) -> None:
    text = (
        '[ref][r1], [x](/none.md), <a href="zz.md">z</a>, <img src="gone.png">, [ok](/src/cart.py)\n\n[r1]: nope.md\n'
    )
    expected = ("4 links lead nowhere: /none.md, nope.md, zz.md, ...",)
    assert problems(tree, "docs/guide.md", text) == expected


def test_a_link_to_a_file_that_was_moved_is_broken_before_it_is_committed(tree: Path) -> None:
    (tree / "guide.md").write_text("x\n")
    (tree / "index.md").write_text("[a](guide.md)\n")
    git(tree, "add", ".")
    git(tree, "commit", "-qm", "pages")
    git(tree, "mv", "guide.md", "manual.md")
    assert by_path(scan(tree).report())["index.md"].problems == ("1 link leads nowhere: guide.md",)
    (tree / ".git" / "info" / "sparse-checkout").write_text("/index.md\n")
    assert by_path(scan(tree).report())["index.md"].problems == (), "it may not be checked out"


def test_a_file_may_be_named_from_a_folder_within_the_tree(tree: Path) -> None:
    (tree / "src" / "templates" / "src").mkdir(parents=True)
    (tree / "src" / "templates" / "src" / "page.html").write_text("x")
    assert problems(tree, "docs/guide.md", "Override `src/page.html`.") == ()


def test_a_link_without_suffix_may_start_in_the_folder_that_a_page_becomes(tree: Path) -> None:
    (tree / "docs").mkdir()
    (tree / "docs" / "setup.md").write_text("x\n")
    text = "[a](../setup/) [b](../setup.md) [c](../gone/)\n"
    assert problems(tree, "docs/guide.md", text) == ("2 links lead nowhere: ../setup.md, ../gone/",)


def test_what_tells_of_the_past_may_name_what_is_gone(tree: Path) -> None:
    text = "Removed `src/basket.py`.\n"
    assert problems(tree, "CHANGELOG.md", text) == ()
    assert problems(tree, "docs/decisions/0001-cart.md", text) == ()
    assert problems(tree, "docs/guide.md", text) != ()


def test_a_target_that_make_does_not_have_is_a_problem(tree: Path) -> None:
    (tree / "Makefile").write_text("test lint: setup ## run\n\tpytest\nsetup:\n\techo\nVALUE := 1\n")
    text = "Run `make test`, `make lint` or `make docs`.\n"
    assert problems(tree, "CONTRIBUTING.md", text) == ("names a target that make does not have: docs",)
    assert problems(tree, "docs/usage.md", text) == (), "an example for users"
    (tree / "Makefile").write_text("include other.mk\ntest:\n\tpytest\n")
    assert problems(tree, "CONTRIBUTING.md", text + " ") == (), "other.mk may have it"


def test_code_that_changed_since_is_named(tree: Path) -> None:
    assert by_path(scan(tree).report())["README.md"].changed_since == ()
    (tree / "src" / "cart.py").write_text("items = {}\n")
    git(tree, "commit", "-qam", "use a mapping", at="2026-02-01T12:00:00Z")
    found = by_path(scan(tree).report())["README.md"]
    assert (found.changed_since, found.problems) == (("src/cart.py",), ())


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("---\nexpires: 2026-01-01\n---\nText\n", ("expired on 2026-01-01",)),
        ("---\nvalid_until: 2030-01-01\n---\nText\n", ()),
        ("---\nexpires: soon\n---\nText\n", ("expires: 'soon' is not a date",)),
        ("---\ntitle: Hours\n\nWe open at nine.\n", ("the front matter has no end",)),
        ("---\n\nA rule, and no front matter.\n", ()),
    ],
)
def test_expired_pages_and_broken_front_matter_are_problems(tree: Path, text: str, expected: tuple[str, ...]) -> None:
    assert problems(tree, "hours.md", text) == expected


def test_problems_come_before_what_is_due(tree: Path) -> None:
    (tree / "old.md").write_text("Old.\n")
    git(tree, "add", ".")
    git(tree, "commit", "-qm", "old", at="2020-01-01T12:00:00Z")
    (tree / "broken.md").write_text("[gone](gone.md)\n")
    paths = [one.path for one in scan(tree).report().documents]
    assert paths.index("broken.md") < paths.index("old.md") < paths.index("README.md")


def test_pages_in_the_menu_of_a_site_may_be_generated(tree: Path) -> None:
    (tree / "mkdocs.yml").write_text("nav:\n  - API: reference/index.md\n")
    text = "[reference](reference/index.md), [other](reference/other.md)\n"
    assert problems(tree, "docs/guide.md", text) == ("1 link leads nowhere: reference/other.md",)


def test_words_quoted_as_code_or_as_examples_are_not_patterns(tree: Path) -> None:
    pattern = "sources:"
    (tree / "said.md").write_text(f"# Page\n{pattern} today\n")
    (tree / "quoted.md").write_text(f'# Page\n```\n{pattern}\n```\n`{pattern}`\n- "{pattern}"\n')
    said = by_path(scan(tree).report())
    assert pattern in said["said.md"].matches
    assert pattern not in said["quoted.md"].matches


@pytest.fixture
def project(tree: Path) -> Path:
    """Give a repository with a package."""
    (tree / "shop").mkdir()
    (tree / "shop" / "__init__.py").write_text("from shop.basket import Basket\n")
    (tree / "shop" / "basket.py").write_text("class Basket:\n    pass\n")
    (tree / "pyproject.toml").write_text('[project]\nrequires-python = ">=3.10,<4"\n')
    git(tree, "add", ".")
    git(tree, "commit", "-qm", "package", at="2026-01-02T12:00:00Z")
    return tree


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("    from shop.basket import Basket\n", ()),
        ("    from shop.basket import Cart\n", ("names code that does not exist: shop.basket.Cart",)),
        (
            "`shop.Cart` and `shop.pay()`",
            ("names 2 things that the code does not have: shop.Cart, shop.pay",),
        ),
        ("Requires Python 3.8 or newer.", ("says Python 3.8 or newer, and the project requires 3.10",)),
        ("Requires Python 3.10 or newer.", ()),
    ],
)
def test_a_page_that_contradicts_the_code_has_a_problem(project: Path, text: str, expected: tuple[str, ...]) -> None:
    assert problems(project, "docs/guide.md", text) == expected
    assert problems(project, "docs/guide.rst", text) == expected
    assert problems(project, "CHANGELOG.md", text) == (), "it tells of the past"


def test_a_name_that_another_page_describes_exists(project: Path) -> None:
    assert problems(project, "docs/hooks.rst", ".. class:: Cart\n") == ()
    assert problems(project, "docs/guide.rst", "See :class:`shop.Cart`.\n") == ()


def test_links_of_restructuredtext_lead_somewhere(project: Path) -> None:
    text = "See :doc:`usage`, :doc:`gone` and :doc:`library/re` of Python.\n\n.. include:: ../README.md\n"
    assert problems(project, "docs/usage.rst", text) == (), "it may be included in a page elsewhere"
    (project / "docs" / "conf.py").write_text("")
    assert problems(project, "docs/usage.rst", text) == ("1 link leads nowhere: gone",)
    assert problems(project, "docs/more.rst", ".. include:: gone.rst\n") == ("1 link leads nowhere: gone.rst",)


def test_the_file_that_few_pages_name_weighs_most(project: Path) -> None:
    (project / "one.md").write_text("See `Basket` and `shop/__init__.py`.\n")
    (project / "two.md").write_text("See `shop/__init__.py`.\n")
    git(project, "add", ".")
    git(project, "commit", "-qm", "pages", at="2026-01-03T12:00:00Z")
    for day in (4, 5):
        for name in ("__init__", "basket"):
            (project / "shop" / f"{name}.py").write_text(f"class Basket:\n    day = {day}\n")
        git(project, "commit", "-qam", "change", at=f"2026-01-0{day}T12:00:00Z")
    found = by_path(scan(project).report())
    assert (found["one.md"].changed_since, found["one.md"].drift) == (("shop/__init__.py",), 1.0), "Basket is in both"
    (project / "shop" / "__init__.py").write_text("from shop.basket import Basket\n")
    found = by_path(scan(project).report())
    assert (found["one.md"].changed_since, found["one.md"].drift) == (("shop/basket.py", "shop/__init__.py"), 3.0)
    assert (found["two.md"].changed_since, found["two.md"].drift) == (("shop/__init__.py",), 1.0)


def test_a_sweeping_change_says_little(project: Path) -> None:
    (project / "one.md").write_text("See `shop/basket.py`.\n")
    git(project, "add", ".")
    git(project, "commit", "-qm", "page", at="2026-01-03T12:00:00Z")
    for number in range(11):
        (project / "shop" / f"part{number}.py").write_text("x = 1\n")
    (project / "shop" / "basket.py").write_text("class Basket: ...\n")
    git(project, "add", ".")
    git(project, "commit", "-qm", "format", at="2026-01-04T12:00:00Z")
    found = by_path(scan(project).report())["one.md"]
    assert (found.changed_since, found.drift) == (("shop/basket.py",), 0.1)


def test_a_cached_report_is_made_anew_when_code_changes(project: Path, tmp_path: Path) -> None:
    (project / "guide.md").write_text("    from shop.basket import Cart\n")
    for path in [project / "guide.md", *project.rglob("*.py")]:
        os.utime(path, (1_700_000_000, 1_700_000_000))
    cache = tmp_path / "cache.json"
    assert by_path(scan(project, cache=cache).report())["guide.md"].problems
    assert scan(project, cache=cache).report().reused
    (project / "shop" / "basket.py").write_text("class Cart:\n    pass\n")
    assert by_path(scan(project, cache=cache).report())["guide.md"].problems == ()
    (project / "shop" / "basket.py").write_text("class Other:\n    pass\n")
    assert by_path(scan(project, cache=cache).report())["guide.md"].problems
    (project / "guide.md").write_text("    from shop.more import Cart\n")
    os.utime(project / "guide.md", (1_700_000_000, 1_700_000_000))
    assert by_path(scan(project, cache=cache).report())["guide.md"].problems
    (project / "shop" / "more.py").write_text("Cart = 1\n")
    assert by_path(scan(project, cache=cache).report())["guide.md"].problems == (), "a file was added"


def test_a_link_to_a_place_that_its_page_does_not_have_is_a_problem(tree: Path) -> None:
    (tree / "docs").mkdir()
    other = "# What is *new*?\n\nOld\n---\n\n## Twice\n\n## Twice\n\n<a id='here'></a>\n\n```\n# no title\n```\n"
    (tree / "docs" / "other.md").write_text(other)
    links = "[a](other.md#what-is-new) [b](other.md#old) [c](other.md#twice_1) [d](other.md#here) [e](#own)\n\n# Own\n"
    assert problems(tree, "docs/guide.md", links) == ()
    text = f"[x](other.md#no-title) [y](#gone)\n{links}"
    expected = ("2 links lead to no place of their page: other.md#no-title, #gone",)
    assert problems(tree, "docs/guide.md", text) == expected
    (tree / "docs" / "other.md").write_text(f"{other}\n--8<-- 'more.md'\n")
    assert problems(tree, "docs/guide.md", "[x](other.md#no-title)\n") == (), "it shows another file, too"


def test_a_picture_may_be_served_from_another_folder(tree: Path) -> None:
    (tree / "public" / "assets").mkdir(parents=True)
    (tree / "public" / "assets" / "a.png").write_bytes(b"x")
    git(tree, "add", ".")
    git(tree, "commit", "-qm", "picture")
    text = "![a](../assets/a.png) ![b](~@assets/a.png) ![c](../assets/b.png)\n"
    assert problems(tree, "docs/guide.md", text) == ("2 links lead nowhere: ~@assets/a.png, ../assets/b.png",)


def test_markdown_below_a_configuration_of_sphinx_may_link_to_any_of_its_pages(tree: Path) -> None:
    (tree / "docs" / "more").mkdir(parents=True)
    (tree / "docs" / "swarm.rst").write_text("x\n")
    assert problems(tree, "docs/more/a.md", "[a](../swarm.html)\n") == ("1 link leads nowhere: ../swarm.html",)
    (tree / "docs" / "conf.py").write_text("")
    assert problems(tree, "docs/more/a.md", "[a](../swarm.html) \n") == ()


def test_labels_of_myst_are_no_files(tree: Path) -> None:
    text = "[a](labels/size) [b](shop.Cart) [c](gone.md)\n"
    assert problems(tree, "docs/guide.md", text) == ("3 links lead nowhere: labels/size, shop.Cart, gone.md",)
    (tree / "docs" / "conf.py").write_text("")
    assert problems(tree, "docs/guide.md", text + " ") == ("1 link leads nowhere: gone.md",)


def test_a_page_or_picture_that_git_never_knew_may_be_the_readers_own(tree: Path) -> None:
    assert problems(tree, "src/guide.md", "Write `src/about.md`, and see `src/old.md`.\n") == ()
    (tree / "src" / "old.md").write_text("x\n")
    git(tree, "add", ".")
    git(tree, "commit", "-qm", "page")
    git(tree, "rm", "-q", "src/old.md")
    git(tree, "commit", "-qm", "remove it")
    assert by_path(scan(tree).report())["src/guide.md"].problems == ("names a file that does not exist: src/old.md",)


def test_classes_and_functions_that_sphinx_shows_must_be_there(project: Path) -> None:
    (project / "docs").mkdir()
    (project / "docs" / "notes.ipynb").write_text("{}")
    (project / "docs" / "conf.py").write_text("")
    text = ".. autoclass:: Basket\n\n   .. automethod:: inherited\n\n.. autoclass:: Cart\n\n`notes <notes.html>`_\n"
    assert problems(project, "docs/api.rst", text) == ("names code that does not exist: Cart",)


def test_files_that_are_made_with_the_site_are_there(project: Path) -> None:
    text = ".. include:: options.rst\n.. include:: help.txt\n.. include:: gone.rst\n.. include:: generated/a.rst\n"
    assert problems(project, "docs/more.rst", text)[0].startswith("3 links lead nowhere")
    (project / ".gitignore").write_text("docs/options.rst\n")
    (project / "docs" / "conf.py").write_text("write('help.txt')\n")
    assert problems(project, "docs/more.rst", text + " ") == ("1 link leads nowhere: gone.rst",)


def test_a_version_of_python_that_a_page_requires_is_told_once(tree: Path) -> None:
    (tree / "pyproject.toml").write_text('[project]\nname = "shop"\nrequires-python = ">=3.11"\n')
    (tree / "guide.md").write_text("It requires Python 3.7 or newer. Python 3.8 is fine.\n")
    page = by_path(scan(tree).report())["guide.md"]
    assert page.problems == ("says Python 3.7 or newer, and the project requires 3.11",)
    assert page.hints == ("tells of Python 3.8, and the project requires 3.11",)
