"""Fixes made from what findings say was meant: quoted as the file requires, with everything else in it unchanged."""

from __future__ import annotations

import json
import re
from bisect import bisect_left
from collections.abc import Iterable, Iterator
from functools import cached_property
from pathlib import Path

from msgspec.structs import replace

from scoring.compiler.programs.suggestions import suggested_pipeline
from scoring.diagnostics.diagnostic import Diagnostic, Fix, SpecError
from scoring.diagnostics.meant import Meant
from scoring.diagnostics.source import Fragment, Source, Span
from scoring.diagnostics.suggest import nearest
from scoring.extensions.authoring.beyond import findings_beyond
from scoring.extensions.authoring.edits import changes_alone, start_of, text_to_write
from scoring.extensions.authoring.guesses import guessed, told_by_key
from scoring.extensions.authoring.trials import completed, kind_of_keys
from scoring.format.limits import LIMITS
from scoring.format.nodes import SpecNode
from scoring.format.read import read_text
from scoring.format.yaml_scalars import resolve
from scoring.format.yaml_text import is_plain_scalar
from scoring.lang.parser import is_formula, pipeline_or_none
from scoring.lazy_pattern import lazy_pattern

_WORD = lazy_pattern(r"[\w./-]*")
_ALL_QUOTED = lazy_pattern(r'"([^"\\]*)"')
MOST_FIXED = 200
"""The findings of one file for which fixes are made."""
_SHOWN = 60
_OTHER_FIGURES = frozenset({
    "mse", "msle", "rmsle", "mad", "mape", "mase", "smape", "mce", "ace", "bce", "dcg", "hmean", "gmean", "spice",
    "percentile", "sensitivity", "true_positive_rate", "specificity",
})  # fmt: skip
"""Figures of the field by names that are near to those of others (`mae`, `ece`, `mean`), or that leave open which
percentile or label is meant."""
_AMBIGUOUS = frozenset({"yaml-hash"})  # what looks like the end of a value may be a comment


def with_fixes(source: Source, findings: Iterable[Diagnostic]) -> tuple[Diagnostic, ...]:
    """Return findings about a file, given its text, each with the fixes that are known for it.

    Findings about other files, and findings that have fixes already, are unchanged.
    """
    maker = _Maker(source)
    found = list(findings)
    if maker.root is not None:
        found = [told for one in found for told in told_by_key(one, maker.root)]
    made = [replace(one, fixes=(*maker.fixes(one),)) if not one.fixes else one for one in found[:MOST_FIXED]]
    if maker.root is None and not any(one.severity == "warning" for one in found):
        made += findings_beyond(source, found[:MOST_FIXED], lambda text: _Maker(text).fixes)
    return (*made, *found[MOST_FIXED:])


