"""Definitions and primitives as a site shows them: expressions, parameters, ranges, examples, who uses them."""

from __future__ import annotations

import doctest
import importlib
from typing import Any

from scoring.api.dialects import Dialects, known
from scoring.api.lists import default_text
from scoring.compiler.expanded import expanded
from scoring.compiler.program import Program
from scoring.compiler.ranges import range_of
from scoring.compiler.run import ScorerRunner
from scoring.compiler.scope import Scope
from scoring.effects import EFFECTS
from scoring.errors import InputError
from scoring.extensions.sharing.changes.meanings import definition_meaning
from scoring.extensions.site.examples import examples_part, try_box
from scoring.extensions.site.files import HeldFile
from scoring.extensions.site.frame import PageFrame, SiteLink
from scoring.extensions.site.gather import SiteReader
from scoring.extensions.site.markup import (
    Child,
    Markup,
    breakable,
    code_block,
    details,
    dim,
    el,
    facts_list,
    section,
    tag,
    text,
    with_addresses,
)
from scoring.extensions.site.names import WIDTH, NamesIn, SitePlaces
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
from scoring.report.of.names import starred
from scoring.report.reference import param_kind, primitive_data

DIGITS = 16
_FLAGS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
_SCORES = ("comparator", "rescorer", "aggregator")
_NO_ROW: dict[str, object] = {"prediction": None, "reference": None, "context": None, "record": {}}


def definition_section(site: SiteReader, file: HeldFile, definition: Definition, frame: PageFrame) -> Markup:
    """Return the section of a definition on the page of its file."""
    program, names = file.programs[definition.name], NamesIn.of_definition(site.places, file.scope, definition)
    tried = [one for one in file.tried if one.owner == definition.name and one.program is not None]
    target = site.places.of_definition(definition, file.scope)
    anchor = target.partition("#")[2]
    asked = file.asked(definition)
    is_private = definition.name.startswith("_")  # for its own pack alone
    instead = definition.deprecated.instead if definition.deprecated else None
    rows: list[tuple[str, Child]] = [
        ("gives", _gives(definition, program)),
        ("in a task", None if is_private else el("code", _line(definition, file.alias))),
        ("source", with_addresses(definition.source)),
        ("used by", frame.links(site.users(target))),
        ("meaning", el("code", digest_of(definition_meaning(definition, file.scope))[:DIGITS])),
    ]
    return el(
        "section",
        el(
            "h3",
            el("a", definition.name, href=f"#{anchor}", class_="anchor"),
            " ",
            tag(definition.role),
            tag("for its own pack alone") if is_private else None,
            el("span", "deprecated", class_="tag warn-tag") if definition.deprecated else None,
            [tag(EFFECTS[one]) for one in effects_of(program)],
        ),
        deprecation_note(definition.deprecated, frame, names.block(instead, frame) if instead else None),
        description(definition.doc, frame),
        details("What the judge is asked", [code_block(text(one)) for one in asked])
        if asked
        else _expression(definition, program, names, frame),
        frame.parameters(
            [_parameter(one, f"{anchor}.{at}", definition, file.scope) for at, one in enumerate(definition.params)]
        ),
        facts_list(rows),
        examples_part(tried, f"Examples of {definition.name}"),
        try_box(definition, target, "" if asked else print_pipeline(definition.pipeline, WIDTH), tried)
        if frame.serving
        else None,
        id=anchor,
        class_="definition",
        aria_label=definition.name,
    )


def description(doc: str, frame: PageFrame) -> Markup:
    """Return what a definition or a file says of itself."""
    return frame.prose(doc.strip()) if doc.strip() else el("p", "No description.", class_="dim")


def deprecation_note(
    told: DefinitionDeprecation | PackDeprecation | None, frame: PageFrame, instead: Markup | None = None
) -> Markup | None:
    """Return what is said of something that is deprecated: since when, why, what to use in its place."""
    if told is None:
        return None
    heading = el("p", el("strong", f"Deprecated since {told.since}."))
    why = frame.prose(told.why.strip()) if told.why.strip() else None
    other = told.instead if isinstance(told, PackDeprecation) else ""
    use = [el("p", "Use:"), instead] if instead else el("p", "Use ", el("code", other), ".") if other else None
    return el("div", heading, why, use, class_="note", role="note")


def _expression(definition: Definition, program: Program, names: NamesIn, frame: PageFrame) -> list[Markup]:
    """Return the expression, and where that says more, what it is with every definition written out."""
    own, tree = names.block(definition.pipeline, frame), expanded(program)
    if tree is None or print_pipeline(tree, WIDTH) == print_pipeline(definition.pipeline, WIDTH):
        return [own]
    # What is left are names of primitives, whatever the file calls its own.
    plain = NamesIn(names.places, Scope(), metric=names.metric)
    return [own, details("With every definition written out", plain.block(tree, frame))]


def _parameter(param: Parameter, anchor: str, definition: Definition, scope: Scope) -> tuple[str, str, Child, str, str]:
    if param.takes_pipeline:
        takes = "an expression"
    else:
        found = _bound_to(param.name, definition, scope)
        takes = param_kind(found) if found is not None and not found.variadic else _kind_of(param.default)
    default = "required" if param.is_required else el("code", default_text(param))
    return param.name, takes, default, param.doc.strip(), anchor


