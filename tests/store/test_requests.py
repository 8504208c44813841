"""The table of requests with an idempotency key."""

from howsure.store import requests
from howsure.store.requests import StoredRequest
from howsure.sure import Sure
from tests.conftest import NOW


def test_a_request_belongs_to_its_caller_and_goes_with_time(sure: Sure) -> None:
    with sure.session.write() as transaction:
        requests.insert(transaction, "ann", "key", NOW, "add", "digest")
        requests.insert(transaction, "bob", "key", NOW + 5, "add", "other")
        requests.set_result(transaction, "ann", "key", "{}")
        assert requests.find(transaction, "ann", "key") == StoredRequest("digest", "{}")
        assert requests.find(transaction, "bob", "key") == StoredRequest("other", None)
        assert requests.find(transaction, "eve", "key") is None
        requests.delete_older(transaction, NOW + 5)
        assert requests.find(transaction, "ann", "key") is None
        requests.delete(transaction, "bob", "key")
        assert requests.find(transaction, "bob", "key") is None
