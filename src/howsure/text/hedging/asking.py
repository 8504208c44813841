"""Recognize messages in which an agent hands over to the user with a question.

What stands before the question may be a plain report of what the agent did or could not do, which claims no result. As
in `interim`, every form is strict, and English only.
"""

import re

from howsure.text.hedging.claimless import sentence_roles
from howsure.text.hedging.failures import admits_failure, denies_failed_check, implies_success
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
# What a question offers to do is not claimed to be done: "Do you want me to fix it?".
_OFFERED = re.compile(
    r"\b(?:to|i|we|me|and|or) (?:also |first |now |then |just )?(?:fix|work|complete|verify|resolve|solve)\b",
    re.IGNORECASE,
)
# What passes beside something that fails: "4 of 5 tests pass; test_x fails".
_PASSES_BESIDE = re.compile(
    r"\b(?:(?P<some>\d{1,4}) of (?:the )?(?!(?P=some)\b)\d{1,4}(?: \w+){0,2}"
    r"|(?<!of )(?<!of the )\b\d{1,4}(?: (?:other|more|tests?)){0,2}"
    r"|(?:all )?(?:of )?the (?:others?|rest|remaining(?: \w+)?|other \w+)"
    r"|not (?:all|every)(?: of)?(?: the| them)?(?: \w+)?) (?:all |still )?pass(?:es|ed)?\b",
    re.IGNORECASE,
)
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
    """Return True if a message says that something works, passes, is done, or does not fail.

    What a question offers to do is no claim.

    >>> claims_result("All tests pass. Shall I commit?"), claims_result("The port is 8080. Shall I fix it?")
    (True, False)
    >>> claims_result("No tests fail any more. Shall I commit?")
    True
    """
    if denies_failed_check(text):
        return True
    for sentence, role in sentence_roles(text):
        if role == "question":
            text = text.replace(sentence, _OFFERED.sub("", sentence))
    return bool(_RESULT.search(text))


def reports_failure(text: str) -> bool:
    """Return True if a message says that something fails, and claims no result but that others pass.

    >>> reports_failure("4 of 5 tests pass; test_x fails. Shall I go on?")
    True
    >>> reports_failure("One test failed, now all tests pass. Shall I commit?")
    False
    """
    return admits_failure(text) and not claims_result(_PASSES_BESIDE.sub("", text))


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
    if form is None or may_claim(plain[form.end() :]) or claims_result(plain[form.end() :]):
        return False
    return not implies_success(plain)
