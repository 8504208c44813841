"""What has become of the code that a page tells of."""

from pathlib import Path

import pytest

from howsure.documents.document import Document
from tests.documents.scans import by_path, git, scan

CART = """class Cart:
    def __init__(self, owner): ...

    def add(self, item): ...

    def pack(self): ...
"""


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    """Give a repository with a package."""
    root = tmp_path / "shop"
    (root / "shop").mkdir(parents=True)
    (root / "shop" / "__init__.py").write_text("from shop.cart import Cart\n")
    (root / "shop" / "cart.py").write_text(CART)
    git(root, "init", "-q")
    return root


def commit(root: Path, day: int) -> None:
    git(root, "add", ".")
    git(root, "commit", "-qm", "change", at=f"2026-01-{day:02}T12:00:00Z")


def documents(root: Path) -> dict[str, Document]:
    return dict(by_path(scan(root).report()))


def test_a_page_is_told_what_its_code_has_gained_and_lost(shop: Path) -> None:
    (shop / "one.md").write_text("`Cart` has `pack`.\n")
    (shop / "two.md").write_text("`Cart` has a `voucher`.\n")
    (shop / "shown.rst").write_text("Cart\n====\n\n.. autoclass:: shop.Cart\n" + "A cart is what one fills. " * 20)
    commit(shop, 1)
    (shop / "shop" / "cart.py").write_text(CART.replace("pack(self)", "wrap(self, voucher)"))
    commit(shop, 2)
    found = documents(shop)
    assert found["one.md"].hints == ("Cart has lost pack and gained voucher, wrap",)
    assert found["two.md"].hints == ("Cart has gained wrap",), "it tells of vouchers"
    assert found["one.md"].hint_weight > found["two.md"].hint_weight > 0
    assert found["shown.rst"].hints == (), "what is shown from the code is never out of date"
    (shop / "one.md").write_text("`Cart` has `wrap`, with a `voucher`.\n")
    commit(shop, 3)
    assert documents(shop)["one.md"].hints == ()


def test_a_commit_to_many_pages_brings_none_of_them_up_to_date(shop: Path) -> None:
    (shop / "guide.md").write_text("`Cart` is a class.\n")
    commit(shop, 1)
    (shop / "shop" / "cart.py").write_text(CART + "\n    def empty(self): ...\n")
    commit(shop, 2)
    for number in range(11):
        (shop / f"page{number}.md").write_text("A page.\n")
    (shop / "guide.md").write_text("`Cart` is a class!\n")
    commit(shop, 3)
    assert documents(shop)["guide.md"].hints == ("Cart has gained empty",)


def test_what_was_moved_within_a_file_is_not_new(shop: Path) -> None:
    (shop / "guide.md").write_text("`Cart` is a class.\n")
    (shop / "shop" / "cart.py").write_text("class Base:\n    def empty(self): ...\n\n\n" + CART)
    commit(shop, 1)
    (shop / "shop" / "cart.py").write_text(CART + "\n    def empty(self): ...\n")
    commit(shop, 2)
    assert documents(shop)["guide.md"].hints == ()


@pytest.mark.parametrize(
    ("example", "problems"),
    [
        ("from shop import Cart\ncart = Cart(owner=1)\ncart.add(item=2)", ()),
        ("import shop\nshop.Cart(user=1)", ("uses a keyword that does not exist: shop.Cart(user=)",)),
        (
            "from shop import Cart as Basket\ncart = Basket(owner=1)\ncart.add(thing=2)\ncart.other(thing=3)",
            ("uses a keyword that does not exist: shop.Cart.add(thing=)",),
        ),
        ("from shop import Cart\nclass Mine(Cart): ...\ncart = Cart(owner=1)\ncart = Mine()\nother.add(x=1)", ()),
    ],
)
def test_examples_use_keywords_that_exist(shop: Path, example: str, problems: tuple[str, ...]) -> None:
    (shop / "guide.md").write_text(f"```python\n{example}\n```\n")
    assert documents(shop)["guide.md"].problems == problems


def test_old_versions_and_old_links_are_hints_and_dead_ones_are_problems(shop: Path) -> None:
    (shop / "pyproject.toml").write_text('[project]\nrequires-python = ">=3.10"\n')
    (shop / "old.md").write_text("On Python 2.7, see http://shop.org/a, http://shop.org/b and `http://test.org`.\n")
    (shop / "past.md").write_text(
        'Python 2.7 was dropped, and "Python 3.6" is a quotation; `travis-ci.org` is a name.\n'
    )
    (shop / "dead.md").write_text("[tests](https://travis-ci.org/shop)\n")
    (shop / "CHANGELOG.md").write_text("[tests](https://travis-ci.org/shop) http://shop.org\n")
    commit(shop, 1)
    assert len(documents(shop)["old.md"].hints) == 1, "links by plain HTTP say nothing on a page of this year"
    git(shop, "commit", "--amend", "-qm", "long ago", at="2019-01-01T12:00:00Z")
    found = documents(shop)
    assert found["old.md"].hints == (
        "tells of Python 2.7, and the project requires 3.10",
        "links to 1 site by plain HTTP",
    )
    assert (found["past.md"].hints, found["past.md"].problems) == ((), ())
    assert found["dead.md"].problems == ("links to travis-ci.org, which was shut down",)
    assert (found["CHANGELOG.md"].hints, found["CHANGELOG.md"].problems) == ((), ()), "it tells of the past"
