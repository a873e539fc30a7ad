"""Proofs that programs are equal although they are written differently, beyond the compiler's canonical form.

`compiler/identity/meaning.py` maps all spellings of a program (names, definitions, arguments, defaults, numbers) to one
form. This module adds a few laws by which two programs give the same results for every input, bit for bit and status
for status. They are not part of signatures, since adding a law must not change a digest that was published with a
number.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from scoring.compiler.identity.meaning import meaning_text
from scoring.extensions.sharing.release.patterns import pattern_form
from scoring.registry import registry
from scoring.values import ANY, TEXT

_COMMUTING = frozenset(
    frozenset((case, edges))
    # White space is no letter, no letter becomes white space in another case, and the one letter whose lower case
    # depends on its neighbours (the final sigma) looks past none of it.
    for case in ("lower", "upper", "casefold")
    for edges in ("strip", "collapse_spaces")
)
"""Pairs of steps without settings that commute; a test tries them on every character."""
_ABSORBING = {"collapse_spaces": "strip"}
"""Maps a step to one that has no effect directly before or after it."""
_IDENTITIES = [["same", {}], ["strip", {"characters": ""}]]
"""Steps that return every text unchanged."""
_BEST = ("any_of", "all_of")
"""Combinators that return the greatest or the least score; with a single pipeline that is its score."""
_PLAIN = frozenset({"equal", "levenshtein", "indel", "damerau_levenshtein", "gestalt"})
"""Comparators that fail in two ways only (wrong type of a side, unscored pair), which a test checks."""
PATTERNS = ("pattern", "around")
"""The settings of built-in steps that are regular expressions."""
_STEP = 3
_ONE_NAMED = 2
_ORDER = "(order)"
_PARTS = {"prediction", "reference", "then", "join"}


def canonical_program(program: Mapping[str, Any]) -> dict[str, Any]:
    """Return the meaning of a program (what of it can change a score) in a canonical form; programs with equal forms
    give equal results for every input.

    Examples:
        >>> one, other = ({"prediction": [[name, 1, {}] for name in names]} for names in ("ab", "ba"))
        >>> canonical_program(one) == canonical_program(other)
        False
        >>> canonical_program({"prediction": [["strip", 1, {}], ["lower", 1, {}]]})
        {'prediction': [['lower', 1, {}], ['strip', 1, {}]]}
    """
    steps = {name: [_step(step) for step in part] for name, part in program.items() if name != "join"}
    join = _step(program["join"]) if "join" in program else None
    while join is not None and (alone := _alone(join)) is not None:
        # A combinator of one pipeline equals the pipeline, whose steps go between those around the combinator.
        steps["prediction"] = [*steps.get("prediction", ()), *alone.get("prediction", ())]
        steps["reference"] = [*steps.get("reference", ()), *alone.get("reference", ())]
        steps["then"] = [*alone.get("then", ()), *steps.get("then", ())]
        join = alone["join"]
    found: dict[str, Any] = {}
    for name in ("prediction", "reference", "then"):
        side = 0 if name == "prediction" else 1
        chain = _without_identities(steps.get(name, []), join if name != "then" else None, side)
        chain = _chain(chain) if name != "then" else _cut_once(chain, join)
        found |= {name: chain} if chain else {}
    return found if join is None else {**found, "join": join}


def _alone(join: list[Any]) -> dict[str, Any] | None:
    """Return the only pipeline of a joining step that just returns that pipeline's score, as in `any_of(a)`; None for
    any other step.

    Args:
        join: The step, as a list of its name, revision and settings.
    """
    *name, settings = join
    if len(join) != _STEP:
        return None
    if name[0] in _BEST and settings.keys() == {"scorers"} and len(settings["scorers"]) == 1:
        found = settings["scorers"][0]
    elif name[0] == "combine" and settings["formula"][0] == "field" and len(settings) == _ONE_NAMED:
        found = settings[settings["formula"][1]]
    else:
        return None
    return found if found is not None and "join" in found else None


def _cut_once(steps: list[Any], join: Any) -> list[Any]:
    """Return steps that change scores without superfluous `zero_below`s: of two in a row the one with the greater
    threshold remains.

    Both map what is below their threshold to 0, so `zero_below(a)` before `zero_below(b)` keeps the scores that reach
    the greater one. A `zero_below` is also dropped if it can't change a score: with a threshold of at most 0 if scores
    are never negative, with one of at most 1 if the only scores are 0 and 1.

    Args:
        steps: The steps, as lists of name, revision and settings.
        join: The step before them, which gives the scores; None if there is none.
    """
    kept: list[Any] = []
    for step in _chain(steps):
        if (threshold := _threshold(step)) is not None:
            before = kept[-1] if kept else join
            if before is not None and _gives(before, low=threshold <= 0, unit=threshold <= 1):
                continue
            if kept and (earlier := _threshold(kept[-1])) is not None:
                kept[-1] = step if threshold > earlier else kept[-1]
                continue
        kept.append(step)
    return kept


def _threshold(step: list[Any]) -> float | None:
    """Return the threshold of a `zero_below` step; None for another step, a strict one, and if it is no constant."""
    is_cut = step[0] == "zero_below" and len(step) == _STEP and not step[-1].get("strict")
    value = step[-1].get("threshold") if is_cut else None
    return value if isinstance(value, int | float) and not isinstance(value, bool) else None


def _gives(step: list[Any], *, low: bool, unit: bool) -> bool:
    """Return True if a built-in step is known to return only 0 and 1 (checked if `unit` is set), or only scores of at
    least 0 (checked if `low` is set).

    Args:
        step: The step, as a list of its name, revision and settings.
        low: Whether scores of at least 0 are wanted.
        unit: Whether only 0 and 1 are wanted.
    """
    if step[0] == "equal" and len(step) == _STEP:
        return unit
    primitive = registry.get(step[0])
    known = primitive is not None and primitive.is_own and primitive.kind == "comparator"
    return low and known and primitive is not None and primitive.bounds is None and primitive.range[0] >= 0


def _without_identities(steps: list[Any], join: Any, side: int) -> list[Any]:
    """Return steps without those that leave a text unchanged and only reject other values, where the following step
    rejects these, too.

    Args:
        steps: The steps, as lists of name, revision and settings.
        join: The step after them; None if there is none.
        side: The input of that step which they prepare: 0 for the prediction, 1 for the reference.
    """
    kept: list[Any] = []
    for step in reversed(steps):
        following = kept[-1] if kept else join
        if [step[0], step[-1]] in _IDENTITIES and len(step) == _STEP and following is not None:
            primitive = registry.get(following[0])
            place = 0 if kept else side
            if primitive is not None and primitive.is_own and primitive.inputs[place : place + 1] == (TEXT,):
                continue
        kept.append(step)
    return kept[::-1]


def _step(step: Any) -> list[Any]:
    *name, settings = step
    primitive = registry.get(name[0])
    is_ours = primitive is not None and primitive.is_own
    found: dict[str, Any] = {}
    if is_ours and name[0] in _BEST and isinstance(settings.get("scorers"), list):
        return [*name, {"scorers": _unordered_scorers([canonical_program(one) for one in settings["scorers"]])}]
    for key, value in settings.items():
        if is_ours and key in PATTERNS and isinstance(value, str):
            found[key] = pattern_form(value)
        else:
            found[key] = _setting(value)
    params = {key: primitive.param(key) for key in settings} if primitive is not None else {}
    free = [key for key, param in params.items() if param is None or param.variadic]
    # If several pipelines fail, the first one determines the status, so their order counts; a switch runs only one.
    order = {_ORDER: free} if len(free) > 1 and name[0] != "switch" else {}
    return [*name, {**found, **order}]


def _unordered_scorers(programs: list[Any]) -> list[Any]:
    """Return alternative scoring programs, of which the best or the worst score counts, without duplicates, and sorted
    if their order has no effect.

    Order can have an effect because the first pipeline that fails determines the status. It has none if each pipeline
    is one of the comparators in `_PLAIN`, perhaps followed by rescorers, and all of them accept the same types: then
    they fail for the same inputs with the same status.
    """
    once = list({meaning_text(one): one for one in programs}.values())
    types = {
        primitive.inputs
        for one in once
        if (primitive := registry.get(one.get("join", [""])[0])) is not None and primitive.inputs != (ANY, ANY)
    }
    are_plain = all(one.keys() <= {"join", "then"} and one["join"][0] in _PLAIN for one in once)
    is_static = all(step[0] == "zero_below" for one in once for step in one.get("then", ()))
    return sorted(once, key=meaning_text) if are_plain and is_static and len(types) <= 1 else once


def _setting(value: Any) -> Any:
    """Return the value of a step's setting with every program in it in canonical form; plain data is returned
    unchanged."""
    if isinstance(value, list) and value and all(map(_is_program, value)):
        return [canonical_program(program) for program in value]
    if isinstance(value, Mapping) and "map" in value:
        return {"map": [[name, canonical_program(item) if _is_program(item) else item] for name, item in value["map"]]}
    return canonical_program(value) if _is_program(value) else value


def _is_program(value: Any) -> bool:
    """Return True if the value of a setting is a program; a mapping of data is stored differently, as pairs under the
    key `map`."""
    return isinstance(value, Mapping) and bool(value) and value.keys() <= _PARTS


def _chain(steps: list[Any]) -> list[Any]:
    """Return consecutive steps in canonical form: those that commute in a fixed order, and without those that have no
    effect after or before another."""
    found: list[Any] = []
    for step in steps:
        place = len(found)
        while place and _commute(found[place - 1], step) and found[place - 1][0] > step[0]:
            place -= 1
        found.insert(place, step)
    kept: list[Any] = []
    for step in found:
        if kept and (_repeats(kept[-1], step) or _absorbs(kept[-1], step)):
            continue
        while kept and _absorbs(step, kept[-1]):
            kept.pop()
        kept.append(step)
    return kept


def _commute(one: Any, other: Any) -> bool:
    return _has_no_settings(one) and _has_no_settings(other) and frozenset((one[0], other[0])) in _COMMUTING


def _absorbs(one: Any, other: Any) -> bool:
    return _has_no_settings(one) and _has_no_settings(other) and _ABSORBING.get(one[0]) == other[0]


def _repeats(one: Any, other: Any) -> bool:
    """Return True if the second of two consecutive steps has no effect, because it equals the first and is idempotent.

    Args:
        one: The first step.
        other: The second step.
    """
    if one != other or len(one) != _STEP:  # of built-in steps only, whose laws our tests check
        return False
    primitive = registry.get(one[0])
    return primitive is not None and primitive.is_own and "idempotent" in primitive.laws


def _has_no_settings(step: Any) -> bool:
    return len(step) == _STEP and not step[-1]
