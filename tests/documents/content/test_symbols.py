"""What a page says about Python code."""

import pytest

from howsure.documents.content.symbols import find_python_names


def test_imports_of_examples_are_certain() -> None:
    page = (
        "```python\nfrom shop.cart import (\n    Cart as Basket,  # the old name\n    Price,\n)\nimport shop.tax\n```\n"
    )
    assert find_python_names(page).certain == ("shop.cart.Cart", "shop.cart.Price", "shop.tax")
    prompt = ">>> import shop\n>>> shop.open('x')\n>>> my.shop.close()\n>>> import os\n>>> os.getcwd()\n"
    assert find_python_names(prompt).certain == ("shop", "os", "shop.open")


@pytest.mark.parametrize(
    ("text", "certain", "possible"),
    [
        ("`shop.Cart`, `shop.open()` and `shop.open(name)`", ("shop.Cart", "shop.open"), ()),
        (":class:`~shop.cart.items` and {func}`open it <shop.open>`", ("shop.cart.items", "shop.open"), ()),
        ("`shop.rate` may be a metric", (), ("shop.rate",)),
        ("`Cart`, ``Price``, :func:`start`, `total()`, `plain` and `A`", (), ("Cart", "Price", "start", "total")),
        ("\n.. autoclass:: shop.Cart\n.. autofunction:: start\n", ("shop.Cart",), ("start",)),
        ("\n::: shop.cart\n", ("shop.cart",), ()),
        ("::: shop.cart\r\n", ("shop.cart",), ()),
        ("\n```{autofunction} shop.open\n```\n", ("shop.open",), ()),
    ],
)
def test_names_are_found_in_markdown_and_restructuredtext(
    text: str, certain: tuple[str, ...], possible: tuple[str, ...]
) -> None:
    found = find_python_names(text)
    assert (found.certain, found.possible) == (certain, possible)


def test_what_a_page_describes_itself_is_known() -> None:
    text = "\n.. class:: SpiderMiddleware\n\n   .. method:: process(response)\n\n```{py:function} shop.run(x)\n```\n"
    assert find_python_names(text).described == ("SpiderMiddleware", "process", "shop.run")


@pytest.mark.parametrize(
    ("text", "versions"),
    [
        ("It requires Python 3.8 or higher.", ("3.8",)),
        ("In Python 3.7 and later, this works. On Python\n3.9+ too.", ("3.7", "3.9")),
        ("A framework for building APIs with Python 3.8+.", ()),
        ("It was written for Python 3.8.", ()),
        ("Shop 2.0 supports Python 3.8+, and 2.x\nsupports Python 3.9+.", ()),
        ("It supports Python 3.8+.", ("3.8",)),
    ],
)
def test_versions_that_a_reader_needs_are_found(text: str, versions: tuple[str, ...]) -> None:
    assert find_python_names(text).versions == versions


@pytest.mark.parametrize(
    "piece",
    ["`a<", "`a.", "\nfrom a import (", "\n.. ", "import ", "Python ", "\n    ", "\nimport a\na.b(", ":::", "`a("],
)
def test_hostile_texts_take_time_in_proportion_to_their_length(piece: str) -> None:
    found = find_python_names("import ::" + piece * 50_000)  # quadratic time would be hours
    assert max(map(len, found)) <= 200  # names of one page that are kept
