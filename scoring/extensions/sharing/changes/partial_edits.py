"""Partly edited versions of a spec, in which any of the edits between two versions are made, ready to run.

The files of both sides are merged: the specs themselves, and the packs that both import. What only one side has (a
pack, a definition, a value) is in every version, because it has no effect until it is used. A partly edited version is
an ordinary bundle of texts: it compiles, and it can run in other processes.
"""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from msgspec import Struct

from scoring.diagnostics.diagnostic import SpecError
from scoring.extensions.sharing.changes.meanings import Meanings, meanings
from scoring.extensions.sharing.changes.merge import (
    ABSENT,
    AbsentSide,
    Chosen,
    EditKind,
    EditPlace,
    Merged,
    TreeEdit,
    TreeMerger,
    keep_value,
    named_parts,
)
from scoring.extensions.sharing.changes.names import NameRewriter, SpecFiles, SpecMatching, SpecRenaming, match_specs
from scoring.extensions.sharing.changes.trees import SECTIONS, FileTree, file_data
from scoring.format.bundle import Bundle, BundledFile, BundleLoader
from scoring.format.definitions import NO_DEFAULT
from scoring.format.load import Loaded, Loader
from scoring.format.measures import metric_text
from scoring.format.model import Pack, file_kind_of
from scoring.format.packs import packs_of
from scoring.lang.tree import Pipeline

_WRAPPER = "scored"
"""The alias of a pack in the task around it, by which its definitions can be reached."""


class _LaidOver(Struct, frozen=True):
    """A file of which both versions are merged into one tree, with the number of each imported file by alias."""

    name: str
    version: str
    kind: str
    tree: Merged
    imports: Mapping[str, int]


@dataclass(frozen=True)
class AnyBetween(ABC):
    """The edits between two versions of a pack, a task or a suite.

    Args:
        old: The old version.
        new: The new version.
        edits: The differences; a version between the two is identified by the numbers of the edits made in it.
        pairs: The whole expressions and long texts in which edits were made, each with its old and new form.
        idle: The numbers of the edits that alone change no score, because they add or remove what nothing uses.
    """

    old: SpecFiles
    new: SpecFiles
    edits: tuple[TreeEdit, ...]
    pairs: tuple[TreeEdit, ...]
    idle: frozenset[int]

    @property
    def every(self) -> frozenset[int]:
        """The numbers of all edits, which identify the new version."""
        return frozenset(range(len(self.edits)))

    @property
    def is_pack(self) -> bool:
        """True if the two versions are of a pack; False for a task or a suite."""
        return isinstance(self.new.files[0].spec, Pack)

    @property
    @abstractmethod
    def parts(self) -> tuple[BetweenSpecs, ...]:
        """The comparisons of single specs that make up this one: of the spec with its packs, or of a suite's own file
        and of each of its tasks."""


