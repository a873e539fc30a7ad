"""Every kind of rule by which the field scores has a recipe that gives what the official code gives, or a reason.

`tests/support/recipes.py` says what a recipe and its probes are.
"""

from __future__ import annotations

import itertools
import re
import shutil
from collections.abc import Iterator
from contextlib import nullcontext
from typing import Any

import pytest

import scoring
from scoring.errors import InputError
from scoring.extensions.reference.cookbook import recipe_kinds
from scoring.extensions.sandbox import use_sandbox
from tests.support.missing_extras import skip_without
from tests.support.recipes import (
    FEWEST_PROBES,
    MOST_LINES,
    MOST_LINES_OF,
    PROBES,
    Recipe,
    Remembered,
    Replies,
    differences,
    judged_by,
    kind_of,
    kinds,
    missing,
    recipes,
)

# Records' scores outside [0, 1], and why.
OTHER_RANGES = {
    "auroc": "a record alone has no quality: its score is its class",
    "bits-per-byte": "a log-likelihood by byte, of which the greater is better",
    "cer": "more edits than characters are possible",
    "healthbench": "bad criteria take points away, as many as there are",
    "mt-bench": "a judge's rating as the judge wrote it, which no code of the benchmark bounds",
    "omnidocbench-teds": "a tree may be further from another than both are large",
    "sts": "a distance on the scale of the people who rated",
    "wer": "more edits than words are possible",
    "wer-whisper": "more edits than words are possible",
    "wer-whisper-basic": "more edits than words are possible",
    "wikitext": "a log-likelihood by byte, of which the greater is better",
}
LOWER = {"cer", "sts", "wer", "wer-whisper", "wer-whisper-basic"}
# Figures of which neither the higher nor the lower values are better.
NEITHER = {("simpleqa", "not_attempted")}

every_recipe = pytest.mark.parametrize("recipe", recipes(), ids=lambda recipe: recipe.slug)


def test_every_kind_has_a_recipe_or_a_reason() -> None:
    covered = {kind_of(recipe.slug) for recipe in recipes()}
    bare = sorted(kinds().keys() - covered - missing().keys())
    assert not bare, f"no specs/cookbook/<slug>.yaml and no reason in missing.toml for: {', '.join(bare)}"
    stale = sorted(missing().keys() & covered)
    assert not stale, f"recipes are there; take these lines out of missing.toml: {', '.join(stale)}"
    unknown = sorted(missing().keys() - kinds().keys())
    assert not unknown, f"missing.toml names what is no kind of specs/cookbook/kinds.toml: {', '.join(unknown)}"
    assert len(kinds()) == 96


def test_a_kind_without_a_recipe_has_a_real_reason() -> None:
    bare = [slug for slug, reason in missing().items() if "not yet" in reason or len(reason.split()) < 8]
    assert not bare, f"missing.toml says why in a sentence: {', '.join(bare)}"


def test_every_recipe_is_of_a_kind_and_has_probes() -> None:
    stray = [recipe.slug for recipe in recipes() if kind_of(recipe.slug) is None]
    assert not stray, f"no kind of specs/cookbook/kinds.toml has the name, or begins it: {', '.join(stray)}"
    slugs = {recipe.slug for recipe in recipes()}
    assert slugs == {path.stem for path in PROBES.glob("*.jsonl")}


def test_where_one_begins_is_in_order() -> None:
    sections = dict.fromkeys(kind.section for kind in recipe_kinds())
    assert len(sections) >= 15
    for section in sections:
        key, _, rest = section.begin.partition(": ")
        task: dict[str, Any] = {"kind": "task", "name": "t", "version": "1.0.0"}
        if key == "metrics":
            task |= {"score": "equal", "metrics": [rest]}
        elif key == "formula":
            task |= {"fields": {"a": {"score": rest}}}
        else:
            task |= {"score": section.begin}
        assert scoring.load(task), section.begin


