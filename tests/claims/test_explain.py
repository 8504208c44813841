"""An explanation gives the interval that reading the claim gives."""

from dataclasses import replace

import pytest

from howsure.claims.explain import explain
from howsure.sure import Sure
from tests.conftest import Clock


def test_explaining_and_reading_a_derived_claim_agree(sure: Sure) -> None:
    ground = sure.claims.add("ground", source="u:a", contribution=0.8).id or ""
    derived = sure.claims.derive("derived", [ground], confidence=0.9, by="bob").id or ""
    sure.claims.add("derived", source="u:ann", contribution=0.8)
    for round_ in range(2):
        found = sure.claims.explain(derived)
        assert found.derived is not None
        assert (found.derived["lower"], found.derived["upper"]) == pytest.approx(sure.claims.get(derived).interval)
        assert not any("another independent source" in change.what for change in found.changes)
        assert "It was derived from 1 claim:" in found.words
        assert all(change.upper <= 0.8 + 1e-9 for change in found.changes)
        if round_ == 0:
            sure.claims.invalidate_source("inference", "bob")


def test_all_neighbours_count_if_only_some_are_listed(sure: Sure) -> None:
    hub = sure.claims.add("hub", source="u:a", contribution=0.8).id
    for number in range(7):
        near = sure.claims.add(f"near {number}", source="u:b", contribution=0.6).id
        sure.claims.relate(near, "supports" if number % 2 else "contradicts", hub, strength=0.1 * number)
    options = sure.session.read_options()
    whole, part = (explain(sure.session, hub, options, listed) for listed in (slice(None), slice(2, 5)))
    assert len(whole.neighbours) == 7
    assert repr(whole).count("Source(") == repr(whole.sources).count("Source(")
    assert part.neighbours == whole.neighbours[2:5]
    assert part == replace(whole, neighbours=part.neighbours)
    assert part.claim == sure.claims.get(hub, now=options.now)
    assert [len(part.evidence.supported_by), len(part.evidence.contradicted_by)] == [3, 4]


@pytest.mark.parametrize("formula", ["noisy_or", "subjective_logic", "dempster_shafer", "beta"])
def test_the_words_are_by_one_formula(sure: Sure, formula: str) -> None:
    alone = sure.claims.get(sure.claims.add("alone", source="u:a", contribution=0.8).id, formula=formula).interval
    claim = sure.claims.add("both", source="u:a", contribution=0.8).id
    sure.claims.add("both", source="log:b", contribution=0.9)
    assert f"By its first source alone it started at {alone}." in sure.claims.explain(claim, formula=formula).words


def test_a_constituent_that_does_not_count_is_named(sure: Sure, clock: Clock) -> None:
    held, refuted, over = (
        sure.claims.add(name, source="u:a", valid_until=until).id
        for name, until in (("held", None), ("refuted", None), ("over", clock.now + 1))
    )
    derived = sure.claims.derive("derived", [held, refuted, over]).id
    assert "counts as" not in sure.claims.explain(derived).words
    clock.now += 2
    sure.claims.refute(refuted, source="u:b")
    words = sure.claims.explain(derived).words
    assert f'{refuted}, "refuted", is deprecated, so it counts as [0, 0].' in words
    assert f'{over}, "over", is outside its validity window, so it counts as [0, 0].' in words
    assert words.count("counts as") == 2
