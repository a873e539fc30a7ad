"""The parser for function calls of tool-using models, written in Python syntax or as JSON.

Python syntax is read from its syntax tree: nothing is ever called or looked up.
"""

from __future__ import annotations

import ast
import json
import warnings
from collections.abc import Callable, Iterator
from typing import Any, Literal, TypeAlias

from scoring.depth import in_full_depth, nests_too_deep, on_large_stack
from scoring.extensions.structure.arithmetic import NotArithmetic, operated
from scoring.extensions.structure.wrapping import unfence
from scoring.primitives.parsing.json_scan import MAX_RESPONSE, read_value, values_from_end
from scoring.primitives.parsing.literal import MAX_LENGTH, READING_ERRORS, with_names_in_order
from scoring.registry import primitive
from scoring.result import Unparsed, cause_of
from scoring.values import show_type

Calls: TypeAlias = list[dict[str, Any]]

MAX_TAGS = 1_000
_TAGS = ("tool_call", "TOOLCALL", "tool_calls", "function_calls")
_ARGUMENTS = ("arguments", "parameters", "input", "args")


@primitive(topics=("tools", "extraction"), aka=("tool calls", "function calling", "parse calls", "call syntax"))
def function_calls(
    response: Any,
    /,
    *,
    notation: Literal["any", "python", "json"] = "any",
    prose: Literal["skipped", "refused"] = "skipped",
    positional: Literal["kept", "dropped"] = "kept",
    signs: Literal["python", "minus"] = "python",
) -> list[dict[str, Any]]:
    """Extract the function calls of a response, in order, each as `{"name": …, "arguments": {…}}`.

    Python syntax is a single call or a list of calls. In arguments, literals are read, and `1 + 2` and `"a" + "b"` are
    computed. Expressions that would have to be run are kept as text: a name, `x[0]`, a call without named arguments. A
    nested call with named arguments becomes a mapping from its name to them. Nothing is ever run.

    JSON is a single value or a list of these: the tool calls of an OpenAI message (`function`, with `arguments` as a
    JSON string), the `tool_use` blocks of an Anthropic message,
    `{"name": …, "arguments" | "parameters" | "input" | "args": {…}}`, `{"function": "f", "parameters": {…}}`,
    `{"f": {…}}`. A response that is not a string has been parsed already. An empty list is a valid answer: no calls.

    Args:
        notation: The syntax to search for; "any" prefers JSON if there is some.
        prose: Whether text around the calls (tags such as `<tool_call>`, a code fence, sentences before a list) is
            skipped or the response refused; spaces, line ends, backticks and missing outer brackets are always allowed.
        positional: Whether positional arguments of Python calls are kept, under `positional`, or dropped.
        signs: Whether a sign before a constant has its meaning in Python, or is always read as a minus.

    Raises:
        Unparsed: when there is no such call; the message states the reason.

    Examples:
        >>> function_calls('[weather.now(city="Suva", days=2 + 1)]')
        [{'name': 'weather.now', 'arguments': {'city': 'Suva', 'days': 3}}]
        >>> function_calls('<tool_call>{"name": "now", "arguments": {"city": "Suva"}}</tool_call>')
        [{'name': 'now', 'arguments': {'city': 'Suva'}}]
        >>> function_calls({"tool_calls": [{"function": {"name": "now", "arguments": '{"days": 2}'}}]})
        [{'name': 'now', 'arguments': {'days': 2}}]

    Source:
        Berkeley Function-Calling Leaderboard, `ast_parse`: with `notation="python", prose="refused",
        positional="dropped", signs="minus"`, except that the original looks up names of its own program.
    """
    if not isinstance(response, str):
        calls = in_full_depth(_calls_of, response)
        if calls is None:
            raise Unparsed(f"no function call in {show_type(response)}")
        return calls
    if len(response) > MAX_RESPONSE:
        raise Unparsed(f"a response of more than {MAX_RESPONSE} characters")
    reader = _Reader(notation, positional == "kept", signs == "minus")
    found = _in_prose(response, reader, notation) if prose == "skipped" else reader(response)
    if found is None:
        raise Unparsed(f"no function call in the response: {reader.reason or 'no JSON that is one'}")
    return found


def _in_prose(response: str, read: Callable[[str], Calls | None], notation: str) -> Calls | None:
    """Return the calls in a response that may contain other text, looked for in turn in the whole text, tags, a code
    fence, JSON values, and a list; None if there are none.

    Args:
        response: The text.
        read: Reads a text that contains only calls; returns None for another one.
        notation: The syntax of the calls: any, python or json.
    """
    if not response.strip():
        return None
    whole = read(response)
    if whole is not None:
        return whole
    several = [*map(read, _tagged(response))] or [read(unfence(response))]
    if notation != "python" and not any(several):
        several = [in_full_depth(_calls_of, value, False) for value in _closed_values(response)]
    if notation != "json" and not any(several):
        end = response.rfind("]") + 1
        start = next((at for at in (response.rfind("\n[") + 1, response.find("[")) if at > 0), None)
        several = [] if start is None else [read(response[start:end])]
    found = [calls for calls in several if calls]
    return [call for calls in found for call in calls] if found else None


