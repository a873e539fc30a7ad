"""Where names are declared and used, in a text and in the files of the workspace, and other names for them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from msgspec import Struct

from scoring.api.specs import spec_files
from scoring.data.plain_files import read_plain, real_path
from scoring.diagnostics.diagnostic import SpecError
from scoring.extensions.editors.server.marks import NameMark, marks_in
from scoring.extensions.editors.server.specs import OpenSpec
from scoring.extensions.editors.server.texts import EditedText
from scoring.format.import_paths import imported_path
from scoring.format.packs import packs_of
from scoring.format.sections import Import, is_path
from scoring.lang.tree import ROOTS
from scoring.lazy_pattern import lazy_pattern

_MOST_FILES, _MOST_BYTES = 2_000, 2_000_000
_WORD = lazy_pattern(r"[^\W\d][\w]*")
_SHARED = ("definition", "value")
_NAMED = (*_SHARED, "field", "alias")
_RESERVED = frozenset({*ROOTS, "true", "false", "null", "and", "or", "not", "in", "score", "yes", "no", "on", "off"})


class NotRenamed(Exception):
    """The error that a name can't be changed, with the reason as its message."""


class Workspace(Struct, frozen=True):
    """The files that may be looked through: those below the folders that the editor has opened, and open texts."""

    folders: tuple[Path, ...]
    texts: Mapping[Path, str]

    def holds(self, path: Path) -> bool:
        """Return whether a file lies in one of the folders."""
        return any(real_path(path).is_relative_to(real_path(folder)) for folder in self.folders)

    def specs(self) -> Iterator[Path]:
        """Yield the open specs, then the other spec files of the folders."""
        yield from self.texts
        found, _ = spec_files(self.folders, only_specs=True) if self.folders else ((), ())
        yield from (path for path in found[:_MOST_FILES] if path not in self.texts)

    def opened(self, path: Path, encoding: str) -> OpenSpec:
        """Return a file as a spec, as the editor has it, or else as it is on disk; an empty one if unreadable."""
        text = self.texts.get(path)
        if text is None:
            try:
                text = read_plain(path, _MOST_BYTES).decode("utf-8")
            except (OSError, ValueError):
                text = ""
        return OpenSpec(path, EditedText(text, encoding), self.texts)


def mark_at(spec: OpenSpec, offset: int) -> NameMark | None:
    """Return the name at an offset, or just before it; None if there is none that has a meaning of its own."""
    found = [one for one in marks_in(spec.names) if one.start <= offset <= one.end and one.kind != "text"]
    return min(found, key=lambda one: (one.end - one.start, offset == one.end), default=None)


def _pack_of(spec: OpenSpec, alias: str) -> Path | None:
    """Return the file that an alias of a spec stands for, None if there is none."""
    target = spec.names.targets.get(alias)
    if target is None:
        return None
    try:
        if is_path(target):
            return imported_path(Import(alias, target), spec.path.parent)
        return packs_of(spec.loader()).imported(Import(alias, target), spec.path.parent).path
    except (SpecError, OSError, ValueError):
        return None


def definition_of(spec: OpenSpec, offset: int, workspace: Workspace) -> list[dict[str, Any]]:
    """Return where the name at an offset is declared: in the text, in a pack that it imports, or that pack itself."""
    mark = mark_at(spec, offset)
    if mark is None:
        return []
    if mark.kind == "alias" or mark.alias:
        path = _pack_of(spec, mark.alias or mark.name)
        if path is None or not path.is_file():
            return []
        pack = workspace.opened(path, spec.edited.encoding)
        if mark.kind == "alias":
            return [{"uri": path.as_uri(), "range": pack.edited.range(0, 0)}]
        return [_place(pack, one) for one in marks_in(pack.names) if one.is_declared and _is_same(one, mark)]
    return [_place(spec, one) for one in marks_in(spec.names) if one.is_declared and one.meaning == mark.meaning]


def _is_same(declared: NameMark, used: NameMark) -> bool:
    return (declared.kind, declared.name) == (used.kind, used.name)


