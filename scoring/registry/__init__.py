"""How a primitive is declared: one decorated function, from which everything else follows."""

from scoring.registry.annotations import (
    AtLeast,
    AtMost,
    Between,
    ComparedField,
    ComparedPath,
    FieldScore,
    FieldScores,
    OfScore,
    PairScorer,
    RecordPath,
    Says,
    Scorer,
    SettingFault,
    Transform,
)
from scoring.registry.declare import (
    DeclarationError,
    asks_reference,
    batch,
    bounds,
    checks,
    primitive,
    table,
    tells,
    upper,
)
from scoring.registry.pairs import matrix
from scoring.registry.store import registry
from scoring.registry.variants import variants

__all__ = [
    "AtLeast",
    "AtMost",
    "Between",
    "ComparedField",
    "ComparedPath",
    "DeclarationError",
    "FieldScore",
    "FieldScores",
    "OfScore",
    "PairScorer",
    "RecordPath",
    "Says",
    "Scorer",
    "SettingFault",
    "Transform",
    "asks_reference",
    "batch",
    "bounds",
    "checks",
    "matrix",
    "primitive",
    "registry",
    "table",
    "tells",
    "upper",
    "variants",
]
