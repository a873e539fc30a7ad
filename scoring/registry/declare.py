"""The decorator that turns one function into a primitive, and refuses a half-described one at import."""

from __future__ import annotations

import inspect
import math
import re
from collections.abc import Callable
from dataclasses import replace
from typing import Annotated, Any, Literal, TypeVar, get_args, get_origin, get_type_hints, overload

from scoring.diagnostics.suggest import did_you_mean, plain_name
from scoring.effects import EFFECTS, watched
from scoring.registry.annotations import (
    AtLeast,
    AtMost,
    Between,
    Says,
    UnknownAnnotation,
    marks_of,
    pipeline_of_annotation,
    type_of_annotation,
)
from scoring.registry.model import REQUIRED, DeclaredBetter, Docstring, Param, Primitive, PrimitiveKind, Reads, Trait
from scoring.registry.store import registry
from scoring.registry.topics import TOPICS
from scoring.values import ANY, SCORE, Type

F = TypeVar("F", bound=Callable[..., Any])


class DeclarationError(TypeError):
    """A primitive that is not fully described: where it is, and what is missing."""


@overload
def primitive(function: F, /) -> F: ...
@overload
def primitive(
    *,
    name: str | None = None,
    laws: tuple[str, ...] = (),
    revision: int = 1,
    range: tuple[float, float] | None = None,
    reads: Reads = "records",
    better: DeclaredBetter | None = None,
    uses: tuple[str, ...] = (),
    traits: tuple[Trait, ...] = (),
    topics: tuple[str, ...] = (),
    aka: tuple[str, ...] = (),
) -> Callable[[F], F]: ...
def primitive(
    function: F | None = None,
    /,
    *,
    name: str | None = None,
    laws: tuple[str, ...] = (),
    revision: int = 1,
    range: tuple[float, float] | None = None,  # noqa: A002  # the word of the design: a score's range
    reads: Reads = "records",
    better: DeclaredBetter | None = None,
    uses: tuple[str, ...] = (),
    traits: tuple[Trait, ...] = (),
    topics: tuple[str, ...] = (),
    aka: tuple[str, ...] = (),
) -> F | Callable[[F], F]:
    """Register a function as a primitive of the language; the function itself stays as it is.

    What stands left of ``/`` flows through the pipeline, what stands right of ``*`` is set by a spec. The kind
    follows from the signature, the documentation from the docstring.

    Args:
        function: The function, when the decorator is used without parentheses.
        name: The name in the language, where it differs from the function's.
        laws: Names of laws that the test suite checks: idempotent, symmetric, identity, bounded, monotone, antitone;
            and unordered, spaceless, unrepeated, below_one, which an audit then does not ask for.
        revision: Raised when the primitive's results change; part of the meaning in every signature. A new parameter
            whose default keeps the results is no new revision; another default is one.
        range: The range of its scores where it is not [0, 1], or of a metric's figure; `bounds` tells more.
        reads: "scores" for a metric that looks at ids, scores, weights and outcomes only; the records need not be kept
            in memory for it.
        better: Which values are better, as every metric says, and a comparator of distances: "higher", "lower", those
            of the "scores" that it is made of, the nearest to a number, or "neither" of a figure that only describes.
        uses: What it needs beside Python: ``judge`` (it asks one), ``programs`` (it runs some in the sandbox),
            ``notes`` (it leaves some), and by its name in the package index each distribution whose version can move
            its results, as in ``uses=("judge", "rapidfuzz")``. An undeclared effect is refused where it happens.
        traits: What the compiler may know of it; `scoring.registry.model.Trait` says what each tells.
        topics: What people score with it, of `scoring.registry.topics`; what only released code needs has none.
        aka: What else the field calls it, as in ``aka=("exact match", "em")``.

    Raises:
        DeclarationError: when the signature or the docstring leaves something open.
    """

    def declare(target: F) -> F:
        found = replace(_read(target, name, range), laws=laws, revision=revision, reads=reads, uses=uses, better=better)
        _register(replace(found, family=_family(target, topics), traits=traits, topics=topics, aka=aka), target)
        return target

    return declare if function is None else declare(function)


