"""From the text of an expression to its tree. The grammar is that of `grammar.lark`."""

from __future__ import annotations

from functools import lru_cache

from scoring.depth import in_full_depth
from scoring.diagnostics.diagnostic import SpecError
from scoring.diagnostics.source import Fragment
from scoring.lang import tree
from scoring.lang.formula import Formula
from scoring.lang.read_formula import FormulaReader
from scoring.lang.read_pipeline import PipelineReader
from scoring.lang.reader import Refused
from scoring.lang.scan import check_operators, scan


def parse_pipeline(text: Fragment | str) -> tree.Pipeline:
    """The tree of a pipeline such as `lower | equal`; raises SpecError.

    Examples:
        >>> [step.name for step in parse_pipeline("lower | cutoff(0.5)").steps]
        ['lower', 'cutoff']
    """
    return in_full_depth(_parse_text if isinstance(text, str) else _pipeline, text)


def parse_computed(text: Fragment | str) -> tree.Pipeline:
    """The tree of what a value is computed from: a path, or a pipeline; raises SpecError.

    Examples:
        >>> parse_computed("record.lang").head, parse_computed("reference | words | length").head
        (Path(root='record', segments=('lang',)), Path(root='reference', segments=()))
    """
    return in_full_depth(_computed, Fragment.of(text) if isinstance(text, str) else text)


def parse_formula(text: Fragment | str) -> Formula:
    """The tree of a formula such as `0.7 * vendor + 0.3 * total`; raises SpecError.

    Examples:
        >>> parse_formula("score >= 0.8")
        Compare(op='>=', a=ScoreRef(), b=Number(value=0.8))
    """
    return in_full_depth(_formula, Fragment.of(text) if isinstance(text, str) else text)


def parse_path(text: Fragment | str) -> tree.Path:
    """The tree of a path such as `context.test_cases[0].input`; raises SpecError.

    Examples:
        >>> parse_path('record."answer format"')
        Path(root='record', segments=('answer format',))
    """
    return in_full_depth(_path, Fragment.of(text) if isinstance(text, str) else text)


def pipeline_or_none(fragment: Fragment) -> tree.Pipeline | None:
    """The tree of a pipeline, None for what is none: a formula, or an expression with a mistake."""
    return in_full_depth(_pipeline_or_none, fragment)


def is_formula(fragment: Fragment) -> bool:
    """Whether a text is of the grammar of formulas.

    Examples:
        >>> is_formula(Fragment.of("record.a == 1")), is_formula(Fragment.of("lower | equal"))
        (True, False)
    """
    return in_full_depth(_is_formula, fragment)


def _pipeline_or_none(fragment: Fragment) -> tree.Pipeline | None:
    try:
        reader = PipelineReader(fragment, scan(fragment), "pipeline")
        found = reader.whole(reader.pipeline)
    except (Refused, SpecError):
        return None
    return None if reader.found.has_errors else found


def _is_formula(fragment: Fragment) -> bool:
    try:
        tokens = scan(fragment)
        check_operators(fragment, tokens)
        reader = FormulaReader(fragment, tokens, "formula")
        reader.whole(reader.formula)
    except (Refused, SpecError):
        return False
    return not reader.found.has_errors


def _formula(fragment: Fragment) -> Formula:
    tokens = scan(fragment)
    check_operators(fragment, tokens)
    reader = FormulaReader(fragment, tokens, "formula")
    return reader.read(reader.formula)


def _computed(fragment: Fragment) -> tree.Pipeline:
    reader = PipelineReader(fragment, scan(fragment), "pipeline")
    return reader.read(reader.computed)


def _path(fragment: Fragment) -> tree.Path:
    reader = PipelineReader(fragment, scan(fragment), "path")
    return reader.read(reader.path)


@lru_cache(maxsize=1024)
def _parse_text(text: str) -> tree.Pipeline:
    # Trees are immutable, and a text of its own has no place in a file that could differ.
    return _pipeline(Fragment.of(text))


def _pipeline(fragment: Fragment) -> tree.Pipeline:
    reader = PipelineReader(fragment, scan(fragment), "pipeline")
    return reader.read(reader.pipeline)
