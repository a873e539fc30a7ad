"""The paths of fields and breakdowns that read computed values, and the refusal of those that only look like it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, cast

from scoring.compiler.checks.values_compile import ComputedValues, ValueSource
from scoring.compiler.programs.messages import Findings, comma_list
from scoring.compiler.programs.program import ComputedPath
from scoring.compiler.programs.scope import Scope
from scoring.compiler.records.roots import PathRoot, piped_name, roots_of
from scoring.diagnostics.diagnostic import SpecError
from scoring.diagnostics.source import Span
from scoring.lang.tree import Path

_SECOND = re.compile(r"\.([^\W\d]\w*)")


@dataclass(frozen=True, slots=True)
class ValuePaths:
    """A reader of the JMESPaths in a file with computed values."""

    _scope: Scope
    _computed: ComputedValues
    _findings: Findings

    def source(self, text: str, span: Span | None, roots: Sequence[str]) -> ValueSource | None:
        """Return the computed value that a JMESPath reads, with the path into it; None if there is none.

        A path that reads several values is reported. ``roots`` are words, such as `record`, that count as values.
        """
        heads = roots_of(text)
        values = [self._value(root, text, span, roots) for root in heads]
        first = next((one for one in values if one is not None), None)
        if first is None:
            return None
        if any(one is None or one[0] != first[0] for one in values):
            others = [
                root.name if one is None else one[0] for root, one in zip(heads, values, strict=True) if one != first
            ]
            other = next(name for name in others if name != first[0])
            self._findings.error(
                "bad-path",
                f"`{text}` reads `{first[0]}` and `{other}`, and a path goes on from one value",
                span,
                help=(
                    "compute one value of both, `fallback(…, …)` taking the first that can be read, and name that",
                    "or compare each in a field of its own",
                ),
            )
            return None
        path = text
        for root, one in zip(reversed(heads), reversed(values), strict=True):
            path = f"{path[: root.start]}value{path[one[1] if one else root.end :]}"
        if first[0] in roots:
            head = Path(cast(Any, first[0]), (), span)
            value = self._computed.value_of(head, (), self._scope, text, span)
            # What is wrong with it, the path as it is written is told for.
            return None if value is None else _readable(ValueSource(value, path), Findings())
        known = self._computed.path_of_name(first[0], self._scope, span)
        return _readable(ValueSource(known.value, path), self._findings) if isinstance(known, ComputedPath) else None

    def refuse(self, first: str, steps: str, span: Span | None, side: str) -> None:
        """Report ``first``, which is no computed value although ``steps`` follow it: JMESPath would take `answer |
        lower` for `answer.lower`."""
        errors = len(self._findings.diagnostics)
        for begin in roots_of(first):
            self._value(begin, first, span, ())
        if len(self._findings.diagnostics) > errors:  # a value that its pack does not have
            return
        root = "reference" if side == "reference" else "parsed"
        if (name := first.partition("(")[0]) in self._scope.candidates(name):
            advice = [f"write `{root} | {first} | {steps}`"]
        else:
            advice = [f"write `{root}.{first} | {steps}`, or declare `{first}` under `values:`"]
            if steps.isidentifier():
                advice.append(f"the place within that place is `{first}.{steps}`")
        message = f"`{first}` is no value of this file, and steps follow it"
        self._findings.error("wrong-stage", message, span, "a pipeline begins with a value", help=advice)

    def refuse_piped(self, place: str, span: Span | None, side: str) -> bool:
        """Report a path in which steps follow a name, as in `answer | lower`, and tell whether it is one."""
        piped = piped_name(place)
        if piped is not None:
            self.refuse(*piped, span, side)
        return piped is not None

    def _value(self, root: PathRoot, text: str, span: Span | None, roots: Sequence[str]) -> tuple[str, int] | None:
        """Return the name of the computed value that ``root``, a name in the path ``text``, refers to, and the offset
        of the name's end; None if it is no computed value. ``roots`` are words, such as `record`, that count as
        values."""
        scope, first = self._scope, root.name
        if first in scope.values or (root.continues and first in roots):
            return first, root.end
        behind = _SECOND.match(text, root.end)
        second = behind[1] if behind else None
        pack = scope.imports.get(first)
        if behind is not None and first == "values" and second in scope.values:
            return behind[1], behind.end()
        if behind is not None and pack is not None and second in pack.values:
            return f"{first}.{second}", behind.end()
        if second and pack is not None and pack.values:  # one without values leaves the name to the answer
            known = comma_list(f"{first}.{name}" for name in pack.values)
            self._findings.unknown(
                "unknown-name",
                f"`{first}` has no value `{second}`",
                span,
                second,
                pack.values,
                f"values: {known}; a place in the answer that is called so is `@.{text}`",
            )
        elif second and first == "values" and scope.values:
            known = f"values: {comma_list(scope.values)}"
            self._findings.unknown("unknown-name", f"there is no value `{second}`", span, second, scope.values, known)
        return None


def _readable(source: ValueSource, findings: Findings) -> ValueSource | None:
    """Return the source if its path is valid; otherwise add the mistakes to the findings and return None."""
    try:
        source.reader()
    except SpecError as error:
        findings.diagnostics.extend(error.diagnostics)
        return None
    return source
