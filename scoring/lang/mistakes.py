"""Mistakes that people make, and what to say about each: a table, read from the top.

A row is found by the tokens around the place where the parser stopped. `examples` shows malformed inputs that the
row is for, each with what was meant; a test parses them all and asks for this very row.
"""

from __future__ import annotations

from scoring.lang.mistake import Mistake, Place, one_of

_VALUE = one_of("word", "text", "number", "[", "{", "(")
_ENDS = one_of("word", "text", "number", "close")

MISTAKES: tuple[Mistake, ...] = (
    Mistake(
        "syntax-number", "a number is not written like this", "this is no number",
        {"f(1_000)": "f(1000)", "f(0x1F)": "f(31)", "f(007)": "f(7)", "f(1.)": "f(1.0)", "f(1.2.3)": 'f("1.2.3")',
         "f(3px)": 'f("3px")', "f(1e)": "f(1)", "2x + 1": "2 * x + 1", "score > 1.": "score > 1.0"},
        found=one_of("number"), split=True, help="numbers look like 5, -0.25 and 1e-6",
    ),
    Mistake(
        "syntax-lambda", "the language has no functions without a name", "`lambda` is Python's",
        {"lambda x: x": "lower", "f(lambda x: x)": "f(lower)"},
        help="write the steps themselves, as in `f(lower | strip)`",
        before=one_of("lambda", "fn", "function"),
    ),
    Mistake(
        "syntax-operator", "`{found}` is not an operator of pipelines", "one `|` joins two steps",
        {"a || b": "a | b", "a && b": "a | b", "a -> b": "a | b", "a => b": "a | b", "f(a || b)": "f(a | b)"},
        help="write `|` here", entry="pipeline", found=one_of("||", "&&", "->", "=>", ">", "//", "&", ":="),
    ),
    Mistake(
        "syntax-empty-step", "there is no step before this `|`", "a step is missing here",
        {"| a": "a", "a | | b": "a | b", "f(| a)": "f(a)"},
        entry="pipeline", found=one_of("|"), before=one_of("|", "(", "[", "{", ",", "=", "end"),
        help="leave out this `|`, or write a step before it",
    ),
    Mistake(
        "syntax-empty-step", "there is no step after the last `|`", "a step is missing here",
        {"a |": "a", "f(a |)": "f(a)", "f(a |, b)": "f(a, b)"},
        entry="pipeline", before=one_of("|"), found=one_of("end", "close", ","),
        help="leave out that `|`, or write a step after it",
    ),
    Mistake(
        "syntax-value-as-step", "`{found}` is a value, not a step", "expected the name of a step",
        {'"abc" | lower': 'default("abc") | lower', "lower | 5": "lower | add(5)", "[1, 2]": "f([1, 2])",
         "lower | {a=1}": "lower | f({a=1})", "-1": "f(-1)"},
        entry="pipeline", before=one_of("|", "end"), inside=one_of(""),
        found=one_of("text", "number", "[", "{", "-"),
        help="a value is an argument of a step, as in `f(…)`",
    ),
    Mistake(
        "syntax-path-as-step", "a value of the record cannot flow into a step", "this `|` follows a path",
        {"f(record.x | lower)": "f(record.x)", "f(context.y[0] | lower)": "f(context.y[0])"},
        entry="pipeline", found=one_of("|"), before=one_of("word", "]", "text"),
        help="give the path alone as an argument, as in `f(record.x)`",
    ),
    Mistake(
        "syntax-colon", "a name and its value are joined by `=`", "write `=` for this `:`",
        {"f(a: 1)": "f(a=1)", "f({a: 1})": "f({a=1})", 'f({"a": 1})': 'f({"a"=1})', "f(x=1, a: 1)": "f(x=1, a=1)"},
        entry="pipeline", found=one_of(":", ":="), inside=one_of("(", "{"),
        note="with `=` an expression can stand in a YAML file without quotes",
    ),
    Mistake(
        "syntax-keyword-outside-call", "`{before}=` stands outside any call", "only arguments have names",
        {"x = 1": "f(x=1)", "lower | x = 1": "lower | f(x=1)"},
        entry="pipeline", found=one_of("=", ":"), inside=one_of("", "["),
        help="write it in the parentheses of a step, as in `f({before}={after})`",
    ),
    Mistake(
        "syntax-method-call", "`.{after}` cannot follow a call", "steps are joined by ` | `",
        {"lower().strip()": "lower | strip", "f(1).g": "f(1) | g"},
        entry="pipeline", before=one_of(")"), found=one_of("."), help="write ` | {after}`",
    ),
    Mistake(
        "syntax-surplus-comma", "there is nothing between this `,` and what stands before it", "surplus comma",
        {"f(, a)": "f(a)", "f(a,, b)": "f(a, b)", "f([,])": "f([])", "min(a,, b)": "min(a, b)"},
        before=one_of("(", "[", "{", ","), found=one_of(","), help="leave out this `,`",
    ),
    Mistake(
        "syntax-missing-value", "`{before}` has no value after it", "expected a value",
        {"f(x=)": "f(x=1)", "f(x=, y=1)": "f(x=0, y=1)", "f({a=})": "f({a=1})"},
        entry="pipeline", before=one_of("="), found=one_of("close", ",", "end"),
    ),
    Mistake(
        "syntax-number", "a number begins with a digit", "write a 0 before the point",
        {"f(.5)": "f(0.5)", "f(x=-.5)": "f(x=-0.5)", "score > .5": "score > 0.5", "f(0.5, .5)": "f(0.5, 0.5)"},
        found=one_of("."), after=one_of("number"), help="write `0.{after}`",
    ),
    Mistake(
        "syntax-number", "a number has no `+` in front", "leave out the `+`",
        {"f(+1)": "f(1)", "score > +1": "score > 1", "f(x=+1)": "f(x=1)"},
        found=one_of("+"), after=one_of("number"), before=one_of("(", "=", ",", "[", "<", ">", "<=", ">="),
    ),
    Mistake(
        "syntax-hyphen", "a name has no `-` in it", "write `_` for this `-`",
        {"near-match": "near_match", "f(a-b=1)": "f(a_b=1)", "lower | to-set": "lower | to_set"},
        entry="pipeline", before=one_of("word"), found=one_of("-"), help="write `{before}_{after}`",
    ),
    Mistake(
        "syntax-version", "a version is not part of a name in an expression", "leave out from here",
        {"megabench@1": "mega.near_str_match", "mega@1.lower": "mega.lower"},
        entry="pipeline", before=one_of("word"), found=one_of("@"),
        help="import the pack under a name, as in `imports: {{before}: {before}@{after}}`, and use that name",
    ),
    Mistake(
        "syntax-comment", "an expression has no comments", "a comment begins here",
        {"lower # folded": "lower", "score > 1 # never": "score > 1"},
        found=one_of("#"), help="put the comment on a line of its own in the file",
    ),
    Mistake(
        "syntax-missing-comma", "there is no `,` before this argument", "write `,` before it",
        {"f(x=1 y=2)": "f(x=1, y=2)", "f(a y=2)": "f(a, y=2)", "f([1 2])": "f([1, 2])", 'f("a" "b")': 'f("a", "b")',
         "f({a=1 b=2})": "f({a=1, b=2})", 'f(a "b")': 'f(a, "b")', "f(1 a)": "f(1, a)"},
        entry="pipeline", before=_ENDS, found=_VALUE, inside=one_of("(", "[", "{"),
    ),
    Mistake(
        "syntax-missing-pipe", "there is no `|` between these two steps", "write `|` before it",
        {"lower strip": "lower | strip", "f(x=1) g": "f(x=1) | g", "lower\nstrip": "lower | strip",
         "(a) b": "a | b", "a (b) c": "a(b) | c", "not equal": "not | equal"},
        entry="pipeline", before=one_of("word", "close"), found=_VALUE, inside=one_of(""),
        help="steps are joined by `|`; a text stands in quotes",
    ),
    Mistake(
        "syntax-missing-pipe", "steps are not joined by `{found}`", "write `|`",
        {"lower, equal": "lower | equal", "lower; equal": "lower | equal", "f(1), g": "f(1) | g"},
        entry="pipeline", before=one_of("word", "close"), found=one_of(",", ";"), inside=one_of(""),
        help="steps are joined by `|`",
    ),
    Mistake(
        "syntax-single-equals", "one `=` compares nothing", "write `==`",
        {"score = 1": "score == 1", "if(a = 1, 0, 1)": "if(a == 1, 0, 1)"},
        entry="formula", found=one_of("="), help="write `{before} == {after}`",
    ),
    Mistake(
        "syntax-operator", "`{found}` is not an operator of formulas", "write `==`",
        {"a === 1": "a == 1", "a !== 1": "a != 1"},
        entry="formula", found=one_of("===", "!=="), help="write `==` or `!=`",
    ),
    Mistake(
        "syntax-operator", "`{found}` is not an operator of formulas", "write `!=`",
        {"a <> 1": "a != 1"}, entry="formula", found=one_of("<>"),
    ),
    Mistake(
        "syntax-operator", "`{found}` is not an operator of formulas", "write `and`",
        {"a && b": "a and b", "a & b": "a and b", "a AND b": "a and b"},
        entry="formula", found=one_of("&&", "&", "AND", "And"),
    ),
    Mistake(
        "syntax-operator", "`{found}` is not an operator of formulas", "write `or`",
        {"a || b": "a or b", "a | b": "a or b", "a OR b": "a or b"},
        entry="formula", found=one_of("||", "|", "OR", "Or"),
        note="a formula joins scores; pipelines stand under `fields:`",
    ),
    Mistake(
        "syntax-operator", "`{found}` is not an operator of formulas", "write `not`",
        {"!a": "not a", "a and !b": "a and not b", "a and ~b": "a and not b"},
        entry="formula", found=one_of("!", "~"),
    ),
    Mistake(
        "syntax-operator", "`{before}` is not an operator of formulas", "write `not` before it",
        {"NOT a": "not a"}, entry="formula", before=one_of("NOT", "Not"), found=_VALUE,
    ),
    Mistake(
        "syntax-operator", "formulas have no powers", "not an operator of formulas",
        {"a ** 2": "a * a", "a ^ 2": "a * a"},
        entry="formula", found=one_of("**", "^"), help="write `{before} * {before}` for the square",
    ),
    Mistake(
        "syntax-operator", "`{found}` is not an operator of formulas", "not an operator of formulas",
        {"a // 2": "a / 2", "a % 2": "a / 2", "a ? 1 : 0": "if(a, 1, 0)", "a -> b": "if(a, b, 0)",
         "a => b": "if(a, b, 0)"},
        entry="formula", found=one_of("//", "%", "?", "->", "=>"),
        help="the operators are + - * / < <= > >= == != and or not, and the choice is `if(condition, a, b)`",
    ),
    Mistake(
        "syntax-keyword-in-formula", "functions of formulas have no named arguments", "leave out the name",
        {"round(a, digits: 2)": "round(a, 2)"}, entry="formula", found=one_of(":"), inside=one_of("("),
    ),
    Mistake(
        "syntax-missing-operand", "`{before}` has nothing to its left", "the left side is missing before it",
        {"and b": "b", "a and or b": "a or b", "a + and 2": "a and 2"},
        entry="formula", before=one_of("and", "or"), found=_VALUE,
    ),
    Mistake(
        "syntax-operator", "`not` holds less tightly than `{found}` needs here", "`not` needs parentheses",
        {"a == not b": "a == (not b)", "1 - not b": "1 - (not b)"},
        entry="formula", before=one_of("not"), found=_VALUE, help="write `(not {found})`",
    ),
    Mistake(
        "syntax-field-name", "this field name needs quotes", "a field is one word, or a text in quotes",
        {"number of objects": '"number of objects"', "a.b + 1": '"a.b" + 1', "items[0]": '"items[0]"',
         "0.5 * unit price": '0.5 * "unit price"'},
        entry="formula", before=one_of("word"), found=one_of("word", ".", "["),
        help="write the whole name in quotes, as in `0.5 * \"number of objects\"`",
    ),
    Mistake(
        "syntax-missing-operator", "there is no operator between `{before}` and `{found}`", "expected an operator",
        {"2 x": "2 * x", "(a) (b)": "(a) * (b)", "2(a + b)": "2 * (a + b)", 'a "b"': 'a + "b"'},
        entry="formula", before=_ENDS, found=_VALUE, help="write `*` for a product",
    ),
    Mistake(
        "syntax-missing-operand", "`{before}` has nothing to its right", "expected a number, a field or a function",
        {"a +": "a", "score >=": "score >= 1", "a and": "a", "(a *)": "a", "max(a, b -)": "max(a, b)"},
        entry="formula", found=one_of("end", "close", ","),
        before=one_of("+", "-", "*", "/", "<", "<=", ">", ">=", "==", "!=", "and", "or", "not"),
    ),
    Mistake(
        "syntax-missing-operand", "`{found}` has nothing to its left", "expected a number, a field or a function",
        {"* a": "a", ">= 0.5": "score >= 0.5"},
        entry="formula", found=one_of("*", "/", "<", "<=", ">", ">=", "==", "!="),
    ),
)


def find_mistake(place: Place) -> Mistake | None:
    """The first row of the table that fits the place."""
    return next((mistake for mistake in MISTAKES if mistake.fits(place)), None)
