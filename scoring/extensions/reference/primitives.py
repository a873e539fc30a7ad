"""Describe primitives as plain data, and generate the reference pages, such as docs/primitives.md, from the
registry."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from scoring.registry.model import STARS, Param, Primitive
from scoring.registry.topics import TOPICS

KINDS = ("transform", "comparator", "rescorer", "combinator", "aggregator", "metric")
KIND_DOCS = {
    "transform": "`A -> B`: runs on both sides before a comparator; a parser is a transform of the raw response.",
    "comparator": "`A, B -> Score`: joins prediction and reference.",
    "rescorer": "`Score -> Score`: follows a score.",
    "combinator": "takes pipelines as arguments.",
    "aggregator": "joins the scores of the fields of one record.",
    "metric": "joins the records of a data set.",
}


def arrow(primitive: Primitive) -> str:
    """Return the input and output types of a primitive as text, joined by an arrow.

    Examples:
        >>> from scoring.registry import registry
        >>> arrow(registry.get("invert"))
        'Score -> Score'
    """
    return f"{', '.join(map(str, primitive.inputs))} -> {primitive.output}"


def param_kind(param: Param) -> str:
    """Return as text what a parameter of a primitive takes: its type with bounds, or its choices.

    Examples:
        >>> from scoring.registry import registry
        >>> param_kind(registry.get("zero_below").param("threshold"))
        "Number in the score's range"
    """
    if param.pipeline:
        return str(param.pipeline)
    if param.choices:
        return " | ".join(repr(choice) if isinstance(choice, str) else str(choice) for choice in param.choices)
    bounds = " in the score's range" if param.of_score else ""
    if param.low is not None and param.high is not None:
        bounds = f" {param.low:g}…{param.high:g}"
    elif param.low is not None:
        bounds = f" ≥ {param.low:g}"
    elif param.high is not None:
        bounds = f" ≤ {param.high:g}"
    return f"{'whole ' * param.is_whole}{param.type}{bounds}"


def param_default(param: Param) -> str:
    """Return the default of a primitive's parameter as text: "required" if it has none, "any number" if it is
    variadic."""
    if param.variadic:
        return "any number"
    return "required" if param.required else literal(param.default)


def literal(value: object) -> str:
    """Return a value as it is written in expressions.

    Examples:
        >>> literal("union"), literal(True), literal(None), literal(0.5)
        ('"union"', 'true', 'null', '0.5')
    """
    from scoring.data.json_write import dumps

    return dumps(value)


def primitive_data(primitive: Primitive) -> dict[str, Any]:
    """Return all that is documented of a primitive as plain data: names, types, texts, examples and parameters."""
    return {
        "name": primitive.name,
        "kind": primitive.kind,
        "family": primitive.family,
        "topics": list(primitive.topics),
        "aka": list(primitive.aka),
        "type": arrow(primitive),
        "summary": primitive.doc.summary,
        "body": primitive.doc.body,
        "examples": primitive.doc.examples,
        "source": primitive.doc.source,
        "revision": primitive.revision,
        "uses": list(primitive.uses),
        "distribution": str(primitive.release),
        "parameters": [
            {
                "name": param.name,
                "variadic": param.variadic,
                "takes": param_kind(param),
                "default": param_default(param),
                "doc": param.doc,
            }
            for param in primitive.params
        ],
    }


_HEAD = """\
<!-- Written by `scoring generate` from the declarations of the primitives; changes here are lost. -->
# Primitives

The alphabet of the language: every name that a pipeline can use without an import, by families. `scoring list` prints
this table, `scoring list FAMILY` one family, `scoring list --about "words"` searches by the words of the field,
`scoring explain NAME` shows one entry. Whole tasks are in the [cookbook](cookbook.md). What only one benchmark needs is
called `pack/name` and is kept separate, in [upstream.md](upstream.md).
"""

_FAMILY = """<!-- Written by `scoring generate` from the declarations of the primitives; changes here are lost. -->
# Primitives: {name}

[All primitives](../primitives.md).
"""

_UPSTREAM = """<!-- Written by `scoring generate` from the declarations of the primitives; changes here are lost. -->
# What only one benchmark needs

Steps and metrics of the packs that repeat a benchmark's released code word for word, with its quirks, and those that
nothing but the odd tasks of one need. For rules of your own take those of [primitives.md](primitives.md).

Each is called `pack/name`. The namespace is the shipped pack whose definitions use it, with `_` for `-`. Where a
benchmark has a pack of its documented rules and one of its released rules, what both use is in the namespace of the
first; what two benchmarks use is no quirk and has a plain name. The word `upstream` in a name says that the step does
what released code does.