def _tagged(text: str) -> Iterator[str]:
    """Yield the text inside each tag that marks calls, such as `<tool_call>`; raise Unparsed if there are too many."""
    tries = 0
    for tag in _TAGS:
        for part in text.split(f"<{tag}>")[1:]:
            inner, closed, _ = part.partition(f"</{tag}>")
            if closed:
                yield inner
                tries += 1
            if tries > MAX_TAGS:
                raise Unparsed(f"more than {MAX_TAGS} tags of calls")


def _in_brackets(text: str) -> str:
    text = text.strip("`\n ")
    text = text if text.startswith("[") else "[" + text
    return text if text.endswith("]") else text + "]"


def _value(text: str) -> Any:
    text = text.strip("`\n ")
    return read_value(text) if text[:1] in ("{", "[") else None


def _calls_of(value: Any, keyed: bool = True) -> Calls | None:
    """Return the function calls in a value that was read from JSON; None if it is not a call or a list of calls.

    Args:
        value: The value that was read.
        keyed: Whether a mapping with a single key also counts as a call of that name.
    """
    if isinstance(value, list | tuple):
        found = [_calls_of(one, keyed) for one in value if not _is_text_block(one)]
        return None if None in found else [call for calls in found for call in calls or ()]
    if not isinstance(value, dict):
        return None
    for key in ("tool_calls", "content"):
        if isinstance(value.get(key), list):
            return _calls_of(value[key])
    for key in ("function", "functionCall", "function_call"):
        if isinstance(value.get(key), dict):
            return _calls_of(value[key])
    for key in ("name", "function", "tool_name"):
        if isinstance(value.get(key), str):
            return _call(value[key], next((value[name] for name in _ARGUMENTS if name in value), None))
    return _call(*next(iter(value.items()))) if keyed and len(value) == 1 else None


def _is_text_block(value: Any) -> bool:
    return isinstance(value, dict) and value.get("type") in ("text", "thinking") and "name" not in value


def _call(name: Any, arguments: Any) -> Calls | None:
    if isinstance(arguments, str):
        arguments = _of_text(arguments)
    if not isinstance(name, str) or not isinstance(arguments, dict):
        return None
    return [{"name": name, "arguments": arguments}]


def _of_text(text: str) -> Any:
    if not text.strip():
        return {}
    try:
        return None if nests_too_deep(text) else in_full_depth(json.loads, text)
    except (ValueError, RecursionError):
        return None


# Each of these takes several kB of the stack of Python's compiler.
_NESTING = ("(", "[", "{", "+", "-", "*", "/", "~", ".", "not", "lambda", "if", "await")
_FEW = 60


class NoCalls(ValueError):
    """The error that a text is not a function call or a list of calls, or that an argument has no value without running
    it.
    """


def _said(error: BaseException) -> str:
    if isinstance(error, SyntaxError):
        what = error.msg.partition(":")[0]
        if what.startswith("positional argument follows"):
            what = "an argument without a name follows one with a name"
        return f"{what}, at character {(error.offset or 0)} of line {error.lineno or 1}"
    if isinstance(error, MemoryError | RecursionError):
        return "nested too deeply"
    if isinstance(error, UnicodeError):
        return "it holds half of a character"
    return str(error) if isinstance(error, NotArithmetic | NoCalls) else cause_of(error)


