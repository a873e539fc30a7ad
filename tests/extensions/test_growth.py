"""What a response costs grows with its length, or is bounded: one of eight times the length, and the ratio.

References stay short: those are the author's, and what both sides cost together is bounded by their product. Every
primitive, every scorer and parser of the shipped packs and every recipe is given every form of
`benchmarks/growth/forms.py`, through the public door. What is dear is given again at eight times the length. Work that
grows with the square takes 64 times as long, unless its counted steps end it before; that is what fails here.
`python -m benchmarks.growth` measures the same for longer texts, and writes docs/growth.md.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import cache, partial
from typing import Any

import pytest

from benchmarks.growth.forms import texts, values
from benchmarks.growth.subjects import Step, cookbook, definitions, primitives
from scoring.extensions.maths import worker
from tests.support.cost import STEEPEST, TIMES, spent, spent_apart

SIZE, LITTLE = 4_000, 60
NOTABLE = 0.01
"""CPU seconds: of what takes less, eight times the length takes at most 1.3, even where work grows with the square."""


@cache
def responses(size: int) -> dict[str, Any]:
    """Texts and values of about so many characters by their form."""
    return dict((*texts(size), *values(size)))


def least(step: Step, response: Any, reference: Any) -> float:
    """The lesser of two costs; what is cheap at once is not asked again."""
    call = partial(step.run, response, reference)
    once = spent(call)
    return once if once < NOTABLE else min(once, spent(call))


def steep(step: Step) -> Iterator[str]:
    """The forms of which eight times the length costs far more than eight times the time."""
    with suppress(Exception):  # what it loads, it loads once; a step that takes no text says so
        step.run("一 word", "a word")
    for form, response in responses(SIZE).items():
        reference = "the answer" if isinstance(response, str) else responses(LITTLE)[form]
        little = least(step, response, reference)
        if little < NOTABLE:
            continue
        longer = responses(SIZE * TIMES)[form]
        call = partial(step.run, longer, reference)
        much = spent_apart(call, STEEPEST * little)
        if much > STEEPEST * little and spent_apart(call, STEEPEST * little) > STEEPEST * little:  # not by chance
            yield f"{step.name} of {form}: {little:.2f} s, and {much:.2f} s of {TIMES} times the length"


def out_of_time(*question: Any) -> Any:
    """No answer to a question about formulas: a process of its own counts its work, which is no time of ours."""
    raise worker.TooSlow


@pytest.mark.parametrize("steps", [primitives, definitions, cookbook])
def test_what_a_response_costs_does_not_grow_with_its_square(
    steps: Callable[[], Iterator[Step]], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(worker, "_answer", out_of_time)
    assert [told for step in steps() for told in steep(step)] == []
