"""Pairs given to a compiled scorer, and values given to a parser: what most targets here come to."""

from __future__ import annotations

from typing import Any

from scoring import Parser, Scorer
from scoring.compiler.programs.failures import failure
from tests.fuzz import codec
from tests.fuzz.target import Told, is_out_of_memory, told_outcome

CONTEXT = "setting"
"""The name in the context that a setting may be read from: then each input brings its own."""


class ScorerSubject:
    """A scorer; an input is `[prediction, reference, context]`."""

    def __init__(self, scorer: Scorer) -> None:
        self.scorer, self.range = scorer, scorer.range

    def one(self, given: Any) -> Told:
        """The outcome of one pair."""
        prediction, reference, context = given
        return told_outcome(self.scorer.score(prediction, reference, context=context), self.range)

    def many(self, given: list[Any]) -> list[Told]:
        """The outcomes of all pairs together."""
        predictions, references, contexts = (list(column) for column in zip(*given, strict=True))
        return [
            told_outcome(outcome, self.range)
            for outcome in self.scorer.score_many(predictions, references, contexts=contexts)
        ]


class ParserSubject:
    """A parser, or a pipeline of transforms; an input is the value that it is given."""

    many = None

    def __init__(self, parser: Parser) -> None:
        self.parser = parser

    def one(self, given: Any) -> Told:
        """The value that it makes, or why it makes none: what its primitives raise comes as it is, and has a reason."""
        try:
            found = self.parser.parse(given)
        except Exception as error:
            if is_out_of_memory(error):
                raise
            return told_outcome(failure(error))
        return Told(codec.write(found))
