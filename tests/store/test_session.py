"""A session: when claims were read is stored with the next write, and options of a query are checked."""

import math

import pytest

from howsure.errors import InputError
from howsure.settings import Settings
from howsure.store.claim_tables.claims import key_of
from howsure.store.session import claim_formula
from howsure.sure import Sure
from howsure.sure import open as open_store
from tests.conftest import NOW, Clock


def _accessed_at(sure: Sure, key: int) -> float:
    with sure.session.database.read() as transaction:
        return float(transaction.value("SELECT accessed_at FROM claims WHERE key = ?", [key]))


def test_when_a_claim_was_read_is_stored_with_the_next_write(sure: Sure, clock: Clock) -> None:
    claim = str(sure.claims.add("It rains").id)
    with sure.session.database.read() as transaction:
        key = key_of(transaction, claim)
    clock.now += 100
    sure.claims.get(claim)
    assert (_accessed_at(sure, key), sure.session.last_read(key)) == (NOW, NOW + 100)
    with sure.session.write():
        pass
    assert (_accessed_at(sure, key), sure.session.last_read(key)) == (NOW + 100, -math.inf)


def test_closing_stores_what_was_read(address: str, clock: Clock) -> None:
    with open_store(address, clock=clock) as sure:
        claim = str(sure.claims.add("It rains").id)
        clock.now += 100
        sure.claims.get(claim)
    with open_store(address, clock=clock) as sure, sure.session.database.read() as transaction:
        assert transaction.value("SELECT accessed_at FROM claims") == NOW + 100


def test_a_query_about_the_past_ages_evidence_until_then_unless_it_says_otherwise(sure: Sure) -> None:
    assert sure.session.read_options().now == NOW
    past = sure.session.read_options(as_of=NOW - 50)
    assert (past.now, past.as_of) == (NOW - 50, NOW - 50)
    both = sure.session.read_options(now=NOW + 7, as_of=NOW - 50, formula="beta", trust=0.5)
    assert (both.now, both.as_of, both.trust, both.formula.name) == (NOW + 7, NOW - 50, 0.5, "beta")


@pytest.mark.parametrize("options", [{"now": math.nan}, {"as_of": 1e13}, {"trust": 1.5}, {"formula": "response"}])
def test_invalid_options_are_refused(sure: Sure, options: dict[str, float]) -> None:
    (name,) = options
    with pytest.raises(InputError) as refused:
        sure.session.read_options(**options)  # type: ignore[arg-type]
    assert refused.value.field == name


def test_a_formula_has_the_parameters_of_the_settings() -> None:
    settings = Settings({"HOWSURE_MODELS_NOISY_OR_DIVERSITY_TYPES": "2"}, ())
    assert claim_formula("noisy_or", settings) != claim_formula("noisy_or")
    with pytest.raises(InputError, match="overall is not a claim formula"):
        claim_formula("overall")
