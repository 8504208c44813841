"""What is stored of a judged text."""

from howsure.ledger.kept_text import keep


def test_half_a_secret_at_the_edge_is_not_kept() -> None:
    for size in range(19_960, 20_001):
        for blank in " ,":
            assert "BBBB" not in (keep(f"sk-{'a' * size}{blank}sk-{'B' * 40}", "start").content or "")


def test_half_a_secret_is_not_kept_of_a_text_without_blanks() -> None:
    text = '{"a":"' + "x" * 155 + '","store":"postgres://ann:hunter2-hunter2@db"' + ',"n":1' * 4000 + "}"
    kept = keep(text, "start").content or ""
    assert "://[redacted]" in kept
    assert "hunter2" not in kept
