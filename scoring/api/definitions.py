"""Look up named scorers and parsers of packs, or compile expressions, as objects that can be called."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from scoring.api.arguments import in_words, verb
from scoring.compiler.checks.definitions import compile_definition
from scoring.compiler.checks.link import Linker
from scoring.compiler.checks.resolve import Resolver
from scoring.compiler.identity.signature import Signature, recipe
from scoring.compiler.programs.failures import error_of
from scoring.compiler.programs.messages import Findings
from scoring.compiler.programs.program import Program
from scoring.compiler.programs.scope import Scope
from scoring.compiler.programs.stages import NO_ROW, RowValues
from scoring.compiler.running.run import ScorerRunner, TransformRunner
from scoring.data.plain_columns import column_of_library
from scoring.data.plain_values import of_library
from scoring.diagnostics.diagnostic import SpecError
from scoring.diagnostics.suggest import did_you_mean
from scoring.format.definitions import NO_DEFAULT, Definition, DefinitionRole
from scoring.format.load import Loaded, Loader
from scoring.format.packs import packs_of
from scoring.lang.parser import parse_pipeline
from scoring.project.find import SPEC_FILES, project_place
from scoring.project.project import Project
from scoring.ranges import ScoreRange
from scoring.registry.extension import service
from scoring.result import Outcome

MAX_KEPT = 64


class Scorer:
    """A compiled scorer, from a pack or an expression, that compares predictions with references.

    Examples:
        >>> scorer("lower | equal").score("Yes", "yes")
        Outcome(value=1.0, status='scored', reason=None)
    """

    def __init__(self, program: Program, signature: Signature) -> None:
        self._runner = ScorerRunner(program)
        self._outcome, self._dynamic = self._runner.outcome, self._runner.dynamic
        self.program = program
        self.text = program.text
        self.signature = signature

    def score(
        self, prediction: Any, reference: Any, *, context: Any = None, record: Mapping[str, Any] | None = None
    ) -> Outcome:
        """Return the outcome of comparing a prediction with a reference; a failure is an unscored outcome, never an
        exception.

        Args:
            prediction: The model's answer.
            reference: The reference to compare it with.
            context: The value that the expression reads as ``context.…``.
            record: The record that the expression reads as ``record.…``.
        """
        if type(prediction) is not str or type(reference) is not str:
            prediction, reference = of_library(prediction), of_library(reference)
            if type(reference) is Outcome or type(prediction) is Outcome:  # nested too deeply
                return reference if type(reference) is Outcome else prediction
        row = _row(prediction, reference, of_library(context), of_library(record)) if self._dynamic else NO_ROW
        return self._outcome(prediction, reference, row)

    def score_many(
        self, predictions: Sequence[Any], references: Sequence[Any], *, contexts: Sequence[Any] | None = None
    ) -> list[Outcome]:
        """Return the outcome of each pair of a prediction and the reference at the same position.

        Raises:
            ValueError: when the sequences differ in length, or one is not a sequence of values.
        """
        for column in (predictions, references, *([] if contexts is None else [contexts])):
            if not hasattr(column, "__len__") or isinstance(column, str | bytes | Mapping | set):
                raise ValueError(f"{in_words(column)} is no column; give a list, or `score` for a single pair")
        for what, others in (("references", references), ("contexts", contexts)):
            if others is not None and len(others) != len(predictions):
                raise ValueError(f"{len(predictions)} predictions cannot be paired with {len(others)} {what}")
        rows = None
        answers, gold = column_of_library(predictions), column_of_library(references)
        if self._runner.dynamic:
            plain_contexts = map(of_library, contexts if contexts is not None else [None] * len(answers))
            rows = [_row(p, r, c, None) for p, r, c in zip(answers, gold, plain_contexts, strict=True)]
        found = self._runner.outcomes(answers, gold, rows)
        if answers is not predictions or gold is not references:  # plain lists hold nothing that is nested too deeply
            for place, (answer, reference) in enumerate(zip(answers, gold, strict=True)):
                if type(reference) is Outcome or type(answer) is Outcome:
                    found[place] = reference if type(reference) is Outcome else answer
        return found

    def explain(self, prediction: Any, reference: Any, *, context: Any = None) -> list[dict[str, Any]]:
        """Return a trace of comparing one pair, as plain data: the value after each stage of the scorer."""
        trace = service("explain-pair", "`Scorer.explain`")
        stages: list[dict[str, Any]] = trace(
            self.program, prediction, reference, _row(prediction, reference, context, None)
        )
        return stages

    @property
    def reads_reference(self) -> bool:
        """Whether scores depend on the reference; if not, None can be passed as reference.

        Examples:
            >>> scorer("equal").reads_reference, scorer("has_length(most=3)").reads_reference
            (True, False)
        """
        return self._runner.reads_reference

    @property
    def range(self) -> ScoreRange:
        """The range of possible scores; an end is infinite if scores are unbounded on that side.

        Examples:
            >>> scorer("absolute_error").range
            ScoreRange(low=0.0, high=inf)
        """
        return self._runner.range


class Parser:
    """A compiled parser, from a pack or an expression of transforms, that extracts the answer from a response."""

    def __init__(self, pack: _Pack | None, definition: Definition | None, text: str, params: Mapping[str, Any]) -> None:
        self._pack = pack
        self._definition = definition
        self._text = text
        self._params = dict(params)
        self._runners: dict[str, TransformRunner] = {}
        self._runner = self._compiled(self._params)

    def parse(self, text: Any, **options: Any) -> Any:
        """Return the value that the parser extracts from a response.

        Args:
            text: The raw response.
            options: Values for parameters of the parser, for this call only.

        Raises:
            Unparsed: when the response has no readable answer; other exceptions of its primitives are passed on.
        """
        value = of_library(text)
        if type(value) is Outcome:  # nested too deeply
            raise error_of(value)
        return (self._with(options) if options else self._runner)(value)

    def _with(self, options: Mapping[str, Any]) -> TransformRunner:
        """Return the parser compiled with the options as further parameter values; recent results are cached."""
        key = repr(sorted(options.items()))
        if key not in self._runners:
            if len(self._runners) >= MAX_KEPT:
                self._runners.clear()
            self._runners[key] = self._compiled({**self._params, **options})
        return self._runners[key]

    def _compiled(self, params: Mapping[str, Any]) -> TransformRunner:
        return TransformRunner(_program("parser", self._pack, self._definition, self._text, params))


class _Pack:
    """A loaded pack, given as ``name@version`` or as the path of its file, to look up and compile definitions."""

    def __init__(self, target: str) -> None:
        loader = Loader()
        if target.endswith(SPEC_FILES):
            self.loaded: Loaded = loader.file(Path(target))
        else:
            name, _, wanted = target.partition("@")
            self.loaded = packs_of(loader).by_name(name, wanted)
        findings = Findings()
        self.scope = Linker(loader, findings).scope(self.loaded)
        findings.diagnostics.raise_errors()

    def definition(self, name: str, *roles: DefinitionRole) -> Definition:
        """Return the definition with the given name, after checking that it has one of the given roles.

        Raises:
            SpecError: when the pack has no such definition, or it has another role.
        """
        found = self.scope.definitions.get(name)
        if found is None:
            hint = did_you_mean(name, self.scope.definitions, f"it has {', '.join(sorted(self.scope.definitions))}")
            raise SpecError.of("unknown-name", f"`{self.loaded.spec.name}` defines no `{name}`", help=hint)
        if found.role not in roles:
            fitting = sorted(name for name, one in self.scope.definitions.items() if one.role in roles)
            raise SpecError.of(
                "wrong-kind",
                f"`{name}` of `{self.loaded.spec.name}` is one of its {found.role}s, not a {roles[0]}",
                help=f"its {roles[0]}s: {', '.join(fitting) or 'none'}",
            )
        return found


_PACKS: dict[tuple[str, object], _Pack] = {}


def _pack(target: str) -> _Pack:
    if target.endswith(SPEC_FILES):
        return _Pack(target)
    place = project_place()
    key = target, None if place is None else Project(*place).stamp
    if key not in _PACKS:
        if len(_PACKS) >= MAX_KEPT:
            _PACKS.clear()
        _PACKS[key] = _Pack(target)
    return _PACKS[key]


def _program(
    role: DefinitionRole, pack: _Pack | None, definition: Definition | None, text: str, params: Mapping[str, Any]
) -> Program:
    """Return the compiled program of a pack's definition with parameter values, or else of the expression ``text``."""
    findings = Findings()
    if pack is not None and definition is not None:
        _check_arguments(definition, params)
        program = compile_definition(definition, pack.scope, Resolver(findings), params)
    else:
        for name in params:
            advice = (
                "write the value in the expression, as in `levenshtein | zero_below(0.5)`; definitions have parameters"
            )
            raise SpecError.of("unknown-parameter", f"an expression has no parameter `{name}`", help=advice)
        program = Resolver(findings).in_role(role, parse_pipeline(text), Scope())
    findings.diagnostics.raise_errors()
    return program


