"""The decorator that registers a function as a primitive, and refuses an incompletely described one at import."""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable, Mapping
from typing import Annotated, Any, Literal, TypeVar, get_args, get_origin, overload

from msgspec.structs import replace

from scoring.diagnostics.words import EFFECTS
from scoring.registry.annotations import (
    AtLeast,
    AtMost,
    Between,
    Doc,
    UnknownAnnotation,
    marks_of,
    pipeline_of_annotation,
    type_of_annotation,
)
from scoring.registry.docstring import parse_docstring
from scoring.registry.editions import EDITIONS, OLDEST
from scoring.registry.model import REQUIRED, DeclaredBetter, Docstring, Param, Primitive, PrimitiveKind, Reads, Trait
from scoring.registry.store import registry
from scoring.values import ANY, SCORE, Type

F = TypeVar("F", bound=Callable[..., Any])


class DeclarationError(TypeError):
    """The exception for an incompletely described primitive, with its location and the missing part."""


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
    since: int = OLDEST,
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
    since: int = OLDEST,
) -> F | Callable[[F], F]:
    """Register a function as a primitive of the language, and return the function unchanged.

    Parameters left of ``/`` are values that flow through the pipeline; parameters right of ``*`` are set by a spec. The
    kind follows from the signature, the documentation from the docstring.

    Args:
        function: The function, when the decorator is used without parentheses.
        name: The name in the language, if it differs from the function's name.
        laws: Names of laws that the test suite checks: idempotent, symmetric, identity, bounded, monotone, antitone;
            and unordered, spaceless, unrepeated, below_one, which an audit then does not require.
        revision: A number to raise when the primitive's results change; part of the meaning in every signature. A new
            parameter whose default keeps the results needs no new revision; a changed default does.
        range: The range of its scores if it is not [0, 1], or of a metric's figure; `bounds` can refine it.
        reads: "scores" for a metric that reads only ids, scores, weights and outcomes, so that the records need not be
            kept in memory for it.
        better: Which values are better, required for metrics and for comparators of distances: "higher", "lower",
            "scores" (as for the scores that it combines), a number (the nearest to it), or "neither" for a figure that
            is only descriptive.
        uses: The effects and distributions that it needs besides Python: ``judge`` (it asks a judge), ``programs`` (it
            runs programs in the sandbox), ``notes`` (it leaves notes), and by its name in the package index each
            distribution whose version can change its results, as in ``uses=("judge", "rapidfuzz")``. An undeclared
            effect is refused when it occurs.
        traits: Facts for the compiler, explained in `scoring.registry.model.Trait`.
        topics: The topics for which it is used, from `scoring.registry.topics`; none if only a benchmark's released
            code needs it.
        aka: Its other names in the field, as in ``aka=("exact match", "em")``.
        since: The edition of the language with which the name came, see `scoring.registry.editions`.

    Raises:
        DeclarationError: when the signature or the docstring is incomplete.
    """

    about = {"laws": laws, "revision": revision, "reads": reads, "better": better, "uses": uses, "traits": traits}
    about |= {"topics": topics, "aka": aka, "since": since}

    def declare(target: F) -> F:
        _declare(target, _full_name(target, name), range, about)
        return target

    return declare if function is None else declare(function)


def _declare(target: Any, name: str, limits: tuple[float, float] | None, about: Mapping[str, Any]) -> None:
    forms: dict[str, Callable[..., Any]] = {}
    distribution = registry.distribution

    def read() -> Primitive:
        found = replace(_read(target, name, limits), distribution=distribution, forms=forms, **about)
        return _register(replace(found, family=_family(target)), target)

    target.__forms__, target.__read__ = forms, read
    # Reading a signature takes a third of a millisecond. A test reads all of ours; those of others are refused at once.
    if target.__module__.startswith("scoring.") and EFFECTS.keys().isdisjoint(about["uses"]):
        registry.postpone(name, read)
    else:
        read()


def _register(found: Primitive, target: Any) -> Primitive:
    _check_traits(found)
    if not found.is_own:  # a test asks this of ours
        from scoring.registry.topics import topic_fault

        if (fault := topic_fault(found)) is not None:
            raise _refuse(target, fault)
    if found.since not in EDITIONS:
        raise _refuse(target, f"there is no edition {found.since}; they are {', '.join(map(str, EDITIONS))}")
    if found.kind == "metric" and found.better is None:
        raise _refuse(target, 'say which values are better, such as `better="higher"`: runs are compared by it')
    # A test checks the declarations of our own primitives; watching costs a call, so only those with effects need it.
    if not found.is_own or EFFECTS.keys() & set(found.uses):
        found = replace(found, function=_watched(target, found))
    try:
        registry.add(found)
    except ValueError as error:
        raise _refuse(target, str(error)) from None
    target.__primitive__ = found
    return found