class _Maker:
    """A maker of fixes for one text, which is read only if its content matters."""

    def __init__(self, source: Source) -> None:
        self.source = source
        self.is_json = source.name.lower().endswith(".json")
        self.line_end = "\r\n" if "\r\n" in source.text else "\n"

    @cached_property
    def root(self) -> SpecNode | None:
        """The root node of the text; None if it can't be read."""
        try:
            return read_text(self.source.text, self.source.name)
        except SpecError:
            return None

    @cached_property
    def _scalars(self) -> list[SpecNode]:
        """All texts in the file, in the order of their positions."""
        found, waiting = [], [self.root] if self.root is not None else []
        while waiting:
            node = waiting.pop()
            waiting += [*node.entries.values(), *node.items]
            if node.is_text:
                found.append(node)
        return sorted(found, key=lambda one: one.span.start)

    def fixes(self, finding: Diagnostic) -> Iterator[Fix]:
        """Yield the fixes of a finding: one, or several of which the user chooses."""
        if finding.span is None or finding.span.source != self.source:
            return
        is_safe = finding.severity == "error" and finding.id not in _AMBIGUOUS
        known = finding.meant
        if finding.id == "unknown-name" and self._is_key_like_score(finding.span):
            known = (Meant(finding.span, "score"),)
        for meant in known:
            fix = self._fix(meant) if meant.span.source == self.source else None
            if fix is not None:
                yield replace(fix, is_safe=is_safe and meant.is_sure and _is_near(finding, meant))
        if known:
            return
        for meant in () if self.root is None else guessed(finding, self.root, self._around):
            fix = self._fix(meant)
            if fix is not None:
                yield replace(fix, is_safe=is_safe and meant.is_sure, title=_title(meant.span.text, meant.text))
        if finding.id == "missing-key":
            yield from self._missing(finding)
        elif finding.id in ("syntax-unclosed-bracket", "syntax-unopened-bracket", "syntax-unclosed-text"):
            yield from self._completed(finding)
        elif finding.id == "syntax-yaml" and finding.span.text in ("'", '"'):
            yield from self._closed(finding)

    def _is_key_like_score(self, span: Span) -> bool:
        """Return whether the name of a step is likely to be the key `score` of a field, as in `{scorer: equal}`."""
        rest = self.source.text[span.end : span.end + 3].lstrip("\"' ")
        return rest.startswith(":") and nearest(span.text, ["score"]) is not None

    # ---- what was meant

    def _fix(self, meant: Meant) -> Fix | None:
        span, text = meant.span, meant.text
        if meant.is_source:
            written = self._undashed(span) or self._source_text(text)
            if "\n" in span.text and "#" in span.text and written != self._undashed(span):
                return None  # a comment would be lost
            return None if written is None else Fix(span, written, title=_title(span.text, written))
        node = self._around(span.start, span.end)
        if node is None:
            written = self._as_key(span.text, text)
            return Fix(span, written, title=_title(span.text, written)) if written else None
        old, fragment = str(node.value), node.fragment()
        if (whole := _ALL_QUOTED.fullmatch(text)) and span in (node.span, fragment.whole):
            text = whole[1]  # the quotes of YAML were meant
        if span == node.span or span == fragment.whole:
            return self._rewritten(node, fragment, text)
        starts = fragment.starts
        if starts is None or span.start not in starts:
            return None
        first, last = bisect_left(starts, span.start), bisect_left(starts, span.end)
        return self._rewritten(node, fragment, f"{old[:first]}{text}{old[last:]}")

    def _undashed(self, span: Span) -> str:
        """Return a YAML list of mappings, one entry each, as one mapping with its lines and comments; "" for others."""
        found = (
            None if self.root is None else next((one for one in self.root.entries.values() if one.span == span), None)
        )
        if found is None or not found.is_list or not all(len(one.entries) == 1 for one in found.items):
            return ""
        text, starts = span.text, [one.span.start - span.start for one in found.items]
        dashes = [text.rfind("-", 0, start) for start in starts]
        if any(text[dash + 1 : start].strip(" ") for dash, start in zip(dashes, starts, strict=True)) or -1 in dashes:
            return ""
        return "".join(" " if at in dashes else sign for at, sign in enumerate(text))

    def _around(self, start: int, end: int) -> SpecNode | None:
        """Return the text in the file that contains the part between two offsets."""
        return next((one for one in self._scalars if one.span.start <= start and end <= one.span.end), None)

    def _source_text(self, text: str) -> str | None:
        """Return YAML as the file's own format."""
        if not self.is_json or text in ("", ","):
            return text.replace("\n", self.line_end)
        try:
            plain = read_text(text, "meant.yaml").plain()
            written = json.dumps(plain, ensure_ascii=False)
            return written[1:-1] if isinstance(plain, dict) and not text.startswith("{") else written
        except (SpecError, ValueError):
            return None

    def _as_key(self, written: str, name: str) -> str:
        """Return a key in the quotes of the one that it replaces."""
        if written[:1] == '"':
            return json.dumps(name, ensure_ascii=False)
        if written[:1] == "'":
            return f"'{name}'"
        return name if is_plain_scalar(name) else json.dumps(name, ensure_ascii=False)

    def _rewritten(self, node: SpecNode, fragment: Fragment, new: str) -> Fix | None:
        """Return the fix that makes `new` of a text in the file: of as few words as possible, else of all of it."""
        old = str(node.value)
        new = new if old != old.rstrip() else new.rstrip()
        if old == new:
            return None
        start, end = _differing(old, new)
        part, title = (
            new[start : len(new) - (len(old) - end)],
            _title(old[start:end], new[start : len(new) - len(old) + end]),
        )
        if fragment.starts is not None and fragment.ends is not None:
            span, style = fragment.span(start, end), "double" if node.style == "json" else node.style
            quoted = {"single": part.replace("'", "''"), "double": json.dumps(part, ensure_ascii=False)[1:-1]}
            written = quoted.get(style, part)
            if self._is_alone(node, span.start, span.end, written, new):
                return Fix(span, written, title=title)
        first, last = start_of(node), node.span.end
        text = text_to_write(self.source, first, last, new)
        if text is None or "#" in self.source.text[first : node.span.start]:  # a comment would be lost
            return None
        return Fix(self.source.span(first, last), text, title=title)

    def _is_alone(self, node: SpecNode, start: int, end: int, written: str, new: str) -> bool:
        """Return whether writing a text between two offsets makes `new` of a node, and changes nothing else."""
        plain = node.style != "plain" or (new == new.strip() and isinstance(resolve(new), str))
        if plain and _WORD.fullmatch(written) and _WORD.fullmatch(self.source.text[start:end]) and "." not in written:
            return len(new) <= LIMITS.size  # words read as they are written, whatever the quotes
        return changes_alone(self.source, start, end, written, new)

    # ---- what is missing

    def _missing(self, finding: Diagnostic) -> Iterator[Fix]:
        """Yield the fix for a file without its kind, name or version."""
        root = self.root
        name = next(iter(re.findall("`(kind|name|version)`", finding.message)), "")
        if root is None or not root.is_mapping or not root.entries or finding.span is None or not name:
            return
        first = next(iter(root.entries.values()))
        place = first.key_span or first.span
        if finding.span.start > place.start:
            return
        stem = re.sub(r"[^A-Za-z0-9_-]+", "-", Path(self.source.name).stem).strip("-")
        values = {"kind": kind_of_keys(root.entries), "name": stem if stem[:1].isalpha() else "", "version": "0.1.0"}
        if not (value := values[name]):
            return
        at = place.start
        if self.is_json or root.span.text.startswith("{"):
            written = f"{json.dumps(name)}: {json.dumps(value)}, "
        else:
            before = {"kind": (), "name": ("kind",), "version": ("kind", "name")}[name]
            after = [root[key] for key in before if key in root and "\n" not in root[key].span.text]
            written = f"{name}: {value}{self.line_end}"
            if after and (line := self.source.text.find("\n", after[-1].span.end)) >= 0:
                at = line + 1
        yield Fix(self.source.span(at, at), written, title=f"add `{name}: {value}`")

    def _completed(self, finding: Diagnostic) -> Iterator[Fix]:
        """Yield the fixes for a bracket or a quote without its counterpart: every one with which the text can be
        read."""
        node = None if finding.span is None else self._around(finding.span.start, finding.span.end)
        if node is None:
            return
        fragment, made = node.fragment(), list[Fix]()
        for text in completed(finding.id, fragment.text, lambda one: _is_read(one)):
            fix = self._rewritten(node, fragment, text)
            made += [fix] if fix is not None else []
        yield from (replace(fix, is_safe=len(made) == 1) for fix in made)

    def _closed(self, finding: Diagnostic) -> Iterator[Fix]:
        """Yield the fix for a quoted YAML text that is never closed: a quote at the end of its line."""
        text, span = self.source.text, finding.span
        assert span is not None
        line = text.find("\n", span.start)
        end = len(text[: line if line >= 0 else len(text)].rstrip())
        try:
            read_text(f"{text[:end]}{span.text}{text[end:]}", self.source.name)
        except SpecError:
            return
        yield Fix(
            self.source.span(end, end), span.text, is_safe="#" not in text[span.start : end], title="close the text"
        )


