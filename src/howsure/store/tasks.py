"""Note when a task of upkeep was done, and read when it was done last."""

from howsure.store.backends.database import Transaction


def read_last(transaction: Transaction, task: str) -> float | None:
    """Return the moment that was noted for a task, or None if there is none."""
    at: float | None = transaction.value("SELECT at FROM done WHERE task = ?", [task])
    return at


def note(transaction: Transaction, task: str, at: float) -> None:
    """Note a moment for a task, in place of the one before."""
    transaction.run("DELETE FROM done WHERE task = ?", [task])
    transaction.run("INSERT INTO done (task, at) VALUES (?, ?)", [task, at])
