"""The details that lighteval writes with `--save-details`: a Parquet file with a row for each sample.

The response is the text after lighteval's own post-processing, which takes away what a model reasoned. The reference is
that in `Doc.specific`, or else the gold among the document's choices.

Source:
    Hugging Face, lighteval 0.13.0, src/lighteval/logging/info_loggers.py and evaluation_tracker.py.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import count
from pathlib import Path
from typing import Any

from scoring.data.file import InputFile
from scoring.data.file_format import find_format, require
from scoring.data.json_write import dumps
from scoring.errors import InputError
from scoring.extensions.hosts.logs.log import HostLog, Sample, Verdicts, record_of

_TITLE, _NEEDS = "details of lighteval", ("pyarrow", "scoring-dsl[parquet]")
_PARTS = ("doc", "model_response")


def _samples(file: InputFile) -> Iterator[Sample]:
    """Yield the sample of each row.

    Raises:
        InputError: when the file has not the columns of details.
    """
    file.columns = _PARTS
    numbers = count(1)
    for block in find_format("parquet").rows(file):
        for record in block.records:  # type: ignore[union-attr]
            number = next(numbers)
            parts = [record.get(name) if isinstance(record, dict) else None for name in _PARTS]
            doc, said = parts
            if not isinstance(doc, dict) or not isinstance(said, dict):
                raise InputError(f"{file.name} is no {_TITLE}: row {number} has no `doc` and `model_response`")
            yield Sample(number, _record(doc, said))


def _record(doc: dict[str, Any], said: dict[str, Any]) -> dict[str, Any]:
    specific = doc.get("specific")
    more = specific if isinstance(specific, dict) else {}
    reference = more.get("reference")
    if reference is None:
        golds = _golds(doc)
        reference = golds[0] if len(golds) == 1 else golds or None
    texts = said.get("text_post_processed") or said.get("text") or [None]
    key = more.get("id", doc.get("id"))
    return record_of(key, texts[0], reference, context=doc.get("query"), more=more)


def _golds(doc: dict[str, Any]) -> list[Any]:
    """Return the document's right choices, in order."""
    choices, index = doc.get("choices") or [], doc.get("gold_index")
    places = index if isinstance(index, list) else [index]
    return [choices[place] for place in places if isinstance(place, int) and 0 <= place < len(choices)]


def _write_back(file: InputFile, verdicts: Verdicts, path: Path) -> None:
    """Write the details with a column `scoring`, whose fields are JSON texts, since tasks have fields of any names."""
    arrow = require(_TITLE, *_NEEDS)
    parquet = require(_TITLE, "pyarrow.parquet", _NEEDS[1])
    table = parquet.read_table(file.address, partitioning=None)
    found = [verdicts.data_of(number) for number in range(1, table.num_rows + 1)]
    told = [None if one is None else {**one, "fields": dumps(one["fields"])} for one in found]
    texts = ("status", "reason", "fields", "task", "meaning")
    own = [("score", arrow.float64()), ("passed", arrow.bool_()), *((name, arrow.string()) for name in texts)]
    parquet.write_table(table.append_column("scoring", arrow.array(told, arrow.struct(own))), path)


LOG = HostLog("lighteval", _TITLE, _samples, unit="row", begins=(b"PAR1",), write_back=_write_back, needs=_NEEDS)
