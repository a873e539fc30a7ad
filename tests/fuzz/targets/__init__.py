"""The targets by name; a name with a colon, `module:ATTRIBUTE`, is one that stands elsewhere."""

from __future__ import annotations

import importlib

from tests.fuzz.target import Target
from tests.fuzz.targets.folders import Folders
from tests.fuzz.targets.images import Images
from tests.fuzz.targets.judges import Caches, Replies, Servers
from tests.fuzz.targets.language import Language
from tests.fuzz.targets.metrics import Metrics
from tests.fuzz.targets.packs import Packs, Parsers
from tests.fuzz.targets.primitives import Aggregators, Scorers, Transforms
from tests.fuzz.targets.readers import ColumnReaders, DataSets, Readers
from tests.fuzz.targets.specs import Commands, Specs

TARGETS: tuple[Target, ...] = (
    Scorers(), Transforms(), Packs(), Parsers(), Aggregators(), Metrics(), Images(), Language(), Readers(),
    ColumnReaders(), DataSets(), Servers(), Replies(), Caches(), Folders(), Specs(), Commands(),
)  # fmt: skip


def target_of(name: str) -> Target:
    """The target of that name.

    Raises:
        KeyError: when there is none; the message names those that there are.
    """
    if ":" in name:
        module, _, attribute = name.partition(":")
        found: Target = getattr(importlib.import_module(module), attribute)
        return found
    known = {target.name: target for target in TARGETS}
    if name not in known:
        raise KeyError(f"there is no target `{name}`; there are {', '.join(known)}")
    return known[name]
