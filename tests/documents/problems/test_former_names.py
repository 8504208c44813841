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


OPTIONS = {
    "argparse": """
import argparse
parser = argparse.ArgumentParser()
parser.add_argument("-f", "--frobnicate-all", action="store_true", help="Frobnicate (everything).")
parser.add_argument(
    "--shuffle", type=int)
parser.add_argument("--no-cache-file")
def pay(max_size=3): run(["pip", "install", "--upgrade"])
""",
    "click": """
import click
@click.command()
@click.option("-f/-F", "--frobnicate-all/--frobnicate-none", default=False)
@click.option("--shuffle", "-s", type=int)
@click.option("--no-cache-file")
def pay(max_size=3): run(["pip", "install", "--upgrade"])
""",
}


@pytest.fixture(params=OPTIONS)
def tool(tmp_path: Path, request: pytest.FixtureRequest) -> Path:
    """Give a program that had options once."""
    root = tmp_path / "tool"
    root.mkdir()
    (root / "tool.py").write_text(OPTIONS[request.param])
    git(root, "init", "-q")
    git(root, "add", ".")
    git(root, "commit", "-qm", "begin", at="2022-01-01T12:00:00Z")
    (root / "tool.py").write_text(
        'import argparse\nparser = argparse.ArgumentParser()\nparser.add_argument("--keep-it")\n'
    )
    git(root, "commit", "-qam", "replace", at="2025-01-01T12:00:00Z")
    return root


@pytest.mark.parametrize(
    ("text", "problems"),
    [
        ("Pass `--frobnicate-all`.", ("names what the code had once: --frobnicate-all",)),
        ("Pass `--max-size 3` or `--shuffle=3`.", ("names 2 things that the code had once: --max-size, --shuffle",)),
        ("Pass `--keep-it`, `--never-there` or `--upgrade`.", ()),
        ("`--frobnicate-all` was removed.", ()),
        ("With `pip install`, pass `--shuffle`.", ()),
        ("Run `pip --shuffle`, `tool --shuffle` or\n\n    tool --shuffle\n", ()),
    ],
)
def test_options_that_a_command_had_once_are_problems(tool: Path, text: str, problems: tuple[str, ...]) -> None:
    (tool / "guide.md").write_text(text)
    assert by_path(scan(tool).report())["guide.md"].problems == problems


@pytest.mark.parametrize(
    "now", ['parser.add_argument("--cache-file")', "def pay(no_cache_file): ...", "# --cache-file"]
)
def test_an_option_that_the_code_may_still_take_is_there(tool: Path, now: str) -> None:
    (tool / "guide.md").write_text("Pass `--no-cache-file`.")
    assert by_path(scan(tool).report())["guide.md"].problems == ("names what the code had once: --no-cache-file",)
    (tool / "tool.py").write_text(now)
    assert by_path(scan(tool).report())["guide.md"].problems == ()
