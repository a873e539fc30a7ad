"""A plan is valid when every step is allowed where it stands and the goal holds at the end."""

from __future__ import annotations

import pytest

from scoring.extensions.planning.plans import find_plan_failure, read_problem, read_steps, read_tree, solves_plan
from scoring.result import Unscored

DOMAIN = """
; a small house
(define (domain house)
  (:requirements :strips :typing :negative-preconditions :equality)
  (:types room thing - object lamp door - thing)
  (:constants hall - room)
  (:predicates (in ?r - room) (lit ?l - lamp) (open ?d - door) (joins ?d - door ?a ?b - room))
  (:action light :parameters (?l - lamp) :precondition (not (lit ?l)) :effect (and (lit ?l) (increase (total-cost) 1)))
  (:action unlock :parameters (?d - door) :precondition (or (lit l1) (lit l2)) :effect (open ?d))
  (:action go :parameters (?d - door ?a ?b - room)
    :precondition (and (in ?a) (open ?d) (joins ?d ?a ?b) (not (= ?a ?b)))
    :effect (and (not (in ?a)) (in ?b)))
  (:action stay :parameters (?r - room) :precondition (imply (in ?r) (lit l1)) :effect (and (not (in ?r)) (in ?r)))
  (:action move-thing :parameters (?x - (either lamp door)) :precondition () :effect (and))
)
"""
PROBLEM = """
(define (problem night) (:domain house)
  (:objects l1 l2 - lamp d - door kitchen - room ball)
  (:init (in hall) (joins d hall kitchen) (= (total-cost) 0))
  (:goal (and (in kitchen) (not (in hall)))))
"""


def why(*steps: str, domain: str = DOMAIN, problem: str = PROBLEM) -> str | None:
    return find_plan_failure(read_problem(domain, problem), read_steps(list(steps)))


def test_a_valid_plan() -> None:
    assert why("(light l1)", "(unlock d)", "(go d hall kitchen)") is None


@pytest.mark.parametrize(("steps", "reason"), [
    (["(light l1)", "(light l1)"], "step 2: the precondition of `light` does not hold"),
    (["(unlock d)"], "step 1: the precondition of `unlock` does not hold"),
    (["(fly d)"], "step 1: there is no action `fly`"),
    (["(light)"], "step 1: `light` takes 1 objects, not 0"),
    (["(light d)"], r"step 1: `d` is not of type lamp \(\?l of `light`\)"),
    (["(light l9)"], "step 1: there is no object `l9`"),
    (["(light ball)"], "step 1: `ball` is not of type lamp"),
    (["(light l1)", "(unlock d)"], "the goal does not hold at the end"),
    (["(light l1)", "(unlock d)", "(go d hall hall)"], "step 3: the precondition of `go` does not hold"),
    (["(stay hall)"], "step 1: the precondition of `stay` does not hold"),
    (["(move-thing hall)"], "step 1: `hall` is not of type door or lamp"),
    ([], "the goal does not hold at the end"),
])  # fmt: skip
def test_why_a_plan_fails(steps: list[str], reason: str) -> None:
    import re

    assert re.match(reason, why(*steps) or "")


def test_a_step_deletes_before_it_adds() -> None:
    assert why("(light l1)", "(stay hall)", "(unlock d)", "(move-thing d)", "(go d hall kitchen)") is None


def test_steps_are_read_out_of_what_a_model_writes() -> None:
    text = "Plan:\n1. (Light L1)  ; first\n- (unlock  d) (go d hall kitchen)\n()"
    assert read_steps(text) == [("light", "l1"), ("unlock", "d"), ("go", "d", "hall", "kitchen")]
    assert solves_plan(text, None, domain=DOMAIN, problem=PROBLEM) == 1


@pytest.mark.parametrize(("domain", "problem"), [
    ("", PROBLEM), ("(define", PROBLEM), ("(define))", PROBLEM), (DOMAIN, ""),
    (DOMAIN.replace(":effect", ":result"), PROBLEM),
    (DOMAIN, PROBLEM.replace(":goal", ":aim")), (DOMAIN, PROBLEM.replace(":init", ":start")), ("(" * 200, PROBLEM),
])  # fmt: skip
def test_a_broken_problem_is_no_zero(domain: str, problem: str) -> None:
    with pytest.raises(Unscored):
        solves_plan("(light l1)", None, domain=domain, problem=problem)


@pytest.mark.parametrize("part", ["forall (?l) (lit ?l)", "exists (?l) (lit ?l)"])
def test_what_is_not_supported_is_said(part: str) -> None:
    problem = PROBLEM.replace("(not (in hall))", f"({part})").replace("(in kitchen)", "(in hall)")
    with pytest.raises(Unscored, match="not supported"):
        solves_plan("(light l1)", None, domain=DOMAIN, problem=problem)


def test_a_large_text_is_refused() -> None:
    with pytest.raises(Unscored, match="2 MB"):
        read_tree("(" + " " * 3_000_000 + ")")
