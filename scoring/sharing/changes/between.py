"""Everything that lies between two versions of a spec: any of their edits made without the others, ready to run.

The files of both sides are laid over one another: the specs themselves, and the packs that both import. What one side
has alone (a pack, a definition, a value) is there for all, since it does nothing until something names it. A version
between the two is a bundle of plain texts as any other, so it compiles, runs in processes and means what it says.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import field
from typing import Any

from scoring.diagnostics.diagnostic import SpecError
from scoring.format.bundle import Bundle, BundledFile, BundleLoader
from scoring.format.load import Loaded, Loader
from scoring.format.measures import NamedMetric, metric_text
from scoring.format.model import Pack
from scoring.lang.tree import Pipeline
from scoring.late import dataclass
from scoring.sharing.changes.matching import SpecMatching, matched
from scoring.sharing.changes.meanings import Meanings, meanings
from scoring.sharing.changes.merge import (
    ABSENT,
    AbsentSide,
    BothSides,
    Chosen,
    EditKind,
    EditPlace,
    Merged,
    NamedParts,
    TreeEdit,
    TreeMerger,
)
from scoring.sharing.changes.names import NameRewriter, SpecFiles, SpecRenaming
from scoring.sharing.changes.trees import SECTIONS, FileTree, file_data, file_kind_of, file_tree

_WRAPPER = "scored"
"""The alias of a pack in the task around it, by which its definitions can be reached."""


@dataclass(frozen=True, slots=True)
class _LaidOver:
    """One file of both sides."""

    name: str
    version: str
    kind: str
    tree: NamedParts
    imports: Mapping[str, int]


@dataclass(frozen=True)
class BetweenSpecs:
    """Two versions of a spec, and all that lies between them.

    Args:
        old: The one.
        new: The other.
        matching: Which files of the two are one, and what is called otherwise in them.
        edits: What differs; a version between them is told by the numbers of those that are made.
        files: The files of both, laid over one another.
        pairs: The whole expressions and texts in which these edits are.
        idle: Those of the edits that do nothing by themselves.
    """

    old: SpecFiles
    new: SpecFiles
    matching: SpecMatching
    edits: tuple[TreeEdit, ...]
    files: tuple[_LaidOver, ...]
    pairs: tuple[TreeEdit, ...] = ()
    idle: frozenset[int] = frozenset()
    _known: dict[frozenset[int], Meanings | None] = field(default_factory=dict, compare=False, repr=False)

    @classmethod
    def of(cls, old: SpecFiles, new: SpecFiles) -> BetweenSpecs:
        """All that lies between two specs of one kind.

        Raises:
            SpecError: when one of them is broken.
        """
        matching = matched(old, new)
        merger = TreeMerger()
        files = tuple(_laid_over(old, new, matching, merger))
        return cls(old, new, matching, tuple(merger.edits), files, tuple(merger.pairs), frozenset(merger.idle))

    @property
    def every(self) -> frozenset[int]:
        """The numbers of all edits."""
        return frozenset(range(len(self.edits)))

    @property
    def parts(self) -> tuple[BetweenSpecs, ...]:
        """What lies between two specs of one file: that alone."""
        return (self,)

    @property
    def is_pack(self) -> bool:
        """Whether the specs are packs."""
        return isinstance(self.new.files[0].spec, Pack)

    def version(self, chosen: Chosen) -> tuple[Loaded, Loader]:
        """The spec in which just these edits are made.

        Raises:
            SpecError: when one of them can't be made without others, so that it does not read.
        """
        root, loader = self.opened(chosen, {"score": "equal"} if self.is_pack else {})
        if not self.is_pack:
            return root, loader
        return loader.imported(root.spec.imports[0], root.folder), loader

    def opened(self, chosen: Chosen, wrapper: Mapping[str, Any]) -> tuple[Loaded, Loader]:
        """The same as a spec that can be run: of a pack a task around it.

        Raises:
            SpecError: when it does not read.
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
        # A bundle says again what a suite may have put before a task's own; here it is what the text says.
        root = found[0][0]
        entries = () if self.is_pack else self.files[0].tree.at(chosen).get("metrics", ())
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
        """What the parts of that spec mean; None where it does not compile."""
        key = frozenset(chosen)
        if key not in self._known:
            try:
                self._known[key] = meanings(*self.version(key))
            except SpecError:
                self._known[key] = None
        return self._known[key]