def _watched(function: Callable[..., Any], found: Primitive) -> Callable[..., Any]:
    from scoring.effects import watch_effects

    return watch_effects(function, found.name, found.uses)


def batch(plain: Callable[..., Any]) -> Callable[[F], F]:
    """Add a form for whole columns to the primitive `plain`; its results must equal those of `plain`, one by one.

    The form of a transform, comparator or rescorer takes a list for each value, and returns a list or an array of
    floats; if it raises an exception, the plain form is applied to each value. The form of a combinator of transforms
    returns outcomes for values that fail. The form of a combinator of scorers takes its two columns, and returns a
    function that scores pairs of positions in them: see `scoring.registry.pairs`. The form of an aggregator takes the
    columns of its fields' scores, and the weights.
    """
    return _attach(plain, "batch")


def rowwise(plain: Callable[..., Any]) -> Callable[[F], F]:
    """Add a form to the comparator `plain` for columns in which each pair has settings of its own.

    The form takes the predictions, the references and the mapping of settings of each pair, and returns the scores,
    with exceptions at the positions of pairs that fail.
    """
    return _attach(plain, "rowwise")


def table(plain: Callable[..., Any]) -> Callable[[F], F]:
    """Add a form to the comparator `plain` that scores each prediction in a list with each reference in another.

    It returns an array of floats with a row for each prediction.
    """
    return _attach(plain, "table")


def upper_bound(plain: Callable[..., Any]) -> Callable[[F], F]:
    """Add a function to the comparator `plain`, which has no settings, that quickly returns an upper bound of a score.

    If monotone rescorers follow and turn the bound into 0, the score is 0, and the comparator is not called. The bound
    of a pair that the comparator would refuse must be 1.
    """
    return _attach(plain, "upper")


def bounds(plain: Callable[..., Any]) -> Callable[[F], F]:
    """Add a function to the primitive `plain` that computes the range of its scores from settings and input ranges.

    The function takes the primitive's arguments, with a `ScoreRange` in place of each score, each pipeline of scores
    and each number that a spec sets, since the number may be a value of the record; other settings are unchanged, or
    None if they depend on the record. That of a comparator takes only the settings, that of an aggregator a list of
    ranges, and that of a metric the range of the scores. It returns a `ScoreRange`. Without such a function a primitive
    has its declared range, and if its input scores may be outside of [0, 1], its scores may be anything.
    """
    return _attach(plain, "bounds")


def asks_reference(plain: Callable[..., Any]) -> Callable[[F], F]:
    """Add a function to the comparator `plain` that returns from its settings whether it reads the reference.

    A setting that depends on the record is None. A comparator that never reads the reference has the trait
    ``response_alone`` instead.
    """
    return _attach(plain, "asks_reference")


def checks(plain: Callable[..., Any]) -> Callable[[F], F]:
    """Add a function to the primitive `plain` that checks its settings, beyond types and bounds, with the spec.

    The function takes the settings that are not pipelines, None for one that depends on the record, and returns a
    `SettingFault`, or None if the settings are valid.
    """
    return _attach(plain, "checks")


def prepares(plain: Callable[..., Any]) -> Callable[[F], F]:
    """Add a function to the primitive `plain` that prepares its settings once, if none depends on the record.

    It takes the settings, and returns some of them in a form that the primitive, and its forms for columns, take as
    well, such as a compiled pattern. If it raises an exception, the settings are given as they are.
    """
    return _attach(plain, "prepares")


def explains(plain: Callable[..., Any]) -> Callable[[F], F]:
    """Add a function to the comparator `plain` that explains its score: which items it aligned, which paths differ.

    The function takes the comparator's arguments, and returns the lines of the explanation: mappings with a name under
    ``stage``, and values to show under ``prediction``, ``reference`` or ``value``. It is called for single records, on
    request.
    """
    return _attach(plain, "explains")


# The forms that run on records, and so must respect the effects that the primitive declares.
_RUN = ("batch", "rowwise", "table", "upper")


