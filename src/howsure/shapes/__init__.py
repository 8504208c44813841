"""Types as data: read, write and describe values by their annotations.

`node` is the one walker of types; `decode`, `encode`, `schema` and `samples` work on what it returns.
"""

from howsure.shapes.decode import decode, decode_as, decoder, field_decoders
from howsure.shapes.types import (
    DAY,
    HOUR,
    LAST_MOMENT,
    Alias,
    Amount,
    Count,
    Doc,
    Inline,
    Local,
    Moment,
    Now,
    Unchecked,
    Unit,
    Wire,
    Within,
)

__all__ = [
    "DAY",
    "HOUR",
    "LAST_MOMENT",
    "Alias",
    "Amount",
    "Count",
    "Doc",
    "Inline",
    "Local",
    "Moment",
    "Now",
    "Unchecked",
    "Unit",
    "Wire",
    "Within",
    "decode",
    "decode_as",
    "decoder",
    "field_decoders",
]
