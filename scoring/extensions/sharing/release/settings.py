"""Settings of a definition's parameters with which to try it: near the defaults, and at the limits of what is
accepted."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from scoring.compiler.programs.program import Program
from scoring.extensions.sharing.release.constants import Constants
from scoring.extensions.sharing.release.near import WORDS
from scoring.extensions.sharing.release.versions import Definitions, is_free
from scoring.format.definitions import NO_DEFAULT, Parameter
from scoring.lang.printer import print_pipeline
from scoring.registry.model import Param
from scoring.values import same_value

MOST = 40
"""The largest number of settings with which a definition is tried."""
_PIPELINES = ("equal", "lower | equal", "levenshtein", "number | equal", "lower", "strip")
_NUMBERS = (0, 1, 0.5, 2, 0.25, 0.9, 3, 10, -1)
_TEXTS = ("", " ", ",", "a", "A", "the", "é")
_LISTS: tuple[list[Any], ...] = ([], ["a"], ["a", "b"], [1, 2])


def settings_to_try(
    old: Definitions, new: Definitions, name: str, examples: Iterable[Mapping[str, Any]], constants: Constants
) -> list[dict[str, Any]]:
    """Return the settings (values of parameters by name) with which to try both versions of a definition, at most
    `MOST`.

    They begin with the required parameters alone and the settings of examples, followed by settings of one parameter,
    and of all parameters at once.

    Args:
        old: The old version.
        new: The new version.
        name: The name of the definition.
        examples: The settings of its examples.
        constants: The constants in its programs.
    """
    declared: dict[str, list[Parameter]] = {}
    for edition in (new, old):
        for one in edition.by_name[name].params:
            declared.setdefault(one.name, []).append(one)
    freed = [edition.freed(name) for edition in (new, old)]
    candidates = {param: _distinct(_candidates(versions, freed, constants)) for param, versions in declared.items()}
    candidates = {param: values for param, values in candidates.items() if values}
    needed = {
        param: values[0] for param, values in candidates.items() if all(one.is_required for one in declared[param])
    }
    found: list[dict[str, Any]] = [needed, *({**needed, **settings} for settings in examples)]
    for place in range(max(map(len, candidates.values()), default=0)):
        found += [{**needed, param: values[place]} for param, values in candidates.items() if place < len(values)]
    several = {param: values for param, values in candidates.items() if len(values) > 1}
    found += [{param: values[turn % len(values)] for param, values in several.items()} for turn in range(1, 6)]
    return _distinct(found)[:MOST]


def _distinct(values: Iterable[Any]) -> list[Any]:
    kept: list[Any] = []
    for one in values:
        if not any(same_value(one, other) for other in kept):
            kept.append(one)
    return kept


def _candidates(versions: Sequence[Parameter], freed: Sequence[Program | None], constants: Constants) -> Iterator[Any]:
    """Yield values to try for one parameter, likely ones first: the defaults of both versions, and values that its
    steps accept.

    Args:
        versions: The parameter in the new and in the old version, as far as they have it.
        freed: The programs of both versions with free parameters; None where there is none.
        constants: The constants in the programs.
    """
    if any(one.takes_pipeline for one in versions):
        yield from (print_pipeline(one.pipeline) for one in versions if one.pipeline)
        yield from _PIPELINES
        return
    taken = [one for program in freed if program is not None for one in _taken(program, versions[0].name)]
    yield from _defaults(versions)
    yield from _of_steps(taken, versions, constants)


def _defaults(versions: Sequence[Parameter]) -> list[Any]:
    return [one.default for one in versions if one.default is not NO_DEFAULT]


def _taken(program: Program, param: str) -> Iterator[Param]:
    """Yield the parameters of primitives to which a program passes a parameter of the definition.

    Args:
        program: The definition's program with free parameters.
        param: The name of its parameter.
    """
    for node in program.all_nodes():
        for name, path in node.dynamic.items():
            found = node.primitive.param(name)
            if found is not None and is_free(path, param):
                yield found


def _of_steps(taken: Sequence[Param], versions: Sequence[Parameter], constants: Constants) -> Iterator[Any]:
    for one in taken:
        yield from one.choices
    kinds = {*(type(value) for value in _defaults(versions))}
    names = {name for one in taken for name in re.findall(r"[^][|, ]+", str(one.type))}
    if bool in kinds or "Bool" in names:
        yield from (True, False)
    if kinds & {int, float} or "Number" in names or "Score" in names:
        yield from _numbers(taken, versions, constants)
    if str in kinds or "Text" in names:
        yield from (*constants.texts[:8], *_TEXTS, *WORDS[:4])
    if list in kinds or "List" in names:
        for value in (value for value in _defaults(versions) if isinstance(value, list)):
            yield from (value[1:], value[:-1], [*value, "a"])
        yield from _LISTS
    if not taken and not kinds - {type(None)}:
        yield from (None, True, 0.5, "a")


def _numbers(taken: Sequence[Param], versions: Sequence[Parameter], constants: Constants) -> Iterator[float]:
    numbers = [value for value in _defaults(versions) if isinstance(value, int | float) and not isinstance(value, bool)]
    for one in taken:
        yield from (end for end in (one.low, one.high) if end is not None)
        yield from ((one.high + 1,) if one.high is not None else ())
        yield from ((one.low - 1,) if one.low is not None else ())
    whole = any(one.is_whole for one in taken) or all(isinstance(value, int) for value in numbers)
    for value in numbers:
        yield from ((value + 1, value - 1) if whole else (value + 0.1, value - 0.1, value / 2, value * 2))
    yield from (value for value in _NUMBERS if not whole or isinstance(value, int))
    yield from constants.numbers[:6]
