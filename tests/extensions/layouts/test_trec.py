"""Topics of TREC runs and qrels: their order, which is trec_eval's, and what is wrong with a line."""

from __future__ import annotations

from typing import Any

import pytest

from scoring.data.file import InputFile
from scoring.data.limits import NAME
from scoring.data.rows.read import read_rows
from scoring.errors import InputError

RUN = "q1 Q0 d1 1 0.5 me\nq2 Q0 d9 1 3 me\nq1 Q0 d2 2 0.5 me\n\nq1 Q0 d3 3 0.9 me\n"
QRELS = "# judged\nq1 0 d2 1\nq1 0 d1 0\nq2 0 d8 2\nq1\t0\td3\t-1\n"


def found(content: str | bytes, kind: str | None = None, name: str = "a.run") -> list[Any]:
    """The record of each topic, or the reason why there is none."""
    content = content if isinstance(content, bytes) else content.encode()
    return [row.record or row.reason for row in read_rows(InputFile(name, content, kind))]


def test_a_run_is_ordered_by_score_and_equal_scores_by_document_both_descending() -> None:
    topics = [
        {"id": "q1", "documents": ["d3", "d2", "d1"], "scores": [0.9, 0.5, 0.5]},
        {"id": "q2", "documents": ["d9"], "scores": [3.0]},
    ]
    assert found(RUN) == found(RUN.replace("\n", "\r\n"), "trec-run", "-") == found(RUN, name="a.trec") == topics
    ties = "".join(f"q Q0 {name} 1 {score} me\n" for name, score in (("10", 1), ("9", 1e0), ("é", "1.0"), ("Z", "+1.")))
    assert found(ties)[0]["documents"] == ["é", "Z", "9", "10"]


def test_qrels_are_documents_with_their_relevance() -> None:
    topics = [{"id": "q1", "relevance": {"d2": 1, "d1": 0, "d3": -1}}, {"id": "q2", "relevance": {"d8": 2}}]
    assert found(QRELS, name="a.qrels") == found(QRELS, "trec-qrels") == topics


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("q1 Q0 d2 1 0.1 me", "in line 4: the document `d2` a second time in this topic"),
        ("q1 Q0 d4 1 nan me", "in line 4: the score `nan` is not a number"),
        ("q1 Q0 d4 1 -inf me", "in line 4: the score `-inf` is not a number"),
        ("q1 Q0 d4 1 1e999 me", "in line 4: the score `1e999` is not a number"),
        ("q1 Q0 d4 1 1_0 me", "in line 4: the score `1_0` is not a number"),
        ("q1 Q0 d4 1 ٣ me", "in line 4: the score `٣` is not a number"),
        ("q1 Q0 d4 1 0.5", "in line 4: 5 columns, but a line is `topic Q0 document rank score tag`"),
        ("q1 Q0 d4 1 0.5 me too", "in line 4: 7 columns, but a line is `topic Q0 document rank score tag`"),
        ("q1", "in line 4: 1 column, but a line is `topic Q0 document rank score tag`"),
    ],
)
def test_a_faulty_line_makes_its_topic_a_bad_row(line: str, reason: str) -> None:
    content = f"q1 Q0 d1 1 0.5 me\nq2 Q0 d9 1 3 me\nq1 Q0 d2 2 0.5 me\n{line}\nq1 Q0 d3 3 0.9 me\n"
    assert found(content) == [f"line 1: {reason}", {"id": "q2", "documents": ["d9"], "scores": [3.0]}]


def test_a_topic_whose_first_line_is_faulty_names_the_line_once() -> None:
    assert found("q1 0 d1 1\nq2 0 d1 0.5\n", "trec-qrels")[1] == "line 2: the relevance `0.5` is not a whole number"
    assert "`1111111111111111111111" in found(f"q1 0 d1 {'1' * 5000}\n", "trec-qrels")[0]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (QRELS.encode(), "line 2: 4 columns, but a line is `topic Q0 document rank score tag`"),
        (RUN.encode() + b"q1 Q0 d\xff 1 1 me", "line 6: not UTF-8 at byte 8, so its topic is unknown"),
        (RUN.encode() + b"x" * 200, "line 6: a line of 200 bytes; `line` allows 100 bytes.*so its topic is unknown"),
        (RUN.encode() * 200, "its topics are too long; `whole` allows 10 KB"),
        (b"# nothing\n", "it holds no records"),
        (bytes(range(256)) * 4, "it is not text, so it is not a TREC run"),
    ],
)
def test_a_file_that_would_lose_lines_is_refused(monkeypatch: pytest.MonkeyPatch, content: bytes, message: str) -> None:
    monkeypatch.setenv(NAME, "line=100,whole=10KB")
    with pytest.raises(InputError, match=message):
        found(content)


def test_a_topic_of_too_many_documents_is_a_bad_row(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(NAME, "values=6")
    content = "".join(f"q1 Q0 d{number} 1 1 me\n" for number in range(4))
    why = "line 1: in line 4: a topic of more values; `values` allows 6, SCORING_LIMITS=values=… allows more"
    assert found(content) == [why]
