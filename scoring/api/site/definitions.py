"""Definitions and primitives as a site shows them: expressions, parameters, ranges, examples with what they gave."""

from __future__ import annotations

import doctest
import importlib
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from scoring.api.dialects import Dialects, known
from scoring.api.lists import default_text
from scoring.api.site.names import NamesIn, SitePlaces
from scoring.compiler.compile import compile_definition
from scoring.compiler.expanded import expanded
from scoring.compiler.program import Program
from scoring.compiler.ranges import range_of
from scoring.compiler.resolve import Resolver
from scoring.compiler.run import ScorerRunner
from scoring.compiler.scope import Scope
from scoring.compiler.trace import trace_chain, trace_scorer
from scoring.data.rows.row import InputError
from scoring.data.strict_json import dumps, plain
from scoring.effects import EFFECTS
from scoring.engine.examples import Tried
from scoring.format.load import digest_of
from scoring.format.model import NO_DEFAULT, Definition, Pack, Parameter
from scoring.format.sections import DefinitionDeprecation, PackDeprecation
from scoring.format.yaml_text import yaml_text
from scoring.lang.tree import Call, Pipeline, Value, walk
from scoring.project.versions import satisfies
from scoring.ranges import ScoreRange
from scoring.registry import registry
from scoring.registry.model import Param, Primitive
from scoring.report.reference import param_kind, primitive_data
from scoring.report.site.model import (
    DialectTable,
    ShownDefinition,
    ShownExample,
    ShownExpression,
    ShownParameter,
    SiteLink,
    SitePrimitive,
)
from scoring.result import Outcome
from scoring.sharing.changes.meanings import definition_meaning

DIGITS = 16
_FLAGS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
_SCORES = ("comparator", "rescorer", "aggregator")
_NO_ROW: dict[str, object] = {"prediction": None, "reference": None, "context": None, "record": {}}


class DefinitionReader:
    """Reads the definitions of one file."""

    def __init__(self, places: SitePlaces, scope: Scope, resolver: Resolver) -> None:
        self._places, self._scope, self._resolver = places, scope, resolver

    def shown(
        self, definition: Definition, spec: Any, tried: Sequence[Tried], alias: str
    ) -> tuple[ShownDefinition, tuple[str, ...]]:
        """The definition, and the targets of what it uses."""
        program = compile_definition(definition, self._scope, self._resolver)
        self._resolver.findings.diagnostics.raise_errors()
        target = self._places.of_definition(definition, self._scope)
        anchor = target.partition("#")[2]
        params = {param.name: f"{target}.{place}" for place, param in enumerate(definition.params)}
        names = NamesIn(self._places, self._scope, params, definition.name, definition.role == "metric")
        judged = _judge_program(definition, spec)
        expression = None if judged else names.expression(definition.pipeline)
        instead = None if definition.deprecated is None else definition.deprecated.instead
        shown = ShownDefinition(
            name=definition.name,
            role=definition.role,
            anchor=anchor,
            doc=definition.doc.strip(),
            expression=expression,
            expanded=self._expanded(definition, program, expression) if expression else None,
            program=judged,
            params=tuple(
                self._parameter(param, definition, f"{anchor}.{at}") for at, param in enumerate(definition.params)
            ),
            gives=tuple(_gives(definition, program)),
            examples=tuple(shown_example(one) for one in tried),
            source=definition.source,
            deprecated=deprecation(definition.deprecated),
            replaced_by=None if instead is None else names.expression(instead),
            used_by=(),
            effects=effects_of(program),
            meaning=digest_of(definition_meaning(definition, self._scope))[:DIGITS],
            line=_line(definition, alias),
            reads_reference=definition.role != "scorer" or program.reads_reference,
            key=target,
        )
        return shown, tuple(names.used)

    def _expanded(
        self, definition: Definition, program: Program, expression: ShownExpression
    ) -> ShownExpression | None:
        tree = expanded(program)
        if tree is None:
            return None
        # What is left are names of primitives, whatever the file calls its own.
        shown = NamesIn(self._places, Scope(), metric=definition.role == "metric").expression(tree)
        return None if shown.text == expression.text else shown

    def _parameter(self, param: Parameter, definition: Definition, anchor: str) -> ShownParameter:
        if param.takes_pipeline:
            takes = "an expression"
        else:
            found = self._bound_to(param.name, definition, self._scope, 0)
            takes = param_kind(found) if found is not None and not found.variadic else _kind_of(param.default)
        return ShownParameter(
            param.name, takes, default_text(param), param.doc.strip(), anchor, param.is_required, param.takes_pipeline
        )

    def _bound_to(self, name: str, definition: Definition, scope: Scope, depth: int) -> Param | None:
        """The parameter of the first primitive that is given this one, perhaps through other definitions."""
        if depth > 8:
            return None
        for node in walk(definition.pipeline):
            if not isinstance(node, Call):
                continue
            given: list[tuple[int | str, Value]] = [*enumerate(node.args), *node.kwargs]
            for key, value in given:
                if not (isinstance(value, Pipeline) and value.is_word and value.steps[0].name == name):
                    continue
                other = scope.definition(node.name)
                if other is not None and other[0] is not definition:
                    known = [param.name for param in other[0].params]
                    called = key if isinstance(key, str) else known[key] if key < len(known) else ""
                    return self._bound_to(called, other[0], other[1], depth + 1)
                primitive = scope.primitive(node.name, metric=definition.role == "metric")
                params = () if primitive is None else primitive.params
                bound = [one for at, one in enumerate(params) if key in (at, one.name) and one.pipeline is None]
                return bound[0] if bound else None
        return None


