"""The judge on the command line: claims are extracted, deliberated on and summarized by a real endpoint."""

import json
from pathlib import Path

import pytest

from tests.conftest import Run
from tests.judge.server import JudgeServer, answer, status

SKY = {"statement": "The sky is blue", "subject": "sky", "predicate": "is", "object": "blue", "confidence": 0.9}


def test_the_judge_is_asked_about_claims_on_the_command_line(howsure: Run, tmp_path: Path) -> None:
    with JudgeServer() as server:
        own = {"NO_PROXY": "127.0.0.1", "HOWSURE_JUDGE_BASE_URL": server.url, "HOWSURE_JUDGE_MODEL": "test"}
        own |= {"HOWSURE_STORE": str(tmp_path / "x.db")}
        server.script(answer({"statements": [SKY]}))
        done = howsure(
            "claim", "extract", "-", "--source", "extraction:note", "--json", stdin=b"The sky is blue.", **own
        )
        assert done.returncode == 0, done.stderr
        added = json.loads(done.stdout)
        assert added["outcome"] == "created"
        file = tmp_path / "note.txt"
        file.write_text("The sky is blue, they say.", encoding="utf-8")
        server.script(answer({"statements": [SKY]}))
        done = howsure("claim", "extract", str(file), "--source", "extraction:other", **own)
        assert done.stdout.decode().split() == ["corroborated", added["id"]]
        judged = {"claims": [{"id": 1, "lower": 0.6, "upper": 0.9, "reason": "Seen."}], "narrative": "It fits."}
        server.script(answer(judged))
        asked = ("claim", "deliberate", added["id"], "--question", "What colour is the sky?")
        done = howsure(*asked, "--json", **own)
        found = json.loads(done.stdout)
        assert (found["claims"][0]["lower"], found["narrative"]) == (0.6, "It fits.")
        server.script(answer(judged))
        done = howsure(*asked, **own)
        assert "[0.60, 0.90]" in done.stdout.decode()
        assert "It fits." in done.stdout.decode()
        server.script(answer({"text": "The sky is blue, by two notes."}))
        done = howsure("claim", "reflect", "sky", "--prose", **own)
        assert "by two notes" in done.stdout.decode()
        assert done.returncode == 0
        server.script(*[status(400)] * 9)
        for command in (("reflect", "blue", "--prose"), ("deliberate", added["id"], "--question", "Why?")):
            done = howsure("claim", *command, **own)
            assert (done.returncode, b"judge" in done.stdout) == (2, True)
        done = howsure("claim", "extract", "-", "--source", "extraction:x", stdin=b"Grass is green.", **own)
        assert (done.returncode, done.stdout.startswith(b"failed ")) == (2, True)


@pytest.mark.parametrize("command", [("deliberate", "c1"), ("extract", "-", "--source", "a:b"), ("reflect", "--prose")])
def test_without_a_judge_the_settings_are_named(howsure: Run, tmp_path: Path, command: tuple[str, ...]) -> None:
    done = howsure("claim", *command, stdin=b"x", HOWSURE_STORE=str(tmp_path / "x.db"))
    assert (done.returncode, b"set judge.base_url and judge.model" in done.stderr) == (2, True)