def _register(found: Primitive, target: Any) -> None:
    _check_traits(found)
    _check_topics(found)
    if found.kind == "metric" and found.better is None:
        raise _refuse(target, 'say which values are better, such as `better="higher"`: runs are compared by it')
    # Ours are held to their declarations by a test; watching costs a call, so only those with effects are watched.
    if not found.is_own or EFFECTS.keys() & set(found.uses):
        found = replace(found, function=watched(target, found.name, found.uses))
    try:
        registry.add(found)
    except ValueError as error:
        raise _refuse(target, str(error)) from None
    target.__primitive__ = found


def batch(plain: Callable[..., Any]) -> Callable[[F], F]:
    """Give a primitive a form that takes whole columns; it must return what the plain form would, one by one.

    The form of a transform, comparator or rescorer takes a list for each value, and gives a list, or an array of
    floats. Where it raises, the plain form goes over the values. The form of a combinator of transforms gives outcomes
    for what fails. The form of a combinator of scorers takes its two columns, and gives what scores pairs of their
    places: see `scoring.registry.pairs`. An aggregator's takes the columns of its fields' scores, and the weights.
    """
    return _attach(plain, "batch")


def rowwise(plain: Callable[..., Any]) -> Callable[[F], F]:
    """Give a comparator a form for columns in which every pair has settings of its own, such as what a record lists.

    It takes the predictions, the references and for each pair the mapping of its settings, and gives a list of scores,
    with what was raised in the places of those that fail.
    """
    return _attach(plain, "rowwise")


def table(plain: Callable[..., Any]) -> Callable[[F], F]:
    """Give a comparator a form that takes two lists and gives an array of floats, a row for each prediction."""
    return _attach(plain, "table")


def upper(plain: Callable[..., Any]) -> Callable[[F], F]:
    """Give a comparator without settings a quick upper bound of its score.

    Where monotone rescorers follow and make 0 of the bound, the score is 0, and the comparator is not asked. A pair
    that it would refuse has the bound 1.
    """
    return _attach(plain, "upper")


def bounds(plain: Callable[..., Any]) -> Callable[[F], F]:
    """Say what range the scores of a primitive have, where that depends on its settings or on the scores it is given.

    The function takes what the primitive takes, and a `ScoreRange` stands for every score, for every pipeline of scores
    and for every number that a spec sets, since it may be a value of the record; other settings are as they are, None
    where only the record tells them. A comparator's takes the settings alone, an aggregator's a list of ranges, and
    that of a metric the range of the scores. It gives a `ScoreRange`. Without it a primitive has its declared range,
    and one that is given scores from beyond [0, 1] may yield anything.
    """
    return _attach(plain, "bounds")


def asks_reference(plain: Callable[..., Any]) -> Callable[[F], F]:
    """Say whether a comparator looks at the reference, where that depends on its settings, which the function takes.

    A setting that only the record tells is None. One that never looks has the trait ``response_alone`` instead.
    """
    return _attach(plain, "asks_reference")


def checks(plain: Callable[..., Any]) -> Callable[[F], F]:
    """Say what is wrong with the settings of a primitive, beyond their types and bounds, when a spec is checked.

    The function takes the settings that are no pipelines, None for one that only the record tells, and gives a
    `SettingFault`, or None where nothing is wrong.
    """
    return _attach(plain, "checks")


def tells(plain: Callable[..., Any]) -> Callable[[F], F]:
    """Say how a comparator came to its score, for `explain`: which items it aligned, which paths differ.

    The function takes what the comparator takes, and gives lines of a story: mappings with a name under ``stage``, and
    under ``prediction``, ``reference`` or ``value`` what there is to show. It is called for one record, when asked.
    """
    return _attach(plain, "tells")


# The forms that run with records, and so are held to the effects that the primitive declares.
_RUN = ("batch", "rowwise", "table", "upper")


def _attach(plain: Callable[..., Any], form: str) -> Callable[[F], F]:
    found = registry.of_function(plain)
    is_watched = found.function is not plain and form in _RUN

    def attach(function: F) -> F:
        if form in found.forms:
            raise _refuse(function, f"`{found.name}` has a `{form}` form already; leave one of the two")
        found.forms[form] = watched(function, found.name, found.uses) if is_watched else function
        return function

    return attach


