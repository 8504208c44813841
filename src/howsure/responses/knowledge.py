"""Knowledge: similarities out of whatever a retriever returned."""

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from howsure.errors import InputError, shown
from howsure.formulas.response import Similarity
from howsure.shapes import Amount, decode_as

_NAMES = ("similarity", "score", "relevance_score")


def similarities(retrieved: Iterable[Any], from_distance: Callable[[float], float] | None = None) -> tuple[float, ...]:
    """Return the similarity of each thing that was retrieved.

    Numbers, objects with `similarity` or `score`, pairs of a document and its score (LangChain), and nodes with a score
    (LlamaIndex) are understood. A distance is not a similarity: say by `from_distance` how one becomes the other; then
    numbers and pairs, which do not say which they are, are taken as distances, too.

    >>> similarities([0.9, {"similarity": 0.8, "text": "..."}, ("document", 0.7)])
    (0.9, 0.8, 0.7)
    """
    if isinstance(retrieved, str | bytes | Mapping):
        raise InputError(f"{shown(retrieved)} is no list of results", field="retrieved", hint="a list, even of one")
    return tuple(
        decode_as(Similarity, _similarity(one, from_distance, f"retrieved[{place}]"), f"retrieved[{place}]")
        for place, one in enumerate(retrieved)
    )


def _similarity(one: Any, from_distance: Callable[[float], float] | None, field: str) -> Any:
    if isinstance(one, Mapping):
        found = {name: one[name] for name in (*_NAMES, "distance") if one.get(name) is not None}
    elif isinstance(one, tuple | list) and len(one) == 2:  # noqa: PLR2004 - a pair
        return _converted(one[1], from_distance, field)
    elif hasattr(one, "score") or hasattr(one, "distance") or hasattr(one, "similarity"):
        values = {name: getattr(one, name, None) for name in (*_NAMES, "distance")}
        found = {name: value for name, value in values.items() if value is not None}
    else:
        return _converted(one, from_distance, field)
    for name in _NAMES:
        if name in found:
            return found[name]
    if "distance" not in found:
        hint = f"one of {', '.join(_NAMES)}"
        raise InputError(f"{shown(one)} has no similarity", field=field, hint=hint)
    if from_distance is None:
        hint = "say how: from_distance=lambda d: 1 - d, for cosine distances"
        raise InputError("a distance is not a similarity", field=field, hint=hint)
    return _converted(found["distance"], from_distance, field)


def _converted(number: Any, from_distance: Callable[[float], float] | None, field: str) -> Any:
    if from_distance is None:
        return number
    return from_distance(decode_as(Amount, number, field))
