"""Write a scan as SARIF 2.1.0, for code scanning and editors."""

from hashlib import sha256
from importlib.metadata import PackageNotFoundError, metadata
from typing import Any
from urllib.parse import quote

from howsure.documents import labels
from howsure.documents.document import Document, Report
from howsure.documents.report.findings import BELOW_LIMIT, RULES, Rule, find_issues
from howsure.version import __version__
from howsure.wording import escape_invisible, single_line

SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
_ROOT = "SRCROOT"
_NOTIFICATIONS = (
    Rule(
        "incomplete",
        "note",
        "Something could not be found out for any file.",
        "Evidence that does not come from the files themselves was not available, so every score uses less evidence.",
        "Check whether the scanned folder is a git repository with its whole history.",
    ),
    Rule(
        "skipped",
        "note",
        "The file was not scored.",
        "The file was left out of the scan for the reason in the message.",
        "Nothing has to be done; exclude the file to hide this note.",
    ),
)


def to_sarif(report: Report) -> dict[str, Any]:
    """Return a scan as a SARIF log, with one result for each document that needs attention.

    A result is about a whole file. It points to the first line, since code scanning shows no result without a line.
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
        "results": [_result(report, document, rule) for document, rule in find_issues(report)],
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
        "informationUri": homepage(),
        "rules": [_descriptor(one) for one in RULES],
        "notifications": [_descriptor(one) for one in _NOTIFICATIONS],
    }


def homepage() -> str:
    """Return the address of the project that the installed package names; without one, the package as a purl."""
    try:
        urls = metadata("howsure").get_all("Project-URL", [])
    except PackageNotFoundError:  # run from the source without an installation
        urls = []
    named = dict(url.partition(", ")[::2] for url in urls)
    return named.get("Homepage") or f"pkg:pypi/howsure@{__version__}"


def _descriptor(rule: Rule) -> dict[str, Any]:
    return {
        "id": rule.id,
        "name": f"Document{''.join(word.capitalize() for word in rule.id.split('-'))}",
        "shortDescription": {"text": rule.short},
        "fullDescription": {"text": rule.full},
        "help": {"text": rule.help},
        "defaultConfiguration": {"level": rule.level},
    }


def _result(report: Report, document: Document, rule: Rule) -> dict[str, Any]:
    digest = sha256(f"{rule.id}\0{document.path}".encode("utf-8", "surrogatepass")).hexdigest()
    result: dict[str, Any] = {
        "ruleId": rule.id,
        "ruleIndex": RULES.index(rule),
        "level": rule.level,
        "message": {"text": _break_links(_message(report, document, rule))},
        "locations": [_location(document.path, line=1)],
        # GitHub's code scanning uses only the second one.
        "partialFingerprints": {"documentHash/v1": digest, "primaryLocationLineHash": f"{digest[:16]}:1"},
        "properties": {
            "score": document.score,
            "freshness": document.freshness,
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


def _message(report: Report, document: Document, rule: Rule) -> str:
    """Return what the rule is about first, then what else was found, the score and what would raise it."""
    score = f"Score {labels.format_score(document.score, report.fail_under)}"
    parts = []
    if rule is BELOW_LIMIT:
        parts.append(f"{score}, limit {report.fail_under:g}")
    if document.problems:
        parts.append("Problems: " + "; ".join(single_line(one) for one in document.problems))
    if document.gaps:
        parts.append("Gaps: " + "; ".join(single_line(one) for one in document.gaps))
    if document.action == "unknown":
        parts.append("Its age is unknown")
    elif document.action != "none":
        parts.append(f"Due: {labels.format_due(document, report.day)}")
    if rule is not BELOW_LIMIT:
        parts.append(score)
    parts.append(single_line(document.reason))
    if document.hints:
        parts.append("Hints: " + "; ".join(single_line(one) for one in document.hints))
    if document.gains:
        parts.append(f"What would raise it: {labels.format_gains(document)}")
    return " ".join(f"{part.rstrip('.')}." for part in parts if part)


def _notification(name: str, text: str, path: str = "") -> dict[str, Any]:
    notification: dict[str, Any] = {
        "descriptor": {"id": name, "index": [one.id for one in _NOTIFICATIONS].index(name)},
        "level": "note",
        "message": {"text": _break_links(f"{single_line(text).rstrip('.')}.")},
    }
    return notification | ({"locations": [_location(path)]} if path else {})


def _location(path: str, line: int | None = None) -> dict[str, Any]:
    place: dict[str, Any] = {"artifactLocation": {"uri": _uri(path), "uriBaseId": _ROOT}}
    return {"physicalLocation": place | ({} if line is None else {"region": {"startLine": line}})}


def _uri(path: str) -> str:
    """Return a path as a relative URI; bytes that are not UTF-8 are percent-encoded as they are.

    >>> _uri("a b/ü#1.md")
    'a%20b/%C3%BC%231.md'
    """
    try:
        name = path.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:
        name = path.encode("utf-8", "surrogatepass")
    return quote(name, safe="/")


def _break_links(text: str) -> str:
    """Return the text without links: SARIF renders `[words](address)` in messages as one."""
    return text.replace("](", "] (")
