"""The table of source weights: what was learned about sources, and the claims that rest on it."""

from typing import NamedTuple

from howsure.formulas.claim import SourceWeight
from howsure.store.database import Transaction

RIGHT = ("verified", "upheld")
WRONG = ("refuted", "given up")
"""Events that say whether a claim is right: somebody checked it, or resolved a challenge. The last one counts."""


class WeightRow(NamedTuple):
    """What was learned about a source."""

    source_type: str
    source_id: str
    weight: float
    """Log-odds that it adds to a claim."""
    variance: float
    """Variance of the weight."""
    copy_group: str
    """Sources with the same name here copy from each other; empty if it copies from none."""
    rights: float
    """Expected number of right claims, prior included."""
    wrongs: float
    """Expected number of wrong claims, prior included."""


_COLUMNS = ", ".join(WeightRow._fields)
_HELD = "('active', 'challenged')"


def weights_of(transaction: Transaction, claim: int) -> list[SourceWeight]:
    """Return what was learned about the sources of a claim, in order."""
    query = (
        "SELECT DISTINCT w.source_type, w.source_id, w.weight, w.variance, w.copy_group FROM sources s "
        "JOIN source_weights w ON w.source_type = s.source_type AND w.source_id = s.source_id WHERE s.claim = ? "
        "ORDER BY w.source_type, w.source_id"
    )
    return [SourceWeight(*row) for row in transaction.rows(query, [claim])]