@every_recipe
def test_a_recipe_is_short_and_in_order(recipe: Recipe) -> None:
    most = MOST_LINES_OF.get(str(kind_of(recipe.slug)), MOST_LINES)
    assert recipe.lines <= most, f"{recipe.spec.name} has {recipe.lines} lines, and {most} are enough"
    assert not scoring.specs.check_file(recipe.spec)
    spec = scoring.load(recipe.spec).spec
    assert recipe.slug in (spec.name, f"{spec.name}-{spec.version.partition('.')[0]}")
    assert spec.doc.strip(), "its `doc:` says what it scores, and how"


@every_recipe
def test_a_record_s_score_can_be_read_as_quality(recipe: Recipe) -> None:
    task = scoring.load(recipe.spec)
    spread = (task.range.low, task.range.high)
    assert (spread != (0, 1)) == (recipe.slug in OTHER_RANGES), f"the range is {task.range}: bound it, or say why not"
    assert task.better == ("lower" if recipe.slug in LOWER else "higher")
    assert len(task.spec.fields) < 2 or task.spec.aggregate, "a mean of unlike fields: `aggregate:` says which counts"
    for metric in task.metrics:
        is_known = metric.better in ("higher", "lower", 0.5)
        assert is_known or (recipe.slug, metric.text) in NEITHER, f"{metric.text}: `better:` says which values are"


@every_recipe
def test_probes_say_where_they_are_from(recipe: Recipe) -> None:
    header = recipe.header
    assert header.keys() >= {"official", "per", "tolerance", "note"}, header
    assert header["per"] in ("record", "set")
    assert 0 <= header["tolerance"] <= 1e-6
    assert "::" in header["official"], "owner/repo@commit path::function"
    assert len(recipe.probes) >= FEWEST_PROBES
    wanted = ("record", ("score", "fields")) if header["per"] == "record" else ("records", ("figures",))
    for probe in recipe.probes:
        assert wanted[0] in probe
        assert probe.keys() & set(wanted[1]), "it says nothing that could be wrong"
        assert probe.get("score", 0) is not None or "reason" in probe, "say why there is no score"
    answers = {str(probe.get("score", probe.get("fields", probe.get("figures")))) for probe in recipe.probes}
    assert len(answers) > 1, "all probes have the same answer"


@every_recipe
def test_probes_are_awkward(recipe: Recipe) -> None:
    texts = list(texts_of([probe.get("record", probe.get("records")) for probe in recipe.probes]))
    if any(" " in text for text in texts):  # not numbers, ids and labels alone
        assert any(not text.isascii() for text in texts), "no probe holds a letter beyond ASCII"
        assert "" in texts, "no probe holds an empty text"


def texts_of(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict | list):
        for inner in value.values() if isinstance(value, dict) else value:
            yield from texts_of(inner)


@every_recipe
def test_a_recipe_takes_any_record(recipe: Recipe) -> None:
    task = scoring.load(recipe.spec)
    held = recipe.probes[0].get("record") or recipe.probes[0]["records"][0]
    odd: tuple[Any, ...] = (None, "", "x", [], {}, [None], 0, -1.5, True, "\ud83d", ["a", 1], {"a": []})
    with judged_by(Replies(strict=False), recipe):
        changed = [{**held, key: value} for key, value in itertools.product(held, odd)]
        for record in (*changed, *({other: held[other] for other in held if other != key} for key in held)):
            found = task.score(record)
            assert found.status in ("scored", "unparsed", "unscored", "not_applicable")
            assert found.explain()


# Columns that a record may lack and still be wrong, and why.
MAY_LACK = {
    ("mathvista", "precision"): "the official code takes any failure of rounding for a wrong answer",
    ("mmbench-circular", "options"): "a rotation that can't be read is wrong",
    ("mmbench-circular", "reference"): "a rotation that can't be read is wrong",
    ("mmbench-circular", "response"): "a rotation that can't be read is wrong",
    ("musique", "answer_aliases"): "an answer need not have an alias",
}