They are in no list but `scoring list quirks` and that of their pack, `scoring list PACK`; a search with
`scoring list --about "words"` shows them last. What [official rules do](#what-official-rules-do) that an audit forbids
stands before them.
"""


def reference_pages(primitives: Iterable[Primitive], facts: str = "") -> dict[str, str]:
    """Return the texts of the pages of the reference by path: an index by family and topic, a page for each family of
    our own primitives, and one for the quirks.

    Quirks are primitives that only one benchmark needs; the index leaves them out. `facts` is the section about
    official rules on the page of the quirks.
    """
    every = [one for one in primitives if one.is_own]
    ours = [one for one in every if not one.is_quirk]
    families = {
        family: [one for one in ours if one.family == family] for family in sorted({one.family for one in ours})
    }
    pages = {
        f"docs/reference/{name}.md": _page(_FAMILY.format(name=name), members) for name, members in families.items()
    }
    index = "\n\n".join(part.strip() for part in (_HEAD, _families(families), _kinds(ours), _topics(ours))) + "\n"
    quirks = [one for one in every if one.is_quirk]
    upstream = "\n\n".join(part.strip() for part in (_UPSTREAM, _namespaces(quirks), facts) if part)
    return {"docs/primitives.md": index, **pages, "docs/upstream.md": _page(upstream, quirks)}


def _page(head: str, primitives: list[Primitive]) -> str:
    return "\n\n".join(part.strip() for part in (head, *map(markdown, primitives))) + "\n"


def _families(families: Mapping[str, Sequence[Primitive]]) -> str:
    lines = ["| family | | primitives |", "|---|---|---|"]
    lines += [
        f"| [{name}](reference/{name}.md) | {len(members)} | {_links(members)} |" for name, members in families.items()
    ]
    return "\n".join(lines)


def _namespaces(quirks: Sequence[Primitive]) -> str:
    counts = Counter(one.family for one in quirks)
    lines = ["| namespace | steps and metrics |", "|---|---|"]
    return "\n".join(["", *lines, *(f"| `{name}/` | {count} |" for name, count in sorted(counts.items()))])


def _links(primitives: Iterable[Primitive]) -> str:
    return ", ".join(f"[`{one.name}`]({one.page})" for one in primitives)


def _topics(primitives: list[Primitive]) -> str:
    lines = ["| topic | what is scored with it |", "|---|---|"]
    for topic, doc in TOPICS.items():
        names = _links(one for one in primitives if topic in one.topics)
        if names:
            lines.append(f"| {topic}: {doc} | {names} |")
    return "\n".join(lines)


def _kinds(primitives: list[Primitive]) -> str:
    counts = Counter[str](one.kind for one in primitives)
    head = "Of each kind (`scoring list KIND`) there are:"
    return "\n".join([head, "", *(f"- **{kind}** ({counts[kind]}), {KIND_DOCS[kind]}" for kind in KINDS)])


def markdown(primitive: Primitive) -> str:
    """Return the section about a primitive on a page of the reference, as Markdown."""
    parts = [f"## `{primitive.name}`", f"{primitive.doc.summary}", f"`{arrow(primitive)}`"]
    if primitive.doc.body:
        parts.append(primitive.doc.body)
    if primitive.params:
        lines = ["| parameter | takes | default | |", "|---|---|---|---|"]
        lines += [
            f"| `{STARS[param.variadic]}{param.name}` | {_cell(param_kind(param))} | "
            f"{_cell(param_default(param))} | {_plain(param.doc)} |"
            for param in primitive.params
        ]
        parts.append("\n".join(lines))
    if primitive.range != (0.0, 1.0) and not (primitive.kind == "metric" and math.isinf(primitive.range[0])):
        parts.append(f"Range: {primitive.range[0]:g} … {primitive.range[1]:g}.")
    if primitive.uses:
        parts.append(f"Uses: {', '.join(f'`{name}`' for name in primitive.uses)}.")
    if primitive.doc.examples:
        parts.append(f"```python\n{primitive.doc.examples}\n```")
    if primitive.aka:
        parts.append(f"Also called: {', '.join(primitive.aka)}.")
    if primitive.doc.source:
        parts.append(f"Source: {primitive.doc.source}")
    return "\n\n".join(parts)


def _cell(text: str) -> str:
    return f"`{_plain(text)}`" if text not in ("required", "any number") else text


def _plain(text: str) -> str:
    return text.replace("|", "\\|").replace("\n", " ")
