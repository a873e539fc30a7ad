"""The files of Inspect's logs: a zip archive (`.eval`) with a member for each sample, or one JSON document.

Source:
    UK AI Security Institute, Inspect 0.3.285: inspect_ai/log/_recorders/eval.py, json.py and inspect_ai/log/_log.py.
"""

from __future__ import annotations

import json
import re
import warnings
import zipfile
from codecs import BOM_UTF8
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO

from msgspec import Struct

from scoring.data.file import InputFile
from scoring.data.json_read import NotJson, check_document, parse
from scoring.data.output import write_file
from scoring.data.rows.decoded import no_record
from scoring.depth import in_full_depth
from scoring.errors import InputError
from scoring.extensions.hosts.logs.log import json_document
from scoring.extensions.hosts.logs.zip_members import ZipMembers
from scoring.lazy_pattern import lazy_pattern

ZIP = b"PK\x03\x04"
"""The first bytes of an archive."""
_HEADER, _START = "header.json", "_journal/start.json"
_SUMMARIES, _REDUCTIONS = "summaries.json", "reductions.json"
_SAMPLE = lazy_pattern(r"samples/(.*)_epoch_([0-9]{1,9})\.json", re.DOTALL)
_PREVIEW = 1000
"""The most characters of a text in a summary, as in Inspect's own."""
_LONGEST = 10_000
"""The most bytes of a member's name that is written; an archive can hold six times as many."""
_DIGITS = 20
"""The width to which Inspect fills numbers as ids where it sorts samples."""


class EvalLog(Struct, frozen=True):
    """A log of Inspect while its file is open.

    Args:
        header: The log without its samples: ``eval``, ``plan``, ``results``, ``stats`` and so on. That of a log that is
            not finished has no results.
        samples: Returns the samples in order, or what is wrong with one.
        reductions: Returns the scores over the epochs of each sample.
        summaries: Returns the summaries of samples; empty for a JSON document, which has none.
    """

    header: dict[str, Any]
    samples: Callable[[], Iterator[dict[str, Any] | ValueError]]
    reductions: Callable[[], list[Any]]
    summaries: Callable[[], list[Any]]

    @property
    def epochs(self) -> int:
        """The number of epochs that the log was configured for."""
        found = object_at(self.header, "eval", "config").get("epochs")
        return found if isinstance(found, int) else 1


def object_at(value: Mapping[str, Any], *keys: str) -> dict[str, Any]:
    """Return the object at some keys of nested objects; empty where there is none."""
    found: Any = value
    for key in keys:
        found = found.get(key) if isinstance(found, dict) else None
    return found if isinstance(found, dict) else {}


@contextmanager
def opened_log(file: InputFile) -> Iterator[EvalLog]:
    """Open a log of Inspect for reading within a block.

    Raises:
        InputError: when it is none, is damaged, or exceeds the limits.
    """
    if file.head(len(ZIP)) != ZIP:
        yield _document(file)
        return
    with file.open() as stream:
        yield _archive(ZipMembers(stream, file.name))


def _document(file: InputFile) -> EvalLog:
    found = json_document(file)
    samples = found.get("samples") if isinstance(found, dict) else None
    if not isinstance(found, dict) or not isinstance(found.get("eval"), dict) or not isinstance(samples, list):
        raise InputError(f"{file.name} is no log of Inspect: it has no `eval` with `samples`")
    header = {key: value for key, value in found.items() if key not in ("samples", "reductions")}

    def each() -> Iterator[dict[str, Any] | ValueError]:
        for sample in samples:
            yield sample if isinstance(sample, dict) else ValueError(no_record(sample))

    return EvalLog(header, each, lambda: _listed(found.get("reductions")), list)


def _archive(members: ZipMembers) -> EvalLog:
    if _HEADER not in members and _START not in members:
        raise InputError(f"{members.name} is no log of Inspect: it is a zip archive without `{_HEADER}`")
    header = _member(members, _HEADER if _HEADER in members else _START)
    if not isinstance(header, dict) or not isinstance(header.get("eval"), dict):
        raise InputError(f"{members.name} is no log of Inspect: its header has no `eval`")
    matches = [found for name in members.names if (found := _SAMPLE.fullmatch(name))]
    names = [found[0] for found in sorted(matches, key=lambda one: (int(one[2]), _sortable(one[1])))]

    def each() -> Iterator[dict[str, Any] | ValueError]:
        for name in names:
            try:
                sample = _member(members, name)
            except InputError as error:  # one broken sample does not spoil the others
                yield ValueError(str(error))
                continue
            yield sample if isinstance(sample, dict) else ValueError(no_record(sample))

    def listed(name: str) -> list[Any]:
        return _listed(_member(members, name)) if name in members else []

    return EvalLog(header, each, lambda: listed(_REDUCTIONS), lambda: listed(_SUMMARIES))


