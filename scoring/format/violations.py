"""Describe violations of schema keywords to the author of the file."""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import suppress
from decimal import Decimal
from typing import Any

from scoring.data.json_schema import Schema, Violation, followed
from scoring.diagnostics.diagnostic import Diagnostic, Label, diagnostic
from scoring.diagnostics.meant import Advice
from scoring.diagnostics.source import Span
from scoring.diagnostics.suggest import did_you_mean
from scoring.diagnostics.words import counted, listed, shown
from scoring.format.nodes import SpecNode, kind_of
from scoring.format.yaml_scalars import resolve as scalar_of
from scoring.format.yaml_text import flow, is_plain_scalar
from scoring.lazy_pattern import lazy_pattern
from scoring.values import is_number

# A function that returns a special finding for an unknown key, given the path of its mapping, its name and its value.
Elsewhere = Callable[[tuple[str | int, ...], str, SpecNode], Diagnostic | None]


def describe_violation(
    violation: Violation, root: SpecNode, documents: tuple[Schema, ...], elsewhere: Elsewhere | None = None
) -> Iterator[Diagnostic]:
    """Yield the findings for a violation: one, or one for each key concerned.

    Args:
        violation: The violation of the schema by a file.
        root: The file.
        documents: Its schema, and the further documents for references.
        elsewhere: A function that returns a special finding for an unknown key, or None.
    """
    node = root.at(violation.path)
    if violation.keyword == "additionalProperties":
        names = list(violation.schema.get("properties", {}))
        for key in (key for key in violation.value if key not in names):
            known = elsewhere(violation.path, key, node[key]) if elsewhere is not None else None
            fitting = [name for name in names if _takes(violation.schema["properties"][name], node[key], documents)]
            yield known or _unknown_key(key, names, node[key].key_span or node.span, node, fitting)
    elif violation.in_key:
        yield _bad_key(violation, node)
    elif violation.keyword == "required":
        yield from _missing_keys(violation, node, documents)
    elif violation.keyword == "uniqueItems":
        yield from _repeated(node)
    else:
        yield _MAKERS.get(violation.keyword, _other)(violation, node)


def _shown_span(node: SpecNode) -> Span:
    """Return the span to show for a value: that of its key if the value is empty or a collection of several lines."""
    if node.span.start >= node.span.end and node.key_span is not None:
        return node.key_span
    if (node.is_mapping or node.is_list) and "\n" in node.span.text:
        return node.key_span or _first_line(node.span)
    return node.span


def _first_line(span: Span) -> Span:
    return Span(span.source, span.start, span.start + len(span.text.partition("\n")[0]))


def error(id: str, message: str, violation: Violation, node: SpecNode, label: str = "", **more: Any) -> Diagnostic:
    """Return an error at a value that violates a schema; its default label is the description in the schema."""
    return diagnostic("error", id, message, _shown_span(node), label or _sentence(violation.schema), **more)


# ---- keys


def _unknown_key(key: str, known: list[str], span: Span, parent: SpecNode, fitting: Collection[str] = ()) -> Diagnostic:
    """Return the finding for an unknown key; of similar `known` keys, one is preferred whose values are `fitting`."""
    label = did_you_mean(key, fitting) or did_you_mean(key, known)
    hint = () if label or not known else f"the keys here are {listed(sorted(known), 'and', 40)}"
    return diagnostic("error", "unknown-key", f"unknown key {shown(key)}{_within(parent)}", span, label, help=hint)


def _takes(schema: Schema, node: SpecNode, documents: tuple[Schema, ...]) -> bool:
    """Return whether values of a key, given its schema, may be of the type of a value."""
    wanted = followed(schema, documents).get("type", ())
    return _TYPES.get(type(node.value), "") in ([wanted] if isinstance(wanted, str) else wanted)


_TYPES = {str: "string", dict: "object", list: "array", bool: "boolean", int: "number", float: "number"}


def _within(parent: SpecNode) -> str:
    return f" in {shown(parent.key_span.text)}" if parent.key_span else ""


