"""Programs by their test cases: outputs, calls, asserts, languages, files and patches."""

from __future__ import annotations

import contextlib
import shutil
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import scoring
from scoring.extensions.sandbox.crossing import Uncrossable, made_from, made_of
from scoring.extensions.sandbox.languages import LANGUAGES, language_version
from scoring.extensions.sandbox.primitives.cases import PRINTED, OutputRule, floats_alike, same_values
from scoring.extensions.sandbox.primitives.patches import apply_patch
from scoring.extensions.sandbox.primitives.programs import run_asserts, run_tests
from scoring.result import Unparsed, Unscored

pytestmark = pytest.mark.skipif(shutil.which("bwrap") is None, reason="bubblewrap is not installed")


@pytest.mark.parametrize(
    ("printed", "expected", "alike"),
    [
        ("1 2\n", "1 2\n", "lines exact tokens floats decimals loose"),
        ("1 2", "1 2\n", "lines tokens floats decimals loose"),
        (" 1 2", "1 2", "tokens floats decimals loose"),
        ("1\n2", "1 2", "tokens floats"),
        ("1.0 2", "1 2.00", "floats decimals loose"),
        ("0.3333333", "0.33333334", "floats loose"),
        ("0.33", "0.3333", ""),
        ("b a", "a b", "loose"),
        ("2\n1", "1\n2", "loose"),
        ("50000000000000001", "50000000000000000", "floats loose"),
        ("yes", "no", ""),
        ("", "", "lines exact tokens floats decimals loose"),
        ("nan", "nan", "lines exact tokens floats decimals loose"),
        ("inf", "1e999", "floats loose"),
        ("sNaN 1", "sNaN 2", "loose"),
        ("1\n\n2", "1\n2", "tokens floats loose"),
        ("¹", "1", ""),
        ("٣", "3", "floats decimals loose"),
    ],
)
def test_when_outputs_are_alike(printed: str, expected: str, alike: str) -> None:
    rules: dict[OutputRule, Any] = {**PRINTED, "floats": floats_alike}
    if printed == "sNaN 1":
        alike = ""
    found = {name for name, rule in rules.items() if rule(printed, expected)}
    assert found == set(alike.split()), found


@given(st.text(), st.text(), st.sampled_from([*PRINTED.values(), floats_alike]))
def test_any_two_outputs_can_be_compared(printed: str, expected: str, rule: Any) -> None:
    assert rule(printed, expected) in (True, False)


@pytest.mark.parametrize(
    ("found", "expected", "strict", "loose"),
    [
        ([1, 2], [1, 2], True, True),
        ((1, 2), [1, 2], True, True),
        ([(1, 2)], [[1, 2]], False, False),
        ([(1, 2)], [[[1, 2]]], False, True),
        (3, [3], False, True),
        ([], [], True, True),
        ({1: "a"}, {"1": "a"}, False, True),
        ([{1: "a"}], {"1": "a"}, False, True),
        (True, 1, True, True),
        (None, None, True, True),
        (1.5, "1.5", False, False),
    ],
)
def test_when_values_are_the_same(found: Any, expected: Any, strict: bool, loose: bool) -> None:
    assert same_values(found, expected, loose=False) is strict
    assert same_values(found, expected, loose=True) is loose


_LEAVES = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text() | st.binary()
_PLAIN = st.recursive(
    _LEAVES | st.complex_numbers(allow_nan=False) | st.frozensets(st.integers()) | st.sets(st.text()),
    lambda inner: st.lists(inner) | st.tuples(inner, inner) | st.dictionaries(st.text() | st.integers(), inner),
    max_leaves=20,
)


@given(_PLAIN)
def test_values_cross_as_they_are(value: Any) -> None:
    crossed = made_from(made_of(value, repr))
    assert crossed == value
    assert repr(type(crossed)) == repr(type(value))


_WORDS = st.sampled_from(["list", "made", "dict", "int", "object", "complex", "bytes"])


