"""The paths that metrics of agreement take as texts."""

from __future__ import annotations

import pytest

import scoring
from scoring.diagnostics.diagnostic import SpecError


@pytest.mark.parametrize("path", ["length(meta)", "a || b", "tags[?x]"])
def test_what_computes_has_a_name_under_record(path: str) -> None:
    spec = {"kind": "task", "name": "t", "score": "equal", "metrics": [f'spearman(other="{path}")']}
    with pytest.raises(SpecError) as raised:
        scoring.load(spec)
    (found,) = raised.value.diagnostics
    assert found.message == f"`{path}` is a JMESPath, which stands under `record:` alone"
    assert found.help[0].startswith("write `record: {")
