"""Sentences of CoNLL files: what separates them and their columns, and what is wrong with one."""

from __future__ import annotations

from typing import Any

import pytest

from scoring.data.file import InputFile
from scoring.data.limits import NAME
from scoring.data.rows.read import read_rows
from scoring.errors import InputError


def found(content: str | bytes, kind: str | None = "conll", name: str = "-") -> list[Any]:
    """The columns of each sentence, and the reasons of bad rows; ids are those of the blocks."""
    rows = list(read_rows(InputFile(name, content if isinstance(content, bytes) else content.encode(), kind)))
    assert all(row.record is None or row.record["id"] == number for number, row in enumerate(rows, start=1))
    return [row.reason if row.record is None else row.record["columns"] for row in rows]


def test_empty_lines_separate_sentences() -> None:
    content = "\n\nEU NNP B-ORG\nrejects\tVBZ  O\r\n \t\r\n\nPeter NNP B-PER"
    assert found(content, None, "a.conll") == [
        [["EU", "rejects"], ["NNP", "VBZ"], ["B-ORG", "O"]],
        [["Peter"], ["NNP"], ["B-PER"]],
    ]
    assert found("\ufeffa O\n") == [[["a"], ["O"]]]


def test_boundaries_are_those_of_conlleval() -> None:
    """A first column of -X- ends a sentence; -DOCSTART- is a word, as a rule of a sentence of its own."""
    content = "-DOCSTART- -X- O O\n\na O O O\n-X- O O O\nb O O O\n"
    assert [sentence[0] for sentence in found(content)] == [["-DOCSTART-"], ["a"], ["b"]]


def test_other_white_space_and_line_ends_belong_to_words() -> None:
    assert found("a\u00a0b\u2028c\u3000d O\n") == [[["a\u00a0b\u2028c\u3000d"], ["O"]]]


def test_comments_are_words_unless_they_are_skipped() -> None:
    content = "# text = x\n1 x\n\n# end\n"
    assert found(content, "conll,comments=skip") == [[["1"], ["x"]]]
    assert found("# O\na O\n") == [[["#", "a"], ["O", "O"]]]


def test_columns_can_be_separated_by_tabs_alone() -> None:
    content = "1\tNew York\t\n2\tis\tx\n"
    assert found(content, "conll,delimiter=tab") == [[["1", "2"], ["New York", "is"], ["", "x"]]]
    with pytest.raises(InputError, match="`delimiter` is space or tab, not `comma`"):
        found(content, "conll,delimiter=comma")


@pytest.mark.parametrize(
    ("lines", "reason"),
    [
        (b"a O\nb\nc O O O", "line 3: in line 4: 1 column, but the first line of the sentence has 2"),
        (b"a\xff O\nb O", "line 3: not UTF-8 at byte 2"),
        (b"a O\nb\xff O", "line 3: in line 4: not UTF-8 at byte 2"),
        (b"a O\n" + b"x" * 101, "line 3: in line 4: a line of 102 bytes; `line` allows 100 bytes"),
        (b"\n".join([b"aaaaaaaa O"] * 50), "line 3: in line 13: a longer sentence; `line` allows 100 bytes"),
        (b"\n".join([b"O"] * 50), "line 3: in line 43: a sentence of more values; `values` allows 40"),
    ],
)
def test_a_faulty_sentence_is_one_bad_row(monkeypatch: pytest.MonkeyPatch, lines: bytes, reason: str) -> None:
    monkeypatch.setenv(NAME, "line=100,values=40")
    first, bad, last = found(b"a O\n\n" + lines + b"\n\nz O\n")
    assert (first, last) == ([["a"], ["O"]], [["z"], ["O"]])
    assert bad.startswith(reason)