def _is_near(finding: Diagnostic, meant: Meant) -> bool:
    """Return whether a name is near to what it stands for, or exactly another name of it, and not merely related.

    A name of the field for another figure, such as `mse` beside `rmse`, is no misspelled one.
    """
    if finding.id not in ("unknown-name", "unknown-key", "unknown-parameter") or meant.span != finding.span:
        return True
    from scoring.registry import registry

    word, name = meant.span.text.strip("\"'"), meant.text
    if word.lower() in _OTHER_FIGURES:
        return False
    others = (registry.other_names("steps"), registry.other_names("metrics"))
    if name in (suggested_pipeline(word), suggested_pipeline(word, metric=True)):
        return True
    is_other = any(of.get(other) == name for of in others for other in (word, word.replace("_", " ").lower()))
    return is_other or " " in name or name == "score" or nearest(word, [name]) is not None


def _is_read(text: str) -> bool:
    fragment = Fragment.of(text)
    return pipeline_or_none(fragment) is not None or is_formula(fragment)


def _differing(old: str, new: str) -> tuple[int, int]:
    """Return the part of a text between the longest common beginning and end with another, widened to whole words.

    Examples:
        >>> _differing("lowr | equal", "lower | equal"), _differing("a && b", "a | b")
        ((0, 4), (2, 4))
    """
    most = min(len(old), len(new))
    start = next((at for at in range(most) if old[at] != new[at]), most)
    tail = next((at for at in range(most - start) if old[-1 - at] != new[-1 - at]), most - start)
    while start and (old[start - 1].isalnum() or old[start - 1] in "_."):
        start -= 1
    while tail and (old[len(old) - tail].isalnum() or old[len(old) - tail] in "_."):
        tail -= 1
    return start, len(old) - tail


def _title(old: str, new: str) -> str:
    """Return what a fix does, in words."""
    before, after = (text if len(text) <= _SHOWN else f"{text[: _SHOWN - 1]}…" for text in (" ".join(old.split()), new))
    if not after.strip():
        return f"leave out `{before}`"
    return f"write `{after.strip()}` for `{before}`" if before else f"write `{after.strip()}`"
