"""Logs of Inspect: their samples as records, and the scores of a run in a copy of the log.

Source:
    UK AI Security Institute, Inspect 0.3.285: inspect_ai/log/_log.py, inspect_ai/_eval/score.py.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from scoring.data.file import InputFile
from scoring.diagnostics.words import counted, listed
from scoring.errors import InputError
from scoring.extensions.hosts.logs.inspect_files import ZIP, EvalLog, opened_log, part_of, write_log
from scoring.extensions.hosts.logs.inspect_scores import absence_of, eval_results, eval_score
from scoring.extensions.hosts.logs.log import HostLog, Sample, Verdicts, record_of
from scoring.result import Outcome

_ATTACHMENT = "attachment://"
RESPONSES = ("completion", "messages", "calls")
"""What a record's response may be: the text of the last output, the whole conversation, or the tool calls in it."""
LIMITED = ("scored", "unscored")


def check_choices(response: str, limited: str) -> None:
    """Raise an exception if a setting has another value than those that are known.

    Raises:
        InputError: when it has.
    """
    for name, value, known in (("response", response, RESPONSES), ("limited", limited, LIMITED)):
        if value not in known:
            raise InputError(f"`{name}` of a log of Inspect is {listed(known, 'or')}, not `{value:.40}`")


def _samples(file: InputFile) -> Iterator[Sample]:
    """Yield the samples of a log in the order of epochs and ids, or of a JSON document.

    Raises:
        InputError: when a setting is unknown, or the file is no log of Inspect.
    """
    response, limited = file.settings.get("response", "completion"), file.settings.get("limited", "scored")
    check_choices(response, limited)
    with opened_log(file) as log:
        model, has_epochs = log.header["eval"].get("model"), log.epochs > 1
        for number, sample in enumerate(log.samples(), start=1):
            if isinstance(sample, ValueError):
                yield Sample(number, sample)
                continue
            record = {"model": model, **sample_record(sample, response, is_limit_scored=limited == "scored")}
            if has_epochs:
                record["id"] = epoch_id(sample.get("id"), sample.get("epoch"))
            yield Sample(number, record)


def epoch_id(id: Any, epoch: Any) -> str:
    """Return the id of the record of one epoch of a sample.

    Examples:
        >>> epoch_id("q7", 2)
        'q7 (epoch 2)'
    """
    return f"{id} (epoch {epoch})"


def sample_record(sample: Mapping[str, Any], response: str, *, is_limit_scored: bool) -> dict[str, Any]:
    """Return the record of a sample: its parts, the columns of its metadata, and what else Inspect knows of it.

    A sample that stopped with an error has an outcome in place of its parts, with the error as the reason; so has
    one that a limit stopped before there was an answer.

    Args:
        sample: The sample, as a log has it.
        response: What the response is, one of `RESPONSES`.
        is_limit_scored: Whether the answer of a sample that a limit stopped is scored, as Inspect does.
    """
    target, metadata = sample.get("target"), part_of(sample, "metadata")
    found = record_of(
        sample.get("id"), _response(sample, response), reference_of(target), context=sample.get("input"), more=metadata
    )
    for key in ("epoch", "target", "choices", "messages", "store", "scores"):
        if sample.get(key) is not None:
            found[key] = sample[key]
    found["sample_id"], found["answered_by"] = sample.get("id"), part_of(sample, "output").get("model")
    attachments = part_of(sample, "attachments")
    kept = found.pop("scores", None)  # whose NaN means unscored
    _mend(found, attachments)
    found |= {} if kept is None else {"scores": kept}
    stopped = _stopped(sample, has_answer=found["response"] not in (None, "", []), is_limit_scored=is_limit_scored)
    if stopped is not None:
        found["response"] = found["reference"] = Outcome.unscored(stopped)
    return found


def reference_of(target: Any) -> Any:
    """Return the reference that a target is; a sample without a target has an empty text in Inspect.

    Examples:
        >>> reference_of(["Paris"]), reference_of(["Paris", "Lutetia"]), reference_of("")
        ('Paris', ['Paris', 'Lutetia'], None)
    """
    found = target[0] if isinstance(target, list) and len(target) == 1 else target
    return None if found in ("", []) else found


def _response(sample: Mapping[str, Any], wanted: str) -> Any:
    messages, output = sample.get("messages"), part_of(sample, "output")
    if wanted == "messages":
        return messages
    if wanted == "calls":
        return tool_calls(messages)
    choices = output.get("choices")
    if not choices or not isinstance(choices, list):
        return None
    if isinstance(text := output.get("completion"), str):
        return text
    message = part_of(choices[0], "message") if isinstance(choices[0], dict) else {}
    return None if message.get("content") is None else [message]