def _bound_to(name: str, definition: Definition, scope: Scope, depth: int = 0) -> Param | None:
    """Return the parameter of the first primitive that is given this one, perhaps through other definitions."""
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
    held = range_of(program) if definition.role == "scorer" else None
    if held is None:
        return f"a figure over the records{unread}"
    score = f"a score in {held}" if held.low != held.high else f"the score {held}"
    # A score without an upper end is a distance or a count, as comparisons of runs have it.
    better = "more is better" if held.is_finite else "no upper end: a distance or a count, of which more is not better"
    return f"{score}; {better}{unread}"


def _line(definition: Definition, alias: str) -> str:
    """Return how it is used in a task that imports its pack."""
    places = {"scorer": "score", "parser": "parse", "transform": "parse", "aggregate": "aggregate", "metric": "metrics"}
    required = [one.name for one in definition.params if one.is_required]
    called = f"{alias}.{definition.name}" if alias else definition.name
    called += f"({', '.join(f'{name}=…' for name in required)})" if required else ""
    place = places[definition.role]
    return f"{place}: [{called}]" if place == "metrics" else f"{place}: {called}"


# ---- the definitions of a family


def dialect_table(pack: Pack, file: HeldFile, places: SitePlaces, frame: PageFrame) -> Markup | None:
    """Return the table of the family that a pack belongs to; None where it belongs to none, or lacks one of its
    scorers."""
    family = next((one for one in known() if _is_of(pack, one)), None)
    if family is None:
        return None
    runners = [ScorerRunner(file.programs[name]) for name in family.scorers]
    targets = [places.of_definition(pack.scorers[name], file.scope) for name in family.scorers]
    head = [el("th", name, scope="col") for name in ("probe", "prediction", "reference")]
    for name, target in zip(family.scorers, targets, strict=True):
        head.append(el("th", el("a", breakable(name), href=frame.linked(target)), scope="col", class_="right"))
    rows = []
    for what, given, right in family.probes:
        scores = [runner.outcome(given, [right], _NO_ROW).value for runner in runners]
        cells = [*map(_text, (given, right)), *(_score(one, scores[0]) for one in scores)]
        rows.append(el("tr", el("th", what, scope="row"), cells))
    about = el(
        "p", "Scorers that go by one name in the field, on the same pairs. Bold differs from the first; ␣ is a space."
    )
    links = (frame.link(SiteLink(name, target)) for name, target in zip(family.scorers, targets, strict=True))
    told = el("ul", [el("li", link, f": {doc}") for link, doc in zip(links, family.scorers.values(), strict=True)])
    whole = el("table", el("thead", el("tr", head)), el("tbody", rows), class_="dialects")
    scrolled = el("div", whole, class_="wide", tabindex="0", role="region", aria_label="Dialects")
    return section("Dialects", about, told, scrolled)


def _text(given: str) -> Child:
    return el("td", el("code", given.replace(" ", "␣")) if given else dim("(empty)"))


def _score(score: float | None, first: float | None) -> Child:
    """Return a score, and bold where it is another one than the first."""
    shown = numbers.NOTHING if score is None else f"{score:.3f}".rstrip("0").rstrip(".")
    same = score is first or (score is not None and first is not None and abs(score - first) <= 1e-9)
    return el("td", shown if same else el("strong", shown), class_="right")


def _is_of(pack: Pack, family: Dialects) -> bool:
    name, _, version = family.pack.partition("@")
    fits = pack.name == name and (not version or satisfies(pack.version, version))
    return fits and bool(family.probes) and all(one in pack.scorers for one in family.scorers)


# ---- primitives


def primitive_page(site: SiteReader, one: Primitive, frame: PageFrame) -> str:
    """Return the page of a primitive.

    Raises:
        InputError: when an example gives something else than stands below it.
    """
    data = primitive_data(one)
    above, beside = ("metrics", "step") if one.kind == "metric" else ("primitives", "metric")
    other = registry.get(one.name) if one.kind == "metric" else registry.metric(one.name)
    others = [SiteLink(f"the {beside} {one.name}", site.places.primitive(other))] if other not in (None, one) else []
    rows: list[tuple[str, Child]] = [
        ("type", el("code", data["type"])),
        ("score", f"in {ScoreRange(*map(float, one.range))}" if one.kind in _SCORES else None),
        ("topics", frame.links(SiteLink(name, f"index.html#topic-{name}") for name in one.topics if name != "quirks")),
        ("also called", ", ".join(one.aka)),
        ("also", frame.links(others)),
        ("uses", [[el("code", name), " "] for name in one.uses]),
        ("source", with_addresses(one.doc.source)),
        ("used by", frame.links(site.users(frame.path))),
        ("revision", str(one.revision)),
    ]
    told = _ran(one) or "run when this page was written"
    body: list[Child] = [
        el("h1", one.name, " ", tag(f"{one.kind} · {one.family}")),
        frame.prose(one.doc.summary),
        frame.prose(one.doc.body),
        frame.parameters(
            [
                (starred(param), param["takes"], _default(param["default"]), param["doc"], "")
                for param in data["parameters"]
            ]
        ),
        facts_list(rows),
        section("Examples", code_block(one.doc.examples), el("p", told, class_="dim")) if one.doc.examples else None,
    ]
    return frame.page(one.name, body, [SiteLink(above, f"{above}.html")])


def _default(told: str) -> Child:
    return "required" if told in ("required", "any number") else el("code", told)


_told: dict[str, str] = {}


def _ran(one: Primitive) -> str:
    """Tell whether the examples were run, once in a process: "" where they gave what they state, else why they were
    not."""
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
