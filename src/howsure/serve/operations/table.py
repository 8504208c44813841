"""All operations: the marked methods of the facades, and why other public methods are left out."""

from howsure.claims.api import Claims
from howsure.claims.federation.peers import Peers
from howsure.documents.api import Documents
from howsure.errors import UnknownNameError
from howsure.investigations.api import Investigations
from howsure.ledger.api import Ledger
from howsure.ledger.models import Models
from howsure.responses.api import Responses
from howsure.serve.operations import (
    scans,
)
from howsure.serve.operations.method import MethodOperation, marked
from howsure.serve.operations.operation import Operation
from howsure.sure import Sure
from howsure.syntheses.api import Syntheses

AnyOperation = Operation | MethodOperation

_MODULES = (scans,)

FACADES: dict[str, type] = {
    "claims": Claims,
    "peers": Peers,
    "responses": Responses,
    "investigations": Investigations,
    "syntheses": Syntheses,
    "documents": Documents,
    "ledger": Ledger,
    "models": Models,
    "": Sure,
}
"""The classes whose marked methods are operations, by their name in `Sure`."""

OPERATIONS: tuple[AnyOperation, ...] = (
    *(one for facade, owner in FACADES.items() for one in marked(facade, owner)),
    *(one for module in _MODULES for one in vars(module).values() if isinstance(one, Operation)),
)
"""Every operation."""

_PYTHON = "it is for Python code only; servers offer claims.add, responses.check, investigations.record and so on"
_PART = "it is a part of other operations"
_FILES = "it reads or writes files of the server, which only its own users should do"
_PEERS = "which peers a server calls is set on the command line, by those who can open the store"

LEFT_OUT = {
    "claims.import_": "it is called claims.import, as everywhere but in Python",
    "responses.guard": _PYTHON,
    "responses.gate": _PYTHON,
    "responses.require": _PYTHON,
    "investigations.start": "an open investigation is an object in Python; investigations.record keeps it in the store",
    "syntheses.judged": "it is the field `judge` of syntheses.combine",
    "ledger.subject": _PART,
    "ledger.record": f"{_PART}; models.record scores and records",
    "ledger.committed": _PART,
    "ledger.keep": _PART,
    "ledger.row": _PART,
    "ledger.write": _PART,
    "ledger.export": f"{_FILES}; ledger.stream gives the same",
    "ledger.import_": f"{_FILES}; claims.import takes a whole export, the ledger included",
    "documents.scan": f"{_FILES}; howsure scan does it where they are",
    "documents.show": f"{_FILES}; howsure document does it where they are",
    "documents.event": f"{_FILES}; documents.record_event takes names instead of a file",
    "documents.events": f"{_FILES}; documents.project_events takes names instead of a file",
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
    "close": "a server closes its store when it stops",
}
"""Public methods that are not operations, and why."""


def operation(name: str) -> AnyOperation:
    """Return an operation by its name.

    Raises:
        UnknownNameError: if there is none.
    """
    for one in OPERATIONS:
        if one.name == name:
            return one
    raise UnknownNameError("operation", name, (one.name for one in OPERATIONS))
