"""Leave the mistakes out of a file, so that its other mistakes are found in the same pass."""

from __future__ import annotations

from collections.abc import Iterable

from msgspec.structs import replace

from scoring.compiler.tasks.checking import check_spec
from scoring.diagnostics.diagnostic import Diagnostic, SpecError
from scoring.diagnostics.source import Span
from scoring.diagnostics.suggest import candidate_in
from scoring.format.load import Loader
from scoring.format.nodes import SpecNode
from scoring.lazy_pattern import lazy_pattern

MOST_PARTS = 8
"""The most parts that are left out one after the other: what is left may lack what it needs."""
_FILLED = {"kind": "task", "name": "unnamed", "version": "0.0.0"}
_OF_ITEMS = ("examples", "metrics", "tasks", "by")
"""Keys of lists whose items stand for themselves; of other lists, such as pipelines, all is left out or nothing."""
_NAMES = lazy_pattern(r"[^\W\d][\w-]*")
_QUOTED = lazy_pattern(r"`([^`]*)`")


def with_rest(error: SpecError, loader: Loader) -> SpecError:
    """Return an error about the text of a file with all findings about the rest of the file added."""
    found, rests, wrong = [*error.diagnostics], list[Rest](), error
    for _ in range(MOST_PARTS):
        if wrong.load is None:
            break
        node, load = wrong.load
        rests.append(Rest(node, wrong.diagnostics))
        if rests[-1].node is None:
            break
        left: SpecError | None = None
        try:
            more = check_spec(load(rests[-1].node), loader)
        except SpecError as again:
            more, left = again.diagnostics, again
        found += [one for one in more if not any(rest.is_echo(one) for rest in rests)]
        if left is None:
            break
        wrong = left
    return SpecError(found)


class Rest:
    """The rest of a file, given its root node and the findings about it.

    Attributes:
        node: The root node with misspelled keys replaced, and the innermost other parts with mistakes left out; None if
            nothing could be left out.
        lost: The names that occur in what was left out.
    """

    def __init__(self, root: SpecNode, found: Iterable[Diagnostic]) -> None:
        errors = [one for one in found if one.severity == "error" and one.span is not None]
        self._root = root
        self._spans = [one.span for one in errors if one.span is not None and one.span.source == root.span.source]
        self._names = {one.span: candidate_in(one.primary.text) for one in errors if one.id == "unknown-key"}
        self.lost: set[str] = set()
        self.node: SpecNode | None = None
        made = self._kept(root, "")
        missing = [key for key in _FILLED if made is not None and key not in made]
        if made is not None and any(one.id == "missing-key" for one in errors) and missing:
            filled = {key: SpecNode(_FILLED[key], Span(root.span.source, 0, 0)) for key in missing}
            made = replace(made, value={**filled, **made.entries})
        if made is not None and made is not root:
            self.node = made

    def is_echo(self, finding: Diagnostic) -> bool:
        """Return whether a finding about the rest is likely to be a consequence of what was left out."""
        if not self.lost:
            return False
        names = {name for quoted in _QUOTED.findall(finding.message) for name in _NAMES.findall(quoted)}
        return finding.severity == "warning" or finding.id in _ECHOES or not names.isdisjoint(self.lost)

    def _kept(self, node: SpecNode, key: str) -> SpecNode | None:
        """Return a node without its mistakes, the same node if it has none, or None if all of it is left out."""
        inside = [span for span in self._spans if node.span.start <= span.start and span.end <= node.span.end]
        if not inside and node is not self._root:
            return node
        if node.is_list:
            items = [self._kept(item, "") for item in node.items]
            if key not in _OF_ITEMS or items == node.items:
                return self._left_out(node)
            return replace(node, value=[item for item in items if item is not None])
        if not node.is_mapping:
            return self._left_out(node)
        entries: dict[str, SpecNode] = {}
        for name, inner in node.entries.items():
            if inner.key_span in self._spans:
                meant = self._names.get(inner.key_span, "")
                kept = inner if meant and meant not in node else self._left_out(inner)
            else:
                meant, kept = name, self._kept(inner, name)
            if kept is None and key == "fields":  # formulas name it
                meant, kept = (
                    name,
                    SpecNode("equal", Span(inner.span.source, inner.span.start, inner.span.start), inner.key_span),
                )
            if kept is not None:
                entries[meant] = kept
        if not entries and node.entries and node is not self._root:  # a mapping of nothing would be a mistake of ours
            return self._left_out(node)
        changed = [*entries.items()] != [*node.entries.items()]
        return replace(node, value=entries) if changed else node if node is self._root else self._left_out(node)

    def _left_out(self, node: SpecNode) -> SpecNode | None:
        """Note the names in a part that is left out, and return None."""
        key = node.key_span.text if node.key_span is not None else ""
        self.lost.update(_NAMES.findall(f"{key} {node.span.text}"))
        return None


_ECHOES = frozenset({"missing-key", "unused-field", "unused-definition", "unused-import"})