@given(st.recursive(st.none() | _WORDS | st.integers(), lambda inner: st.lists(inner) | st.dictionaries(_WORDS, inner)))
def test_what_is_no_value_is_refused(data: Any) -> None:
    with contextlib.suppress(Uncrossable):
        made_from(data)


CALLS: list[tuple[str, Any, Any, float]] = [
    ("def f(a, b): return a + b", [1, 2], 3, 1.0),
    ("def f(a, b): return a + b", '"a"\n"ü"', '"aü"', 1.0),
    ("def f(): return (1, 2)", [], [1, 2], 1.0),
    ("class Solution:\n    def f(self, n): return n * 2", "21", "42", 1.0),
    ("def f(n): return n", "21", "42", 0.0),
    ("f = 3", [], 3, 0.0),
    ("def g(): return 1", [], 1, 0.0),
    ("def f(): print('x' * 10 ** 7); return 1", [], 1, 1.0),
    ("def f(): return open('x')", [], 1, 0.0),
    ("import os\ndef f(): os._exit(0)", [], None, 0.0),
    ("def f(x): x.append(1); return x", [[]], [1], 1.0),
]


@pytest.mark.parametrize(("program", "arguments", "expected", "score"), CALLS)
def test_a_function_is_called_by_its_name(program: str, arguments: Any, expected: Any, score: float) -> None:
    cases = {"input": arguments, "expected": expected}
    assert run_tests(program, None, cases=cases, entry_point="f", owner="Solution") == score


def test_cases_have_several_forms() -> None:
    program = "print(int(input()) ** 2)"
    for cases in (
        [{"input": "2", "expected": "4"}, {"input": "3", "output": "8"}],
        {"inputs": ["2", "3"], "outputs": ["4", "8"]},
        '{"inputs": ["2", "3"], "outputs": ["4", "8"]}',
    ):
        assert run_tests(program, None, cases=cases) == 0.5
        assert run_tests(program, None, cases=cases, join="all") == 0.0


@pytest.mark.parametrize(
    ("cases", "said"),
    [
        ([], "there are no test cases"),
        ("[", "not JSON"),
        ("[" * 100_000, "not JSON"),
        ({"inputs": ["1"], "outputs": []}, "lists of one length"),
        ([{"input": "1"}], "needs an `expected` text"),
        (3, "one mapping or a list"),
    ],
)
def test_cases_that_are_none_leave_a_record_unscored(cases: Any, said: str) -> None:
    with pytest.raises(Unscored, match=said):
        run_tests("print(1)", None, cases=cases)


def test_how_each_case_did_is_told() -> None:
    cases = [{"input": str(n), "expected": "1"} for n in range(3)]
    story = scoring.scorer("run_tests(cases=record.cases)").score("print(input())", None, record={"cases": cases})
    assert story.score == 1 / 3
    assert story.notes == {"cases": ["1: the output differs", "2: passed", "3: the output differs"]}
    assert story.reason == "case 1: the output differs"


DOUBLE = {
    "bash": "read x; echo $((x * 2))",
    "c": '#include <stdio.h>\nint main(void) { int x; scanf("%d", &x); printf("%d\\n", 2 * x); return 0; }',
    "cpp": "#include <iostream>\nint main() { int x; std::cin >> x; std::cout << 2 * x; }",
    "javascript": "console.log(2 * Number(require('fs').readFileSync(0, 'utf8')))",
    "lua": "print(2 * io.read('n'))",
    "perl": "print 2 * <STDIN>",
    "php": "<?php echo 2 * (int) fgets(STDIN);",
    "ruby": "puts 2 * gets.to_i",
}


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_program_may_be_in_another_language(language: str) -> None:
    cases = [{"input": "21\n", "expected": "42"}, {"input": "4\n", "expected": "9"}]
    scorer = scoring.scorer(f'run_tests(cases=record.cases, language="{language}", seconds=60.0)')
    found = scorer.score(DOUBLE[language], None, record={"cases": cases})
    version = language_version(language)
    assert version in scorer.signature.env
    if version.endswith("none"):
        assert found.status == "unscored"
        assert (
            found.reason
            == f"`{version.split()[0]}`, which runs such programs, is not installed below /usr, where a sandbox sees it"
        )
    else:
        assert found.score == 0.5, found
        assert scorer.score("((", None, record={"cases": cases}).score == 0.0


