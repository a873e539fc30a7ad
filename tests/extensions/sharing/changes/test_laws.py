"""Laws of what is told of two specs, over edits of every shipped pack and over tasks that are drawn."""

from __future__ import annotations

import copy
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

import scoring
from scoring.compiler.tasks.compile import compile_task
from scoring.extensions.sharing.changes.found import changes, judge_moves
from scoring.extensions.sharing.changes.meanings import meanings
from scoring.extensions.sharing.changes.names import SpecFiles
from scoring.extensions.sharing.changes.partial_edits import BetweenSpecs
from scoring.extensions.sharing.changes.trees import file_data, file_tree
from scoring.format.load import Loader
from scoring.format.locate import bundled_packs
from scoring.format.read import read_text
from scoring.lang.tree import Literal, Pipeline
from tests.property.test_mutated_specs import FORMULAS, PACK, TASK, mutated

PACKS = sorted(path for paths in bundled_packs().values() for path in paths)
STEPS = ["lower", "strip", "collapse_spaces", "to_ascii", "casefold", 'replace(old="a", new="b")', "prefix(3)"]
ENDS = ["equal", "levenshtein", "indel", "levenshtein | zero_below(0.5)", "levenshtein | zero_below(threshold=0.8)"]
SCORERS = st.builds(
    lambda steps, end: " | ".join([*steps, end]), st.lists(st.sampled_from(STEPS), max_size=4), st.sampled_from(ENDS)
)
TASKS = st.fixed_dictionaries(
    {
        "kind": st.just("task"),
        "name": st.just("t"),
        "parse": st.just("json"),
        "fields": st.fixed_dictionaries(
            {name: st.fixed_dictionaries({"score": SCORERS, "weight": st.integers(0, 3)}) for name in ("a", "b")}
        ),
        "metrics": st.lists(st.sampled_from(["mean", "median", 'mean(field="a")']), min_size=1, unique=True),
    },
    optional={
        "aggregate": st.sampled_from(["mean", "min", "a * 0.5 + b * 0.5", "max(a, b)", "a - b"]),
        "on_unparsed": st.sampled_from(["zero", "unscored"]),
        "on_missing": st.sampled_from(["zero", "unscored"]),
        "pass": st.sampled_from(["score >= 0.5", "a == 1", "a == 1 and b > 0.2"]),
    },
)
TEXTS = st.sampled_from(["a", "A", " a", "ab", "abc", "abcd", "abd", "ä", "", "b b", "B  b"])
ANSWER = st.fixed_dictionaries({}, optional={"a": TEXTS, "b": TEXTS})
RECORDS = st.lists(
    st.fixed_dictionaries({"response": ANSWER, "reference": st.fixed_dictionaries({"a": TEXTS, "b": TEXTS})}),
    min_size=1,
    max_size=6,
)


def drawn(*names: str) -> dict[str, Any]:
    """A task as one of `TASKS`, its fields in this order."""
    fields = {name: {"score": "equal", "weight": 0} for name in names}
    return {
        "kind": "task",
        "name": "t",
        "parse": "json",
        "fields": fields,
        "metrics": ["mean"],
        "on_missing": "unscored",
    }


def files(data: dict[str, Any]) -> SpecFiles:
    loader = Loader()
    return SpecFiles.of(loader.data(data), loader)


def between(old: dict[str, Any], new: dict[str, Any]) -> BetweenSpecs:
    return BetweenSpecs.of(files(old), files(new))


def is_whole(spec: dict[str, Any]) -> bool:
    try:
        loader = Loader()
        compile_task(loader.data(spec), loader)
    except scoring.SpecError:
        return False
    return True


@pytest.mark.parametrize("path", PACKS, ids=lambda path: path.parent.name)
def test_nothing_changes_between_a_pack_and_itself(path: Path) -> None:
    one, other = Loader(), Loader()
    assert changes(SpecFiles.of(one.file(path), one), SpecFiles.of(other.file(path), other)) == []


