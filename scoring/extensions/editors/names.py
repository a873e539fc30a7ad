"""The names that a text brings: definitions, values, fields, imports, and those of the packs that it imports."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from functools import cached_property, lru_cache
from pathlib import Path

from msgspec import Struct, field
from msgspec.structs import replace

from scoring.data.plain_files import read_plain
from scoring.diagnostics.diagnostic import SpecError
from scoring.extensions.editors.outline import OutlineNode, outline
from scoring.format import locate
from scoring.format.import_paths import imported_path
from scoring.format.sections import Import, is_path
from scoring.project.find import project_place
from scoring.registry.plugins import KIND_WORDS

DEFINING = {
    "scorers": ("scorer", "score"),
    "parsers": ("parse", "parse"),
    "transforms": ("transform", "transform"),
    "aggregates": ("aggregate", "aggregate"),
    "metrics": ("metric", "metric"),
}
"""The keys that hold definitions: the form of their pipelines, and the key of the expression in the long form. Packs
alone define metrics."""
_MOST_BYTES = 2_000_000
MOST_PACKS = 50


class NamedDefinition(Struct, frozen=True):
    """A definition as a text has it: the form of its pipeline, its expression and its parameters, perhaps half written.

    ``params`` has for each parameter its default as text, None without one; ``pipelines`` names those that take one.
    """

    name: str
    form: str
    expression: str
    start: int
    end: int
    params: Mapping[str, str | None] = field(default_factory=dict)
    pipelines: frozenset[str] = frozenset()
    param_docs: Mapping[str, str] = field(default_factory=dict)
    doc: str = ""


class SpecNames(Struct, frozen=True, dict=True):
    """The names of a spec's text.

    Attributes:
        kind: The kind of the file: `rows` for a task over rows, else the word behind `records:` or `kind:`.
        folder: The folder of the file.
        definitions: By name.
        values: The expressions of computed values by name.
        fields: The names of the fields of a task.
        parts: The names of further parts of a record.
        targets: What the aliases under `imports` stand for.
        parse: The expression of `parse`.
        has_score: Whether it has the key `score`.
        root: Its outline.
    """

    kind: str
    folder: Path | None
    definitions: Mapping[str, NamedDefinition]
    values: Mapping[str, str]
    fields: tuple[str, ...]
    parts: tuple[str, ...]
    targets: Mapping[str, str]
    parse: str
    has_score: bool
    root: OutlineNode

    @cached_property
    def imports(self) -> Mapping[str, SpecNames]:
        """The names of each imported pack by its alias; of those that can be read."""
        found = {}
        for alias, target in list(self.targets.items())[:MOST_PACKS]:
            pack = imported_names(target, self.folder)
            if pack is not None:
                found[alias] = pack
        return found

    def definition(self, name: str) -> tuple[NamedDefinition, SpecNames] | None:
        """Return a definition of the file, or of a pack as `alias.name`, with the names of its own file."""
        alias, dot, rest = name.partition(".")
        if dot:
            pack = self.imports.get(alias)
            return None if pack is None or "." in rest else pack.definition(rest)
        found = self.definitions.get(name)
        return None if found is None else (found, self)


def spec_names_of(root: OutlineNode, folder: Path | None) -> SpecNames:
    """Return the names of a spec, given its outline and its folder, from which imports by path start."""
    kind = _kind(root)
    fields = root.get("fields")
    record = root.get("record")
    imports = root.get("imports")
    values = root.get("values")
    parse = root.get("parse")
    return SpecNames(
        kind,
        folder,
        _definitions(root, kind),
        {} if values is None else {key.text: _expression(node, "value") for key, node in values.below()},
        () if fields is None else tuple(key.text for key, _ in fields.below()),
        () if record is None else tuple(key.text for key, _ in record.below() if key.text not in _PARTS),
        {} if imports is None else {key.text: node.text for key, node in imports.below() if node.text},
        "" if parse is None else expression_text(parse),
        root.get("score") is not None,
        root,
    )


_PARTS = ("id", "response", "reference", "context", "weight")


def _kind(root: OutlineNode) -> str:
    stated, records = root.get("kind"), root.get("records")
    kind = "" if stated is None else stated.text
    if kind != "task" and kind in KIND_WORDS:
        return kind
    return records.text if records is not None and records.text else "rows"


def _definitions(root: OutlineNode, kind: str) -> dict[str, NamedDefinition]:
    found: dict[str, NamedDefinition] = {}
    for section, (form, word) in DEFINING.items():
        held = root.get(section)
        if held is None or (section == "metrics" and kind != "pack"):
            continue
        for key, node in held.below():
            found.setdefault(key.text, _definition(key.text, form, word, node, key.start, key.end))
    judges = root.get("judges")
    for key, node in judges.below() if judges is not None else ():
        doc = node.get("doc")
        found.setdefault(
            key.text, NamedDefinition(key.text, "judge", "", key.start, key.end, doc="" if doc is None else doc.text)
        )
    return found


def _definition(name: str, form: str, word: str, node: OutlineNode, start: int, end: int) -> NamedDefinition:
    found = NamedDefinition(name, form, _expression(node, word), start, end)
    if node.style != "mapping" or (node.get(word) is None and node.get("params") is None):
        return found
    doc, params = node.get("doc"), node.get("params")
    if params is None:
        return replace(found, doc="" if doc is None else doc.text)
    defaults: dict[str, str | None] = {}
    docs: dict[str, str] = {}
    pipelines = set()
    for key, one in params.below():
        described = one.style == "mapping" and {inner.text for inner, _ in one.entries} <= {"default", "doc", "type"}
        default = one.get("default") if described else one
        defaults[key.text] = None if default is None else expression_text(default)
        kind, about = (one.get("type"), one.get("doc")) if described else (None, None)
        docs[key.text] = "" if about is None else about.text
        if kind is not None and kind.text == "pipeline":
            pipelines.add(key.text)
    return replace(found, params=defaults, pipelines=frozenset(pipelines), param_docs=docs, doc=doc.text if doc else "")


def _expression(node: OutlineNode, word: str) -> str:
    held = node.get(word) if node.style == "mapping" else None
    return expression_text(node if held is None else held)


_DEEPEST_DATA = 20


def expression_text(node: OutlineNode, depth: int = 0) -> str:
    """Return an expression as text; lists and mappings become the pipelines and calls that they stand for."""
    if node.style == "scalar":
        return node.text
    if depth > _DEEPEST_DATA:
        return ""
    if node.style == "list":
        return " | ".join(expression_text(item, depth + 1) for item in node.items if item.style != "nothing")
    if node.style == "mapping":
        for key, value in node.below():
            if value.style == "mapping":
                args = (f"{name.text}={expression_text(one, depth + 1)}" for name, one in value.below())
            elif value.style == "list":
                args = (expression_text(one, depth + 1) for one in value.items)
            else:
                args = (one for one in (value.text,) if one)
            return f"{key.text}({', '.join(args)})"
    return ""


# ---- imported packs


def imported_names(target: str, folder: Path | None) -> SpecNames | None:
    """Return the names of the pack that an import means, None if it can't be found or read."""
    try:
        if folder is not None and not is_path(target) and project_place(folder) is not None:
            from scoring.format.load import Loader
            from scoring.format.packs import packs_of

            loaded = packs_of(Loader()).imported(Import("", target), folder)
            return spec_names_of(outline(loaded.node.span.source.text), loaded.folder)
        path = imported_path(Import("", target), folder) if is_path(target) else _installed(target)
        return None if path is None else _names_in(path)
    except (SpecError, OSError, ValueError):
        return None