def test_a_missing_language_is_one_line_and_no_score(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("scoring.extensions.sandbox.languages._FOLDERS", "/nowhere")
    language_version.cache_clear()
    scorer = scoring.scorer('run_tests(cases=record.cases, language="perl")')
    found = scorer.score("print 1", None, record={"cases": {"input": "", "expected": "1"}})
    assert (found.status, found.score) == ("unscored", None)
    assert "`perl`" in str(found.reason)
    assert "\n" not in str(found.reason)
    assert "perl none" in scorer.signature.env
    language_version.cache_clear()


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ("tolerance=0.1", "`tolerance` is only for `floats`"),
        ('entry_point="f", language="perl"', "only in Python"),
        ('entry_point="f", compare="tokens"', "compared by themselves"),
        ('owner="Solution"', "there is none"),
        ('may_exit=true, language="perl"', "Python programs"),
        ('language="cobol"', "cobol"),
    ],
)
def test_settings_without_effect_are_refused(settings: str, said: str) -> None:
    with pytest.raises(scoring.SpecError, match=said):
        scoring.scorer(f"run_tests(cases=record.cases, {settings})")


def test_a_program_may_leave_where_that_is_allowed() -> None:
    case = {"input": "", "expected": "1"}
    for leaving in ("import sys\nprint(1)\nsys.exit(3)", "print(1)\nexit('done')", "print(1)\nraise SystemExit"):
        assert run_tests(leaving, None, cases=case, may_exit=True) == 1.0
    assert run_tests("import sys\nprint(1)\nsys.exit(3)", None, cases=case) == 0.0
    assert run_tests("print(1)\n1 / 0", None, cases=case, may_exit=True) == 0.0


ASSERTED: list[tuple[str, str, float | str]] = [
    ("def add(a, b): return a + b", "assert add(1, 2) == 3", 1.0),
    ("def sum(a, b): return a + b + 1", "assert sum(1, 2) == 4", 1.0),
    ("def abs(n): return 0\ndef f(n): return n", "assert abs(f(9) - 3) < 1", 0.0),
    ("import math\nmath.isclose = lambda *a: 1\ndef f(): return 9", "import math\nassert math.isclose(f(), 3)", 0.0),
    ("class math:\n    isclose = lambda *a: 1\ndef f(): return 9", "assert math.isclose(f(), 3)", 0.0),
    ("import math\ndef f(): return 9", "assert math.isclose(f(), 9)", 1.0),
    ("def f(): return 9", "assert math.isclose(f(), 9)", 0.0),
    ("from unittest.mock import _ANY as f", "assert f() == 3", 0.0),
    ("from unittest import mock\nf = mock._ANY\nf.__qualname__ = 'f'\nmock.f = f", "assert f() == 3", 0.0),
    ("import math\nf = math.sqrt\ng = math", "assert f(9) == 3 and g.floor(2.5) == 2", 1.0),
    ("def select(n): return n", "assert select(3) == 3", 1.0),
    ("def f(x): x.sort()", "a = [3, 1]\nf(a)\nassert a == [1, 3]", 1.0),
    ("def f(n): yield from range(n)", "assert list(f(3)) == [0, 1, 2] and 2 in f(3)", 1.0),
    ("class P:\n    def __init__(s, a): s.a = a\ndef f(p): return p.a", "p = P(1)\np.a = 5\nassert f(p) == 5", 1.0),
    ("class P:\n    pass\ndef f(): return P()", "assert isinstance(f(), P) and f() != 3", 1.0),
    ("class Bad(ValueError): pass\ndef f(): raise Bad(1)",
     "try:\n  f()\nexcept Bad as e:\n  assert str(e) == '1'", 1.0),
    ("def f(): raise KeyError(1)", "try:\n    f()\nexcept LookupError:\n    pass\nelse:\n    assert False", 1.0),
    ("def f(g, x): return g(g(x))", "assert f(lambda x: x + 1, 1) == 3", 1.0),
    ("def f(k): return isinstance(1, k)", "assert f(int)", 1.0),
    ("from math import *\nfrom collections import *", "assert isclose(sqrt(4), 2) and Counter('aa') == {'a': 2}", 1.0),
    ("from decimal import *\ndef f(): return Decimal('0.1')", "import decimal\nassert f() == Decimal('0.10')", 1.0),
    ("import re\ndef f(t): return re.match('a', t)", "assert f('b') is None and f('abc').span() == (0, 1)", 1.0),
    ("from collections import namedtuple as n\nP = n('P', 'a b')\ndef f(p): return P(p.b, p.a)",
     "assert f(P(1, 2)) == (2, 1) and f(P(1, 2)).a == 2 and f(f(P(1, 2))) == P(1, 2)", 1.0),
    ("import enum\nclass E(enum.IntEnum):\n    A = 3\ndef f(e): return isinstance(e, E)",
     "assert E.A == 3 and E.A.name == 'A' and f(E.A) and not f(3)", 1.0),
    ("def f(): return 10 ** 5000", "assert f() == 10 ** 5000", 1.0),
    ("def f(): return {1: (2.5, {'a'}), None: [b'x', 1j]}", "assert f() == {1: (2.5, {'a'}), None: [b'x', 1j]}", 1.0),
    ("def f(): return 1", "assert f( == 1", "the tests can't be run: SyntaxError"),
    ("def f(): return 1", " ", "none of which is empty"),
    ("def f(): return 1", "import os\nos._exit(0)", 0.0),
    ("'''", "assert True", 0.0),
    ("if True:", "assert True", 0.0),
]  # fmt: skip


