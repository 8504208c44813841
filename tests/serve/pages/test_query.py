"""The query of a page: filters, errors beside their fields, and short addresses."""

import pytest

from tests.serve.pages.conftest import Site


@pytest.mark.parametrize(
    ("query", "field", "words"),
    [
        ("min_lower=2", "min_lower", "2 is not between 0 and 1"),
        ("max_width=wide", "max_width", "not a number"),
        ("tiers=tsk", "tiers", "did you mean task?"),
        ("formula=noisyor", "formula", "did you mean noisy_or?"),
        ("order=luck", "order", "not one of"),
        ("limit=0", "limit", "not between 1 and 1000"),
        ("namespace=a/*/x", "namespace", "invalid namespace pattern"),
        ("wide=perhaps", "wide", "neither true nor false"),
    ],
)
def test_errors_are_shown_at_their_field(site: Site, query: str, field: str, words: str) -> None:
    answer = site.client.get(f"/claims?{query}")
    assert answer.status_code == 400
    place = answer.text.partition(f'id="wrong-{field}">')[2].partition("</span>")[0]
    assert words in place.replace("&#39;", "'")
    part = site.client.get(f"/claims?{query}", headers={"HX-Request": "true"})
    assert f'id="wrong-{field}" hx-swap-oob="true">' in part.text
    assert part.headers["hx-push-url"] == "false"


def test_errors_without_a_field_are_shown_at_the_top(site: Site) -> None:
    wrong = (("nonsense=1", "unknown field"), ("cursor=x", "invalid cursor"))
    for query, words in wrong:
        answer = site.client.get(f"/claims?{query}")
        assert answer.status_code == 400, query
        assert words in answer.text


def test_addresses_leave_out_default_values(site: Site) -> None:
    query = "text=cache&namespace=&min_lower=&statuses=active&statuses=challenged&order=lower&formula=&limit="
    answer = site.client.get(f"/claims?{query}")
    assert (answer.status_code, answer.headers["location"]) == (303, "/claims?text=cache")
    part = site.client.get(f"/claims?{query}", headers={"HX-Request": "true"})
    assert (part.status_code, part.headers["hx-push-url"]) == (200, "/claims?text=cache")
    assert "<html" not in part.text
