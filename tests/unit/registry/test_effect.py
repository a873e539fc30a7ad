"""Effects are provided by the rooms that have them, and core rooms name none of these."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

import scoring
from scoring.registry.effect import EffectProvider, accounts, provider


def test_what_is_no_effect_is_provided_by_nobody() -> None:
    assert provider("numpy") is None


def test_an_account_holds_what_the_steps_of_a_run_have(monkeypatch: pytest.MonkeyPatch) -> None:
    weather = EffectProvider("weather", account=lambda: lambda: {"weather": {"suns": 3}})
    found = SimpleNamespace(name="weather", load=lambda: weather)
    monkeypatch.setattr("scoring.registry.plugins.noticed", lambda group: (found,))
    assert accounts(lambda effect: effect == "weather")() == {"weather": {"suns": 3}}
    assert accounts(lambda effect: False)() == {}


def test_a_task_without_effects_has_none_in_its_signature() -> None:
    parts = scoring.load({"kind": "task", "name": "t", "score": "equal"}).signature.parts
    assert "judge" not in parts
    assert "sandbox" not in parts["env"]
