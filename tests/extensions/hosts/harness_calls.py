"""How the tests of the small adapters hand the records of a case to a harness, whose columns have one type."""

from __future__ import annotations

import json
from typing import Any

from scoring.result import MISSING
from tests.support.host_cases import HostCase

_PARTS = ("output", "response", "gold", "reference")


def rows_of(case: HostCase) -> list[dict[str, Any]]:
    """Return the rows of the data set, without responses; the column ``answer`` has references as JSON texts."""
    found = []
    for one in case.records:
        known = {name: value for name, value in one.whole.items() if name not in _PARTS}
        gold = None if one.reference is MISSING else json.dumps(one.reference, ensure_ascii=False)
        found.append({**known, "answer": gold})
    return found
