"""Learn again by itself when enough new outcomes were reported (setting `learn.auto`)."""

import logging
import threading
from collections.abc import Callable, Mapping

from howsure.errors import HowsureError, InputError
from howsure.learn.api import Fits
from howsure.store.ledger_tables import fits as table
from howsure.store.ledger_tables.fits import FitKind
from howsure.store.ledger_tables.outcomes import count_known
from howsure.store.session import Session

log: logging.Logger = logging.getLogger(__name__)

FEWEST_NEW = 20
"""New outcomes from which learning is worth the time."""
SHARE_NEW = 0.10
"""New outcomes that are needed, as a share of those that the last fit was learned from."""


class AutoLearner:
    """Learns when enough outcomes have come since the last fit, one fit at a time, and applies what is better."""

    def __init__(self, session: Session, fits: Callable[[], Fits], models: Mapping[FitKind, str]) -> None:
        """Learn in a session.

        Args:
            session: The store.
            fits: Returns the fits of the store.
            models: The model whose decisions fits of each kind are learned from.
        """
        self.background = False
        """Whether to learn in a thread of its own, so that who reports an outcome does not wait; for servers."""
        self._session = session
        self._fits = fits
        self._models = models
        self._busy = threading.Lock()
        self._tried: dict[FitKind, int] = {}
        self._thread: threading.Thread | None = None

    def check(self) -> None:
        """Learn if that is due. Call it after outcomes were committed; errors are logged, since these are safe."""
        if not self._busy.acquire(blocking=False):
            return  # the next outcome asks again
        started = False
        try:
            due = self._due()
            if due and self.background:
                self._thread = threading.Thread(target=self._learn_and_release, args=(due,), name="howsure-learn")
                self._thread.start()
                started = True
            else:
                self._learn(due)
        except HowsureError as error:
            log.warning("cannot learn from new outcomes: %s", error)
        except Exception:
            log.exception("cannot learn from new outcomes")
        finally:
            if not started:  # otherwise the thread does it
                self._busy.release()

    def close(self) -> None:
        """Wait until a running thread has ended."""
        if self._thread is not None:
            self._thread.join()

    def _due(self) -> list[FitKind]:
        """Return the kinds of which enough new outcomes are known."""
        due: list[FitKind] = []
        with self._session.database.read() as transaction:
            for kind, model in self._models.items():
                known = count_known(transaction, model)
                last = table.latest(transaction, kind)
                before = max(last.known if last else 0, self._tried.get(kind, 0))
                if known - before >= max(FEWEST_NEW, SHARE_NEW * before):
                    due.append(kind)
                    self._tried[kind] = known
        return due

    def _learn(self, due: list[FitKind]) -> None:
        for kind in due:
            try:
                fit = self._fits().learn(kind, apply=True)
                log.info("learned the fit %s from %d outcomes: %s", fit.id, fit.outcomes, fit.status)
            except InputError as error:  # nothing that can be learned from, such as decisions of another policy
                log.info("nothing was learned from new outcomes: %s", error)

    def _learn_and_release(self, due: list[FitKind]) -> None:
        try:
            self._learn(due)
        except Exception:
            log.exception("cannot learn from new outcomes")
        finally:
            self._busy.release()