@dataclass(frozen=True)
class BetweenSpecs(AnyBetween):
    """The edits between two versions of a pack or a task, and every version between them.

    Args:
        matching: The correspondence between the files and names of the two versions.
        files: The merged files.
    """

    matching: SpecMatching
    files: tuple[_LaidOver, ...]
    _known: dict[frozenset[int], Meanings | None] = field(default_factory=dict, compare=False, repr=False)

    @classmethod
    def of(cls, old: SpecFiles, new: SpecFiles) -> BetweenSpecs:
        """Return the edits between an old and a new spec of the same kind, and all versions between them.

        Raises:
            SpecError: when one of the specs does not compile.
        """
        matching = match_specs(old, new)
        merger = TreeMerger()
        files = tuple(_laid_over(old, new, matching, merger))
        return cls(old, new, tuple(merger.edits), tuple(merger.pairs), frozenset(merger.idle), matching, files)

    @property
    def parts(self) -> tuple[BetweenSpecs, ...]:
        """This comparison as a tuple of one, because it compares single specs."""
        return (self,)

    def version(self, chosen: Chosen) -> tuple[Loaded, Loader]:
        """Return the version of the spec in which only some edits are made, loaded, and its loader.

        Args:
            chosen: The numbers of the edits to make.

        Raises:
            SpecError: when the result can't be read, because an edit can't be made without others.
        """
        root, loader = self.opened(chosen, {"score": "equal"} if self.is_pack else {})
        if not self.is_pack:
            return root, loader
        return packs_of(loader).imported(root.spec.imports[0], root.folder), loader

    def opened(self, chosen: Chosen, wrapper: Mapping[str, Any]) -> tuple[Loaded, Loader]:
        """Return the version of the spec in which only some edits are made, as a loaded task that can be run, and its
        loader.

        Args:
            chosen: The numbers of the edits to make.
            wrapper: For a pack, the keys of a task that imports it, so that it can be run; unused for a task.

        Raises:
            SpecError: when the result can't be read.
        """
        shift = int(self.is_pack)
        try:
            found = [_data(one, chosen, shift) for one in self.files]
        except ValueError as error:  # a pipeline that would have no steps
            raise SpecError.of("bad-value", str(error), None) from None
        if self.is_pack:
            task = {"kind": "task", "name": self.files[0].name, "imports": {_WRAPPER: "./1.yaml"}, **wrapper}
            found = [(task, {"./1.yaml": 1}), *found]
        texts = tuple(
            BundledFile(f"{data['name']}.json", data["name"], "json", json.dumps(data, ensure_ascii=False), imports)
            for data, imports in found
        )
        # A bundle repeats these keys because a suite may override a task's own; here they are as the task has them.
        root = found[0][0]
        entries = () if self.is_pack else self.files[0].tree(chosen).get("metrics", ())
        labels = root.get("labels")
        bundle = Bundle(
            texts,
            by=tuple(root.get("by", ())),
            metrics=tuple(map(metric_text, entries)),
            labels=None if labels is None else tuple(labels),
        )
        loader = BundleLoader(bundle)
        return loader.spec(), loader

    def meanings(self, chosen: Chosen) -> Meanings | None:
        """Return the digest of the meaning of each part of the spec when only some edits are made; None if that version
        does not compile.

        Args:
            chosen: The numbers of the edits made.
        """
        key = frozenset(chosen)
        if key not in self._known:
            try:
                self._known[key] = meanings(*self.version(key))
            except SpecError:
                self._known[key] = None
        return self._known[key]


def _laid_over(old: SpecFiles, new: SpecFiles, matching: SpecMatching, merger: TreeMerger) -> Iterator[_LaidOver]:
    """Yield a merged file for each pair of an old and a new file in `matching`, and record the edits in `merger`."""
    left, right = NameRewriter(old, matching.renaming), NameRewriter(new, SpecRenaming())
    for place, (before, after) in enumerate(matching.files):
        spec = (new.files[after] if after is not None else old.files[before or 0]).spec
        merger.file = spec.name if place else ""
        # A file that only one side has is part of every version.
        sides = [side.file(number) for side, number in ((left, before), (right, after)) if number is not None]
        tree = _file(sides[0], sides[-1], merger)
        yield _LaidOver(spec.name, spec.version, file_kind_of(spec), tree, matching.imports[place])


def _file(old: FileTree, new: FileTree, merger: TreeMerger) -> Merged:
    """Return the trees of two versions of a file as one merged tree (a function from the numbers of the edits made to
    a tree); the edits are recorded in `merger`.

    Definitions and values that only one version has are in the tree whichever edits are made.
    """
    parts: dict[str, Merged] = {}
    for key in dict.fromkeys((*new, *old)):
        sides = old.get(key, ABSENT), new.get(key, ABSENT)
        is_section = all(isinstance(side, (dict, AbsentSide)) for side in sides)
        if is_section and (key in SECTIONS or key == "values"):
            before, after = (side if isinstance(side, dict) else {} for side in sides)
            parts[key] = _merged_by_name(before, after, key, merger)
        elif is_section and key == "fields" and ABSENT not in sides:
            parts[key] = _fields(old[key], new[key], merger)
        else:
            parts[key] = merger.merge(*sides, (key,))
    return named_parts(dict, parts, old, new)


