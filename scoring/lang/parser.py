"""From the text of an expression to its tree.

Lark is imported and its tables are built at the first parse, so that commands that parse nothing stay fast.
"""

from __future__ import annotations

from functools import cache, lru_cache
from pathlib import Path as FilePath
from typing import TYPE_CHECKING, Literal, TypeVar

from scoring.diagnostics.diagnostic import SpecError
from scoring.diagnostics.source import Fragment
from scoring.lang import tree
from scoring.lang.build import Builder
from scoring.lang.build_formula import FormulaBuilder
from scoring.lang.build_pipeline import PipelineBuilder
from scoring.lang.formula import Formula
from scoring.lang.scan import Token as Scanned
from scoring.lang.scan import check_operators, scan

if TYPE_CHECKING:
    import lark

Entry = Literal["pipeline", "formula", "path"]
T = TypeVar("T")


def parse_pipeline(text: Fragment | str) -> tree.Pipeline:
    """The tree of a pipeline such as `lower | equal`; raises SpecError.

    Examples:
        >>> [step.name for step in parse_pipeline("lower | cutoff(0.5)").steps]
        ['lower', 'cutoff']
    """
    return _parse_text(text) if isinstance(text, str) else _pipeline(text)


def parse_formula(text: Fragment | str) -> Formula:
    """The tree of a formula such as `0.7 * vendor + 0.3 * total`; raises SpecError.

    Examples:
        >>> parse_formula("score >= 0.8")
        Compare(op='>=', a=ScoreRef(), b=Number(value=0.8))
    """
    fragment = Fragment.of(text) if isinstance(text, str) else text
    tokens = scan(fragment)
    check_operators(fragment, tokens)
    builder = FormulaBuilder(fragment)
    return _finished(builder, builder.formula(_parse(fragment, tokens, "formula")))


def parse_path(text: Fragment | str) -> tree.Path:
    """The tree of a path such as `context.test_cases[0].input`; raises SpecError.

    Examples:
        >>> parse_path('record."answer format"')
        Path(root='record', segments=('answer format',))
    """
    fragment = Fragment.of(text) if isinstance(text, str) else text
    builder = PipelineBuilder(fragment)
    return _finished(builder, builder.path(_parse(fragment, scan(fragment), "path")))


@lru_cache(maxsize=1024)
def _parse_text(text: str) -> tree.Pipeline:
    # Trees are immutable, and a text of its own has no place in a file that could differ.
    return _pipeline(Fragment.of(text))


def _pipeline(fragment: Fragment) -> tree.Pipeline:
    builder = PipelineBuilder(fragment)
    return _finished(builder, builder.pipeline(_parse(fragment, scan(fragment), "pipeline")))


def _finished(builder: Builder, built: T) -> T:
    builder.found.raise_errors()
    return built


def _parse(fragment: Fragment, tokens: list[Scanned], entry: Entry) -> lark.Tree[lark.Token]:
    from lark.exceptions import UnexpectedInput

    from scoring.lang.refusal import explain

    try:
        return grammar().parse(fragment.text, start=entry)
    except UnexpectedInput as refused:
        raise explain(refused, fragment, tokens, entry, grammar()) from None


@cache
def grammar() -> lark.Lark:
    """The parser, made once: of the committed tables where they are of this grammar."""
    from scoring.lang.tables import from_tables

    return from_tables(grammar_text()) or built()


def grammar_text() -> str:
    """The grammar."""
    return FilePath(__file__).with_name("grammar.lark").read_text(encoding="utf-8")


def built(strict: bool = False) -> lark.Lark:
    """The parser, worked out of the grammar; `strict` refuses one in which two readings are possible."""
    import lark

    return lark.Lark(
        grammar_text(),
        parser="lalr",
        lexer="contextual",
        start=["pipeline", "formula", "path"],
        propagate_positions=True,
        maybe_placeholders=False,
        strict=strict,
    )


__all__ = ["SpecError", "parse_formula", "parse_path", "parse_pipeline"]