@pytest.mark.parametrize(("program", "tests", "score"), ASSERTED)
def test_asserts_about_a_program(program: str, tests: str, score: float | str) -> None:
    if isinstance(score, str):
        with pytest.raises(Unscored, match=score):
            run_asserts(program, None, tests=tests)
    else:
        assert run_asserts(program, None, tests=tests) == score


def test_what_stands_before_a_program_is_part_of_it() -> None:
    settings: dict[str, Any] = {"tests": "def check(f): assert f(2) == 4", "entry_point": "double"}
    assert run_asserts("    return 2 * n", None, before="def double(n):\n", **settings) == 1.0
    assert run_asserts("return 2 * n", None, before="def double(n):\n", **settings) == 0.0


def test_an_answer_that_is_no_program_is_unparsed() -> None:
    for answer in (3, None, ["a"], True):
        with pytest.raises(Unparsed, match="a program is a text, or files"):
            run_asserts(answer, None, tests="assert True")


FILES = {
    "pkg/__init__.py": "",
    "pkg/area.py": "def area(w, h):\n    return w + h\n",
    "run.py": "from pkg.area import area\nprint(area(2, 3))\n",
}
PATCH = (
    "--- a/pkg/area.py\n+++ b/pkg/area.py\n@@ -1,2 +1,2 @@\n def area(w, h):\n-    return w + h\n+    return w * h\n"
)


def test_a_patched_tree_is_tested() -> None:
    asserted = scoring.scorer('apply_patch(files=record.files) | run_asserts(tests=record.tests, join="all")')
    tests = ["from pkg.area import area\nassert area(2, 3) == 6", "import pkg.area\nassert pkg.area.area(1, 1) == 1"]
    record = {"files": FILES, "tests": tests, "cases": {"input": "", "expected": "6"}}
    assert asserted.score(PATCH, None, record=record).score == 1.0
    printed = scoring.scorer('apply_patch(files=record.files) | run_tests(cases=record.cases, main="run.py")')
    assert printed.score(PATCH, None, record=record).score == 1.0
    assert printed.score(PATCH.replace("w * h", "w - h"), None, record=record).score == 0.0
    found = printed.score(PATCH.replace("w + h", "w / h"), None, record=record)
    assert (found.status, found.score) == ("unparsed", None)
    assert "part 1 (line 1) fits nowhere in `pkg/area.py`" in str(found.reason)


