"""The table of peers."""

from dataclasses import replace

from howsure.store import peers
from howsure.store.peers import Peer
from howsure.sure import Sure
from tests.conftest import NOW


def test_a_failure_does_not_erase_when_a_peer_last_answered(sure: Sure) -> None:
    one, other = (Peer(name, f"https://{name}/", 0.5, "", 2.0, NOW, None, None, "") for name in ("one", "other"))
    with sure.session.write() as transaction:
        peers.insert(transaction, other)
        peers.insert(transaction, one)
        assert peers.all_peers(transaction) == [one, other]
        peers.note_result(transaction, "one", NOW + 1, "")
        peers.note_result(transaction, "one", NOW + 2, "timeout")
        answered = replace(one, seen_at=NOW + 1, failed_at=NOW + 2, failure="timeout")
        assert peers.all_peers(transaction) == [answered, other]
        peers.delete(transaction, "one")
        assert peers.all_peers(transaction) == [other]
