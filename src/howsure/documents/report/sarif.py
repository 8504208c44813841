"""SARIF 2.1.0: what a scan has found, for code scanning and for editors."""

from hashlib import sha256
from typing import Any
from urllib.parse import quote

from howsure import __version__
from howsure.documents import labels as wording
from howsure.documents.document import Document, Report
from howsure.documents.report.findings import BELOW, RULES, Rule, concerns
from howsure.wording import escape_invisible, single_line

SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
_ROOT = "SRCROOT"
_NOTIFICATIONS = (
    Rule(
        "incomplete",
        "note",
        "Something could not be found out for any file.",
        "What the scan draws on beside the files themselves was not to be had, so every score rests on less.",
        "Look whether the scanned folder is a git repository with its whole history.",
    ),
    Rule(
        "skipped",
        "note",
        "The file was not scored.",
        "The file was left out of the scan, for the reason that the message gives.",
        "Nothing need be done; exclude the file to have it passed over in silence.",
    ),
)


def sarif(report: Report) -> dict[str, Any]:
    """Return a scan as a SARIF log: one result for each document that needs attention.

    A result concerns a file as a whole, so it names no line of it.
    """
    run = {
        "tool": {"driver": _driver()},
        "invocations": [
            {
                "executionSuccessful": True,
                "toolExecutionNotifications": [
                    *(_notification("incomplete", note) for note in report.notes),
                    *(_notification("skipped", f"Not scored: {one.why}", one.path) for one in report.skipped),
                ],
            }
        ],
        "originalUriBaseIds": {_ROOT: {"description": {"text": "The folder that was scanned."}}},
        "columnKind": "unicodeCodePoints",
        "results": [_result(report, document, concern) for document, concern in concerns(report)],
        "properties": {
            "root": escape_invisible(report.root),
            "day": report.day.isoformat(),
            "pack": escape_invisible(report.pack),
            "score": report.score,
            "failUnder": report.fail_under,
            "documents": len(report.documents),
        },
    }
    return {"$schema": SCHEMA, "version": "2.1.0", "runs": [run]}


def _driver() -> dict[str, Any]:
    return {
        "name": "howsure",
        "version": __version__,
        "semanticVersion": __version__,
        "rules": [_descriptor(one) for one in RULES],
        "notifications": [_descriptor(one) for one in _NOTIFICATIONS],
    }


def _descriptor(concern: Rule) -> dict[str, Any]:
    return {
        "id": concern.id,
        "name": f"Document{''.join(word.capitalize() for word in concern.id.split('-'))}",
        "shortDescription": {"text": concern.short},
        "fullDescription": {"text": concern.full},
        "help": {"text": concern.help},
        "defaultConfiguration": {"level": concern.level},
    }


def _result(report: Report, document: Document, concern: Rule) -> dict[str, Any]:
    print_ = sha256(f"{concern.id}\0{document.path}".encode("utf-8", "surrogatepass")).hexdigest()
    result: dict[str, Any] = {
        "ruleId": concern.id,
        "ruleIndex": RULES.index(concern),
        "level": concern.level,
        "message": {"text": _unlinked(_message(report, document, concern))},
        "locations": [_location(document.path)],
        # The second name is the only one that code scanning of GitHub heeds.
        "partialFingerprints": {"documentHash/v1": print_, "primaryLocationLineHash": f"{print_[:16]}:1"},
        "properties": {
            "score": document.score,
            "milestone": escape_invisible(document.milestone),
            "state": escape_invisible(document.state),
            "action": document.action,
            "months": document.months,
            "due": document.due.isoformat() if document.due else None,
        },
    }
    if document.score is not None:
        result["rank"] = round(min(max(document.score, 0.0), 1.0) * 100.0, 6)
    return result


def _message(report: Report, document: Document, concern: Rule) -> str:
    """Return the score, why it is so, what is due, and what would raise it."""
    told = f"Score {wording.score(document.score, report.fail_under)}"
    if concern is BELOW:
        told += f", limit {report.fail_under:g}"
    parts = [told, single_line(document.reason)]
    if document.action == "unknown":
        parts.append("Its age is unknown")
    elif document.action != "none":
        parts.append(f"Due: {wording.due(document, report.day)}")
    if document.problems:
        parts.append("Problems: " + "; ".join(single_line(one) for one in document.problems))
    if document.gains:
        parts.append(f"What would raise it: {wording.advice(document)}")
    return " ".join(f"{part.rstrip('.')}." for part in parts if part)


def _notification(name: str, text: str, path: str = "") -> dict[str, Any]:
    notification: dict[str, Any] = {
        "descriptor": {"id": name, "index": [one.id for one in _NOTIFICATIONS].index(name)},
        "level": "note",
        "message": {"text": _unlinked(f"{single_line(text).rstrip('.')}.")},
    }
    return notification | ({"locations": [_location(path)]} if path else {})


def _location(path: str) -> dict[str, Any]:
    return {"physicalLocation": {"artifactLocation": {"uri": _uri(path), "uriBaseId": _ROOT}}}


def _uri(path: str) -> str:
    """Return a path as a relative URI; a name that is no text gives the bytes it has on disk.

    >>> _uri("a b/ü#1.md")
    'a%20b/%C3%BC%231.md'
    """
    try:
        name = path.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:
        name = path.encode("utf-8", "surrogatepass")
    return quote(name, safe="/")


def _unlinked(text: str) -> str:
    """Return a text in which nothing is a link: messages may hold `[words](address)`."""
    return text.replace("](", "] (")