_PART = "@@ -1 +1 @@\n-1\n+2\n"
_NO_END = "\\ No newline at end of file\n"
APPLIED: list[tuple[dict[str, str], str, dict[str, str]]] = [
    ({"a": "1\n2\n3\n"}, "--- a\n+++ a\n@@ -2 +2 @@\n-2\n+two\n", {"a": "1\ntwo\n3\n"}),
    ({"a": "0\n0\n0\n1\n2\n3\n"}, "--- a\n+++ a\n@@ -1,3 +1,3 @@\n 1\n-2\n+two\n 3\n", {"a": "0\n0\n0\n1\ntwo\n3\n"}),
    ({}, "--- /dev/null\n+++ b/new/x.py\n@@ -0,0 +1,2 @@\n+a\n+b\n", {"new/x.py": "a\nb\n"}),
    ({"a": "1\n", "b": ""}, "--- a/a\n+++ /dev/null\n@@ -1 +0,0 @@\n-1\n", {"b": ""}),
    ({"a": "1\n2\n"}, "--- a/a\n+++ b/a\n@@ -1,0 +2,1 @@\n+new\n", {"a": "1\nnew\n2\n"}),
    ({"a": "x\ny"}, f"--- a/a\n+++ b/a\n@@ -1,2 +1,2 @@\n x\n-y\n{_NO_END}+z\n{_NO_END}", {"a": "x\nz"}),
    ({"a": "x\ny"}, "--- a/a\n+++ b/a\n@@ -1,2 +1,2 @@\n x\n-y\n+z\n", {"a": "x\nz\n"}),
    ({"a/b": "1\n"}, "--- a/b\n+++ a/b\n@@ -1 +1 @@\n-1\n+2\n", {"a/b": "2\n"}),
    ({"old": "1\n"}, "diff --git a/old b/new\nsimilarity index 100%\nrename from old\nrename to new\n", {"new": "1\n"}),
    ({"old": "1\n"}, f"diff --git a/old b/n\nrename from old\nrename to n\n--- old\n+++ n\n{_PART}", {"n": "2\n"}),
    ({}, "diff --git a/e b/e\nnew file mode 100644\nindex 0..0\n", {"e": ""}),
    ({"e": ""}, "diff --git a/e b/e\ndeleted file mode 100644\nindex 0..0\n", {}),
    ({"a": "1\r\n2\r\n"}, "--- a\n+++ a\n@@ -1,2 +1,2 @@\n 1\r\n-2\r\n+3\r\n", {"a": "1\r\n3\r\n"}),
    ({"a": "é\n"}, "Here:\n```diff\n--- a/a\t2026-01\n+++ b/a\t2026\n@@ -1 +1 @@ def f\n-é\n+ü\n```\n", {"a": "ü\n"}),
    ({"a": "1\n\n2\n"}, "--- a\n+++ a\n@@ -1,3 +1,3 @@\n 1\n\n-2\n+3\n", {"a": "1\n\n3\n"}),
]  # fmt: skip


@pytest.mark.parametrize(("files", "patch", "patched"), APPLIED)
def test_a_diff_is_applied(files: dict[str, str], patch: str, patched: dict[str, str]) -> None:
    before = dict(files)
    assert apply_patch(patch, files=files) == patched
    assert files == before


