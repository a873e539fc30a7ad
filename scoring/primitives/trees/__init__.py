"""Trees of values: lists, dictionaries and leaves, compared by any leaf scorer."""

from scoring.primitives.trees.explain import KeyNode, TreeResult
from scoring.primitives.trees.leaf import Rules
from scoring.primitives.trees.tree import evaluate

__all__ = ["KeyNode", "Rules", "TreeResult", "evaluate"]
