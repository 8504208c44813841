"""Read similarities from the results of any retriever."""

import math
from collections.abc import Callable, Iterable, Mapping
from numbers import Real
from typing import Any

from howsure.errors import InputError, shown
from howsure.formulas.response_case import Similarity
from howsure.shapes import Amount, decode_as

MOST_TEXTS = 1000
"""Texts of results that a response is compared with."""
_TEXTS = ("text", "page_content", "content", "document")
_NAMES = ("similarity", "score", "relevance_score")
_ROUNDING = 1e-5


def similarities(results: Iterable[Any], from_distance: Callable[[float], float] | None = None) -> tuple[float, ...]:
    """Return the similarity of each result.

    A result is a number, an object with `similarity` or `score`, a pair of a document and its score (LangChain), or a
    node with a score (LlamaIndex). `from_distance` turns a distance into a similarity; if it is given, numbers and
    pairs are taken as distances too.

    Raises:
        InputError: if a result has no similarity, or has only a distance and `from_distance` is not given.

    >>> similarities([0.9, {"similarity": 0.8, "text": "..."}, ("document", 0.7)])
    (0.9, 0.8, 0.7)
    """
    if isinstance(results, str | bytes | Mapping):
        raise InputError(
            f"{shown(results)} is neither a number nor a list of results", field="knowledge", hint="like 0.9 or [0.9]"
        )
    return tuple(
        decode_as(
            Similarity, _rounded(_similarity(result, from_distance, f"knowledge[{place}]")), f"knowledge[{place}]"
        )
        for place, result in enumerate(results)
    )


def _rounded(number: Any) -> Any:
    """Return 1 or -1 for a number that is beyond it only by rounding, as the cosine of equal float32 vectors may be."""
    size: Any = abs(number) if isinstance(number, Real) else 0.0  # not as a float: it may have hundreds of digits
    return math.copysign(1.0, number) if 1.0 < size <= 1.0 + _ROUNDING else number


def find_texts(results: Iterable[Any]) -> list[str] | None:
    """Return the texts of results that have one; None if none has.

    >>> find_texts([0.9, {"similarity": 0.8, "text": "Paris is in France."}, ("Lyon, too.", 0.7)])
    ['Paris is in France.', 'Lyon, too.']
    """
    texts = [text for result in results if (text := _text(result)) and text.strip(" .\n\t")]
    return texts[:MOST_TEXTS] or None


def _text(result: Any) -> str:
    if isinstance(result, tuple | list) and len(result) == 2:  # noqa: PLR2004 - a pair
        return result[0] if isinstance(result[0], str) else _text(result[0])
    if isinstance(result, Mapping):
        values: Iterable[Any] = (result.get(name) for name in _TEXTS)
    else:
        values = (getattr(result, name, None) for name in (*_TEXTS, "node"))
    for value in values:
        if isinstance(value, str):
            return value
        if (
            value is not None
            and not isinstance(value, int | float)
            and isinstance(text := getattr(value, "text", None), str)
        ):
            return text
    return ""


def _similarity(result: Any, from_distance: Callable[[float], float] | None, field: str) -> Any:
    if isinstance(result, Mapping):
        values = {name: result.get(name) for name in (*_NAMES, "distance")}
    elif isinstance(result, tuple | list) and len(result) == 2:  # noqa: PLR2004 - a pair
        return _converted(result[1], from_distance, field)
    elif any(hasattr(result, name) for name in ("score", "distance", "similarity")):
        values = {name: getattr(result, name, None) for name in (*_NAMES, "distance")}
    else:
        return _converted(result, from_distance, field)
    for name in _NAMES:
        if values[name] is not None:
            return values[name]
    if values["distance"] is None:
        hint = f"one of {', '.join(_NAMES)}"
        raise InputError(f"{shown(result)} has no similarity", field=field, hint=hint)
    if from_distance is None:
        hint = "pass from_distance, for cosine distances: from_distance=lambda d: 1 - d"
        raise InputError("a distance is not a similarity", field=field, hint=hint)
    return _converted(values["distance"], from_distance, field)


def _converted(number: Any, from_distance: Callable[[float], float] | None, field: str) -> Any:
    if from_distance is None:
        return number
    return from_distance(decode_as(Amount, number, field))
