"""Names that the code had once."""

from pathlib import Path

import pytest

from tests.documents.scans import by_path, git, scan

OLD = """
class ShoppingCart:
    def pack_items(self, with_ribbon=False): ...

    def setUp(self): ...

    def _pay_later(self): ...

OLD_LIMIT = 3
"""


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    root = tmp_path / "shop"
    (root / "shop").mkdir(parents=True)
    (root / "shop" / "__init__.py").write_text(OLD)
    git(root, "init", "-q")
    git(root, "add", ".")
    git(root, "commit", "-qm", "begin", at="2022-01-01T12:00:00Z")
    (root / "shop" / "__init__.py").write_text("class Basket: ...\n")
    git(root, "commit", "-qam", "replace", at="2025-01-01T12:00:00Z")
    return root


@pytest.mark.parametrize(
    ("text", "problems"),
    [
        ("Call `ShoppingCart`.", ("names what the code had once: ShoppingCart",)),
        (
            "`cart.pack_items()` takes `with_ribbon` or `--with-ribbon`.",
            ("names 2 things that the code had once: pack_items, with_ribbon",),
        ),
        (".. method:: pack_items()\n", ("names what the code had once: pack_items",)),
        ("`ShoppingCart` was removed.", ()),
        ("`pack_items` and\n\n    def pack_items(): ...\n", ()),
        ("`Basket`, `OLD_LIMIT`, `setUp`, `never_there`", ()),
        ("    from kombu import ShoppingCart\n", ()),
        ("`ShoppingCart._pay_later()`", ("names 2 things that the code had once: ShoppingCart, _pay_later",)),
        ("`kernel._pay_later`", ()),
        ("The other package has `pack_items`; this one has no such method.", ()),
        ("Take `with_ribbon`:\n\n    def pack(item, with_ribbon): ...\n", ()),
    ],
)
def test_names_that_the_code_had_once_are_problems(shop: Path, text: str, problems: tuple[str, ...]) -> None:
    (shop / "guide.rst").write_text(text)
    assert by_path(scan(shop).report())["guide.rst"].problems == problems


def test_a_name_that_another_file_of_the_tree_has_is_there(shop: Path) -> None:
    (shop / "guide.md").write_text("Call `pack_items()`, or pass `--with-ribbon`.")
    (shop / "tool.sh").write_text("tool --with-ribbon; pack_items\n")
    git(shop, "add", ".")
    git(shop, "commit", "-qm", "tool", at="2025-02-01T12:00:00Z")
    assert by_path(scan(shop).report())["guide.md"].problems == ()
