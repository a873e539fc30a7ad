"""Which page and anchor everything on a site has, and expressions whose names are links to these."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from typing import TypeAlias

from scoring.compiler.scope import Scope
from scoring.diagnostics.diagnostic import SpecError
from scoring.diagnostics.source import Span
from scoring.format.model import Definition
from scoring.lang import formula as formulas
from scoring.lang.formula import Formula, walk_formula
from scoring.lang.parser import parse_computed, parse_formula
from scoring.lang.printer import print_formula, print_pipeline
from scoring.lang.tree import Call, Literal, MapValue, Node, Path, Pipeline, walk
from scoring.registry.model import Primitive
from scoring.report.site.model import ExpressionMark, ShownExpression

_LONGEST = 60
WIDTH = 84
Meant: TypeAlias = "tuple[str, str, Primitive | None]"


def slug(name: str) -> str:
    """A name as a part of a path: small letters of ASCII, digits, `-` and `_`.

    Examples:
        >>> slug("house/../Word-Error_1"), slug("\\u202e"), slug("Größe")
        ('house-word-error_1', 'x', 'grosse')
    """
    plain = unicodedata.normalize("NFKD", name.casefold()).encode("ascii", "ignore").decode()
    return re.sub(r"[^a-z0-9_]+", "-", plain)[:_LONGEST].strip("-") or "x"


class SitePlaces:
    """Gives out pages and anchors, each once; what asks first has the plain one."""

    def __init__(self) -> None:
        self._taken: set[str] = set()
        self._files: dict[tuple[str, str], str] = {}
        self._anchors: dict[tuple[str, str, str], str] = {}
        self._primitives: dict[str, str] = {}
        self.documented: set[str] = set()

    def file(self, folder: str, name: str, version: str, digest: str) -> str:
        """The page of a pack, a task or a suite."""
        key = (name, digest)
        if key not in self._files:
            wanted = f"{slug(name)}-{slug_of_version(version)}" if version else slug(name)
            self._files[key] = self._free(f"{folder}/{wanted}", ".html")
        return self._files[key]

    def definition(self, scope_key: tuple[str, str], name: str) -> str:
        """Where a definition, or another part of a file, stands; "" where its file has no page."""
        page = self._files.get(scope_key)
        if page is None:
            return ""
        key = (*scope_key, name)
        if key not in self._anchors:
            self._anchors[key] = self._free(f"{page}#{slug(name)}", "")
        return self._anchors[key]

    def of_definition(self, definition: Definition, own: Scope) -> str:
        """Where a definition stands that a scope knows."""
        return self.definition(own.key, definition.name)

    def primitive(self, primitive: Primitive) -> str:
        """The page of a primitive; a step and a data-set metric of one name stand on two."""
        key = f"{primitive.kind == 'metric'} {primitive.name}"
        if key not in self._primitives:
            folder = "metrics" if primitive.kind == "metric" else "primitives"
            self._primitives[key] = self._free(f"{folder}/{slug(primitive.name)}", ".html")
        return self._primitives[key]

    def _free(self, wanted: str, ending: str) -> str:
        found, number = f"{wanted}{ending}", 2
        while found in self._taken:
            found, number = f"{wanted}-{number}{ending}", number + 1
        self._taken.add(found)
        return found


def slug_of_version(version: str) -> str:
    """A version as a part of a path.

    Examples:
        >>> slug_of_version("1.0.0-rc.1")
        '1.0.0-rc.1'
    """
    return re.sub(r"[^a-z0-9.]+", "-", version.lower())[:_LONGEST].strip("-.") or "x"


class NamesIn:
    """What the names of one expression lead to.

    Args:
        places: The site.
        scope: The names of the file.
        params: Where each parameter of the definition stands.
        inside: The definition, inside of which its own name means the primitive.
        metric: Whether the expression is called as a data-set metric.
    """

    def __init__(
        self,
        places: SitePlaces,
        scope: Scope,
        params: dict[str, str] | None = None,
        inside: str = "",
        metric: bool = False,
    ) -> None:
        self.places, self.scope, self.params, self.inside, self.metric = places, scope, params or {}, inside, metric
        self.used: list[str] = []

    def meant(self, name: str, *, is_bare: bool = False) -> Meant | None:
        """What a name is: how it looks, where it leads, and the primitive if it is one; None for an unknown one."""
        if is_bare and name in self.params:
            return "param", self.params[name], None
        found = self.scope.definition(name)
        if found is not None and name != self.inside:
            return "defined", self.places.of_definition(*found), None
        primitive = self.scope.primitive(name, metric=self.metric)
        return None if primitive is None else ("primitive", self.places.primitive(primitive), primitive)

    def expression(self, tree: Pipeline | Formula, width: int | None = WIDTH) -> ShownExpression:
        """A pipeline or a formula with its marks; what it names is noted as used."""
        shown = print_pipeline(tree, width) if isinstance(tree, Pipeline) else print_formula(tree)
        try:
            if isinstance(tree, Pipeline):
                marks = list(self._of_pipeline(parse_computed(shown)))
            else:
                marks = list(self._of_formula(parse_formula(shown)))
        except SpecError:  # longer than an expression may be that is read: shown as it is
            return ShownExpression(shown)
        self.used += [mark.target for mark in marks if mark.look in ("defined", "primitive") and mark.target]
        return ShownExpression(shown, _apart(marks))

    def _of_pipeline(self, tree: Node) -> Iterator[ExpressionMark]:
        for node in walk(tree):
            if isinstance(node, Call) and node.name_span is not None:
                look, target, primitive = self.meant(node.name, is_bare=node.is_bare) or ("unknown", "", None)
                yield _mark(node.name_span, look, target, primitive.doc.summary if primitive else "")
                yield from (_mark(span, "keyword") for span in node.keyword_spans if span is not None)
            elif isinstance(node, MapValue):
                yield from (_mark(span, "keyword") for span in node.key_spans if span is not None)
            elif isinstance(node, Literal) and node.span is not None:
                yield _mark(node.span, "text" if isinstance(node.value, str) else "number")
            elif isinstance(node, Path) and node.span is not None:
                yield _mark(node.span, "path", self._of_path(node))

    def _of_formula(self, tree: Formula) -> Iterator[ExpressionMark]:
        for node in walk_formula(tree):
            if isinstance(node, formulas.Function) and node.name_span is not None:
                yield _mark(node.name_span, "function")
            elif isinstance(node, formulas.Number | formulas.Bool) and node.span is not None:
                yield _mark(node.span, "number")
            elif isinstance(node, formulas.Text) and node.span is not None:
                yield _mark(node.span, "text")
            elif isinstance(node, formulas.Field) and node.span is not None:
                yield _mark(node.span, "path", self.params.get(node.name, ""))
            elif isinstance(node, Path) and node.span is not None:
                yield _mark(node.span, "path", self._of_path(node))

    def _of_path(self, path: Path) -> str:
        """Where a value stands that a path begins with."""
        name = path.segments[0] if path.root == "values" and path.segments else ""
        return self.params.get(f"values.{name}", "") if name else ""


def _mark(span: Span, look: str, target: str = "", title: str = "") -> ExpressionMark:
    return ExpressionMark(span.start, span.end, look, target, title)


def _apart(marks: list[ExpressionMark]) -> tuple[ExpressionMark, ...]:
    """The marks in their order, those left out that begin within another one."""
    found: list[ExpressionMark] = []
    for mark in sorted(marks, key=lambda one: (one.start, one.end)):
        if mark.end > mark.start and (not found or mark.start >= found[-1].end):
            found.append(mark)
    return tuple(found)
