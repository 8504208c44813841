"""The table of document events."""

from howsure.store.ledger_tables import document_events
from howsure.store.ledger_tables.document_events import DocumentEvent
from howsure.sure import Sure
from tests.conftest import NOW


def test_events_are_listed_in_order_of_time_by_project_and_document(sure: Sure) -> None:
    late = DocumentEvent("site", "a.md", NOW + 2, "confirm", 0.5, "ann", "read it")
    early = DocumentEvent("site", "a.md", NOW, "visit", 1.0, "bob")
    beside = DocumentEvent("site", "b.md", NOW + 1, "visit", 1.0, "bob")
    elsewhere = DocumentEvent("blog", "a.md", NOW, "visit", 1.0, "bob")
    with sure.session.write() as transaction:
        for event in (late, early, beside, elsewhere):
            document_events.add(transaction, event)
        assert document_events.of_project(transaction, "site") == [early, beside, late]
        assert document_events.of_project(transaction, "site", "a.md") == [early, late]
        assert document_events.known(transaction, late)
        assert not document_events.known(transaction, late._replace(note=""))
        assert document_events.of_project(transaction, "blog", "a.md") == [elsewhere]