REFUSED: list[tuple[str, str]] = [
    (f"--- ../a\n+++ ../a\n{_PART}", "`../a`, which leaves its folder"),
    (f"--- /etc/passwd\n+++ /etc/passwd\n{_PART}", "leaves its folder"),
    ("--- /dev/null\n+++ b/../../x\n@@ -0,0 +1 @@\n+1\n", "leaves its folder"),
    ("--- /dev/null\n+++ b/a/./x\n@@ -0,0 +1 @@\n+1\n", "names no file"),
    ("--- /dev/null\n+++ b/a\\..\\x\n@@ -0,0 +1 @@\n+1\n", "leaves its folder"),
    ("--- /dev/null\n+++ b/a/x\n@@ -0,0 +1 @@\n+1\n", "is a file and a folder"),
    ("diff --git a/a b/x\nrename from a\nrename to ../x\n", "leaves its folder"),
    ("diff --git a/x b/../x\nnew file mode 120000\n", "leaves its folder"),
    (f"--- b\n+++ b\n{_PART}", "there is no file `b`"),
    ("--- /dev/null\n+++ b/a\n@@ -0,0 +1 @@\n+1\n", "there is a file `a` already"),
    ("--- a\n+++ a\n@@ -1 +1 @@\n-7\n+8\n", "part 1 .line 1. fits nowhere in `a`"),
    ("--- a\n+++ a\n@@ -1,9 +1,9 @@\n 1\n", "ends before its lines do"),
    ("--- a\n+++ a\n", "no part that begins with"),
    ("--- a\n+++ /dev/null\n@@ -2 +0,0 @@\n-2\n", "but some of its lines are left"),
    ("GIT binary patch\nliteral 0\n", "binary file"),
    ("", "no unified diff"),
    ("x = 1", "no unified diff"),
    ("--- a\n+++ a\n@@ -999999999,1 +1,1 @@\n-x\n+y\n", "fits nowhere"),
]


@pytest.mark.parametrize(("patch", "said"), REFUSED)
def test_a_diff_that_does_not_apply_is_told(patch: str, said: str) -> None:
    with pytest.raises(Unparsed, match=said):
        apply_patch(patch, files={"a": "1\n2\n3\n"})


def test_looking_for_a_place_is_bounded_by_a_count(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("scoring.extensions.sandbox.primitives.patches.MOST_STEPS", 5_000_000)
    same, wanted = "x\n" * 20_000, "".join(" x\n" for _ in range(9_999))
    with pytest.raises(Unparsed, match="takes more than 5000000 comparisons"):
        apply_patch(f"--- a\n+++ a\n@@ -1,10000 +1,10001 @@\n{wanted} y\n+z\n", files={"a": same})


_ONE_FOR_ONE = "--- a\n+++ a\n@@ -1 +1 @@\n-x\n+x\n"


@pytest.mark.parametrize(
    ("patch", "files", "said"),
    [
        ("".join(f"--- /dev/null\n+++ b/f{n}\n@@ -0,0 +1 @@\n+a\n" for n in range(3_000)), {"a": ""}, "2,000 files"),
        ("rename from a\nrename to b\nrename from b\nrename to a\n" * 700, {f"f{n}": "" for n in range(1_999)}, ""),
        (_ONE_FOR_ONE * 1_500, {"a": "x\n" * 2_000}, ""),
        (_ONE_FOR_ONE * 1_500, {"a": "x\n" + "y" * 200_000}, ""),
        ("--- a\n+++ a\n" + "@@ -0,0 +1 @@\n+x\n" * 12_000, {"a": "x\n" * 100_000}, ""),
    ],
    ids=["many files", "many names", "many lines", "a long line", "many lines that move"],
)
def test_a_diff_of_many_parts_costs_a_count(
    patch: str, files: dict[str, str], said: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("scoring.extensions.sandbox.primitives.patches.MOST_STEPS", 10_000_000)
    with pytest.raises(Unparsed, match=said or "takes more than 10000000 comparisons"):
        apply_patch(patch, files={"a": "", **files})


@pytest.mark.parametrize("path", ["/x", "../x", "a/../../x", "", "a//b", "./a", "a\x00b", "a/" * 40 + "b", "x" * 300])
def test_files_stay_in_their_folder(path: str) -> None:
    with pytest.raises(Unscored, match="the path"):
        run_tests({path: "print(1)"}, None, cases={"input": "", "expected": "1"}, main=path)


@given(st.text(alphabet="+-@ ab\n\\0123456789,/", max_size=200))
def test_any_text_is_a_diff_or_is_refused(text: str) -> None:
    with contextlib.suppress(Unparsed):
        assert all(isinstance(one, str) for one in apply_patch(text, files={"a": "a\nb\n"}).values())
