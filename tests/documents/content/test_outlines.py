"""What Python definitions offer, read without parsing."""

import ast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from howsure.documents.content.outlines import find_definitions, find_keywords


@pytest.mark.parametrize(
    ("source", "accepts"),
    [
        ("def pay(amount, *, currency='EUR'): ...\n", {"amount", "currency"}),
        ("async def pay(\n    amount: dict[str, int] = {'a': (1, 2)},  # in cents, with tax\n): ...\n", {"amount"}),
        ("def pay(amount, **options): ...\n", None),
        ("@cached\ndef pay(amount): ...\n", None),
        ("@retry(\n    times=3,\n)\ndef pay(amount): ...\n", None),
        ("def pay(amount): ...\ndef pay(amount, currency): ...\n", None),
        ("class pay:\n    def __init__(self, amount): ...\n", {"self", "amount"}),
        ("class pay(Base):\n    amount = 1\n", None),
        ("class pay:\n    def __init__(self, **options): ...\n", None),
        ("class pay:\n    def __new__(cls, amount): ...\n\n    def __init__(self): ...\n", None),
    ],
)
def test_what_can_be_passed_is_known_only_if_it_is_certain(source: str, accepts: set[str] | None) -> None:
    assert find_definitions(source)["pay"].accepts == (None if accepts is None else frozenset(accepts))


def test_a_class_offers_its_public_members_and_their_parameters() -> None:
    source = (
        "class Cart(Base):\n    tax: float = 0.2\n    _rows = []\n\n    def __init__(self, owner): ...\n\n"
        "    def add(self, item, *args): ...\n\n    def _sum(self, secret): ...\n\n"
        "    @property\n    def total(self): ...\n\nVAT = 1\n\n\ndef other(thing): ...\n"
    )
    cart = find_definitions(source)["Cart"]
    assert cart.offers == {"tax", "owner", "add", "item", "total"}
    assert cart.methods["add"] == {"self", "item", "args"}
    assert "total" not in cart.methods, "a decorator may change what it takes"


def test_keywords_of_a_call_are_not_those_of_calls_within_it() -> None:
    assert find_keywords("open(path, mode='a,b(c=', retry=Retry(times=3, wait=2), same==1)", 4) == ["mode", "retry"]
    assert find_keywords("open(path, mode=1", 4) == [], "it has no end"
    assert find_keywords("open(\ndef other(mode=1)): ...", 4) == [], "it has no end, either"
    assert find_keywords(f"open({'x, ' * 5000}mode=1)", 4) == [], "it is too long"


NAMES = st.sampled_from(["alpha", "beta", "gamma", "delta"])
DEFAULTS = st.sampled_from(["", "=1", "=(1, 2)", "={'a': [1]}", "='x)'", ": int = 3", ": dict[str, int] = {}"])


@given(st.lists(st.tuples(NAMES, DEFAULTS), unique_by=lambda one: one[0], max_size=4))
def test_parameters_agree_with_the_parser(parameters: list[tuple[str, str]]) -> None:
    source = f"def pay(*, {', '.join(name + default for name, default in parameters)}): ...\n" if parameters else ""
    for node in ast.parse(source).body:
        assert isinstance(node, ast.FunctionDef)
        assert find_definitions(source)["pay"].accepts == frozenset(one.arg for one in node.args.kwonlyargs)
