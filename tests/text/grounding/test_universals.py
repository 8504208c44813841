"""A sentence about all is not supported by one that sets a limit."""

import pytest

from howsure.text.grounding.ground import ground
from howsure.text.grounding.universals import find_unlimited
from howsure.text.passages import Passage, read_passage, split_passages

UNLIMITED = [
    ("Almost all customers in Europe renewed their contracts.", "All customers in Europe renewed their contracts."),
    ("Two speakers can be linked only if both run version 2.4.", "Any two speakers can be linked."),
    ("Employees may work from home. Staff in the warehouse are excluded.", "All staff may work from home."),
    ("A booster is recommended only for people over 65.", "A booster is recommended for everyone."),
    ("A performance fee applies only to returns above the benchmark.", "A performance fee applies to all returns."),
    ("About 7 percent of checkout requests failed.", "All checkout requests failed."),
    ("Batch endpoints count as ten requests, except `/status`.", "All batch endpoints count as ten requests."),
    (
        "The customer bears the return costs unless the goods are faulty.",
        "In any case the customer bears return costs.",
    ),
]
LIMITED = [
    ("Almost all customers in Europe renewed their contracts.", "Nearly all customers in Europe renewed."),
    ("All customers renewed. Almost all in Asia did.", "All customers renewed."),
    ("Only editors can export reports.", "All editors can export reports."),
    ("Users can export reports if they have the role editor.", "All editors can export reports."),
    ("Users can export reports if they have the role editor.", "All users with the role editor can export reports."),
    (
        "A performance fee applies only to returns above 5 percent.",
        "A performance fee applies to all returns over 5 percent.",
    ),
    ("A request needs a key. Keys are valid if the request is signed.", "Every request needs a key."),
    ("Employees get 25 days. Only Tuesday is an office day.", "Every employee gets 25 days."),
    ("The API returns all items, but only 100 per page.", "All items are returned by the API."),
    ("Some cats are playing with each other.", "The cats are playing with each other."),
    ("Backups run hourly. If a backup fails, an alert is sent.", "Every backup is run each hour."),
    ("All parts except tyres are covered.", "All parts except tyres are covered for you."),
    ("Most plans include support. All plans include backups.", "All plans include backups."),
    ("It runs every two hours only if the lid is closed.", "It runs every two hours."),
]


def read(text: str) -> list[Passage]:
    return [read_passage(text, start, end) for start, end in split_passages(text)]


@pytest.mark.parametrize(("context", "response"), UNLIMITED)
def test_what_holds_with_a_limit_does_not_hold_for_all(context: str, response: str) -> None:
    found = ground(response, context).sentences[0]
    assert found.finding != "supported", found
    assert find_unlimited(read(response)[0], read(context)), found


@pytest.mark.parametrize(("context", "response"), LIMITED)
def test_limits_that_are_kept_or_belong_to_something_else_are_no_clash(context: str, response: str) -> None:
    assert not find_unlimited(read(response)[0], read(context))
