"""The janitor lists claims that look like one, and leaves them alone."""

from howsure.sure import open as open_store
from tests.reader.word_embedder import WordEmbedder


def test_the_janitor_lists_pairs_that_look_like_one_until_they_are_related(address: str) -> None:
    with open_store(address, embedder=WordEmbedder()) as sure:
        assert sure.clean() == []
        statements = [
            "The cache is safe to share",
            "The cache is not safe to share",
            "The sky is blue",
            "The caches are safe to share",
            "Locks are held",
        ]
        ids = [sure.claims.add(one, source="user:ann", compare=False).id for one in statements]
        sure.claims.add("The cache is safe to share", source="user:ann", namespace="other")
        (action,) = sure.clean()
        assert (action.action, action.id) == ("review", ids[3])
        assert "it is the same claim as " + ids[0] in action.reason
        assert f"howsure claim supersede {ids[3]} {ids[0]}" in action.reason
        assert sure.claims.get(ids[3]).status == "active"
        sure.claims.relate(ids[0], "refines", ids[3])
        assert sure.clean(dry_run=True) == []


def test_an_embedder_that_fails_does_not_stop_the_janitor(address: str) -> None:
    class Broken(WordEmbedder):
        @property
        def version(self) -> str:
            raise OSError("gone")

        @version.setter
        def version(self, value: str) -> None:
            pass

    with open_store(address) as sure:
        sure.claims.add("It rains", source="user:ann", ttl=1.0, now=1.0)
    with open_store(address, embedder=Broken()) as sure:
        *others, waits = sure.clean(now=100.0)
        assert [one.action for one in others] == ["expire"]
        assert (waits.action, waits.id) == ("wait", "meaning")
        assert "claims were not compared by meaning: the embedder words-for-tests failed: OSError" in waits.reason