@verb
def scorer(name: str, **params: Any) -> Scorer:
    """Return a scorer, given as ``pack@version:name``, ``file.yaml:name``, or an expression.

    Args:
        name: The name or the expression.
        params: Values for parameters of a named scorer; an expression has none.

    Raises:
        SpecError: when there is no such scorer, or the expression is invalid.

    Examples:
        >>> scorer("levenshtein | zero_below(0.5)").score("kitten", "sitting").status
        'scored'
    """
    target, definition_name = _split(name)
    if target is None:
        program, label = _program("scorer", None, None, name, params), name
    else:
        pack = _pack(target)
        program = _program("scorer", pack, pack.definition(definition_name, "scorer"), name, params)
        label = f"{pack.loaded.spec.name}:{pack.loaded.spec.version}:{definition_name}"

    return Scorer(program, recipe(label, "", [program]).signature())


@verb
def parser(name: str, **params: Any) -> Parser:
    """Return a parser, given as ``pack@version:name``, or an expression of transforms.

    Args:
        name: The name or the expression.
        params: Values for parameters of a named parser; an expression has none.

    Raises:
        SpecError: when there is no such parser, or the expression is invalid.
    """
    target, definition_name = _split(name)
    if target is None:
        return Parser(None, None, name, params)
    pack = _pack(target)
    return Parser(pack, pack.definition(definition_name, "parser", "transform"), definition_name, params)


