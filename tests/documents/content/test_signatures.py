"""Signatures that pages write out, compared with the code."""

import time
from pathlib import Path

import pytest

from howsure.documents.content.signatures import find_signatures
from tests.documents.scans import by_path, git, scan

CODE = """
class Cart:
    def __init__(self, owner, *, size=3, _private=0): ...

    def add(self, item, number=1): ...

    def empty(self): ...

    @property
    def total(self): ...


def pay(amount, *, currency="EUR"): ...


def anything(**options): ...


def gather(*several, into=None): ...


class median:
    def __init__(self): ...


class Basket:
    def pay(self, coin): ...
"""


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    root = tmp_path / "shop"
    (root / "shop").mkdir(parents=True)
    (root / "shop" / "__init__.py").write_text(CODE)
    git(root, "init", "-q")
    git(root, "add", ".")
    git(root, "commit", "-qm", "begin", at="2026-01-01T12:00:00Z")
    return root


@pytest.mark.parametrize(
    ("text", "problems", "gaps"),
    [
        (".. class:: Cart(owner, *, size=3)\n\n   .. method:: add(item[, number])\n", (), ()),
        (".. function:: pay(amount, \\*, currency='EUR', **options)\n", (), ()),
        (".. function:: pay(amount, **options)\n", (), ()),
        (".. function:: pay(amount)\n", (), ("leaves out a parameter: pay(currency)",)),
        (
            ".. function:: shop.pay(amount, tip, currency)\n",
            ("describes a parameter that is not taken: shop.pay(tip)",),
            (),
        ),
        (".. function:: pay(sum, currency)\n", (), ()),
        (".. function:: pay(amount)\n\n   :param currency: how.\n", (), ()),
        (".. function:: gather(cart, *carts, into)\n", (), ()),
        (".. method:: Basket.pay(coin, tip)\n", ("describes a parameter that is not taken: Basket.pay(tip)",), ()),
        (".. function:: median(value)\n", (), ()),
        (
            ".. class:: Cart()\n\n   .. method:: add(item)\n\n   .. method:: Cart.empty(now)\n",
            ("describes a parameter that is not taken: Cart.empty(now)",),
            ("leaves out a parameter: Cart.add(number)",),
        ),
        (".. function:: pay(amount)\n.. function:: pay(amount, currency)\n", (), ()),
        (".. function:: anything(at, all)\n.. method:: add(item, count)\n.. function:: other(x)\n", (), ()),
        (
            "```{py:function} pay(amount, tip, currency)\n```\n",
            ("describes a parameter that is not taken: pay(tip)",),
            (),
        ),
    ],
)
def test_signatures_are_compared_with_the_code(
    shop: Path, text: str, problems: tuple[str, ...], gaps: tuple[str, ...]
) -> None:
    (shop / "reference.rst").write_text(text)
    found = by_path(scan(shop).report())["reference.rst"]
    assert (found.problems, found.gaps) == (problems, gaps)
    (shop / "CHANGES.rst").write_text(text)
    past = by_path(scan(shop).report())["CHANGES.rst"]
    assert (past.problems, past.gaps) == ((), ()), "it tells of the past"


def test_defaults_annotations_and_line_breaks_are_no_parameters() -> None:
    text = (
        '\n.. function:: pay(amount: "int, or float" = 3, \\\n      *, to=("a", "b"), /, at: dict[str, int]) -> None\n'
    )
    assert find_signatures(text) == ("pay amount to at",)
    assert find_signatures("\n.. function:: pay(...)\n.. async-method:: pay(x\n") == ("pay **", ".pay")[:1]


def test_hostile_pages_take_time_in_proportion() -> None:
    def seconds(size: int) -> float:
        best = 9e9
        for _ in range(3):
            start = time.process_time()
            find_signatures("\n.. class:: A(((" * size)
            best = min(best, time.process_time() - start)
        return best

    assert seconds(4000) < 40 * seconds(400) + 0.5


def test_another_name_for_a_parameter_is_a_hint(shop: Path) -> None:
    (shop / "reference.rst").write_text(".. function:: pay(sum, currency)\n")
    found = by_path(scan(shop).report())["reference.rst"]
    assert found.hints == ("a parameter has another name: pay(amount), not sum",)