@settings(deadline=None, max_examples=40)
@given(TASKS)
def test_nothing_changes_between_a_task_and_itself(task: dict[str, Any]) -> None:
    if is_whole(task):
        assert changes(files(task), files(copy.deepcopy(task))) == []


@settings(deadline=None, max_examples=60)
@given(TASKS, TASKS)
def test_changes_move_something_where_the_meaning_is_another_and_the_way_back_is_told_by_the_same_places(
    old: dict[str, Any], new: dict[str, Any]
) -> None:
    """One law for both: drawing two tasks takes longer than what is asked of them."""
    if not (is_whole(old) and is_whole(new)):
        return
    sides = files(old), files(new)
    is_same = scoring.load(old).signature.meaning == scoring.load(new).signature.meaning
    there, back = changes(*sides), changes(*reversed(sides))
    assert any(one.moves for one in there) == (not is_same)
    turned = {"added": "removed", "removed": "added"}
    mirrored = [(one.place, turned.get(one.kind, one.kind), one.new, one.old) for one in back]
    assert sorted(map(str, mirrored)) == sorted(str((one.place, one.kind, one.old, one.new)) for one in there)
    assert any(one.moves for one in there) == any(one.moves for one in back)


@settings(deadline=None, max_examples=40)
@given(TASKS, TASKS, st.randoms(use_true_random=False))
def test_changes_made_one_after_the_other_end_at_the_new_spec(
    old: dict[str, Any], new: dict[str, Any], chance: random.Random
) -> None:
    if not (is_whole(old) and is_whole(new)):
        return
    found = between(old, new)
    groups = [group for group, _ in judge_moves(found).moves]
    chance.shuffle(groups)
    made: frozenset[int] = frozenset()
    for group in groups:
        made |= group
    assert made | found.idle == found.every
    assert found.meanings(()) == meanings(found.old.files[0], found.old.loader)
    assert found.meanings(found.every) == meanings(found.new.files[0], found.new.loader)


@settings(deadline=None, max_examples=25)
@given(TASKS, TASKS, RECORDS)
def test_the_versions_at_the_ends_score_as_the_specs_do(
    old: dict[str, Any], new: dict[str, Any], records: list[dict[str, Any]]
) -> None:
    if not (is_whole(old) and is_whole(new)):
        return
    found = between(old, new)
    for spec, chosen in ((old, frozenset[int]()), (new, found.every)):
        task, loader = found.version(chosen)
        made = compile_task(task, loader)[0]
        for record in records:
            one, other = scoring.load(spec).score(record), made.score(record)
            assert (one.score, one.status, one.passed) == (other.score, other.status, other.passed)


@settings(deadline=None, max_examples=20)
@given(TASKS, TASKS, RECORDS)
@example(drawn("a", "b"), drawn("b", "a"), [{"response": {}, "reference": {"a": "a", "b": "a"}}])
def test_what_moves_is_what_two_runs_differ_in(
    old: dict[str, Any], new: dict[str, Any], records: list[dict[str, Any]]
) -> None:
    if not (is_whole(old) and is_whole(new)):
        return
    data = [{"id": number, **record} for number, record in enumerate(records)]
    found = scoring.diff(old, new, data=data, worst=100, scorings=2)
    tables = [scoring.evaluate(spec, data).table() for spec in (old, new)]
    # A reason names the first field that has none: in another order it is another one, and no score moved.
    rows = [[{**row, "reason": None} for row in table] for table in tables]
    moved = {str(one["id"]) for one, other in zip(*rows, strict=True) if one != other}
    movement = found.data["movement"]
    assert {row["id"] for row in (*movement["worst"], *movement["status_moves"])} == moved
    assert found.moved == len(moved)


