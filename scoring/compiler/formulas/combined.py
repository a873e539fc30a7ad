"""Steps with the trait `formula`, whose text of that name joins the scores of their pipelines."""

from __future__ import annotations

from scoring.compiler.formulas.formula import Compiled, FormulaCompiler
from scoring.compiler.programs.messages import Findings, comma_list, fragment_of
from scoring.compiler.programs.program import FORMULA, BoundStep
from scoring.diagnostics.diagnostic import SpecError
from scoring.diagnostics.source import Fragment
from scoring.lang.parser import parse_formula
from scoring.lang.tree import Call, Literal
from scoring.ranges import EVERYTHING, ScoreRange


def check_formula(step: BoundStep, call: Call, scores: dict[str, ScoreRange], findings: Findings) -> bool:
    """Check the formula in the arguments of ``step`` (``call`` as written), and report mistakes; return whether it has
    none. ``scores`` are the ranges of its pipelines."""
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
    before, text = len(findings.diagnostics), str(step.static[FORMULA])
    fragment = fragment_of(written) if isinstance(written, Literal) and written.value == text else None
    try:
        compiled = _compiled(fragment or (Fragment(text, span) if span else Fragment.of(text)), scores, findings)
    except SpecError as error:
        for one in error.diagnostics:
            findings.error(one.id, one.message, one.span or span, one.primary.text, help=one.help)
        return False
    if len(findings.diagnostics) == before:
        for name in scores:
            if name not in compiled.fields:
                message = f"the formula of `{step.step}` does not read `{name}`"
                findings.error("argument-value", message, span, help=f"it reads {comma_list(compiled.fields)}")
    return len(findings.diagnostics) == before


def formula_range(step: BoundStep, scores: dict[str, ScoreRange]) -> ScoreRange:
    """Return the range of a step that combines the scores of its pipelines by a formula."""
    text = step.static.get(FORMULA)
    if not isinstance(text, str):
        return EVERYTHING
    try:
        return _compiled(Fragment.of(text), scores, Findings()).interval
    except SpecError:  # it is told where the step is checked
        return EVERYTHING


def _compiled(fragment: Fragment, scores: dict[str, ScoreRange], findings: Findings) -> Compiled:
    return FormulaCompiler(scores, findings, roots=(), noun="pipeline").score(parse_formula(fragment))