def tool_calls(messages: Any) -> list[dict[str, Any]]:
    """Return the tool calls of all messages of the assistant, in order, as names with arguments.

    Examples:
        >>> call = {"id": "1", "function": "now", "arguments": {"city": "Suva"}}
        >>> tool_calls([{"role": "assistant", "content": "", "tool_calls": [call]}])
        [{'name': 'now', 'arguments': {'city': 'Suva'}}]
    """
    found = []
    for message in messages if isinstance(messages, list) else ():
        calls = message.get("tool_calls") if isinstance(message, dict) else None
        for call in calls if isinstance(calls, list) else ():
            if isinstance(call, dict):
                found.append({"name": call.get("function"), "arguments": call.get("arguments")})
    return found


def _stopped(sample: Mapping[str, Any], *, has_answer: bool, is_limit_scored: bool) -> str | None:
    """Return why a sample can't be scored that stopped before its end; None for any other."""
    if isinstance(error := sample.get("error"), dict):
        return f"the sample stopped with an error: {str(error.get('message')).partition(chr(10))[0]:.200}"
    if isinstance(limit := sample.get("limit"), dict) and not (has_answer and is_limit_scored):
        return limit_reason(limit.get("type"), limit.get("limit"))
    return None


def limit_reason(kind: Any, most: Any) -> str:
    """Return the reason of a sample that a limit stopped.

    Examples:
        >>> limit_reason("token", 1000.0)
        'the sample was stopped by its limit (token, 1000)'
    """
    return (
        f"the sample was stopped by its limit ({kind}, {most:g})"
        if isinstance(most, int | float)
        else (f"the sample was stopped by its limit ({kind})")
    )


def _mend(record: dict[str, Any], attachments: Mapping[str, Any]) -> None:
    """Put attachments in their places, and None in place of NaN, as which Inspect writes missing values."""
    todo: list[dict[str, Any] | list[Any]] = [record]
    seen: set[int] = set()
    while todo:
        value = todo.pop()
        if id(value) in seen:
            continue
        seen.add(id(value))
        for key, one in list(value.items() if isinstance(value, dict) else enumerate(value)):
            place: Any = key
            if isinstance(one, dict | list):
                todo.append(one)
            elif isinstance(one, str) and one.startswith(_ATTACHMENT):
                value[place] = attachments.get(one.removeprefix(_ATTACHMENT), one)
            elif isinstance(one, float) and not math.isfinite(one):
                value[place] = None


def _about(file: InputFile) -> str:
    """Return what a log says of itself: its task, the model, and which others answered or judged."""
    with opened_log(file) as log:
        spec, used = log.header["eval"], part_of(log.header, "stats", "model_usage")
        model = str(spec.get("model"))
        others = [name for name in used if name != model]
        asked = f"; models beside it: {listed(others, 'and')}" if others else ""
        epochs = f", {counted(log.epochs, 'epoch')}" if log.epochs > 1 else ""
        return f"a log of Inspect: task {spec.get('task')}, model {model}{epochs}{asked}"


def _write_back(file: InputFile, verdicts: Verdicts, path: Path) -> None:
    with opened_log(file) as log:
        name = _free_name(log, verdicts.task)

        def scored(number: int, sample: dict[str, Any]) -> dict[str, Any]:
            found = verdicts.data_of(number)
            if found is None:
                return sample
            score = {**eval_score(found, absence=absence_of(sample)), "history": []}
            return {**sample, "scores": {**part_of(sample, "scores"), name: score}}

        values = [one.score for one in verdicts.results if one.status != "not_applicable"]
        with_score = len(values) - values.count(None)
        counts = with_score, len(verdicts.results) - with_score
        about = {"version": verdicts.version, "meaning": verdicts.meaning}
        results = eval_results(log.header.get("results"), name, verdicts.metrics, counts, about)
        write_log(log, path, {**log.header, "results": results}, scored)


def _free_name(log: EvalLog, task: str) -> str:
    """Return the name for the scores of a task, followed by a number if the log has scores of that name already."""
    scores = part_of(log.header, "results").get("scores") or []
    taken = {one.get("name") for one in scores if isinstance(one, dict)}
    names = (task, *(f"{task}-{number}" for number in range(1, len(taken) + 1)))
    return next(name for name in names if name not in taken)


LOG = HostLog(
    "inspect",
    "a log of Inspect",
    _samples,
    suffixes=(".eval",),
    holds=(
        ("PK\x03\x04", "_journal/start.json"),
        ("PK\x03\x04", "samples/", "_epoch_"),
        ('"eval"', '"run_id"', '"task_id"', '"dataset"'),
    ),
    begins=(ZIP,),
    settings=("response", "limited"),
    about=_about,
    write_back=_write_back,
)
