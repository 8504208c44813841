"""Ask a language model questions. Its answers are checked, and whatever goes wrong comes back as data."""

from typing import TYPE_CHECKING, Any

from howsure.judge.budget import Budget
from howsure.judge.question import Answer, Failure, Judge, Question
from howsure.judge.scripted import ScriptedJudge

if TYPE_CHECKING:
    from howsure.judge.cache import CachedJudge
    from howsure.judge.chat import ChatJudge

__all__ = ["Answer", "Budget", "CachedJudge", "ChatJudge", "Failure", "Judge", "Question", "ScriptedJudge"]


def __getattr__(name: str) -> Any:
    """Load the judges that need asyncio when they are first used."""
    if name == "CachedJudge":
        from howsure.judge.cache import CachedJudge

        return CachedJudge
    if name == "ChatJudge":
        from howsure.judge.chat import ChatJudge

        return ChatJudge
    raise AttributeError(f"module 'howsure.judge' has no attribute {name!r}")


def __dir__() -> list[str]:
    return list(__all__)
