"""Conversion of a spec file to a tree: mappings by key, expressions and formulas as trees, without documentation.

Different spellings of the same content (a short and a long form, an explicit default) give the same tree. `data_of`
turns a tree back into data, so that a tree between those of two files can be compiled and run.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path as FilePath
from typing import Any, TypeAlias

from scoring.extensions.sharing.changes.merge import FORMULAS
from scoring.extensions.suites.spec import SuiteSpec
from scoring.format.definitions import NO_DEFAULT, Parameter, SpecFile
from scoring.format.keys import Key, SpecPart, defaults_of, keys_of
from scoring.format.measures import NamedMetric
from scoring.format.model import Pack, TaskSpec, file_kind_of
from scoring.format.sections import RecordParts
from scoring.lang.formula_printer import print_formula
from scoring.lang.printer import print_pipeline
from scoring.lang.tree import Path, Pipeline

FileTree: TypeAlias = dict[str, Any]

SECTIONS: Mapping[str, str] = {
    "scorers": "score",
    "parsers": "parse",
    "transforms": "transform",
    "aggregates": "aggregate",
    "metrics": "metric",
}
"""The sections of definitions, and the key that holds the expression in each."""
_WORDS = ("version", "doc", "source", "examples")
# Keys that are handled separately or left out.
_OWN = frozenset({"kind", "name", "version", "imports", "fields", "score", "tasks", "values"})


def file_tree(spec: SpecFile, folder: FilePath | None) -> FileTree:
    """Return a spec file as a tree: by key, with expressions parsed, and without imports and documentation.

    Args:
        spec: The file.
        folder: The folder to which the path of its file of labels is relative; None for the current folder.
    """
    kind = file_kind_of(spec)
    definitions = [name for name in SECTIONS if name != "metrics" or isinstance(spec, Pack)]
    own = _OWN - {"score"} if isinstance(spec, SuiteSpec) else {*_OWN, *definitions}
    found: FileTree = {}
    for key in keys_of(type(spec), kind):
        if key.name in own or _is_quiet(key) or key.prose or (key.is_brought and key.moves == "compiled"):
            continue
        value = key.of(spec)
        tree = _record(value) if isinstance(value, RecordParts) else part_tree(value)
        if not _is_unsaid(spec, key, value):
            found[key.name] = tree
    if isinstance(spec, SuiteSpec):
        return found | ({"tasks": list(map(part_tree, spec.tasks))} if spec.tasks else {})
    for name in definitions:
        section = getattr(spec, name, {})
        if section:
            found[name] = {
                one.name: {
                    "params": {param.name: _parameter(param) for param in one.params},
                    "expression": one.pipeline,
                }
                for one in section.values()
            }
    assert isinstance(spec, Pack | TaskSpec)
    if spec.values:
        found["values"] = {one.name: one.pipeline for one in spec.values.values()}
    defining = [key for key in keys_of(type(spec)) if key.is_brought and key.moves == "compiled" and key.of(spec)]
    found |= {key.name: part_tree(spec.data[key.name]) for key in defining}
    if isinstance(spec, Pack):
        return found
    if isinstance(spec.labels, str):
        found["labels"] = _labels(spec.labels, folder)
    if spec.score is not None:
        return {**found, "score": spec.score}
    fields = {
        one.name: {name: value for name, value in part_tree(one).items() if value is not None} for one in spec.fields
    }
    return {**found, **({"fields": fields} if fields else {})}


def _is_quiet(key: Key) -> bool:
    """Return True if a key can't affect scores: documentation, examples, sources, or a plug-in's key declared to have
    no effect on them."""
    return key.name in ("examples", "doc", "source") or (key.is_brought and key.moves == "nothing")


def part_tree(part: Any) -> Any:
    """Return a part of a spec, such as a field or a policy, as a tree; settings that are numbers or words are included
    even if they have their default."""
    if isinstance(part, (Pipeline, Path, NamedMetric, *FORMULAS)):
        return part
    if isinstance(part, SpecPart):
        keys = (key for key in keys_of(type(part)) if not _is_quiet(key))
        return {key.name: part_tree(key.of(part)) for key in keys if not _is_unsaid(part, key, key.of(part))}
    if isinstance(part, Mapping):
        return {str(name): part_tree(value) for name, value in part.items()}
    return [part_tree(item) for item in part] if isinstance(part, (list, tuple)) else part


def data_of(tree: Any) -> Any:
    """Return a tree as the plain data that a spec file would contain, with expressions and formulas as text."""
    if isinstance(tree, Pipeline):
        return print_pipeline(tree)
    if isinstance(tree, NamedMetric):
        return {tree.name: tree.text}
    if isinstance(tree, (Path, *FORMULAS)):
        return print_formula(tree)
    if isinstance(tree, Mapping):
        return {name: data_of(value) for name, value in tree.items()}
    return [data_of(item) for item in tree] if isinstance(tree, (list, tuple)) else tree


def file_data(tree: FileTree) -> dict[str, Any]:
    """Return the tree of a spec file as the plain data of a file, with each definition as a mapping (its expression and
    parameters)."""
    data = {name: data_of(value) for name, value in tree.items() if name not in SECTIONS or isinstance(value, list)}
    for section, word in SECTIONS.items():
        definitions = tree.get(section)
        if isinstance(definitions, dict):
            data[section] = {
                name: {word: data_of(one["expression"])} | ({"params": data_of(one["params"])} if one["params"] else {})
                for name, one in definitions.items()
            }
    return data


def _parameter(one: Parameter) -> dict[str, Any]:
    if one.takes_pipeline:
        return {"type": "pipeline", **({"default": one.pipeline} if one.pipeline is not None else {})}
    return {} if one.default is NO_DEFAULT else {"default": part_tree(one.default)}


def _record(parts: RecordParts) -> dict[str, Any]:
    trees = {name: part_tree(one) for name, one in parts.more.items()}
    found: dict[str, Any] = part_tree(parts)
    return found | {name: one["path"] if one.keys() == {"path"} else one for name, one in trees.items()}


def _labels(name: str, folder: FilePath | None) -> Any:
    from scoring.format.labels import listed_labels

    try:
        return list(listed_labels(folder or FilePath(), name))
    except (ValueError, OSError):  # reported when the data is read
        return name


def _is_unsaid(part: Any, key: Key, value: Any) -> bool:
    """Return True if a key is left out of the tree because its value is the default; numbers, words and whole sections
    are never left out.

    Args:
        part: The part of the spec that has the key.
        key: The key.
        value: Its value.
    """
    is_plain = isinstance(value, (bool, int, float, str)) and value != "" and key.attribute != "optional"
    if is_plain or (isinstance(value, SpecPart) and not isinstance(value, RecordParts)):
        return False
    if key.is_brought:
        return value is None
    default = defaults_of(type(part))[key.attribute]
    return type(default) is type(value) and bool(default == value)


def other_words(old: Any, new: Any) -> list[str]:
    """Return the names of the keys without effect on scores (documentation, examples …) that differ between two
    versions of a spec or a definition."""
    brought = [key.name for key in keys_of(type(old)) if key.is_brought and key.moves == "nothing"]
    return [word for word in (*_WORDS, *brought) if _said(old, word) != _said(new, word)]


def _said(part: Any, word: str) -> Any:
    value: Any = getattr(part, word, None) if word in _WORDS else part.sections.get(word)
    return [(dict(one.data), one.expect) for one in value or ()] if word == "examples" else value
