"""A spec scores what EvalScope hands to a metric; its signatures are held by stand-ins."""

from __future__ import annotations

import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

from scoring.errors import InputError
from scoring.extensions.hosts.modules.evalscope import AGGREGATION, NAME, spec_entry
from tests.extensions.hosts.harness_calls import rows_of
from tests.support.host_cases import CASES, host_case
from tests.support.stand_ins import EvalScopeRegistry, EvalScopeUnavailable, evalscope


@pytest.fixture
def registry(monkeypatch: pytest.MonkeyPatch) -> EvalScopeRegistry:
    found = EvalScopeRegistry()
    for name, module in evalscope(found).items():
        monkeypatch.setitem(sys.modules, name, module)
    return found


@pytest.mark.parametrize("name", CASES)
def test_all_records(name: str, tmp_path: Path, registry: EvalScopeRegistry) -> None:
    case = host_case(name, tmp_path, "texts")
    case.check(case.scores)
    entry = spec_entry(case.spec, references_as="json")
    found: list[float | None] = []
    reasons: list[str] = []
    with case.replaying():
        for one, row in zip(case.records, rows_of(case), strict=True):
            metric = registry[NAME](**entry[NAME])
            values = () if row["answer"] is None else (row["answer"],)
            try:
                found.append(metric(one.response, metric.prepare_reference(SimpleNamespace(values=values))))
            except EvalScopeUnavailable as error:
                reasons.append(str(error))
                found.append(None)
    assert all(one.startswith("unscored: ") for one in reasons)
    kept = [value for value in found if value is not None]
    case.check(found, registry[AGGREGATION]().agg_func(kept))


def test_without_evalscope(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "evalscope", None)
    with pytest.raises(InputError, match="pip install 'evalscope'"):
        spec_entry(host_case("landmark", tmp_path).spec)