def _laid_over(old: SpecFiles, new: SpecFiles, matching: SpecMatching, merger: TreeMerger) -> Iterator[_LaidOver]:
    """The files of both sides in the order of `SpecMatching.files`."""
    left, right = NameRewriter(old, matching.renaming), NameRewriter(new, SpecRenaming())
    for place, (before, after) in enumerate(matching.files):
        sides = [_tree(old, before, left, matching.renaming), _tree(new, after, right, SpecRenaming())]
        spec = (new.files[after] if after is not None else old.files[before or 0]).spec
        merger.file = spec.name if place else ""
        own = next(side for side in reversed(sides) if side is not None)
        trees = [own if side is None else side for side in sides]
        tree = _file(trees[0], trees[1], merger)
        yield _LaidOver(spec.name, spec.version, file_kind_of(spec), tree, matching.imports[place])


def _tree(files: SpecFiles, number: int | None, rewriter: NameRewriter, renaming: SpecRenaming) -> FileTree | None:
    """A file of one side, its expressions rewritten, its definitions and their parameters renamed."""
    if number is None:
        return None
    loaded = files.files[number]
    tree = file_tree(loaded.spec, loaded.folder)
    names = renaming.definitions.get(number, {})
    found: FileTree = {}
    for key, value in tree.items():
        if key in SECTIONS and isinstance(value, dict):
            found[key] = {
                names.get(name, name): _definition(files, number, name, one, rewriter, renaming, key == "metrics")
                for name, one in value.items()
            }
        else:
            found[key] = _expressions(value, number, rewriter, key == "metrics")
    return found


def _definition(
    files: SpecFiles,
    number: int,
    name: str,
    tree: Mapping[str, Any],
    rewriter: NameRewriter,
    renaming: SpecRenaming,
    is_metric: bool,
) -> dict[str, Any]:
    definition = files.definitions(number)[name]
    renamed = renaming.params.get((number, name), {})
    params = {
        renamed.get(param, param): _expressions(held, number, rewriter, False) for param, held in tree["params"].items()
    }
    return {"params": params, "expression": rewriter.expression(tree["expression"], number, definition, is_metric)}


def _expressions(value: Any, number: int, rewriter: NameRewriter, is_metric: bool) -> Any:
    """A part of a file with its expressions rewritten."""
    if isinstance(value, Pipeline):
        return rewriter.expression(value, number, is_metric=is_metric)
    if isinstance(value, NamedMetric) and isinstance(value.what, Pipeline):
        return NamedMetric(value.name, rewriter.expression(value.what, number, is_metric=True))
    if isinstance(value, dict):
        return {name: _expressions(item, number, rewriter, is_metric) for name, item in value.items()}
    return [_expressions(item, number, rewriter, is_metric) for item in value] if isinstance(value, list) else value


def _file(old: FileTree, new: FileTree, merger: TreeMerger) -> NamedParts:
    """Two files as one: definitions and values that one side lacks are there for both."""
    parts: dict[str, Merged] = {}
    for key in dict.fromkeys((*new, *old)):
        sides = old.get(key, ABSENT), new.get(key, ABSENT)
        is_section = all(isinstance(side, (dict, AbsentSide)) for side in sides)
        if is_section and (key in SECTIONS or key == "values"):
            before, after = (side if isinstance(side, dict) else {} for side in sides)
            parts[key] = _named(before, after, key, merger)
        elif is_section and key == "fields" and ABSENT not in sides:
            parts[key] = _fields(old[key], new[key], merger)
        else:
            parts[key] = merger.merge(*sides, (key,))
    return NamedParts(dict, parts, tuple(old), tuple(new))


