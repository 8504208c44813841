"""The fit of a combination of readers: its weights, how they are learned, and the file that holds them."""

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from typing import Any, Literal, NamedTuple

from howsure.errors import InputError, MissingExtraError, shown
from howsure.files import atomic_write
from howsure.reader.guarded_call import ReaderError
from howsure.reader.lexical import FEATURES, compare_words
from howsure.reader.pair import PairProbabilities, Reader, TextPair, read_pairs

PairLabel = Literal["entailment", "neutral", "contradiction", "compatible"]
"""What a labelled pair is; "compatible" says only that the texts do not contradict each other."""

SHIPPED = "combination.json"
_OF_READERS = ("contradiction", "entailment", "found", "contradiction found")
_LABELS = ("entailment", "neutral", "contradiction", "compatible")
_CLIP = 7.0
"""Logits are cut there: beyond it, models are no more often right."""
_RIDGE = 1.0
_STEPS = 30
_FEWEST = 50


class LabelledPair(NamedTuple):
    """A pair of texts and what it is."""

    first: str
    second: str
    label: PairLabel
    weight: float = 1.0


@dataclass(frozen=True)
class CombinationFit:
    """Two logistic functions: of a contradiction, and of entailment if there is none."""

    readers: tuple[str, ...]
    """Names of the readers, in order."""
    contradiction: Mapping[str, float]
    """Weights by feature; "" is the intercept."""
    entailment: Mapping[str, float]
    version: str
    """Version of the fit."""
    pairs: int = 0
    """Labelled pairs that it was learned on."""

    def combine(self, pair: TextPair, results: Sequence[PairProbabilities]) -> tuple[float, float, float]:
        """Return the probabilities of contradiction, entailment and neutral."""
        row = features_of(pair, self.readers, results)
        contradiction = _logistic(_sum(self.contradiction, row))
        entailment = (1 - contradiction) * _logistic(_sum(self.entailment, row))
        return contradiction, entailment, max(1 - contradiction - entailment, 0.0)

    def save(self, path: str | Path) -> None:
        """Write the fit to a file."""
        data = {
            "readers": list(self.readers),
            "version": self.version,
            "pairs": self.pairs,
            "contradiction": {name: round(value, 6) + 0.0 for name, value in self.contradiction.items()},
            "entailment": {name: round(value, 6) + 0.0 for name, value in self.entailment.items()},
        }
        with atomic_write(Path(path)) as part:
            part.write_text(json.dumps(data, indent=1) + "\n", encoding="utf-8")


def load_fit(path: str | Path | None = None) -> CombinationFit:
    """Return the fit in a file; without a path the one that howsure comes with.

    Raises:
        ReaderError: if the file does not exist or does not hold a fit.
    """
    place = Path(path) if path is not None else Path(str(files("howsure.reader").joinpath(SHIPPED)))
    try:
        data = json.loads(place.read_text(encoding="utf-8"))
        readers = tuple(str(name) for name in data["readers"])
        weights = [
            {str(key): float(value) for key, value in data[name].items()} for name in ("contradiction", "entailment")
        ]
        known = {"", *feature_names(readers)}
        for one in weights:
            if not set(one) <= known or not all(map(math.isfinite, one.values())):
                raise ValueError(f"unknown features {sorted(set(one) - known)}")  # noqa: TRY301
        return CombinationFit(readers, weights[0], weights[1], str(data["version"]), int(data["pairs"]))
    except FileNotFoundError:
        raise ReaderError(f"there is no file {place}", hint="learn a combination and save it there") from None
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        message = f"{place} does not hold the fit of a combination: {type(error).__name__}: {error}"
        raise ReaderError(message, hint="learn it again") from None


def feature_names(readers: Sequence[str]) -> list[str]:
    """Return the names of the features for these readers."""
    names = []
    for reader in readers:
        names += [f"{reader}.{name}" for name in _OF_READERS]
    return names + list(FEATURES)


def features_of(pair: TextPair, readers: Sequence[str], results: Sequence[PairProbabilities]) -> dict[str, float]:
    """Return the features of a pair: the logits of each reader, and what the words have in common."""
    words = compare_words(pair)
    row: dict[str, float] = {"": 1.0}
    for reader, result in zip(readers, results, strict=True):
        logit = _logit(result.contradiction)
        row[f"{reader}.contradiction"] = logit
        row[f"{reader}.entailment"] = _logit(result.entailment)
        found = bool(result.reason and result.contradiction)
        row[f"{reader}.found"] = float(found)
        # Rules know much if they found something, and little otherwise.
        row[f"{reader}.contradiction found"] = logit if found else 0.0
    return row | dict(zip(FEATURES, words, strict=True))


