"""A summary: documents by what needs attention, and how folders, milestones and the whole stand."""

from collections.abc import Callable, Iterable, Sequence

from howsure.documents.document import URGENCY, Document, Group


def sort_by_urgency(documents: Iterable[Document], limit: float | None) -> list[Document]:
    """Return documents by what needs attention most: below the limit, then what is due, then how low the score is."""

    def urgency(one: Document) -> tuple[bool, int, float, str]:
        score = -1.0 if one.score is None else one.score
        return limit is None or score >= limit - 5e-10, URGENCY[one.action], score, one.path

    return sorted(documents, key=urgency)


def grouped(documents: Iterable[Document], name: Callable[[Document], str]) -> tuple[Group, ...]:
    """Return documents by what they have in common."""
    parts: dict[str, list[Document]] = {}
    for one in documents:
        parts.setdefault(name(one), []).append(one)
    return tuple(
        Group(
            part,
            len(of),
            mean(of),
            sum(one.score is None for one in of),
            sum(one.action not in ("none", "unknown") for one in of),
        )
        for part, of in sorted(parts.items())
    )


def mean(documents: Sequence[Document]) -> float | None:
    """Return the mean of the scores that are known."""
    known = [one.score for one in documents if one.score is not None]
    return sum(known) / len(known) if known else None
