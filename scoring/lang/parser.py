"""Parse the text of an expression into its tree: Lark parses it by `grammar.lark`, and builders create the tree."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from functools import lru_cache, partial
from typing import TYPE_CHECKING, Any

from lark.exceptions import UnexpectedInput, UnexpectedToken

from scoring.diagnostics.diagnostic import SpecError
from scoring.diagnostics.source import Fragment
from scoring.lang import tree
from scoring.lang.builder import TreeBuilder
from scoring.lang.formula import Formula
from scoring.lang.formulas import FormulaBuilder
from scoring.lang.grammar import expression_parser
from scoring.lang.pipelines import PipelineBuilder
from scoring.lang.scan import Token, check_operators, scan

if TYPE_CHECKING:
    from scoring.lang.mistake import Place


def parse_pipeline(text: Fragment | str) -> tree.Pipeline:
    """Return the tree of a pipeline such as `lower | equal`.

    Raises:
        SpecError: when the text is not a valid pipeline; with all findings.

    Examples:
        >>> [step.name for step in parse_pipeline("lower | zero_below(0.5)").steps]
        ['lower', 'zero_below']
    """
    found: tree.Pipeline = _parsed("scorer", text)
    return found


def parse_computed(text: Fragment | str) -> tree.Pipeline:
    """Return the tree of the expression of a computed value: a path, a formula or a pipeline.

    Raises:
        SpecError: when the text is not a valid expression; with all findings.

    Examples:
        >>> parse_computed("record.lang").head, parse_computed("reference | words | length").head
        (Path(root='record', segments=('lang',)), Path(root='reference', segments=()))
    """
    found: tree.Pipeline = _parsed("computed", text)
    return found


def parse_formula(text: Fragment | str) -> Formula:
    """Return the tree of a formula such as `0.7 * vendor + 0.3 * total`.

    Raises:
        SpecError: when the text is not a valid formula; with all findings.

    Examples:
        >>> parse_formula("score >= 0.8")
        Compare(op='>=', a=ScoreRef(), b=Number(value=0.8))
    """
    found: Formula = _parsed("formula", text)
    return found


def parse_path(text: Fragment | str) -> tree.Path:
    """Return the tree of a path such as `context.test_cases[0].input`.

    Raises:
        SpecError: when the text is not a valid path; with all findings.

    Examples:
        >>> parse_path('record."answer format"')
        Path(root='record', segments=('answer format',))
    """
    found: tree.Path = _parsed("path", text)
    return found


def pipeline_or_none(fragment: Fragment) -> tree.Pipeline | None:
    """Return the tree of a pipeline, None if the text is not one: a formula, or an expression with a mistake."""
    found: tree.Pipeline | None = _tried("scorer", fragment)
    return found


def computed_or_none(fragment: Fragment) -> tree.Pipeline | None:
    """Return the tree of a path, a formula, or a pipeline that may begin with one, None if the text is none of them."""
    found: tree.Pipeline | None = _tried("computed", fragment)
    return found


def is_formula(fragment: Fragment) -> bool:
    """Return whether a text is a valid formula.

    Examples:
        >>> is_formula(Fragment.of("record.a == 1")), is_formula(Fragment.of("lower | equal"))
        (True, False)
    """
    return _tried("formula", fragment) is not None


class Refused(Exception):
    """The exception for an expression that violates the grammar; its message is computed only if it is reported."""

    def __init__(self, place: Place, offset: int) -> None:
        super().__init__()
        self.place, self.offset = place, offset


_KINDS = {"scorer": "pipeline", "computed": "pipeline", "formula": "formula", "path": "path"}
_of_pipelines = partial(PipelineBuilder, parse_formula)
_BUILDERS: dict[str, Callable[[Fragment], TreeBuilder]] = {
    "scorer": _of_pipelines,
    "computed": _of_pipelines,
    "formula": FormulaBuilder,
    "path": _of_pipelines,
}


def _parsed(entry: str, text: Fragment | str) -> Any:
    """Return the tree of an expression of the kind `entry`; raise SpecError with all findings if it is not valid."""
    fragment = Fragment.of(text) if isinstance(text, str) else text
    try:
        return _read(entry, fragment)
    except Refused as refused:
        raise _explained(entry, fragment, refused) from None


def _tried(entry: str, fragment: Fragment) -> Any:
    """Return the tree of an expression of the kind `entry` (a rule of the grammar), None if it is not valid."""
    try:
        return _read(entry, fragment)
    except (Refused, SpecError):
        return None


def _read(entry: str, fragment: Fragment) -> Any:
    """Return the tree of an expression of the kind `entry`, a rule of the grammar.

    Raises:
        Refused: when it violates the grammar.
        SpecError: when it follows the grammar, but something else is wrong.
    """
    found = _tree(entry, fragment, tuple(fragment.starts or ()))
    if isinstance(found, Refused):
        raise Refused(found.place, found.offset)
    return found


@lru_cache(maxsize=1024)  # trees are immutable; fragments are equal at the same place of the same text only
def _tree(entry: str, fragment: Fragment, _places: tuple[int, ...]) -> Any:
    tokens = scan(fragment)
    if entry == "formula":
        check_operators(fragment, tokens)
    ends = {token.end for token in tokens}
    cursor = expression_parser().parse_interactive(fragment.text, start=entry)
    try:
        for token in cursor.iter_parse():
            if token.end_pos not in ends:  # a token of the scanner is never split, as in `andb` and `1.2.3`
                return _refused(entry, fragment, tokens, token.start_pos or 0, is_cut=token.type == "NUMBER")
        parsed = cursor.feed_eof()
    except UnexpectedInput as error:
        at_end = isinstance(error, UnexpectedToken) and error.token.type == "$END"
        return _refused(entry, fragment, tokens, len(fragment.text) if at_end else error.pos_in_stream or 0)
    builder = _BUILDERS[entry](fragment)
    found = builder.transform(parsed)
    builder.found.raise_errors()
    return found


def _refused(entry: str, fragment: Fragment, tokens: list[Token], offset: int, *, is_cut: bool = False) -> Refused:
    from scoring.lang.mistake import Place

    index = next((index for index, token in enumerate(tokens) if token.end > offset), len(tokens))
    return Refused(Place(_KINDS[entry], tokens, index, is_cut, fragment.text), offset)


def _explained(entry: str, fragment: Fragment, refused: Refused) -> SpecError:
    """Return the error to report for an expression of the kind `entry`, given the exception of its failed parsing."""
    from scoring.lang.mistake import expression_error

    return expression_error(
        refused.place, fragment, partial(_expected, entry, fragment.text, refused.offset), *_fixed(entry, fragment.text)
    )


def _expected(entry: str, text: str, offset: int) -> str:
    """Return a description of what is expected at an offset of an expression that is valid up to there."""
    from scoring.lang.expected import describe_expected

    cursor = expression_parser().parse_interactive(text, start=entry)
    with suppress(UnexpectedInput):
        for token in cursor.iter_parse():
            if (token.start_pos or 0) >= offset:
                break
    return describe_expected(cursor.accepts())


def _fixed(entry: str, text: str) -> tuple[str, str]:
    """Return an invalid expression with its known mistakes corrected, in canonical form and otherwise as it is written;
    two empty texts if that is impossible."""
    from scoring.lang.formula_printer import print_formula
    from scoring.lang.mend import mended
    from scoring.lang.printer import value_text

    read: list[Any] = []

    def stops(tried: str) -> Place | None:
        try:
            read[:] = [_read(entry, Fragment.of(tried))]
        except Refused as refused:
            return refused.place
        return None

    meant = mended(text, stops)
    if not meant:
        return "", ""
    return value_text(read[0]) if isinstance(read[0], tree.Pipeline | tree.Path) else print_formula(read[0]), meant
