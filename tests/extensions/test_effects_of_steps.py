"""A step does what its primitive declares, and is told what to declare where it does more."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import scoring
from scoring.effects import Undeclared, leave_note, taking_notes, watch_effects
from scoring.extensions.judge.asking.scripted import ScriptedJudge
from scoring.extensions.judge.protocol import ask_judge, use_judge
from scoring.extensions.sandbox.choose import current_sandbox
from scoring.registry import registry


def asking(text: str) -> str:
    with use_judge(ScriptedJudge(["yes"])):
        return ask_judge(text)


@pytest.mark.parametrize(
    ("function", "effect", "does"),
    [
        (lambda: asking("?"), "judge", "asks a judge"),
        (current_sandbox, "programs", "runs programs"),
        (lambda: leave_note("a", 1), "notes", "leaves a note"),
    ],
)
def test_an_undeclared_effect_names_the_declaration_to_add(function: Callable[[], Any], effect: str, does: str) -> None:
    with pytest.raises(Undeclared, match=rf'`acme/step` {does}, .*@primitive\(uses=\("numpy", "{effect}",\)\)'):
        watch_effects(function, "acme/step", ("numpy",))()


def test_a_declared_effect_may_happen() -> None:
    assert watch_effects(asking, "acme/step", ("judge",))("?") == "yes"
    with taking_notes() as notes:
        watch_effects(leave_note, "acme/step", ("notes",))("a", 1)
    assert notes == {"a": 1}


def test_outside_of_steps_everything_may_happen() -> None:
    assert asking("?") == "yes"


def test_a_step_inside_a_step_answers_for_itself() -> None:
    inner = watch_effects(asking, "scoring/inner", ("judge",))
    outer = watch_effects(lambda text: (inner(text), asking(text)), "acme/outer", ())
    with pytest.raises(Undeclared, match="acme/outer"):
        outer("?")
    assert watch_effects(lambda text: inner(text), "acme/outer", ())("?") == "yes"


def test_what_a_batch_form_does_later_is_held_to_its_declaration_too() -> None:
    found = registry.get("any_of")
    assert found is not None
    plain = found.forms["batch"]
    done = []

    def form(left: list[Any], right: list[Any], /, *scorers: Any) -> Any:
        def score(pairs: Any) -> Any:
            leave_note("which", "batch")
            done.append(len(pairs))

        return score

    found.forms["batch"] = watch_effects(form, "acme/any", ())
    try:
        scores = scoring.scorer("any_of(equal, equal)").score_many(["a", "b"], ["a", "c"])
    finally:
        found.forms["batch"] = plain
    assert [outcome.value for outcome in scores] == [1.0, 0.0]
    assert done == []