def _read(function: Callable[..., Any], name: str | None, declared: tuple[float, float] | None) -> Primitive:
    doc = parse_docstring(function.__doc__ or "")
    hints = get_type_hints(function, include_extras=True)
    parameters = list(inspect.signature(function).parameters.values())
    data = [p for p in parameters if p.kind is p.POSITIONAL_ONLY]
    settings = [p for p in parameters if p.kind is not p.POSITIONAL_ONLY]
    for parameter in settings:
        if parameter.kind is parameter.POSITIONAL_OR_KEYWORD:
            raise _refuse(function, f"put `{parameter.name}` left of `/` (data) or right of `*` (configuration)")
    doc = replace(doc, arguments={**_said(hints), **doc.arguments})
    _check_docs(function, doc, {p.name for p in settings})
    try:
        inputs = tuple(type_of_annotation(hints[p.name]) for p in data)
        output = type_of_annotation(hints["return"])
        params = tuple(_param(p, hints[p.name], doc) for p in settings)
    except (KeyError, UnknownAnnotation) as error:
        raise _refuse(function, f"annotation missing or unknown: {error}") from None
    plain = name or function.__name__.rstrip("_")
    kind = _kind(function, inputs, output, params)
    usual = (-math.inf, math.inf) if kind == "metric" else (0.0, 1.0)
    return Primitive(
        name=f"{registry.namespace}/{plain}" if registry.namespace else plain,
        kind=kind,
        family="",
        function=function,
        inputs=inputs,
        output=output,
        params=params,
        doc=doc,
        range=declared or usual,
        location=f"{function.__module__}:{function.__code__.co_firstlineno}",
        distribution=registry.distribution,
    )


def _check_traits(found: Primitive) -> None:
    for trait in found.traits:
        for name, takes_pipeline in _TRAITS[trait].items():
            param = found.param(name)
            if param is None or (param.pipeline is not None) is not takes_pipeline:
                what = "pipeline" if takes_pipeline else "value"
                raise _refuse(found.function, f"the trait `{trait}` needs the parameter `{name}`, a {what}")


def _check_topics(found: Primitive) -> None:
    for name, given in (("topics", found.topics), ("aka", found.aka)):
        if isinstance(given, str):
            raise _refuse(found.function, f'`{name}` is a tuple of texts, as in `{name}=("{given}",)`')
    unknown = [topic for topic in found.topics if topic not in TOPICS]
    if unknown:
        hint = did_you_mean(unknown[0], TOPICS, f"they are {', '.join(TOPICS)}")
        raise _refuse(found.function, f"there is no topic `{unknown[0]}`; {hint}")
    mistaken = next(
        (name for name in found.aka if not name.strip() or plain_name(name) == plain_name(found.name)), None
    )
    if mistaken is not None:
        raise _refuse(found.function, f"`{mistaken}` in `aka` is no other name for it")


# The parameters that a trait is about, and whether each is a pipeline.
_TRAITS: dict[Trait, dict[str, bool]] = {
    "catches": {"scorer": True, "otherwise": False},
    "cases": {"on": False, "default": True},
    "sides": {"prediction": True, "reference": True},
    "passes": {},
    "unweighted": {},
    "response_alone": {},
    "replaces": {},
    "either_way": {},
    "queries": {},
    "items": {"over": False, "score": True},
    "formula": {"formula": False},
    "by_value": {},
    "shares": {},
    "of_tasks": {},
}


def _check_docs(function: Callable[..., Any], doc: Docstring, wanted: set[str]) -> None:
    if not doc.summary:
        raise _refuse(function, "its docstring has no summary line")
    if ">>>" not in doc.examples:
        raise _refuse(function, "its docstring has no `>>>` example in a section Examples")
    for told, names in (
        ("Args does not describe {}", wanted - set(doc.arguments)),
        ("Args describes {}, which is not configuration", set(doc.arguments) - wanted),
    ):
        if names:
            raise _refuse(function, told.format(", ".join(f"`{name}`" for name in sorted(names))))


def _said(hints: dict[str, Any]) -> dict[str, str]:
    """Return what the types of parameters say of them."""
    held = ((name, part) for name, hint in hints.items() for part in get_args(hint) if get_origin(hint) is Annotated)
    return {name: part.text for name, part in held if isinstance(part, Says)}


