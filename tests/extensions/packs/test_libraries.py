"""Which libraries stand behind definitions of packs."""

from __future__ import annotations

from tests.unit.compiler.test_signature import made_of


def test_libraries_stand_behind_definitions_and_processes() -> None:
    assert {"rapidfuzz", "text-unidecode"} <= set(made_of("megabench-upstream@1:near_str_match").libraries())
    assert "jieba" in made_of("megabench-upstream@1:gleu_cn").libraries()
    assert {"sympy", "antlr4-python3-runtime"} <= set(made_of("megabench@1:latex_expr_equality").libraries())
