"""Comparison of the dialects of ANLS (scorers of the pack that share the name), and the page docs/anls.md."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from scoring.extensions.dialects.comparing import Dialects
from scoring.extensions.dialects.scores import DialectScores, equal_up_to_rounding, scores_against_first

PACK = "anls@1"

DIALECTS = {
    "anls": "ST-VQA, as published",
    "anls_normalised": "PyPI package anls",
    "docvqa": "DocVQA evaluation",
    "mmlongbench": "MMLongBench-Doc",
    "mmesgbench_documented": "MMESGBench, as explained",
    "mmesgbench_released": "MMESGBench, as released",
    "anls_star": "ANLS*",
}
"""The dialects that compare a string with several references, the published one first."""

PROBES: tuple[tuple[str, str, str], ...] = (
    ("the same text", "harbour", "harbour"),
    ("a letter missing", "harbor", "harbour"),
    ("two neighbours swapped", "harbuor", "harbour"),
    ("case", "Harbour", "harbour"),
    ("a space at the end", "harbour ", "harbour"),
    ("two spaces within", "north  quay", "north quay"),
    ("half of the letters, so exactly at the threshold", "ra", "ga"),
    ("the same, padded with spaces", "ra        ", "ga"),
    ("a substitution, which costs two insertions and deletions", "kitten", "sitting"),
    ("a long answer that contains the reference", "it lies in the harbour", "harbour"),
    ("quotes, a dollar and a percent sign", '"$12%"', "12"),
    ("a parenthesis", "harbour (north)", "harbour"),
    ("one character that the reference has", "h", "harbour"),
    ("nothing", "", "harbour"),
    ("nothing on both sides", "", ""),
)
"""Probes of the dialects: description, prediction, reference."""

# The worked examples of MMESGBench's explanation: answer, prediction, and the similarity and verdict it states.
CLAIMS: tuple[tuple[str, str, str, bool], ...] = (
    ("renewable energy", "renewable energy", "1.0", True),
    ("renewable energy", "renewabel energy", "0.94", True),
    ("2050", "year 2050", "0.57", True),
    ("North America", "America", "0.46", False),
    ("Paris", "The answer is Paris, France", "", True),
    ("North America", "north america", "", True),
    ("North America", "North  America", "", True),
    ("North America", "Noth America", "", True),
    ("North America", "North", "0.38", False),
    ("North America", "South America", "", False),
)


def score_under_dialects(pairs: Iterable[tuple[Any, Sequence[str]]]) -> list[DialectScores]:
    """Return the scores that each dialect of ANLS gives some pairs, each a prediction and its references.

    The published dialect comes first.

    Examples:
        >>> [(found.name, found.mean) for found in score_under_dialects([("ra", ["ga"])])][:3]
        [('anls', 0.0), ('anls_normalised', 0.0), ('docvqa', 0.5)]
    """
    from scoring.api.definitions import scorer

    listed = list(pairs)
    columns: dict[str, tuple[float | None, ...]] = {}
    for name in DIALECTS:
        compare = scorer(f"{PACK}:{name}")
        columns[name] = tuple(compare.score(prediction, list(references)).value for prediction, references in listed)
    return scores_against_first(columns, DIALECTS)


def anls_page() -> str:
    """Return the text of the page docs/anls.md, which compares the dialects of ANLS."""
    return "\n\n".join([_HEAD.strip(), _probes(), _KEY.strip(), _claims(), _FOOT.strip()]) + "\n"


def _probes() -> str:
    columns = score_under_dialects([(prediction, [reference]) for _, prediction, reference in PROBES])
    lines = [
        "| probe | prediction | reference | " + " | ".join(f"`{found.name}`" for found in columns) + " |",
        "|---|---|---|" + "---|" * len(columns),
    ]
    for place, (what, prediction, reference) in enumerate(PROBES):
        texts = [_plain(found.scores[place]) for found in columns]
        same = [equal_up_to_rounding(found.scores[place], columns[0].scores[place]) for found in columns]
        scores = " | ".join(text if alike else f"**{text}**" for text, alike in zip(texts, same, strict=True))
        lines.append(f"| {what} | {_code(prediction)} | {_code(reference)} | {scores} |")
    return "\n".join(lines)


def _claims() -> str:
    from scoring.api.definitions import scorer

    computing = ("clean_answer | indel", "clean_answer | levenshtein", "mmesgbench@1:str", "mmesgbench-upstream@1:str")
    scorers = [scorer(name) for name in computing]
    lines = [
        "| reference | prediction | it states | ratio | Levenshtein | `mmesgbench` | `mmesgbench-upstream` |",
        "|---|---|---|---|---|---|---|",
    ]
    for reference, prediction, similarity, right in CLAIMS:
        verdict = "correct" if right else "incorrect"
        stated = f"{similarity}, {verdict}" if similarity else verdict
        scores = [_plain(one.score(prediction, reference).value) for one in scorers]
        lines.append(f"| {' | '.join([_code(reference), _code(prediction), stated, *scores])} |")
    return "\n".join(lines)


def _plain(score: float | None) -> str:
    return "–" if score is None else f"{score:.3f}".rstrip("0").rstrip(".")


def _code(text: str) -> str:
    return f"`{text.replace(' ', '␣')}`" if text else "(empty)"


_HEAD = """
<!-- Written by `scoring generate` from the packs; changes here are lost. -->
# Dialects of ANLS

