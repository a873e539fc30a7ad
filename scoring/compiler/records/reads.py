"""The paths at which the data have the inputs of a task, and which of them are part of its meaning.

A plain path, such as `output.text` or `choices[0]`, only says where a value is: it is not part of the meaning, so that
data of another layout are scored by the same rules. A path that computes something is part of it, and so is any path
that weighs or samples records, since it determines which figure results.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any

from scoring.compiler.programs.messages import Findings
from scoring.compiler.programs.program import Program
from scoring.compiler.records.record_reader import DEFAULTS, place_parts
from scoring.depth import in_full_depth
from scoring.diagnostics.diagnostic import Label
from scoring.format.model import TaskSpec
from scoring.format.sections import RecordParts
from scoring.lang.places import place_text
from scoring.lazy_pattern import lazy_pattern

_KEY = r'(?:[A-Za-z_][A-Za-z0-9_]*|"[^"\\]+")'
_PLAIN = lazy_pattern(rf"@|{_KEY}(?:\.{_KEY}|\[-?[0-9]+\])*")
_WORD = lazy_pattern(r"\w+")
# A record that is read as a whole, in which every name that is declared stands.
_WHOLE = lazy_pattern(r': "record"|"record"\]|"record", (?!")')
# What is read of every record, whatever a task computes.
_ALWAYS = frozenset({"id", "response", "reference", "weight"})
_FIGURES = frozenset({"weight"})


def is_plain_path(path: str) -> bool:
    """Tell whether a JMESPath only reads a value and computes nothing.

    Examples:
        >>> [is_plain_path(path) for path in ("gold", 'output."the text"', "choices[0].message", "@")]
        [True, True, True, True]
        >>> [is_plain_path(path) for path in ("length(x)", "gold || answer", "tags[]", "`1`", "a[?b]")]
        [False, False, False, False, False]
    """
    return _PLAIN.fullmatch(path) is not None


def path_form(path: str) -> Any:
    """Return a canonical form of a JMESPath, which is equal for all spellings of the same path.

    Examples:
        >>> path_form("length( x )") == path_form("length(x)") != path_form("length(y)")
        True
    """
    if is_plain_path(path):
        return path
    import jmespath

    return in_full_depth(jmespath.compile, path).parsed


def parts_read(parts: RecordParts, meaning: Mapping[str, Any]) -> dict[str, str]:
    """Return the declared parts of a record that anything reads, each with its path.

    Args:
        parts: The parts that the spec declares under `record`.
        meaning: The meaning of a task; every name that occurs in it counts as read.
    """
    text = json.dumps({name: value for name, value in meaning.items() if name != "record"}, default=repr)
    found = frozenset(_WORD.findall(text))
    every = _WHOLE.search(text) is not None
    return {name: path for name, path in parts.paths().items() if every or name in _ALWAYS or name in found}


def computing(read: Mapping[str, str]) -> dict[str, Any]:
    """Return, in canonical form, those of the paths in ``read`` (by part of a record) that can change results: they
    compute something, or their values weigh or sample records."""
    return {name: path_form(path) for name, path in read.items() if name in _FIGURES or not is_plain_path(path)}


def plain_reads(read: Mapping[str, str]) -> dict[str, str]:
    """Return those of the paths in ``read``, by part of a record, that only read a value and are not the part's own
    name.

    Examples:
        >>> plain_reads({"id": "id", "reference": "gold", "n": "length(x)", "weight": "w"})
        {'reference': 'gold'}
    """
    plain = {name: path for name, path in read.items() if name not in _FIGURES and is_plain_path(path)}
    return {name: path for name, path in sorted(plain.items()) if path != DEFAULTS.get(name, name)}


def resolved(parts: Iterable[str], attributes: Mapping[str, Any], declared: Mapping[str, str]) -> list[Any]:
    """Return the meanings of the attributes ``parts`` of records as plain data, in their order.

    The meaning is the entry in ``attributes`` for a computed value, and otherwise the attribute's path, with that of
    the ``declared`` part of a record at which it begins.
    """
    found: list[Any] = []
    for part in parts:
        segments, each = place_parts(part)
        own, first = place_text(segments) + "[]" * each, str(segments[0]) if segments else ""
        within = {first: path_form(declared[first])} if first in declared else {}
        found.append(attributes.get(part, within.get(own, [own, within] if within else own)))
    return found


def check_inputs(spec: TaskSpec, programs: Mapping[str, Program], findings: Findings) -> None:
    """Report parts of the record that a program of an imported definition reads and the task does not declare."""
    declared = {*DEFAULTS, *spec.record}
    for name, program in programs.items():
        for path in program.paths():
            if path.root != "record" or not path.segments or path.segments[0] in declared:
                continue
            if path.span is not None and spec.span is not None and path.span.source == spec.span.source:
                continue
            wanted = str(path.segments[0])
            findings.error(
                "missing-input",
                f"{name} reads `record.{wanted}`, which this task does not provide",
                program.span or spec.span,
                "",
                [Label(path.span, "it is read here")] if path.span else [],
                help=f"add `{wanted}: <its place in the record>` under `record:`",
            )
