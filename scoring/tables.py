"""The public names for tables; importing this module gives data frames of pandas and polars the attribute `scoring`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from scoring.api.room import room
from scoring.registry.extension import service

if TYPE_CHECKING:
    from scoring.extensions.hosts.tables.duckdb_functions import register as register
    from scoring.extensions.hosts.tables.verbs import add_scores as add_scores
    from scoring.extensions.hosts.tables.verbs import batch_scorer as batch_scorer

__all__, __getattr__, __dir__ = room("tables")
service("frame-accessors", "`scoring.tables`")()
