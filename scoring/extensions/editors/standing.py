"""Find what stands at an offset: the step, definition, parameter, value or key under the cursor, with its meaning."""

from __future__ import annotations

from typing import TYPE_CHECKING

from scoring.extensions.editors.expression import rest_of_word
from scoring.extensions.editors.facts import StepFact, metric_fact, step_fact
from scoring.extensions.editors.keys import key_schemas_at
from scoring.extensions.editors.model import StandingKind, StandingName
from scoring.extensions.editors.names import NamedDefinition
from scoring.registry.model import Param

if TYPE_CHECKING:
    from scoring.extensions.editors.situation import Situation


def standing_at(found: Situation, text: str, offset: int) -> StandingName | None:
    """Return what stands at an offset of a text, None if nothing known does."""
    place, names = found.place, found.names
    if place is None or names is None or place.scalar is None:
        return None
    if place.is_key:
        return _key(found)
    if found.half is None or found.expected is None or found.half.quote:
        return None
    after = place.after
    more = rest_of_word(after)
    word = found.half.word + after[:more]
    if not word:
        return None
    start = place.scalar.offset(found.half.start)
    end = place.scalar.offset(place.index + more) if more else offset
    if after[more:].lstrip().startswith("=") and not after[more:].lstrip().startswith("=="):
        return _parameter(found, word, start, end)
    return _name(found, word, start, end)


def _key(found: Situation) -> StandingName | None:
    place, names = found.place, found.names
    if place is None or names is None or place.scalar is None:
        return None
    written = place.scalar.text
    schema = key_schemas_at(names.kind, place.path).get(written)
    if schema is not None:
        kind = schema.get("type", "")
        shown = " or ".join(kind) if isinstance(kind, list) else str(kind)
        return StandingName("key", written, place.start, place.end, shown, one_line(str(schema.get("description", ""))))
    definition = names.definitions.get(written)
    if definition is not None and definition.start in (place.start, place.start - 1):
        return StandingName(
            "definition", written, place.start, place.end, signature_of(definition), one_line(definition.doc)
        )
    return None


def _parameter(found: Situation, word: str, start: int, end: int) -> StandingName | None:
    callee = next((part.callee for part in reversed(found.parts) if part.kind == "call"), "")
    definition = None if found.names is None else found.names.definition(callee)
    if definition is not None:
        docs, default = definition[0].param_docs, definition[0].params.get(word)
        return StandingName(
            "parameter", word, start, end, "" if default is None else f"= {default}", docs.get(word, "")
        )
    fact = step_fact(callee) or metric_fact(callee)
    param = None if fact is None else fact.param(word)
    return (
        None if param is None else StandingName("parameter", word, start, end, param_detail(param), one_line(param.doc))
    )


def _name(found: Situation, word: str, start: int, end: int) -> StandingName | None:
    names = found.names
    if names is None:
        return None
    if found.follower is not None and word in found.follower.params:
        definition = None if found.expected is None else found.expected.definition
        doc = "" if definition is None else definition.param_docs.get(word, "")
        default = found.follower.params[word]
        return StandingName("parameter", word, start, end, "" if default is None else f"= {default}", doc)
    known = names.definition(word)
    if known is not None:
        return StandingName("definition", word, start, end, signature_of(known[0]), one_line(known[0].doc))
    if word in names.values:
        return StandingName("value", word, start, end, names.values[word][:200])
    is_metric = found.expected is not None and found.expected.role == "metric"
    fact = (metric_fact(word) if is_metric else None) or step_fact(word) or metric_fact(word)
    if fact is not None:
        kind: StandingKind = "metric" if fact.kind == "metric" else "step"
        return StandingName(kind, word, start, end, fact.signature, one_line(fact.summary))
    if word in names.fields:
        return StandingName("field", word, start, end)
    alias = word.partition(".")[0]
    if alias in names.targets:
        return StandingName("pack", word, start, end, names.targets[alias])
    return None


def signature_of(definition: NamedDefinition) -> str:
    """Return a definition's name with its parameters and their defaults, and the form of its pipeline."""
    params = [name if default is None else f"{name}={default}" for name, default in definition.params.items()]
    shown = f"{definition.name}({', '.join(params)})" if params else definition.name
    return f"{shown}: {definition.form}"[:400]


def step_detail(fact: StepFact) -> str:
    """Return the types of a primitive: what it takes and what it gives."""
    return f"{', '.join(map(str, fact.inputs))} → {fact.output}"


def param_detail(param: Param) -> str:
    """Return the type of a parameter, with its default."""
    kind = str(param.pipeline) if param.pipeline else str(param.type)
    if param.choices:
        kind = " | ".join(map(repr, param.choices))
    return kind if param.required or param.variadic else f"{kind} = {param.default!r}"


def one_line(text: str) -> str:
    """Return the first paragraph of a text on one line, at most 300 characters."""
    return " ".join(text.strip().split("\n\n")[0].split())[:300]
