"""The documents that explain names: primitives, packs and their definitions, recipes and topics."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from scoring.extensions.tracing.documents import score_range_text, short_value_text
from scoring.registry.model import STARS
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

Data = Mapping[str, Any]


def primitives_document(primitives: Sequence[Data]) -> Document:
    """Return the table with a line for each primitive, given by families, each of which is named in its first line, or
    in the names of quirks; a page, which has more room, also shows topics, types and other names."""
    first = {one["family"]: one["name"] for one in reversed(primitives) if "/" not in one["name"]}
    family = (TableColumn("family"), lambda one: one["family"] if first.get(one["family"]) == one["name"] else "")
    name, kind = ((TableColumn(key), key) for key in ("name", "kind"))
    summary = (_rest(primitives, "kind", max((len(one) + 2 for one in first), default=0)), "summary")
    topics = (TableColumn("topics", aside=True), lambda one: ", ".join(one["topics"]))
    kinds = (TableColumn("type", aside=True), "type")
    aka = (TableColumn("also called", aside=True), lambda one: ", ".join(one["aka"]))
    cells = (name, kind, summary, topics, kinds, aka)
    table = DocumentTable.of(primitives, family, *cells) if first else DocumentTable.of(primitives, *cells)
    return Document((table,), "Primitives")


def alphabet_document(primitives: Sequence[Data]) -> Document:
    """Return the table of all primitives except quirks, and a line that says which command lists those."""
    where = "what only one benchmark needs is called `pack/name`: `scoring list quirks`, or `scoring list PACK`"
    return Document((*primitives_document(primitives).blocks, Paragraph((Piece(where, "dim"),))), "Primitives")


def _rest(rows: Sequence[Data], column: str, more: int = 0) -> TableColumn:
    """Return a table's last column, as wide as the other columns leave room in a terminal of 100 characters.

    Args:
        rows: The rows of the table, whose names are in the first column.
        column: The key of the values in the second column.
        more: The width of any further columns.
    """
    taken = max((len(one["name"]) for one in rows), default=0) + max((len(one[column]) for one in rows), default=0)
    return TableColumn(width=max(40, 96 - taken - more))


def tasks_document(tasks: Sequence[Data]) -> Document:
    """Return the table with a line for each task that can be named: the keys of its records, and its layouts."""
    cells = ((TableColumn("task"), "name"), (TableColumn("what", width=26), "summary"))
    expects = (TableColumn("its records have", width=20), lambda one: ", ".join(one["expects"]))
    layouts = (TableColumn("or files in layout", width=20), lambda one: ", ".join(one["layouts"]))
    hint = "`scoring score NAME DATA` scores by one, `scoring new --from NAME` copies it with example data"
    return Document((DocumentTable.of(tasks, *cells, expects, layouts), Paragraph((Piece(hint, "dim"),))), "Tasks")


def topics_document(topics: Sequence[Data]) -> Document:
    """Return the table with a line for each topic of primitives."""
    cells = ((TableColumn("topic"), "topic"), (TableColumn("primitives", "count"), "primitives"))
    return Document((DocumentTable.of(topics, *cells, (TableColumn(), "doc")),), "Topics")


def found_document(found: Sequence[Data], miss: str = "", instead: str = "") -> Document:
    """Return the table with a line for each result of a search, and the command that explains the first one.

    `miss` is the message that nothing is about what was asked, if the results only come near it, and `instead` advice
    on what to do then.
    """
    cells = ((TableColumn("name"), "name"), (TableColumn("kind"), "kind"), (_rest(found, "kind"), "summary"))
    hint = Paragraph((Piece(f"`scoring explain {found[0]['name']}` says more", "dim"),))
    told = (Paragraph((Piece(f"{miss}; this comes nearest:"),)),) if miss else ()
    advice = (Paragraph((instead,)),) if instead else ()
    return Document((*told, DocumentTable.of(found, *cells), *advice, hint), "Found")


def recipe_document(data: Data) -> Document:
    """Return the name, kind and text of a task of the cookbook, with the other tasks that share its name."""
    blocks: list[DocumentBlock] = [Title(data["name"], f"task · {data['title']}"), Code(data["text"].rstrip(), "yaml")]
    if data["dialects"]:
        others = ", ".join(name for name in data["dialects"] if name != data["name"])
        hint = f"other rules of this name, which `scoring score … --dialects` compares: {others}"
        blocks.append(Paragraph((Piece(hint, "dim"),)))
    return Document(tuple(blocks))


def primitive_document(data: Data) -> Document:
    """Return the explanation of a primitive, as `scoring explain NAME` shows it: parameters, examples, source and so
    on."""
    blocks: list[DocumentBlock] = [Title(data["name"], " · ".join(data[key] for key in ("kind", "family", "type")))]
    blocks += [prose(data[key]) for key in ("summary", "body") if data[key]]
    if data["parameters"]:
        name = (TableColumn("parameter"), starred)
        cells = ((TableColumn("takes"), "takes"), (TableColumn("default"), "default"), (TableColumn(), "doc"))
        blocks.append(DocumentTable.of(data["parameters"], name, *cells))
    blocks += [Code(data["examples"], "python")] if data["examples"] else []
    blocks += [Paragraph((Piece(f"also called: {', '.join(data['aka'])}", "dim"),))] if data["aka"] else []
    blocks += _source(data)
    if "metric" in data:  # a metric may have the same name as a step
        blocks.append(Section("Under `metrics:`", primitive_document(data["metric"]).blocks))
    if data.get("tasks"):
        blocks.append(Paragraph((Piece(f"tasks: {', '.join(data['tasks'])}", "dim"),)))
    return Document(tuple(blocks))


def starred(parameter: Data) -> str:
    """Return the name of a parameter, preceded by stars if it is variadic."""
    return STARS[parameter["variadic"]] + str(parameter["name"])


def finding_document(data: Data) -> Document:
    """Return the page about a kind of finding (a message about a spec or data), whose text is `data["page"]`."""
    return Document((prose(data["page"].rstrip()),))


def prose(text: str) -> Paragraph:
    """Return a text of several lines as a paragraph."""
    return Paragraph(tuple(text.split("\n")))


def _source(data: Data) -> Iterator[Paragraph]:
    if data["source"]:
        yield Paragraph((Piece(f"source: {data['source']}", "dim"),))
    if data.get("uses"):
        yield Paragraph((Piece(f"uses: {', '.join(data['uses'])}", "dim"),))


def packs_document(packs: Sequence[Data]) -> Document:
    """Return the table with a line for each pack."""
    cells = ((TableColumn("pack"), _imported), (TableColumn("version"), "version"))
    size = (TableColumn("definitions", "count"), lambda pack: len(pack["definitions"]))
    what = (_rest(packs, "version", 15), lambda pack: _instead(pack) + first_line(pack["doc"]))
    return Document((DocumentTable.of(packs, *cells, size, what),), "Packs")


def _imported(pack: Data) -> str:
    """Return the name by which specs import a pack, followed by the pack's own name if that is different."""
    return str(pack["name"]) if pack["name"] == pack["own_name"] else f"{pack['name']} ({pack['own_name']})"


