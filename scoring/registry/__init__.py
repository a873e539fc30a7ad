"""The public names for declaring primitives: one decorated function, from which everything else is derived.

Each name is imported lazily, on first use, so that a search for plug-ins does not import the declarations.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from scoring.registry.annotations import Aggregator as Aggregator
    from scoring.registry.annotations import AtLeast as AtLeast
    from scoring.registry.annotations import AtMost as AtMost
    from scoring.registry.annotations import Between as Between
    from scoring.registry.annotations import ComparedField as ComparedField
    from scoring.registry.annotations import ComparedPath as ComparedPath
    from scoring.registry.annotations import Doc as Doc
    from scoring.registry.annotations import FieldScore as FieldScore
    from scoring.registry.annotations import FieldScores as FieldScores
    from scoring.registry.annotations import ItemNumber as ItemNumber
    from scoring.registry.annotations import ItemScorer as ItemScorer
    from scoring.registry.annotations import OfScore as OfScore
    from scoring.registry.annotations import PairScorer as PairScorer
    from scoring.registry.annotations import RecordPath as RecordPath
    from scoring.registry.annotations import Scorer as Scorer
    from scoring.registry.annotations import SettingFault as SettingFault
    from scoring.registry.annotations import Transform as Transform
    from scoring.registry.declare import DeclarationError as DeclarationError
    from scoring.registry.declare import asks_reference as asks_reference
    from scoring.registry.declare import batch as batch
    from scoring.registry.declare import bounds as bounds
    from scoring.registry.declare import checks as checks
    from scoring.registry.declare import explains as explains
    from scoring.registry.declare import prepares as prepares
    from scoring.registry.declare import primitive as primitive
    from scoring.registry.declare import rowwise as rowwise
    from scoring.registry.declare import table as table
    from scoring.registry.declare import upper_bound as upper_bound
    from scoring.registry.pairs import matrix as matrix
    from scoring.registry.store import registry as registry
    from scoring.registry.variant import variants as variants

_HOMES = {
    "scoring.registry.annotations": (
        "Aggregator",
        "AtLeast",
        "AtMost",
        "Between",
        "ComparedField",
        "ComparedPath",
        "Doc",
        "FieldScore",
        "FieldScores",
        "ItemNumber",
        "ItemScorer",
        "OfScore",
        "PairScorer",
        "RecordPath",
        "Scorer",
        "SettingFault",
        "Transform",
    ),
    "scoring.registry.declare": (
        "DeclarationError",
        "asks_reference",
        "batch",
        "bounds",
        "checks",
        "explains",
        "prepares",
        "primitive",
        "rowwise",
        "table",
        "upper_bound",
    ),
    "scoring.registry.pairs": ("matrix",),
    "scoring.registry.store": ("registry",),
    "scoring.registry.variant": ("variants",),
}
_HOME_OF = {name: home for home, names in _HOMES.items() for name in names}

__all__ = sorted(_HOME_OF)


def __getattr__(name: str) -> Any:
    home = _HOME_OF.get(name)
    if home is None:
        raise AttributeError(f"module 'scoring.registry' has no attribute {name!r}")
    return getattr(import_module(home), name)
