"""Whether two editions of a definition mean the same, for all settings of its parameters and every input."""

from __future__ import annotations

from typing import Literal, TypeAlias

from scoring.sharing.release.editions import Definitions, freely, written

Equality: TypeAlias = Literal["same", "proved", "by default", "differs"]
"""How far two editions of a definition are known to be equal.

same: they are written alike, and so is all that they name. proved: their canonical programs are equal, with every
parameter free. by default: with the defaults alone. differs: not even then, as far as the laws in use reach.
"""


def equality(old: Definitions, new: Definitions, name: str) -> Equality:
    """How far the editions of a definition that both have are known to be equal.

    Args:
        old: The definitions of the old version.
        new: Those of the new one.
        name: The definition.
    """
    before, after = old.named[name], new.named[name]
    if written(before, old.scope) == written(after, new.scope):
        return "same"
    held = old.digest(name)
    is_default = held is not None and held == new.digest(name)
    if not is_default:
        return "differs"
    known = {param.name for param in before.params}
    shared = [param for param in after.params if param.name in known]
    for ours, theirs in zip(freely(shared, old.scope), freely(shared, new.scope), strict=True):
        pairs = [(old.digest(name, one), new.digest(name, other)) for one, other in zip(ours, theirs, strict=True)]
        if all(one is not None and one == other for one, other in pairs):
            return "proved"
    return "by default"
