"""SARIF: what code scanning is told."""

import json
from datetime import date
from typing import Any
from urllib.parse import unquote_to_bytes, urlsplit

import jsonschema
import orjson
import pytest

import howsure
from howsure.documents.document import Improvement, SkippedFile
from howsure.documents.report.sarif import to_sarif
from tests.documents.factory import HOSTILE, document, hostile, many, report

TEXT = {"type": "string", "minLength": 1}


def _object(required: str, **properties: Any) -> dict[str, Any]:
    """Return the schema of an object that has no properties but these."""
    return {
        "type": "object",
        "required": required.split(),
        "properties": properties,
        "additionalProperties": False,
    }


MESSAGE = _object("text", text=TEXT)
LEVEL = {"enum": ["error", "warning", "note"]}
ARTIFACT = _object("uri uriBaseId", uri=TEXT | {"pattern": r"^[A-Za-z0-9._~%/-]+$"}, uriBaseId={"const": "SRCROOT"})
LINE = _object("startLine", startLine={"type": "integer", "minimum": 1})


def _locations(required: str, **properties: Any) -> dict[str, Any]:
    place = _object("physicalLocation", physicalLocation=_object(required, **properties))
    return {"type": "array", "minItems": 1, "items": place}


FILES = _locations("artifactLocation", artifactLocation=ARTIFACT)
LOCATIONS = _locations("artifactLocation region", artifactLocation=ARTIFACT, region=LINE)
CONFIGURATION = _object("level", level=LEVEL)
RULE = _object(
    "id name shortDescription fullDescription help defaultConfiguration",
    id={"type": "string", "pattern": "^[a-z-]+$"},
    name={"type": "string", "pattern": "^([A-Z][a-z]+)+$"},
    shortDescription=MESSAGE,
    fullDescription=MESSAGE,
    help=MESSAGE,
    defaultConfiguration=CONFIGURATION,
)
RESULT = _object(
    "ruleId ruleIndex level message locations partialFingerprints properties",
    ruleId=TEXT,
    ruleIndex={"type": "integer", "minimum": 0},
    level=LEVEL,
    message=MESSAGE,
    rank={"type": "number", "minimum": 0, "maximum": 100},
    locations=LOCATIONS,
    partialFingerprints={"type": "object", "minProperties": 1, "additionalProperties": TEXT},
    properties={"type": "object"},
)
NOTIFICATION = _object(
    "descriptor level message",
    descriptor=_object("id index", id=TEXT, index={"type": "integer", "minimum": 0}),
    level=LEVEL,
    message=MESSAGE,
    locations=FILES,
)
DRIVER = _object(
    "name version informationUri rules notifications",
    name={"const": "howsure"},
    version={"const": howsure.__version__},
    semanticVersion={"const": howsure.__version__},
    informationUri={"type": "string", "pattern": "^(https://|pkg:pypi/howsure@)[!-~]+$"},
    rules={"type": "array", "uniqueItems": True, "items": RULE},
    notifications={"type": "array", "uniqueItems": True, "items": RULE},
)
RUN = _object(
    "tool results invocations",
    tool=_object("driver", driver=DRIVER),
    results={"type": "array", "items": RESULT},
    invocations={
        "type": "array",
        "items": _object(
            "executionSuccessful",
            executionSuccessful={"type": "boolean"},
            toolExecutionNotifications={"type": "array", "items": NOTIFICATION},
        ),
    },
    originalUriBaseIds=_object("SRCROOT", SRCROOT=_object("description", description=MESSAGE)),
    columnKind={"enum": ["utf16CodeUnits", "unicodeCodePoints"]},
    properties={"type": "object"},
)
LOG = _object(
    "$schema version runs",
    **{
        "$schema": {"type": "string", "pattern": "^https://"},
        "version": {"const": "2.1.0"},
        "runs": {"type": "array", "minItems": 1, "maxItems": 1, "items": RUN},
    },
)
"""The part of SARIF 2.1.0 that is written here, with nothing beside it."""

REPORTS = {"hostile": hostile(), "many": many(300), "empty": report()}


def results(*documents: Any, **changes: Any) -> list[dict[str, Any]]:
    return list(to_sarif(report(*documents, **changes))["runs"][0]["results"])


@pytest.mark.parametrize("name", REPORTS)
def test_a_log_has_the_form_of_sarif(name: str) -> None:
    log = orjson.loads(orjson.dumps(to_sarif(REPORTS[name])))  # which refuses what is no Unicode
    jsonschema.Draft202012Validator(LOG).validate(log)
    run = log["runs"][0]
    driver = run["tool"]["driver"]
    assert len({rule["id"] for rule in driver["rules"]}) == len(driver["rules"])
    for one in run["results"]:
        assert driver["rules"][one["ruleIndex"]]["id"] == one["ruleId"]
    for one in run["invocations"][0]["toolExecutionNotifications"]:
        assert driver["notifications"][one["descriptor"]["index"]]["id"] == one["descriptor"]["id"]


