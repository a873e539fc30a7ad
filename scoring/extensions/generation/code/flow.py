"""The flow of values in a program as CodeBLEU compares it: which variable's value comes from which others.

The rules are those of GraphCodeBERT, by kinds of nodes of tree-sitter's grammars. Statements that repeat are followed
twice, so that values of the first round reach the second.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from operator import itemgetter
from typing import Any, NamedTuple, TypeAlias

from scoring.extensions.generation.code.source import (
    GrammarName,
    ParsedCode,
    StepsLeft,
    TokenPlace,
    is_leaf,
    tokens_below,
)

States: TypeAlias = dict[str, list[int]]
"""For each variable the tokens that may have given it its value."""
ValueFlow: TypeAlias = tuple[str, str, tuple[str, ...]]
"""A variable, how its value came about, and the variables that it came from; variables are numbered."""


class Edge(NamedTuple):
    """A token of a program whose value comes from others: its text and number, the relation, and theirs."""

    name: str
    token: int
    relation: str
    names: list[str]
    tokens: list[int]


Followed: TypeAlias = tuple[list[Edge], States]


class _NoFlow(Exception):
    """A node lacks a part that the rules need; the official code then finds no flow in the program at all."""


def flows(program: ParsedCode, language: GrammarName, work: StepsLeft) -> list[ValueFlow]:
    """Return the flow of values in a program, with its variables numbered in the order in which they occur in it.

    Raises:
        Unscored: when that is too much work.
    """
    try:
        edges, _ = _Follower(program.tokens, language, work).follow(program.root, {})
    except _NoFlow:
        return []
    used = {token for edge in edges for token in (*edge.tokens, *([edge.token] if edge.tokens else []))}
    merged: dict[int, list[Edge]] = {}
    for edge in _sorted(edges):
        if edge.token in used:
            merged.setdefault(edge.token, []).append(edge)
    found = [_joined(same) for same in merged.values()]
    numbers: dict[str, str] = {}
    for edge in found:
        for name in (*edge.names, edge.name):
            numbers.setdefault(name, f"var_{len(numbers)}")
    return [(numbers[one.name], one.relation, tuple(numbers[name] for name in one.names)) for one in found]


def _sorted(edges: Iterable[Edge]) -> list[Edge]:
    return sorted(edges, key=itemgetter(1))


def _joined(edges: list[Edge]) -> Edge:
    """Return one edge of those from the same token. Where the official code has the order of a set of texts, which is
    another one in each process, names here are in the order of the program.
    """
    if len(edges) == 1:
        return edges[0]
    names = dict.fromkeys(name for edge in edges for name in edge.names)
    return edges[-1]._replace(names=[*names], tokens=sorted({token for edge in edges for token in edge.tokens}))


def _once(edges: Iterable[Edge]) -> list[Edge]:
    """Return the edges of a statement that was followed twice, those with the same token and relation joined."""
    found: dict[tuple[str, int, str], list[Edge]] = {}
    for edge in edges:
        found.setdefault((edge.name, edge.token, edge.relation), []).append(edge)
    return _sorted(map(_joined, found.values()))


def _part(node: Any, name: str) -> Any:
    found = node.child_by_field_name(name)
    if found is None:
        raise _NoFlow
    return found


def _parts(node: Any, name: str) -> list[Any]:
    """Return the parts of a named part of a node, without commas."""
    return [one for one in _part(node, name).children if one.type != ","]


class _Follower:
    """Follows values through the tree of a program.

    Args:
        tokens: The number and text of each token.
        language: The language of the program.
        work: The steps that are left.
    """

    def __init__(self, tokens: dict[TokenPlace, tuple[int, str]], language: GrammarName, work: StepsLeft) -> None:
        self._tokens, self._work, self._rules = tokens, work, _RULES[language]

    def follow(self, node: Any, states: States) -> Followed:
        """Return the edges in a node, and what its variables have their values from behind it."""
        self._work.take(1 + len(states))
        states = dict(states)
        if is_leaf(node):
            return self._token(node, states)
        rule = self._rules.get(node.type)
        if rule is not None:
            edges, states = rule(self, node, states)
        else:  # what a comprehension runs over comes first
            edges, states = self.in_turn(sorted(node.children, key=lambda one: one.type != "for_in_clause"), states)
            edges = _sorted(edges)
        self._work.take(sum(1 + len(edge.names) for edge in edges))
        return edges, states

    def join(self, ends: Iterable[States]) -> States:
        """Return the values of variables behind branches that end with the given ones."""
        joined: dict[str, set[int]] = {}
        for end in ends:
            for name, tokens in end.items():
                self._work.take(len(tokens))
                joined.setdefault(name, set()).update(tokens)
        return {name: sorted(tokens) for name, tokens in joined.items()}

    def in_turn(self, nodes: Iterable[Any], states: States) -> Followed:
        """Follow nodes one after another."""
        edges: list[Edge] = []
        for node in nodes:
            more, states = self.follow(node, states)
            edges += more
        return edges, states

    def _token(self, node: Any, states: States) -> Followed:
        token, name = self._tokens[node.start_point, node.end_point]
        if node.type == name:
            return [], states
        if name in states:
            self._work.take(len(states[name]))
            return [Edge(name, token, "comesFrom", [name], [*states[name]])], states
        if node.type == "identifier":
            states[name] = [token]
        return [Edge(name, token, "comesFrom", [], [])], states

    def variables(self, node: Any) -> list[tuple[int, str]]:
        """Return number and text of the tokens in a node that are no keywords or marks."""
        found = []
        for one in tokens_below(node, self._work):
            token, name = self._tokens[one.start_point, one.end_point]
            if one.type != name:
                found.append((token, name))
        return found

    def given(self, left: Any, right: Any, relation: str, states: States, *, together: bool = False) -> list[Edge]:
        """Return edges from each variable in `left` to those in `right`, and note that it has its value there.

        Args:
            left: The node that gets a value.
            right: The node that gives it.
            relation: The name of the relation.
            states: Where the variables have their values from, which is changed.
            together: Whether one edge has all variables in `right`; else there is one edge for each.
        """
        edges, sources = [], self.variables(right)
        for token, name in self.variables(left):
            self._work.take(1 + len(sources))
            if together:
                edges.append(Edge(name, token, relation, [one for _, one in sources], [at for at, _ in sources]))
            else:
                edges += [Edge(name, token, relation, [source], [at]) for at, source in sources]
            states[name] = [token]
        return edges


def _pairs(node: Any) -> tuple[list[Any], list[Any]]:
    """Return the targets of an assignment and the values for them: pairs if there are as many, else the whole sides."""
    left, right = _parts(node, "left"), _parts(node, "right")
    if len(left) != len(right):
        return [_part(node, "left")], [_part(node, "right")]
    return left or [_part(node, "left")], right or [_part(node, "right")]


def _assigned(follower: _Follower, left: list[Any], right: list[Any], states: States) -> Followed:
    edges, states = follower.in_turn(right, states)
    for target, value in zip(left, right, strict=False):
        edges += follower.given(target, value, "computedFrom", states, together=True)
    return edges, states


def _python_assignment(follower: _Follower, node: Any, states: States) -> Followed:
    if node.type == "for_in_clause":
        left, right = [_part(node, "left")], [node.children[-1]]
    elif node.child_by_field_name("right") is None:
        return [], states
    else:
        left, right = _pairs(node)
    edges, states = _assigned(follower, left, right, states)
    return _sorted(edges), states


def _python_for(follower: _Follower, node: Any, states: States) -> Followed:
    edges: list[Edge] = []
    for _ in range(2):
        more, states = _assigned(follower, *_pairs(node), states)
        edges += more
        if node.children[-1].type == "block":
            more, states = follower.follow(node.children[-1], states)
            edges += more
    return _once(edges), states


def _declaration(follower: _Follower, node: Any, states: States) -> Followed:
    """Follow a variable or parameter with or without a value of its own."""
    name, value = _part(node, "name"), node.child_by_field_name("value")
    if value is None:
        edges = [Edge(text, token, "comesFrom", [], []) for token, text in follower.variables(name)]
        states.update((edge.name, [edge.token]) for edge in edges)
        return _sorted(edges), states
    edges, states = follower.follow(value, states)
    return _sorted([*edges, *follower.given(name, value, "comesFrom", states)]), states


def _java_assignment(follower: _Follower, node: Any, states: States) -> Followed:
    left, right = _part(node, "left"), _part(node, "right")
    edges, states = follower.follow(right, states)
    return _sorted([*edges, *follower.given(left, right, "computedFrom", states)]), states


def _java_update(follower: _Follower, node: Any, states: States) -> Followed:
    return _sorted(follower.given(node, node, "computedFrom", states)), states


def _branches(follower: _Follower, node: Any, states: States, is_other: Callable[[Any, bool], bool]) -> Followed:
    """Follow branches of which one is taken: behind them a variable may have its value from any of them.

    Args:
        follower: Follows nodes.
        node: The statement.
        states: Where variables have their values from before it.
        is_other: Tells whether a part is another branch, given the part and whether there was one before it.
    """
    edges: list[Edge] = []
    ends: list[States] = []
    current = states
    for child in node.children:
        other = is_other(child, bool(ends))
        more, after = follower.follow(child, states if other else current)
        edges += more
        if other:
            ends.append(after)
        else:
            current = after
    ends.append(current)
    if not any("else" in child.type for child in node.children):
        ends.append(states)
    return _sorted(edges), follower.join(ends)


def _python_if(follower: _Follower, node: Any, states: States) -> Followed:
    return _branches(follower, node, states, lambda child, _: child.type in ("elif_clause", "else_clause"))


def _java_if(follower: _Follower, node: Any, states: States) -> Followed:
    return _branches(follower, node, states, lambda child, before: before or child.type in ("if_statement", "else"))


def _java_for(follower: _Follower, node: Any, states: States) -> Followed:
    kinds = [child.type for child in node.children]
    again = kinds.index("local_variable_declaration") + 1 if "local_variable_declaration" in kinds else len(kinds)
    edges, states = follower.in_turn([*node.children, *node.children[again:]], states)
    return _once(edges), states


def _java_for_each(follower: _Follower, node: Any, states: States) -> Followed:
    name, value, body = (_part(node, part) for part in ("name", "value", "body"))
    edges: list[Edge] = []
    for _ in range(2):
        more, states = follower.follow(value, states)
        edges += [*more, *follower.given(name, value, "computedFrom", states)]
        more, states = follower.follow(body, states)
        edges += more
    return _once(edges), states


def _while(follower: _Follower, node: Any, states: States) -> Followed:
    edges, states = follower.in_turn([*node.children, *node.children], states)
    return _once(edges), states


Rule: TypeAlias = Callable[[_Follower, Any, States], Followed]
_RULES: dict[GrammarName, dict[str, Rule]] = {
    "python": {
        "default_parameter": _declaration,
        "assignment": _python_assignment,
        "augmented_assignment": _python_assignment,
        "for_in_clause": _python_assignment,
        "if_statement": _python_if,
        "for_statement": _python_for,
        "while_statement": _while,
    },
    "java": {
        "variable_declarator": _declaration,
        "assignment_expression": _java_assignment,
        "update_expression": _java_update,
        "if_statement": _java_if,
        "for_statement": _java_for,
        "enhanced_for_statement": _java_for_each,
        "while_statement": _while,
    },
}
