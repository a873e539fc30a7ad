"""Thirty edits of tasks that move nothing, and who says so: ``python -m tests.property.harmless``.

Each is a pair of the same task in two writings. The meaning says so where its digest is the same, and `check --against`
where no more than a patch is needed; the meaning keeps to how a program is written, and `check` proves more.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from scoring.compiler.tasks.compile import compile_task
from scoring.extensions.sharing.release.judging import Effort, judge_release
from scoring.extensions.sharing.release.versions import Edition
from scoring.format.load import Loader

_HEAD = {"kind": "task", "name": "t", "version": "1.0.0"}
_TWO = {"a": "equal", "b": "levenshtein"}


def _scored(one: Any, other: Any) -> tuple[dict[str, Any], dict[str, Any]]:
    return {"score": one}, {"score": other}


def _joined(one: str, other: str) -> tuple[dict[str, Any], dict[str, Any]]:
    return {"fields": _TWO, "aggregate": one}, {"fields": _TWO, "aggregate": other}


def _found(one: str, other: str) -> tuple[dict[str, Any], dict[str, Any]]:
    return _scored(*(f"find({pattern!r}) | equal" for pattern in (one, other)))


def _also(**keys: Any) -> tuple[dict[str, Any], dict[str, Any]]:
    return {"score": "levenshtein"}, {"score": "levenshtein", **keys}


HARMLESS: Mapping[str, tuple[dict[str, Any], dict[str, Any]]] = {
    "a lower zero_below before a higher one": _scored(
        "levenshtein | zero_below(0.3) | zero_below(0.5)", "levenshtein | zero_below(0.5)"
    ),
    "the same zero_below twice": _scored(
        "levenshtein | zero_below(0.5) | zero_below(0.5)", "levenshtein | zero_below(0.5)"
    ),
    "zero_below(0)": _scored("levenshtein | zero_below(0)", "levenshtein"),
    "a zero_below of 0 or 1": _scored("equal | zero_below(0.5)", "equal"),
    "max turned": _joined("max(a, b)", "max(b, a)"),
    "min turned": _joined("min(a, b)", "min(b, a)"),
    "any_of turned": _scored("any_of(levenshtein, equal)", "any_of(equal, levenshtein)"),
    "any_of of one thing twice": _scored("any_of(levenshtein, levenshtein)", "levenshtein"),
    "1 * a": _joined("(1 * a + b) / 2", "(a + b) / 2"),
    "a + 0": _joined("(a + 0 + b) / 2", "(a + b) / 2"),
    "(A|B) and [AB]": _found("([AB])", "(A|B)"),
    "(?:a)b and ab": _found("((?:a)b)", "(ab)"),
    "a{1} and a": _found("(a{1}b)", "(ab)"),
    "aa* and a+": _found("(aa*)", "(a+)"),
    "fields under a formula turned": (
        {"fields": {"a": "equal", "b": "levenshtein"}, "aggregate": "(a + b) / 2"},
        {"fields": {"b": "levenshtein", "a": "equal"}, "aggregate": "(a + b) / 2"},
    ),
    "a comparison turned": (
        {"score": "levenshtein", "pass": "score >= 0.8"},
        {"score": "levenshtein", "pass": "0.8 <= score"},
    ),
    "a value renamed": (
        {"values": {"x": "reference | words | length"}, **_also(aggregate="clip(answer + values.x / 9, 0, 1)")[1]},
        {"values": {"y": "reference | words | length"}, **_also(aggregate="clip(answer + values.y / 9, 0, 1)")[1]},
    ),
    "a definition renamed": (
        {"scorers": {"close": "levenshtein | zero_below(0.5)"}, "score": "close"},
        {"scorers": {"near": "levenshtein | zero_below(0.5)"}, "score": "near"},
    ),
    "a definition in its place": (
        {"scorers": {"close": "levenshtein | zero_below(0.5)"}, "score": "close"},
        {"score": "levenshtein | zero_below(0.5)"},
    ),
    "the order of keys": ({"score": "equal", "pass": "score >= 1"}, {"pass": "score >= 1", "score": "equal"}),
    "the quotes of a text": _scored('replace("a", "b") | equal', "replace('a', 'b') | equal"),
    "spacing": _scored("levenshtein|zero_below( 0.5 )", "levenshtein | zero_below(0.5)"),
    "a number's writing": _scored("levenshtein | zero_below(0.50)", "levenshtein | zero_below(0.5)"),
    "a setting by its name": _scored("levenshtein | zero_below(threshold=0.5)", "levenshtein | zero_below(0.5)"),
    "a default that is written": _scored("within(absolute=0.1, relative=0)", "within(absolute=0.1)"),
    "a list of steps": _scored(["lower", "equal"], "lower | equal"),
    "a policy that is written": _also(on_missing="zero"),
    "documentation": _also(doc="How close two texts are."),
    "an example": _also(examples=[{"response": "a", "reference": "a", "expect": 1}]),
    "a figure that is written": _also(metrics=["mean"]),
}


def said(one: Mapping[str, Any], other: Mapping[str, Any], tries: int = 200) -> dict[str, str]:
    """What the meaning and `check --against` say of an edit: "" where it is harmless, else what they say."""
    loaders = Loader(), Loader()
    held = [loader.data({**_HEAD, **side}) for loader, side in zip(loaders, (one, other), strict=True)]
    digests = {compile_task(spec, loader)[0].parts.recipe.digest for spec, loader in zip(held, loaders, strict=True)}
    old, new = (Edition(*side) for side in zip(held, loaders, strict=True))
    found = judge_release(old, new, Effort(tries=tries))
    told = "; ".join(str(reason) for reason in found.reasons if reason.part not in ("", "patch"))
    return {"meaning": "" if len(digests) == 1 else "moves", "check": told}


def main() -> int:
    """Print who takes how many of the edits as harmless, and each that is not."""
    told = {name: said(*sides) for name, sides in HARMLESS.items()}
    for voice in ("meaning", "check"):
        print(f"{voice}: {sum(not one[voice] for one in told.values())} of {len(told)} are harmless")
    for name, one in told.items():
        if any(one.values()):
            print(f"  {name}: meaning {one['meaning'] or 'is the same'}; check: {one['check'] or 'a patch'}")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
