"""Read the bodies of requests: rows in our own form, and in those of hosts that call a service for rewards."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from scoring.data.json_read import NotJson, check_value_count, parse
from scoring.depth import DEEPEST
from scoring.extensions.hosts.rewards.openrlhf import CUT, behind_prompt
from scoring.extensions.hosts.rewards.trainer import ENDS, without_ends
from scoring.extensions.serving.answering import ServedRow

MOST_VALUES = 1_000_000
"""The most values in the JSON of one body, which take some forty times its size while they are read."""
_PART_KEYS = ("response", "reference", "context", "id", "record")


class Rejected(Exception):
    """The exception for a request that can't be answered; the message is one line for whoever sent it.

    Args:
        status: The HTTP status.
        message: What is wrong, and what is accepted.
        wait: The seconds after which to try again, for a server that is busy.
        about: What the reply says beside the message, such as the task's meaning.
    """

    def __init__(
        self, status: int, message: str, wait: int | None = None, about: Mapping[str, Any] | None = None
    ) -> None:
        super().__init__(message)
        self.status, self.message, self.wait, self.about = status, message, wait, about or {}


class RequestQuery(Struct, frozen=True):
    """The options of a request, given in its address.

    Args:
        json_references: ``references_as=json``: references are given as JSON text.
        ends: ``end=TEXT``: what is removed from the end of responses, such as a tokenizer's end-of-text mark.
        reference: ``reference=NAME``: which of several references counts.
    """

    json_references: bool = False
    ends: tuple[str, ...] = ()
    reference: str | None = None


def body_value(body: bytes) -> Any:
    """Return the value of a body of JSON.

    Raises:
        Rejected: for anything else: other encodings, NaN, nesting beyond the limit, repeated keys, huge numbers.
    """
    constants: list[str] = []
    try:
        check_value_count(body, MOST_VALUES)
        value = parse(body, once=True, levels=DEEPEST + 4, constants=constants)
    except NotJson as error:
        raise Rejected(400, f"the body can't be read: {str(error).partition('; ')[0]}") from None
    if constants:
        raise Rejected(400, f"the body can't be read: {constants[0]} is not JSON; leave the value out, or give null")
    return value


def _mapping(value: Any, what: str) -> Mapping[str, Any]:
    if not isinstance(value, dict):
        raise Rejected(422, f"{what} is an object, not {_kind(value)}")
    return value


def _list(value: Any, what: str) -> Sequence[Any]:
    if not isinstance(value, list):
        raise Rejected(422, f"{what} is a list, not {_kind(value)}")
    return value


def _kind(value: Any) -> str:
    names = {dict: "an object", list: "a list", str: "a text", bool: "a truth value", type(None): "null"}
    return names.get(type(value), "a number")


def own_rows(body: Any, query: RequestQuery) -> tuple[list[ServedRow], bool]:
    """Return the rows of a body in our own form, and whether it is a batch: a row, or ``rows`` with a list of them."""
    mapping = _mapping(body, "a body")
    if "rows" not in mapping:
        return [_own_row(mapping, "the body", query)], False
    if len(mapping) > 1:
        raise Rejected(422, f"beside `rows` a body has no other key, and this has `{_other(mapping, ('rows',))}`")
    rows = _list(mapping["rows"], "`rows`")
    return [_own_row(_mapping(row, f"rows[{at}]"), f"rows[{at}]", query) for at, row in enumerate(rows)], True


def _own_row(row: Mapping[str, Any], where: str, query: RequestQuery) -> ServedRow:
    if not row.keys() <= set(_PART_KEYS):
        known = ", ".join(_PART_KEYS)
        raise Rejected(422, f"{where} has the key `{_other(row, _PART_KEYS)}`; a row has {known}, or `record` alone")
    record = None if row.get("record") is None else _mapping(row["record"], f"`record` of {where}")
    if "response" in row:
        parts = {name: row[name] for name in ("response", "reference", "context", "id") if name in row}
        parts["response"] = without_ends(parts["response"], query.ends)
        return ServedRow(record, parts, query.json_references)
    if record is None or len(row) > 1:
        raise Rejected(422, f"{where} has no `response`; a row has one, or `record` alone, which holds all parts")
    return ServedRow(record, None, query.json_references)


def _other(row: Mapping[str, Any], known: Sequence[str]) -> str:
    return f"{next(name for name in row if name not in known):.60}"


def nemo_gym_rows(body: Any, query: RequestQuery) -> list[ServedRow]:
    """Return the row of a request of NeMo Gym to ``/verify``: the text of the model's last message, empty if there is
    none, and the body as the record, in which the spec's path finds the reference."""
    mapping = _mapping(body, "a body")
    response = _mapping(mapping.get("response"), "`response`")
    output = _list(response.get("output"), "`response.output`")
    said = [one for one in output if isinstance(one, dict) and one.get("type", "message") == "message"]
    text = _text_of_blocks(said[-1].get("content")) if said else None
    parts = {"response": without_ends(text or "", query.ends)}
    return [ServedRow(mapping, parts, query.json_references, reads_reference=True, is_rewarded=True)]


