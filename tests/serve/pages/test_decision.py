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


def test_a_grounded_response_is_shown_sentence_by_sentence(site: Site) -> None:
    body = {
        "text": "The gateway & proxy listen on port 9443. TLS 1.3 is required.",
        "context": ["The gateway & proxy listen on port 8443. TLS 1.3 is required."],
        "agent": "reader",
    }
    id_ = site.client.post("/v1/responses/check", json=body).json()["id"]
    page = site.client.get(f"/decisions/{id_}").text
    assert "2 sentences: 1 contradicted, 1 supported." in page
    items = re.findall(r'<li class="(\w+)">(.*?)</li>', page, re.DOTALL)
    assert [kind for kind, _ in items if kind in {"supported", "contradicted"}] == ["contradicted", "supported"]
    assert "The gateway &amp; proxy listen on port 9443." in items[0][1]
    assert "The gateway &amp; proxy listen on port 8443." in items[0][1]
    assert "Compared with its context" not in site.client.get(f"/decisions/{site.ids['blocked']}").text


def test_a_response_that_shadow_mode_let_through_says_so(site: Site) -> None:
    body = {"text": "It is so.", "agent": "trial", "knowledge": 0.1}
    for shadow in (True, False):
        id_ = site.client.post("/v1/responses/check", json=body | {"shadow": shadow}).json()["id"]
        for path in (f"/decisions/{id_}", "/agents/one?agent=trial" if shadow else f"/decisions/{id_}"):
            assert ("shadow: let through" in site.client.get(path).text) is shadow
