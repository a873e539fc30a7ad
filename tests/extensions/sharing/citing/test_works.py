"""The table of works is used whole, and what is written is BibTeX, whatever a source says; pybtex reads it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pybtex.database import BibliographyData, parse_string

from scoring.extensions.sharing.citing.used import rules_of_primitives
from scoring.extensions.sharing.citing.works import CitedWork, bibtex, reference, works, works_of
from scoring.format.load import Loader
from scoring.format.locate import bundled_packs
from scoring.format.model import Pack
from scoring.format.packs import packs_of
from scoring.registry import plugins, registry

KINDS = {
    "article": {"author", "title", "journal", "year"},
    "book": {"author", "title", "publisher", "year"},
    "inproceedings": {"author", "title", "booktitle", "year"},
    "techreport": {"author", "title", "institution", "year"},
    "misc": {"title"},
}
"""What BibTeX wants of each kind."""


def read(text: str) -> BibliographyData:
    return parse_string(text, "bibtex")


def sources() -> Iterator[str]:
    """What all of ours say that they come from."""
    primitives = [*map(registry.get, plugins.STEPS), *map(registry.metric, plugins.METRICS)]
    yield from (rule.source for rule in rules_of_primitives(one for one in primitives if one is not None))
    for name in bundled_packs():
        spec = packs_of(Loader()).by_name(name).spec
        assert isinstance(spec, Pack)
        yield from (one.source for one in spec.definitions.values())


def test_every_work_of_the_table_is_named_by_something() -> None:
    texts = {text for text in sources() if text}
    assert [work.key for work in works() if not any(work.is_named_in(text) for text in texts)] == []
    assert len(works()) > 70


def test_every_way_to_name_a_work_is_used() -> None:
    texts = [text for text in sources() if text]
    idle = [
        (work.key, said)
        for work in works()
        for said in work.said
        if not any(CitedWork("", "", {}, (said,)).is_named_in(text) for text in texts)
    ]
    assert idle == []


def test_the_table_is_bibtex_that_pybtex_reads() -> None:
    held = read(bibtex(works()))
    assert list(held.entries) == [work.key for work in works()]
    for work in works():
        entry = held.entries[work.key]
        assert KINDS[work.type] <= {*entry.fields, *(["author"] if entry.persons else [])}, work.key
        assert len(entry.persons.get("author", ())) == len(work.fields.get("author", ())), work.key
        assert entry.key.isascii()


def test_every_source_of_ours_is_cited_by_something() -> None:
    texts = sorted({text for text in sources() if text})
    found = works_of(texts)
    assert len({work.key for work in found}) == len(found)
    held = read(bibtex(found))
    assert len(held.entries) == len(found)
    assert all(reference(work) for work in found)


def test_a_work_is_found_by_its_number() -> None:
    assert [work.key for work in works_of(["as in arXiv:1904.09675, eq. 2"])] == ["zhang2020bertscore"]
    assert [work.key for work in works_of(["doi:10.18653/v1/W15-3049."])] == ["popovic2015chrf"]
    (work,) = works_of(["something new, arXiv:2512.01234"])
    assert (work.type, work.fields["arxiv"]) == ("misc", "2512.01234")


def test_a_name_within_a_word_is_no_name() -> None:
    assert [work.type for work in works_of(["the Valorous metric"])] == ["misc"]
    assert "valor" not in [work.key for work in works_of(["the Valorous metric"])]


HOSTILE = st.text(st.characters() | st.sampled_from('{}\\@%"#,=&$_^~\n\x00\ud800'), max_size=40)


@pytest.mark.property
@given(st.lists(HOSTILE, max_size=4))
def test_any_text_is_cited_as_text(texts: list[str]) -> None:
    found = works_of(texts)
    held = read(bibtex(found))
    assert sorted(held.entries) == sorted(work.key for work in found)
    for work in found:
        entry: Any = held.entries[work.key]
        assert entry.type == work.type
        assert entry.fields["title"].count("{") == entry.fields["title"].count("}")
        assert work.key.isascii()
        assert not set(work.key) & set(" \"#%'(),={}~\\")
