"""Whether two editions of a definition mean the same, for all settings of its parameters and every input."""

from __future__ import annotations

from typing import Literal, TypeAlias

from scoring.format.load import digest_of
from scoring.format.model import NO_DEFAULT, Definition
from scoring.sharing.release.editions import Definitions, freely, written
from scoring.values import same_value

Equality: TypeAlias = Literal["same", "proved", "by default", "differs"]
"""How far two editions of a definition are known to be equal.

same: they are written alike, and so is all that they name. proved: their canonical programs are equal, with every
parameter free. by default: with the defaults alone. differs: not even then, as far as the laws in use reach.
"""


def equality(old: Definitions, new: Definitions, name: str) -> Equality:
    """How far the editions of a definition that both have are known to be equal."""
    before, after = old.named[name], new.named[name]
    if digest_of(written(before, old.scope)) == digest_of(written(after, new.scope)):  # 1 is no 1.0, and no true
        return "same"
    held = old.digest(name)
    is_default = held is not None and held == new.digest(name)
    if _is_free_equal(old, new, name) and (is_default or not _has_new_default(before, after)):
        return "proved"
    return "by default" if is_default else "differs"


def _is_free_equal(old: Definitions, new: Definitions, name: str) -> bool:
    """Whether the canonical programs are equal with every parameter free that both editions have."""
    known = {param.name for param in old.named[name].params}
    shared = [param for param in new.named[name].params if param.name in known]
    for ours, theirs in zip(freely(shared, old.scope), freely(shared, new.scope), strict=True):
        pairs = [(old.digest(name, one), new.digest(name, other)) for one, other in zip(ours, theirs, strict=True)]
        if all(one is not None and one == other for one, other in pairs):
            return True
    return False


def _has_new_default(old: Definition, new: Definition) -> bool:
    """Whether a call may leave out in both editions what is not the same then."""
    before = {param.name: param for param in old.params}
    return any(
        (param.name in before and _differ(before[param.name].default, param.default, NO_DEFAULT))
        or (param.name in before and _differ(before[param.name].pipeline, param.pipeline, None))
        for param in new.params
    )


def _differ(one: object, other: object, nothing: object) -> bool:
    return one is not nothing and other is not nothing and not same_value(one, other)
