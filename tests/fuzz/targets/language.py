"""Expressions of the language: read, printed, read again, compiled."""

from __future__ import annotations

from functools import cache
from random import Random
from typing import Any

import scoring
from scoring.diagnostics.diagnostic import SpecError
from scoring.diagnostics.render.formats import render_diagnostics
from scoring.lang.parser import parse_formula, parse_path, parse_pipeline
from scoring.lang.printer import print_pipeline
from scoring.registry import registry
from tests.fuzz import codec, seeds
from tests.fuzz.generators import mutate, values
from tests.fuzz.target import Fault, Subject, Target, Told, reason_faults
from tests.fuzz.targets.primitives import INNER, of_kinds, written

FORMS = ("pipeline", "formula", "path", "scorer", "parser")


@cache
def _names() -> tuple[str, ...]:
    return tuple(registry.names())


class Language(Target):
    """Texts that are expressions, or nearly."""

    name = "language"
    weight = 0.4

    def setup(self, random: Random) -> Any:
        return random.choice(FORMS)

    def member(self, setup: Any) -> str:
        return str(setup)

    def given(self, random: Random, setup: Any) -> Any:
        kind = random.randrange(8)
        if kind == 0:
            return values.text(random)
        if kind < 3:
            return mutate.text(random, random.choice(seeds.read("expressions")), _names())
        calls = of_kinds("comparator", "transform", "combinator", "rescorer")
        steps = [written(random, random.choice(calls)) for _ in range(random.randrange(1, 4))]
        found = " | ".join([*steps, *([random.choice(INNER)] if random.randrange(2) else [])])
        return mutate.text(random, found, _names()) if random.randrange(2) else found

    def open(self, setup: Any) -> Subject:
        return _Reader(setup)


class _Reader:
    many = None

    def __init__(self, form: str) -> None:
        self.form = form

    def one(self, given: Any) -> Told:
        """What the text means in this form, or the findings about it, in every form that they are shown in."""
        try:
            return self._read(given)
        except SpecError as error:
            shown = [render_diagnostics(error.diagnostics, form) for form in ("text", "concise", "json", "github")]
            wrong = [
                Fault("range", "a finding beyond its text", repr(one))
                for one in error.diagnostics
                for label in (one.primary, *one.secondary)
                if label.span is not None and not 0 <= label.span.start <= label.span.end <= len(label.span.source.text)
            ]
            bare = [fault for one in error.diagnostics for fault in reason_faults(one.message)]
            return Told(codec.write(shown), (*wrong, *bare))

    def _read(self, given: str) -> Told:
        if self.form == "scorer":
            return Told(str(scoring.scorer(given).signature))
        if self.form == "parser":
            scoring.parser(given)
            return Told("a parser")
        if self.form == "path":
            return Told(repr(parse_path(given)))
        if self.form == "formula":
            return Told(repr(parse_formula(given)))
        tree = parse_pipeline(given)
        line = print_pipeline(tree)
        again = parse_pipeline(line)
        same = again == tree or repr(again) == repr(tree)  # NaN is equal to nothing
        return Told(line, () if same else (Fault("differs", "printed and read again", line),))
