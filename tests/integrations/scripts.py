"""What the scripted models of the tests say."""

from howsure import Sure

FACT = "The gateway listens on port 8443. TLS 1.3 is required."
"""What tools and retrievers return."""
RIGHT = "The gateway listens on port 8443."
WRONG = "The gateway listens on port 9443."
UNKNOWN = "I don't know which port the gateway uses."
QUESTION = "Which port does the gateway use?"


def recorded(sure: Sure) -> list[tuple[str, str]]:
    """Return agent and decision of everything in the ledger, the oldest first."""
    return [(one.agent, one.decision) for one in reversed(sure.ledger.find().decisions)]
