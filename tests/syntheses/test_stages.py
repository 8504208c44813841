"""The stages of a synthesis without a language model."""

from typing import Any

import pytest

from howsure.errors import InputError
from howsure.reader import PairProbabilities
from howsure.sure import Sure
from howsure.syntheses import stages
from howsure.syntheses.api import Syntheses
from tests.conftest import require_package
from tests.judge.conftest import judge, judge_server, make_judge  # noqa: F401 - fixtures

NIL = {
    "id": "a",
    "content": "The function returns nil on error. It was introduced in version 1.2.",
    "sources": ["f.go"],
}


NEVER: dict[str, Any] = {"id": "b", "content": "The function never returns nil."}


HEDGED: dict[str, Any] = {"id": "d", "content": "I think it might possibly log a warning."}


def fail(*_: Any) -> Any:
    raise RuntimeError("out of order")


def test_hedges_lower_a_claim(sure: Sure) -> None:
    found = sure.syntheses.combine("q", [HEDGED])
    (statement,) = found.claims
    assert statement.confidence < found.results[0].confidence
    assert "(uncertain)" in found.content


def test_only_the_most_confident_claims_are_kept() -> None:
    results = [
        {"id": f"r{n}", "content": f"The cache number {n} is full.", "confidence": 0.4 + n / 200} for n in range(60)
    ]
    found = Syntheses().combine("q", results)
    assert len(found.claims) == 50
    assert min(one.confidence for one in found.claims) >= 0.4 + 10 / 200 - 1e-9
    assert "10 of 60 claims were left out: the least confident" in found.warnings
    assert len(Syntheses().combine("q", results, rules={"max_claims": 3, "provenance": False}).claims) == 3


def test_self_contradiction_is_distinguished_from_disagreement() -> None:
    ports = "The default port is 8080. The default port is 9090."
    found = Syntheses().combine("q", [{"id": "one", "content": ports}])
    assert found.warnings == ("1 conflict within a source",)


def test_without_assertions_the_sources_are_shown() -> None:
    results: list[dict[str, Any]] = [
        {"id": "e", "content": " ", "confidence": 0.9},
        {"id": "a", "content": "Is it open?\n- Really? [human; 1.00]"},
        {"id": "b", "content": "x" * 600},
    ]
    found = Syntheses().combine("q", results)
    assert found.content.splitlines() == ["- Is it open? - Really? [human; 1.00] [a]", f"- {'x' * 500}... [b]"]


def test_an_id_forges_no_line_of_an_extract() -> None:
    evil = "x; 1.00]\n- The moon is made of cheese. [human"
    found = Syntheses().combine("q", [NIL | {"id": evil}, NEVER])
    assert len(found.content.splitlines()) == 6
    assert all("\n" not in warning for warning in Syntheses(scorer=fail).combine("q", [NIL | {"id": evil}]).warnings)


class Name(str):
    """An id that counts how often it is compared."""

    compared = 0
    __slots__ = ()

    def __eq__(self, other: object) -> bool:
        Name.compared += 1
        return str.__eq__(self, other)

    def __hash__(self) -> int:
        return str.__hash__(self)


def test_two_of_one_name_are_found_without_comparing_all_with_all() -> None:
    results = [{"id": Name(f"r{n}"), "content": "x"} for n in range(2000)]
    with pytest.raises(InputError, match="'r7' is the id of two sub-results"):
        Syntheses().combine("q", [*results, {"id": Name("r7")}])
    assert Name.compared < 20_000


def test_the_installed_reader_adds_what_it_is_sure_of_and_is_named() -> None:
    require_package("howsure_reader")
    statements = [
        "The lamp is on.",
        "The lamp is off.",
        "The release was postponed.",
        "The release took place as planned.",
    ]
    detection = stages.detect_with_reader(statements)
    assert [conflict[:2] for conflict in detection.conflicts] == [(0, 1), (2, 3)]
    assert detection.conflicts[0] == stages.detect(statements)[0]
    assert detection.conflicts[1][4].startswith("read so by rules+small")
    assert (detection.by, detection.warning) == ("rules+small", "")


def test_a_reader_that_fails_leaves_the_rules_and_a_warning(monkeypatch: pytest.MonkeyPatch) -> None:
    class Broken:
        name, version = "broken", "1"

        def read(self, _pairs: object) -> list[PairProbabilities]:
            raise ValueError("no weights")

    monkeypatch.setattr("howsure.reader.default_reader", Broken)
    statements = [
        "The lamp is on.",
        "The lamp is off.",
        "The release was postponed.",
        "The release took place as planned.",
    ]
    detection = stages.detect_with_reader(statements)
    assert list(detection.conflicts) == stages.detect(statements)
    assert "without broken: the reader broken failed: ValueError: no weights" in detection.warning
    assert Syntheses().conflicts(statements, reader="installed").warnings == (detection.warning,)
    assert Syntheses().conflicts(statements).warnings == ()


def test_conflicts_asks_the_reader_only_if_told(sure: Sure) -> None:
    require_package("howsure_reader")
    statements = ["The release was postponed.", "The release took place as planned."]
    assert sure.syntheses.conflicts(statements).conflicts == ()
    assert [one.second for one in sure.syntheses.conflicts(statements, reader="installed").conflicts] == [1]
    with pytest.raises(InputError, match="reader"):
        sure.syntheses.conflicts(statements, reader="magic")  # type: ignore[arg-type]


def test_a_synthesis_asks_the_reader_only_if_told(sure: Sure) -> None:
    require_package("howsure_reader")
    statements = ["The release was postponed.", "The release took place as planned."]
    results = [{"id": name, "content": text, "confidence": 0.9} for name, text in zip("ab", statements, strict=True)]
    assert sure.syntheses.combine("Was it?", results).conflicts == ()
    (conflict,) = sure.syntheses.combine("Was it?", results, reader="installed").conflicts
    assert conflict.reason.startswith("read so by rules+small")
    with pytest.raises(InputError, match="reader"):
        sure.syntheses.combine("Was it?", results, reader="magic")  # type: ignore[arg-type]
