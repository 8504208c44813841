"""howsure conflicts --pairs: JSON Lines in and out."""

import json

import pytest

from tests.conftest import Run


def _lines(*pairs: object) -> bytes:
    return "".join(json.dumps(pair) + "\n" for pair in pairs).encode()


PAIRS = [
    {"id": 1, "first": "The cache is enabled.", "second": "The cache is disabled."},
    {"id": 2, "first": "The cache is enabled by default.", "second": "By default the cache is enabled."},
    {"id": 3, "first": "The cache is enabled.", "second": "Bananas are yellow."},
    {"id": 4, "first": "Der Dienst ist nicht da.", "second": "Der Dienst ist nicht da und die Antwort fehlt."},
]


def test_pairs_come_back_in_order_with_probabilities(howsure: Run) -> None:
    done = howsure("conflicts", "--pairs", "-", "--json", stdin=_lines(*PAIRS))
    assert (done.returncode, done.stderr) == (0, b"")
    found = [json.loads(line) for line in done.stdout.splitlines()]
    assert [{"id", "first", "second"} <= line.keys() and line["id"] for line in found] == [1, 2, 3, 4]
    for line, likeliest in zip(found, ("contradiction", "entailment", "neutral", "neutral"), strict=True):
        chances = {name: line[name] for name in ("contradiction", "entailment", "neutral")}
        assert sum(chances.values()) == pytest.approx(1.0)
        assert max(chances, key=lambda name: chances[name]) == likeliest
        assert line["reader"]
    assert "disabled" in found[0]["reason"]
    assert found[3]["reason"] == "only English can be compared"


def test_a_bad_line_is_named(howsure: Run) -> None:
    done = howsure("conflicts", "--pairs", "-", "--json", stdin=_lines(PAIRS[0], {"first": "a"}, PAIRS[1]))
    assert done.returncode == 2
    assert len(done.stdout.splitlines()) == 1
    assert b"line 2: second: it is missing" in done.stderr


def test_bad_lines_are_passed_over_if_asked_for(howsure: Run) -> None:
    stdin = _lines(PAIRS[0], {"first": "a"}) + b"no json\n" + _lines(PAIRS[1], 5, {"first": 1, "second": "b"})
    done = howsure("conflicts", "--pairs", "-", "--keep-going", "--json", stdin=stdin)
    assert done.returncode == 2
    found = [json.loads(line) for line in done.stdout.splitlines()]
    assert [line.get("id", line.get("error", {}).get("line")) for line in found] == [1, 2, 3, 2, 5, 6]
    assert b"4 of 6 lines could not be judged" in done.stderr


def test_pairs_are_shown_to_people(howsure: Run) -> None:
    done = howsure(
        "conflicts", "--pairs", "-", stdin=_lines({"first": "The tap is open.", "second": "The tap is closed.\x1b[2J"})
    )
    assert done.returncode == 0
    assert b"contradiction" in done.stdout
    assert b"\x1b" not in done.stdout


@pytest.mark.parametrize("arguments", [[], ["statements.txt", "--pairs", "-"]])
def test_either_statements_or_pairs_are_given(howsure: Run, arguments: list[str]) -> None:
    done = howsure("conflicts", *arguments)
    assert done.returncode == 2
    assert b"either a file of statements or --pairs" in done.stderr
