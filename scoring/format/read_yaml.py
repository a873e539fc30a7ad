"""Read YAML with positions: build a tree from PyYAML's events, without its constructors and without recursion."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

from scoring.diagnostics.diagnostic import Diagnostic, Diagnostics, Label, SpecError, diagnostic
from scoring.diagnostics.source import Source, Span
from scoring.diagnostics.words import shown
from scoring.format import yaml_traps
from scoring.format.limits import LIMITS, STARTER, ReadLimits, check_characters, too_deep, too_many_values
from scoring.format.nodes import Scalar, ScalarStyle, SpecNode
from scoring.format.yaml_scalars import NotFinite, TooLong, resolve

if TYPE_CHECKING:
    import yaml

_ENOUGH = 50  # the number of findings after which reading stops
_STYLES: dict[str | None, ScalarStyle] = {"'": "single", '"': "double", "|": "literal", ">": "folded"}
# libyaml of PyYAML 6.0.4 and later stops at 1,000 levels by itself, before it gives the events of the first ones.
_TOO_DEEP = "exceeded maximum nesting depth"


def read_yaml(source: Source | str, limits: ReadLimits = LIMITS) -> SpecNode:
    """Return the root node of a text with one YAML document, with the location of every value.

    Raises:
        SpecError: when there are errors; with all findings up to the first position at which reading must stop.

    Examples:
        >>> node = read_yaml("kind: task\\nby: [no, 12:30]")
        >>> node.plain(), str(node["by"].span)
        ({'kind': 'task', 'by': ['no', '12:30']}, '<yaml>:2:5')
    """
    source = Source("<yaml>", source) if isinstance(source, str) else source
    return _Builder(source, limits).read()


@dataclass(slots=True)
class _Open:
    """A mapping or list whose end has not been reached yet: in flow style (`{}` or `[]`) if `flow`.

    `pair` is true for `a: b` in `[a: b]`. `count` is the number of values in the file up to its start, `height` the
    number of levels inside, `key` the last key, whose value is not yet complete, and `written` the keys and values so
    far.
    """

    node: SpecNode
    anchor: str | None
    flow: bool
    count: int
    height: int = 0
    key: str | None = None
    key_span: Span | None = None
    written: list[SpecNode] = field(default_factory=list)
    pair: bool = False


class _Anchored(NamedTuple):
    node: SpecNode
    size: int
    height: int


class _Builder:
    def __init__(self, source: Source, limits: ReadLimits) -> None:
        self.source, self.limits = source, limits
        self.begin = check_characters(source, limits)
        self.found = Diagnostics()
        self.open: list[_Open] = []
        self.anchors: dict[str, _Anchored] = {}
        self.count = self.aliases = self.documents = 0
        self.root: SpecNode | None = None

    def read(self) -> SpecNode:
        import yaml

        handlers: dict[type, Any] = {
            yaml.ScalarEvent: self.scalar,
            yaml.AliasEvent: self.alias,
            yaml.DocumentStartEvent: self.document,
            yaml.MappingStartEvent: self.start,
            yaml.SequenceStartEvent: self.start,
            yaml.MappingEndEvent: self.end,
            yaml.SequenceEndEvent: self.end,
        }
        try:
            for event in _events(self.source.text[self.begin :]):
                handler = handlers.get(type(event))
                if handler:
                    handler(event)
        except yaml.MarkedYAMLError as error:
            from scoring.format.yaml_refused import explain_yaml_error

            if error.problem == _TOO_DEEP and error.problem_mark is not None:
                raise too_deep(self.source, error.problem_mark.index + self.begin, self.limits) from None
            flows = [frame.node.span.start for frame in self.open if frame.flow]
            found = explain_yaml_error(self.source, self.begin, error, flows)
            if found.id != "yaml-pipe" or not any(one.id == "yaml-colon" for one in self.found):
                self.found.append(found)  # else it is the second line of an expression whose first was taken for a key
        except SpecError as error:
            self.found.extend(error.diagnostics)
        self.found.raise_errors()
        if self.root is None:
            span = Span(self.source, self.begin, self.begin)
            raise SpecError.of("empty-file", "the file is empty", span, help=STARTER)
        return self.root

    def place(self, event: Any) -> tuple[int, int]:
        """Return the start and end offset of an event; PyYAML's line numbers also count U+0085 and U+2028."""
        return event.start_mark.index + self.begin, event.end_mark.index + self.begin

    def document(self, event: yaml.DocumentStartEvent) -> None:
        self.documents += 1
        if self.documents > 1:
            start, _ = self.place(event)
            raise SpecError.of(
                "yaml-many-documents",
                "a second document begins here",
                Span(self.source, start, start + 3),
                "the file ends with its first document",
                help="put each spec in a file of its own",
            )

    # ---- values

    def scalar(self, event: yaml.ScalarEvent) -> None:
        start, end = self.place(event)
        style = _STYLES.get(event.style, "plain")
        self.refuse_tag(event.tag, start)
        # The event of an empty value ends at the end of its anchor, before the white space after it.
        start = min(_behind_anchor(self.source.text, start, event.anchor), end)
        if style == "literal" or style == "folded":
            end = start + len(self.source.text[start:end].rstrip(" \t\r\n"))
        span = Span(self.source, start, end)
        value = self.resolved(event.value, span) if style == "plain" else event.value
        node = SpecNode(value, span, None, style)
        if style == "plain":
            yaml_traps.check_comment(node, self.found)
        elif style == "double" and "\\" in span.text:
            yaml_traps.check_escapes(node, bool(self.open) and self.open[-1].flow, self.found)
        self.take(node, event.anchor, 1, 0)

    def resolved(self, written: str, span: Span) -> Scalar:
        try:
            return resolve(written, self.limits.digits)
        except NotFinite:
            id, message = "number-not-finite", f"{shown(written)} is not a number that a spec can use"
        except TooLong:
            id, message = "number-too-long", f"a number of {len(written):,} characters"
        self.found.error(id, message, span, help="quote it if it is a text")
        return 0

    def alias(self, event: yaml.AliasEvent) -> None:
        span = Span(self.source, *self.place(event))
        self.aliases += 1
        if self.aliases > self.limits.aliases:
            raise SpecError.of("yaml-too-many-aliases", f"more than {self.limits.aliases} aliases are used", span)
        anchored = self.anchors.get(event.anchor or "")
        if anchored is None:
            self.unknown_alias(event.anchor or "", span)
            anchored = _Anchored(SpecNode("", span), 1, 0)
        self.take(anchored.node, None, anchored.size, anchored.height, alias=span)

    def unknown_alias(self, name: str, span: Span) -> None:
        inside = next((frame for frame in self.open if frame.anchor == name), None)
        if inside:
            self.found.error(
                "yaml-recursive-alias",
                f"`*{name}` repeats a value inside itself",
                span,
                secondary=[Label(Span(self.source, inside.node.span.start, inside.node.span.start + 1), "this value")],
            )
        else:
            from scoring.format.yaml_findings import unknown_alias

            self.found.append(unknown_alias(span))

    # ---- collections

    def start(self, event: yaml.MappingStartEvent | yaml.SequenceStartEvent) -> None:
        import yaml

        begin, end = self.place(event)
        self.refuse_tag(event.tag, begin)
        if len(self.open) >= self.limits.depth:
            raise too_deep(self.source, begin, self.limits)
        mapping = isinstance(event, yaml.MappingStartEvent)
        start = _behind_anchor(self.source.text, begin, event.anchor)
        place = Span(self.source, start, max(start, end))
        node = SpecNode({} if mapping else [], place, None, "mapping" if mapping else "list")
        self.counted(1, start)
        pair = mapping and bool(event.flow_style) and end <= begin  # in a list, without braces
        self.open.append(_Open(node, event.anchor, bool(event.flow_style), self.count, pair=pair))

    def end(self, event: yaml.MappingEndEvent | yaml.SequenceEndEvent) -> None:
        frame = self.open.pop()
        if frame.flow:
            yaml_traps.check_commas(frame.written, self.found)
            if frame.pair:
                yaml_traps.check_pair(frame.written, self.found)
            _, end = self.place(event)
        else:
            # The end event of a block is at the next token, so the end of the last value is used.
            end = frame.written[-1].span.end if frame.written else frame.node.span.end
        opened = frame.node
        node = SpecNode(opened.value, Span(self.source, opened.span.start, end), None, opened.style)
        self.take(node, frame.anchor, self.count - frame.count + 1, frame.height, counted=True)
        if frame.pair:
            # `[x: f(a, b)]`: the pair ends at the comma, so its values are passed to the list for `check_commas`.
            self.open[-1].written[-1:] = frame.written

    def take(
        self,
        node: SpecNode,
        anchor: str | None,
        size: int,
        height: int,
        *,
        alias: Span | None = None,
        counted: bool = False,
    ) -> None:
        """Add a finished value to the tree, as key, entry, item or document: `size` is the number of values in it,
        `height` that of nested levels. `counted` is true if the total already includes `size`."""
        if not counted:
            self.counted(size, node.span.start)
        if len(self.found) >= _ENOUGH:
            raise SpecError(())
        if anchor is not None:
            self.anchors[anchor] = _Anchored(node, size, height)
        if not self.open:
            self.root = node
            return
        frame = self.open[-1]
        frame.height = max(frame.height, height + 1)
        if len(self.open) + height > self.limits.depth:
            raise too_deep(self.source, (alias or node.span).start, self.limits)
        place = alias or node.span
        # The values in written order, from which traps and the end of a block are determined.
        frame.written.append(node if alias is None else SpecNode(None, place, None, "list"))
        if isinstance(frame.node.value, list):
            frame.node.value.append(node.keyed(None, alias) if alias else node)
        elif frame.key_span is None:
            self.take_key(frame, node, place)
        else:
            self.take_entry(frame, node.keyed(frame.key_span, alias))

    def take_key(self, frame: _Open, node: SpecNode, place: Span) -> None:
        frame.key_span = place
        frame.key = node.value if isinstance(node.value, str) else None
        if frame.key is None:
            self.found.append(_key_not_text(node, place))
        elif node.style == "plain" and not frame.flow:
            yaml_traps.check_key(node, self.found)
        if frame.key == "<<" and node.style == "plain":
            self.found.error(
                "yaml-merge-key",
                "`<<` merges mappings, which a spec does not allow",
                place,
                help="write the entries out, or name the shared part in a pack",
            )

    def take_entry(self, frame: _Open, node: SpecNode) -> None:
        key, frame.key, frame.key_span = frame.key, None, None
        entries = frame.node.entries
        if key is None:
            return
        if key in entries:
            self.found.error(
                "duplicate-key",
                f"the key {shown(key)} appears twice in one mapping",
                node.key_span,
                "again here",
                secondary=[Label(entries[key].key_span, "first here")],
            )
        else:
            entries[key] = node

    def counted(self, size: int, start: int) -> None:
        self.count += size
        if self.count > self.limits.nodes:
            raise too_many_values(self.source, start, self.limits)

    def refuse_tag(self, tag: str | None, start: int) -> None:
        if tag is not None:
            from scoring.format.yaml_findings import tag_finding

            self.found.append(tag_finding(self.source, start))


def _events(text: str) -> Iterator[yaml.Event]:
    import yaml

    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)(text)
    try:
        while loader.check_event():
            yield loader.get_event()
    finally:
        loader.dispose()


def _behind_anchor(text: str, start: int, anchor: str | None) -> int:
    """Return the offset of the value after an anchor `&name` at the offset `start`; `start` if it has no anchor."""
    if anchor is None or not text.startswith(f"&{anchor}", start):
        return start
    start += len(anchor) + 1
    while text[start : start + 1] in (" ", "\t", "\r", "\n"):
        start += 1
    return start


def _key_not_text(node: SpecNode, place: Span) -> Diagnostic:
    written = place.text.split("\n")[0]
    simple = not (node.is_mapping or node.is_list) and written and not written.startswith("*")
    return diagnostic(
        "error",
        "yaml-key-not-text",
        f"this key is {node.kind}",
        place,
        "keys are text",
        help=f'write `"{written}":`' if simple else (),
    )
