"""What a synthesis found out is kept among the claims: all of it, or nothing, and each thing once."""

import threading
from typing import Any

import pytest

from howsure.errors import InputError
from howsure.store import check as upkeep
from howsure.sure import Sure
from howsure.sure import open as open_store
from howsure.syntheses.findings import save_findings
from howsure.syntheses.synthesis import Synthesis

FINE = {"id": "a", "content": "The host is fine. The disk is new."}
ALSO = {"id": "b", "content": "The host is fine."}


def merged(sure: Sure, *results: Any, query: str = "How is it?") -> Synthesis:
    return sure.syntheses.combine(query, results)


def kept(sure: Sure) -> list[str]:
    return sorted(claim.statement for claim in sure.claims.find(limit=None).claims)


@pytest.mark.parametrize(
    ("second", "field"),
    [
        ({"id": "b", "content": "The fan\x00 is loud."}, "b#1.statement"),
        ({"id": "b", "content": "The fan is loud.", "sources": ["x" * 2000]}, r"b#1.sources\[0\].source_id"),
        ({"id": "b" * 2000, "content": "The fan is loud."}, "source_id"),
    ],
)
def test_findings_are_stored_completely_or_not_at_all(sure: Sure, second: Any, field: str) -> None:
    found = merged(sure, FINE, second)
    with pytest.raises(InputError, match=field):
        save_findings(sure.claims, found)
    assert kept(sure) == []
    assert upkeep.check(sure.session) == []


def test_an_invalid_namespace_stores_nothing(sure: Sure) -> None:
    with pytest.raises(InputError, match="namespace"):
        save_findings(sure.claims, merged(sure, FINE), "a//b")
    assert kept(sure) == []


def test_a_conclusion_says_each_thing_once(sure: Sure) -> None:
    found = save_findings(sure.claims, merged(sure, FINE, ALSO))
    assert (found.created, found.corroborated, found.warning) == (2, 1, "")
    concluded = sure.claims.explain(found.conclusion or "")
    assert sorted(concluded.claim.statement.removeprefix("How is it?: ").split(". ")) == [
        "The disk is new.",
        "The host is fine",
    ]
    assert len(concluded.constituents) == 2


def test_disputed_claims_are_not_concluded(sure: Sure) -> None:
    found = save_findings(sure.claims, merged(sure, FINE, ALSO, {"id": "c", "content": "The host is not fine."}))
    concluded = sure.claims.explain(found.conclusion or "")
    assert [one.statement for one in concluded.constituents] == ["The disk is new."]
    assert found.related >= 1


@pytest.mark.parametrize("query", ["", " \n"])
def test_a_statement_does_not_follow_from_itself(sure: Sure, query: str) -> None:
    found = save_findings(sure.claims, merged(sure, ALSO, query=query))
    assert (found.conclusion, found.warning, kept(sure)) == (None, "", ["The host is fine."])
    again = save_findings(sure.claims, merged(sure, FINE, query=query))
    assert sure.claims.get(again.conclusion or "").statement == "The host is fine. The disk is new."


def test_a_conclusion_that_cannot_be_stored_is_reported_and_the_rest_is_stored(sure: Sure) -> None:
    found = save_findings(sure.claims, merged(sure, FINE, query="How\x00 is it?"))
    assert (found.created, found.conclusion) == (2, None)
    assert found.warning.startswith("no conclusion was kept: statement: a text cannot contain a NUL byte")
    assert kept(sure) == ["The disk is new.", "The host is fine."]
    assert upkeep.check(sure.session) == []


def test_conclusions_from_conclusions_end_somewhere(sure: Sure) -> None:
    said = "The host is fine."
    for _ in range(9):
        found = save_findings(sure.claims, merged(sure, {"id": "a", "content": said, "confidence": 0.9}, query="So"))
        if found.conclusion is None:
            break
        said = sure.claims.get(found.conclusion).statement
    assert "the chain of inferences is too long" in found.warning
    assert said in kept(sure)
    assert upkeep.check(sure.session) == []


@pytest.mark.parametrize(
    "content",
    [
        "Error: connection refused.",
        'Traceback (most recent call last):\n  File "a.py", line 1, in <module>\nValueError: the port is not open',
    ],
)
def test_an_error_text_is_not_a_claim(sure: Sure, content: str) -> None:
    found = merged(sure, {"id": "a", "content": content}, ALSO)
    assert [one.kept for one in found.results] == [False, True]
    assert found.results[0].why.startswith("the sub-task failed: ")
    assert "1 of 2 sources were left out: below 0.3, or failed" in found.warnings
    save_findings(sure.claims, found)
    assert kept(sure) == ["How is it?: The host is fine.", "The host is fine."]
    trusted = merged(sure, {"id": "a", "content": content, "confidence": 0.9})
    assert (trusted.decision, trusted.claims) == ("answer", ())
    only = merged(sure, {"id": "a", "content": content})
    assert only.decision == "abstain"


def test_a_stack_trace_within_an_answer_is_not_a_claim(sure: Sure) -> None:
    trace = 'Traceback (most recent call last):\n  File "a.py", line 1\nKeyError: 3 is not there'
    content = f"It fails:\n\n{trace}\n\nThe key is gone."
    assert [one.statement for one in merged(sure, {"id": "a", "content": content}).claims] == ["The key is gone."]


def test_sources_without_a_name_do_not_count(sure: Sure) -> None:
    save_findings(sure.claims, merged(sure, ALSO | {"sources": [" ", ""]}))
    (claim,) = [one for one in sure.claims.find().claims if one.statement == "The host is fine."]
    entries = sure.claims.explain(claim.id).sources
    assert [(entry.source.source_type, entry.source.source_id) for entry in entries] == [("extraction", "b")]


def test_threads_can_save_findings_at_the_same_time(address: str) -> None:
    def work(number: int) -> None:
        with open_store(address) as sure:
            clash = {"id": f"c{number}", "content": "The host is not fine."}
            save_findings(sure.claims, merged(sure, FINE | {"id": f"a{number}"}, clash))

    threads = [threading.Thread(target=work, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    with open_store(address) as sure:
        assert kept(sure) == [
            "How is it?: The disk is new.",
            "The disk is new.",
            "The host is fine.",
            "The host is not fine.",
        ]
        (fine,) = [one for one in sure.claims.find().claims if one.statement == "The host is fine."]
        assert [one.kind for one in sure.claims.explain(fine.id).neighbours] == ["contradicts"]
        assert upkeep.check(sure.session) == []


def test_findings_are_counted_among_the_votes_of_their_sources(sure: Sure) -> None:
    about = [("The host is fine.", "agent:a"), ("The disk is new.", "agent:b")]
    for statement, source in about:
        sure.claims.add(statement, source=source)
    sure.sources.fit()
    result = {"id": "fine", "content": "The host is fine.", "sources": ["probe"]}
    save_findings(sure.claims, merged(sure, result))
    assert sure.sources.list(["extraction:probe"])[0].right > 0
    assert upkeep.check(sure.session) == []
