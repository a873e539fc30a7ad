"""Writes the expressions of a spec file in their canonical text and touches nothing else of the file."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path

from scoring.diagnostics.diagnostic import SpecError
from scoring.format.build import SECTIONS, build
from scoring.format.model import Pack, Spec, SuiteSpec, TaskSpec
from scoring.format.nodes import Node
from scoring.format.read import read_text
from scoring.lang.formula import Formula
from scoring.lang.printer import print_formula, print_pipeline
from scoring.lang.tree import Pipeline
from scoring.packs.megabench.front_end import is_metrics_json

Expression = Pipeline | Formula

_BELOW = re.compile(r"\s*:[ \t]*\r?\n\s*")


def format_text(text: str, name: str) -> str:
    """The text of a spec file with every expression in canonical form.

    Args:
        text: The content of the file.
        name: The file's name; it says whether the file is YAML or JSON.

    Raises:
        SpecError: when the file can't be read.
    """
    node = read_text(text, name)
    if is_metrics_json(node):
        return text
    spec = build(node)
    edits = [
        (_start(place), place.span.end, canonical)
        for place, tree in _expressions(node, spec)
        if not _is_canonical(place, canonical := show(tree))
    ]
    for start, end, canonical in sorted(edits, reverse=True):
        text = _replaced(text, start, end, canonical, name)
    return text


def _start(place: Node) -> int:
    """Where the text to replace begins: a list below its key moves up to the key's line."""
    key, text = place.key_span, place.span.source.text
    if key is not None and _BELOW.fullmatch(text[key.end : place.span.start]):
        return key.end + text[key.end :].index(":") + 1
    return place.span.start


def show(tree: Expression) -> str:
    """The canonical text of an expression."""
    return print_pipeline(tree) if isinstance(tree, Pipeline) else print_formula(tree)


def _is_canonical(place: Node, canonical: str) -> bool:
    if not isinstance(place.value, str):
        return False
    if place.value == canonical:
        return True
    # An expression that the author laid out over several lines keeps its line breaks.
    return "\n" in place.span.text and "".join(place.value.split()) == "".join(canonical.split())


def _replaced(text: str, start: int, end: int, canonical: str, name: str) -> str:
    """The text with one expression replaced: bare where YAML reads it back as it is, else in quotes."""
    old = read_text(text, name)
    space = " " if text[start - 1] == ":" else ""
    for written in (canonical, json.dumps(canonical, ensure_ascii=False)):
        changed = text[:start] + space + written + text[end:]
        try:
            new = read_text(changed, name)
        except SpecError:
            continue
        if _differences(old, new) == [canonical]:
            return changed
    return text


def _differences(old: Node, new: Node) -> list[object]:
    """The new values that stand where the two files differ."""
    if old.is_mapping and new.is_mapping and list(old.entries) == list(new.entries):
        pairs = list(zip(old.entries.values(), new.entries.values(), strict=True))
    elif old.is_list and new.is_list and len(old.items) == len(new.items):
        pairs = list(zip(old.items, new.items, strict=True))
    else:
        return [] if old.plain() == new.plain() else [new.plain()]
    return [found for before, after in pairs for found in _differences(before, after)]


def _expressions(node: Node, spec: Spec) -> Iterator[tuple[Node, Expression]]:
    if isinstance(spec, SuiteSpec):
        return
    yield from _definitions(node, spec)
    if isinstance(spec, TaskSpec):
        yield from _task_expressions(node, spec)


def _definitions(node: Node, spec: Pack | TaskSpec) -> Iterator[tuple[Node, Expression]]:
    for section, (_, key) in SECTIONS.items():
        found = node.get(section)
        for name, item in (found.entries if found and not found.is_list else {}).items():
            definition = spec.definitions.get(name)
            if definition is not None:
                yield (item[key] if item.is_mapping and key in item else item), definition.pipeline


def _task_expressions(node: Node, spec: TaskSpec) -> Iterator[tuple[Node, Expression]]:
    single = node.get("score")
    if single is not None and spec.fields and spec.fields[0].pipeline is not None:
        yield single, spec.fields[0].pipeline
    fields = node.get("fields")
    for field in spec.fields if fields is not None else ():
        item = fields[field.name] if fields is not None else None
        if item is not None and field.pipeline is not None:
            yield (item["score"] if item.is_mapping and "score" in item else item), field.pipeline
    for key, tree in (("parse", spec.parse), ("aggregate", spec.aggregate), ("pass", spec.passes)):
        found = node.get(key)
        if found is not None and tree is not None:
            yield found, tree
    metrics = node.get("metrics")
    if metrics is not None:
        yield from zip(metrics.items if metrics.is_list else [metrics], spec.metrics, strict=False)


def format_file(path: Path) -> tuple[str, str]:
    """The text of a file before and after.

    Raises:
        SpecError: when it can't be read.
    """
    from scoring.format.read import read_source

    before = read_source(path).text
    return before, format_text(before, str(path))