def _sortable(id: str) -> str:
    return id.zfill(_DIGITS) if id.isdecimal() else id


def _listed(found: Any) -> list[Any]:
    return found if isinstance(found, list) else []


def _member(members: ZipMembers, name: str) -> Any:
    content = members.read(name)
    try:
        check_document(content, members.size(name))
        return parse(content.removeprefix(BOM_UTF8))
    except NotJson as error:
        raise InputError(f"can't read {members.name}: its member `{name:.80}`: {error}") from error


def write_log(
    log: EvalLog, path: Path, header: Mapping[str, Any], scored: Callable[[int, dict[str, Any]], dict[str, Any]]
) -> None:
    """Write a copy of a log: as an archive if the path ends in ``.eval``, otherwise as a JSON document.

    A sample that can't be read is left out.

    Args:
        log: The log.
        path: The path to write to.
        header: The header of the copy.
        scored: Returns a sample as it is to be written, given its number, from 1, and the sample.
    """

    def samples() -> Iterator[dict[str, Any]]:
        for number, sample in enumerate(log.samples(), start=1):
            if isinstance(sample, dict):
                yield scored(number, sample)

    def archive(stream: BinaryIO) -> None:
        known = {_key(one): one for one in log.summaries() if isinstance(one, dict)}
        summaries = []
        with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as into, warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of a sample that the log has twice: the last one counts, as in Inspect
            start = {key: header[key] for key in ("version", "eval", "plan") if key in header}
            into.writestr(_START, _text(start))
            for sample in samples():
                into.writestr(_member_name(sample), _text(sample))
                summary = known.get(_key(sample)) or _summary(sample)
                summaries.append({**summary, "scores": sample.get("scores")})
            into.writestr(_SUMMARIES, _text(summaries))
            if reductions := log.reductions():
                into.writestr(_REDUCTIONS, _text(reductions))
            into.writestr(_HEADER, _text(header))

    def document(stream: BinaryIO) -> None:
        stream.write(_text(header)[:-1] + b',"samples":[')  # readers of the header alone stop before the samples
        for number, sample in enumerate(samples()):
            stream.write((b"," if number else b"") + _text(sample))
        stream.write(b'],"reductions":' + _text(log.reductions()) + b"}")

    write_file(path, archive if path.suffix == ".eval" else document)


def _member_name(sample: Mapping[str, Any]) -> str:
    found = f"samples/{sample.get('id')}_epoch_{sample.get('epoch')}.json"
    if len(found.encode(errors="replace")) > _LONGEST:
        raise InputError(f"can't write a sample whose id has {len(found):,} characters into an archive")
    return found.encode(errors="replace").decode()


def _text(value: Any) -> bytes:
    """Return the JSON of a value in ASCII; numbers that are none are constants, as in Inspect's own logs."""
    return in_full_depth(_encoded, value)


def _encoded(value: Any) -> bytes:
    return json.dumps(value, separators=(",", ":")).encode()


def _key(sample: Mapping[str, Any]) -> tuple[str, Any]:
    return str(sample.get("id")), sample.get("epoch")


def _summary(sample: Mapping[str, Any]) -> dict[str, Any]:
    """Return what the viewer lists of a sample."""
    copied = ("id", "epoch", "choices", "target", "model_usage", "started_at", "completed_at", "total_time", "uuid")
    asked, messages = sample.get("input"), sample.get("messages")
    metadata = object_at(sample, "metadata")
    return {
        **{key: sample[key] for key in copied if key in sample},
        "input": asked[:_PREVIEW] if isinstance(asked, str) else asked,
        "metadata": {key: one for key, one in metadata.items() if len(_text(one)) < _PREVIEW},
        "error": object_at(sample, "error").get("message"),
        "limit": object_at(sample, "limit").get("type"),
        "completed": True,
        "message_count": len(messages) if isinstance(messages, list) else 0,
    }