@pytest.mark.parametrize(
    ("changes", "rule", "level"),
    [
        ({"score": 0.49}, "below-limit", "error"),
        ({"score": None}, "below-limit", "error"),
        ({"score": 0.49, "action": "refresh_or_remove"}, "below-limit", "error"),
        ({"action": "refresh_or_remove"}, "refresh-or-remove", "note"),
        ({"action": "human_validation"}, "human-validation", "note"),
        ({"action": "review", "problems": ("no date",)}, "problem", "warning"),
        ({"action": "unknown"}, "unknown-age", "note"),
        ({"problems": ("no date",)}, "problem", "warning"),
        ({"action": "review"}, "review", "note"),
    ],
)
def test_the_most_severe_issue_is_reported(changes: dict[str, Any], rule: str, level: str) -> None:
    (found,) = results(document(**changes), fail_under=0.5)
    assert (found["ruleId"], found["level"]) == (rule, level)


def test_documents_without_issues_are_left_out() -> None:
    assert results(document(score=0.5), fail_under=0.5) == []
    assert results(document(score=0.1)) == []


def test_the_message_says_the_score_why_and_what_would_raise_it() -> None:
    one = document(
        score=0.4996,
        reason="M2, no sources",
        action="review",
        due=date(2026, 11, 1),
        problems=("no YAML",),
        gains=(Improvement("name a source", 0.0512),),
    )
    (found,) = results(one, fail_under=0.5)
    assert found["message"]["text"] == (
        "Score 0.4996, limit 0.5. Problems: no YAML. Due: review, since 2026-11-01. M2, no sources. "
        "What would raise it: name a source (+0.05)."
    )
    (found,) = results(one)
    assert found["message"]["text"].startswith("Problems: no YAML. Due: review, since 2026-11-01. Score 0.50. M2")


def test_rank_is_the_confidence_in_percent() -> None:
    known, unknown = results(document(score=0.1234, action="review"), document("b.md", score=None, action="unknown"))
    assert known["rank"] == pytest.approx(12.34)
    assert "rank" not in unknown


@pytest.mark.parametrize("path", [*HOSTILE, "a b/c+d.md", "http:/x.md", "%41.md"])
def test_a_location_is_a_relative_uri_that_leads_back_to_the_file(path: str) -> None:
    (found,) = results(document(path, action="review"))
    uri = found["locations"][0]["physicalLocation"]["artifactLocation"]["uri"]
    parts = urlsplit(uri)
    assert (parts.scheme, parts.netloc, parts.query, parts.fragment) == ("", "", "", "")
    errors = "surrogatepass" if "\ud800" in path else "surrogateescape"
    assert unquote_to_bytes(uri) == path.encode("utf-8", errors)


def test_fingerprints_stay_when_the_score_changes_and_differ_between_files_and_rules() -> None:
    def prints(**changes: Any) -> str:
        (found,) = results(document(**{"action": "review", **changes}))
        return json.dumps(found["partialFingerprints"], sort_keys=True)

    assert prints(score=0.2, months=5.0, reason="x", due=None) == prints(score=0.9)
    assert len({prints(), prints(path="b.md"), prints(action="unknown")}) == 3


def test_skipped_files_and_notes_are_notifications() -> None:
    skipped = (SkippedFile("a b.png", "it is binary"),)
    run = to_sarif(report(document(), skipped=skipped, notes=("git tells nothing",)))["runs"][0]
    (invocation,) = run["invocations"]
    note, file = invocation["toolExecutionNotifications"]
    assert invocation["executionSuccessful"] is True
    assert note["message"]["text"] == "git tells nothing."
    assert file["message"]["text"] == "Not scored: it is binary."
    assert file["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] == "a%20b.png"


def test_no_message_holds_a_link_or_what_cannot_be_seen() -> None:
    run = to_sarif(hostile())["runs"][0]
    told = [*run["results"], *run["invocations"][0]["toolExecutionNotifications"]]
    texts = [one["message"]["text"] for one in told]
    assert any("[link] (https" in text for text in texts)
    assert not [text for text in texts if "](" in text or "\u202e" in text or "\n" in text]


def test_the_tool_names_its_home(monkeypatch: pytest.MonkeyPatch) -> None:
    from email.message import Message
    from importlib.metadata import PackageNotFoundError

    from howsure.documents.report import sarif

    assert to_sarif(many(1))["runs"][0]["tool"]["driver"]["informationUri"] == sarif.homepage()
    installed = Message()
    installed["Project-URL"] = "Changelog, https://example.com/changes"
    installed["Project-URL"] = "Homepage, https://example.com/howsure"
    monkeypatch.setattr(sarif, "metadata", lambda _: installed)
    assert sarif.homepage() == "https://example.com/howsure"

    def missing(name: str) -> Message:
        raise PackageNotFoundError(name)

    monkeypatch.setattr(sarif, "metadata", missing)
    assert sarif.homepage() == f"pkg:pypi/howsure@{howsure.__version__}"