def learn_combination(
    readers: Sequence[Reader], pairs: Sequence[LabelledPair], *, version: str = "own"
) -> CombinationFit:
    """Learn how to combine readers from labelled pairs, by ridge logistic regression.

    Args:
        readers: The readers, in the order in which they are combined.
        pairs: At least 50 labelled pairs, some of them contradictions and some not.
        version: Name of this fit, which is put into every result.

    Raises:
        InputError: if there are too few pairs, or a label is unknown.
        ReaderError: if a reader fails.
    """
    for number, pair in enumerate(pairs):
        if pair.label not in _LABELS:
            hint = f"one of {', '.join(_LABELS)}"
            raise InputError(f"unknown label {shown(pair.label)}", field=f"pairs[{number}].label", hint=hint)
    clashing = sum(pair.label == "contradiction" for pair in pairs)
    if len(pairs) < _FEWEST or not 0 < clashing < len(pairs):
        raise InputError(
            f"{len(pairs)} pairs with {clashing} contradictions are too few to learn from",
            field="pairs",
            hint=f"at least {_FEWEST} labelled pairs, with and without contradictions",
        )
    texts = [TextPair(pair.first, pair.second) for pair in pairs]
    columns = [read_pairs(reader, texts) for reader in readers]
    names = tuple(reader.name for reader in readers)
    rows = [features_of(text, names, results) for text, *results in zip(texts, *columns, strict=True)]
    return fit_rows(names, rows, [pair.label for pair in pairs], [pair.weight for pair in pairs], version=version)


def fit_rows(
    readers: Sequence[str],
    rows: Sequence[Mapping[str, float]],
    labels: Sequence[PairLabel],
    weights: Sequence[float],
    *,
    version: str,
    ridges: Mapping[str, float] | None = None,
    entailment_ridges: Mapping[str, float] | None = None,
) -> CombinationFit:
    """Learn from features that were computed before, with other ridges for some features of the two functions."""
    # What the words have in common decides little about contradictions by itself, and differs from one kind of text to
    # another: without it, AUROC on texts of an unknown kind (SICK) rises from 0.894 to 0.901.
    plain = [{name: value for name, value in row.items() if name not in FEATURES} for row in rows]
    against = [1.0 if label == "contradiction" else 0.0 for label in labels]
    known = [place for place, label in enumerate(labels) if label in {"entailment", "neutral"}]
    fits = (
        _regress(plain, against, weights, ridges or {}),
        _regress(
            [rows[place] for place in known],
            [1.0 if labels[place] == "entailment" else 0.0 for place in known],
            [weights[place] for place in known],
            entailment_ridges or {},
        ),
    )
    return CombinationFit(tuple(readers), fits[0], fits[1], version, len(rows))


def _regress(
    rows: Sequence[Mapping[str, float]],
    truth: Sequence[float],
    weights: Sequence[float],
    ridges: Mapping[str, float],
) -> dict[str, float]:
    """Return the weights of a logistic regression, by Newton's method, with other ridges for some features."""
    try:
        import numpy as np
    except ImportError:
        raise MissingExtraError("reader", "learning a combination of readers") from None
    if not rows:
        return {"": 0.0}
    names = list(rows[0])
    matrix = np.array([[row[name] for name in names] for row in rows])
    target, weight = np.array(truth), np.array(weights)
    penalty = np.array([ridges.get(name, _RIDGE if name else 0.0) for name in names]) + 1e-9
    solution: Any = np.zeros(len(names))
    for _ in range(_STEPS):
        chance = 1 / (1 + np.exp(-np.clip(matrix @ solution, -30, 30)))
        slope = matrix.T @ (weight * (chance - target)) + penalty * solution
        curve = (matrix * (weight * np.maximum(chance * (1 - chance), 1e-6))[:, None]).T @ matrix + np.diag(penalty)
        step = np.linalg.solve(curve, slope)
        solution = solution - step
        if float(np.abs(step).max()) < 1e-8:  # noqa: PLR2004
            break
    return dict(zip(names, solution.tolist(), strict=True))


def _sum(weights: Mapping[str, float], row: Mapping[str, float]) -> float:
    return sum(weight * row[name] for name, weight in weights.items())


def _logit(share: float) -> float:
    edge = math.exp(-_CLIP)
    share = min(max(share, edge), 1 - edge)
    return math.log(share / (1 - share))


def _logistic(number: float) -> float:
    return 1 / (1 + math.exp(-min(max(number, -30.0), 30.0)))
