"""Sections and pages of a site about definitions and primitives: expressions, parameters, ranges, examples, users."""

from __future__ import annotations

import doctest
import importlib
from typing import Any

from markupsafe import Markup

from scoring.compiler.formulas.ranges import range_of
from scoring.compiler.programs.program import Program
from scoring.compiler.programs.scope import Scope
from scoring.compiler.running.run import ScorerRunner
from scoring.diagnostics.words import EFFECTS
from scoring.errors import InputError
from scoring.extensions.dialects.comparing import Dialects, known_dialects
from scoring.extensions.reference.documents import starred
from scoring.extensions.reference.lists import default_text
from scoring.extensions.reference.primitives import param_kind, primitive_data
from scoring.extensions.sharing.changes.meanings import definition_meaning
from scoring.extensions.site.examples import examples_part, try_box
from scoring.extensions.site.expanded import expanded
from scoring.extensions.site.files import SiteFile
from scoring.extensions.site.frame import PageFrame, SiteLink
from scoring.extensions.site.gather import SiteReader
from scoring.extensions.site.markup import Child, coded, parts, with_addresses
from scoring.extensions.site.names import WIDTH, NamesIn, SiteTargets
from scoring.extensions.site.trying import effects_of
from scoring.format.definitions import NO_DEFAULT, Definition, Parameter
from scoring.format.load import digest_of
from scoring.format.model import Pack
from scoring.format.sections import DefinitionDeprecation, PackDeprecation
from scoring.lang.printer import print_pipeline
from scoring.lang.tree import Call, Pipeline, Value, walk
from scoring.project.versions import satisfies
from scoring.ranges import ScoreRange
from scoring.registry import registry
from scoring.registry.model import Param, Primitive
from scoring.report import numbers

DIGITS = 16
_FLAGS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
_SCORES = ("comparator", "rescorer", "aggregator")
_NO_ROW: dict[str, object] = {"prediction": None, "reference": None, "context": None, "record": {}}


def definition_section(site: SiteReader, file: SiteFile, definition: Definition, frame: PageFrame) -> Markup:
    """Return the section about a definition (a named expression, such as a scorer) on the page of its file."""
    program, names = file.programs[definition.name], NamesIn.of_definition(site.targets, file.scope, definition)
    tried = [one for one in file.tried if one.owner == definition.name and one.program is not None]
    target = site.targets.of_definition(definition, file.scope)
    anchor = target.partition("#")[2]
    judge_texts = file.judge_texts(definition)
    is_private = definition.name.startswith("_")  # for its own pack alone
    instead = definition.deprecated.instead if definition.deprecated else None
    rows: list[tuple[str, Child]] = [
        ("gives", _gives(definition, program)),
        ("in a task", None if is_private else parts.code(_line(definition, file.alias))),
        ("source", with_addresses(definition.source)),
        ("used by", frame.links(site.users(target))),
        ("meaning", parts.code(digest_of(definition_meaning(definition, file.scope))[:DIGITS])),
    ]
    params = [_parameter(one, f"{anchor}.{at}", definition, file.scope) for at, one in enumerate(definition.params)]
    judged = parts.details("What the judge is asked", list(map(parts.code_block, judge_texts))) if judge_texts else None
    written = "" if judge_texts else print_pipeline(definition.pipeline, WIDTH)
    body = [
        deprecation_note(definition.deprecated, frame, names.block(instead, frame) if instead else None),
        description(definition.doc, frame),
        judged or _expression(definition, program, names, frame),
        frame.parameters(params),
        parts.facts(rows),
        examples_part(tried, f"Examples of {definition.name}"),
        try_box(definition, target, written, tried) if frame.serving else None,
    ]
    one = {
        "anchor": anchor,
        "name": definition.name,
        "role": definition.role,
        "is_private": is_private,
        "is_deprecated": bool(definition.deprecated),
        "effects": [EFFECTS[one] for one in effects_of(program)],
        "body": body,
    }
    return parts.definition(one)


def description(doc: str, frame: PageFrame) -> Markup:
    """Return a descriptive text as markup, in which known names are links; a remark that there is none if it is
    empty."""
    return frame.prose(doc.strip()) if doc.strip() else parts.paragraph("No description.", "dim")


def deprecation_note(
    deprecation: DefinitionDeprecation | PackDeprecation | None, frame: PageFrame, instead: Markup | None = None
) -> Markup | None:
    """Return the note about the deprecation of a definition or a pack: since when, why, and the replacement; None if
    `deprecation` is None."""
    if deprecation is None:
        return None
    why = frame.prose(deprecation.why.strip()) if deprecation.why.strip() else None
    other = deprecation.instead if isinstance(deprecation, PackDeprecation) else ""
    use = parts.paragraph(parts.joined(["Use ", parts.code(other), "."])) if other else None
    return parts.deprecation(
        deprecation.since, why, parts.joined([parts.paragraph("Use:"), instead]) if instead else use
    )


