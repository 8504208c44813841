"""Find commits that name decisions, and say whether they are still in the main branch or were reverted.

A commit names what it rests on in lines of its message: `Howsure-Decision: ID`, `Howsure-Trace: ID` or
`Howsure-Task: ID`. Squash merges keep such lines, though not at the end of the message.
"""

import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

from howsure.documents.repository.git import commit_time, run_git
from howsure.documents.repository.git_safety import GitError
from howsure.errors import InputError, shown

_NAMES = {"decision": "decision_id", "trace": "trace_id", "task": "task_id"}
_MENTION = re.compile(
    r"^[ \t]*+Howsure-(Decision|Trace|Task):[ \t]*+(\S(?:[^\r\n]*[^ \t\r\n])?)[ \t\r]*+$", re.MULTILINE | re.IGNORECASE
)
_REVERTS = re.compile(r"^This reverts commit ([0-9a-f]{7,64})\b", re.MULTILINE)
"""What `git revert` writes."""
_REVERTS_REQUEST = re.compile(r"^Reverts (?:[\w.-]+/[\w.-]+)?#(\d+)\b", re.MULTILINE)
"""What the button "Revert" of GitHub writes into a pull request, which squash merges keep."""
_REQUEST = re.compile(r"^Merge pull request #(\d+) |\(#(\d+)\)$")
"""The number of a pull request in the subject of the commit that merged it."""
_LOG = ("log", "-z", "--topo-order", "--no-show-signature", "--encoding=UTF-8", "--format=%H%x00%P%x00%ct%x00%B")
_MOST_MENTIONS = 100
"""Decisions that one commit may name."""
_BRANCHES = (
    *("refs/remotes/origin/HEAD", "refs/heads/main", "refs/heads/master"),
    *("refs/remotes/origin/main", "refs/remotes/origin/master"),
)
"""Where the main branch is looked for, if none is named."""


class Mention(NamedTuple):
    """What a commit message names."""

    field: str
    """decision_id, trace_id or task_id."""
    value: str


class CommitState(NamedTuple):
    """A commit in the main branch that names decisions."""

    commit: str
    mentions: tuple[Mention, ...]
    landed_at: float
    """When it came into the main branch."""
    since: float
    """Since when it is there, or reverted."""
    reverted_by: str | None
    """The commit that reverted it, unless that was reverted too."""


class _Commit(NamedTuple):
    parents: tuple[str, ...]
    at: float
    mentions: tuple[Mention, ...]
    reverts: tuple[str, ...]
    reverted_requests: tuple[str, ...]
    request: str


def find_mentions(message: str) -> tuple[Mention, ...]:
    r"""Return what a commit message names, each once.

    >>> find_mentions("Fix the cache\n\nHowsure-Decision: a01\nHowsure-Trace: s 1\n")
    (Mention(field='decision_id', value='a01'), Mention(field='trace_id', value='s 1'))
    """
    found = (Mention(_NAMES[match[1].lower()], match[2]) for match in _MENTION.finditer(message))
    return tuple(dict.fromkeys(found))[:_MOST_MENTIONS]


def mentions_of(repository: Path, commit: str) -> tuple[Mention, ...]:
    """Return what the message of one commit names.

    Raises:
        InputError: if there is no such commit.
    """
    revision = _resolve(repository, commit)
    if revision is None:
        raise InputError(
            f"there is no commit {shown(commit)} in {repository}", field="commit", hint="git log shows them"
        )
    try:
        message = b"".join(run_git(repository, *_LOG[:-1], "--format=%B", "--max-count=1", revision, "--"))
    except GitError as error:
        raise InputError(f"cannot read the commit {shown(commit)}: {error}", field="commit") from None
    return find_mentions(message.decode("utf-8", "replace"))


def read_commit_states(repository: Path, branch: str | None, since: float) -> list[CommitState]:
    """Return the commits of the main branch that name decisions, the oldest first.

    Args:
        repository: A folder of the repository.
        branch: The main branch; default: that of origin, or main or master.
        since: Only commits since this moment, in seconds since 1970.

    Raises:
        InputError: if this is no repository, or has no such branch.
    """
    tip = _main_branch(repository, branch)
    try:
        commits = _read_commits(repository, tip, since)
    except GitError as error:
        raise InputError(f"cannot read the history of {repository}: {error}", field="repository") from None
    landed = _landings(commits, tip)
    reverted, restored = _reverts(commits, landed)
    states = []
    for name, commit in commits.items():
        if commit.mentions:
            came, _ = landed.get(name, (commit.at, name))
            by, at = reverted.get(name, (None, max(came, restored.get(name, came))))
            states.append(CommitState(name, commit.mentions, came, at, by))
    return states[::-1]


