"""The formulas under which claims were added: stale dates and first intervals of claims were computed with them."""

import json
import logging
from typing import Any

from howsure.formulas.spec import ModelSpec
from howsure.store.backends.database import LOGGER, Transaction


def note(transaction: Transaction, spec: ModelSpec, at: float) -> bool:
    """Make a formula the last one that claims were added under; return whether it was already, and nothing changed."""
    content = _to_json(spec)
    if _last(transaction) == content:
        return True
    transaction.run("DELETE FROM claim_formulas WHERE content = ?", [content])
    transaction.run("INSERT INTO claim_formulas (at, content) VALUES (?, ?)", [at, content])
    return False


def last_used(transaction: Transaction) -> ModelSpec | None:
    """Return the formula that claims were last added under; None if none was added."""
    content = _last(transaction)
    return None if content is None else ModelSpec(**json.loads(content))


def warn_of_another(transaction: Transaction, spec: ModelSpec) -> bool:
    """Log a warning if claims were last added under another formula or with other parameters; return whether they were.

    Nothing is refused: intervals are computed when claims are read, so every formula can read every claim.
    """
    last = last_used(transaction)
    if last is None or last == ModelSpec(**json.loads(_to_json(spec))):
        return False
    logging.getLogger(LOGGER).warning(
        "claims of this store were added under %s, and are read under %s now; howsure.toml can keep the first: %s",
        _describe(last, spec),
        _describe(spec, last),
        f'formula = "{last.name}" and [models.{last.name}]',
    )
    return True


def _to_json(spec: ModelSpec) -> str:
    """Return a spec as it is stored."""
    return json.dumps(spec._asdict(), sort_keys=True)


def _last(transaction: Transaction) -> str | None:
    content = transaction.value("SELECT content FROM claim_formulas ORDER BY key DESC LIMIT 1")
    return None if content is None else str(content)


def _describe(spec: ModelSpec, other: ModelSpec) -> str:
    """Return the name of a formula, and the parameters that differ from those of another one of the same name."""
    if spec.name != other.name:
        return spec.name
    changed: list[str] = [
        f"{name} {_shown(value)}" for name, value in spec.parameters.items() if other.parameters.get(name) != value
    ]
    return f"{spec.name} ({', '.join(changed) or f'version {spec.version}'})"


def _shown(value: Any) -> str:
    return f"{value:g}" if isinstance(value, float) else json.dumps(value)
