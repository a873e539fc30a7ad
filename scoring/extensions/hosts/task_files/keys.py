"""The keys of `eval.yaml`, and what stands under each; a key or a value of another kind is a finding.

Source:
    UK AI Security Institute, Inspect 0.3.285: the models of inspect_ai/_eval/task/hf.py, and the parameters of scorers.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from msgspec import Struct

from scoring.diagnostics.diagnostic import Diagnostics
from scoring.diagnostics.suggest import did_you_mean
from scoring.diagnostics.words import listed, shown
from scoring.format.nodes import SpecNode


class KeyKind(Struct, frozen=True):
    """What stands under a key.

    Args:
        words: What it is, in words for a message.
        kinds: The kinds of value, of `text`, `boolean`, `number`, `list`, `texts`, `mapping` and `nothing`.
        one_of: The texts that it may be; any if there are none.
        pattern: The pattern that its text has.
        is_needed: Whether the key has to be there.
        refused: Why the key can't stand in a file, if it is one that only code can give.
    """

    words: str
    kinds: tuple[str, ...]
    one_of: tuple[str, ...] = ()
    pattern: str = ""
    is_needed: bool = False
    refused: str = ""


def check_keys(node: SpecNode, table: Mapping[str, KeyKind], found: Diagnostics, where: str) -> None:
    """Add a finding for each key of a mapping that is unknown, missing, or has a value of another kind.

    Args:
        node: The mapping.
        table: What stands under each key.
        found: The findings, to which those are added.
        where: What the mapping is, in words.
    """
    if not node.is_mapping:
        found.error("wrong-type", f"{where} is {node.kind}, and should be a mapping", node.span)
        return
    for key, value in node.entries.items():
        kind = table.get(key)
        if kind is None:
            near = did_you_mean(key, table)
            advice = [*([near] if near else []), f"it may have {listed(table, 'and')}; take {shown(key)} out"]
            found.error(
                "unknown-key", f"unknown key {shown(key)} in {where}", value.key_span or value.span, help=advice
            )
        elif kind.refused:
            found.error("bad-value", f"`{key}` can't be converted: {kind.refused}", value.key_span or value.span)
        elif not any(_is(value, one) for one in kind.kinds) or not _fits(value, kind):
            message = f"`{key}` of {where} is {kind.words}, not {_said(value)}"
            found.error("wrong-type" if not kind.one_of else "unknown-value", message, value.span)
    for key, kind in table.items():
        if kind.is_needed and key not in node:
            found.error("missing-key", f"{where} has no `{key}`", node.span, help=f"write `{key}`: {kind.words}")


def _said(node: SpecNode) -> str:
    return shown(str(node.value)) if node.is_text else node.kind


def _is(node: SpecNode, kind: str) -> bool:
    value = node.value
    if kind == "texts":
        return node.is_list and bool(node.items) and all(one.is_text for one in node.items)
    if kind == "number":
        return isinstance(value, int | float) and not isinstance(value, bool)
    if kind == "count":
        return isinstance(value, int) and not isinstance(value, bool) and value >= 1
    if kind == "list":
        return node.is_list and bool(node.items)
    plain: Mapping[str, bool] = {
        "text": node.is_text,
        "boolean": isinstance(value, bool),
        "mapping": node.is_mapping,
        "nothing": value is None,
    }
    return plain[kind]


def _fits(node: SpecNode, kind: KeyKind) -> bool:
    if not node.is_text:
        return True
    text = str(node.value)
    return (not kind.one_of or text in kind.one_of) and re.fullmatch(kind.pattern or r"(?s).*", text) is not None


def _text(words: str, *, is_needed: bool = False) -> KeyKind:
    return KeyKind(words, ("text",), is_needed=is_needed)


def _word(*words: str, is_needed: bool = False) -> KeyKind:
    return KeyKind(listed(words), ("text",), words, is_needed=is_needed)


_YES_NO = KeyKind("true or false", ("boolean",))
_MAYBE = KeyKind("true or false", ("boolean", "nothing"))
_CODE = "only code can give a function; score with a pipeline of your own in the spec"

FILE = {
    "name": _text("the name of the benchmark"),
    "description": _text("what it measures"),
    "evaluation_framework": _text("the framework that runs it"),
    "tasks": KeyKind("a list of tasks", ("list",), is_needed=True),
}
"""The keys of the file."""
TASK = {
    "id": KeyKind("a name of letters, digits and any of `._-/`", ("text",), pattern=r"[A-Za-z0-9][\w./-]{0,99}"),
    "config": _text("the configuration of the data set"),
    "split": _text("the split of the data set"),
    "field_spec": KeyKind("a mapping", ("mapping",), is_needed=True),
    "shuffle_choices": _MAYBE,
    "epochs": KeyKind("a whole number of at least 1", ("count",)),
    "epoch_reducer": KeyKind(
        "pass_at_K, at_least_K, max, mode, median or mean",
        ("text", "nothing"),
        pattern=r"(pass_at_\d+|at_least_\d+|max|mode|median|mean)",
    ),
    "solvers": KeyKind("a list of at least one", ("list",), is_needed=True),
    "scorers": KeyKind("a list of at least one", ("list",), is_needed=True),
}
"""The keys of a task."""
_COLUMN = _text("the name of a column")
FIELD_SPEC = {
    "input": _COLUMN,
    "target": _text("the name of a column, or `literal:` and a text"),
    "choices": KeyKind("the name of a column, or a list of such names", ("text", "texts", "nothing")),
    "id": _COLUMN,
    "metadata": KeyKind("a list of names of columns", ("texts", "nothing")),
    "sandbox": _COLUMN,
    "files": _COLUMN,
    "setup": _COLUMN,
    "checkpoint": KeyKind("the name of a column", ("text", "nothing")),
    "description": KeyKind("the name of a column", ("text", "nothing")),
    "input_image": KeyKind("the name of a column", ("text", "nothing")),
}
"""The keys of `field_spec`."""
SOLVER = {"name": _text("a name", is_needed=True), "args": KeyKind("a mapping", ("mapping",))}
"""The keys of a solver."""
SCORER = SOLVER
"""The keys of a scorer."""
SOLVERS = (
    "prompt_template",
    "system_message",
    "user_message",
    "chain_of_thought",
    "use_tools",
    "generate",
    "self_critique",
    "multiple_choice",
)
"""The solvers that Inspect takes in such a file."""
_TEXT_OR_NOTHING = KeyKind("a text", ("text", "nothing"))
_GRADED = {
    "template": _TEXT_OR_NOTHING,
    "instructions": _TEXT_OR_NOTHING,
    "grade_pattern": _TEXT_OR_NOTHING,
    "include_history": _YES_NO,
    "partial_credit": _YES_NO,
    "model": KeyKind("the name of a model, or a list of such names", ("text", "texts", "nothing")),
    "model_role": _TEXT_OR_NOTHING,
    "reducer": _text("the name of a reducer"),
}
ARGUMENTS: Mapping[str, Mapping[str, KeyKind]] = {
    "includes": {"ignore_case": _YES_NO},
    "match": {"location": _word("begin", "end", "any", "exact"), "ignore_case": _YES_NO, "numeric": _YES_NO},
    "pattern": {"pattern": _text("a pattern", is_needed=True), "ignore_case": _YES_NO, "match_all": _YES_NO},
    "answer": {"pattern": _word("letter", "word", "line", is_needed=True)},
    "exact": {},
    "f1": {
        "stop_words": KeyKind("a list of words", ("texts", "nothing")),
        "answer_fn": KeyKind("a function", (), refused=_CODE),
    },
    "model_graded_qa": _GRADED,
    "model_graded_fact": _GRADED,
    "choice": {},
    "math": {"timeout": KeyKind("a number of seconds", ("number",))},
}
"""The arguments of each scorer that Inspect takes in such a file."""