def _missing_keys(violation: Violation, node: SpecNode, documents: tuple[Schema, ...]) -> Iterator[Diagnostic]:
    span = node.key_span or _first_line(node.span)
    for name in violation.wanted:
        if name not in violation.value:
            inner = followed(violation.schema.get("properties", {}).get(name), documents)
            message, hint = f"the key `{name}` is missing{_within(node)}", f"add it:\n{name}: {_sample(inner)}"
            theirs = next((one for one in _OTHER_NAMES.get(name, ()) if one in violation.value), None)
            place = node[theirs].key_span if theirs else None
            hint = Advice.of(f"write `{name}` for `{theirs}`", place, name) if theirs else hint
            hints = [hint, *filter(None, [_example(violation.schema)])]
            yield diagnostic("error", "missing-key", message, span, _sentence(inner), help=hints)


_OTHER_NAMES = {"expect": ("score", "expected_score", "expected", "result", "value")}
"""Other names that people use for a required key, in a mapping that accepts further keys."""


def _bad_key(violation: Violation, node: SpecNode) -> Diagnostic:
    key = str(violation.value)
    entry = node.get(key)
    span = (entry.key_span if entry else None) or _shown_span(node)
    if violation.keyword in ("enum", "const"):
        return _unknown_key(key, list(map(str, _members(violation))), span, node)
    words = _sentence(violation.schema) or f"names follow `{violation.wanted}`"
    return diagnostic("error", "bad-name", f"{shown(key)} can't be a name here", span, words)


# ---- values

_TYPE_WORDS = {
    "string": "text",
    "number": "a number",
    "integer": "a whole number",
    "boolean": "true or false",
    "array": "a list",
    "object": "a mapping",
    "null": "nothing",
}


def _wrong_type(violation: Violation, node: SpecNode) -> Diagnostic:
    wanted = [violation.wanted] if isinstance(violation.wanted, str) else list(violation.wanted)
    words = [_TYPE_WORDS.get(name, name) for name in wanted if name != "null" or len(wanted) == 1]
    expected = f"{', '.join(words[:-1])} or {words[-1]}" if len(words) > 1 else "".join(words)
    hint, note = _about_type(wanted, node)
    if violation.path[:1] == ("fields",) and len(violation.path) == 2 and is_number(node.value):
        hint = f"write a scorer, `{violation.path[1]}: equal`"
        if violation.path[1] == "weight":
            hint = f"a weight goes in its field: write `{{score: equal, weight: {node.span.text}}}` there"
    if node.is_list and "object" in wanted:
        usual = next(iter(violation.schema.get("examples", [])), {"": "…"})
        hint = _as_mapping(node, flow(next(iter(usual.values()))))
    elif "array" in wanted and not hint and isinstance(node.value, (str, dict)) and "\n" not in node.span.text:
        names = [name for name, item in node.entries.items() if not (item.is_mapping or item.is_list or item.is_text)]
        text = ", ".join(names) if node.is_mapping and len(names) == len(node.entries) else node.span.text
        hint = Advice.of(f"write a list, `[{text}]`", node.span, f"[{text}]", is_source=True)
    hint = hint or _example(violation.schema) or ("for example `1`" if "number" in wanted else "")
    return error("wrong-type", f"expected {expected}, found {_found(node)}", violation, node, help=hint, note=note)


def _found(node: SpecNode) -> str:
    value = node.value
    if isinstance(value, str):
        return f"the text {shown(value)}"
    if isinstance(value, bool) or is_number(value):
        return f"the {kind_of(value).removeprefix('a ')} {shown(node.span.text)}"
    return kind_of(value)


def _as_mapping(node: SpecNode, sample: str) -> str:
    """Return advice to write a list of names, or of one-entry mappings, as a mapping; "" for other lists."""
    pairs: list[tuple[str, str]] = []
    for item in node.items[:_SHOWN]:
        entries = [*item.entries.items()] if item.is_mapping else []
        if isinstance(item.value, str) and is_plain_scalar(item.value):
            pairs.append((item.value, sample))
        elif len(entries) == 1 and "\n" not in (text := entries[0][1].span.text):
            pairs.append((entries[0][0], text))
        else:
            return ""
    if not pairs:
        return ""
    more, written = ", …" if len(node.items) > _SHOWN else "", ", ".join(f"{name}: {text}" for name, text in pairs)
    advice, is_sure = f"write a mapping, `{{{written}{more}}}`", all(item.is_mapping for item in node.items)
    if more or len({name for name, _ in pairs}) < len(pairs):
        return advice
    return Advice.of(advice, node.span, f"{{{written}}}", is_source=True, is_sure=is_sure)


_SHOWN = 5
_TRUTH = {"yes": "true", "on": "true", "y": "true", "no": "false", "off": "false", "n": "false"}


