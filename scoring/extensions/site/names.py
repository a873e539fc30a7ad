"""Assignment of pages and anchors to everything on a site, and expressions whose names are links to them."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping
from typing import TypeAlias

from markupsafe import Markup

from scoring.compiler.programs.scope import Scope
from scoring.diagnostics.diagnostic import SpecError
from scoring.diagnostics.source import Span
from scoring.extensions.site.frame import PageFrame
from scoring.extensions.site.markup import Child, parts
from scoring.format.definitions import Definition
from scoring.format.model import TaskSpec
from scoring.lang import formula as formulas
from scoring.lang.formula import Formula, walk_formula
from scoring.lang.formula_printer import print_expression
from scoring.lang.parser import parse_computed, parse_formula
from scoring.lang.tree import Call, Literal, MapValue, Path, Pipeline, walk
from scoring.registry.model import Primitive

_LONGEST = 60
WIDTH = 84
_Mark: TypeAlias = "tuple[Span, str, str, str]"


def slug(name: str) -> str:
    """Return a name in a form for paths: lower-case ASCII letters, digits, `-` and `_`.

    Examples:
        >>> slug("house/../Word-Error_1"), slug("\\u202e"), slug("Größe")
        ('house-word-error_1', 'x', 'grosse')
    """
    plain = unicodedata.normalize("NFKD", name.casefold()).encode("ascii", "ignore").decode()
    return re.sub(r"[^a-z0-9_]+", "-", plain)[:_LONGEST].strip("-") or "x"


class SiteTargets:
    """The assignment of a unique page or anchor to each thing on a site; of equal names the first one gets its plain
    form, others a number."""

    def __init__(self) -> None:
        self._taken: set[str] = set()
        self._files: dict[tuple[str, str], str] = {}
        self._anchors: dict[tuple[str, str, str], str] = {}
        self._primitives: dict[str, str] = {}

    def file(self, folder: str, name: str, version: str, digest: str) -> str:
        """Return the path of the page of a pack, a task or a suite, which it gets on the first call.

        Args:
            folder: The folder of the page on the site.
            name: The name of the spec.
            version: Its version; "" for none.
            digest: The digest of the file, which distinguishes files of the same name.
        """
        key = (name, digest)
        if key not in self._files:
            wanted = f"{slug(name)}-{slug_of_version(version)}" if version else slug(name)
            self._files[key] = self._free(f"{folder}/{wanted}", ".html")
        return self._files[key]

    def definition(self, scope_key: tuple[str, str], name: str) -> str:
        """Return the page with the anchor of a definition, a value or a field of a file; "" if the file has no page.

        Args:
            scope_key: The name and digest of the file.
            name: The name within the file.
        """
        page = self._files.get(scope_key)
        if page is None:
            return ""
        key = (*scope_key, name)
        if key not in self._anchors:
            self._anchors[key] = self._free(f"{page}#{slug(name)}", "")
        return self._anchors[key]

    def of_definition(self, definition: Definition, own: Scope) -> str:
        """Return the page with the anchor of a definition, given the scope of the file that contains it; "" if the file
        has no page."""
        return self.definition(own.key, definition.name)

    def primitive(self, primitive: Primitive) -> str:
        """Return the path of the page of a primitive; a step and a metric of the same name have different pages."""
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
    """Return a version in a form for paths: lower-case letters, digits, `.` and `-`.

    Examples:
        >>> slug_of_version("1.0.0-rc.1")
        '1.0.0-rc.1'
    """
    return re.sub(r"[^a-z0-9.]+", "-", version.lower())[:_LONGEST].strip("-.") or "x"


class NamesIn:
    """The names that an expression may use, with the pages and anchors to which they are linked.

    Args:
        targets: The assignment of pages and anchors.
        scope: The scope of the file.
        params: The targets of parameters, values and fields, by name.
        inside: The definition with the expression; its own name there refers to the primitive of that name.
        metric: Whether names refer to data-set metrics rather than steps.
    """

    def __init__(
        self,
        targets: SiteTargets,
        scope: Scope,
        params: Mapping[str, str] | None = None,
        inside: str = "",
        metric: bool = False,
    ) -> None:
        self.targets, self.scope, self.params, self.inside, self.metric = targets, scope, params or {}, inside, metric

    @classmethod
    def of_definition(cls, targets: SiteTargets, scope: Scope, definition: Definition) -> NamesIn:
        """Return the links of the names in a definition's expression, which may use the definition's parameters."""
        target = targets.of_definition(definition, scope)
        params = {param.name: f"{target}.{place}" for place, param in enumerate(definition.params)}
        return cls(targets, scope, params, definition.name, definition.role == "metric")

    @classmethod
    def of_task(cls, targets: SiteTargets, scope: Scope, spec: TaskSpec, metric: bool = False) -> NamesIn:
        """Return the links of the names in a task's expressions, which may use the task's fields and values; with
        `metric`, those of names of metrics."""
        values = {name: targets.definition(scope.key, f"value {name}") for name in spec.values}
        fields = {field.name: targets.definition(scope.key, f"field {field.name}") for field in spec.fields}
        by_path = {f"values.{name}": target for name, target in values.items()}
        return cls(targets, scope, {**by_path, **values, **fields}, metric=metric)

    def resolve(self, call: Call) -> tuple[str, str, str]:
        """Return how to show the name of a call in an expression: its kind, which determines the look, its page with
        anchor ("" for none), and a tooltip."""
        if call.is_alone and call.name in self.params:
            return "param", self.params[call.name], ""
        found = self.scope.definition(call.name)
        if found is not None and call.name != self.inside:
            return "defined", self.targets.of_definition(*found), ""
        primitive = self.scope.primitive(call.name, metric=self.metric)
        if primitive is None:
            return "unknown", "", ""
        return "primitive", self.targets.primitive(primitive), primitive.doc.summary

    def used(self, trees: Iterable[Pipeline]) -> Iterator[str]:
        """Yield the page, with anchor, of each definition and primitive that some expressions use."""
        for node in (node for tree in trees for node in walk(tree) if isinstance(node, Call)):
            look, target, _ = self.resolve(node)
            if look != "param" and target:
                yield target

    def block(self, tree: Pipeline | Formula, frame: PageFrame) -> Markup:
        """Return an expression (a pipeline or a formula) as a code block with highlighted parts, in which names are
        links."""
        return parts.code_block(self.marked(tree, frame, WIDTH), "expression")

    def marked(self, tree: Pipeline | Formula, frame: PageFrame, width: int | None = None) -> Markup:
        """Return an expression (a pipeline or a formula) as inline code with highlighted parts, in which names are
        links; `width` is the longest line."""
        shown = print_expression(tree, width)
        try:
            read = walk(parse_computed(shown)) if isinstance(tree, Pipeline) else walk_formula(parse_formula(shown))
            marks = sorted(self._marks(read), key=lambda mark: (mark[0].start, mark[0].end))
        except SpecError:  # longer than the parser accepts: shown without marks
            marks = []
        found: list[Child] = []
        at = 0
        for span, look, target, title in marks:
            if span.end > span.start >= at:  # and does not begin within another one
                part = marked_part(shown[span.start : span.end], look, frame, target, title)
                found += [shown[at : span.start], part]
                at = span.end
        return parts.joined([*found, shown[at:]])

    def _marks(self, nodes: Iterable[object]) -> Iterator[_Mark]:
        for node in nodes:
            match node:
                case Call(name_span=Span() as span):
                    yield (span, *self.resolve(node))
                    yield from ((one, "keyword", "", "") for one in node.keyword_spans if one is not None)
                case MapValue():
                    yield from ((one, "keyword", "", "") for one in node.key_spans if one is not None)
                case Literal(span=Span() as span):
                    yield span, "text" if isinstance(node.value, str) else "number", "", ""
                case formulas.Function(name_span=Span() as span):
                    yield span, "function", "", ""
                case formulas.Number(span=Span() as span) | formulas.Bool(span=Span() as span):
                    yield span, "number", "", ""
                case formulas.Text(span=Span() as span):
                    yield span, "text", "", ""
                case formulas.Field(span=Span() as span):
                    yield span, "path", self.params.get(node.name, ""), ""
                case Path(span=Span() as span):
                    name = f"values.{node.segments[0]}" if node.root == "values" and node.segments else ""
                    yield span, "path", self.params.get(name, ""), ""


def marked_part(shown: str, look: str, frame: PageFrame, target: str, title: str = "") -> Markup:
    """Return a part of an expression as highlighted markup, which is a link if `target` is not empty.

    Args:
        shown: The text of the part.
        look: The kind of the part, which determines its look.
        frame: The writer of the page.
        target: The page, with anchor, to link to; "" for none.
        title: The tooltip.
    """
    return parts.marked(shown, look, frame.linked(target) if target else "", title)
