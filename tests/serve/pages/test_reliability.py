"""Reliability: the same numbers as the statistics, for all or for some."""

import re
from urllib.parse import urlencode

import pytest

from tests.serve.pages.conftest import Site

START = 1_792_195_200
"""The beginning of a day ninety days ago, as far as the page looks back by itself."""


@pytest.mark.parametrize(
    "wanted",
    [{}, {"agent": "patcher"}, {"agent_type": "planner"}, {"project": "shop"}],
    ids=["all", "agent", "type", "project"],
)
def test_the_numbers_are_those_of_the_statistics(site: Site, wanted: dict[str, str]) -> None:
    page = site.client.get(f"/reliability?{urlencode(wanted)}").text
    known = site.client.get(f"/v1/statistics?{urlencode(wanted | {'since': START})}").json()["calibration"]
    numbers = re.findall(r"<li><b>([^<]+)</b>", page.partition('<ul class="numbers')[2].partition("</ul>")[0])
    assert numbers[0] == str(known["outcomes"])
    assert numbers[2:] == [f"{known['expected_error']:.3f}", f"{known['brier']:.3f}"]
    assert 'data-chart="reliability"' in page
    assert '<a href="/reliability" aria-current="page">' in page


def test_without_outcomes_the_page_says_how_to_record_them(site: Site) -> None:
    page = site.client.get("/reliability?agent=never-seen").text
    assert "No outcomes match" in page
    assert "howsure outcome ID right" in page
    assert "data-chart" not in page


def test_addresses_leave_out_default_values(site: Site) -> None:
    answer = site.client.get("/reliability?agent=patcher&agent_type=&project=&since=")
    assert answer.headers["location"] == "/reliability?agent=patcher"
    everybody = site.client.get("/reliability?agent=&agent_type=&project=&since=1799000000")
    assert everybody.headers["location"] == "/reliability?since=1799000000"
    assert "Since 3 Jan 2027" in site.client.get("/reliability?since=1799000000").text
