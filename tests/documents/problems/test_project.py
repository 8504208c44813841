"""What the files of a project say about it."""

import pytest

from howsure.documents.problems.project import Project


def project(**files: str) -> Project:
    named = {
        name.replace("_toml", ".toml").replace("_py", ".py").replace("_cfg", ".cfg"): text
        for name, text in files.items()
    }
    return Project(lambda name: named.get(name, ""))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('[project]\nversion = "4.1.2"\n', (4, 1)),
        ('version = "4.0.0a1"\n', (4, -1)),
        ('version = "4.2.dev0"\n', (4, 1)),
        ('version = "4.2.1.dev0"\n', (4, 2)),
        ('target-version = "py310"\ndynamic = ["version"]\n', None),
    ],
)
def test_the_version_is_the_last_one_that_is_out(text: str, expected: tuple[int, int] | None) -> None:
    assert project(pyproject_toml=text).version(["src/shop"]) == expected


def test_the_version_may_be_in_a_package() -> None:
    files = {"shop/version.py": '__version__: str = "2.7"\n'}
    assert Project(lambda name: files.get(name, "")).version(["other", "shop"]) == (2, 7)


def test_names_addresses_and_extras_are_compared_as_packages_are() -> None:
    shop = project(
        pyproject_toml='name = "My_Shop"\nall-of-it = ["x"]\nHome = "https://github.com/Ann/Shop.git"\n',
        setup_py="setup(python_requires='>=3.9')",
    )
    assert (shop.names, shop.repositories, shop.python_needed) == ({"my-shop"}, {"ann/shop"}, (3, 9))
    assert shop.has_extra("all_of_it")
    assert not shop.has_extra("all-of")