def _place(spec: OpenSpec, mark: NameMark) -> dict[str, Any]:
    return {"uri": spec.path.as_uri(), "range": spec.edited.range(mark.start, mark.end)}


def uses_in_workspace(spec: OpenSpec, mark: NameMark, workspace: Workspace) -> Iterator[tuple[OpenSpec, NameMark]]:
    """Yield every place in the workspace that means the same as a mark, with the spec that has it."""
    home, own = spec, mark
    if mark.alias:
        path = _pack_of(spec, mark.alias)
        if path is None:
            return
        home = workspace.opened(real_path(path), spec.edited.encoding)
        own = NameMark(mark.kind, mark.name, 0, 0)
    yield from ((home, one) for one in marks_in(home.names) if one.meaning == own.meaning)
    if own.kind not in _SHARED:
        return
    at = real_path(home.path)
    for path in workspace.specs():
        if real_path(path) == at:
            continue
        other = workspace.opened(path, spec.edited.encoding)
        aliases = [
            alias for alias in other.names.targets if (found := _pack_of(other, alias)) and real_path(found) == at
        ]
        if aliases:
            marks = marks_in(other.names)
            yield from ((other, one) for one in marks if one.alias in aliases and _is_same(own, one))


def references_to(spec: OpenSpec, offset: int, workspace: Workspace, *, declared: bool) -> list[dict[str, Any]]:
    """Return every place in the workspace that means the same as what stands at an offset."""
    mark = mark_at(spec, offset)
    if mark is None:
        return []
    return [
        _place(one, use) for one, use in uses_in_workspace(spec, mark, workspace) if declared or not use.is_declared
    ]


def renamable(spec: OpenSpec, offset: int, workspace: Workspace) -> NameMark:
    """Return the name at an offset if it can have another.

    Raises:
        NotRenamed: when nothing there can.
    """
    mark = mark_at(spec, offset)
    if mark is None or mark.kind not in _NAMED:
        raise NotRenamed("only fields, values, definitions and imports of a spec can have another name")
    if mark.kind == "alias" or not mark.alias:
        return mark
    path = _pack_of(spec, mark.alias)
    if path is None or not (path in workspace.texts or workspace.holds(path)):
        raise NotRenamed(f"`{mark.alias}` is not a file of this workspace, so its names are not changed")
    return mark


def renamed(spec: OpenSpec, offset: int, new: str, workspace: Workspace) -> dict[str, Any]:
    """Return the edits that give what stands at an offset another name, in every file of the workspace that uses it.

    Raises:
        NotRenamed: when it can't have this name.
    """
    mark = renamable(spec, offset, workspace)
    if _WORD.fullmatch(new) is None or new in _RESERVED:
        raise NotRenamed("a name is a word of letters, digits and `_`, and none that the language keeps for itself")
    changes: dict[str, list[dict[str, Any]]] = {}
    for one, use in _renamed_uses(spec, mark, workspace):
        taken = {*one.names.definitions, *one.names.values, *one.names.fields, *one.names.targets}
        if use.is_declared and new in taken and new != use.name:
            raise NotRenamed(f"`{new}` is already a name of {one.path.name}")
        edit = {"range": one.edited.range(use.start, use.end), "newText": new}
        changes.setdefault(one.path.as_uri(), []).append(edit)
    return {"changes": changes}


def _renamed_uses(spec: OpenSpec, mark: NameMark, workspace: Workspace) -> Sequence[tuple[OpenSpec, NameMark]]:
    found = list(uses_in_workspace(spec, mark, workspace))
    if mark.kind == "alias":  # it stands before the dot of what the pack defines, too
        for one in marks_in(spec.names):
            if one.alias == mark.name:
                start = one.start - len(mark.name) - 1
                found.append((spec, NameMark("alias", mark.name, start, one.start - 1)))
    return [(one, use) for one, use in found if one is spec or one.path in workspace.texts or workspace.holds(one.path)]
