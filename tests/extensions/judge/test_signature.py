"""A judge belongs to the signature of what asks it, and forges no part of it."""

from __future__ import annotations

import pytest

import scoring


def test_a_judge_belongs_to_the_signature_of_what_asks_it() -> None:
    from scoring.extensions.judge.asking.scripted import ScriptedJudge
    from scoring.extensions.judge.protocol import use_judge

    spec = {"kind": "task", "name": "t", "imports": {"m": "megabench@1"}, "score": "m.gpt_4o_as_judge"}
    task = scoring.load(spec)
    with use_judge(ScriptedJudge([])):
        assert "|judge:scripted+" in task.signature
    assert "judge:" not in scoring.load({"kind": "task", "name": "t", "score": "equal"}).signature


@pytest.mark.parametrize("model", ["gpt|seed:7|env:scoring 9", "gpt\n::error::x", "a|meaning:00", "a%7Cb", "\u202egpt"])
def test_a_model_forges_no_part(model: str) -> None:
    from scoring.extensions.judge.asking.scripted import ScriptedJudge
    from scoring.extensions.judge.protocol import use_judge

    task = scoring.load({"kind": "task", "name": "t", "imports": {"m": "megabench@1"}, "score": "m.gpt_4o_as_judge"})
    with use_judge(ScriptedJudge([])):
        plain = task.signature.parts
    judge = ScriptedJudge([])
    judge.name = model
    with use_judge(judge):
        line = task.signature
    assert list(line.parts) == list(plain)
    assert {name: held for name, held in line.parts.items() if name != "judge"} == {
        name: held for name, held in plain.items() if name != "judge"
    }
    assert line.isprintable()
