"""What pages say about their own project."""

from pathlib import Path

import pytest

from howsure.documents.content.mentions import find_mentions
from tests.documents.scans import by_path, git, scan

METADATA = """[project]
name = "shop"
version = "4.1.0"
dependencies = ["kombu>=5.3", "redis[fast] >=4, <6"]
[project.optional-dependencies]
all = ["x"]
fast_json = ["y"]
[project.urls]
Source = "https://github.com/ann/shop"
"""


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    root = tmp_path / "shop"
    (root / "shop").mkdir(parents=True)
    (root / "shop" / "__init__.py").write_text("x = 1\n")
    (root / "pyproject.toml").write_text(METADATA)
    git(root, "init", "-q")
    git(root, "add", ".")
    git(root, "commit", "-qm", "begin", at="2026-01-01T12:00:00Z")
    return root


@pytest.mark.parametrize(
    ("text", "problems"),
    [
        ("https://github.com/ann/shop/blob/main/shop/__init__.py and .../tree/main/shop", ()),
        ("https://github.com/bob/shop/blob/main/gone.py and https://github.com/ann/shop/blob/v1.0/gone.py", ()),
        (
            "See https://github.com/Ann/Shop/blob/master/gone.py.",
            ("1 link into its repository leads nowhere: gone.py",),
        ),
        ("pip install 'shop[all,fast-json]' other[gone]", ()),
        ("pip install shop[all] then pip install -U 'shop[gone]'", ("names an extra that does not exist: gone",)),
        ("pip install shop[gone]", ()),
        ("`pay` will be removed in version 5.0, or will be removed in Python 3.9.", ()),
        (
            "`pay` will be removed in shop 4.0.",
            ("says that something will be removed in a version that is out: shop 4.0",),
        ),
        ("pip install shop, or easy_install.", ("shows something that no longer works: easy_install",)),
        ("    python setup.py sdist upload\n", ("shows something that no longer works: setup.py sdist upload",)),
        ("Do not use easy_install.\nInstead of `python setup.py install`, run pip.\n", ()),
        ("    import zc.buildout.easy_install\n\nPreviously it ran python setup.py develop.\n", ()),
        ("    python setup.py sdist\n\nThere was `easy_install`.", ()),
        ('    print "hello"\n', ("shows something that no longer works: print without brackets",)),
        (
            ">>> cart.keys()\n['a']\n>>> x\nu'a'\n",
            ("shows 2 things that no longer work: keys() that is a list, output with u'...'",),
        ),
        (">>> list(cart.keys())\n['a']\n>>> cart.keys()\ndict_keys(['a'])\n", ()),
        ("It needs Kombu 5.3 or newer, redis>=4.5.2, Python 3.1 or newer and shop 1.0 or newer.", ()),
        ('They print "hello" and so on. print("x")\n', ()),
        ("    for i in xrange(3): raw_input()\n", ("shows 2 things that no longer work: raw_input, xrange",)),
    ],
)
def test_what_pages_say_about_their_project_is_checked(shop: Path, text: str, problems: tuple[str, ...]) -> None:
    (shop / "guide.md").write_text(text)
    assert by_path(scan(shop).report())["guide.md"].problems == problems
    (shop / "CHANGES.md").write_text(text)
    assert by_path(scan(shop).report())["CHANGES.md"].problems == (), "it tells of the past"


def test_signs_only_save_time() -> None:
    text = "will be removed in 3.0, https://x.org/a/b/tree/HEAD/c, pip3 install a[b]\n"
    assert find_mentions(text) == find_mentions(text, {"removed in", "/tree/", "pip3 install"})
    assert find_mentions(text, ()) == find_mentions("")


@pytest.mark.parametrize(
    ("text", "hints"),
    [
        ("It needs Kombu 5.2.1 or later.", ("names Kombu 5.2, and the project requires a newer version",)),
        ("It needs redis >= 3.9 and kombu 5.3+", ("names redis 3.9, and the project requires a newer version",)),
        ("It needs kombu 4.0+", ("names kombu 4.0, and the project requires a newer version",)),
    ],
)
def test_versions_that_the_project_no_longer_takes_are_hints(shop: Path, text: str, hints: tuple[str, ...]) -> None:
    (shop / "guide.md").write_text(text)
    assert by_path(scan(shop).report())["guide.md"].hints == hints