def _expression(definition: Definition, program: Program, names: NamesIn, frame: PageFrame) -> Markup:
    """Return the expression of a definition as a code block and, if it differs, that expression with every definition
    in it written out."""
    own, tree = names.block(definition.pipeline, frame), expanded(program)
    if tree is None or print_pipeline(tree, WIDTH) == print_pipeline(definition.pipeline, WIDTH):
        return own
    # All names that remain are those of primitives, even if a definition of the file has the same name.
    plain = NamesIn(names.targets, Scope(), metric=names.metric)
    return parts.joined([own, parts.details("With every definition written out", [plain.block(tree, frame)])])


def _parameter(param: Parameter, anchor: str, definition: Definition, scope: Scope) -> tuple[str, str, Child, str, str]:
    if param.takes_pipeline:
        takes = "an expression"
    else:
        found = _bound_to(param.name, definition, scope)
        takes = param_kind(found) if found is not None and not found.variadic else _kind_of(param.default)
    default = "required" if param.is_required else parts.code(default_text(param))
    return param.name, takes, default, param.doc.strip(), anchor


def _bound_to(name: str, definition: Definition, scope: Scope, depth: int = 0) -> Param | None:
    """Return the parameter of a primitive to which the parameter `name` of a definition is passed, directly or through
    other definitions; None if there is none."""
    if depth > 8:
        return None
    for node in walk(definition.pipeline):
        if not isinstance(node, Call):
            continue
        arguments: list[tuple[int | str, Value]] = [*enumerate(node.args), *node.kwargs]
        for key, value in arguments:
            if not (isinstance(value, Pipeline) and value.is_word and value.steps[0].name == name):
                continue
            other = scope.definition(node.name)
            if other is not None and other[0] is not definition:
                known = [param.name for param in other[0].params]
                called = key if isinstance(key, str) else known[key] if key < len(known) else ""
                return _bound_to(called, other[0], other[1], depth + 1)
            primitive = scope.primitive(node.name, metric=definition.role == "metric")
            params = () if primitive is None else primitive.params
            bound = [one for at, one in enumerate(params) if key in (at, one.name) and one.pipeline is None]
            return bound[0] if bound else None
    return None


def _kind_of(default: Any) -> str:
    if default is NO_DEFAULT or default is None:
        return "any value"
    kinds = ((bool, "Bool"), ((int, float), "Number"), (str, "Text"), (list, "List"), (dict, "Dict"))
    return next((name for kind, name in kinds if isinstance(default, kind)), "any value")


def _gives(definition: Definition, program: Program) -> str:
    if definition.role == "aggregate":
        return "one score of several"
    if definition.role in ("parser", "transform"):
        return f"a value: {program.output}"
    unread = "" if definition.role != "scorer" or program.reads_reference else "; reads no reference"
    limits = range_of(program) if definition.role == "scorer" else None
    if limits is None:
        return f"a figure over the records{unread}"
    score = f"a score in {limits}" if limits.low != limits.high else f"the score {limits}"
    # A score without an upper end is a distance or a count, as comparisons of runs have it.
    better = "more is better" if limits.is_finite else "no upper end: a distance or a count, where more is not better"
    return f"{score}; {better}{unread}"


def _line(definition: Definition, alias: str) -> str:
    """Return the line by which a task that imports a pack as `alias` uses the definition, such as `score:
    close.exact`."""
    keys = {"scorer": "score", "parser": "parse", "transform": "parse", "aggregate": "aggregate", "metric": "metrics"}
    required = [one.name for one in definition.params if one.is_required]
    called = f"{alias}.{definition.name}" if alias else definition.name
    called += f"({', '.join(f'{name}=…' for name in required)})" if required else ""
    key = keys[definition.role]
    return f"{key}: [{called}]" if key == "metrics" else f"{key}: {called}"


# ---- the dialects of a pack


