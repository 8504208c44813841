"""Markdown: summaries for jobs and pull requests."""

import re
from datetime import date

import pytest
from markdown_it import MarkdownIt
from markdown_it.token import Token

from howsure.documents.document import Group, Improvement, Report, SkippedFile
from howsure.documents.report.markdown import to_markdown
from howsure.wording import single_line
from tests.documents.factory import HOSTILE, document, hostile, many, report

PARSER = MarkdownIt("commonmark", {"html": True}).enable("table")
INERT = {"text", "code_inline", "html_inline", "strong_open", "strong_close"}


def tables(text: str) -> list[list[list[Token]]]:
    """Return the rows of every table, each cell as one token."""
    found: list[list[list[Token]]] = []
    for token in PARSER.parse(text):
        if token.type == "table_open":
            found.append([])
        elif token.type == "tr_open":
            found[-1].append([])
        elif token.type == "inline" and found and token.level > 3:
            found[-1][-1].append(token)
    return found


def words(token: Token) -> str:
    return "".join(child.content for child in token.children or () if child.type in {"text", "code_inline"})


def attention(documents: Report) -> list[list[str]]:
    return [[words(cell) for cell in row] for row in tables(to_markdown(documents))[0]]


def test_the_headline_is_the_score() -> None:
    text = to_markdown(report(document(score=0.25), document("b.md", score=0.5), fail_under=0.4))
    assert text.startswith("# handbook: score 0.38\n\n1 of 2 documents need attention. 1 below the limit of 0.4.")
    assert "As of 2026-11-15, with the patterns of `default`." in text


def test_the_table_lists_what_needs_attention() -> None:
    one = document(
        score=0.4,
        months=7.2,
        action="human_validation",
        due=date(2026, 10, 9),
        gains=(Improvement("validate it", 0.05),),
        problems=("no YAML",),
    )
    head, row = attention(report(document("good.md"), one))
    assert head == ["document", "trust", "fresh", "milestone", "state", "age", "due", "what would raise it"]
    due = "validation by a person, since 2026-10-09"
    raises = "validate it (+0.05); problem: no YAML"
    assert row == ["docs/guide.md", "0.40", "0.40", "M2", "VALIDATE", "7 months", due, raises]


def test_problems_are_not_crowded_out_by_what_would_raise_the_score() -> None:
    raising = ("validate it", "record a visit", "name a source and confirm it")
    gains = tuple(Improvement(one, 0.05) for one in raising)
    problems = ("2 links lead nowhere: guide/first.md, guide/second.md", "names a file that does not exist: a.py")
    _, row = attention(report(document(gains=gains, problems=problems, action="review")))
    assert all(problem in row[-1] for problem in problems)


def test_a_score_below_the_limit_is_marked() -> None:
    text = to_markdown(report(document(score=0.4), document("b.md", score=None), fail_under=0.5))
    assert "| **0.40** |" in text
    assert "| **unknown** |" in text


def test_folders_milestones_skipped_files_and_notes_are_shown() -> None:
    found = report(
        document(),
        folders=(Group("docs", 1200, 0.5, 2, 3),),
        milestones=(Group("M2", 1, None, 1, 0),),
        skipped=(SkippedFile("a.png", "it is binary"),),
        notes=("git tells nothing",),
    )
    text = to_markdown(found)
    rows = [[words(cell) for cell in table[1]] for table in tables(text)]
    assert rows == [["docs", "1,200", "0.50", "2", "3"], ["M2", "1", "unknown", "1", "0"], ["a.png", "it is binary"]]
    assert "\n- git tells nothing\n" in text


def test_omitted_rows_are_counted_and_the_most_urgent_kept() -> None:
    folders = tuple(Group(f"f{place}", 1, 0.5, 0, place) for place in range(4))
    documents = [document(f"{place}.md", action="review") for place in range(4)]
    text = to_markdown(report(*documents, folders=folders, skipped=(SkippedFile("a", "b"),) * 4), limit=3)
    assert "And 1 more document." in text
    assert "And 1 more folder." in text
    assert "And 1 more file." in text
    assert "`f3`" in text
    assert "`f0`" not in text
    assert "3.md" not in text


def test_empty_results_are_stated() -> None:
    assert "no documents were found" in to_markdown(report())
    assert "1 document, and none needs attention." in to_markdown(report(document()))


def test_hostile_names_and_reasons_stay_in_their_cells_as_text() -> None:
    text = to_markdown(hostile())
    text.encode()
    tokens = PARSER.parse(text)
    assert not [token for token in tokens if token.type in {"html_block", "code_block", "fence"}]
    for token in tokens:
        for child in token.children or ():
            assert child.type in INERT
            assert child.type != "html_inline" or child.content == "<!-- -->"
    sizes = [{len(row) for row in table} for table in tables(text)]
    assert sizes == [{8}, {5}, {5}, {2}]
    assert [len(table) - 1 for table in tables(text)][0::3] == [len(HOSTILE), len(HOSTILE)]


@pytest.mark.parametrize("text", HOSTILE)
def test_a_hostile_text_is_shown_as_it_is(text: str) -> None:
    (row,) = tables(to_markdown(report(document(text), skipped=(SkippedFile("x", text),))))[-1][1:]
    assert words(row[1]) == single_line(text)


def test_texts_do_not_become_mentions_references_or_links() -> None:
    text = to_markdown(hostile())
    outside = re.sub(r"`[^`\n]*`", "", text)
    assert "evil.example" in outside
    assert not re.search(r"://|www\.|@\w|(?<!&)#\w|\]\(", outside)


def test_long_names_are_cut() -> None:
    text = to_markdown(report(document("x" * 5000, action="review", reason="y" * 5000)))
    assert max(len(line) for line in text.splitlines()) < 1000


def test_a_summary_of_a_large_project_can_be_posted() -> None:
    assert len(to_markdown(many(3000)).encode()) < 65_536