Many functions are called ANLS. They disagree on case, on white space, on a similarity that lies exactly at the
threshold, on empty texts, and on what one edit is. Each is a scorer of the pack `anls`, written from primitives:
`scoring explain anls@1:docvqa` shows one, `specs/anls/pack.yaml` all of them. Below, the threshold is 0.5, `␣` is a
space, and a score in bold differs from the published definition. Tasks that share a name are on
[dialects.md](dialects.md).
"""

_KEY = """
- `anls`: Biten et al. 2019, equation 1. Raw texts; a normalised distance of the threshold or more scores 0.
- `anls_normalised`: lower case and single spaces first; lengths as in capitals, in which ß counts twice.
- `docvqa`: the distance of normalised texts over the length of the longer raw text; exactly one half is kept.
- `mmlongbench`: cleaned answers (no parentheses, outer quotes, dollar or percent signs); exactly one half scores 0.
- `mmesgbench_documented`: cleaned answers, insertions and deletions only, which is no Levenshtein distance.
- `mmesgbench_released`: the prediction against every single character of the reference.
- `anls_star`: every leaf as text, lower case, single spaces; exactly one half is kept. Trees: `anls@1:anls_star`
  follows the released package, `anls@1:anls_star_documented` its paper on invented keys without a value.

The leaf of ANLS\\* alone is `anls_star_leaf`; it takes one reference and gives the same values.

## What MMESGBench's explanation states, and what its rules compute

The explanation of "ANLS 0.5 matching" works examples by hand. Computed, no single reading makes all of them true: its
list of correct answers needs the rules as explained, its list of incorrect answers only holds for the released code. It
calls the ratio a Levenshtein similarity, which it is not; 0.46 is a distance (6/13), 0.38 is a Levenshtein similarity,
and 0.57 is neither. Correct means a score of at least 0.5.
"""

_FOOT = """
The two packs differ in one step, `fuzzy`: `diff specs/mmesgbench/pack.yaml specs/mmesgbench-upstream/pack.yaml`. What
both keep from the released code, because the explanation is silent: `Int` cuts the fraction off (`5.9` is `5`), an
empty reference accepts everything, a small number is equal to 0 when both round to it (`0` for `0.31`), list items
match in the order of the reference and by gestalt pattern matching above 0.8. What neither does is run text as a
program: the released code evaluates a prediction in brackets, so that `[gt]` would copy the reference.
"""

ANLS = Dialects(PACK, DIALECTS, pages={"docs/anls.md": anls_page}, probes=PROBES)
