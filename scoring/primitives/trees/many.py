"""Compare many parts of references with many parts of predictions at once.

Every pair of items of two lists has to be compared before the lists can be matched. A block does that for all items
on one level together: leaves of one key become one matrix, so the work is the product of the numbers of leaves at
most, whatever the depth.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from scoring.late import np
from scoring.primitives.trees.block import MAX_PAIRS, Nodes, TreeBlock, lengths_of
from scoring.primitives.trees.lists import list_block
from scoring.primitives.trees.pair import TIE, invented_length, versus_nothing
from scoring.primitives.trees.rules import Rules, TreePath
from scoring.result import Unscored


def compare_all(references: Nodes, predictions: Nodes, rules: Rules, path: TreePath) -> TreeBlock:
    """Compare every reference with every prediction."""
    if len(references) * len(predictions) > MAX_PAIRS:
        raise Unscored(f"comparing {len(references)} with {len(predictions)} parts is more than is allowed")
    rows, columns = _by_kind(references), _by_kind(predictions)
    if len(rows) == len(columns) == 1:
        (kind,), (other,) = rows, columns
        return _compare_kinds(kind, other)(references, predictions, rules, path)
    shape = (len(references), len(predictions))
    whole = TreeBlock(np.zeros(shape), np.zeros(shape, dtype=np.int64), np.zeros(shape, dtype=bool))
    for kind, some_rows in rows.items():
        for other, some_columns in columns.items():
            part = _compare_kinds(kind, other)(
                [references[i] for i in some_rows], [predictions[j] for j in some_columns], rules, path
            )
            place = np.ix_(some_rows, some_columns)
            whole.total[place], whole.length[place], whole.same[place] = part.total, part.length, part.same
    return whole


def _by_kind(nodes: Nodes) -> dict[str, list[int]]:
    groups: dict[str, list[int]] = {}
    for index, node in enumerate(nodes):
        groups.setdefault(node.kind, []).append(index)
    return groups


def _compare_kinds(kind: str, other: str) -> Callable[[Nodes, Nodes, Rules, TreePath], TreeBlock]:
    if kind == "one_of":
        return _options
    if kind == "none":
        return _nothing
    if kind != other:
        return _different
    if kind == "leaf":
        return _leaves
    if kind == "dict":
        return _dicts
    return _lists


def _different(references: Nodes, predictions: Nodes, rules: Rules, path: TreePath) -> TreeBlock:
    lengths = np.maximum.outer(lengths_of(references), lengths_of(predictions))
    return TreeBlock(np.zeros(lengths.shape), lengths, np.zeros(lengths.shape, dtype=bool))


def _nothing(references: Nodes, predictions: Nodes, rules: Rules, path: TreePath) -> TreeBlock:
    empty = np.array([node.is_empty for node in predictions], dtype=bool)
    same = np.broadcast_to(empty, (len(references), len(predictions)))
    lengths = np.broadcast_to(np.maximum(lengths_of(predictions), 1), same.shape)
    return TreeBlock(same.astype(float), lengths, same)


def _leaves(references: Nodes, predictions: Nodes, rules: Rules, path: TreePath) -> TreeBlock:
    values, others = [node.value for node in references], [node.value for node in predictions]
    total = rules.scores(others, values, path)
    return TreeBlock(total, np.ones(total.shape, dtype=np.int64), _equal(values, others))


def _equal(values: list[Any], others: list[Any]) -> Any:
    numbers: dict[Any, int] = {}
    own = np.array([numbers.setdefault(value, len(numbers)) for value in values])
    return own[:, None] == np.array([numbers.setdefault(value, len(numbers)) for value in others])[None, :]


def _lists(references: Nodes, predictions: Nodes, rules: Rules, path: TreePath) -> TreeBlock:
    return list_block(references, predictions, rules, path, compare_all)


def _options(references: Nodes, predictions: Nodes, rules: Rules, path: TreePath) -> TreeBlock:
    options = [option for node in references for option in node.children]
    block = compare_all(options, predictions, rules, path)
    average, chosen, start = block.average, [], 0
    for node in references:
        end = start + len(node.children)
        part = average[start:end]
        tied = part >= part.max(axis=0) - TIE
        agreeing = tied & block.same[start:end]
        chosen.append(start + np.where(agreeing.any(axis=0), agreeing, tied).argmax(axis=0))
        start = end
    rows, columns = np.array(chosen), np.arange(len(predictions))
    return TreeBlock(block.total[rows, columns], block.length[rows, columns], block.same[rows, columns])


def _dicts(references: Nodes, predictions: Nodes, rules: Rules, path: TreePath) -> TreeBlock:
    """Start as if no key were shared, then put in what the shared keys make."""
    missing = [{key: versus_nothing(value) for key, value in node.keys.items()} for node in references]
    total = _sums(missing, lambda pair: pair.total)
    open_keys = _sums(missing, lambda pair: not pair.same)
    invented = np.array([sum(invented_length(part, rules) for part in node.keys.values()) for node in predictions])
    shape = (len(references), len(predictions))
    block = TreeBlock(
        np.broadcast_to(total[:, None], shape).astype(float),
        np.add.outer(_sums(missing, lambda pair: pair.length), invented),
        np.ones(shape, dtype=bool),
    )
    differing = np.add.outer(open_keys, [len(node.keys) for node in predictions])
    for key, (rows, columns) in _shared_keys(references, predictions).items():
        lost = [missing[i][key] for i in rows]
        others = [predictions[j].keys[key] for j in columns]
        part = compare_all([references[i].keys[key] for i in rows], others, rules, (*path, str(key)))
        place = np.ix_(rows, columns)
        block.total[place] += part.total - np.array([pair.total for pair in lost])[:, None]
        unmatched = np.add.outer([pair.length for pair in lost], [invented_length(other, rules) for other in others])
        block.length[place] += part.length - unmatched
        block.same[place] &= part.same
        differing[place] -= np.array([1 + (not pair.same) for pair in lost])[:, None]
    block.same &= differing == 0
    return block


def _sums(missing: list[dict[Any, Any]], measure: Callable[[Any], float]) -> Any:
    return np.array([sum(int(measure(pair)) for pair in pairs.values()) for pairs in missing], dtype=np.int64)


def _shared_keys(references: Nodes, predictions: Nodes) -> dict[Any, tuple[list[int], list[int]]]:
    rows = _rows_of_keys(references)
    columns = _rows_of_keys(predictions)
    return {key: (rows[key], columns[key]) for key in rows if key in columns}


def _rows_of_keys(nodes: Nodes) -> dict[Any, list[int]]:
    places: dict[Any, list[int]] = {}
    for index, node in enumerate(nodes):
        for key in node.keys:
            places.setdefault(key, []).append(index)
    return places
