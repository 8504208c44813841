"""The same words in other roles do not support a sentence; other wordings of the same roles do."""

import pytest

from howsure.text.contradictions import find_exchanged_roles
from howsure.text.grounding.ground import ground

EXCHANGED = [
    ("Service A calls service B.", "Service B calls service A."),
    ("Service A calls service B.", "Service A is called by service B."),
    ("The gateway forwards requests to the auth service.", "The auth service forwards requests to the gateway."),
    ("Alice reports to Bob.", "Bob reports to Alice."),
    (
        "The worker writes to the queue, the scheduler reads it.",
        "The scheduler writes to the queue, the worker reads it.",
    ),
    ("Migrate from MySQL to Postgres.", "Migrate from Postgres to MySQL."),
    ("TLS is required before login.", "TLS is required after login."),
    ("Compression increases latency but reduces memory use.", "Compression reduces latency."),
    ("Enable caching and disable logging.", "Disable caching."),
    ("The primary accepts writes and the replica rejects reads.", "The primary rejects writes."),
    ("Encryption is required for admins and optional for guests.", "Encryption is optional for admins."),
    ("The plan costs $10 per month.", "The plan costs $10 per year."),
    ("The plan costs $10 per month or $100 per year.", "The plan costs $10 per year."),
    ("The limit is 100 requests/min.", "The limit is 100 requests per second."),
    ("It costs $10 a month.", "It costs $10 a year."),
]
SAME = [
    ("Service A calls service B.", "Service B is called by service A."),
    ("Service A calls service B. Service B calls service A.", "Service B then calls service A."),
    ("The job runs as root.", "Root runs the job."),
    ("The pipeline stops at the first error.", "The first error stops the pipeline."),
    ("Ann meets Bob on Monday.", "Bob meets Ann on Monday."),
    ("Ann and Bob share an office.", "Bob and Ann share an office."),
    ("Paris is the capital of France.", "The capital of France is Paris."),
    ("Trains run to and from Basel.", "Trains run from Basel."),
    ("Compression increases latency but reduces memory use.", "Compression reduces memory use."),
    ("Enable caching and disable logging.", "Caching should be enabled and logging disabled."),
    ("Prices rose in May and fell in June.", "Prices fell in June."),
    ("The northern and southern halves are paved.", "The northern halves are paved."),
    ("The plan costs $10 per month or $100 per year.", "The plan costs $100 per year."),
    ("The plan costs $10 per month.", "It costs $10 monthly."),
    ("The limit is 100 requests/min.", "The limit is 100 requests per minute."),
    ("You can send 100 requests per minute.", "You can send 100 requests each minute."),
    ("The monthly fee is $15.", "The fee is $15 per month."),
    ("The fee is $15 per month.", "The monthly fee is $15."),
    ("Interns earn $100 a day.", "Interns earn $100 per day."),
    ("The premium is $1,200 per year, payable in 12 monthly instalments of $100.", "It is paid at $100 per month."),
    ("To enable the feature, set FLAG=1; to disable it, set FLAG=0.", "To disable the feature, set FLAG=0."),
    ("Users can pause the job and resume it later.", "Users can resume the job."),
    ("Old tokens are revoked; new ones are issued at login.", "New tokens are issued at login."),
    ("The minimum and the maximum order value are $10 and $500.", "The minimum order value is $10."),
    ("The bank lends money to firms.", "Firms borrow money from the bank."),
    ("Files are synced from the laptop to the cloud and vice versa.", "Files are synced from the cloud to the laptop."),
    ("Equipment borrowed from the company must be returned.", "Equipment must be returned to the company."),
    ("Office A faces office B.", "Office B faces office A."),
]


@pytest.mark.parametrize(("context", "sentence"), EXCHANGED)
def test_a_sentence_with_other_roles_is_contradicted(context: str, sentence: str) -> None:
    (found,) = ground(sentence, context).sentences
    assert (found.finding, bool(found.reasons)) == ("contradicted", True)
    assert found.support is not None
    assert found.support <= 0.2


@pytest.mark.parametrize(("context", "sentence"), SAME)
def test_a_sentence_with_the_same_roles_is_supported(context: str, sentence: str) -> None:
    (found,) = ground(sentence, context).sentences
    assert found.finding == "supported"


def test_a_text_that_lacks_a_word_says_nothing_about_roles() -> None:
    assert find_exchanged_roles(["Service A calls service B."], "Service B calls service C.") == ""
    assert find_exchanged_roles([], "Service B calls service A.") == ""


def test_a_denied_role_is_left_to_negations() -> None:
    assert find_exchanged_roles(["Service A calls service B."], "Service B does not call service A.") == ""