def _about_type(wanted: list[str], node: SpecNode) -> tuple[str, str]:
    """Return advice for a value of a wrong type, and a note on how other readers interpret it."""
    value, written = node.value, node.span.text
    if not isinstance(value, str):
        scalar = value is not None and not node.is_mapping and not node.is_list
        if is_number(value) and {*wanted} == {"string", "boolean"}:
            condition = f"score >= {written}"
            return Advice.of(f"write a condition: `{condition}`", node.span, condition, is_source=True), ""
        advice = f'put it in quotes to make it text: `"{written}"`' if scalar and "string" in wanted else ""
        return Advice.of(advice, node.span, f'"{written}"', is_source=True, is_sure=wanted == ["string"]), ""
    if {"number", "integer"} & {*wanted} and (number := likely_number(value.strip())):
        return Advice.of(f"write `{number}`", node.span, number, is_source=True), ""
    if node.style == "plain":
        other, word = meaning_in_yaml_1_1(value), _TRUTH.get(value.lower())
        note = f"{shown(value)} is text here (YAML 1.2); readers of YAML 1.1 take it for {other}" if other else ""
        advice = f"write `{word}`" if word and "boolean" in wanted else ""
        return Advice.of(advice, node.span, word or "", is_source=True), note
    with suppress(ValueError):
        unquoted = scalar_of(value.strip())
        is_truth = isinstance(unquoted, bool) and "boolean" in wanted
        if is_truth or (is_number(unquoted) and ("number" in wanted or "integer" in wanted)):
            text = value.strip()
            return Advice.of(f"remove the quotes: `{text}`", node.span, text, is_source=True), ""
    return "", ""


def _members(violation: Violation) -> list[Any]:
    return violation.wanted if violation.keyword == "enum" else [violation.wanted]


def _unknown_value(violation: Violation, node: SpecNode) -> Diagnostic:
    texts = [member if isinstance(member, str) else json.dumps(member) for member in _members(violation)]
    near = did_you_mean(node.value, texts) if isinstance(node.value, str) else ""
    message = f"expected {listed(texts, 'or', 40)}, found {_found(node)}"
    return error("unknown-value", message, violation, node, near)


def _out_of_range(violation: Violation, node: SpecNode) -> Diagnostic:
    bound = f"{_RANGE_WORDS[violation.keyword]} {violation.wanted}"
    return error("out-of-range", f"expected {bound}, found {shown(node.span.text)}", violation, node)


_RANGE_WORDS = {
    "minimum": "at least",
    "maximum": "at most",
    "exclusiveMinimum": "more than",
    "exclusiveMaximum": "less than",
    "multipleOf": "a multiple of",
}


def _wrong_size(violation: Violation, node: SpecNode) -> Diagnostic:
    if violation.schema.get("minProperties") == violation.schema.get("maxProperties") == 1:
        # In our schemas, a mapping with exactly one key is the name of a step with its arguments.
        return error(
            "syntax-data-call",
            f"a call is a mapping with one key, but this one has {len(node.entries)}",
            violation,
            node,
            "expected one key, the name of the step",
            help="write `name: {argument: value}`; several steps go in a list",
        )
    bound, noun = _SIZE_WORDS[violation.keyword]
    plural = "entries" if noun == "entry" else ""
    wanted, size = (counted(number, noun, plural) for number in (violation.wanted, len(violation.value)))
    return error("wrong-size", f"expected {bound} {wanted}, found {size}", violation, node)


_SIZE_WORDS = {
    f"{bound}{what}": (words, noun)
    for bound, words in (("min", "at least"), ("max", "at most"))
    for what, noun in (("Items", "item"), ("Properties", "entry"), ("Length", "character"))
}


def _repeated(node: SpecNode) -> Iterator[Diagnostic]:
    seen: dict[str, SpecNode] = {}
    for item in node.items:
        first = seen.setdefault(json.dumps(item.plain(), sort_keys=True), item)
        if first is not item:
            message, others = f"{shown(item.span.text)} appears twice in one list", [Label(first.span, "first here")]
            yield diagnostic("error", "repeated-item", message, item.span, "again here", secondary=others)


def _bad_text(violation: Violation, node: SpecNode) -> Diagnostic:
    message = f"{shown(str(node.value))} is not in the required form"
    note = () if _sentence(violation.schema) else f"it follows the pattern `{violation.wanted}`"
    return error("bad-text", message, violation, node, note=note, help=_examples(violation.schema))


