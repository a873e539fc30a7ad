"""Every syntax error of the language has a page, whose failing example gives that error and whose mended one none."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import scoring.diagnostics
from scoring.diagnostics.diagnostic import Diagnostic, SpecError
from scoring.diagnostics.source import Source
from scoring.format.nodes import SpecNode
from scoring.format.read_yaml import read_yaml
from scoring.lang.from_data import from_data
from scoring.lang.parser import parse_formula

LANG = Path(scoring.diagnostics.__file__).parents[1] / "lang"
CATALOG = LANG.parent / "diagnostics" / "catalog"
EXAMPLE = re.compile(r"^```yaml (bad|good)\n(.*?)^```$", re.DOTALL | re.MULTILINE)


def raised_ids() -> list[str]:
    texts = (path.read_text(encoding="utf-8") for path in LANG.glob("*.py"))
    return sorted({found for text in texts for found in re.findall(r'"(syntax-[a-z-]+)"', text)})


def findings(text: str) -> list[Diagnostic]:
    spec = read_yaml(Source("task.yaml", text))
    found: list[Diagnostic] = []
    for key, node in [*spec["fields"].entries.items(), *spec.entries.items()]:
        try:
            read(key, node, spec)
        except SpecError as error:
            found += error.diagnostics
    return found


def read(key: str, node: SpecNode, spec: SpecNode) -> None:
    if key in ("aggregate", "pass"):
        parse_formula(node.fragment())
    elif key in spec["fields"]:
        from_data(node, lambda _, parameter: parameter in (0, "default", "Str"))


@pytest.mark.parametrize("finding", raised_ids())
def test_page(finding: str) -> None:
    page = (CATALOG / f"{finding}.md").read_text(encoding="utf-8")
    assert page.startswith(f"# {finding}\n")
    examples = dict(EXAMPLE.findall(page))
    assert {found.id for found in findings(examples["bad"])} == {finding}
    assert findings(examples["good"]) == []