def _resolve(repository: Path, revision: str) -> str | None:
    """Return the full id of a commit, or None if there is none of this name."""
    if revision.startswith("-"):
        return None
    try:
        return b"".join(run_git(repository, "rev-parse", "--verify", f"{revision}^{{commit}}")).decode().strip()
    except (GitError, ValueError):
        return None


def _main_branch(repository: Path, branch: str | None) -> str:
    try:
        list(run_git(repository, "rev-parse", "--git-dir"))
    except GitError as error:
        hint = "name a folder of a git repository"
        raise InputError(f"cannot read {repository}: {error}", field="repository", hint=hint) from None
    for name in _BRANCHES if branch is None else (branch,):
        if (tip := _resolve(repository, name)) is not None:
            return tip
    wanted = "a main branch" if branch is None else f"the branch {shown(branch)}"
    raise InputError(f"{repository} does not have {wanted}", field="branch", hint="name it, such as origin/main")


def _read_commits(repository: Path, tip: str, since: float) -> dict[str, _Commit]:
    """Return the commits that a tip contains, every one before its parents."""
    fields = run_git(repository, *_LOG, f"--max-age={max(int(since), 0)}", tip, "--")
    return {name.decode(): commit for name, commit in _parse(fields)}


def _parse(fields: Iterable[bytes]) -> Iterator[tuple[bytes, _Commit]]:
    each = iter(fields)
    for name, parents, at, raw in zip(each, each, each, each, strict=False):
        message = raw.decode("utf-8", "replace")
        request = _REQUEST.search(message.partition("\n")[0].rstrip())
        yield (
            name,
            _Commit(
                tuple(parents.decode().split()),
                commit_time(at),
                find_mentions(message),
                tuple(_REVERTS.findall(message)),
                tuple(_REVERTS_REQUEST.findall(message)),
                (request[1] or request[2]) if request else "",
            ),
        )


def _landings(commits: dict[str, _Commit], tip: str) -> dict[str, tuple[float, str]]:
    """Return when each commit came into the branch, and with which commit on its first-parent line."""
    line: dict[str, None] = {}
    name: str | None = tip
    while name is not None and name in commits and name not in line:  # grafts can make a commit its own ancestor
        line[name] = None
        parents = commits[name].parents
        name = parents[0] if parents else None
    landed: dict[str, tuple[float, str]] = {}
    for merge in reversed(line):
        waiting = [merge]
        while waiting:
            one = waiting.pop()
            if one in commits and one not in landed:
                landed[one] = (commits[merge].at, merge)
                waiting.extend(commits[one].parents)
    return landed


def _reverts(
    commits: dict[str, _Commit], landed: dict[str, tuple[float, str]]
) -> tuple[dict[str, tuple[str | None, float]], dict[str, float]]:
    """Return which commits are reverted, by which and since when; and since when others are no longer reverted."""
    places = {name: place for place, name in enumerate(commits)}
    names = sorted(commits)
    requests = {commit.request: name for name, commit in reversed(commits.items()) if commit.request}
    merged: dict[str, list[str]] = {}
    for name, (_, merge) in landed.items():
        merged.setdefault(merge, []).append(name)
    reverted: dict[str, tuple[str | None, float]] = {}
    restored: dict[str, float] = {}
    # Newest first: whether a revert was itself reverted is known before it counts.
    for name, commit in commits.items():
        if not commit.reverts and not commit.reverted_requests:
            continue
        targets = {_complete(prefix, names) for prefix in commit.reverts}
        targets |= {requests.get(number) for number in commit.reverted_requests}
        came, _ = landed.get(name, (commit.at, name))
        for target in targets - {None}:
            if target is None or places[target] <= places[name]:
                continue  # a commit can only revert what came before it
            for one in {target, *(merged.get(target, ()) if len(commits[target].parents) > 1 else ())}:
                if name in reverted:
                    restored[one] = max(restored.get(one, 0.0), reverted[name][1])
                else:
                    reverted.setdefault(one, (name, max(came, restored.get(name, came))))
    return reverted, restored


def _complete(prefix: str, names: list[str]) -> str | None:
    """Return the only name that starts with a prefix, or None; the names are sorted."""
    from bisect import bisect_left

    place = bisect_left(names, prefix)
    found = [name for name in names[place : place + 2] if name.startswith(prefix)]
    return found[0] if len(found) == 1 else None
