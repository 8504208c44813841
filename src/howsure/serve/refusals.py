"""Refusals: what a door does not do, and why. Nothing was done where one of these is raised."""

from howsure.errors import HowsureError


class DeniedError(HowsureError):
    """The caller may not do this."""

    def __init__(self, problem: str, *, known: bool, hint: str = "") -> None:
        """Say whether it is known who the caller is."""
        super().__init__(problem, hint=hint)
        self.known = known


class TooManyError(HowsureError):
    """The caller asks too often."""

    def __init__(self, problem: str, *, wait: float, hint: str = "") -> None:
        """Say how many seconds to wait."""
        super().__init__(problem, hint=hint)
        self.wait = wait


class KeyTakenError(HowsureError):
    """A key that stands for one request was used for another, or for one that has not ended."""

    def __init__(self, problem: str, *, pending: bool, hint: str = "") -> None:
        """Say whether the first request may still be under way."""
        super().__init__(problem, field="Idempotency-Key", hint=hint)
        self.pending = pending
