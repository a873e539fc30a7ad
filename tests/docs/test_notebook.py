"""The notebook of the documentation: each cell runs, in order, in one namespace, and shows what it says."""

from __future__ import annotations

import ast
import json
from collections.abc import Callable
from typing import Any

import pytest

from tests.support.golden import REPOSITORY

NOTEBOOK = json.loads((REPOSITORY / "docs" / "notebook.ipynb").read_text("utf-8"))


def shown(source: str, names: dict[str, Any]) -> Any:
    """Run a cell as a notebook does: its statements, and the value of the expression at its end."""
    tree = ast.parse(source)
    last = tree.body.pop() if isinstance(tree.body[-1], ast.Expr) else None
    exec(compile(tree, "<cell>", "exec"), names)
    if last is None:
        return None
    assert isinstance(last, ast.Expr)
    return eval(compile(ast.Expression(last.value), "<cell>", "eval"), names)


@pytest.fixture(scope="module")
def values() -> list[Any]:
    """What the cells of code show, in order."""
    names: dict[str, Any] = {}
    cells = [one for one in NOTEBOOK["cells"] if one["cell_type"] == "code"]
    return [shown("".join(one["source"]), names) for one in cells]


def html_of(value: Any) -> str:
    """What a notebook shows of a value that displays itself."""
    display: Callable[[], str | None] = value._repr_html_
    return display() or ""


def test_the_notebook_is_as_its_format_wants_it() -> None:
    assert (NOTEBOOK["nbformat"], NOTEBOOK["nbformat_minor"]) == (4, 5)
    assert len({one["id"] for one in NOTEBOOK["cells"]}) == len(NOTEBOOK["cells"])
    for one in NOTEBOOK["cells"]:
        assert one["cell_type"] == "markdown" or (one["outputs"], one["execution_count"]) == ([], None)


def test_every_cell_runs_and_shows_what_it_says(values: list[Any]) -> None:
    _, run, result, trace, explained, columns, scores, found, mended = values
    assert "pass_rate" in html_of(run)
    assert "vendor" in html_of(result)
    assert "1 with" in html_of(trace)
    assert "more below" in html_of(explained)
    assert "3 answers" in html_of(columns)
    assert len(scores) == 3
    assert "nothing is called `lowr`" in found[0]
    assert mended == "kind: task\nname: x\nscore: lower | equal\n"
