"""How something is cited: sentences, references, rules, and BibTeX."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from scoring.report.document import Code, Document, DocumentTable, Paragraph, Section, TableColumn


def citation_document(data: Mapping[str, Any]) -> Document:
    """The sentences, the references that go with them, which rule comes from which, and all as BibTeX."""
    references = tuple(f"[{work['key']}] {work['reference']}" for work in data["works"])
    rules = DocumentTable.of(
        data["rules"],
        (TableColumn("rule"), lambda one: f"{one['name']} {one['version']}" if "version" in one else one["name"]),
        (TableColumn("comes from", width=70), lambda one: ", ".join(one["works"]) or "names no source"),
        title="Rules",
        brief=200,
    )
    listed = (Section("References", (Paragraph(references),)),) if references else ()
    return Document((Paragraph(tuple(data["sentences"])), *listed, rules), "Citation")


def noted_citation(data: Mapping[str, Any]) -> Document:
    """The same with BibTeX below it, for pages and notes."""
    return Document((*citation_document(data).blocks, Section("BibTeX", (Code(data["bibtex"], "bibtex"),))), "Citation")
