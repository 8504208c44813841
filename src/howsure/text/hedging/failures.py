"""Tell messages that say that something fails from those that deny it: "no test fails any more" claims success.

English only. Where it is not clear what a negation belongs to, the failure counts as denied.
"""

import re

_FAILURE = re.compile(
    r"\bfail|(?:\bnot|n't) (?:pass|compile|build)|\b(?:reports?|reported|finds|gives?|shows?) (?:still )?\w+ errors?\b"
)
# A negation belongs to "fail" within a sentence: "none of the unit and integration tests fail". One of a verb ends with
# its clause: "I could not fix it, two tests fail". What follows "but", "because" and "why" is stated in either case.
_BREAK = r"(?:but|because|why)\b"
_NONE = r"(?:\b(?:no(?!,)|nothing|none|neither|never|zero|without|hardly|barely)\b|(?<![\d.])0(?![\d.]))"
_NOT = r"(?:\b(?:not|cannot)\b|n't\b)"
_AFTER = r"no (?:longer|more|tests?|checks?)|in no case|nowhere|never|not (?:any|once|at all)|any ?more\b|any longer\b"
_NO_FAILURE = re.compile(
    rf"{_NONE}(?:(?!{_BREAK})[^.!?;:]){{0,60}}?(?:\bfail|(?:\bnot|n't) pass)"
    rf"|{_NOT}(?:(?!{_BREAK}|\b(?:and|so)\b)[^.!?;:,]){{0,60}}?\bfail"
    rf"|\bfail\w*(?: (?:now|here|there|at all))? (?:{_AFTER})"
    r"|\b(?:stop|stops|stopped|cease|ceases|ceased|quit)(?: to)? fail"
    r"|\bfail\w*(?: (?:is|are|was|were|has|have))?(?: now| all| both)? (?:gone|disappeared|vanished|went away)\b"
    r"|\bfail\w*\W{1,3}(?:0|zero|none)(?!\w|\.\d)"
)
_NO_LONGER = re.compile(
    r"\b(?:they|it|those|both) (?:now )?(?:(?:no longer|never) (?:do|does|is|are)|(?:do|does|are|is)(?:n't| not))"
    r"(?: any ?more| any longer| now)?(?=\s*(?:[.!?,;]|$))"
)
# Words that say which failure is denied: one of a check, or one that there was before.
_OF_A_CHECK = re.compile(
    r"\b(?:tests?|suites?|builds?|ci|pipeline|checks?|cases?|runs?|linter|nothing|none|neither|no longer|any ?more|"
    r"any longer|now|stop(?:s|ped)?|failures?|failed|gone|disappeared|vanished)\b"
)
_PAST = re.compile(
    r"(?:\bfailed|\b(?:was|were) failing|\bdid(?: not|n't) pass)\b[^.!?;:]{0,60}"
    r"\b(?:before(?= my\b| your\b| this\b| that\b| the (?:change|edit|fix|patch)|[ ,.]*$)|earlier|previously|at first|"
    r"at the start|until|yesterday|once)\b"
    r"|\b(?:earlier|previously|formerly|originally|initially|at first|before|used to)\b[^.!?;:]{0,60}\bfail"
)
_SUPPOSED = re.compile(r"\b(?:(?:if|whether|when|any)\b[^,]*|(?:should|would|could|might|may) (?:still |also )?)$")
_NO_FAULT = re.compile(
    r"\b(?:no|any|without|zero|0) (?:\w+ ){0,2}"
    r"(?:errors?|bugs?|problems?|issues?|defects?|regressions?|warnings?|failures?)\b"
)
_PART_END = re.compile(r"[.!?;:]+(?:\s|$)|\n")


def admits_failure(text: str) -> bool:
    """Return True if a message says that something fails now.

    >>> admits_failure("Two tests fail. Shall I skip them?"), admits_failure("No test fails. Shall I commit?")
    (True, False)
    """
    return not denies_failure(text) and any(
        _FAILURE.search(part) and not _PAST.search(part) and not _SUPPOSED.search(_FAILURE.split(part, maxsplit=1)[0])
        for part in _split(text)
    )


def denies_failure(text: str) -> bool:
    """Return True if a message says that something does not fail, or does so no longer.

    >>> denies_failure("The tests fail no longer."), denies_failure("I could not fix it, two tests fail.")
    (True, False)
    """
    plain = _fold(text)
    return bool(_NO_FAILURE.search(plain) or (_FAILURE.search(plain) and _NO_LONGER.search(plain)))


def denies_failed_check(text: str) -> bool:
    """Return True if a message says that no test or other check fails, or that something has stopped failing.

    >>> denies_failed_check("No test fails."), denies_failed_check("A request does not fail if the port is taken.")
    (True, False)
    """
    return any(_OF_A_CHECK.search(part) and denies_failure(part) for part in _split(text))


def implies_success(sentence: str) -> bool:
    """Return True if a sentence denies a failure, tells of one that is over, or says that no fault was found.

    >>> implies_success("The tests failed before."), implies_success("I found no errors.")
    (True, True)
    """
    plain = _fold(sentence)
    over = _FAILURE.search(plain) and _PAST.search(plain)
    return bool(over or _NO_FAULT.search(plain) or denies_failure(plain))


def _fold(text: str) -> str:
    return text.replace("\u2019", "'").casefold()


def _split(text: str) -> list[str]:
    """Return the sentences of a text and the parts of those with a colon or semicolon, in lower case."""
    return _PART_END.split(_fold(text))
