"""What never looks at the reference says so."""

from __future__ import annotations

from scoring.registry import registry


def test_it_never_looks_at_the_reference() -> None:
    found = registry.get("run_tests")
    assert found is not None
    assert "response_alone" in found.traits
