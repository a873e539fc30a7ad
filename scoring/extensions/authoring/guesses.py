"""Guess what was meant where a finding does not say it, by the words of other tools and languages."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Sequence

from msgspec.structs import replace

from scoring.diagnostics.diagnostic import Diagnostic, Label, diagnostic
from scoring.diagnostics.meant import Meant, meant_by
from scoring.diagnostics.source import Span
from scoring.diagnostics.suggest import candidate_in, did_you_mean
from scoring.diagnostics.words import shown
from scoring.extensions.other_tools.keys import key_of_others, keys_below
from scoring.extensions.other_tools.values import values_of_others
from scoring.format.build import file_kind
from scoring.format.keys import KINDS
from scoring.format.nodes import SpecNode
from scoring.format.yaml_advice import line_end, line_start
from scoring.lang.parser import computed_or_none, pipeline_or_none
from scoring.lang.printer import value_text
from scoring.lang.tree import Call, Pipeline, walk
from scoring.lazy_pattern import lazy_pattern
from scoring.registry import registry

_QUOTED = lazy_pattern(r"`([^`]*)`")
_CHOICES = lazy_pattern(r'"([^"]*)"')
_TO_WRITE = lazy_pattern(r"(?:\A|or )(?:write )?`(\w+)=`")
_STEP_ADVICE = lazy_pattern(r"write (?:`(\w+)` before the step|the threshold after the step, as in `\w+ \| (\w+)\()")
_LINE = lazy_pattern(r"write `([\w-]+): (.*)`\Z", re.DOTALL)
_MOST_KEYS = 20
_TRUTHS = {"true": True, "false": False, "1": True, "0": False}


def guessed(finding: Diagnostic, root: SpecNode, text_around: Callable[[int, int], SpecNode | None]) -> Iterator[Meant]:
    """Yield what may be meant at the place of a finding, the likeliest first; nothing if that is unknown.

    Args:
        finding: A finding with a place in the file.
        root: The root of the file.
        text_around: A function that returns the text in the file around two offsets.
    """
    span = finding.span
    if span is None:
        return
    if finding.id == "unknown-value":
        yield from _values(finding, span)
    elif finding.id == "argument-value":
        yield from _choices(finding, span)
    elif finding.id == "unknown-key":
        yield from _entry(finding, span, root)
    elif finding.id == "syntax-data-call":
        yield from _steps(span, root)
    elif finding.id == "formula-type" and "number, where a condition is required" in finding.message:
        yield from _conditions(span)
    elif finding.id == "unknown-parameter":
        yield from _parameters(finding, span, text_around)


# ---- values that are chosen


def _values(finding: Diagnostic, span: Span) -> Iterator[Meant]:
    expected, _, found = finding.message.removeprefix("expected ").rpartition(", found ")
    words = _QUOTED.findall(found)
    word = words[0] if words else {"nothing": "null"}.get(found, "")
    members = _QUOTED.findall(expected)
    fitting = values_of_others(word, members) if word else ()
    for one in fitting:
        yield Meant(span, one, is_source=not span.text.startswith(('"', "'")), is_sure=len(fitting) == 1)


def _choices(finding: Diagnostic, span: Span) -> Iterator[Meant]:
    members = _CHOICES.findall(finding.primary.text)
    fitting = values_of_others(span.text.strip("\"'"), members)
    yield from (Meant(span, json.dumps(one, ensure_ascii=False), is_sure=len(fitting) == 1) for one in fitting)


# ---- keys and mappings


def _entry(finding: Diagnostic, span: Span, root: SpecNode) -> Iterator[Meant]:
    """Yield the entry to write for one of another tool, as the help says, unless its key stands there already."""
    line = next((found for one in finding.help if (found := _LINE.fullmatch(one))), None)
    parent = next((one for one in _mappings(root) if any(of.key_span == span for of in one.entries.values())), None)
    if line is None or parent is None or "…" in line[2]:
        return
    node = next(one for one in parent.entries.values() if one.key_span == span)
    whole = Span(span.source, span.start, node.span.end)
    if "\n" in whole.text:
        return
    outer, inner = parent.get(line[1]), line[2].removeprefix("{").removesuffix("}")
    if outer is None:
        # Another key may belong into the same mapping, which then stands there in the next round.
        entries = (one for one in parent.entries.values() if one.key_span is not None)
        before = (one for one in entries if one.key_span is not None and one.key_span.start < span.start)
        if not any(_goes_into(one, line[1]) for one in before):
            yield Meant(whole, f"{line[1]}: {line[2]}", is_source=True)
    elif outer.is_mapping and line[2] != inner:
        yield from _moved(whole, outer.span, inner)


def _goes_into(node: SpecNode, outer: str) -> bool:
    """Return whether an entry at the top of a task is one of another tool that belongs into a mapping `outer`."""
    name = node.key_span.text.strip("\"'") if node.key_span is not None else ""
    found = key_of_others("rows", (), name, node)
    return found is not None and any(one.startswith(f"write `{outer}: {{") for one in found.help)


def _moved(entry: Span, outer: Span, inner: str) -> Iterator[Meant]:
    """Yield the entry of a line of its own as a part of a mapping in braces on another line near it."""
    text = entry.source.text
    first, last = line_start(text, entry.start), line_end(text, entry.end)
    if text[first : entry.start].strip() or text[entry.end : last].strip() or not outer.text.endswith("}"):
        return
    more = f", {inner}}}" if outer.text.strip("{} \n") else f"{inner}}}"
    if outer.end <= first:
        yield Meant(Span(entry.source, outer.end - 1, last), more + text[outer.end : first - 1], is_source=True)
    elif last < outer.start:
        whole = Span(entry.source, first, outer.end)
        yield Meant(whole, text[last + 1 : outer.end - 1] + more, is_source=True)


def _mappings(root: SpecNode) -> Iterator[SpecNode]:
    waiting = [root]
    while waiting:
        node = waiting.pop()
        waiting += [*node.entries.values(), *node.items]
        if node.is_mapping:
            yield node


def _steps(span: Span, root: SpecNode) -> Iterator[Meant]:
    """Yield the list of steps that is meant by a mapping of several, in their order."""
    node = next((one for one in _mappings(root) if span in (one.span, one.key_span) and len(one.entries) > 1), None)
    if node is None or "\n" in node.span.text or not all(map(registry.knows, node.entries)):
        return
    items = []
    for name, below in node.entries.items():
        items.append(name if below.value in (None, {}, []) else f"{{{name}: {below.span.text}}}")
    yield Meant(node.span, f"[{', '.join(items)}]", is_source=True)


def told_by_key(finding: Diagnostic, root: SpecNode) -> list[Diagnostic]:
    """Return the finding for a mapping that can't be a call as one for each of its unknown keys, if it is meant as a
    mapping with the keys of its place, such as `{scorer: equal, wieght: 2}` in `fields`; else the finding alone.

    Args:
        finding: The finding.
        root: The root of the file.
    """
    way = _way_to(finding.span, root) if finding.id == "syntax-data-call" and finding.span is not None else None
    if way is None or len(node := way[-1][1]) not in range(2, _MOST_KEYS):
        return [finding]
    kind, steps = file_kind(root), tuple(name for name, _ in way)
    known = keys_below(kind, steps) if kind in KINDS else set()
    told, unknown = list[Diagnostic](), [key for key in node if key not in known]
    for key, inner in ((key, node[key]) for key in unknown):
        message, place = f"unknown key {shown(key)} in {shown(steps[-1])}", inner.key_span or inner.span
        ours = key_of_others(kind, steps, key, inner)
        told.append(ours or diagnostic("error", "unknown-key", message, place, did_you_mean(key, known)))
    without = [at for at, one in enumerate(told) if not one.primary.text]
    meant = {candidate_in(one.primary.text) for one in told} | {*node}
    if len(without) == 1 and len(told) > 1 and "score" in known - meant:  # a scorer is what a field can't lack
        place, asked = told[without[0]].span or node[unknown[without[0]]].span, "did you mean `score`?"
        told[without[0]] = replace(told[without[0]], primary=Label(place, asked), meant=meant_by(asked, place))
    elif without:
        return [finding]
    return told or [finding]


def _way_to(span: Span, root: SpecNode) -> list[tuple[str, dict[str, SpecNode]]] | None:
    """Return the keys that lead to the mapping at a place, each with the mapping's entries; None for no such one."""
    way, node = list[tuple[str, dict[str, SpecNode]]](), root
    while node.is_mapping:
        found = next(
            (
                (key, one)
                for key, one in node.entries.items()
                if (one.span.start <= span.start and span.end <= one.span.end) or span == one.key_span
            ),
            None,
        )
        if found is None:
            return None
        way.append((found[0], found[1].entries))
        node = found[1]
        if span in (node.span, node.key_span):
            return way if node.is_mapping else None
    return None


