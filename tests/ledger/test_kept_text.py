"""What is stored of a judged text."""

from howsure.ledger.kept_text import keep


def test_half_a_secret_at_the_edge_is_not_kept() -> None:
    for size in range(19_960, 20_001):
        assert "BBBB" not in (keep("sk-" + "a" * size + " sk-" + "B" * 40, "start").content or "")
