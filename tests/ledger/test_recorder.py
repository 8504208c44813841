"""Recording decisions of many models."""

from howsure.sure import Sure


def test_models_that_are_made_for_one_score_each_are_not_kept_for_ever(sure: Sure) -> None:
    from howsure.ledger import recorder

    for _ in range(200):
        sure.models.record("overall", {"results": []})
    assert len(recorder._FINGERPRINTS) <= 65