class _Reader:
    """A function that reads a text of nothing but function calls and returns them, or None if it is not one; ``reason``
    says why the first text that failed is not one.

    Args:
        notation: The syntax that is read.
        positional: Whether positional arguments are kept.
        sign_is_minus: Whether every sign before a constant is read as a minus.
    """

    def __init__(self, notation: str, positional: bool, sign_is_minus: bool) -> None:
        self._notation = notation
        self._positional = positional
        self._sign_is_minus = sign_is_minus
        self._made = 0
        self.reason = ""

    def __call__(self, text: str) -> Calls | None:
        found = in_full_depth(_calls_of, _value(text)) if self._notation != "python" else None
        if found is not None or self._notation == "json":
            return found
        try:
            return self._of_python(_in_brackets(text))
        except (*READING_ERRORS, ArithmeticError) as error:
            self.reason = self.reason or _said(error)
        return None

    def _of_python(self, text: str) -> Calls:
        if len(text) > MAX_LENGTH:
            raise NoCalls(f"more than {MAX_LENGTH} characters")
        is_simple = sum(map(text.count, _NESTING)) < _FEW
        return in_full_depth(self._calls, text) if is_simple else on_large_stack(self._calls, text)

    def _calls(self, text: str) -> Calls:
        self._made = 0  # reset, because the same text may be read again
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            body = ast.parse(with_names_in_order(text), mode="eval").body
        found = body.elts if isinstance(body, ast.List | ast.Tuple | ast.Set) else [body]
        return [self._call(one) for one in found]

    def _call(self, node: ast.expr) -> dict[str, Any]:
        if not isinstance(node, ast.Call):
            raise NoCalls(f"`{_shown(node)}` is no call")
        call: dict[str, Any] = {"name": _name(node), "arguments": self._arguments(node)}
        if self._positional and node.args:
            call["positional"] = [self._value(one) for one in node.args]
        return call

    def _arguments(self, node: ast.Call) -> dict[str, Any]:
        if any(one.arg is None for one in node.keywords):
            raise NoCalls("`**` has no names without running it")
        return {str(one.arg): self._value(one.value) for one in node.keywords}

    def _value(self, node: ast.expr | None) -> Any:
        match node:
            case ast.Constant(value):
                return "..." if value is Ellipsis else _plain(value)
            case ast.Name(name):
                return name
            case ast.List(items):
                return [self._value(one) for one in items]
            case ast.Tuple(items):
                return tuple(self._value(one) for one in items)
            case ast.Dict(keys, values):
                return {self._value(key): self._value(value) for key, value in zip(keys, values, strict=True)}
            case ast.UnaryOp(sign, ast.Constant(value)):
                return _signed(ast.USub() if self._sign_is_minus else sign, _plain(value))
            case ast.BinOp():
                return self._computed(node)
            case ast.Call(keywords=[]) | ast.Subscript():
                return ast.unparse(node)
            case ast.Call():
                return {_name(node): self._arguments(node)}
        raise NoCalls(f"`{_shown(node)}` has no value without running it")

    def _computed(self, node: ast.expr) -> Any:
        """Return the value of an expression of constants: arithmetic, and strings and lists that are concatenated or
        repeated; raise NoCalls for any other.
        """
        match node:
            case ast.Constant(value):
                return _plain(value)
            case ast.UnaryOp(sign, operand):
                return _signed(sign, self._computed(operand))
            case ast.List(items):
                return [self._computed(one) for one in items]
            case ast.Tuple(items):
                return tuple(self._computed(one) for one in items)
            case ast.BinOp(left, sign, right):
                return self._operated(sign, self._computed(left), self._computed(right))
        raise NoCalls(f"`{_shown(node)}` has no value without running it")

    def _operated(self, sign: ast.operator, left: Any, right: Any) -> Any:
        if isinstance(sign, ast.Add) and type(left) is type(right) and isinstance(left, str | list | tuple):
            self._made += _size(left) + _size(right)
        elif isinstance(sign, ast.Mult) and isinstance(left, str | list | tuple) and isinstance(right, int):
            self._made += _size(left) * max(right, 1)
        elif isinstance(sign, ast.Mult) and isinstance(right, str | list | tuple) and isinstance(left, int):
            self._made += _size(right) * max(left, 1)
        else:
            return operated(sign, left, right)
        if self._made > MAX_LENGTH:
            raise NoCalls(f"arguments of more than {MAX_LENGTH} items")
        return left + right if isinstance(sign, ast.Add) else left * right


def _name(node: ast.Call) -> str:
    parts: list[str] = []
    part = node.func
    while isinstance(part, ast.Attribute):
        parts.append(part.attr)
        part = part.value
    if isinstance(part, ast.Name):
        parts.append(part.id)
    return ".".join(reversed(parts))


def _plain(value: Any) -> Any:
    if isinstance(value, bytes | complex):
        raise NoCalls(f"{value!r:.40} is no value of an argument")
    return value


def _signed(sign: ast.unaryop, value: Any) -> Any:
    if isinstance(sign, ast.Not):
        return not value
    if not isinstance(value, int | float):
        raise NoCalls("a sign in front of something that is not a number")
    return -value if isinstance(sign, ast.USub) else ~int(value) if isinstance(sign, ast.Invert) else +value


def _size(value: Any) -> int:
    """Return the total number of items and characters in a value."""
    size, waiting = 0, [value]
    while waiting:
        one = waiting.pop()
        size += len(one) if isinstance(one, str | list | tuple) else 1
        if isinstance(one, list | tuple):
            waiting.extend(one)
    return size


def _shown(node: ast.expr | None) -> str:
    text = "**" if node is None else ast.unparse(node)
    return text if len(text) <= 40 else text[:40] + "…"


def _closed_values(text: str) -> list[Any]:
    """Return the objects and lists between outermost brackets of a text that can be read, in the order of the text."""
    return [*values_from_end(text)][::-1]