def _merged_by_name(old: Mapping[str, Any], new: Mapping[str, Any], key: str, merger: TreeMerger) -> Merged:
    """Return two versions of a section of definitions or values, merged by name into one merged tree.

    Args:
        old: The old section.
        new: The new section.
        key: The name of the section in the file, such as `scorers`.
        merger: Records the edits.
    """
    parts: dict[str, Merged] = {}
    for name in dict.fromkeys((*new, *old)):
        place = (key, name) if key == "values" else (name,)
        if name not in old or name not in new:
            kind: EditKind = "removed" if name in old else "added"
            merger.idle.add(merger.note(place, kind, old.get(name, ABSENT), new.get(name, ABSENT)))
            parts[name] = keep_value(new[name] if name in new else old[name])
        elif key == "values":
            parts[name] = merger.merge(old[name], new[name], place)
        else:
            parts[name] = _one(old[name], new[name], place, merger)
    return named_parts(dict, parts, old, new)


def _one(old: Mapping[str, Any], new: Mapping[str, Any], place: EditPlace, merger: TreeMerger) -> Merged:
    """Return two versions of one definition as a merged tree: its parameters in their order, and its expression.

    Args:
        old: The old tree of the definition.
        new: The new tree.
        place: The path of the definition.
        merger: Records the edits.
    """
    before, after = ({name: _default(parameter) for name, parameter in side["params"].items()} for side in (old, new))
    defaults = {
        param: merger.merge(before.get(param, ABSENT), after.get(param, ABSENT), (*place, param))
        for param in dict.fromkeys((*before, *after))
    }
    params = named_parts(_params, defaults, before, after, merger.order(list(before), list(after), place))
    expression = merger.merge(old["expression"], new["expression"], place)
    return lambda chosen: {"params": params(chosen), "expression": expression(chosen)}


def _fields(old: Mapping[str, Any], new: Mapping[str, Any], merger: TreeMerger) -> Merged:
    """Return the old and the new fields of a task (the scored parts of an answer) merged by name and in order, and
    record the edits in `merger`; edits of the expression that scores a field have the path of the field itself."""
    parts: dict[str, Merged] = {}
    for name in dict.fromkeys((*new, *old)):
        place = ("fields", name)
        if name in old and name in new:
            at = {"score": place, "formula": place}
            parts[name] = merger.entries(old[name], new[name], place, dict, names=at)
        else:
            parts[name] = merger.merge(old.get(name, ABSENT), new.get(name, ABSENT), place)
    return named_parts(dict, parts, old, new, merger.order(list(old), list(new), ("fields",)))


class TakesPipeline(Struct, frozen=True):
    """The default of a parameter that takes an expression as its value; None if the parameter has no default."""

    default: Pipeline | None


def _default(parameter: Mapping[str, Any]) -> Any:
    """Return the default in the tree of a parameter: plain data, `NO_DEFAULT` if it has none, or a `TakesPipeline` if
    it takes an expression."""
    if parameter.get("type") == "pipeline":
        return TakesPipeline(parameter.get("default"))
    return parameter.get("default", NO_DEFAULT)


def _params(defaults: dict[str, Any]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for name, value in defaults.items():
        if isinstance(value, TakesPipeline):
            default = {} if value.default is None else {"default": value.default}
            found[name] = {"type": "pipeline", **default}
        else:
            found[name] = {} if value is NO_DEFAULT else {"default": value}
    return found


def _data(one: _LaidOver, chosen: Chosen, shift: int) -> tuple[dict[str, Any], dict[str, int]]:
    """Return a merged file as plain data with only some edits made, and the numbers of the files that it imports, by
    the paths under which it imports them.

    Args:
        one: The merged file.
        chosen: The numbers of the edits to make.
        shift: The number added to each file's number: 1 if a wrapping task is file 0, else 0.
    """
    imports = {f"./{number + shift}.yaml": number + shift for number in one.imports.values()}
    data = {"kind": "task" if one.kind not in ("pack", "suite") else one.kind, "name": one.name}
    aliases = {alias: f"./{number + shift}.yaml" for alias, number in one.imports.items()}
    more = {"version": one.version, "imports": aliases}
    return data | {key: value for key, value in more.items() if value} | file_data(one.tree(chosen)), imports
