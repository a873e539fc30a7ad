"""Resolution of names in two versions of a spec, so that both can be compared in the names of the new one.

A removed and an added definition count as one that was renamed if they have the same meaning. A removed and an added
parameter at the same position count as one, too.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from msgspec import Struct, field
from msgspec.structs import replace

from scoring.diagnostics.diagnostic import SpecError
from scoring.extensions.sharing.changes.meanings import definition_meanings
from scoring.extensions.sharing.changes.merge import trees_equal
from scoring.extensions.sharing.changes.trees import SECTIONS, FileTree, file_tree
from scoring.extensions.sharing.with_pipelines import with_pipelines
from scoring.format.bundle import with_imports
from scoring.format.definitions import Definition
from scoring.format.load import Loaded, Loader
from scoring.format.measures import NamedMetric
from scoring.lang.tree import Call, Literal, Pipeline, Value
from scoring.registry import registry


class SpecFiles(Struct, frozen=True):
    """A spec file and all files that it imports, directly or through others, each known by its number.

    Args:
        files: The files, the spec itself first.
        imports: For each file the indexes in `files` of what it imports, by alias.
        loader: The loader that read them.
    """

    files: tuple[Loaded, ...]
    imports: tuple[Mapping[str, int], ...]
    loader: Loader

    @classmethod
    def of(cls, loaded: Loaded, loader: Loader) -> SpecFiles:
        """Return a loaded spec together with all files that it imports.

        Raises:
            SpecError: when an import can't be opened.
        """
        found = with_imports(loaded, loader)
        imports = ({entry.alias: number for entry, number in opened} for _, opened in found)
        return cls(tuple(one for one, _ in found), tuple(imports), loader)

    def definitions(self, number: int) -> Mapping[str, Definition]:
        """Return the definitions in one of the files by name; empty for a suite, which has none.

        Args:
            number: The index of the file in `files`.
        """
        found: Mapping[str, Definition] = getattr(self.files[number].spec, "definitions", {})
        return found

    def definition(self, number: int, name: str) -> tuple[int, str] | None:
        """Return what a name in a file refers to, as the number of the defining file and the name there; None if it is
        not the name of a definition.

        Args:
            number: The index of the file in which the name is used.
            name: The name, such as `close_text` or `alias.close_text`.
        """
        alias, dot, rest = name.partition(".")
        if not dot:
            return (number, name) if name in self.definitions(number) else None
        inner = self.imports[number].get(alias)
        return None if inner is None else self.definition(inner, rest)


class SpecRenaming(Struct, frozen=True):
    """Mappings from names in the old version of a spec to those in the new one; unlisted names are equal in both.

    Args:
        aliases: Aliases of imports, by the number of the file that contains them.
        definitions: Definitions, by the number of the file that contains them.
        params: Parameters, by the number of the file and the name of the definition.
    """

    aliases: Mapping[int, Mapping[str, str]] = field(default_factory=dict)
    definitions: Mapping[int, Mapping[str, str]] = field(default_factory=dict)
    params: Mapping[tuple[int, str], Mapping[str, str]] = field(default_factory=dict)


class NameRewriter:
    """A rewriter of a spec's expressions to a normal form, in which different spellings of the same expression are
    equal.

    Positional arguments get their names, arguments equal to a primitive's default are left out, and names become those
    of the spec's other version. The meaning does not change.
    """

    def __init__(self, files: SpecFiles, renaming: SpecRenaming) -> None:
        self._files = files
        self._renaming = renaming
        self._of_metrics = False

    def file(self, number: int) -> FileTree:
        """Return one of the spec's files as a tree, with expressions in normal form and definitions and parameters
        renamed.

        Args:
            number: The index of the file.
        """
        loaded = self._files.files[number]
        names = self._renaming.definitions.get(number, {})
        found: FileTree = {}
        for key, value in file_tree(loaded.spec, loaded.folder).items():
            is_metric = key == "metrics"
            if key in SECTIONS and isinstance(value, dict):
                found[key] = {
                    names.get(name, name): self._definition(one, number, name, is_metric) for name, one in value.items()
                }
            else:
                found[key] = self._part(value, number, is_metric)
        return found

    def _definition(self, tree: Mapping[str, Any], number: int, name: str, is_metric: bool) -> dict[str, Any]:
        params = {
            self._param(number, name, one): self._part(default, number) for one, default in tree["params"].items()
        }
        inside = self._files.definitions(number)[name]
        return {"params": params, "expression": self._expression(tree["expression"], number, inside, is_metric)}

    def _part(self, value: Any, number: int, is_metric: bool = False) -> Any:
        """Return a part of a file's tree with all expressions in it rewritten.

        Args:
            value: The part.
            number: The index of the file.
            is_metric: Whether names in its expressions that a metric and a step share refer to the metric.
        """
        if isinstance(value, Pipeline):
            return self._expression(value, number, None, is_metric)
        if isinstance(value, NamedMetric) and isinstance(value.what, Pipeline):
            return NamedMetric(value.name, self._expression(value.what, number, None, True))
        if isinstance(value, dict):
            return {name: self._part(item, number, is_metric) for name, item in value.items()}
        return [self._part(item, number, is_metric) for item in value] if isinstance(value, list) else value

    def _expression(self, tree: Pipeline, number: int, inside: Definition | None, is_metric: bool) -> Pipeline:
        """Return an expression rewritten to normal form.

        Args:
            tree: The expression.
            number: The index of its file.
            inside: The definition that contains it, if any, whose parameters it can name.
            is_metric: Whether a name shared by a metric and a step refers to the metric.
        """
        self._of_metrics = is_metric
        return self._pipeline(tree, number, inside)

    def _pipeline(self, tree: Pipeline, number: int, inside: Definition | None) -> Pipeline:
        return replace(tree, steps=tuple(self._call(step, number, inside) for step in tree.steps))

    def _call(self, call: Call, number: int, inside: Definition | None) -> Call:
        args = [self._value(value, number, inside) for value in call.args]
        keywords = [(name, self._value(value, number, inside)) for name, value in call.kwargs]
        if inside is not None and any(param.name == call.name for param in inside.params):
            return replace(
                call, name=self._param(number, inside.name, call.name), args=tuple(args), kwargs=tuple(keywords)
            )
        wraps = inside is not None and inside.name == call.name and registry.knows(call.name)
        found = None if wraps else self._files.definition(number, call.name)
        if found is None:
            return self._of_primitive(call, args, keywords)
        known = [param.name for param in self._files.definitions(found[0])[found[1]].params]
        if len(args) > len(known):
            return call
        arguments = [*zip(known, args, strict=False), *keywords]
        kwargs = tuple((self._param(*found, name), value) for name, value in arguments)
        return Call(self._new_name(number, call.name), (), kwargs, call.span)

    def _value(self, value: Value, number: int, inside: Definition | None) -> Value:
        return with_pipelines(value, lambda tree: self._pipeline(tree, number, inside))

    def _of_primitive(self, call: Call, args: list[Value], keywords: list[tuple[str, Value]]) -> Call:
        """Return a call of a primitive with its arguments by name as far as possible, and without those equal to the
        default.

        Args:
            call: The call as written.
            args: Its rewritten positional arguments.
            keywords: Its rewritten named arguments.
        """
        first, then = (registry.metric, registry.get) if self._of_metrics else (registry.get, registry.metric)
        primitive = first(call.name) or then(call.name)
        if primitive is None:
            return replace(call, args=tuple(args), kwargs=tuple(keywords))
        params = {param.name: param for param in primitive.params}
        if not any(param.variadic == "positional" for param in primitive.params):
            known = [param.name for param in primitive.params if not param.variadic]
            if len(args) > len(known):
                return call
            args, keywords = [], [*zip(known, args, strict=False), *keywords]
        kept = [(name, value) for name, value in keywords if not _is_default(params.get(name), value)]
        return Call(call.name, tuple(args), tuple(kept), call.span)

    def _param(self, number: int, definition: str, name: str) -> str:
        return self._renaming.params.get((number, definition), {}).get(name, name)

    def _new_name(self, number: int, name: str) -> str:
        """Return the name that a definition has in the other version of the spec.

        Args:
            number: The index of the file that uses the definition.
            name: The name that this file uses, such as `alias.close_text`.
        """
        alias, dot, rest = name.partition(".")
        if not dot:
            return self._renaming.definitions.get(number, {}).get(name, name)
        inner = self._files.imports[number][alias]
        return f"{self._renaming.aliases.get(number, {}).get(alias, alias)}.{self._new_name(inner, rest)}"


def _is_default(param: Any, value: Value) -> bool:
    if param is None or param.variadic or param.required or not isinstance(value, Literal):
        return False
    # A step may distinguish 1 from 1.0, so an argument is a default only if the types are equal.
    return type(value.value) is type(param.default) and trees_equal(value.value, param.default)


class SpecMatching(Struct, frozen=True):
    """The correspondence between the files and names of the old and the new version of a spec.

    Args:
        files: Pairs of the index of a file in the old and in the new spec; None if only the other spec has it.
        imports: For each of these pairs the imports of both versions: by alias, the index in ``files`` of the imported
            file.
        renaming: The new names of what the old spec names.
    """

    files: tuple[tuple[int | None, int | None], ...]
    imports: tuple[Mapping[str, int], ...]
    renaming: SpecRenaming


def match_specs(old: SpecFiles, new: SpecFiles) -> SpecMatching:
    """Return which files, definitions and parameters of two specs correspond to each other.

    Raises:
        SpecError: when one of the specs does not compile.
    """
    pairs = _paired(old, new)
    partners = dict(pairs)
    files: list[tuple[int | None, int | None]] = [(before, after) for before, after in pairs]
    files += [(number, None) for number in range(len(old.files)) if number not in partners]
    files += [(None, number) for number in range(len(new.files)) if number not in partners.values()]
    of_old = {before: place for place, (before, _) in enumerate(files) if before is not None}
    of_new = {after: place for place, (_, after) in enumerate(files) if after is not None}
    aliases: dict[int, dict[str, str]] = {}
    imports: list[Mapping[str, int]] = []
    for before, after in files:
        found = {} if after is None else {alias: of_new[number] for alias, number in new.imports[after].items()}
        for alias, number in ({} if before is None else old.imports[before]).items():
            called = _alias(alias, of_old[number], found)
            found[called] = of_old[number]
            aliases.setdefault(before or 0, {})[alias] = called
        imports.append(found)
    definitions = {before: _renamed(old, new, before, after) for before, after in pairs}
    params = {
        (before, name): _renamed_params(one, new.definitions(after)[definitions[before].get(name, name)])
        for before, after in pairs
        for name, one in old.definitions(before).items()
        if definitions[before].get(name, name) in new.definitions(after)
    }
    return SpecMatching(tuple(files), tuple(imports), SpecRenaming(aliases, definitions, params))


def _paired(old: SpecFiles, new: SpecFiles) -> list[tuple[int, int]]:
    """Return the files of two specs that correspond to each other, as pairs of an old and a new index.

    The specs themselves match; then imports match by name and alias, by name alone, and finally by alias alone.
    """
    found, taken = {0: 0}, {0}
    for by_name, by_alias in ((True, True), (True, False), (False, True)):
        waiting = list(found.items())
        for before, after in waiting:  # the list grows during the loop
            for alias, number in old.imports[before].items():
                name = old.files[number].spec.name
                for other_alias, other in new.imports[after].items():
                    fits = (not by_alias or alias == other_alias) and (
                        not by_name or new.files[other].spec.name == name
                    )
                    if number not in found and other not in taken and fits:
                        found[number] = other
                        taken.add(other)
                        waiting.append((number, other))
    return list(found.items())


def _alias(alias: str, place: int, known: Mapping[str, int]) -> str:
    """Return the alias for a file of the old spec in the merged file, which has the imports of both versions.

    This is the new version's alias of the same file, or else the old alias, lengthened until no other file has it.

    Args:
        alias: The alias in the old version.
        place: The index of the imported file.
        known: The aliases in the new version, with the indexes of the imported files.
    """
    same_file = next((name for name, other in known.items() if other == place), None)
    if same_file is not None:
        return same_file
    while known.get(alias, place) != place:
        alias = f"{alias}_before"
    return alias


def _renamed(old: SpecFiles, new: SpecFiles, before: int, after: int) -> dict[str, str]:
    """Return the new names of a file's renamed definitions, by their old names.

    A definition was renamed if its old name is gone and a name that is new has the same meaning.

    Args:
        old: The old spec.
        new: The new spec.
        before: The index of the file in the old spec.
        after: Its index in the new spec.
    """
    one, other = old.definitions(before), new.definitions(after)
    gone, come = ([name for name in mine if name not in yours] for mine, yours in ((one, other), (other, one)))
    if not gone or not come:
        return {}
    try:
        old_meanings = definition_meanings(old.files[before], old.loader)
        new_meanings = definition_meanings(new.files[after], new.loader)
    except SpecError:
        return {}  # the pack reads values that only its task declares
    found: dict[str, str] = {}
    for name in gone:
        twin = next(
            (new for new in come if new not in found.values() and new_meanings[new] == old_meanings[name]), None
        )
        if twin is not None:
            found[name] = twin
    return found


def _renamed_params(old: Definition, new: Definition) -> dict[str, str]:
    """Return the new names of a definition's renamed parameters, by their old names: those at the same position that
    both take a pipeline or both don't."""
    before, after = ({param.name for param in one.params} for one in (old, new))
    return {
        one.name: other.name
        for one, other in zip(old.params, new.params, strict=False)
        if one.name not in after and other.name not in before and one.takes_pipeline == other.takes_pipeline
    }