def outdated_document(packs: Sequence[Data]) -> Document:
    """Return the table with a line for each pack of a project: the versions used, locked, and available from its
    source."""
    table = DocumentTable.of(
        packs,
        (TableColumn("pack"), "name"),
        (TableColumn("used"), lambda one: ", ".join(one["used"])),
        (TableColumn("locked"), lambda one: ", ".join(one["locked"]) or "not yet"),
        (TableColumn("in range"), lambda one: one["fitting"] or "?"),
        (TableColumn("newest"), lambda one: one["newest"] or "?"),
        (TableColumn("source"), "source"),
    )
    problems = [Paragraph((Piece(f"{one['name']}: {one['problem']}", "bad"),)) for one in packs if one["problem"]]
    newer = [one["name"] for one in packs if one["outdated"]]
    way_on = (
        f"`scoring upgrade` moves within the ranges, `scoring upgrade {newer[0]} --version …` out of one"
        if newer
        else ""
    )
    hint = [Paragraph((Piece(way_on, "dim"),))] if way_on else []
    return Document((table, *problems, *hint), "Packs of the project")


def pack_document(pack: Data, definitions: Sequence[Data], primitives: Sequence[Data]) -> Document:
    """Return the description of a pack, and tables with a line for each of its definitions and of its primitives."""
    head: Line = (Piece(pack["name"], "bold"), f" {pack['version']}  {first_line(pack['doc'])}")
    what = (_rest(definitions, "role"), lambda one: _instead(one) + (first_line(one["doc"]) or one["expression"]))
    table = DocumentTable.of(definitions, (TableColumn("name"), "name"), (TableColumn("role"), "role"), what)
    own = (TableColumn("name"), "name"), (TableColumn("kind"), "kind"), (_rest(primitives, "kind"), "summary")
    quirks = [Section("Steps and metrics of its own", (DocumentTable.of(primitives, *own),))] if primitives else []
    return Document((Paragraph((head,)), *_deprecated(pack), table, *quirks), f"Pack {pack['name']}")


def _instead(data: Data) -> str:
    """Return the words "deprecated, use …: " with which the line about a deprecated pack or definition begins; "" if it
    is not deprecated."""
    return f"deprecated, use {data['deprecated']['for']}: " if data["deprecated"] else ""


def _deprecated(data: Data) -> Iterator[Paragraph]:
    """Yield the paragraph about the deprecation of a pack or definition; nothing if it is not deprecated."""
    found = data["deprecated"]
    if found:
        why = f": {first_line(found['why'])}" if found["why"] else ""
        yield Paragraph((Piece(f"deprecated since {found['since']}{why}", "bold"), f"use {found['for']}"))


def first_line(text: str) -> str:
    """Return the first paragraph of a text, on one line.

    Examples:
        >>> first_line("How near\\ntwo texts are.\\n\\nMore.")
        'How near two texts are.'
    """
    return " ".join(text.split("\n\n", 1)[0].split())


def definition_document(data: Data) -> Document:
    """Return the explanation of a pack's definition: its expression, parameters, examples and source."""
    blocks: list[DocumentBlock] = [Title(data["name"], f"{data['role']} · {data['pack']}")]
    blocks += _deprecated(data)
    blocks += [prose(data["doc"])] if data["doc"] else []
    blocks.append(Code(data["expression"]))
    facts = [*score_range_text(data), *([] if data.get("reads_reference", True) else ["reads no reference"])]
    blocks += [Paragraph((Piece(f"scores: {' · '.join(facts)}", "dim"),))] if facts else []
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
            *(f"{key} {short_value_text(one['given'][key])}" if key in one["given"] else "" for key in keys),
            f"→ {short_value_text(one['expect'])}",
        ]
        for one in examples
    ]
    return DocumentTable(tuple(TableColumn() for _ in (*keys, "expect")), tuple(rows))
