"""Vectors of CodeBLEU's official code, which runs here; nothing of it is kept but what it gave.

`python -m tests.parity.code_vectors codebleu` prints those of `tests/parity/data/codebleu.jsonl`, with the folder
`Code-Code/code-to-code-trans/evaluator/CodeBLEU` of microsoft/CodeXGLUE on the path and the extra `code` installed. Its
grammars are of 2020, in a library that today's tree-sitter refuses, so today's grammars stand in for them.
"""

from __future__ import annotations

import contextlib
import io
import json
import sys
import types
from collections.abc import Callable, Iterator
from importlib import import_module
from importlib.metadata import version
from pathlib import Path
from random import Random
from typing import Any

Row = dict[str, Any]
COMMIT = "ac74a62802a0"
NAMES = ["a", "b", "total", "items", "x", "größe"]


class Ordered(dict[Any, None]):
    """A set in the order in which it was made: the official code numbers variables in the order of sets of texts."""

    def __init__(self, items: Any = ()) -> None:
        super().__init__(dict.fromkeys(items))

    def add(self, item: Any) -> None:
        self[item] = None


class Node:
    """A node of today's tree-sitter with what the official code asks of one."""

    def __init__(self, node: Any) -> None:
        self.type, self.start_point, self.end_point = node.type, tuple(node.start_point), tuple(node.end_point)
        self.node, self.children = node, [Node(child) for child in node.children]

    def child_by_field_name(self, name: str) -> Node | None:
        found = self.node.child_by_field_name(name)
        return None if found is None else next(one for one in self.children if one.node == found)

    def sexp(self) -> str:
        return str(self.node)


class Parser:
    """A parser of today's tree-sitter that is called as the one of 2020."""

    def set_language(self, name: str) -> None:
        library, grammar = import_module("tree_sitter"), import_module(f"tree_sitter_{name}")
        self.parser = library.Parser(library.Language(grammar.language()))

    def parse(self, code: bytes) -> Any:
        return types.SimpleNamespace(root_node=Node(self.parser.parse(code).root_node))


def official() -> Callable[[list[str], list[list[str]], str], list[float]]:
    """Return a function that gives the four figures of the official code for programs, their references and a
    language."""
    library = import_module("tree_sitter")
    sys.modules["tree_sitter"] = types.ModuleType("tree_sitter")
    vars(sys.modules["tree_sitter"]).update(Parser=Parser, Language=lambda _, name: name)
    bleu, weighted, syntax, flow = (
        import_module(name) for name in ("bleu", "weighted_ngram_match", "syntax_match", "dataflow_match")
    )
    vars(flow)["set"] = vars(import_module("parser.DFG"))["set"] = Ordered
    sys.modules["tree_sitter"] = library
    folder = Path(str(bleu.__file__)).parent / "keywords"

    def figures(texts: list[str], references: list[list[str]], language: str) -> list[float]:
        texts = [text.strip() for text in texts]
        references = [[text.strip() for text in some] for some in references]
        keywords = [line.strip() for line in (folder / f"{language}.txt").read_text("utf-8").splitlines()]
        words, others = [text.split() for text in texts], [[text.split() for text in some] for some in references]
        weights = [[[one, {word: 1 if word in keywords else 0.2 for word in one}] for one in some] for some in others]
        with contextlib.redirect_stdout(io.StringIO()):  # a warning of references without flows
            flows = flow.corpus_dataflow_match(references, texts, language)
        return [
            float(bleu.corpus_bleu(others, words)),
            float(weighted.corpus_bleu(weights, words)),
            syntax.corpus_syntax_match(references, texts, language),
            flows,
        ]

    return figures


HEADER = {"official": f"microsoft/CodeXGLUE@{COMMIT} Code-Code/code-to-code-trans/evaluator/CodeBLEU/calc_code_bleu.py"}


def _note() -> str:
    grammars = ", ".join(f"{name} {version(name)}" for name in ("tree-sitter-java", "tree-sitter-python"))
    return f"with {grammars} for its grammars of 2020, and sets of names in the order in which they were made"


