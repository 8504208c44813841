"""The order and the totals of documents in a report."""

import pytest

from howsure.documents.document import (
    Group,
    count_found,
    group_by_folder,
    group_by_milestone,
    mean_score,
    sort_by_urgency,
    tells_of_the_past,
)
from tests.documents.factory import document, report


def test_documents_are_sorted_by_limit_then_action_then_score() -> None:
    documents = [
        document("fine.md", score=0.9),
        document("review.md", score=0.8, action="review"),
        document("better.md", score=0.7, action="refresh_or_remove"),
        document("worse.md", score=0.6, action="refresh_or_remove"),
        document("below.md", score=0.4),
        document("unknown.md", score=None, action="unknown"),
    ]
    paths = [one.path.removesuffix(".md") for one in sort_by_urgency(documents, 0.5)]
    assert paths == ["unknown", "below", "worse", "better", "review", "fine"]
    assert sort_by_urgency(documents, None)[0].path == "worse.md"


def test_a_score_at_the_limit_is_not_below_it() -> None:
    documents = (document("a.md", score=0.1 + 0.2), document("b.md", score=0.29), document("c.md", score=None))
    assert [one.path for one in report(*documents, fail_under=0.3).below] == ["b.md", "c.md"]
    assert report(*documents).below == ()


def test_groups_count_unknown_scores_apart_from_due_documents() -> None:
    documents = [
        document("docs/a.md", score=0.4, action="review"),
        document("docs/b.md", score=None, action="unknown"),
        document("c.md", score=0.8, milestone="M3"),
        document("_data/d.csv", score=0.2, kind="data"),
    ]
    assert group_by_folder(documents) == (
        Group(".", 1, 0.8, 0, 0),
        Group("_data", 1, 0.2, 0, 0),
        Group("docs", 2, 0.4, 1, 1),
    )
    assert [(group.name, group.documents) for group in group_by_milestone(documents)] == [("M2", 2), ("M3", 1)]
    assert mean_score([documents[1]]) is None


def test_pages_about_changed_code_come_before_those_that_are_merely_old() -> None:
    documents = [
        document("old.md", action="refresh_or_remove"),
        document("drifted.md", action="refresh_or_remove", drift=2.5),
        document("contents.md", action="refresh_or_remove", drift=9.0, brief=True),
        document("AUTHORS.rst", action="refresh_or_remove"),
        document("fresh.md", drift=9.0),
        document("broken.md", problems=("1 link leads nowhere: x.md",)),
        document("review.md", action="review", drift=9.0),
        document("hinted.md", hints=("Cart has gained pack",), hint_weight=1.0),
    ]
    paths = [one.path for one in sort_by_urgency(documents, None)]
    expected = ["broken.md", "hinted.md", "review.md", "drifted.md", "old.md", "fresh.md", "contents.md", "AUTHORS.rst"]
    assert paths == expected


@pytest.mark.parametrize(
    ("path", "past"),
    [
        ("sep/sep-011.rst", True),
        ("text/0042-notes.md", True),
        ("_posts/welcome.md", True),
        ("news/2024-05-01-release.md", True),
        ("docs/upgrade_guide.md", True),
        ("docs/whats-new.md", True),
        ("CONTRIBUTORS.md", True),
        ("CONTRIBUTING.md", False),
        ("docs/releasenotes/10.2.0.rst", True),
        ("docs/whatsnew/index.md", True),
        ("docs/v2.1.md", True),
        ("BFG_HISTORY.rst", True),
        ("docs/http2.md", False),
        ("docs/404.md", True),
        ("docs/rfc3339.md", False),
        ("docs/changing.md", False),
    ],
)
def test_proposals_posts_and_lists_of_people_tell_of_the_past(path: str, past: bool) -> None:
    assert tells_of_the_past(path) is past


def test_missing_metadata_come_first_unless_a_tree_knows_none() -> None:
    bare = [document(f"_data/{n}.yml", kind="data", problems=("no data_metadata",)) for n in range(5)]
    page, complete = document("page.md", action="review"), document("_data/b.yml", kind="data")
    assert sort_by_urgency([*bare, page], None)[0] == page
    assert sort_by_urgency([*bare, page, complete], None)[0] == bare[0]
    assert sort_by_urgency([*bare[:4], page], None)[0] == bare[0]


def test_a_line_divides_documents_with_a_reason_from_the_others() -> None:
    reasons = [
        document("README.md", problems=("1 link leads nowhere: x.md",), weight=2.0),
        document("many.md", problems=("names 9 files that do not exist: ...",), weight=3.0),
        document("wrong.md", problems=("1 link leads nowhere: x.md",), weight=2.0),
        document("gap.rst", gaps=("leaves out a parameter: pay(tip)",), weight=1.0),
        document("_data/old.yml", kind="data", action="review", age_from="validated"),
    ]
    others = [
        document("hinted.md", hints=("Cart has gained pack",), hint_weight=5.0),
        document("old.md", action="refresh_or_remove", months=99.0),
    ]
    ranked = sort_by_urgency([*others, *reversed(reasons)], None)
    assert [one.path for one in ranked] == [
        "many.md",
        "README.md",
        "wrong.md",
        "gap.rst",
        "_data/old.yml",
        *(one.path for one in others),
    ]
    assert (count_found(ranked, None), count_found(others, None), count_found(others, 0.7)) == (5, 0, 2)
