"""Statements that look opposite and can both hold, beside similar ones that cannot."""

import pytest

from howsure.text.contradictions import find_clash, read_pair

AGREE = """
The charset is UTF-8. | The charset is utf8.
The format is ISO 8601. | The format is ISO-8601.
The rate limit is 100 requests per minute. | The rate limit is 6,000 requests per hour.
The timeout is 1 min 30 s. | The timeout is 90 s.
The build takes 2 hours and 15 minutes. | The build takes 135 minutes.
He is 5 feet 11 inches tall. | He is 71 inches tall.
The backup starts at 14:00 UTC. | The backup starts at 15:00 UTC+1.
The table has 1 500 000 rows. | The table has 1,500,000 rows.
There are 25 users. | There are twenty-five users.
Nothing is logged except errors. | Errors are logged.
All tables except users are public. | The users table is private.
All tables are public except users. | The users table is private.
The leader was node-1 yesterday. | The leader is node-2 today.
The service will run on port 9000 from May. | The service runs on port 8080.
The limit is unlimited. | There is no limit.
It requires at least Python 3.11. | It requires Python 3.12.
The project uses at least Python 3.11. | The project uses Python 3.12.
"""
CLASH = """
The charset is UTF-8. | The charset is UTF-16.
The rate limit is 100 requests per minute. | The rate limit is 200 requests per minute.
The timeout is 1 min 30 s. | The timeout is 60 s.
The build takes 2 hours and 15 minutes. | The build takes 2 hours and 45 minutes.
It was won in 2 hours 10 minutes and 54 seconds. | It was won in 2 hours 10 minutes and 55 seconds.
The backup starts at 14:00 UTC. | The backup starts at 14:00 UTC+1.
The table has 1 500 000 rows. | The table has 2,500,000 rows.
There are thirty-five users. | There are twenty-five users.
Nothing is logged except errors. | Warnings are logged.
The leader is node-1. | The leader is node-2.
The service will run on port 9000 from May. | The service will run on port 8080 from May.
The service will run on port 9000. | The service runs on port 8080.
The company was founded in 1990. | The company was founded in 1991.
The company was founded in 1990. | The company is founded in 1991.
It requires at least Python 3.11. | It requires Python 3.9.
"""


def _pairs(text: str) -> list[tuple[str, str]]:
    return [(one, other) for line in text.strip().splitlines() for one, _, other in [line.partition(" | ")]]


@pytest.mark.parametrize(("one", "other"), _pairs(AGREE))
def test_statements_that_can_both_hold_do_not_clash(one: str, other: str) -> None:
    assert find_clash(one, other) is find_clash(other, one) is None
    assert max(read_pair(one, other).contradiction, read_pair(other, one).contradiction) < 0.5


@pytest.mark.parametrize(("one", "other"), _pairs(CLASH))
def test_similar_statements_clash(one: str, other: str) -> None:
    assert min(read_pair(one, other).contradiction, read_pair(other, one).contradiction) > 0.5