def codebleu() -> Iterator[Row]:
    """Yield programs with the four figures of the official code: n-grams, weighted n-grams, syntax and flow."""
    yield {**HEADER, "note": _note()}
    figures = official()
    for language, said, references in probes(Random(53)):
        found = figures([said], [references], language)
        yield {"language": language, "prediction": said, "references": references, "figures": found}


def codebleu_sets() -> Iterator[Row]:
    """Yield sets of programs in Java, each on one line as the official code reads them, with their CodeBLEU: what is in
    `tests/parity/recipes/codebleu.jsonl`.
    """
    told = f"{_note()}; one program on each line, so that `//` removes what follows it"
    yield {"official": f"{HEADER['official']}::main", "per": "set", "tolerance": 1e-09, "note": told}
    draw, figures, odd = Random(59), official(), [(said, right) for language, said, right in ODD if language == "java"]
    for at in range(64):
        pairs = [odd[at % len(odd)]] if at < len(odd) else []
        for _ in range(draw.randint(1, 4)):
            right = "\n".join(java(draw, draw.randint(0, 2), 0))
            pairs.append((changed(draw, right), right))
        sides = [[" ".join(text.split("\n")) for text in side] for side in zip(*pairs, strict=True)]
        found = figures(sides[0], [[text] for text in sides[1]], "java")
        records = [{"response": said, "reference": right} for said, right in zip(*sides, strict=True)]
        yield {"records": records, "figures": {"codebleu": sum(found) / 4}}


def probes(draw: Random) -> Iterator[tuple[str, str, list[str]]]:
    """Yield programs, odd ones first, each with its language and its references."""
    for language, said, right in ODD:
        yield language, said, [right]
        yield language, right or "x", [said or "y", right or "z"]
    for language, write in (("python", python), ("java", java)):
        for _ in range(60):
            texts = ["\n".join(write(draw, draw.randint(0, 2), 0)) for _ in range(draw.choice([1, 1, 2]))]
            if language == "java":
                texts = [f"class A {{ int f ( int a , int b ) {{\n{text}\nreturn a ; }} }}" for text in texts]
            yield language, changed(draw, draw.choice(texts)), texts


ODD = [
    ("python", "", "x = 1"),
    ("python", "x = 1", ""),
    ("python", "def f(a, b=1, *c, d: int = 2, **e):\n    return a + b + d", "def f(a, b=2):\n    return a + b"),
    ("python", "a = b // c\nd = a", "a = b // d\nd = c"),
    ("python", "x = 'a' # one /* two */\ny = \"//\"", 'x = "it\'s" /* y */\ny = 2 // 3'),
    ("python", "größe = 1\nwert = größe + größe", "größe = 1; wert = größe"),
    ("python", "(a", ")"),
    ("python", "if a:\n  b = 1\nelif c:\n  b = 2\nelse:\n  b = 3\nd = b", "if a:\n  b = 1\nelse:\n  b = 3\nd = b"),
    ("python", "a, b = b, a\nc = d = a\na += b", "a, b = f(b, a)\na: int = 3\na: str"),
    ("python", "x = [i * j for i in a for j in i if j]\ny = {k: v for k, v in x}", "x = [i for i in a]"),
    ("python", "for i, j in a, b:\n    c = i\n    i = c\nelse:\n    d = j", "for i in a:\n    c = i\n    a = c + i"),
    ("python", "while a < b:\n    a = a + b\n    b = a - c", "while a:\n    b = a"),
    ("python", "class A:\n    '''doc'''\n    def f(self):\n        self.x = lambda y, z=1: y + z", "def f(): pass"),
    ("python", "/* never closed\nx = 'open\ny = \"", "x = /* a */ 1"),
    ("java", "", "int a = 1;"),
    ("java", "int a = 1;", ""),
    ("java", "int a = b, c; a = c = b + 1; a++; --c; a += b;", "int a = 1; int c; c = a; a++;"),
    ("java", "if (a > 0) b = 1; else if (a < 0) b = 2; else { b = 3; } c = b;", "if (a > 0) { b = 1; } c = b;"),
    ("java", "for (int i = 0; i < n; i++) { s += i; t = s; }", "for (i = 0; i < n; i++) s = s + i;"),
    ("java", "for (int v : values) { s = s + v; v = s; }", "for (String v : values) s = v;"),
    ("java", "while (a < b) { a = a + c; c = a; } do { a--; } while (a > 0);", "while (a < b) a = b;"),
    ("java", "/* one */ int a = 1; // two\nString s = \"// three\"; char c = '\\'';", 'int a = 1; String s = "";'),
    ("java", "int größe = 1; int wert = größe + größe;", "int größe = 1; int wert = größe;"),
    ("java", "class A { int f ( { ", "} ) int"),
    ("java", "int[] a = {b, c, d}; a[i] = a[j] + b; f(a).x = y;", "int[] a = {b, c}; a[i] = b;"),
    (
        "java",
        "try { a = b; } catch (E e) { c = e; } finally { d = a; } switch (a) { case 1: b = a; }",
        "a = b ? c : d;",
    ),
]