def _split(name: str) -> tuple[str | None, str]:
    """Return the pack and the definition's name in ``pack@1:name``; None and the whole text for an expression."""
    target, colon, definition = name.rpartition(":")
    # The path of a file may have spaces.
    marks = "|(\"'" if target.endswith(SPEC_FILES) else "|( \"'"
    if not colon or any(mark in target for mark in marks):
        return None, name
    return target, definition


def _row(prediction: Any, reference: Any, context: Any, record: Mapping[str, Any] | None) -> RowValues:
    if context is None and record is None:
        return {**NO_ROW, "prediction": prediction, "reference": reference}
    return {"prediction": prediction, "reference": reference, "context": context, "record": record or {}}


def _check_arguments(definition: Definition, params: Mapping[str, Any]) -> None:
    known = [param.name for param in definition.params]
    for name in params:
        if name not in known:
            hint = did_you_mean(name, known, f"its parameters: {', '.join(known) or 'none'}")
            raise SpecError.of("unknown-parameter", f"`{definition.name}` has no parameter `{name}`", help=hint)
    for param in definition.params:
        if param.name not in params and param.pipeline is None and param.default is NO_DEFAULT:
            raise SpecError.of(
                "missing-parameter",
                f"`{definition.name}` needs its parameter `{param.name}`",
                help=f"give it as a keyword, `{param.name}=…`. {param.doc}".strip(),
            )
        if param.takes_pipeline and not isinstance(params.get(param.name, ""), str):
            raise SpecError.of(
                "argument-type",
                f"`{param.name}` of `{definition.name}` takes a pipeline",
                help=f'write it as a text, such as `{param.name}="lower | equal"`',
            )
        if param.name in params and not _can_be_written(params[param.name]):
            kind = type(params[param.name]).__name__
            raise SpecError.of(
                "argument-type",
                f"`{param.name}` of `{definition.name}` is a `{kind}` that no spec can hold",
                help="give texts, numbers, truth values, None, and lists and mappings of these",
            )


def _can_be_written(value: Any) -> bool:
    """Return whether a value can be written in a spec, as every value that enters a signature must be."""
    try:
        json.dumps(value)
    except (TypeError, ValueError, RecursionError):
        return False
    return True