def _text_of_blocks(content: Any) -> str | None:
    if isinstance(content, str):
        return content
    texts = [one.get("text") for one in content if isinstance(one, dict)] if isinstance(content, list) else []
    found = [text for text in texts if isinstance(text, str)]
    return "".join(found) if found else None


def openrlhf_rows(body: Any, query: RequestQuery) -> list[ServedRow]:
    """Return the rows of a request of OpenRLHF to ``remote_rm_url``: the responses are what stands behind the prompts
    in ``query``, without the tokens that end a text."""
    query = query if query.ends else replace(query, ends=ENDS)
    mapping = _mapping(body, "a body")
    known = ("query", "prompts", "labels")
    if not mapping.keys() <= set(known):
        raise Rejected(422, f"the body has the key `{_other(mapping, known)}`; it has {', '.join(known)}")
    texts = _texts(mapping.get("query"), "`query`")
    prompts = _texts(mapping.get("prompts") or [""] * len(texts), "`prompts`")
    labels = _list(mapping.get("labels") or [None] * len(texts), "`labels`")
    for name, column in (("prompts", prompts), ("labels", labels)):
        if len(column) != len(texts):
            raise Rejected(422, f"{len(texts)} queries do not go with {len(column)} {name}: give one for each")
    rows = []
    for text, prompt, label in zip(texts, prompts, labels, strict=True):
        answer = behind_prompt(text, prompt)
        parts = {"response": without_ends(answer, query.ends), **({} if label is None else {"reference": label})}
        is_json, lost = query.json_references and label is not None, CUT if answer is None else None
        rows.append(ServedRow({"prompt": prompt}, parts, is_json, is_rewarded=True, lost=lost))
    return rows


def _texts(value: Any, what: str) -> Sequence[str]:
    found = _list(value, what)
    odd = next((at for at, one in enumerate(found) if not isinstance(one, str)), None)
    if odd is not None:
        raise Rejected(422, f"{what}[{odd}] is a text, not {_kind(found[odd])}")
    return found


def vertex_rows(body: Any, query: RequestQuery) -> list[ServedRow]:
    """Return the row of a request of Vertex AI's tuning: the text of the response, and the example's reference: the one
    that the address names, the only one, or what the spec's path finds in the body."""
    mapping = _mapping(body, "a body")
    response, example = _mapping(mapping.get("response"), "`response`"), _mapping(mapping.get("example"), "`example`")
    blocks = _list(response.get("parts") or [], "`response.parts`")
    said = [one for one in blocks if isinstance(one, dict) and not one.get("thought") and "text" in one]
    text = _text_of_blocks(said)
    references = _mapping(example.get("references") or {}, "`example.references`")
    if query.reference is not None and query.reference not in references:
        raise Rejected(422, f"`example.references` has no `{query.reference:.60}`, which the address asks for")
    sole = query.reference or (next(iter(references)) if len(references) == 1 else None)
    parts = {"response": without_ends(text, query.ends), **({} if sole is None else {"reference": references[sole]})}
    return [ServedRow(mapping, parts, query.json_references, reads_reference=sole is None, is_rewarded=True)]
