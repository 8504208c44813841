"""Claims printed for people."""

from tests.cli.conftest import Call, add_claim


def test_intervals_are_drawn(run: Call) -> None:
    assert "No claims fit" in run("claim", "find")
    add_claim(run, "The sky is blue")
    add_claim(run, "Nobody said this", "--tier", "project")
    shown = run("claim", "find")
    assert "━" in shown
    assert "[0.53, 0.80]" in shown
    assert "(no sources: unknown, not false)" in " ".join(shown.split())
    assert "2 claims in all" in run("claim", "reflect")


def test_explaining_shows_steps_words_and_changes(run: Call) -> None:
    claim = add_claim(run, "The sky is blue")
    shown = " ".join(run("claim", "explain", claim["id"]).split())
    assert "diversity" in shown
    assert '"The sky is blue" stands at [0.53, 0.80] by noisy_or' in shown
    assert "What would change it" in shown
    assert run("claim", "explain", claim["id"], "--formula", "beta", "--json")
