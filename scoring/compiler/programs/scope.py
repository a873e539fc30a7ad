"""The names that are in scope at one position: parameters, definitions of the file, imported packs, primitives."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeAlias

from msgspec import Struct
from msgspec.structs import replace

from scoring.diagnostics.source import Fragment, Span
from scoring.format.definitions import Definition, ValueSpec
from scoring.format.sections import PackDeprecation
from scoring.lang.tree import Path, Pipeline
from scoring.registry import registry
from scoring.registry.editions import OLDEST
from scoring.registry.model import Primitive
from scoring.value_base import PartlyCompared
from scoring.values import ANY, Type


class Flow(Struct, frozen=True):
    """What is known about a value between two steps: its type, and the step that produced it.

    ``step`` is "" if the value comes directly from the record.
    """

    type: Type = ANY
    step: str = ""
    span: Span | None = None


class PlainValue(PartlyCompared, frozen=True, eq=False):
    """The value of a definition's parameter that is plain data, with the text as which it is written, if known."""

    aside = ("written",)
    value: Any
    written: Fragment | None = None


class Closure(Struct, frozen=True):
    """The value of a definition's parameter that is a pipeline, with the scope in which it is written."""

    pipeline: Pipeline
    scope: Scope


Bound: TypeAlias = PlainValue | Closure | Path


class Scope(PartlyCompared, frozen=True, eq=False):
    """The names that a spec file can use, and the parameters of the definition that is being compiled, if any.

    ``label`` is the name of the file or pack, for messages. ``broken`` is true for an import that could not be loaded.
    ``edition`` is the edition of the language that the file states. If it states none (None), it may use the names of
    all editions, and its own names precede those that came after the oldest one. ``sections`` has the values of keys
    that extensions add, and ``deprecated`` the deprecation of the pack, if any.
    """

    aside = ("sections", "deprecated")
    label: str = ""
    definitions: Mapping[str, Definition] = {}
    values: Mapping[str, ValueSpec] = {}
    imports: Mapping[str, Scope] = {}
    params: Mapping[str, Bound] = {}
    version: str = ""
    digest: str = ""
    broken: bool = False
    edition: int | None = None
    sections: Mapping[str, Any] = {}
    deprecated: PackDeprecation | None = None

    def is_broken(self, name: str) -> bool:
        """Tell whether a dotted name begins with the alias of an import that could not be loaded."""
        pack = self.imports.get(name.partition(".")[0])
        return pack is not None and pack.broken

    def inside(self, params: Mapping[str, Bound]) -> Scope:
        """Return the scope of the same file with ``params``, the parameters of one definition with their values."""
        return replace(self, params=params)

    @property
    def key(self) -> tuple[str, str]:
        """A key that identifies the file, since two packs may have the same name."""
        return self.label, self.digest

    def definition(self, name: str) -> tuple[Definition, Scope] | None:
        """Return a definition of this file (``name``) or an imported pack (``alias.name``), with its scope, or None."""
        alias, dot, rest = name.partition(".")
        if dot:
            pack = self.imports.get(alias)
            return pack.definition(rest) if pack is not None else None
        found = self.definitions.get(name)
        return (found, self.inside({})) if found is not None else None

    def primitive(self, name: str, *, metric: bool = False) -> Primitive | None:
        """Return the primitive with a name in the edition of the file, or None; with `metric`, a data-set metric is
        preferred."""
        found = (registry.metric(name) if metric else None) or registry.get(name) or registry.metric(name)
        return None if found is None or (self.edition or found.since) < found.since else found

    def is_taken(self, name: str) -> bool:
        """Tell whether a name that the file itself defines is also that of a step or metric of its edition."""
        edition = self.edition or OLDEST
        return registry.knows(name, edition) or registry.knows_metric(name, edition)

    def other_names(self, *, metric: bool = False) -> dict[str, str]:
        """Return common synonyms of primitives, mapped to their names; with `metric`, those of data-set metrics take
        precedence.
        """
        steps, metrics = registry.other_names("steps"), registry.other_names("metrics")
        return {**steps, **metrics} if metric else {**metrics, **steps}

    def packs(self) -> dict[str, Scope]:
        """Return every pack that is imported, directly or indirectly, by name; a second version of a pack is named
        `name@version`.
        """
        found: dict[str, Scope] = {}
        for pack in self.imports.values():
            for one in (pack, *pack.packs().values()):
                known = found.get(one.label)
                found[one.label if known in (None, one) else f"{one.label}@{one.version}"] = one
        return found

    def candidates(self, name: str) -> list[str]:
        """Return the existing names among which a correction of a misspelt name is searched."""
        alias, dot, _ = name.partition(".")
        if dot and alias in self.imports:
            return [f"{alias}.{known}" for known in self.imports[alias].definitions]
        imported = [f"{key}.{known}" for key, pack in self.imports.items() for known in pack.definitions]
        return [*self.params, *self.definitions, *registry.names(), *imported]
