"""From the text of an expression to its tree. The grammar is that of `grammar.lark`."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache, partial
from typing import TYPE_CHECKING, Any, TypeVar

from scoring.depth import in_full_depth
from scoring.diagnostics.diagnostic import SpecError
from scoring.diagnostics.source import Fragment
from scoring.lang import tree
from scoring.lang.formula import Formula
from scoring.lang.read_formula import FormulaReader
from scoring.lang.read_pipeline import PipelineReader
from scoring.lang.reader import Refused, T, TokenReader

if TYPE_CHECKING:
    from scoring.lang.mistake import Place

R = TypeVar("R", bound=TokenReader)


def parse_pipeline(text: Fragment | str) -> tree.Pipeline:
    """The tree of a pipeline such as `lower | equal`; raises SpecError.

    Examples:
        >>> [step.name for step in parse_pipeline("lower | cutoff(0.5)").steps]
        ['lower', 'cutoff']
    """
    return _pipeline_of_text(text) if isinstance(text, str) else _parsed(PipelineReader, PipelineReader.pipeline, text)


def parse_computed(text: Fragment | str) -> tree.Pipeline:
    """The tree of what a value is computed from: a path, or a pipeline; raises SpecError.

    Examples:
        >>> parse_computed("record.lang").head, parse_computed("reference | words | length").head
        (Path(root='record', segments=('lang',)), Path(root='reference', segments=()))
    """
    return _parsed(PipelineReader, PipelineReader.computed, text)


def parse_formula(text: Fragment | str) -> Formula:
    """The tree of a formula such as `0.7 * vendor + 0.3 * total`; raises SpecError.

    Examples:
        >>> parse_formula("score >= 0.8")
        Compare(op='>=', a=ScoreRef(), b=Number(value=0.8))
    """
    return _parsed(FormulaReader, FormulaReader.formula, text)


def parse_path(text: Fragment | str) -> tree.Path:
    """The tree of a path such as `context.test_cases[0].input`; raises SpecError.

    Examples:
        >>> parse_path('record."answer format"')
        Path(root='record', segments=('answer format',))
    """
    return _parsed(PipelineReader, PipelineReader.path, text, "path")


def pipeline_or_none(fragment: Fragment) -> tree.Pipeline | None:
    """The tree of a pipeline, None for what is none: a formula, or an expression with a mistake."""
    return in_full_depth(_tried, PipelineReader, PipelineReader.pipeline, fragment)


def is_formula(fragment: Fragment) -> bool:
    """Whether a text is of the grammar of formulas.

    Examples:
        >>> is_formula(Fragment.of("record.a == 1")), is_formula(Fragment.of("lower | equal"))
        (True, False)
    """
    return in_full_depth(_tried, FormulaReader, FormulaReader.formula, fragment) is not None


def _parsed(kind: type[R], rule: Callable[[R], T], text: Fragment | str, entry: str = "") -> T:
    found: T = in_full_depth(_read, kind, rule, Fragment.of(text) if isinstance(text, str) else text, entry)
    return found


def _read(kind: type[R], rule: Callable[[R], T], fragment: Fragment, entry: str = "") -> T:
    """The whole of an expression by one rule of a reader; raises SpecError."""
    reader = kind(fragment, entry)
    return reader.read(partial(rule, reader), partial(_meant, kind, rule, fragment.text, entry))


def _meant(kind: type[R], rule: Callable[[R], Any], text: str, entry: str) -> str:
    """The canonical text of what was meant by one that is refused, as far as the tables of mistakes know; else ""."""
    from scoring.lang.mend import mended
    from scoring.lang.printer import print_formula, value_text

    read: list[Any] = []

    def stops(tried: str) -> Place | None:
        reader = kind(Fragment.of(tried), entry)
        try:
            read[:] = [reader.whole(partial(rule, reader))]
        except Refused as refused:
            return reader.refused_at(refused.split)
        reader.found.raise_errors()
        return None

    if not mended(text, stops):
        return ""
    return value_text(read[0]) if isinstance(read[0], tree.Pipeline | tree.Path) else print_formula(read[0])


def _tried(kind: type[R], rule: Callable[[R], T], fragment: Fragment) -> T | None:
    """The same, None for what is not of the grammar: nobody is told why."""
    try:
        reader = kind(fragment)
        found = reader.whole(partial(rule, reader))
    except (Refused, SpecError):
        return None
    return None if reader.found.has_errors else found


@lru_cache(maxsize=1024)
def _pipeline_of_text(text: str) -> tree.Pipeline:
    # Trees are immutable, and a text of its own has no place in a file that could differ.
    return _parsed(PipelineReader, PipelineReader.pipeline, text)
