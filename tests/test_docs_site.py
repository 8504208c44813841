"""The documentation site is built from the code: equations, commands and the Python API."""

import importlib
import inspect
import sys
from types import SimpleNamespace
from typing import Any
from xml.etree import ElementTree as ET

import pytest

from howsure.cli.app import COMMANDS
from howsure.formulas import catalog
from tests.conftest import ROOT

MODELS = [*catalog.formulas(), *catalog.names()[1:]]


@pytest.fixture
def load(monkeypatch: pytest.MonkeyPatch) -> Any:
    """Import a module of the folder docs."""
    monkeypatch.setattr(sys, "path", [str(ROOT / "docs"), *sys.path])
    return importlib.import_module


@pytest.mark.parametrize("name", MODELS)
def test_every_step_of_a_model_has_an_equation(load: Any, name: str) -> None:
    about = catalog.describe(name)
    block = ET.fromstring(_characters(load("equations").equations(catalog.find(name)())))  # noqa: S314 - our own
    left = ["".join(equation[0][0].itertext()).replace("\u00a0", "_") for equation in block]
    assert left == list(about["steps"])


def test_equations_say_what_the_code_computes(load: Any) -> None:
    block = ET.fromstring(_characters(load("equations").equations(catalog.find("noisy_or")())))  # noqa: S314 - our own
    lines = ["".join(equation.itertext()).replace("\u00a0", " ") for equation in block]
    assert lines == [
        "diversity=diversity floor+(1−diversity floor)·min(source typesdiversity types,1)",  # noqa: RUF001
        "staleness=0.5half lives",
        "influence=staleness·(1−doubt)",  # noqa: RUF001
        "boost=1+boost factor·support",
        "penalty=max(0,1−penalty factor·contradiction)",  # noqa: RUF001
        "upper=[influence·boost·penalty]01·trust",
        "lower=min(strongest·diversity·staleness·penalty·trust,upper)",
    ]


def _characters(html: str) -> str:
    for name, character in {"&le;": "≤", "&ge;": "≥", "&middot;": "·", "&minus;": "\u2212", "&nbsp;": " "}.items():
        html = html.replace(name, character)
    return html


def test_every_command_has_an_example(load: Any) -> None:
    page = load("reference").commands()
    assert all(f"\n### howsure {name}\n" in page for name in COMMANDS)
    sections = page.split("\n### ")[1:]
    leaves = [one for one in sections if not any(other.startswith(one.partition("\n")[0] + " ") for other in sections)]
    assert len(leaves) > 100
    assert [one.partition("\n")[0] for one in leaves if "```sh\nhowsure" not in one and "| howsure" not in one] == []


def test_every_public_method_is_on_a_page(load: Any) -> None:
    reference = load("reference")
    pages = reference.pages()
    check = pages["reference/python/responses.md"].split("\n## ")
    section = next(one for one in check if one.startswith("check\n"))
    assert "agent: AgentName = '',\n" in section
    assert "- `knowledge`: What is known about it: a number from 0 to 1" in section
    assert "HTTP `POST /v1/responses/check`" in section
    assert "- Raises `StoreError` if the decision cannot be recorded" in section
    for name, (module, class_name) in reference.FACADES.items():
        facade = getattr(importlib.import_module(module), class_name)
        page = pages[f"reference/python/{name}.md"]
        marked = [method for method, value in vars(facade).items() if hasattr(value, "__operation__")]
        assert [method for method in marked if f"\n## {method}\n" not in page] == []


def test_the_menu_has_every_generated_page(load: Any) -> None:
    menu = (ROOT / "mkdocs.yml").read_text()
    assert [path for path in load("reference").pages() if path not in menu] == []
    assert [name for name in MODELS if f"models/{name}.md" not in menu] == []


def test_search_takes_its_script_from_the_site(load: Any) -> None:
    """The theme loads it from elsewhere, by the address that the hook replaces."""
    from material.plugins.offline import plugin  # type: ignore[import-untyped]

    hooks = load("hooks")
    assert hooks.SHIM in inspect.getsource(plugin)
    page = SimpleNamespace(url="reference/python/responses.html")
    made = hooks.on_post_page(f'<script src="{hooks.SHIM}">', page=page, config=None)
    assert made == '<script src="../../assets/iframe-worker.js">'
    assert "IFrameWorker" in (ROOT / "docs" / "assets" / "iframe-worker.js").read_text()


def test_the_cast_shows_what_the_commands_print(load: Any) -> None:
    cast = load("cast")
    drawn = ET.fromstring((ROOT / "docs" / "images" / "cast.svg").read_text())  # noqa: S314 - our own
    texts = ["".join(text.itertext()) for text in drawn if text.tag.endswith("text")]
    lines = [line for command, output in cast.record() for line in (f"$ {command}", *output)]
    same = [(a, b) for a, b in zip(texts, lines, strict=True) if "outcome" not in a and "Recorded as" not in a]
    assert all(a == b for a, b in same)
