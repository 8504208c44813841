"""An agenda: what is to be done about documents this month."""

import calendar
from datetime import date
from typing import NamedTuple

from howsure.documents.document import URGENCY, Document, Report


class MonthPlan(NamedTuple):
    """What is overdue, what comes up this month, and how much comes later."""

    until: date
    """The last day of the month."""
    overdue: tuple[Document, ...]
    """Their day has passed, or their age calls for a person; the most urgent first."""
    coming: tuple[Document, ...]
    """Their day falls between today and the end of the month; the next first."""
    later: int
    """Documents old enough for a review whose day comes later."""
    unknown: int
    """Documents whose age is unknown."""


def agenda(report: Report) -> MonthPlan:
    """Return what is to be done in the month of a report."""
    today = report.day
    until = today.replace(day=calendar.monthrange(today.year, today.month)[1])
    overdue, coming, later = [], [], 0
    for one in report.documents:
        if one.action == "unknown":
            continue
        if one.action in {"human_validation", "refresh_or_remove"} or (one.due is not None and one.due < today):
            overdue.append(one)
        elif one.due is not None and one.due <= until:
            coming.append(one)
        elif one.action == "review":
            later += 1
    overdue.sort(key=lambda one: (URGENCY[one.action], one.due or date.min, one.path))
    coming.sort(key=lambda one: (one.due or until, URGENCY[one.action], one.path))
    unknown = sum(one.action == "unknown" for one in report.documents)
    return MonthPlan(until, tuple(overdue), tuple(coming), later, unknown)
