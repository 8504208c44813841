"""Looking up names in the packages of a tree."""

import pytest

from howsure.documents.problems.python_packages import PythonPackages

FILES = {
    "src/shop/__init__.py": "from shop.cart import Cart\nVERSION: str = '1'\n",
    "src/shop/cart.py": "class Cart(Base):\n    def total(self):\n        pass\n\nasync def start():\n    pass\n",
    "src/shop/tax/__init__.py": "",
    "src/shop/tax/rates.py": "RATE = RATE_2024 = 1\ndef start():\n    pass\n",
    "tests/__init__.py": "gone = 1\n",
    "docs/guide.md": "`shop.gone`",
}


def packages(**more: str) -> PythonPackages:
    files = FILES | {f"src/shop/{name.replace('_dot_', '.')}": text for name, text in more.items()}
    return PythonPackages(files.keys(), lambda path, most: files[path].encode()[:most])


def test_packages_lie_in_the_root_or_in_src() -> None:
    assert packages().folders == {"shop": "src/shop"}


@pytest.mark.parametrize(
    ("name", "has"),
    [
        ("shop", True),
        ("shop.Cart", True),
        ("shop.cart.Cart.inherited", True),
        ("shop.tax.rates.RATE", True),
        ("shop.tax.rates.RATE_2024", True),
        ("shop.gone", False),
        ("shop.tax.gone", False),
        ("shop.Gone.total", False),
        ("shop.tax.rates.Cart", False),
        ("shop.basket.Cart", False),
        ("shop.total", True),
        ("elsewhere.gone", True),
        ("tests.missing", True),
    ],
)
def test_a_name_exists_if_the_sources_have_its_words(name: str, has: bool) -> None:
    assert packages().has(name) is has


@pytest.mark.parametrize(
    "text", ["from shop.cart import *\n", "def __getattr__(name): ...\n", "globals()['Cart'] = 1\n"]
)
def test_a_module_may_take_names_from_elsewhere(text: str) -> None:
    assert packages(open_dot_py=text).has("shop.open.Cart")
    assert not packages(open_dot_py="# Cart\nx = 1\n").has("shop.open.Cart")


@pytest.mark.parametrize(
    ("name", "file"),
    [
        ("shop.Cart", "src/shop/cart.py"),
        ("shop.cart.Cart.total", "src/shop/cart.py"),
        ("shop.VERSION", "src/shop/__init__.py"),
        ("shop.tax", "src/shop/tax/__init__.py"),
        ("shop.tax.start", "src/shop/tax/rates.py"),
        ("shop.start", None),
        ("Cart", "src/shop/cart.py"),
        ("Cart.total", "src/shop/cart.py"),
        ("RATE", "src/shop/tax/rates.py"),
        ("request.total", None),
        ("shop", None),
    ],
)
def test_the_file_that_defines_a_name_is_found_if_there_is_one(name: str, file: str | None) -> None:
    assert packages().find(name) == file


@pytest.mark.parametrize(
    "more", [{"fast_dot_pyx": ""}, {"fast_dot_rs": ""}, {"all_dot_py": "from werkzeug.exceptions import *\n"}]
)
def test_nothing_is_missing_where_names_may_come_from_elsewhere(more: dict[str, str]) -> None:
    assert packages(**more).has("shop.gone")
    assert not packages(all_dot_py="from shop.cart import *\n").has("shop.gone")


@pytest.mark.parametrize(
    "text", ["\nfrom " + "a" * 300_000, "\na" + " " * 300_000, "\na:" * 100_000, "\n  from a." * 30_000]
)
def test_hostile_sources_take_time_in_proportion_to_their_length(text: str) -> None:
    assert not packages(bad_dot_py=text).has("shop.gone")  # quadratic time would be hours


def test_a_huge_package_is_read_in_part_and_nothing_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("howsure.documents.problems.python_packages._MOST_BYTES", 60)
    assert packages().has("shop.gone")
