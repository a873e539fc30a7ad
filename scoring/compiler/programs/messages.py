"""Findings of the checks of names and types, and limits for nested definitions."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager

from scoring.compiler.programs.scope import Scope
from scoring.diagnostics.diagnostic import Diagnostics, Label
from scoring.diagnostics.source import Fragment, Span
from scoring.format.definitions import Definition
from scoring.lang.tree import Call, Literal, Value
from scoring.lang.words import BadEscape, character_offsets, unquoted_text

MAX_DEPTH = 40
# Of the steps that called definitions come to, the limit follows the size of the file: definitions that multiply one
# another are refused soon, many small ones are accepted.
MAX_CALLED, MAX_CALLED_PER_STEP = 2_000, 20
MAX_STEPS = 100_000
# A single expression reaches 50; each level takes some ten frames of Python's stack.
MAX_NESTED = 60


class Findings:
    """A collection of findings; a mistake inside an imported definition is reported at the place in the author's own
    file that calls the definition."""

    def __init__(self) -> None:
        self.diagnostics = Diagnostics()
        # Where the definitions were called, and by which names, that the steps belong to: the outermost first.
        self.callers: list[tuple[Span | None, str]] = []

    def error(
        self,
        id: str,
        message: str,
        span: Span | None,
        label: str = "",
        secondary: Iterable[Label] = (),
        help: str | Sequence[str] = (),
        meant: str = "",
    ) -> None:
        """Add an error; inside a definition it is placed at the outermost call, and ``span`` becomes a second
        location.

        ``meant`` is the text that was most likely meant at ``span``.
        """
        labels = list(secondary)
        if self.callers:
            caller, name = self.callers[0]
            if span is not None and span != caller:
                labels.append(Label(span, f"in the definition of `{name}`: {label or 'this step'}"))
                label = meant = ""
            span = caller
        instead = []
        if meant and span is not None:
            from scoring.diagnostics.meant import Meant

            instead.append(Meant(span, meant))
        self.diagnostics.error(id, message, span, label, secondary=labels, help=help, meant=instead)

    def no_item(self, path: str, span: Span | None) -> None:
        """Report a ``path`` to an item, as it is written, where there is none."""
        message = f"`{path}` has a value only inside a step that iterates over items"
        advice = "such as `each(over=record.items, score=…, join=mean)`; `record.x` is a value of the record"
        self.error("argument-type", message, span, "no item here", help=advice)

    def unknown(
        self,
        id: str,
        message: str,
        span: Span | None,
        name: str,
        known: Iterable[str],
        help_text: str | Sequence[str],
        also: Mapping[str, str] | None = None,
    ) -> None:
        """Report an unknown name, and suggest the nearest of the ``known`` names or synonyms (``also``)."""
        from scoring.diagnostics.suggest import did_you_mean

        self.error(id, message, span, did_you_mean(name, known, also=also), help=help_text)


def fragment_of(value: Value | None) -> Fragment | None:
    """Return the text of a string argument with the position of each of its characters in the file; None for any other
    argument."""
    if not isinstance(value, Literal) or not isinstance(value.value, str) or value.span is None:
        return None
    span, text = value.span, value.value
    try:
        inside: Sequence[int] = character_offsets(span.text) if unquoted_text(span.text) == text else ()
    except (BadEscape, IndexError):
        inside = ()
    if not inside and (found := span.text.find(text)) >= 0:
        inside = range(found, found + len(text) + 1)
    if len(inside) != len(text) + 1:
        return Fragment(text, span)
    starts = [span.start + place for place in inside]
    return Fragment(text, span, starts[:-1], starts[1:])


def comma_list(names: Iterable[str]) -> str:
    """Return names in backquotes as a comma-separated list, for help texts."""
    return ", ".join(f"`{name}`" for name in names)


WANTED = {
    "scorer": "comparator",
    "transform": "transform",
    "parse": "transform",
    "aggregate": "aggregator",
    "metric": "metric",
}
"""The kind of primitive that each form of pipeline begins or ends with."""


class Nesting:
    """A stack of the definitions that are being compiled inside one another, with counters that limit the work."""

    def __init__(self, findings: Findings) -> None:
        self.findings = findings
        self._active: list[tuple[tuple[str, str], str]] = []
        self._written = self._called = self._nested = 0
        self._is_full = False
        # How many steps that go through items stand around what is compiled; a definition alone may stand in one.
        self.items = 0

    @contextmanager
    def deeper(self) -> Iterator[None]:
        """Count one more level of nested pipelines while the context is active."""
        self._nested += 1
        try:
            yield
        finally:
            self._nested -= 1

    @contextmanager
    def inside(self, call: Call, scope: Scope, name: str) -> Iterator[bool]:
        """Enter the definition ``name`` of a file, called by ``call``, while the context is active; it yields False,
        after reporting an error, if definitions are nested too deep, or cyclic."""
        key = (scope.key, name)
        if key not in self._active and len(self._active) >= MAX_DEPTH:
            self._too_large(f"definitions are nested more than {MAX_DEPTH} deep", call)
            yield False
            return
        if key in self._active:
            cycle = " -> ".join(f"`{inner}`" for _, inner in [*self._active, key])
            self.findings.error(
                "definition-cycle",
                f"`{name}` is defined by itself: {cycle}",
                call.span,
                help="let one of them use only primitives",
            )
            yield False
            return
        self._active.append(key)
        self.findings.callers.append((call.name_span or call.span, call.name))
        try:
            yield True
        finally:
            self.findings.callers.pop()
            self._active.pop()

    @contextmanager
    def within(self, scope: Scope, name: str) -> Iterator[None]:
        """Enter the definition ``name`` of the author's own file while the context is active; findings are then
        reported inside it."""
        self._active.append((scope.key, name))
        self.items += 1
        try:
            yield
        finally:
            self.items -= 1
            self._active.pop()

    def is_namesake(self, call: Call, definition: Definition, own: Scope) -> bool:
        """Tell whether a call inside ``definition``, of the scope ``own``, means the primitive of the same name."""
        key = (own.key, definition.name)
        return call.name == definition.name and key in self._active and own.primitive(call.name) is not None

    def count(self, call: Call) -> bool:
        """Count one more step; return False, after reporting an error, if steps or levels of pipelines are too many."""
        if self.findings.callers:
            self._called += 1
        else:
            self._written += 1
        most = max(MAX_CALLED, MAX_CALLED_PER_STEP * self._written)
        if not self._is_full and (self._called > most or self._called + self._written > MAX_STEPS):
            self._is_full = True
            limit, where = (most, "in the definitions it calls") if self._called > most else (MAX_STEPS, "in all")
            self._too_large(f"the spec has more than {limit:,} steps {where}", call)
        if self._nested > MAX_NESTED:
            self._too_large(f"pipelines are nested more than {MAX_NESTED} deep", call)
        return not self._is_full and self._nested <= MAX_NESTED

    def _too_large(self, message: str, call: Call) -> None:
        self.findings.error("spec-too-large", message, call.span, help="let definitions use fewer other definitions")