# ---- formulas


def _conditions(span: Span) -> Iterator[Meant]:
    """Yield a number that is used as a condition as two: that it is all, and that it is anything."""
    for bound in ("== 1", "> 0"):
        yield Meant(span, f"{span.text} {bound}", is_sure=False)


# ---- arguments


def _parameters(finding: Diagnostic, span: Span, text_around: Callable[[int, int], SpecNode | None]) -> Iterator[Meant]:
    owner = next(iter(_QUOTED.findall(finding.message)), "")
    advice = [found for one in finding.help for found in _TO_WRITE.findall(one.partition(", as in")[0])]
    known = {name for one in finding.help if one.startswith("its parameters: ") for name in _QUOTED.findall(one)}
    call = _call_with(span, text_around)
    names = [one for one in advice if one in known] or ([*known] if len(known) == 1 else [])
    if not names and call is not None and call.span is not None and call.name == owner:
        if instead := _other_step(call, span, finding.help):
            yield Meant(call.span, instead, is_sure=False)
            return
        names = _fitting(call, span)
    yield from (Meant(span, one, is_sure=False) for one in names)


def _fitting(call: Call, span: Span) -> list[str]:
    """Return the only parameter that can be meant by an unknown one: the one that accepts its value, or else the one
    whose description has its name as a word; [] without one."""
    index = call.keyword_spans.index(span)
    word, value = call.kwargs[index]
    given = {name for name, _ in call.kwargs}
    known = registry.get(call.name)
    free = [] if known is None else [one for one in known.params[len(call.args) :] if one.name not in given]
    chosen = [one.name for one in free if value_text(value).strip('"') in map(str, one.choices)]
    told = [one.name for one in free if word.lower() in re.findall(r"\w+", one.doc.lower())]
    return next((names for names in (chosen, told) if len(names) == 1), [])