def _param(parameter: inspect.Parameter, annotation: Any, doc: Docstring) -> Param:
    pipeline = pipeline_of_annotation(annotation)
    low, high = _bounds(annotation)
    return Param(
        name=parameter.name,
        type=ANY if pipeline else type_of_annotation(annotation),
        doc=doc.arguments[parameter.name],
        default=REQUIRED if parameter.default is parameter.empty else parameter.default,
        choices=_choices(annotation),
        low=low,
        high=high,
        pipeline=pipeline,
        variadic=_VARIADIC.get(parameter.kind, ""),
        is_whole=_is_whole(annotation),
        **marks_of(annotation),
    )


_VARIADIC: dict[Any, Literal["positional", "keyword"]] = {
    inspect.Parameter.VAR_POSITIONAL: "positional",
    inspect.Parameter.VAR_KEYWORD: "keyword",
}


def _choices(annotation: Any) -> tuple[Any, ...]:
    if get_origin(annotation) is Annotated:
        return _choices(get_args(annotation)[0])
    return get_args(annotation) if get_origin(annotation) is Literal else ()


def _is_whole(annotation: Any) -> bool:
    """Tell whether an annotation admits whole numbers only; bool is not one."""
    parts = get_args(annotation)
    if get_origin(annotation) is Annotated:
        return _is_whole(parts[0])
    return annotation is int or (float not in parts and any(map(_is_whole, parts)))


def _bounds(annotation: Any) -> tuple[float | None, float | None]:
    """Return the bounds of a number, of one that may be left out, or of each in a list."""
    for part in get_args(annotation):
        if isinstance(part, Between | AtLeast | AtMost):
            return getattr(part, "low", None), getattr(part, "high", None)
        if (inner := _bounds(part)) != (None, None):
            return inner
    return None, None


def _kind(
    function: Callable[..., Any], inputs: tuple[Type, ...], output: Type, params: tuple[Param, ...]
) -> PrimitiveKind:
    if output == Type("Statistic"):
        return "metric"
    if any(param.pipeline for param in params):
        return "combinator"
    if inputs == (Type("Fields"),) and output == SCORE:
        return "aggregator"
    if inputs == (SCORE,) and output == SCORE:
        return "rescorer"
    if len(inputs) == 2 and output == SCORE:
        return "comparator"
    if len(inputs) == 1:
        return "transform"
    raise _refuse(function, f"no kind of primitive takes {len(inputs)} values and returns {output}")


def _family(function: Callable[..., Any], topics: tuple[str, ...]) -> str:
    """Return the family of a primitive, which follows from the location of its module."""
    package, *place = function.__module__.split(".")
    if package != "scoring":
        return package
    if place[0] == "packs" and not topics:
        return "upstream"  # not by the pack's name, which means its scorers
    if "metrics" in place:
        return "metrics"
    return "benchmarks" if place[0] == "packs" else place[1]


def _refuse(function: Callable[..., Any], why: str) -> DeclarationError:
    code = function.__code__
    return DeclarationError(f"{code.co_filename}:{code.co_firstlineno}: primitive `{function.__name__}`: {why}")


# ---- docstrings, cut into their summary, their prose and their sections

_SECTION = re.compile(r"^(Args|Returns|Raises|Examples|Source):[^\S\n]*$", re.MULTILINE)
_ARGUMENT = re.compile(r"^(\w+):\s*(.*)$")


def parse_docstring(text: str) -> Docstring:
    """Parse a docstring with the sections Args, Returns, Raises, Examples and Source.

    Examples:
        >>> parse_docstring("Lower it.\\n\\nArgs:\\n    x: The text.\\n").arguments
        {'x': 'The text.'}
    """
    prose, *parts = _SECTION.split(inspect.cleandoc(text))
    sections = {name: inspect.cleandoc(f"\n{lines}").strip() for name, lines in zip(*[iter(parts)] * 2, strict=True)}
    summary, _, body = prose.strip().partition("\n\n")
    source, raises = (" ".join(sections.get(name, "").split()) for name in ("Source", "Raises"))
    arguments = _arguments(sections.get("Args", ""))
    return Docstring(" ".join(summary.split()), body.strip(), arguments, sections.get("Examples", ""), source, raises)


def _arguments(text: str) -> dict[str, str]:
    found: dict[str, str] = {}
    name = ""
    for line in text.splitlines():
        match = _ARGUMENT.match(line)
        if match and not line.startswith(" "):
            name = match[1]
            found[name] = match[2].strip()
        elif name and line.strip():
            found[name] = f"{found[name]} {line.strip()}".strip()
    return found