def deprecation(found: DefinitionDeprecation | PackDeprecation | None) -> dict[str, str]:
    """What is said of something that is deprecated, with the pack that stands in its place; nothing of what is not."""
    if found is None:
        return {}
    pack = found.instead if isinstance(found, PackDeprecation) else ""
    return {"since": found.since, "why": found.why.strip(), "for": pack}


def effects_of(*programs: Program) -> tuple[str, ...]:
    """What some programs do besides computing: ``judge``, ``programs``."""
    used = {name for program in programs for node in program.all_nodes() for name in node.primitive.uses}
    return tuple(name for name in EFFECTS if name in used and name != "notes")


def _kind_of(default: Any) -> str:
    if default is NO_DEFAULT or default is None:
        return "any value"
    kinds = ((bool, "Bool"), ((int, float), "Number"), (str, "Text"), (list, "List"), (dict, "Dict"))
    return next((name for kind, name in kinds if isinstance(default, kind)), "any value")


def _gives(definition: Definition, program: Program) -> Iterator[str]:
    if definition.role in ("parser", "transform"):
        yield f"a value: {program.output}"
        return
    held = range_of(program) if definition.role == "scorer" else None
    if held is None:
        yield "one score of several" if definition.role == "aggregate" else "a figure over the records"
        return
    yield f"a score in {held}" if held.low != held.high else f"the score {held}"
    # A score without an upper end is a distance or a count, as comparisons of runs have it.
    yield "more is better" if held.is_finite else "no upper end: a distance or a count, of which more is not better"


def _judge_program(definition: Definition, spec: Any) -> tuple[str, ...]:
    """What a judge is asked, as its file has it: texts of several lines as they are, and the rest."""
    if not isinstance(spec, Pack) or definition.name not in spec.judges:
        return ()
    held = {
        name: value
        for name, value in spec.data.get("judges", {}).get(definition.name, {}).items()
        if name not in ("doc", "source")
    }
    texts = {name: value for name, value in held.items() if isinstance(value, str) and "\n" in value.strip()}
    rest = {name: value for name, value in held.items() if name not in texts}
    return (*(text.strip() for text in texts.values()), *([yaml_text(rest).strip()] if rest else []))


def _line(definition: Definition, alias: str) -> str:
    """How it is used in a task that imports its pack."""
    places = {"scorer": "score", "parser": "parse", "transform": "parse", "aggregate": "aggregate", "metric": "metrics"}
    required = [one.name for one in definition.params if one.is_required]
    called = f"{alias}.{definition.name}" if alias else definition.name
    called += f"({', '.join(f'{name}=…' for name in required)})" if required else ""
    place = places[definition.role]
    return f"{place}: [{called}]" if place == "metrics" else f"{place}: {called}"


