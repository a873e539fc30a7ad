"""How a primitive is declared: one decorated function, from which everything else follows."""

from scoring.registry.annotations import (
    AtLeast,
    AtMost,
    Between,
    FieldScore,
    FieldScores,
    PairScorer,
    RecordPath,
    Says,
    Scorer,
    Transform,
)
from scoring.registry.declare import DeclarationError, batch, primitive, table, upper
from scoring.registry.pairs import matrix
from scoring.registry.store import registry
from scoring.registry.variants import variants

__all__ = [
    "AtLeast",
    "AtMost",
    "Between",
    "DeclarationError",
    "FieldScore",
    "FieldScores",
    "PairScorer",
    "RecordPath",
    "Says",
    "Scorer",
    "Transform",
    "batch",
    "matrix",
    "primitive",
    "registry",
    "table",
    "upper",
    "variants",
]