def dialect_table(pack: Pack, file: SiteFile, targets: SiteTargets, frame: PageFrame) -> Markup | None:
    """Return the section with the scores that the dialects of a metric (its released variants) give to a few answers;
    None if the pack has no dialects."""
    family = next((one for one in known_dialects() if _is_of(pack, one)), None)
    if family is None:
        return None
    runners = [ScorerRunner(file.programs[name]) for name in family.scorers]
    scorer_targets = [targets.of_definition(pack.scorers[name], file.scope) for name in family.scorers]
    hrefs = map(frame.linked, scorer_targets)
    links = (frame.link(SiteLink(name, target)) for name, target in zip(family.scorers, scorer_targets, strict=True))
    scorers = list(zip(family.scorers, hrefs, links, family.scorers.values(), strict=True))
    probes = []
    for what, prediction, right in family.probes:
        scores = [runner.outcome(prediction, [right], _NO_ROW).value for runner in runners]
        texts = [one.replace(" ", "␣") for one in (prediction, right)]
        probes.append((what, texts, [_score(one, scores[0]) for one in scores]))
    return parts.section("Dialects", [parts.dialects(scorers, probes)])


def _score(score: float | None, first: float | None) -> tuple[str, bool]:
    """Return a score as text, and True if it equals the first score of its row."""
    shown = numbers.NOTHING if score is None else f"{score:.3f}".rstrip("0").rstrip(".")
    return shown, score is first or (score is not None and first is not None and abs(score - first) <= 1e-9)


def _is_of(pack: Pack, family: Dialects) -> bool:
    name, _, version = family.pack.partition("@")
    fits = pack.name == name and (not version or satisfies(pack.version, version))
    return fits and bool(family.probes) and all(one in pack.scorers for one in family.scorers)


# ---- primitives


def primitive_page(site: SiteReader, one: Primitive, frame: PageFrame) -> str:
    """Return the page about a primitive as HTML, after running the primitive's examples.

    Raises:
        InputError: when an example gives another result than the one written below it.
    """
    data = primitive_data(one)
    above, counterpart = ("metrics", "step") if one.kind == "metric" else ("primitives", "metric")
    other = registry.get(one.name) if one.kind == "metric" else registry.metric(one.name)
    others = (
        [SiteLink(f"the {counterpart} {one.name}", site.targets.primitive(other))] if other not in (None, one) else []
    )
    rows: list[tuple[str, Child]] = [
        ("type", parts.code(data["type"])),
        ("score", f"in {ScoreRange(*map(float, one.range))}" if one.kind in _SCORES else None),
        ("topics", frame.links(SiteLink(name, f"index.html#topic-{name}") for name in one.topics if name != "quirks")),
        ("also called", ", ".join(one.aka)),
        ("also", frame.links(others)),
        ("uses", coded(one.uses)),
        ("source", with_addresses(one.doc.source)),
        ("used by", frame.links(site.users(frame.path))),
        ("revision", str(one.revision)),
    ]
    remark = _ran(one) or "run when this page was written"
    params = [
        (starred(param), param["takes"], _default(param["default"]), param["doc"], "") for param in data["parameters"]
    ]
    examples = [parts.code_block(one.doc.examples), parts.paragraph(remark, "dim")]
    body: list[Child] = [
        parts.heading(1, parts.joined([one.name, " ", parts.tag(f"{one.kind} · {one.family}")])),
        frame.prose(one.doc.summary),
        frame.prose(one.doc.body),
        frame.parameters(params),
        parts.facts(rows),
        parts.section("Examples", examples) if one.doc.examples else None,
    ]
    return frame.page(one.name, body, [SiteLink(above, f"{above}.html")])


def _default(default: str) -> Child:
    return "required" if default in ("required", "any number") else parts.code(default)


_results: dict[str, str] = {}


def _ran(one: Primitive) -> str:
    """Run the examples of a primitive, once in a process; return "" if they give the stated results, or why they can't
    be run.

    Raise InputError when an example gives another result.
    """
    if not one.doc.examples:
        return ""
    if one.location not in _results:
        _results[one.location] = _run(one)
    return _results[one.location]


def _run(one: Primitive) -> str:
    refused = [name for name in ("judge", "programs") if name in one.uses]
    if refused:
        return f"not run here: it uses `{refused[0]}`"
    # Names in examples are those of the module that declares it, whatever its function is wrapped in.
    module = importlib.import_module(one.function.__module__)
    test = doctest.DocTestParser().get_doctest(one.doc.examples, dict(vars(module)), one.name, None, 0)
    output: list[str] = []
    result = doctest.DocTestRunner(verbose=False, optionflags=_FLAGS).run(test, out=output.append)
    if not result.failed:
        return ""
    missing = [line for line in "".join(output).splitlines() if "pip install" in line or "is not installed" in line]
    if missing:
        return f"not run here: {missing[-1].strip()}"
    why = " ".join("".join(output).split())
    raise InputError(f"an example of the primitive `{one.name}` ({one.location}) fails: {why}")