def _attach(plain: Any, form: str) -> Callable[[F], F]:
    forms: dict[str, Callable[..., Any]] = plain.__forms__
    found: Primitive | None = getattr(plain, "__primitive__", None)

    def attach(function: F) -> F:
        if form in forms:
            name = registry.of_function(plain).name
            raise _refuse(function, f"`{name}` has a `{form}` form already; keep only one of the two")
        is_watched = form in _RUN and found is not None and found.function is not plain
        forms[form] = _watched(function, registry.of_function(plain)) if is_watched else function
        return function

    return attach


def _read(function: Callable[..., Any], name: str, declared: tuple[float, float] | None) -> Primitive:
    doc = parse_docstring(function.__doc__ or "")
    signature = inspect.signature(function, eval_str=True)
    parameters = list(signature.parameters.values())
    hints = {p.name: p.annotation for p in parameters if p.annotation is not p.empty}
    data = [p for p in parameters if p.kind is p.POSITIONAL_ONLY]
    settings = [p for p in parameters if p.kind is not p.POSITIONAL_ONLY]
    for parameter in settings:
        if parameter.kind is parameter.POSITIONAL_OR_KEYWORD:
            raise _refuse(function, f"put `{parameter.name}` left of `/` (data) or right of `*` (configuration)")
    doc = replace(doc, arguments={**_descriptions(hints), **doc.arguments})
    _check_docs(function, doc, {p.name for p in settings})
    try:
        inputs = tuple(type_of_annotation(hints[p.name]) for p in data)
        output = type_of_annotation(signature.return_annotation)
        params = tuple(_param(p, hints[p.name], doc) for p in settings)
    except (KeyError, UnknownAnnotation) as error:
        raise _refuse(function, f"annotation missing or unknown: {error}") from None
    kind = _kind(function, inputs, output, params)
    usual = (-math.inf, math.inf) if kind == "metric" else (0.0, 1.0)
    return Primitive(
        name=name,
        kind=kind,
        family="",
        function=function,
        inputs=inputs,
        output=output,
        params=params,
        doc=doc,
        range=declared or usual,
        location=f"{function.__module__}:{function.__code__.co_firstlineno}",
    )


def _full_name(function: Callable[..., Any], name: str | None) -> str:
    """Return the name in the language of a function that is declared as `name`, with that of its pack or package."""
    pack = _family(function) if function.__module__.startswith("scoring.packs.") else ""
    plain = (name or function.__name__.rstrip("_")).removeprefix(f"{pack}_" if pack else "")
    room = pack or registry.namespace
    return f"{room}/{plain}" if room else plain


def _check_traits(found: Primitive) -> None:
    for trait in found.traits:
        for name, takes_pipeline in _TRAITS[trait].items():
            param = found.param(name)
            if param is None or (param.pipeline is not None) is not takes_pipeline:
                what = "pipeline" if takes_pipeline else "value"
                raise _refuse(found.function, f"the trait `{trait}` needs the parameter `{name}`, a {what}")


# The parameters that each trait requires, and whether each is a pipeline.
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
    for message, names in (
        ("Args does not describe {}", wanted - set(doc.arguments)),
        ("Args describes {}, which is not configuration", set(doc.arguments) - wanted),
    ):
        if names:
            raise _refuse(function, message.format(", ".join(f"`{name}`" for name in sorted(names))))


def _descriptions(hints: dict[str, Any]) -> dict[str, str]:
    """Return the descriptions of parameters in their annotations (`Doc`), by name, given all annotations."""
    parts = ((name, part) for name, hint in hints.items() for part in get_args(hint) if get_origin(hint) is Annotated)
    return {name: part.text for name, part in parts if isinstance(part, Doc)}


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
    """Return whether an annotation admits numbers, but only whole ones; booleans are not numbers."""
    parts = get_args(annotation)
    if get_origin(annotation) is Annotated:
        return _is_whole(parts[0])
    return annotation is int or (float not in parts and any(map(_is_whole, parts)))


def _bounds(annotation: Any) -> tuple[float | None, float | None]:
    """Return the lower and the upper bound that an annotation sets for a number, or for the items of a list."""
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


def _family(function: Callable[..., Any]) -> str:
    """Return the family of a primitive, the page of the reference that lists it, from the path of its module; for one
    of a pack, it is the pack's room."""
    package, *place = function.__module__.split(".")
    if package != "scoring":
        return package
    return place[1] if place[0] == "packs" or "metrics" not in place else "metrics"


def _refuse(function: Callable[..., Any], why: str) -> DeclarationError:
    code = function.__code__
    return DeclarationError(f"{code.co_filename}:{code.co_firstlineno}: primitive `{function.__name__}`: {why}")
