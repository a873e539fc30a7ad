"""The sandbox belongs to the environment of a signature."""

from __future__ import annotations

import scoring


def test_the_sandbox_belongs_to_the_environment() -> None:
    task = scoring.load({"kind": "task", "name": "t", "imports": {"m": "megabench@1"}, "score": "m.program_judge"})
    assert ", sandbox " in task.signature.env


def test_programs_stand_in_the_environment_of_a_signature() -> None:
    spec = {"kind": "task", "name": "t", "score": 'run_tests(language="python", cases=record.cases)'}
    assert "sandbox" in scoring.load(spec).signature.parts["env"]
