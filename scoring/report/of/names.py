"""What names stand for: primitives, packs and their definitions."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from scoring.report.document import (
    Code,
    Document,
    DocumentBlock,
    DocumentTable,
    Line,
    Paragraph,
    Piece,
    Section,
    TableColumn,
    Title,
)
from scoring.report.of.trace import beyond, value_text

Data = Mapping[str, Any]


def primitives_document(primitives: Sequence[Data]) -> Document:
    """A line for each primitive."""
    cells = [(TableColumn(key), key) for key in ("name", "kind", "family", "type")]
    return Document((DocumentTable.of(primitives, *cells, (TableColumn(), "summary")),), "Primitives")


def primitive_document(data: Data) -> Document:
    """One primitive with its parameters, examples, source and what it uses, as `scoring explain NAME` shows it."""
    blocks: list[DocumentBlock] = [Title(data["name"], " · ".join(data[key] for key in ("kind", "family", "type")))]
    blocks += [prose(data[key]) for key in ("summary", "body") if data[key]]
    if data["parameters"]:
        name = (TableColumn("parameter"), lambda one: _stars(one) + one["name"])
        cells = ((TableColumn("takes"), "takes"), (TableColumn("default"), "default"), (TableColumn(), "doc"))
        blocks.append(DocumentTable.of(data["parameters"], name, *cells))
    blocks += [Code(data["examples"], "python")] if data["examples"] else []
    blocks += _source(data)
    if "metric" in data:  # a metric may share the name of a step
        blocks.append(Section("Under `metrics:`", primitive_document(data["metric"]).blocks))
    return Document(tuple(blocks))


def _stars(parameter: Data) -> str:
    return {"": "", "positional": "*", "keyword": "**"}[parameter["variadic"]]


def finding_document(data: Data) -> Document:
    """The page of a kind of finding."""
    return Document((prose(data["page"].rstrip()),))


def prose(text: str) -> Paragraph:
    """A text of several lines."""
    return Paragraph(tuple(text.split("\n")))


def _source(data: Data) -> Iterator[Paragraph]:
    if data["source"]:
        yield Paragraph((Piece(f"source: {data['source']}", "dim"),))
    if data.get("uses"):
        yield Paragraph((Piece(f"uses: {', '.join(data['uses'])}", "dim"),))


def packs_document(packs: Sequence[Data]) -> Document:
    """A line for each pack."""
    cells = ((TableColumn("pack"), "name"), (TableColumn("version"), "version"))
    size = (TableColumn("definitions", "count"), lambda pack: len(pack["definitions"]))
    return Document(
        (DocumentTable.of(packs, *cells, size, (TableColumn(), lambda pack: first_line(pack["doc"]))),), "Packs"
    )


def pack_document(pack: Data, definitions: Sequence[Data]) -> Document:
    """A line for each definition of a pack."""
    head: Line = (Piece(pack["name"], "bold"), f" {pack['version']}  {first_line(pack['doc'])}")
    what = (TableColumn(), lambda one: first_line(one["doc"]) or one["expression"])
    table = DocumentTable.of(definitions, (TableColumn("name"), "name"), (TableColumn("role"), "role"), what)
    return Document((Paragraph((head,)), table), f"Pack {pack['name']}")


def first_line(text: str) -> str:
    """The first paragraph of a text, on one line.

    Examples:
        >>> first_line("How near\\ntwo texts are.\\n\\nMore.")
        'How near two texts are.'
    """
    return " ".join(text.split("\n\n", 1)[0].split())


def definition_document(data: Data) -> Document:
    """One definition of a pack: its text, parameters, examples and source."""
    blocks: list[DocumentBlock] = [Title(data["name"], f"{data['role']} · {data['pack']}")]
    blocks += [prose(data["doc"])] if data["doc"] else []
    blocks.append(Code(data["expression"]))
    told = [*beyond(data), *([] if data.get("reads_reference", True) else ["reads no reference"])]
    blocks += [Paragraph((Piece(f"scores: {' · '.join(told)}", "dim"),))] if told else []
    if data["parameters"]:
        cells = ((TableColumn("parameter"), "name"), (TableColumn("default"), "default"), (TableColumn(), "doc"))
        blocks.append(DocumentTable.of(data["parameters"], *cells))
    if data["examples"]:
        blocks.append(_examples(data["examples"]))
    return Document((*blocks, *_source(data)))


def _examples(examples: Sequence[Data]) -> DocumentTable:
    keys = list(dict.fromkeys(key for one in examples for key in one["given"]))
    rows = [
        [
            *(f"{key} {value_text(one['given'][key])}" if key in one["given"] else "" for key in keys),
            f"→ {value_text(one['expect'])}",
        ]
        for one in examples
    ]
    return DocumentTable(tuple(TableColumn() for _ in (*keys, "expect")), tuple(rows))
