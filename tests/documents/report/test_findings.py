"""Which documents a report names, by which rule, and which groups come first."""

from howsure.documents.document import Group
from howsure.documents.report.findings import BELOW_LIMIT, DUE_RULES, PROBLEM, find_issues, most_urgent_groups
from tests.documents.factory import document, report


def test_each_document_has_its_most_serious_rule() -> None:
    low = document("low.md", score=0.2, action="review", problems=("a link leads nowhere",))
    old = document("old.md", score=0.9, action="human_validation", problems=("a link leads nowhere",))
    odd = document("odd.md", score=0.9, problems=("a link leads nowhere",))
    late = document("late.md", score=0.9, action="human_validation")
    good = document("good.md", score=0.9)
    issues = find_issues(report(low, old, odd, late, good, fail_under=0.5))
    assert issues == [(low, BELOW_LIMIT), (old, PROBLEM), (odd, PROBLEM), (late, DUE_RULES["human_validation"])]


def test_without_a_limit_a_low_score_is_not_an_issue() -> None:
    assert find_issues(report(document("low.md", score=0.1))) == []


def test_the_groups_with_most_due_documents_stay_in_their_order() -> None:
    groups = [Group("a", 3, 0.9, 0, 1), Group("b", 3, 0.2, 0, 0), Group("c", 3, 0.5, 0, 2), Group("d", 3, 0.4, 0, 1)]
    assert [group.name for group in most_urgent_groups(groups, 2)] == ["c", "d"]
    assert [group.name for group in most_urgent_groups(groups, 3)] == ["a", "c", "d"]
    assert most_urgent_groups(groups, 0) == []
