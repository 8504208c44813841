"""The table of operations: every use case that doors offer, and why the others are not among them."""

from howsure.claims.api import Claims
from howsure.claims.federation.peers import Peers
from howsure.documents.api import Documents
from howsure.errors import UnknownNameError
from howsure.investigations.api import Investigations
from howsure.ledger.api import Ledger
from howsure.responses.api import Responses
from howsure.serve.operations import (
    decisions,
    documents,
    ledger,
    models,
    responses,
    scans,
)
from howsure.serve.operations.method import MethodOperation, marked
from howsure.serve.operations.operation import Operation
from howsure.sure import Sure
from howsure.syntheses.api import Syntheses

AnyOperation = Operation | MethodOperation

_PLACES = (
    responses,
    documents,
    scans,
    ledger,
    decisions,
    models,
)

FACADES: dict[str, type] = {
    "claims": Claims,
    "peers": Peers,
    "responses": Responses,
    "investigations": Investigations,
    "syntheses": Syntheses,
    "documents": Documents,
    "ledger": Ledger,
    "": Sure,
}
"""The classes whose marked methods are operations, by their name in `Sure`."""

OPERATIONS: tuple[AnyOperation, ...] = (
    *(found for facade, owner in FACADES.items() for found in marked(facade, owner)),
    *(found for place in _PLACES for found in vars(place).values() if isinstance(found, Operation)),
)
"""Every operation."""

_PYTHON = "it is a way of writing Python; a door has claims.add, responses.check, investigations.record and so on"
_PART = "it is a part of other use cases, and no use case of its own"
_FILES = "it reads or writes files of the server, which only those who can log in there should"
_PEERS = "a server calls its peers: whom it calls is said on the command line, by those who can open the store"

LEFT_OUT = {
    "claims.import_": "it is called claims.import, as everywhere but in Python",
    "responses.guard": _PYTHON,
    "responses.gate": _PYTHON,
    "investigations.start": "an open investigation is an object in Python; investigations.record keeps it in the store",
    "syntheses.judged": "it is the field `judge` of syntheses.combine",
    "ledger.about": _PART,
    "ledger.record": _PART,
    "ledger.written": _PART,
    "ledger.kept": _PART,
    "ledger.entry": _PART,
    "ledger.write": _PART,
    "ledger.export": f"{_FILES}; ledger.records gives the same",
    "ledger.import_": f"{_FILES}; claims.import takes a whole export, the ledger included",
    "documents.scan": f"{_FILES}; howsure scan does it where they are",
    "documents.show": f"{_FILES}; howsure document does it where they are",
    "documents.project": _PART,
    "documents.place": _PART,
    "documents.events_by_path": _PART,
    "peers.add": f"{_PEERS}, and never by a request",
    "peers.all": f"{_PEERS}; where they are is nobody else's business, and claims.find_federated names them",
    "peers.get": f"{_PEERS}, who list them there, too",
    "peers.remove": _PEERS,
    "peers.test": f"{_PEERS}, who try them there, too; claims.find_federated tells who answered",
    "peers.with_tokens": _PART,
    "peers.note": _PART,
    "close": "a door closes its store when it closes",
}
"""Use cases without an operation, and why."""


def operation(name: str) -> AnyOperation:
    """Return an operation by its name."""
    for found in OPERATIONS:
        if found.name == name:
            return found
    raise UnknownNameError("operation", name, (found.name for found in OPERATIONS))
