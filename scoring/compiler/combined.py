"""Steps that join the scores of named pipelines by a formula: the formula is checked, and gives the step its range.

A primitive with the trait ``formula`` has it as the text of its parameter of that name; its pipelines are what the
formula reads.
"""

from __future__ import annotations

from scoring.compiler.formula import Compiled, FormulaCompiler
from scoring.compiler.messages import Findings, listed
from scoring.compiler.program import FORMULA, BoundStep
from scoring.diagnostics.diagnostic import SpecError
from scoring.diagnostics.source import Fragment, Span
from scoring.lang.parser import parse_formula
from scoring.lang.tree import Call, Literal, Value
from scoring.lang.words import BadEscape, places, unquote
from scoring.ranges import EVERYTHING, ScoreRange


def check_formula(step: BoundStep, scores: dict[str, ScoreRange], call: Call, findings: Findings) -> bool:
    """Whether the formula of a step is in order; what is wrong with it is reported, at the part of it that is.

    Args:
        step: The step.
        scores: The range of each of its pipelines.
        call: Where it was written.
        findings: Where findings go.
    """
    written = dict(call.kwargs).get(FORMULA, call.args[0] if call.args else None)
    span = written.span if written is not None else call.span
    if FORMULA in step.dynamic:
        message = f"`{FORMULA}` of `{step.step}` can't be read from a record: it is part of the program"
        findings.error("argument-type", message, span, help='write it as a text, as in `combine("2 * a", a=equal)`')
        return False
    if not scores:
        message = f"`{step.step}` needs the pipelines that its formula reads"
        findings.error("missing-parameter", message, call.span, help='as in `combine("(a + b) / 2", a=…, b=…)`')
        return False
    before = len(findings.diagnostics)
    try:
        compiled = _compiled(_fragment(str(step.static[FORMULA]), written), scores, findings)
    except SpecError as error:
        for one in error.diagnostics:
            findings.error(one.id, one.message, one.span or span, one.primary.text, help=one.help)
        return False
    if len(findings.diagnostics) == before:
        for name in scores:
            if name not in compiled.fields:
                message = f"the formula of `{step.step}` does not read `{name}`"
                findings.error("argument-value", message, span, help=f"it reads {listed(compiled.fields)}")
    return len(findings.diagnostics) == before


def formula_range(step: BoundStep, scores: dict[str, ScoreRange]) -> ScoreRange:
    """What a step may yield that joins scores of some ranges by its formula."""
    text = step.static.get(FORMULA)
    if not isinstance(text, str):
        return EVERYTHING
    try:
        return _compiled(Fragment.of(text), scores, Findings()).interval
    except SpecError:  # it is told where the step is checked
        return EVERYTHING


def _compiled(fragment: Fragment, scores: dict[str, ScoreRange], findings: Findings) -> Compiled:
    return FormulaCompiler(scores, findings, roots=(), noun="pipeline").score(parse_formula(fragment))


def _fragment(text: str, written: Value | None) -> Fragment:
    """The text of a formula with its place, character by character where it stands as it is meant."""
    span: Span | None = written.span if isinstance(written, Literal) and written.value == text else None
    if span is None:
        return Fragment.of(text) if written is None or written.span is None else Fragment(text, written.span)
    try:
        is_plain = unquote(span.text) == text
    except (BadEscape, IndexError):
        is_plain = False
    inside = [span.start + place for place in places(span.text)] if is_plain else []
    return Fragment(text, span, inside[:-1], inside[1:]) if len(inside) == len(text) + 1 else Fragment(text, span)
