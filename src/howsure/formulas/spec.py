"""The spec of a model: its name, version and parameters, enough to compute a score again."""

from typing import Any, NamedTuple

from howsure.files import sha256


class ModelSpec(NamedTuple):
    """The name, version and parameters of a model.

    >>> ModelSpec("noisy_or", 1, {"boost_factor": 0.1}).fingerprint
    'fa6a5fee1d643a90'
    """

    name: str
    version: int
    parameters: dict[str, Any]

    @property
    def fingerprint(self) -> str:
        """Sixteen hex digits, different for every name, version and set of parameters."""
        import json

        text = json.dumps(self._asdict(), sort_keys=True, separators=(",", ":"), allow_nan=False)
        return sha256(text.encode()).hexdigest()[:16]
