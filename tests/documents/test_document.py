"""The order and the totals of documents in a report."""

from howsure.documents.document import Group, group_by_folder, group_by_milestone, mean_score, sort_by_urgency
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