def _call_with(span: Span, text_around: Callable[[int, int], SpecNode | None]) -> Call | None:
    """Return the call with the name of an argument at a place; None if no text can be read there."""
    node = text_around(span.start, span.end)
    if node is None:
        return None
    fragment = node.fragment()
    tree = pipeline_or_none(fragment) or computed_or_none(fragment)
    calls = (one for one in walk(tree) if isinstance(one, Call)) if isinstance(tree, Pipeline) else iter(())
    return next((one for one in calls if span in one.keyword_spans), None)


def _other_step(call: Call, span: Span, helps: Sequence[str]) -> str:
    """Return the steps that do what an argument would: one before the step, or a threshold after it; "" for none."""
    advice = next((found for one in helps if (found := _STEP_ADVICE.match(one))), None)
    if advice is None:
        return ""
    index = call.keyword_spans.index(span)
    value, alone = call.kwargs[index][1], _without(call, index)
    if advice[2]:
        return f"{alone} | {advice[2]}({value_text(value)})"
    wanted = _TRUTHS.get(value_text(value).lower(), True)
    if call.kwargs[index][0].lower() == "case_sensitive":
        wanted = not wanted
    return f"{advice[1]} | {alone}" if wanted else alone


def _without(call: Call, index: int) -> str:
    arguments = [value_text(one) for one in call.args]
    arguments += [f"{name}={value_text(one)}" for at, (name, one) in enumerate(call.kwargs) if at != index]
    return f"{call.name}({', '.join(arguments)})" if arguments else call.name
