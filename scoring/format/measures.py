"""Entries of `metrics:`, including named ones: `wer: sum(edits) / sum(n_gold)`, `macro: f1(field="label")`."""

from __future__ import annotations

import json
from typing import TypeAlias

from scoring.diagnostics.source import Span
from scoring.format.keys import ReadsValues, SpecPart
from scoring.format.nodes import SpecNode
from scoring.lang.formula import Formula
from scoring.lang.parser import is_formula, parse_formula, parse_pipeline, pipeline_or_none
from scoring.lang.printer import print_pipeline
from scoring.lang.tree import Pipeline
from scoring.lazy_pattern import lazy_pattern
from scoring.ranges import Better
from scoring.registry import registry

_QUOTED_ENTRY = lazy_pattern(r"[^\W\d]\w*: \S")
ACCUMULATORS = frozenset({"sum", "mean", "count", "min", "max", "majority"})
"""The functions that accumulate records or groups of records in a formula over a data set, besides `per`."""


class NamedMetric(SpecPart, frozen=True):
    """An entry of `metrics:` with a name of its own, for a formula over accumulators or for an existing metric."""

    name: str
    what: Pipeline | Formula
    span: Span | None = None

    @property
    def text(self) -> str:
        """The metric or formula as the text of an expression, without the name."""
        if isinstance(self.what, Pipeline):
            return print_pipeline(self.what)
        from scoring.lang.formula_printer import print_formula  # what only a formula needs

        return print_formula(self.what)


class BetterFigure(SpecPart, frozen=True):
    """A spec's declaration of which values of a figure are better."""

    better: Better
    span: Span | None = None


MetricEntry: TypeAlias = Pipeline | NamedMetric


def metric_text(entry: MetricEntry) -> str:
    """Return an entry of `metrics:` as text, from which `metric_of_text` can restore it.

    Examples:
        >>> metric_text(parse_pipeline("mean"))
        'mean'
        >>> metric_text(NamedMetric("rate", parse_formula("mean(passed)")))
        '{"formula":"mean(passed)","name":"rate"}'
    """
    if isinstance(entry, Pipeline):
        return print_pipeline(entry)
    from scoring.data.json_write import canonical

    kind = "metric" if isinstance(entry.what, Pipeline) else "formula"
    return canonical({"name": entry.name, kind: entry.text})


def metric_of_text(text: str) -> MetricEntry:
    """Return the entry of `metrics:` that `metric_text` wrote as a text.

    Raises:
        SpecError: when the expression in the text is invalid.
        ValueError, KeyError: when the text begins with `{`, but was not written by `metric_text`.
    """
    if not text.startswith("{"):
        return parse_pipeline(text)
    data = json.loads(text)
    is_formula = "formula" in data
    what = parse_formula(str(data["formula"])) if is_formula else parse_pipeline(str(data["metric"]))
    return NamedMetric(str(data["name"]), what)


def metric_name(entry: MetricEntry) -> str:
    """Return the name under which the figure of an entry of `metrics:` is reported."""
    return print_pipeline(entry) if isinstance(entry, Pipeline) else entry.name


def read_metric(building: ReadsValues, node: SpecNode) -> MetricEntry:
    """Return the entry of `metrics:` in a node: a call in text or data form, or a name with its metric or formula.

    In an entry with a name, such as `wer: sum(edits) / sum(n_gold)`, the text is the metric or formula with that name.
    If the name is that of an existing metric and the text is a mere path, the text is its first argument, as in `f1:
    record.label`.
    """
    (name, item), *more = [*node.entries.items()] if node.is_mapping else [("", node)]
    if item.is_text and not node.is_mapping and _QUOTED_ENTRY.match(str(node.value)):
        message = "a name with its formula is a mapping, but the quotes make it a text"
        from scoring.diagnostics.meant import Advice

        advice = Advice.of(f"remove the quotes: `{node.value}`", node.span, str(node.value), is_source=True)
        building.diagnostics.error("wrong-type", message, node.span, help=advice)
        return parse_pipeline("mean")
    if not node.is_mapping or more or not item.is_text:
        call: Pipeline = building.pipeline(node)
        return call
    fragment = item.fragment()
    pipeline = pipeline_or_none(fragment)
    if pipeline is not None and _is_metric(building, pipeline):
        return NamedMetric(name, building.pipeline(item), node.span)
    is_known = registry.knows_metric(name, building.edition) or name in building.defined
    if is_known and ((pipeline is not None and pipeline.is_word) or not is_formula(fragment)):
        whole: Pipeline = building.pipeline(node)
        return whole
    return NamedMetric(name, building.formula(item), node.span)


def _is_metric(building: ReadsValues, pipeline: Pipeline) -> bool:
    """Return whether an expression begins with the name of a metric and, unlike `mean(a)`, is not a formula."""
    first = pipeline.steps[0]
    if first.name in ACCUMULATORS and first.args:
        return False
    is_others = not pipeline.is_word and ("." in first.name or "/" in first.name)
    return is_others or first.name in building.defined or registry.knows_metric(first.name, building.edition)
