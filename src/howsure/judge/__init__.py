"""The judge: the one place where a language model is asked. What it answers is checked; what goes wrong is data."""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from howsure.judge.budget import Budget
    from howsure.judge.cache import CachedJudge
    from howsure.judge.chat import ChatJudge
    from howsure.judge.question import Answer, Failure, Judge, Question
    from howsure.judge.scripted import ScriptedJudge

_PUBLIC = {
    "Answer": "howsure.judge.question",
    "Budget": "howsure.judge.budget",
    "CachedJudge": "howsure.judge.cache",
    "ChatJudge": "howsure.judge.chat",
    "Failure": "howsure.judge.question",
    "Judge": "howsure.judge.question",
    "Question": "howsure.judge.question",
    "ScriptedJudge": "howsure.judge.scripted",
}

__all__ = ["Answer", "Budget", "CachedJudge", "ChatJudge", "Failure", "Judge", "Question", "ScriptedJudge"]


def __getattr__(name: str) -> Any:
    """Load a public name when it is first used: most of howsure never asks a model."""
    from importlib import import_module

    if name not in _PUBLIC:
        raise AttributeError(f"module 'howsure.judge' has no attribute {name!r}")
    return getattr(import_module(_PUBLIC[name]), name)


def __dir__() -> list[str]:
    return list(__all__)
