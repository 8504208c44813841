"""Log what the store, the bulk engines and the judge do: `howsure -v` shows it.

A gate does not load `logging`, which takes longer than a decision: these functions do nothing unless the program has.
"""

import sys
from typing import Any


def log_info(name: str, message: str, *values: Any) -> None:
    """Log a message by the logger of this name, if the program uses `logging`.

    >>> log_info("howsure.store", "opened %s", "a.db")
    """
    logging = sys.modules.get("logging")
    if logging is not None:
        logging.getLogger(name).info(message, *values)


def logs_info(name: str) -> bool:
    """Say whether `log_info` would be heard, to skip work that is done only for a message."""
    logging = sys.modules.get("logging")
    return logging is not None and bool(logging.getLogger(name).isEnabledFor(logging.INFO))