def _other(violation: Violation, node: SpecNode) -> Diagnostic:
    return error("bad-value", f"{_found(node)} is not allowed here", violation, node)


_MAKERS: dict[str, Callable[[Violation, SpecNode], Diagnostic]] = {
    "type": _wrong_type,
    "enum": _unknown_value,
    "const": _unknown_value,
    "pattern": _bad_text,
    **dict.fromkeys(_RANGE_WORDS, _out_of_range),
    **dict.fromkeys(_SIZE_WORDS, _wrong_size),
}


# ---- texts from the schema


def _sentence(schema: Mapping[str, Any]) -> str:
    """Return the first sentence of a schema's description, "" if it has none."""
    text = str(schema.get("description", "")).strip().split("\n")[0]
    return text.split(". ")[0].removesuffix(".")


def _examples(schema: Mapping[str, Any]) -> str:
    examples = [str(example) for example in schema.get("examples", [])]
    return f"for example {listed(examples[:3])}" if examples else ""


def _example(schema: Mapping[str, Any]) -> str:
    """Return advice that shows a schema's example of a list or mapping; "" if the schema has no such example."""
    shown = next((one for one in schema.get("examples", ()) if isinstance(one, (dict, list))), None)
    return f"for example `{flow(shown)}`" if shown is not None else ""


def _sample(schema: Mapping[str, Any]) -> str:
    """Return a sample of a value that a schema accepts, to paste, on one line."""
    for key in ("const", "default"):
        if key in schema:
            return _written(schema[key])
    for key in ("examples", "enum"):
        if schema.get(key):
            return _written(schema[key][0])
    type_ = schema.get("type")
    return _SAMPLES.get(type_ if isinstance(type_, str) else "", "…")


_SAMPLES = {"string": "…", "number": "1", "integer": "1", "boolean": "true", "array": "[…]", "object": "{…}"}


def _written(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def likely_number(written: str) -> str:
    """Return the number that people mean by a text that is not a number in YAML; "" if it is uncertain.

    Examples:
        >>> likely_number("70%"), likely_number("0,7"), likely_number("1_000"), likely_number("many")
        ('0.7', '0.7', '1000', '')
    """
    if not _OTHER_NUMBER.fullmatch(written):
        return ""
    if written.endswith("%"):
        return f"{Decimal(written[:-1].strip().replace(',', '.')) / 100:f}"
    return written.replace("_", "").replace(",", ".")


_OTHER_NUMBER = lazy_pattern(r"[0-9]{1,9}(?:[.,][0-9]{1,9})? ?%|[0-9]{1,9},[0-9]{1,9}|[0-9]{1,9}(?:_[0-9]{3}){1,4}")


_OTHER_BOOLS = frozenset(
    form for word in ("y", "yes", "n", "no", "on", "off") for form in (word, word.title(), word.upper())
)
_SEXAGESIMAL = lazy_pattern(r"[-+]?[0-9][0-9_]*(?::[0-5]?[0-9])+(?:\.[0-9_]*)?\Z")
_DATE = lazy_pattern(r"[0-9]{4}-[0-9]{1,2}-[0-9]{1,2}(?:[Tt \t].*)?\Z")
_UNDERSCORED = lazy_pattern(r"[-+]?[0-9][0-9_]*\Z")


def meaning_in_yaml_1_1(written: str) -> str | None:
    """Return in words how YAML 1.1 readers interpret an unquoted text; None if it is text for them as well.

    Examples:
        >>> meaning_in_yaml_1_1("yes"), meaning_in_yaml_1_1("12:30"), meaning_in_yaml_1_1("yesterday")
        ('a boolean', 'the number 750', None)
    """
    if written in _OTHER_BOOLS:
        return "a boolean"
    if _SEXAGESIMAL.match(written):
        return f"the number {_base_60(written)}"
    if _DATE.match(written):
        return "a date"
    if "_" in written and _UNDERSCORED.match(written):
        return f"the number {written.replace('_', '')}"
    return None


def _base_60(written: str) -> str:
    """Return the number that a YAML 1.1 reader computes for a text such as `12:30`: 12 times 60 plus 30."""
    value = 0.0
    for part in written.lstrip("+-").replace("_", "").split(":"):
        value = value * 60 + float(part)
    return f"{-value if written[0] == '-' else value:g}"
