"""Rate limits by caller."""

import pytest

from howsure.serve.errors import RateLimitError
from howsure.serve.limits import MAX_BUCKETS, SLOW_COST, RateLimits
from howsure.serve.operations import operation
from howsure.serve.tokens import Tokens
from howsure.sure import Sure
from tests.serve.serving import serving


def test_too_many_requests_are_refused(store: Sure) -> None:
    tokens = Tokens(store.session)
    one, other = (tokens.create(name)[1] for name in ("one", "other"))
    with serving(store, tokens=True, rate=2.0) as client:
        answers = [client.get("/v1/claims", headers={"Authorization": f"Bearer {one}"}) for _ in range(12)]
        late = [answer for answer in answers if answer.status_code == 429]
        assert late
        assert late[0].json()["error"]["code"] == "too_many"
        assert int(late[0].headers["retry-after"]) >= 1
        assert client.get("/v1/ledger", headers={"Authorization": f"Bearer {one}"}).status_code == 200
        assert client.get("/v1/claims", headers={"Authorization": f"Bearer {other}"}).status_code == 200
    with serving(store, rate=0.001) as client:
        assert {client.get("/v1/claims").status_code for _ in range(5)} == {200}, "the owner is not limited"


def test_limits_fill_up_again_and_slow_operations_count_for_more() -> None:
    now = 0.0
    limits = RateLimits(10.0, clock=lambda: now)
    quick, slow = operation("claims.get"), operation("claims.export")
    for _ in range(20):
        limits.count_operation("a", quick)
    with pytest.raises(RateLimitError) as caught:
        limits.count_operation("a", quick)
    assert caught.value.wait == pytest.approx(0.1)
    limits.count_operation("b", quick)
    now = 0.1
    limits.count_operation("a", quick)
    now = 100.0
    limits.count_operation("a", slow)
    with pytest.raises(RateLimitError) as caught:
        limits.count_operation("a", slow)
    assert caught.value.wait == pytest.approx(SLOW_COST / 10)
    RateLimits(None).count_operation("a", slow)
    for number in range(MAX_BUCKETS + 10):
        limits.count_operation(str(number), quick)
    assert len(limits._buckets) <= MAX_BUCKETS