def python(draw: Random, depth: int, indent: int) -> list[str]:
    """Return the lines of a program in Python."""
    lines, margin = [], "    " * indent
    for _ in range(draw.randint(1, 4)):
        one, other, third = draw.choices(NAMES, k=3)
        kind = draw.choice(
            ["=", "=", "+=", "pair", "call", "list"] if depth == 0 else ["if", "for", "while", "def", "="]
        )
        simple = {
            "=": f"{one} = {other} + {third}", "+=": f"{one} += {other} * 2",
            "pair": f"{one}, {other} = {third}, {one}",
            "call": f"print ( {one} , {other} )", "list": f"{one} = [ {third} for {third} in {other} if {third} > 1 ]",
        }  # fmt: skip
        begin = {
            "if": f"if {one} > {other} :", "for": f"for {one} in {other} :", "while": f"while {one} < {other} :",
            "def": f"def f ( {one} , {other} = {third} ) :",
        }  # fmt: skip
        if kind in simple:
            lines.append(margin + simple[kind])
            continue
        lines += [margin + begin[kind], *python(draw, depth - 1, indent + 1)]
        if kind == "if" and draw.random() < 0.5:
            lines += [margin + draw.choice(["else :", f"elif {third} :"]), *python(draw, depth - 1, indent + 1)]
    return lines


def java(draw: Random, depth: int, _: int) -> list[str]:
    """Return the lines of statements in Java."""
    lines = []
    for _ in range(draw.randint(1, 4)):
        one, other, third = draw.choices(NAMES, k=3)
        kind = draw.choice(["int", "=", "+=", "++", "call"] if depth == 0 else ["if", "for", "each", "while", "int"])
        simple = {
            "int": f"int {one} = {other} + {third} ;", "=": f"{one} = {other} - {third} ;", "+=": f"{one} += {other} ;",
            "++": f"{one} ++ ;", "call": f"f ( {one} , {other} ) ; // {third}",
        }  # fmt: skip
        begin = {
            "if": f"if ( {one} > {other} ) {{", "for": f"for ( int {one} = 0 ; {one} < {other} ; {one} ++ ) {{",
            "each": f"for ( int {one} : {other} ) {{", "while": f"while ( {one} < {other} ) {{",
        }  # fmt: skip
        if kind in simple:
            lines.append(simple[kind])
            continue
        lines += [begin[kind], *java(draw, depth - 1, 0), "}"]
        if kind == "if" and draw.random() < 0.5:
            lines += ["else {", *java(draw, depth - 1, 0), "}"]
    return lines


def changed(draw: Random, text: str) -> str:
    """Return a program with some of its names, words and lines changed."""
    lines = text.split("\n")
    for _ in range(draw.randint(0, 3)):
        at = draw.randrange(len(lines))
        words = lines[at].split(" ")
        words[draw.randrange(len(words))] = draw.choice([*NAMES, "+", "1", "( ", "return", "if"])
        lines[at] = draw.choice([" ".join(words), lines[at], draw.choice(lines)])
    return "\n".join(lines)


MAKERS: dict[str, Callable[[], Iterator[Row]]] = {"codebleu": codebleu}
SETS: dict[str, Callable[[], Iterator[Row]]] = {"codebleu_sets": codebleu_sets}
"""The maker of the probes of the recipe."""

if __name__ == "__main__":
    for row in {**MAKERS, **SETS}[sys.argv[1]]():
        print(json.dumps(row, ensure_ascii=False))
