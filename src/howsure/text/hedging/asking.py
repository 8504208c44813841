"""Recognize messages in which an agent hands over to the user with a question.

What stands before the question may be a plain report of what the agent did or could not do, which claims no result. As
in `interim`, every form is strict, and English only.
"""

import re

from howsure.text.hedging.claimless import sentence_roles
from howsure.text.hedging.interim import is_plan, may_claim

_DID = (
    "read|looked|checked|searched|opened|ran|reran|updated|changed|edited|added|removed|deleted|renamed|moved|wrote|"
    "created|started|stopped|drafted|prepared|reviewed|compared|listed|installed|committed|reverted|"
    r"found (?:no|two|three|four|five|several|\d{1,2})"
)
_NOT = (
    "could not|couldn't|can't|cannot|am unable to|was unable to|wasn't able to|did not|didn't|have not|haven't|"
    "do not yet|don't yet"
)
_COUNT = r"(?:one|two|three|four|five|several|some|many|all|most|\d{1,4})"
_CHECKS = "tests?|test suite|suite|build|ci|pipeline|type check|linter|migration|command|script"
_FAILING = "fail|fails|failed|is failing|are failing|do not pass|don't pass|does not pass|doesn't pass|did not pass"
_REPORTS = re.compile(
    rf"(?:(?:ok(?:ay)?|so|also|then|and|meanwhile)\b,? +)*i(?:'ve| have)? (?:now |just |already |also )?(?:{_DID})\b"
    rf"|i(?:'ve)? (?:{_NOT})\b"
    rf"|(?:the |{_COUNT} )?(?:of the )?(?:\w+ )?(?:{_CHECKS}) (?:still |now )?(?:{_FAILING})\b"
    r"|there are (?:two|three|four|several|a few) (?:ways|options|choices|approaches|possibilities)(?: to \w+ \w+)?:?"
)
# Words that claim a result, which a question at the end must not bring past the gate.
_RESULT = re.compile(
    r"(?<!not )(?<!n't )\b(?:pass(?:es|ed|ing)?|fix(?:es|ed)?|works?|worked|working|done|complete[ds]?|finished|"
    r"verif(?:y|ied|ies)|tested|succe(?:ss|eds?|eded|ssful|ssfully)|ready|safe|green|resolved|solved|correct(?:ly)?)\b",
    re.IGNORECASE,
)
_FAILURE = re.compile(r"(?:\bfail(?:s|ed|ing)?|(?:\bnot|n't) (?:pass|compile|build))\b", re.IGNORECASE)
_NO_FAILURE = re.compile(r"(?:\b(?:no|not|nothing|none|never|zero|0)|n't)\b[^.!?]{0,40}\bfail", re.IGNORECASE)
_ITEM = re.compile(r"[ \t]*(?:[-*]|\d{1,2}[.)])[ \t]")


def ends_with_question(text: str) -> bool:
    """Return True if a message ends with a question to the user, or with the choices of one.

    A polite question after an answer ("Does that help?") and a rhetorical one do not count.

    >>> ends_with_question("The port is 8080. Do you want me to change it?")
    True
    >>> ends_with_question("The port is 8080. Does that help?"), ends_with_question("Which port? It is 8080.")
    (False, False)
    """
    lines = text.split("\n")
    while lines and (not lines[-1].strip() or _ITEM.match(lines[-1])):
        lines.pop()
    last = "\n".join(lines).rpartition("\n\n")[2]
    roles = [role for _, role in sentence_roles(last) if role != "harmless"]
    return bool(roles) and roles[-1] == "question"


def claims_result(text: str) -> bool:
    """Return True if a message says that something works, passes or is done.

    >>> claims_result("All tests pass. Shall I commit?"), claims_result("The port is 8080. Shall I change it?")
    (True, False)
    """
    return bool(_RESULT.search(text))


def admits_failure(text: str) -> bool:
    """Return True if a message says that something fails.

    >>> admits_failure("Two tests fail. Shall I skip them?"), admits_failure("No test fails. Shall I commit?")
    (True, False)
    """
    return bool(_FAILURE.search(text)) and not _NO_FAILURE.search(text)


def is_report_with_question(text: str) -> bool:
    """Return True if a message reports what the agent did or could not do, claims nothing else, and ends by asking.

    False for one that only asks, which `is_clarifying_question` recognizes.

    >>> is_report_with_question("I read both files. Which of them should win?")
    True
    >>> is_report_with_question("I fixed the bug. Do you want me to commit?")
    False
    """
    if not ends_with_question(text):
        return False
    others = [sentence for sentence, role in sentence_roles(text) if role == "claim"]
    return bool(others) and all(is_plan(sentence) or _is_report(sentence) for sentence in others)


def _is_report(sentence: str) -> bool:
    plain = sentence.strip(" .!\u2026").replace("\u2019", "'").casefold()
    form = _REPORTS.match(plain)
    return form is not None and not may_claim(plain[form.end() :]) and not claims_result(plain[form.end() :])