@every_recipe
def test_a_record_that_lacks_what_its_rule_reads_is_unscored_and_not_wrong(recipe: Recipe) -> None:
    """A column that is missing, or null, in a record that scored is never counted as a wrong answer of the model."""
    task = scoring.load(recipe.spec)
    held = [record for probe in recipe.probes for record in probe.get("records", [probe.get("record")])]
    silent = set[str]()
    with judged_by(Replies(strict=False), recipe):
        right = [record for record in held[:100] if (task.score(record).score or 0) > 0][:10]
        stated = [(one, key) for one in right for key, value in one.items() if value is not None]
        for record, key in stated:
            without = {other: value for other, value in record.items() if other != key}
            for lacking in (without, {**record, key: None}):
                if (recipe.slug, key) not in MAY_LACK and task.score(lacking).score == 0:
                    silent.add(key)
    assert not silent


NUMERAL = re.compile("[1-9][0-9]{0,8}")
AS_WRITTEN = {"mathvista": "the official code compares texts with the number itself, which a probe holds"}


@every_recipe
def test_an_answer_that_the_data_write_as_a_number_is_no_wrong_one(recipe: Recipe) -> None:
    """JSON often has `5` where the rule has "5": it counts as that text, or leaves the record unscored."""
    task = scoring.load(recipe.spec)
    held = [record for probe in recipe.probes for record in probe.get("records", [probe.get("record")])]
    wrong = list[Any]()
    with judged_by(Replies(strict=False), recipe):
        for record, key in itertools.product(held[:100], ("reference", "answer", "gold", "label")):
            if recipe.slug not in AS_WRITTEN:
                text = record.get(key)
                if isinstance(text, str) and NUMERAL.fullmatch(text) and (task.score(record).score or 0) > 0:
                    changed = {**record, key: int(text)}
                    wrong += [changed] if task.score(changed).score == 0 else []
    assert not wrong


@every_recipe
def test_a_recipe_gives_what_the_official_code_gives(recipe: Recipe) -> None:
    replies = Replies()
    wrong = _wrong_sets(recipe, replies) if recipe.header["per"] == "set" else _wrong_records(recipe, replies)
    # An endless program is waited for once, and not again for its batch: what a program did cannot differ there.
    with judged_by(replies, recipe), use_sandbox(Remembered()) if shutil.which("bwrap") else nullcontext():
        found = list(wrong)
    assert not found, f"{len(found)} differ:\n" + "\n".join(found[:10])


def _wrong_records(recipe: Recipe, replies: Replies) -> Iterator[str]:
    task = scoring.load(recipe.spec)
    for place, probe in enumerate(recipe.probes, 1):
        with replies.to(probe.get("replies")):
            found = task.score(probe["record"])
        yield from (f"probe {place}: {one}; {probe['record']}" for one in differences(recipe, probe, found))
    together = task.score_batch([probe["record"] for probe in recipe.probes])
    for place, (probe, found) in enumerate(zip(recipe.probes, together, strict=True), 1):
        yield from (f"probe {place} in a batch: {one}" for one in differences(recipe, probe, found))


def _wrong_sets(recipe: Recipe, replies: Replies) -> Iterator[str]:
    task = scoring.load(recipe.spec)
    for place, probe in enumerate(recipe.probes, 1):
        answers = probe.get("replies") or [None] * len(probe["records"])
        for record, own in zip(probe["records"], answers, strict=True):
            with replies.to(own):
                skip_without(task.score(record).reason)
        for size in (1, 10_000):
            try:
                figures = scoring.evaluate(task, probe["records"], batch_size=size).metrics
            except InputError as error:
                skip_without(error)
                raise
            assert probe["figures"].keys() <= figures.keys(), f"the figures are {list(figures)}"
            for name, expected in probe["figures"].items():
                if not recipe.close(figures[name], expected):
                    yield f"set {place}: {name} {figures[name]}, officially {expected}; {probe['records']}"
