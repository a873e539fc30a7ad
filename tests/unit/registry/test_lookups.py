"""What is imported to find a primitive by its name."""

from __future__ import annotations

import pytest

from scoring.registry.store import Registry


@pytest.mark.parametrize(
    ("name", "times"), [("pack.figure", 0), ("package/figure", 1), ("my.package/figure", 1), ("figure_x", 1)]
)
def test_only_names_that_a_primitive_could_have_import_all_modules(
    name: str, times: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    found: list[str] = []
    monkeypatch.setattr(Registry, "discover", lambda _: found.append(name))
    assert Registry().metric(name) is Registry().get(name) is None
    assert len(found) == 2 * times
