"""What flows at an offset of a text, half written or not, held to the compiler where it can judge."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scoring.compiler.programs.program import Program
from scoring.compiler.tasks.compile import compile_task
from scoring.editors import FlowAt, completions, flow_at
from scoring.extensions.editors.facts import fact_of, metric_facts, step_facts
from scoring.format.load import Loader
from scoring.format.shipped import data_folder
from scoring.registry import registry

HEAD = "kind: task\nname: a\n"
PACK = "kind: pack\nname: p\nversion: 1.0.0\n"


def at(text: str, path: str = "a.yaml") -> FlowAt:
    """The flow at the mark `§` of a text."""
    return flow_at(text.replace("§", ""), path, text.index("§"))


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        (HEAD + "score: words | §", "List[Text]"),
        (HEAD + "score: lower | map_items(words | §", "List[Text]"),
        (HEAD + "score: words | map_items(lower | §", "Text"),
        (HEAD + "score: >-\n  lower\n  | words | §\n", "List[Text]"),
        (HEAD + 'score: "lower | words | §', "List[Text]"),
        (HEAD + "score: {any_of: [lower | equal, words | §]}", "List[Text]"),
        (HEAD + "fields:\n  a: {score: words | §, weight: 2}\n", "List[Text]"),
        (HEAD + "parse: strip | words | §\nscore: equal\n", "List[Text]"),
        (HEAD + "score: levenshtein | §", "Score"),
        (HEAD + "score: sides(reference=words | §", "List[Text]"),
        (PACK + "transforms:\n  cut: words | §\n", "List[Text]"),
        (PACK + "scorers:\n  near:\n    params: {t: 0.5}\n    score: words | §\n", "List[Text]"),
        (PACK + "parsers: {cut: words}\nscorers:\n  a: cut | §\n", "List[Text]"),
        (HEAD + "values: {v: record.a | words}\nfields:\n  f: {prediction: v | §}\n", "List[Text]"),
        (HEAD + "values: {v: record.a | words}\nfields:\n  f: {prediction: v, score: §}\n", "List[Text]"),
        (HEAD + "metrics: [§]\n", "Rows"),
        (HEAD + "aggregate: §\n", "Fields"),
        ('{"kind": "task", "name": "a", "score": "words | §"}', "List[Text]"),
        ('{"kind": "task", "name": "a", "score": ["words", "§"]}', "List[Text]"),
        (HEAD + "score: lower || words && §", "List[Text]"),
        (HEAD.replace("\n", "\r\n") + "score: words | §\r\nby: [a]\r\n", "List[Text]"),
        (HEAD + "doc: größer 😀\nscore: words | §", "List[Text]"),
    ],
)
def test_steps_before_the_cursor_give_the_type(text: str, kind: str) -> None:
    assert at(text).type == kind


def test_steps_before_a_mistake_are_kept_with_their_offsets() -> None:
    text = HEAD + "score: lower | nosuch( | words) | strip | map_items(words | "
    found = flow_at(text, "a.yaml", len(text))
    assert [(one.text, text[one.start : one.end]) for one in found.steps] == [("words", "words")]
    assert (found.callee, found.type) == ("map_items", "List[Text]")
    assert "NAME" in found.accepts


def test_names_in_scope_are_told_by_kind() -> None:
    text = PACK + "imports: {m: maths@1}\nvalues: {v: record.a}\nscorers:\n  near: {params: {t: 1}, score: §}\n"
    scope = dict(at(text).scope)
    assert "near" in scope["definitions"]
    assert "m.hendrycks" in scope["definitions"]
    assert (scope["values"], scope["parameters"], scope["packs"]) == (("v",), ("t",), ("m",))


@pytest.mark.parametrize(
    ("text", "kind", "name"),
    [
        (HEAD + "score: low§er | equal", "step", "lower"),
        (HEAD + "score: within(rela§tive=0.1)", "parameter", "relative"),
        (HEAD + "on_er§ror: zero", "key", "on_error"),
        (HEAD + "metrics: [pass_r§ate]", "metric", "pass_rate"),
        (PACK + "scorers:\n  own: equal\n  b: ow§n\n", "definition", "own"),
        (PACK + "scorers:\n  b: {params: {t: 1}, score: within(absolute=§t)}\n", "parameter", "t"),
        (HEAD + "values: {v: record.a}\nfields:\n  f: {prediction: §v, score: equal}\n", "value", "v"),
    ],
)
def test_what_stands_at_the_cursor_is_told(text: str, kind: str, name: str) -> None:
    standing = at(text).standing
    assert standing is not None
    assert (standing.kind, standing.name) == (kind, name)
    plain = text.replace("§", "")
    assert plain[standing.start : standing.end] == name


def test_a_comment_has_no_flow() -> None:
    assert at(HEAD + "score: equal # low§er\n") == FlowAt()


def test_facts_are_those_of_the_registry() -> None:
    """The generated file is up to date, so that no primitive has to be imported."""
    for primitive in registry:
        if primitive.is_own:
            known = (metric_facts() if primitive.kind == "metric" else step_facts())[primitive.name]
            assert (known.kind, known.inputs, known.output, known.summary) == (
                primitive.kind,
                primitive.inputs,
                primitive.output,
                primitive.doc.summary,
            )
            assert [one.name for one in known.params] == [one.name for one in fact_of(primitive).params]


def _ends(program: Program) -> list[tuple[int, str]]:
    """Where a program of transforms ends in its file, and what it gives."""
    return [] if program.span is None else [(program.span.end, str(program.output))]


def test_types_are_those_of_the_compiler() -> None:
    """At the end of each expression of the shipped recipes flows what the compiled program gives."""
    compared = 0
    for path in sorted((data_folder("specs") / "cookbook").glob("[a-d]*.yaml")):
        loader = Loader()
        task, _ = compile_task(loader.file(path), loader)
        text = path.read_text("utf-8")
        for program in task.parts.programs:
            span = program.span
            if span is None or Path(span.source.name) != path or program.form not in ("transform", "scorer"):
                continue
            end = span.end - (text[span.end - 1] in "\"'")
            written = text[:end] + " | " + text[end:]
            found = flow_at(written, path, end + 3)
            if found.role in ("scorer", "transform", "parse", "computed"):
                assert found.type == str(program.output), f"{path.name}: {span.text}"
                compared += 1
    assert compared >= 40


SPECS = sorted(path for path in data_folder("specs").glob("**/*.yaml") if path.stat().st_size < 6_000)


@settings(max_examples=60, deadline=None)
@given(
    st.sampled_from(SPECS),
    st.floats(0, 1),
    st.booleans(),
    st.sampled_from(["", "(", "'", '"', "[{", "| ", "\r\n- ", "😀"]),
)
def test_a_spec_that_is_cut_anywhere_gets_an_answer(path: Path, share: float, tail: bool, more: str) -> None:
    text = path.read_text("utf-8")
    offset = int(share * len(text))
    cut = text[:offset] + more + (text[offset + 5 :] if tail else "")
    place = offset + len(more)
    assert isinstance(flow_at(cut, path, place), FlowAt)
    for one in completions(cut, path, place):
        assert 0 <= one.start <= place <= one.end <= len(cut)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "[" * 5_000,
        "{a: " * 5_000,
        HEAD + "score: " + "f(" * 3_000,
        HEAD + "score: " + "lower | " * 5_000,
        HEAD + "score: " + "'" * 4_001,
        "- " * 3_000,
        "".join(" " * depth + f"k{depth}:\n" for depth in range(300)),
        PACK + "scorers:\n" + "".join(f"  d{n}: d{n + 1} | d{n + 1}\n" for n in range(60)) + "  x: d0 | ",
        PACK + "scorers: {a: b, b: a}\ntransforms: {x: a | ",
        HEAD + "values: {v: w | lower, w: v | lower}\nscore: v | ",
        "\ufeff" + HEAD + "score: lower | ",
        "\ue000" * 50 + HEAD,
        HEAD + "imports: {a: ../../../../etc/passwd, b: /dev/zero, c: nosuch@1, d: 'x@@'}\nscore: a.",
        "x" * 2_000_001,
    ],
)
def test_hostile_texts_get_an_answer(text: str) -> None:
    for offset in (len(text), len(text) // 2, -3, len(text) + 9):
        assert isinstance(flow_at(text, "a.yaml", offset), FlowAt)
        assert len(completions(text, "a.yaml", offset)) <= 1_000