def _named(old: Mapping[str, Any], new: Mapping[str, Any], key: str, merger: TreeMerger) -> NamedParts:
    """Definitions, or values, by name."""
    parts: dict[str, Merged] = {}
    for name in dict.fromkeys((*new, *old)):
        place = (key, name) if key == "values" else (name,)
        if name not in old or name not in new:
            kind: EditKind = "removed" if name in old else "added"
            merger.idle.add(merger.note(place, kind, old.get(name, ABSENT), new.get(name, ABSENT)))
            parts[name] = BothSides(new[name] if name in new else old[name])
        elif key == "values":
            parts[name] = merger.merge(old[name], new[name], place)
        else:
            parts[name] = _one(old[name], new[name], place, merger)
    return NamedParts(dict, parts, tuple(old), tuple(new))


def _one(old: Mapping[str, Any], new: Mapping[str, Any], place: EditPlace, merger: TreeMerger) -> NamedParts:
    """A definition: its parameters in their order, and its expression."""
    names = {param: (*place, param) for param in (*old["params"], *new["params"])}
    defaults = {
        param: merger.merge(_default(old["params"].get(param)), _default(new["params"].get(param)), names[param])
        for param in names
    }
    before, after = list(old["params"]), list(new["params"])
    order = merger.order(before, after, place)
    params = NamedParts(_params, defaults, tuple(before), tuple(after), order)
    expression = merger.merge(old["expression"], new["expression"], place)
    return NamedParts(dict, {"params": params, "expression": expression}, ("params", "expression"), ("params",))


def _fields(old: Mapping[str, Any], new: Mapping[str, Any], merger: TreeMerger) -> NamedParts:
    """Fields by name, in their order; what scores one is at the place of the field itself."""
    parts: dict[str, Merged] = {}
    for name in dict.fromkeys((*new, *old)):
        place = ("fields", name)
        if name in old and name in new:
            at = {"score": place, "formula": place}
            parts[name] = merger.entries(old[name], new[name], place, dict, names=at)
        else:
            parts[name] = merger.merge(old.get(name, ABSENT), new.get(name, ABSENT), place)
    return NamedParts(dict, parts, tuple(old), tuple(new), merger.order(list(old), list(new), ("fields",)))


class _Required:
    """Stands for a parameter that has no default."""

    def __repr__(self) -> str:
        return "REQUIRED"


REQUIRED = _Required()


@dataclass(frozen=True, slots=True)
class TakesPipeline:
    """A parameter that takes an expression, with its default, if it has one."""

    default: Pipeline | None


def _default(held: Mapping[str, Any] | None) -> Any:
    """What a parameter is where none is given."""
    if held is None:
        return ABSENT
    if held.get("type") == "pipeline":
        return TakesPipeline(held.get("default"))
    return held.get("default", REQUIRED)


def _params(defaults: dict[str, Any]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for name, value in defaults.items():
        if isinstance(value, TakesPipeline):
            default = {} if value.default is None else {"default": value.default}
            found[name] = {"type": "pipeline", **default}
        else:
            found[name] = {} if value is REQUIRED else {"default": value}
    return found


def _data(one: _LaidOver, chosen: Chosen, shift: int) -> tuple[dict[str, Any], dict[str, int]]:
    """The data of a file in a version, and the numbers of what it imports."""
    imports = {f"./{number + shift}.yaml": number + shift for number in one.imports.values()}
    data = {
        "kind": "task" if one.kind not in ("pack", "suite") else one.kind,
        "name": one.name,
        **({"version": one.version} if one.version else {}),
        **(
            {"imports": {alias: f"./{number + shift}.yaml" for alias, number in one.imports.items()}} if imports else {}
        ),
        **file_data(one.tree.at(chosen)),
    }
    return data, imports
