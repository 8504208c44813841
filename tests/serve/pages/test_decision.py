"""The page of one decision."""

import re

import pytest

from tests.serve.pages.conftest import Site


def test_the_page_of_a_decision_shows_all_its_fields(site: Site) -> None:
    page = site.client.get(f"/decisions/{site.ids['blocked']}").text
    why = site.client.get(f"/v1/ledger/{site.ids['blocked']}/explain").json()
    for factor in why["factors"]:
        assert factor["why"] in page
    assert "exists: yes, syntax valid: yes, types valid: not checked, tests exist: no" in page
    for part in (
        why["decision"]["content"],
        why["decision"]["digest"],
        why["decision"]["id"],
        "only with three workers",
    ):
        assert part in page
    assert page.index("only with three workers") < page.index("the race is there"), "the latest first"
    assert "Only a part of it was kept" in page
    adds = [float(one) for one in re.findall(r'data-label="Adds">\+([\d.]+)<', page)]
    assert sum(adds) == pytest.approx(why["decision"]["score"], abs=0.02)
    missing = site.client.get("/decisions/a0")
    assert (missing.status_code, "there is no decision" in missing.text) == (404, True)
