"""Annotations become nodes, also those that a module imports for type checkers only."""

import sys
from collections.abc import Sequence
from pathlib import Path
from types import ModuleType
from typing import Annotated, Any

import pytest

from howsure.shapes import Doc
from howsure.shapes.node import Anything, Either, Items, Null, Object, Table, Text, doc_of, hints, node, parameters

LATE = """
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from howsure.formulas.interval import Interval


def midpoint(interval: "Interval") -> "Interval":
    return interval


@dataclass
class Hidden:
    name: str = ""
    _cache: object = None
"""


@pytest.fixture
def late(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    import importlib

    (tmp_path / "late_module.py").write_text(LATE)
    monkeypatch.syspath_prepend(str(tmp_path))
    module = importlib.import_module("late_module")
    monkeypatch.delitem(sys.modules, "late_module", raising=False)
    monkeypatch.setitem(sys.modules, "late_module", module)
    return module


def test_names_imported_for_type_checkers_are_resolved(late: ModuleType) -> None:
    from howsure.formulas.interval import Interval

    assert hints(late.midpoint) == {"interval": Interval, "return": Interval}
    assert isinstance(parameters(late.midpoint).fields["interval"].node, Object)


def test_private_fields_are_left_out(late: ModuleType) -> None:
    described = node(late.Hidden)
    assert isinstance(described, Object)
    assert list(described.fields) == ["name"]


def test_plain_and_generic_types_have_nodes() -> None:
    assert node(dict) == Table(Anything())
    assert node(Sequence[str]) == Items(Text(), tuple)
    assert node(str | None) == Either((Text(), Null()))
    assert node(Any) == Anything()


def test_a_description_is_found_inside_an_optional_type() -> None:
    assert doc_of(Annotated[str, Doc("A name.")] | None) == Doc("A name.")
    assert doc_of(str) is None