def shown_example(tried: Tried) -> ShownExample:
    """An example with what it gave, and how."""
    assert tried.example is not None
    given, expect = dict(tried.example.data), tried.example.expect
    if tried.left_out:
        return ShownExample(given, expect, not_run=tried.left_out)
    if tried.program is None:
        story = tried.found.explain()
        return ShownExample(given, expect, found_text(tried.found.outcome), tree=story)
    return ShownExample(given, expect, found_text(tried.found), tuple(stages_of(tried.program, given, tried.row)))


def stages_of(program: Program, given: Mapping[str, Any], row: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The stages of a scorer or a transform, as `explain` tells them; none of what joins scores."""
    if program.form == "scorer":
        return trace_scorer(program, given.get("prediction"), given.get("reference"), row)
    if program.form == "transform":
        return trace_chain(program.prediction, given.get("prediction"), row, "prediction")
    return []


def found_text(found: Any) -> str:
    """What came of an example, on one line."""
    if not isinstance(found, Outcome):
        return dumps(plain(found))
    if found.value is not None:
        return dumps(plain(found.value))
    return found.status.replace("_", " ") + (f": {found.reason}" if found.reason else "")


def shown_primitives(places: SitePlaces, users: Mapping[str, Mapping[str, SiteLink]]) -> list[SitePrimitive]:
    """All primitives but quirks that nothing on the site uses, by name.

    Raises:
        InputError: when an example gives something else than stands below it.
    """
    found = []
    for one in registry:
        target = places.primitive(one)
        used_by = users.get(target, {})
        if one.is_quirk and not used_by:
            continue
        other = registry.get(one.name) if one.kind == "metric" else registry.metric(one.name)
        kind = "the step" if one.kind == "metric" else "the metric"
        others = (SiteLink(f"{kind} {one.name}", places.primitive(other)),) if other not in (None, one) else ()
        found.append(
            SitePrimitive(
                primitive_data(one),
                target,
                one.doc.examples,
                _ran(one),
                str(ScoreRange(*map(float, one.range))) if one.kind in _SCORES else "",
                tuple(sorted(used_by.values(), key=lambda link: (link.name, link.target))),
                others,
            )
        )
    return found


_told: dict[str, str] = {}


def _ran(one: Primitive) -> str:
    """Whether the examples were run, once in a process: "" where they gave what they state, else why they were not."""
    if not one.doc.examples:
        return ""
    if one.location not in _told:
        _told[one.location] = _run(one)
    return _told[one.location]


def _run(one: Primitive) -> str:
    refused = [name for name in ("judge", "programs") if name in one.uses]
    if refused:
        return f"not run here: it uses `{refused[0]}`"
    # Names in examples are those of the module that declares it, whatever its function is wrapped in.
    module = importlib.import_module(one.function.__module__)
    test = doctest.DocTestParser().get_doctest(one.doc.examples, dict(vars(module)), one.name, None, 0)
    told: list[str] = []
    result = doctest.DocTestRunner(verbose=False, optionflags=_FLAGS).run(test, out=told.append)
    if not result.failed:
        return ""
    missing = [line for line in "".join(told).splitlines() if "pip install" in line or "is not installed" in line]
    if missing:
        return f"not run here: {missing[-1].strip()}"
    why = " ".join("".join(told).split())
    raise InputError(f"an example of the primitive `{one.name}` ({one.location}) fails: {why}")


def dialect_table(pack: Pack, scope: Scope, places: SitePlaces) -> DialectTable | None:
    """The table of the family that a pack belongs to; None where it belongs to none, or lacks one of its scorers."""
    family = next((one for one in known() if _is_of(pack, one)), None)
    if family is None:
        return None
    resolver = Resolver()
    definitions = [pack.scorers[name] for name in family.scorers]
    runners = [ScorerRunner(compile_definition(one, scope, resolver)) for one in definitions]
    rows = tuple(
        (what, given, right, tuple(runner.outcome(given, [right], _NO_ROW).value for runner in runners))
        for what, given, right in family.probes
    )
    links = tuple(SiteLink(one.name, places.of_definition(one, scope)) for one in definitions)
    return DialectTable(links, tuple(family.scorers.values()), rows)


def _is_of(pack: Pack, family: Dialects) -> bool:
    name, _, version = family.pack.partition("@")
    fits = pack.name == name and (not version or satisfies(pack.version, version))
    return fits and bool(family.probes) and all(one in pack.scorers for one in family.scorers)
