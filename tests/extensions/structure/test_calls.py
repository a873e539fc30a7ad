"""Function calls in responses: what is read out of the many forms that models write, and what is refused."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import scoring
from scoring.extensions.structure.calls import function_calls
from scoring.result import Unparsed
from tests.support.cost import grows_with_the_length

CALL = [{"name": "f", "arguments": {"a": 1}}]


@pytest.mark.parametrize(
    "response",
    [
        "f(a=1)",
        "[f(a=1)]",
        " `f(a=1)`\n",
        "```python\n[f(a=1)]\n```",
        "I call it.\n[f(a=1)]\nDone.",
        "Here it is: [f(a=1)]",
        "<tool_call>f(a=1)</tool_call>",
        '{"name": "f", "arguments": {"a": 1}}',
        '{"name": "f", "parameters": {"a": 1}}',
        '[{"name": "f", "arguments": "{\\"a\\": 1}"}]',
        '[{"function": "f", "parameters": {"a": 1}}]',
        '{"f": {"a": 1}}',
        '```json\n{"name": "f", "arguments": {"a": 1}}\n```',
        'I use {"name": "f", "arguments": {"a": 1}} for it.',
        '<tool_call>\n{"name": "f", "arguments": {"a": 1}}\n</tool_call>',
        {"tool_calls": [{"type": "function", "id": "1", "function": {"name": "f", "arguments": '{"a": 1}'}}]},
        {"content": [{"type": "text", "text": "So"}, {"type": "tool_use", "id": "1", "name": "f", "input": {"a": 1}}]},
        [{"functionCall": {"name": "f", "args": {"a": 1}}}],
        [{"tool_name": "f", "parameters": {"a": 1}}],
        [{"f": '{"a": 1}'}],
    ],
)
def test_one_call_is_read_from_each_form(response: Any) -> None:
    assert function_calls(response) == CALL


@pytest.mark.parametrize(
    "response", ["", "No call is needed.", "[1, 2]", "{}", 3, None, {"content": "text"}, [CALL, 1]]
)
def test_what_holds_no_call_is_unparsed(response: Any) -> None:
    with pytest.raises(Unparsed):
        function_calls(response)


def test_arguments_in_the_wrong_order_are_named_in_our_words() -> None:
    with pytest.raises(Unparsed, match="an argument without a name follows one with a name"):
        function_calls("[f(city='Suva', 2)]")


@pytest.mark.parametrize("response", ["[]", [], {"tool_calls": []}])
def test_a_list_without_calls_is_an_answer(response: Any) -> None:
    assert function_calls(response) == []


@pytest.mark.parametrize(
    ("written", "value"),
    [
        ("-1.5e3", -1500.0),
        ("'a' + \"b\"", "ab"),
        ("[0] * 3", [0, 0, 0]),
        ("7 // 2 + 2 ** 3", 11),
        ("true", "true"),
        ("None", None),
        ("(1, [2])", (1, [2])),
        ("x[0]", "x[0]"),
        ("now()", "now()"),
        ("now(z=1)", {"now": {"z": 1}}),
        ("{'k': v}", {"k": "v"}),
        ("...", "..."),
        ("'it\\'s'", "it's"),
        ("'日本 é'", "日本 é"),
        ("'1'", "1"),
    ],
)
def test_arguments_are_read_without_being_run(written: str, value: Any) -> None:
    assert function_calls(f"f(a={written})") == [{"name": "f", "arguments": {"a": value}}]


@pytest.mark.parametrize(
    "written", ["1 / 0", "len(x)['a'].b", "lambda: 1", "[i for i in x]", "1 if x else 2", "f'{x}'", "b'x'", "2j", "-x"]
)
def test_an_argument_that_would_have_to_be_run_is_refused(written: str) -> None:
    with pytest.raises(Unparsed, match="no function call"):
        function_calls(f"f(a={written})")


def test_settings_change_signs_and_arguments_without_a_name() -> None:
    kept = [{"name": "f", "arguments": {"a": 5}, "positional": [1]}]
    assert function_calls("f(1, a=+5)") == kept
    assert function_calls("f(1, a=+5)", positional="dropped", signs="minus") == [{"name": "f", "arguments": {"a": -5}}]
    assert function_calls("x: [f(a=1)]") == CALL
    with pytest.raises(Unparsed):
        function_calls("x: [f(a=1)]", prose="refused")
    with pytest.raises(Unparsed):
        function_calls("f(a=1)", notation="json")
    with pytest.raises(Unparsed):
        function_calls('{"name": "f", "arguments": {}}', notation="python")


@pytest.mark.parametrize(
    "text",
    [
        "f(a=" + "-" * 99_000 + "1)",
        "f(a=" + "[" * 99_000,
        "f(a=" + "1+" * 49_000 + "1)",
        "a." * 49_000 + "f(x=1)",
        "f(a=[[0]*9999]*9999)",
        "f(a=9**9**9**9)",
        "f(a='x'*10**9)",
        "f(a=" + "{_:" * 190,
        "<tool_call></tool_call>" * 80_000,
        "<tool_call>" * 180_000,
        "[{" * 900_000,
        "`" * 1_900_000,
        "f(é" + "\u0301" * 90_000 + "=1)",
    ],
    ids=lambda text: repr(text[:12]),
)
def test_hostile_texts_take_no_long_time(text: str) -> None:
    grows_with_the_length(function_calls, text, freely=1.0)


PLAIN = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)
NAMES = st.from_regex(r"[a-z_]{1,8}", fullmatch=True)


@pytest.mark.property
@given(st.lists(st.tuples(NAMES, st.dictionaries(NAMES, PLAIN, max_size=3)), min_size=1, max_size=3))
def test_what_python_prints_is_read_back(calls: list[tuple[str, dict[str, Any]]]) -> None:
    calls = [(f"f_{name}", {f"x_{key}": value for key, value in given.items()}) for name, given in calls]
    text = ", ".join(
        f"{name}({', '.join(f'{key}={value!r}' for key, value in given.items())})" for name, given in calls
    )
    assert function_calls(f"[{text}]") == [{"name": name, "arguments": given} for name, given in calls]


def test_a_task_reads_calls_with_it() -> None:
    task = scoring.load(
        {"kind": "task", "name": "calls", "parse": "function_calls", "score": "equal", "on_unparsed": "zero"}
    )
    assert task.score_parts("Here: [f(a=1)]", CALL).score == 1
    assert task.score_parts("[f(a=True)]", CALL).score == 0
    unread = task.score_parts("I can't.", CALL)
    assert (unread.score, unread.status) == (0, "unparsed")