def _installed(target: str) -> Path | None:
    from scoring.project.versions import is_range, parse_version, satisfies

    name, _, wanted = target.partition("@")
    paths = locate.bundled_packs().get(name) or [path for _, path in locate.installed_packs(name)]
    if not paths:
        from scoring.format.packs import tasks_called

        paths = tasks_called(name)
    if len(paths) < 2:
        return paths[0] if paths else None
    versions = {path: version_in(path) for path in paths}
    fitting = [one for one, own in versions.items() if not wanted or (is_range(wanted) and satisfies(own, wanted))]
    return max(fitting, key=lambda one: parse_version(versions[one]), default=None)


def version_in(path: Path) -> str:
    """Return the version that a spec's file states; "0" without one."""
    found = _outline_of(path).get("version")
    return found.text if found is not None and found.text else "0"


def _names_in(path: Path) -> SpecNames:
    return spec_names_of(_outline_of(path), path.parent)


def _outline_of(path: Path) -> OutlineNode:
    state = path.stat()
    return _read_outline(path, state.st_mtime_ns, state.st_size)


@lru_cache(maxsize=100)
def _read_outline(path: Path, _changed: int, _size: int) -> OutlineNode:
    text = ""
    with suppress(UnicodeDecodeError):
        text = read_plain(path, _MOST_BYTES).decode("utf-8")
    return outline(text)