@settings(deadline=None, max_examples=60)
@given(st.sampled_from([TASK, PACK, FORMULAS]).flatmap(lambda text: st.tuples(st.just(text), mutated(text))))
def test_a_spec_that_somebody_mangled_is_told_or_refused(texts: tuple[str, str]) -> None:
    loader = Loader()
    try:
        old, new = (loader.load(read_text(text, "spec.yaml"), name="spec.yaml") for text in texts)
        if type(old.spec) is not type(new.spec):
            return
        before, after = meanings(old, loader), meanings(new, loader)
        found = changes(SpecFiles.of(old, loader), SpecFiles.of(new, loader))
    except scoring.SpecError:
        return
    assert all(str(change) for change in found)
    if before == after:
        assert not any(change.moves for change in found)


def test_a_definition_that_takes_the_name_of_a_primitive_moves_who_meant_that() -> None:
    data: dict[str, Any] = {"kind": "pack", "name": "p", "version": "1.0.0"}
    scorers = {"near": {"score": "lower | measure", "params": {"measure": {"type": "pipeline", "default": "indel"}}}}
    old, new = ({**data, "scorers": {**scorers, name: "equal"}} for name in ("same", "indel"))
    (change,) = changes(files(old), files(new))
    assert (str(change), change.moves, change.parts) == ("`same` is renamed to `indel`", True, ("near",))


def edited(pipeline: Pipeline) -> Iterator[Pipeline]:
    """An expression with a step less, two steps exchanged, a number that is another one."""
    steps = pipeline.steps
    for at in range(len(steps)):
        if len(steps) > 1:
            yield replace(pipeline, steps=(*steps[:at], *steps[at + 1 :]))
        if at:
            yield replace(pipeline, steps=(*steps[: at - 1], steps[at], steps[at - 1], *steps[at + 1 :]))
        for name, value in enumerate(steps[at].args):
            if isinstance(value, Literal) and isinstance(value.value, float):
                args = (*steps[at].args[:name], Literal(value.value / 2), *steps[at].args[name + 1 :])
                yield replace(pipeline, steps=(*steps[:at], replace(steps[at], args=args), *steps[at + 1 :]))


def variants(path: Path) -> Iterator[tuple[str, dict[str, Any]]]:
    """A pack with one definition edited, and the name of that definition."""
    loaded = Loader().file(path)
    head: dict[str, Any] = {"kind": "pack", "name": loaded.spec.name, "version": loaded.spec.version}
    head["imports"] = {entry.alias: entry.target for entry in loaded.spec.imports}
    tree = file_tree(loaded.spec, loaded.folder)
    for section in ("scorers", "transforms", "parsers"):
        for name, one in tree.get(section, {}).items():
            for param, held in one["params"].items():
                default = held.get("default")
                if isinstance(default, (int, float)) and not isinstance(default, bool):
                    params = {**one["params"], param: {"default": default / 2 if default else 1}}
                    yield name, head | file_data({**tree, section: {**tree[section], name: {**one, "params": params}}})
            for expression in edited(one["expression"]):
                changed = {**one, "expression": expression}
                yield name, head | file_data({**tree, section: {**tree[section], name: changed}})


@pytest.mark.parametrize("path", PACKS, ids=lambda path: path.parent.name)
def test_an_edit_of_a_shipped_pack_is_told_where_it_is_if_it_moves_anything(path: Path) -> None:
    loader = Loader()
    loaded = loader.file(path)
    before = meanings(loaded, loader)
    every = list(variants(path))
    for name, data in random.Random(7).sample(every, min(len(every), 12)):
        try:
            new = loader.data(data, folder=loaded.folder)
            after = meanings(new, loader)
        except scoring.SpecError:  # such as a half that its parameter may not be
            continue
        found = changes(SpecFiles.of(loaded, loader), SpecFiles.of(new, loader))
        moved = {part for change in found if change.moves for part in change.parts}
        assert moved == {part for part in before if before[part] != after[part]}
        assert all(change.place.partition(".")[0] == name for change in found)
        assert found or before == after
