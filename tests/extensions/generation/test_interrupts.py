"""An interrupt while texts are compared is one."""

from __future__ import annotations

import pytest

import scoring
from scoring.cli import main as module
from tests.unit.cli.test_main import make_class


@pytest.mark.parametrize("error", [KeyboardInterrupt(), module.Terminated()])
def test_an_interrupt_while_a_class_is_made_is_one(error: BaseException, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("scoring.extensions.generation.rouge._pair", lambda *_: make_class(error))
    with pytest.raises(KeyboardInterrupt):
        scoring.scorer("rouge").score("a", "b")
